//! Faults: wrong outcomes with an identity and their smallest known sequence.

use std::cmp::Ordering;

use gainsay_wire::{LawParty, OpId, Oracle, PanicPlace, Sequence};
use serde::{Deserialize, Serialize};

use crate::build::Build;

/// A wrong outcome.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Stable across seeds: digest of oracle clause or panic place, and operation.
    pub id: String,
    /// The oracle that objects.
    pub oracle: Oracle,
    /// The operation.
    pub op: OpId,
    /// The operation's path for people.
    pub operation: String,
    /// A sentence that says the mistake.
    pub message: String,
    /// The moment at which it shows.
    pub moment: Moment,
    /// For a broken law: the objects that break it, as the last step has them.
    pub parties: Vec<LawParty>,
    /// The shortest sequence known to show it; the operation is the last step unless the fault
    /// shows only when everything is dropped.
    pub sequence: Sequence,
    /// The result of replaying it in fresh processes.
    pub confirmation: Confirmation,
    /// The moment at which exploration first saw it; `None` if another stage did.
    pub seen: Option<FirstSeen>,
    /// The build that shows it, if several do the one with most checks.
    pub build: Build,
}

/// A moment at which something goes wrong.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Moment {
    /// While the operation itself ran.
    #[default]
    Call,
    /// While the objects of the call were looked at: no call of the sequence shows it by itself.
    Look,
}

/// The progress of a run when something was first seen. Two after as many calls are equal,
/// whatever else the machine did meanwhile.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub struct FirstSeen {
    /// Wall time since exploration began.
    pub millis: u64,
    /// Calls made by then.
    pub calls: u64,
}

// Time is left out of the comparison: records of two equal runs must be equal.
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

/// Results of replaying a fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Confirmation {
    /// Every replay in a fresh process showed it, with and without views.
    Confirmed,
    /// Some replays did not show it.
    Flaky,
}

/// The ruling about a panic.
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
    /// The place of the panic; `None` when the process ran out of memory or time instead.
    pub place: Option<PanicPlace>,
    /// A sentence that says the outcome.
    pub message: String,
    /// In how many epochs it was seen.
    pub count: u64,
    /// A sequence that shows it; the operation is the last step.
    pub sequence: Sequence,
}
