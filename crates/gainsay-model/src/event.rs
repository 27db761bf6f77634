//! Events of a run. Console, recorder and JSON stream listen; nobody answers.

mod degradation;
mod stage;

use std::time::Duration;

pub use self::{
    degradation::Degradation,
    stage::{About, Stage},
};

/// Something happened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// A stage begins.
    StageBegan(Stage, About),
    /// A stage ended.
    StageEnded(Stage, Duration),
    /// The number of examples of the subject that furnish the exploration.
    Furnished(usize),
    /// The exploration starts from objects of earlier runs.
    TakenUp {
        /// Objects that earlier runs left.
        objects: usize,
        /// Other objects, which this build does not make as they were.
        dropped: usize,
    },
    /// Live counters of the run.
    Progress(Progress),
    /// A fault was found and confirmed: operation and message.
    FaultFound {
        /// Its path.
        operation: String,
        /// The wrong outcome, in words.
        message: String,
    },
    /// Something did not go as it should, and the run goes on.
    Degraded(Degradation),
}

/// Live counters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// Calls made.
    pub calls: u64,
    /// Distinct states.
    pub states: u64,
    /// Distinct transitions.
    pub transitions: u64,
    /// Distinct findings so far, before confirmation.
    pub findings: u64,
}

/// Reasons for the end of an exploration.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize,
)]
#[serde(rename_all = "kebab-case")]
pub enum StopReason {
    /// The time was up.
    Time,
    /// The calls were made.
    Calls,
    /// Nothing new for a long while.
    Saturation,
    /// The user interrupted.
    Interrupted,
    /// Workers died more often than they may.
    Restarts,
    /// Given sequences were run, and nothing else was asked for.
    Script,
}
