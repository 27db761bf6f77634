//! Counts what observed calls did to their subjects, edge by edge. Every observed call counts;
//! what is limited is how many edges are told apart.

use std::{collections::HashMap, hash::BuildHasherDefault};

use gainsay_wire::{Edge, EdgeCount, EdgeEnd, Mix, OpId, OutcomeClass, StateId};

use crate::{execute::Call, memory::Digests, pool::Slot};

/// Edges of one operation that a worker tells apart. Each becomes a row in a store, once for each of
/// eight workers that finds it: a few hundred operations make some 100,000 rows, which a store
/// writes in well under a second.
const MOST_EDGES_OF_ONE: u32 = 128;

/// The counters of a virtual worker. Edges are remembered for its whole life and counts for the
/// epoch, so that a limit once reached stays reached, and a death loses no more than its epoch.
#[derive(Default)]
pub(crate) struct EdgeCounters {
    places: HashMap<Edge, u32, BuildHasherDefault<Mix>>,
    counts: Vec<EdgeCount>,
    /// Places of edges that were seen in this epoch, in the order in which they were seen.
    touched: Vec<u32>,
    /// Edges that are told apart, by operation.
    told_apart: Vec<u32>,
    /// States that were told with their values: only these stand for themselves.
    told_states: Digests,
}

impl EdgeCounters {
    /// Forgets counts of an epoch that was not told of.
    pub(crate) fn begin_epoch(&mut self) {
        for place in self.touched.drain(..) {
            self.counts[place as usize].count = 0;
        }
    }

    /// Notes that a state is told with its values.
    pub(crate) fn note_told_state(&mut self, state: StateId) {
        self.told_states.insert(state.0);
    }

    /// Counts an observed call.
    pub(crate) fn count_call(&mut self, call: &Call) {
        if let Some(edge) = edge_of(call) {
            self.count_edge(edge);
        }
    }

    fn count_edge(&mut self, edge: Edge) {
        let place = self.place_of(edge) as usize;
        if self.counts[place].count == 0 {
            self.touched.push(u32::try_from(place).expect("edges are limited by operation"));
        }
        self.counts[place].count += 1;
    }

    /// The place of an edge's counter, or of that for the rest of the operation's edges.
    fn place_of(&mut self, edge: Edge) -> u32 {
        let is_told = |end: EdgeEnd| end.state().is_none_or(|it| self.told_states.contains(&it.0));
        let known = is_told(edge.before) && is_told(edge.after);
        let edge = if known { edge } else { edge.among_the_rest() };
        if let Some(place) = self.places.get(&edge) {
            return *place;
        }
        let edge = if self.has_room(edge.op) { edge } else { edge.among_the_rest() };
        let next = u32::try_from(self.counts.len()).expect("edges are limited by operation");
        let place = *self.places.entry(edge).or_insert(next);
        if place == next {
            self.counts.push(EdgeCount { edge, count: 0 });
            self.told_apart[edge.op.0 as usize] += 1;
        }
        place
    }

    fn has_room(&mut self, op: OpId) -> bool {
        let at = op.0 as usize;
        if self.told_apart.len() <= at {
            self.told_apart.resize(at + 1, 0);
        }
        self.told_apart[at] < MOST_EDGES_OF_ONE
    }

    /// The counts of the epoch, in the order in which edges were seen first.
    pub(crate) fn take_counts(&mut self) -> Vec<EdgeCount> {
        let counts = &mut self.counts;
        let take = |place: u32| {
            let counter = &mut counts[place as usize];
            let told = *counter;
            counter.count = 0;
            told
        };
        self.touched.drain(..).map(take).collect()
    }
}

