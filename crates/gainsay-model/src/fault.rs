//! Faults: wrong outcomes with an identity and their smallest known sequence.

use gainsay_wire::{OpId, Oracle, Sequence};
use serde::{Deserialize, Serialize};

/// A wrong outcome.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Stable across seeds: digest of oracle clause or panic place, and operation.
    pub id: String,
    /// Who objects.
    pub oracle: Oracle,
    /// The operation.
    pub op: OpId,
    /// The operation's path for people.
    pub operation: String,
    /// What is wrong, in a sentence.
    pub message: String,
    /// The shortest sequence known to show it; the operation is the last step unless the fault
    /// shows only when everything is dropped.
    pub sequence: Sequence,
    /// What replaying it in fresh processes showed.
    pub confirmation: Confirmation,
}

/// Whether a fault repeats.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Confirmation {
    /// Every replay in a fresh process showed it, with and without views.
    Confirmed,
    /// Some replays did not show it.
    Flaky,
}

/// What a panic turned out to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PanicClass {
    /// The documentation says so.
    Documented,
    /// The operation's own assertion, before it changed anything: an undocumented precondition.
    OwnAssertion,
    /// Asking for more than a machine has.
    ResourceLimit,
    /// Nobody declared it: a fault.
    Undeclared,
}
