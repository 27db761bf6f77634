//! What stages tell while they work. Console, recorder and JSON stream listen; nobody answers.

use std::time::Duration;

/// Something happened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// A stage begins.
    StageBegan(Stage, String),
    /// A stage ended.
    StageEnded(Stage, Duration),
    /// So many examples of the subject furnish the exploration.
    Furnished(usize),
    /// The exploration starts from objects of earlier runs.
    TakenUp {
        /// So many objects that earlier runs left.
        objects: usize,
        /// So many others that this build does not make as they were.
        dropped: usize,
    },
    /// Live counters of the run.
    Progress(Progress),
    /// A fault was found and confirmed: operation and message.
    FaultFound {
        /// Its path.
        operation: String,
        /// What is wrong.
        message: String,
    },
    /// Something did not go as it should, and the run goes on.
    Degraded(String),
}

/// The stages in their order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Stage {
    /// Crate to Api.
    Discover,
    /// Api to worker program.
    Harness,
    /// Faults of earlier runs again.
    Replay,
    /// Random testing.
    Explore,
    /// Observations to contracts.
    Infer,
    /// Contracts to verdicts.
    Refute,
    /// Confirming and shrinking faults.
    Confirm,
    /// Compiling and running tests that are to be emitted.
    Check,
    /// Writing results.
    Report,
}

impl Stage {
    /// As in `summary.json`.
    pub fn name(self) -> &'static str {
        match self {
            Stage::Discover => "discover",
            Stage::Harness => "harness",
            Stage::Replay => "replay",
            Stage::Explore => "explore",
            Stage::Infer => "infer",
            Stage::Refute => "refute",
            Stage::Confirm => "confirm",
            Stage::Check => "check",
            Stage::Report => "report",
        }
    }
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

/// Why exploration ended.
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
