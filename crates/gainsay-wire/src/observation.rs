//! What was seen of one call.

use std::hash::Hasher as _;

use crate::{DeathCause, Mix, OpId, StateId, TypeId, Value};

/// One call: states before, arguments, outcome, states after.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Observation {
    /// The operation that was called.
    pub op: OpId,
    /// The ending of the call.
    pub outcome: Outcome,
    /// The value of each term of the operation's vocabulary, in its order. Terms `After` are
    /// undefined when the call did not return.
    pub values: Vec<Value>,
    /// For each operand that is an object: its states.
    pub objects: Vec<ObjectState>,
    /// States of the objects that the call made, in order.
    pub made: Vec<(TypeId, StateId)>,
    /// Objects whose exclusive loan the call ended, as by the drop of a guard or of a drain. Nobody
    /// can look at them between the two states: what calls on the borrower did shows here at once.
    pub freed: Vec<FreedState>,
}
wire_struct!(Observation { op, outcome, values, objects, made, freed });

impl Observation {
    /// A digest of the operation and of the states of its operands and results around the call.
    // States and not values: two calls between the same states are one transition, whatever numbers
    // they were given, else there would be as many transitions as calls.
    pub fn transition_digest(&self) -> u64 {
        let objects = self.objects.iter().map(|object| (object.before, object.after));
        transition_digest(self.op, objects, self.made.iter().map(|(_, state)| *state))
    }
}

impl Observation {
    /// All types that it names, for those who number types in another way.
    pub fn types_mut(&mut self) -> impl Iterator<Item = &mut TypeId> {
        let operands = self.objects.iter_mut().map(|object| &mut object.ty);
        let made = self.made.iter_mut().map(|(ty, _)| ty);
        operands.chain(made).chain(self.freed.iter_mut().map(|freed| &mut freed.ty))
    }
}

/// The digest of a transition: states of operands before and after, then of what was made.
pub fn transition_digest(
    op: OpId,
    objects: impl Iterator<Item = (StateId, Option<StateId>)>,
    made: impl Iterator<Item = StateId>,
) -> u64 {
    let mut digest = Mix::new();
    digest.write_u32(op.0);
    for (before, after) in objects {
        digest.mix_word(before.0);
        digest.mix_word(after.map_or(0, |state| state.0));
    }
    for state in made {
        digest.mix_word(state.0);
    }
    digest.finish()
}

/// An object operand's abstract state around a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ObjectState {
    /// Which operand.
    pub operand: u32,
    /// Its type.
    pub ty: TypeId,
    /// State before.
    pub before: StateId,
    /// State after; `None` when the call consumed it or did not return.
    pub after: Option<StateId>,
}
wire_struct!(ObjectState { operand, ty, before, after });

/// A lender's abstract state around its loan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FreedState {
    /// Its type.
    pub ty: TypeId,
    /// State before the call that lent it; `None` when nobody had looked at it by then.
    pub lent: Option<StateId>,
    /// State after the call that ended the loan; `None` when it could not be looked at.
    pub after: Option<StateId>,
}
wire_struct!(FreedState { ty, lent, after });

/// The ending of a call.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Outcome {
    /// With a value other than `Err`.
    Returned,
    /// With `Err`.
    ReturnedErr,
    /// By a panic that could be caught.
    Panicked(PanicPlace),
    /// The process died: abort, signal, `exit`.
    Aborted(DeathCause),
    /// It did not end in time.
    TimedOut,
    /// It asked for more memory than a call may take.
    OutOfMemory,
    /// It was not made: an operand was missing because an earlier step went differently.
    NotReady,
}
wire_enum!(Outcome {
    0 = Returned,
    1 = ReturnedErr,
    2 = Panicked(place),
    3 = Aborted(how),
    4 = TimedOut,
    5 = OutOfMemory,
    6 = NotReady,
});

impl Outcome {
    /// True if the call came back with a value or `Err`.
    pub fn returned(&self) -> bool {
        matches!(self, Outcome::Returned | Outcome::ReturnedErr)
    }
}

/// The place and the words of a panic.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PanicPlace {
    /// The file as the panic hook names it.
    pub file: String,
    /// The line.
    pub line: u32,
    /// The message, cut to a moderate length.
    pub message: String,
    /// True if any operand's view differs from before, as far as it can still be seen.
    pub changed: bool,
}
wire_struct!(PanicPlace { file, line, message, changed });
