//! Edges between states: what an operation did to an object in a state, as counters. A worker counts
//! each observed call once, whatever else it tells of it, so that frequencies can be trusted where
//! kept calls are a selection.

use std::collections::BTreeMap;

use crate::{
    Arg, ManifestOp, ManifestParam, ObjectState, Observation, OpId, Outcome, StateId, Step, TypeId,
};

/// The kind of ending that a call had. The words of a panic or a death are in findings: counters
/// that told them apart would never add up to anything.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum OutcomeClass {
    /// A value other than `Err`.
    Returned,
    /// `Err`.
    ReturnedErr,
    /// A panic that could be caught.
    Panicked,
    /// The end of the process by abort, signal or `exit`.
    Aborted,
    /// No end in time.
    TimedOut,
    /// More memory asked for than a call may take.
    OutOfMemory,
}
wire_enum!(OutcomeClass {
    0 = Returned,
    1 = ReturnedErr,
    2 = Panicked,
    3 = Aborted,
    4 = TimedOut,
    5 = OutOfMemory,
});

impl OutcomeClass {
    /// The class of an outcome; `None` for a call that was not made.
    pub fn of(outcome: &Outcome) -> Option<OutcomeClass> {
        Some(match outcome {
            Outcome::Returned => OutcomeClass::Returned,
            Outcome::ReturnedErr => OutcomeClass::ReturnedErr,
            Outcome::Panicked(_) => OutcomeClass::Panicked,
            Outcome::Aborted(_) => OutcomeClass::Aborted,
            Outcome::TimedOut => OutcomeClass::TimedOut,
            Outcome::OutOfMemory => OutcomeClass::OutOfMemory,
            Outcome::NotReady => return None,
        })
    }
}

/// One end of an edge. Only states that were told with their values stand for themselves: a
/// subject has more states than anybody can hold, and one without values explains nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum EdgeEnd {
    /// No object: it is made by the call, was consumed by it, or the call did not return.
    #[default]
    Absent,
    /// This state.
    State(StateId),
    /// One of the states beyond those that the counting worker tells apart.
    Rest,
    /// The state before, which is one of the rest: the call changed nothing.
    RestUnchanged,
    /// A state that nobody looked at: the object was locked, or its process died.
    Unseen,
}
wire_enum!(EdgeEnd {
    0 = Absent,
    1 = State(state),
    2 = Rest,
    3 = RestUnchanged,
    4 = Unseen,
});

impl EdgeEnd {
    /// The state, where the end is one that is told apart.
    pub fn state(self) -> Option<StateId> {
        match self {
            EdgeEnd::State(state) => Some(state),
            _ => None,
        }
    }
}

/// A change of the subject of a call: its first object operand, else the first object that it
/// made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Edge {
    /// The operation that was called.
    pub op: OpId,
    /// The operand that is the subject; `None` when the call has no object among its operands.
    pub operand: Option<u32>,
    /// The type of the subject; `None` when the call neither takes nor makes an object.
    pub ty: Option<TypeId>,
    /// The subject before the call.
    pub before: EdgeEnd,
    /// The kind of ending that the call had.
    pub outcome: OutcomeClass,
    /// The subject after the call.
    pub after: EdgeEnd,
}
wire_struct!(Edge { op, operand, ty, before, outcome, after });

impl Edge {
    /// The edge of an observed call, by its exact states; `None` for a call that was not made.
    pub fn of(observation: &Observation) -> Option<Edge> {
        let outcome = OutcomeClass::of(&observation.outcome)?;
        let edge = |operand, ty, before, after| {
            Some(Edge { op: observation.op, operand, ty, before, outcome, after })
        };
        let end = |state: Option<StateId>| state.map_or(EdgeEnd::Absent, EdgeEnd::State);
        if let Some(ObjectState { operand, ty, before, after }) = observation.objects.first() {
            return edge(Some(*operand), Some(*ty), EdgeEnd::State(*before), end(*after));
        }
        let made = observation.made.first();
        let (ty, state) = made.map_or((None, None), |(ty, state)| (Some(*ty), Some(*state)));
        edge(None, ty, EdgeEnd::Absent, end(state))
    }

    /// The edge of the call that a worker died of. The worker took the states with it.
    pub fn of_fatal_step(step: &Step, op: &ManifestOp, outcome: &Outcome) -> Option<Edge> {
        let outcome = OutcomeClass::of(outcome)?;
        let mut operands = (0..).zip(op.params.iter().zip(&step.args));
        let subject = operands.find_map(|(at, operand)| match operand {
            (ManifestParam::Object(ty, _), Arg::Object(_)) => Some((at, *ty)),
            _ => None,
        });
        let operand = subject.map(|(operand, _)| operand);
        let ty = subject.map(|(_, ty)| ty).or(op.makes.first().copied());
        let before = subject.map_or(EdgeEnd::Absent, |_| EdgeEnd::Unseen);
        Some(Edge { op: step.op, operand, ty, before, outcome, after: EdgeEnd::Absent })
    }

    /// The same edge with its states among the rest.
    #[must_use]
    pub fn among_the_rest(self) -> Edge {
        let is_loop = self.before == self.after;
        let coarse = |end| if matches!(end, EdgeEnd::State(_)) { EdgeEnd::Rest } else { end };
        let after = match self.after {
            EdgeEnd::State(_) if is_loop => EdgeEnd::RestUnchanged,
            after => coarse(after),
        };
        Edge { before: coarse(self.before), after, ..self }
    }
}

/// The calls that an edge stands for, since it was told last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EdgeCount {
    /// The edge.
    pub edge: Edge,
    /// Calls.
    pub count: u64,
}
wire_struct!(EdgeCount { edge, count });

impl EdgeCount {
    /// The edge of one observed call; `None` for a call that was not made.
    pub fn of(observation: &Observation) -> Option<EdgeCount> {
        Edge::of(observation).map(|edge| EdgeCount { edge, count: 1 })
    }

    /// The edges of some observed calls, in their order.
    pub fn of_all<'a>(observations: impl Iterator<Item = &'a Observation>) -> Vec<EdgeCount> {
        let mut counts: BTreeMap<Edge, u64> = BTreeMap::new();
        for edge in observations.filter_map(Edge::of) {
            *counts.entry(edge).or_default() += 1;
        }
        counts.into_iter().map(|(edge, count)| EdgeCount { edge, count }).collect()
    }
}

#[cfg(test)]
mod tests;
