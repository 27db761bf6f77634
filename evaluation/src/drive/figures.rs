//! Figures of measurements, as the files beside the record of a run have them.

use serde::{Deserialize, Serialize};

/// One measurement.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Gain {
    /// Random testing until its plateau. Where it had found a fault by then, the others are empty.
    pub(crate) random: Phase,
    /// Inference and attacks.
    pub(crate) reduction: Phase,
    /// More random testing in place of them.
    pub(crate) control: Phase,
    /// Objects in the store at the plateau.
    pub(crate) objects: u64,
    /// Transitions in the store at the plateau.
    pub(crate) transitions: u64,
    /// Contracts that were attacked.
    pub(crate) contracts: u64,
    /// Of these, refuted.
    pub(crate) refuted: u64,
    /// All findings, faults or not, as the list of those that do not count has them.
    pub(crate) seen: Vec<String>,
}

/// A part of a measurement.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Phase {
    /// Calls; of the reduction, sequences.
    pub(crate) calls: u64,
    /// Wall time.
    pub(crate) seconds: f64,
    /// Processor time of this process and of all workers.
    pub(crate) cpu_seconds: f64,
    /// The ids of faults that are new in it and do not count as known.
    pub(crate) faults: Vec<String>,
}

/// Stored objects that were made again in fresh processes from their recipes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct RemadeFigures {
    /// Objects in the same state.
    pub(crate) same: u64,
    /// All others.
    pub(crate) different: u64,
}
