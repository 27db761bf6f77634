//! The ladder of attempts at a goal: stored objects that are there already, then objects that
//! one recorded transition may bring there, then combinations of objects never looked at
//! together.

use std::{rc::Rc, time::Instant};

use gainsay_model::{contract::Via, event::Event};
use gainsay_store::{Bound, Found, Spread, TransitionUse, Tuple, Wanted};
use gainsay_wire::{Arg, Expr, ObjRef, OpId, Sequence, Step, Term, Truth};

use crate::{
    Context, RefuteError, asks,
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
    let mut climb = Climb::default();
    let found = remembered(context, range, goal)?;
    climb.blind = !found.unsearchable.is_empty();
    climb.hurried = found.gave_up;
    climb.hits = first_rung(context, range, goal)?;
    if climb.hits.is_empty() && range.reach == Reach::Far {
        climb.hits = by_transition(context, range, goal)?;
        if climb.hits.is_empty() && asks::evaluate_relations(context, range, goal)? {
            let found = search(context, range, goal, &goal.predicate(), context.limits.tuples)?;
            let sequences = found.tuples.iter().map(|tuple| tuple.call(goal.op)).collect();
            climb.hits = shoot(context, range, goal, sequences, Via::NewTuple)?;
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
) -> Result<Vec<Hit>, RefuteError> {
    let sequences = first_calls(context, range, goal)?;
    shoot(context, range, goal, sequences, Via::Objects)
}

/// Runs the first rungs of many goals at once, so that all workers have something to do. The
/// range remembers what came of them.
pub(crate) fn prefetch(
    context: &mut Context<'_>,
    range: &mut Range,
    goals: &[Goal],
) -> Result<(), RefuteError> {
    let mut sequences = Vec::new();
    for goal in goals {
        if !context.cancel.is_cancelled() {
            sequences.extend(first_calls(context, range, goal)?);
        }
    }
    range.run(context, sequences)?;
    Ok(())
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
fn remembered(
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
    range.effort.searching += began.elapsed();
    if found.gave_up {
        (context.on_event)(Event::Degraded("a search took too long and was given up".to_owned()));
    }
    Ok(found)
}

/// Runs sequences; keeps those before whose last call the goal really held.
fn shoot(
    context: &mut Context<'_>,
    range: &mut Range,
    goal: &Goal,
    sequences: Vec<Sequence>,
    via: Via,
) -> Result<Vec<Hit>, RefuteError> {
    let shots = range.run(context, sequences)?;
    let predicate = goal.predicate();
    let manifest = context.manifest;
    let mut hit = |shot: &Shot| {
        shot.made().is_some_and(|call| range.truth(manifest, &predicate, call) == Truth::True)
    };
    let hits = shots.into_iter().filter(|(_, shot)| hit(shot));
    Ok(hits.map(|(sequence, shot)| Hit { sequence, shot, via }).collect())
}

/// Drops one clause at a time, and lets a transition that was seen to make it true do so.
fn by_transition(
    context: &mut Context<'_>,
    range: &mut Range,
    goal: &Goal,
) -> Result<Vec<Hit>, RefuteError> {
    for dropped in 0..goal.clauses.len() {
        let clause = &goal.clauses[dropped];
        let began = Instant::now();
        let uses = context.store.transitions(goal.op, clause, context.limits.transitions)?;
        range.effort.searching += began.elapsed();
        if uses.is_empty() {
            continue;
        }
        let mut kept = goal.clauses.clone();
        kept.remove(dropped);
        // States after the transition are new whatever they were before.
        let near = Goal { op: goal.op, clauses: kept, spread: Spread::Any };
        let found = remembered(context, range, &near)?;
        let sequences = combined(goal.op, &found.tuples, &uses, context.limits.tuples);
        let hits = shoot(context, range, goal, sequences, Via::Transition)?;
        if !hits.is_empty() {
            return Ok(hits);
        }
    }
    Ok(Vec::new())
}

/// Tuples followed by transitions and the call: every transition on the first tuple, then on the
/// next.
fn combined(op: OpId, tuples: &[Tuple], uses: &[TransitionUse], limit: usize) -> Vec<Sequence> {
    let pairs = tuples.iter().flat_map(|tuple| uses.iter().map(move |found| (tuple, found)));
    pairs.map(|(tuple, found)| after_transition(op, tuple, found)).take(limit).collect()
}

fn after_transition(op: OpId, tuple: &Tuple, found: &TransitionUse) -> Sequence {
    let (mut sequence, args) = tuple.build();
    let bind = |bound: &Bound| match bound {
        Bound::Variable(operand) => args.get(*operand as usize).cloned(),
        Bound::Plain(value) => Some(Arg::Plain(value.clone())),
        Bound::Object { recipe, at } => {
            let shift = sequence.append(recipe);
            Some(Arg::Object(ObjRef { step: at.step + shift, out: at.out }))
        }
    };
    let bound: Option<Vec<Arg>> = found.args.iter().map(bind).collect();
    if let Some(bound) = bound {
        sequence.steps.push(Step::new(found.op, bound));
    }
    sequence.steps.push(Step::new(op, args));
    sequence
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