/// The edge of a call, by its exact states.
fn edge_of(call: &Call) -> Option<Edge> {
    let outcome = OutcomeClass::of(&call.outcome)?;
    let edge = |operand, ty, before, after| {
        Some(Edge { op: call.op, operand, ty, before, outcome, after })
    };
    let mut operands = (0..).zip(&call.slots);
    if let Some((operand, slot)) = operands.find(|(_, slot): &(u32, &Slot)| slot.object.is_some()) {
        let before = slot.before.as_ref().map_or(EdgeEnd::Unseen, |it| EdgeEnd::State(it.id));
        let after = match &slot.after {
            Some(state) => EdgeEnd::State(state.id),
            // A lender that is locked is still there.
            None if call.outcome.returned() && !slot.mode.consumes() => EdgeEnd::Unseen,
            None => EdgeEnd::Absent,
        };
        return edge(Some(operand), Some(slot.ty), before, after);
    }
    let made = call.made.first();
    let after = match made.map(|made| made.state.as_ref()) {
        Some(Some(state)) => EdgeEnd::State(state.id),
        Some(None) => EdgeEnd::Unseen,
        None => EdgeEnd::Absent,
    };
    edge(None, made.map(|made| made.ty), EdgeEnd::Absent, after)
}

#[cfg(test)]
mod tests {
    use gainsay_wire::TypeId;

    use super::*;

    const OP: OpId = OpId(2);

    fn edge(before: u64, after: u64) -> Edge {
        Edge {
            op: OP,
            operand: Some(0),
            ty: Some(TypeId(0)),
            before: EdgeEnd::State(StateId(before)),
            outcome: OutcomeClass::Returned,
            after: EdgeEnd::State(StateId(after)),
        }
    }

    fn counters(states: u64) -> EdgeCounters {
        let mut counters = EdgeCounters::default();
        (0..states).for_each(|state| counters.note_told_state(StateId(state)));
        counters
    }

    #[test]
    fn what_was_seen_in_an_epoch_is_told_once_in_the_order_in_which_it_was_seen() {
        let mut counters = counters(9);
        for (before, after) in [(5, 6), (1, 1), (5, 6)] {
            counters.count_edge(edge(before, after));
        }
        let count = |edge, count| EdgeCount { edge, count };
        assert_eq!(counters.take_counts(), [count(edge(5, 6), 2), count(edge(1, 1), 1)]);
        counters.count_edge(edge(1, 1));
        assert_eq!(counters.take_counts(), [count(edge(1, 1), 1)]);
        assert_eq!(counters.take_counts(), []);
    }

    #[test]
    fn counts_of_an_epoch_that_was_not_told_of_are_forgotten() {
        let mut counters = counters(9);
        counters.count_edge(edge(1, 2));
        counters.begin_epoch();
        counters.count_edge(edge(1, 2));
        assert_eq!(counters.take_counts(), [EdgeCount { edge: edge(1, 2), count: 1 }]);
    }

    #[test]
    fn states_that_were_not_told_are_among_the_rest_and_calls_on_them_still_count() {
        let mut counters = counters(2);
        for (before, after) in [(0, 1), (7, 7), (7, 8), (0, 9), (8, 8)] {
            counters.count_edge(edge(before, after));
        }
        let rest = Edge { before: EdgeEnd::Rest, after: EdgeEnd::Rest, ..edge(0, 0) };
        let unchanged = Edge { after: EdgeEnd::RestUnchanged, ..rest };
        let count = |edge, count| EdgeCount { edge, count };
        let expected = [count(edge(0, 1), 1), count(unchanged, 2), count(rest, 2)];
        assert_eq!(counters.take_counts(), expected);
    }

    #[test]
    fn a_worker_that_meets_ever_more_states_holds_and_tells_no_more() {
        let mut counters = counters(1_000_000);
        (0..999_999).for_each(|state| counters.count_edge(edge(state, state + 1)));
        let told = counters.take_counts();
        assert_eq!(told.len(), MOST_EDGES_OF_ONE as usize + 1);
        assert_eq!(counters.counts.len(), told.len());
        assert_eq!(told.iter().map(|counted| counted.count).sum::<u64>(), 999_999);
        assert_eq!(told.last().unwrap().edge.before, EdgeEnd::Rest);
    }
}
