//! A passing sequence with what was seen along it: what a later version of the subject should still
//! do.

use gainsay_wire::{ObjRef, Sequence, Value};

/// Calls that pass, and what is known after them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Regression {
    /// The calls, with queries in between.
    pub sequence: Sequence,
    /// The steps it is about, with the paths of their operations; the others only ask.
    pub calls: Vec<(usize, String)>,
    /// Claims that held every time, by step.
    pub claims: Vec<StepClaim>,
}

impl Regression {
    /// The call to which a step belongs: itself, or the one after which it asks.
    // Queries stand behind the call that they are about, so the last call before a step is its own.
    pub fn call_of(&self, step: usize) -> usize {
        let before = self.calls.iter().map(|(call, _)| *call).filter(|call| *call <= step);
        before.max().unwrap_or(0)
    }

    /// True for a step that only asks.
    pub fn only_asks(&self, step: usize) -> bool {
        self.call_of(step) != step
    }
}

/// A claim about one step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StepClaim {
    /// The step after which it is so.
    pub step: usize,
    /// Its subject.
    pub about: About,
    /// The value that was seen.
    pub value: Value,
}

/// The subject of a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum About {
    /// The value that the step returned.
    Result,
    /// The elements of an object, in their order.
    Elements(ObjRef),
}
