//! Faults: wrong outcomes with an identity and their smallest known sequence.

use std::cmp::Ordering;

use gainsay_wire::{OpId, Oracle, PanicPlace, Sequence};
use serde::{Deserialize, Serialize};

use crate::build::Build;

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
    /// When it was first seen; `None` if it was not exploration that saw it.
    pub seen: Option<FirstSeen>,
    /// The build that shows it, if several do the one with most checks.
    pub build: Build,
}

/// How far a run was when something was first seen. Two that were made by as many calls are equal,
/// whatever else the machine did meanwhile.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub struct FirstSeen {
    /// Wall time since exploration began.
    pub millis: u64,
    /// Calls made by then.
    pub calls: u64,
}

impl PartialEq for FirstSeen {
    fn eq(&self, other: &FirstSeen) -> bool {
        self.calls == other.calls
    }
}

impl Eq for FirstSeen {}

impl PartialOrd for FirstSeen {
    fn partial_cmp(&self, other: &FirstSeen) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for FirstSeen {
    fn cmp(&self, other: &FirstSeen) -> Ordering {
        self.calls.cmp(&other.calls)
    }
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
    /// Waiting for what the caller itself holds: a lock whose guard is still there.
    Held,
    /// A handle is used with another object than the one that gave it out.
    Stranger,
    /// Nobody declared it: a fault.
    Undeclared,
}

/// A call that its operation rejects: not a fault, but worth telling.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IllegalUse {
    /// The operation.
    pub op: OpId,
    /// The operation's path for people.
    pub operation: String,
    /// Why it is not a fault.
    pub class: PanicClass,
    /// Where it panicked; `None` when the process ran out of memory or time instead.
    pub place: Option<PanicPlace>,
    /// What happens, in a sentence.
    pub message: String,
    /// In how many epochs it was seen.
    pub count: u64,
    /// A sequence that shows it; the operation is the last step.
    pub sequence: Sequence,
}
