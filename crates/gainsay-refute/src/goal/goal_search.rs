//! The ladder of attempts at a goal: stored objects that are there already, then objects that
//! recorded transitions may bring there, then combinations of objects never looked at together.

use std::{rc::Rc, time::Instant};

use gainsay_model::{
    contract::Via,
    event::{Degradation, Event},
};
use gainsay_store::{Found, Spread, Wanted};
use gainsay_wire::{Expr, OpId, Sequence, Term, Truth};

use crate::{
    Desk,
    error::Halt,
    goal::relation_queries,
    goal::transition_chains::by_transitions,
    round_state::{Range, Reach, Shot},
};

/// What must hold of the operands before the call.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Goal {
    pub(crate) op: OpId,
    pub(crate) clauses: Vec<Expr>,
    pub(crate) spread: Spread,
}

/// A call before which the goal really held.
#[derive(Clone, Debug)]
pub(crate) struct Hit {
    pub(crate) sequence: Sequence,
    pub(crate) shot: Shot,
    pub(crate) via: Via,
}

/// What climbing the ladder came to.
#[derive(Clone, Debug, Default)]
pub(crate) struct Climb {
    /// The hits of the first rung that had any.
    pub(crate) hits: Vec<Hit>,
    /// Calls that were made on the way.
    pub(crate) made: u64,
    /// How many clauses did not hold on the call that came nearest.
    pub(crate) unmet: Option<u64>,
    /// Whether some clause could not be searched for.
    pub(crate) blind: bool,
    /// Whether time ran out on the way.
    pub(crate) hurried: bool,
}

impl Climb {
    /// Takes in what was tried besides.
    pub(crate) fn add(&mut self, more: &Climb) {
        self.hits.extend(more.hits.iter().cloned());
        self.made += more.made;
        self.unmet = [self.unmet, more.unmet].into_iter().flatten().min();
    }
}

impl Goal {
    pub(crate) fn new(op: OpId, clauses: &[Expr]) -> Goal {
        let clauses = clauses.iter().flat_map(Expr::clauses).collect();
        Goal { op, clauses, spread: Spread::Any }
    }

    /// Only in states in which the operation was never called.
    pub(crate) fn where_never_called(mut self) -> Goal {
        self.spread = Spread::NeverCalled;
        self
    }

    fn predicate(&self) -> Expr {
        Expr::And(self.clauses.clone())
    }
}

/// Tries one rung after the other until the goal is hit; from near only the first.
pub(crate) fn climb(
    desk: &mut Desk<'_>,
    range: &mut Range,
    goal: &Goal,
) -> Result<Rc<Climb>, Halt> {
    let key = (goal.clone(), range.reach);
    if let Some(known) = range.climbs.get(&key) {
        return Ok(Rc::clone(known));
    }
    let mut climb = Climb::clone(&*first_rung(desk, range, goal)?);
    if climb.hits.is_empty() && range.reach == Reach::Far {
        by_transitions(desk, range, goal, &mut climb)?;
        if climb.hits.is_empty() && relation_queries::evaluate_relations(desk, range, goal)? {
            let found = searched_again(desk, range, goal)?;
            let sequences = found.tuples.iter().map(|tuple| tuple.call(goal.op)).collect();
            shoot(desk, range, goal, (sequences, Via::NewTuple), &mut climb)?;
        }
    }
    climb.hurried |= desk.cancel.is_cancelled();
    let climb = Rc::new(climb);
    range.climbs.insert(key, Rc::clone(&climb));
    Ok(climb)
}

/// Only the first rung: stored objects as they are.
pub(crate) fn first_rung(
    desk: &mut Desk<'_>,
    range: &mut Range,
    goal: &Goal,
) -> Result<Rc<Climb>, Halt> {
    let most = match range.reach {
        Reach::Near => desk.limits.first_tuples,
        Reach::Far => desk.limits.tuples,
    };
    first_of(desk, range, goal, (most, Via::Objects))
}

/// The first rung with at most so many tuples, and the word for how they are come by.
pub(crate) fn first_of(
    desk: &mut Desk<'_>,
    range: &mut Range,
    goal: &Goal,
    (most, via): (usize, Via),
) -> Result<Rc<Climb>, Halt> {
    let key = (goal.clone(), most, via);
    if let Some(known) = range.first_rungs.get(&key) {
        return Ok(Rc::clone(known));
    }
    let found = remembered(desk, range, goal, desk.limits.tuples)?;
    let (blind, hurried) = (!found.unsearchable.is_empty(), found.gave_up);
    let mut climb = Climb { blind, hurried, ..Climb::default() };
    let sequences = some_of(&found.tuples, most).map(|tuple| tuple.call(goal.op)).collect();
    shoot(desk, range, goal, (sequences, via), &mut climb)?;
    let climb = Rc::new(climb);
    range.first_rungs.insert(key, Rc::clone(&climb));
    Ok(climb)
}

