//! What attacks add to random testing, and what more random testing adds, in numbers.

use serde::{Deserialize, Serialize};

/// One measurement.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Gain {
    /// Random testing until its plateau. Where it had found a fault by then, the others are empty.
    pub random: Phase,
    /// Inference and attacks.
    pub reduction: Phase,
    /// More random testing in place of them.
    pub control: Phase,
    /// Objects in the store at the plateau.
    pub objects: u64,
    /// Transitions in the store at the plateau.
    pub transitions: u64,
    /// Contracts that were attacked.
    pub contracts: u64,
    /// Of these, refuted.
    pub refuted: u64,
    /// All findings, faults or not, as the list of those that do not count has them.
    pub seen: Vec<String>,
}

/// A part of a measurement.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Phase {
    /// Calls; of the reduction, sequences.
    pub calls: u64,
    /// Wall time.
    pub seconds: f64,
    /// Processor time of this process and of all workers.
    pub cpu_seconds: f64,
    /// The ids of faults that are new in it and do not count as known.
    pub faults: Vec<String>,
}
