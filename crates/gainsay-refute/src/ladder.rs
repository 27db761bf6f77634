//! The ladder of attempts at a goal: stored objects that are there already, then objects that
//! recorded transitions may bring there, then combinations of objects never looked at together.

use std::{rc::Rc, time::Instant};

use gainsay_model::{contract::Via, event::Event};
use gainsay_store::{Found, Spread, Wanted};
use gainsay_wire::{Expr, OpId, Sequence, Term, Truth};

use crate::{
    Context, RefuteError, asks,
    chains::by_transitions,
    range::{Range, Reach, Shot},
};

/// What must hold of the operands before the call.
#[derive(Clone, Debug)]
pub(crate) struct Goal {
    pub(crate) op: OpId,
    pub(crate) clauses: Vec<Expr>,
    pub(crate) spread: Spread,
}

/// A call before which the goal really held.
#[derive(Debug)]
pub(crate) struct Hit {
    pub(crate) sequence: Sequence,
    pub(crate) shot: Shot,
    pub(crate) via: Via,
}

/// What climbing the ladder came to.
#[derive(Debug, Default)]
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
    context: &mut Context<'_>,
    range: &mut Range,
    goal: &Goal,
) -> Result<Climb, RefuteError> {
    let mut climb = first_rung(context, range, goal)?;
    if climb.hits.is_empty() && range.reach == Reach::Far {
        by_transitions(context, range, goal, &mut climb)?;
        if climb.hits.is_empty() && asks::evaluate_relations(context, range, goal)? {
            let found = search(context, range, goal, &goal.predicate(), context.limits.tuples)?;
            let sequences = found.tuples.iter().map(|tuple| tuple.call(goal.op)).collect();
            shoot(context, range, goal, (sequences, Via::NewTuple), &mut climb)?;
        }
    }
    climb.hurried |= context.cancel.is_cancelled();
    Ok(climb)
}

/// Only the first rung: stored objects as they are.
pub(crate) fn first_rung(
    context: &mut Context<'_>,
    range: &mut Range,
    goal: &Goal,
) -> Result<Climb, RefuteError> {
    let found = remembered(context, range, goal)?;
    let (blind, hurried) = (!found.unsearchable.is_empty(), found.gave_up);
    let mut climb = Climb { blind, hurried, ..Climb::default() };
    let sequences = first_calls(context, range, goal)?;
    shoot(context, range, goal, (sequences, Via::Objects), &mut climb)?;
    Ok(climb)
}

/// The calls of the first rungs of goals.
pub(crate) fn first_calls_of(
    context: &mut Context<'_>,
    range: &mut Range,
    goals: &[Goal],
) -> Result<Vec<Sequence>, RefuteError> {
    let mut sequences = Vec::new();
    for goal in goals {
        if !context.cancel.is_cancelled() {
            sequences.extend(first_calls(context, range, goal)?);
        }
    }
    Ok(sequences)
}

/// Calls on stored objects that satisfy a goal.
fn first_calls(
    context: &mut Context<'_>,
    range: &mut Range,
    goal: &Goal,
) -> Result<Vec<Sequence>, RefuteError> {
    let limit = match range.reach {
        Reach::Near => context.limits.first_tuples,
        Reach::Far => context.limits.tuples,
    };
    let found = remembered(context, range, goal)?;
    Ok(found.tuples.iter().take(limit).map(|tuple| tuple.call(goal.op)).collect())
}

/// What a search for the goal finds, or found before.
pub(crate) fn remembered(
    context: &mut Context<'_>,
    range: &mut Range,
    goal: &Goal,
) -> Result<Rc<Found>, RefuteError> {
    let limit = context.limits.tuples;
    let key = (goal.op, goal.predicate(), goal.spread, limit);
    if let Some(found) = range.searches.get(&key) {
        return Ok(Rc::clone(found));
    }
    let found = Rc::new(search(context, range, goal, &key.1, limit)?);
    range.searches.insert(key, Rc::clone(&found));
    Ok(found)
}

pub(crate) fn search(
    context: &mut Context<'_>,
    range: &mut Range,
    goal: &Goal,
    predicate: &Expr,
    limit: usize,
) -> Result<Found, RefuteError> {
    let began = Instant::now();
    let patience = context.limits.search;
    let wanted = Wanted { op: goal.op, predicate, limit, patience, spread: goal.spread };
    let found = context.store.tuples(&wanted)?;
    range.searched(began.elapsed());
    if found.gave_up {
        (context.on_event)(Event::Degraded("a search took too long and was given up".to_owned()));
    }
    Ok(found)
}

/// Runs sequences that end in the call; those before which the goal really held are hits. Returns
/// what came of each.
pub(crate) fn shoot(
    context: &mut Context<'_>,
    range: &mut Range,
    goal: &Goal,
    (sequences, via): (Vec<Sequence>, Via),
    climb: &mut Climb,
) -> Result<Vec<Shot>, RefuteError> {
    let shots = range.run(context, sequences)?;
    let manifest = context.manifest;
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