/// At most so many of what was found: one half from the beginning, where recipes are shortest, the
/// other spread over the rest up to the end. The shortest alone would all be young objects, to
/// which little has happened.
fn some_of<T>(found: &[T], most: usize) -> impl Iterator<Item = &T> {
    let (first, rest) = found.split_at(found.len().min(most.div_ceil(2)));
    let wanted = rest.len().min(most - most.div_ceil(2));
    let spread = (1..=wanted).map(move |nth| &rest[nth * rest.len() / wanted - 1]);
    first.iter().chain(spread)
}

/// What the same search finds now that relations were evaluated for it.
fn searched_again(desk: &mut Desk<'_>, range: &mut Range, goal: &Goal) -> Result<Rc<Found>, Halt> {
    let key = (goal.op, goal.predicate());
    if let Some(found) = range.after_asking.get(&key) {
        return Ok(Rc::clone(found));
    }
    let limit = desk.limits.tuples;
    let found = Rc::new(search(desk, range, goal, &key.1, limit)?);
    range.after_asking.insert(key, Rc::clone(&found));
    Ok(found)
}

/// What a search for the goal finds, or found before.
pub(crate) fn remembered(
    desk: &mut Desk<'_>,
    range: &mut Range,
    goal: &Goal,
    limit: usize,
) -> Result<Rc<Found>, Halt> {
    let key = (goal.op, goal.predicate(), goal.spread, limit);
    if let Some(found) = range.searches.get(&key) {
        return Ok(Rc::clone(found));
    }
    let found = Rc::new(search(desk, range, goal, &key.1, limit)?);
    range.searches.insert(key, Rc::clone(&found));
    Ok(found)
}

pub(crate) fn search(
    desk: &mut Desk<'_>,
    range: &mut Range,
    goal: &Goal,
    predicate: &Expr,
    limit: usize,
) -> Result<Found, Halt> {
    let began = Instant::now();
    let patience = desk.limits.search;
    let wanted = Wanted { op: goal.op, predicate, limit, patience, spread: goal.spread };
    let found = desk.store.tuples(&wanted)?;
    range.searched(began.elapsed());
    if found.gave_up {
        (desk.on_event)(Event::Degraded(Degradation::SearchGivenUp));
    }
    Ok(found)
}

/// Runs sequences that end in the call; those before which the goal really held are hits. Returns
/// what came of each.
pub(crate) fn shoot(
    desk: &mut Desk<'_>,
    range: &mut Range,
    goal: &Goal,
    (sequences, via): (Vec<Sequence>, Via),
    climb: &mut Climb,
) -> Result<Vec<Shot>, Halt> {
    let shots = range.run(desk, sequences)?;
    let manifest = desk.manifest;
    let mut results = Vec::new();
    for (sequence, shot) in shots {
        if let Some(call) = shot.made() {
            let truths = goal.clauses.iter().map(|it| range.truth(manifest, it, call));
            let unmet = truths.filter(|truth| *truth != Truth::True).count() as u64;
            climb.made += 1;
            climb.unmet = Some(climb.unmet.map_or(unmet, |least| least.min(unmet)));
            if unmet == 0 {
                climb.hits.push(Hit { sequence, shot: shot.clone(), via });
            }
        }
        results.push(shot);
    }
    Ok(results)
}

/// Whether a clause has a term that asks one object about another.
pub(crate) fn relations(clause: &Expr) -> Vec<Term> {
    let mut terms = Vec::new();
    clause.each_term(&mut |term| {
        if term.with.is_some() {
            terms.push(term.clone());
        }
    });
    terms
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_choice_has_the_first_and_some_of_the_others_up_to_the_last() {
        let check = |all: u32, most, expected: &[u32]| {
            let found: Vec<u32> = (1..=all).collect();
            let chosen: Vec<u32> = some_of(&found, most).copied().collect();
            assert_eq!(chosen, expected, "{most} of {all}");
        };
        check(45, 6, &[1, 2, 3, 17, 31, 45]);
        check(7, 6, &[1, 2, 3, 4, 5, 7]);
        check(5, 6, &[1, 2, 3, 4, 5]);
        check(9, 1, &[1]);
        check(0, 6, &[]);
        check(3, 0, &[]);
    }
}
