//! Answers of the store to searches, each asked for once.

use std::{
    collections::BTreeMap,
    rc::Rc,
    time::{Duration, Instant},
};

use gainsay_model::event::{Degradation, Event};
use gainsay_store::{Found, Spread, StoreError, TransitionUse, Tuple, Wanted};
use gainsay_wire::{Expr, OpId};

use crate::{context::SearchContext, goal::Goal};

/// The subject of a search. The order of fields is the order in which results are listed.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct SearchKey {
    op: OpId,
    predicate: Expr,
    spread: Spread,
    // A search for fewer tuples is another search: it may find others, since repeats of a state are
    // filled in last.
    limit: usize,
}

/// Answers of the store. They stay as they were first given, although the store grows meanwhile: a
/// goal that several callers share must come to the same for each of them.
#[derive(Debug, Default)]
pub(crate) struct StoreCache {
    found: BTreeMap<SearchKey, Rc<Found>>,
    /// Transitions that may make a clause true.
    transitions: BTreeMap<(OpId, Expr), Rc<Vec<TransitionUse>>>,
    time: Duration,
}

impl StoreCache {
    /// Tuples that satisfy a goal, or satisfied it when they were first searched for.
    pub(crate) fn find_tuples(
        &mut self,
        context: &mut SearchContext<'_>,
        goal: &Goal,
        limit: usize,
    ) -> Result<Rc<Found>, StoreError> {
        let (op, predicate, spread) = (goal.op, goal.to_predicate(), goal.spread);
        let key = SearchKey { op, predicate, spread, limit };
        if let Some(found) = self.found.get(&key) {
            return Ok(Rc::clone(found));
        }
        let wanted = Wanted {
            op,
            predicate: &key.predicate,
            limit,
            patience: context.limits.patience,
            spread,
        };
        let found = Rc::new(self.search_store(context, &wanted)?);
        self.found.insert(key, Rc::clone(&found));
        Ok(found)
    }

    /// Tuples that satisfy a predicate now, with all that was recorded since.
    pub(crate) fn find_tuples_anew(
        &mut self,
        context: &mut SearchContext<'_>,
        goal: &Goal,
        predicate: &Expr,
        limit: usize,
    ) -> Result<Found, StoreError> {
        let (op, spread) = (goal.op, goal.spread);
        let patience = context.limits.patience;
        self.search_store(context, &Wanted { op, predicate, limit, patience, spread })
    }

    fn search_store(
        &mut self,
        context: &mut SearchContext<'_>,
        wanted: &Wanted<'_>,
    ) -> Result<Found, StoreError> {
        let began = Instant::now();
        let found = context.store.find_tuples(wanted)?;
        self.time += began.elapsed();
        // A degradation and no failure: the goal counts as cut short, and the answer is kept, since the
        // search would take as long again.
        if found.gave_up {
            (context.on_event)(Event::Degraded(Degradation::SearchGivenUp));
        }
        Ok(found)
    }

    /// Transitions that made a clause true, else those that changed a term of it.
    pub(crate) fn find_transitions(
        &mut self,
        context: &SearchContext<'_>,
        op: OpId,
        clause: &Expr,
    ) -> Result<Rc<Vec<TransitionUse>>, StoreError> {
        let key = (op, clause.clone());
        if let Some(known) = self.transitions.get(&key) {
            return Ok(Rc::clone(known));
        }
        let (began, limit) = (Instant::now(), context.limits.transitions);
        let mut uses = context.store.find_transitions(op, clause, limit)?;
        // A number that has to grow far is made true by no single transition, but by several that each
        // change it.
        if uses.is_empty() {
            uses = context.store.find_changes(op, clause, limit)?;
        }
        self.time += began.elapsed();
        let uses = Rc::new(uses);
        self.transitions.insert(key, Rc::clone(&uses));
        Ok(uses)
    }

    /// Counts time that was spent on what the store answered.
    pub(crate) fn add_time(&mut self, time: Duration) {
        self.time += time;
    }

    /// Time spent searching so far.
    pub(crate) fn total_time(&self) -> Duration {
        self.time
    }

    /// The tuples of each search for an operation.
    pub(crate) fn list_found(&self, op: OpId) -> impl Iterator<Item = &[Tuple]> {
        let of_op = self.found.iter().filter(move |(key, _)| key.op == op);
        of_op.map(|(_, found)| &found.tuples[..])
    }
}
