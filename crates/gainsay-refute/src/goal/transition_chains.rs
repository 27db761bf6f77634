//! Objects that are nearly there are brought there: recorded transitions follow each other, up to
//! three, and after each step the clauses that are not its concern must still hold.

use std::{collections::BTreeSet, rc::Rc, time::Instant};

use gainsay_model::contract::Via;
use gainsay_store::{Bound, Spread, TransitionUse, Tuple};
use gainsay_wire::{Arg, ObjRef, OpId, Sequence, Step, Truth};

use crate::{
    Desk,
    error::Halt,
    goal::goal_search::{Climb, Goal, remembered, shoot},
    round_state::{Range, Shot},
};

/// Pairs of clauses that are given up together.
const PAIRS: usize = 6;

/// Objects on their way to a goal, and the operands that they are.
#[derive(Clone)]
struct Way {
    sequence: Sequence,
    args: Vec<Arg>,
}

impl Way {
    fn from(tuple: &Tuple) -> Way {
        let (sequence, args) = tuple.build();
        Way { sequence, args }
    }

    /// With a transition at its end; `None` where that has no operand for it.
    fn then(&self, found: &TransitionUse) -> Option<Way> {
        let Way { mut sequence, args } = self.clone();
        let bind = |bound: &Bound| match bound {
            Bound::Variable(operand) => args.get(*operand as usize).cloned(),
            Bound::Plain(value) => Some(Arg::Plain(value.clone())),
            Bound::Object { recipe, at } => {
                let shift = sequence.append(recipe);
                Some(Arg::Object(ObjRef { step: at.step + shift, out: at.out }))
            }
        };
        let bound: Vec<Arg> = found.args.iter().map(bind).collect::<Option<_>>()?;
        sequence.steps.push(Step::new(found.op, bound));
        Some(Way { sequence, args })
    }

    fn call(&self, op: OpId) -> Sequence {
        let mut sequence = self.sequence.clone();
        sequence.steps.push(Step::new(op, self.args.clone()));
        sequence
    }
}

/// Gives up one clause at a time, two where that leaves nothing, and lets transitions that were
/// seen to make them true do so.
pub(crate) fn by_transitions(
    desk: &mut Desk<'_>,
    range: &mut Range,
    goal: &Goal,
    climb: &mut Climb,
) -> Result<(), Halt> {
    let mut are_near = false;
    for dropped in 0..goal.clauses.len() {
        let gone = remembered_way(desk, range, goal, &[dropped])?;
        are_near |= gone.is_some();
        climb.add(&gone.unwrap_or_default());
        if !climb.hits.is_empty() {
            return Ok(());
        }
    }
    if are_near {
        return Ok(());
    }
    let all = 0..goal.clauses.len();
    let pairs = all.clone().flat_map(|a| all.clone().map(move |b| [a, b]));
    for pair in pairs.filter(|[a, b]| a < b).take(PAIRS) {
        climb.add(&remembered_way(desk, range, goal, &pair)?.unwrap_or_default());
        if !climb.hits.is_empty() {
            break;
        }
    }
    Ok(())
}

/// What going there comes to, or came to before.
fn remembered_way(
    desk: &mut Desk<'_>,
    range: &mut Range,
    goal: &Goal,
    dropped: &[usize],
) -> Result<Option<Rc<Climb>>, Halt> {
    let key = (goal.clone(), dropped.to_vec());
    if let Some(known) = range.ways.get(&key) {
        return Ok(known.clone());
    }
    let gone = go(desk, range, goal, dropped)?.map(Rc::new);
    range.ways.insert(key, gone.clone());
    Ok(gone)
}

/// From tuples that satisfy all but the dropped clauses, step by step. `None` when there are none.
fn go(
    desk: &mut Desk<'_>,
    range: &mut Range,
    goal: &Goal,
    dropped: &[usize],
) -> Result<Option<Climb>, Halt> {
    let clauses = goal.clauses.iter().enumerate();
    let kept = clauses.filter(|(at, _)| !dropped.contains(at)).map(|(_, clause)| clause.clone());
    // States after a transition are new whatever they were before.
    let near = Goal { op: goal.op, clauses: kept.collect(), spread: Spread::Any };
    let found = remembered(desk, range, &near, desk.limits.tuples)?;
    if found.tuples.is_empty() {
        return Ok(None);
    }
    let mut climb = Climb::default();
    let mut ways: Vec<(Way, Vec<usize>)> =
        found.tuples.iter().map(|tuple| (Way::from(tuple), dropped.to_vec())).collect();
    let mut seen = BTreeSet::new();
    for length in 1..=desk.limits.chain {
        let via = if length == 1 { Via::Transition } else { Via::Chain };
        let mut next = steps(desk, range, goal, &ways)?;
        next.retain(|way| seen.insert(way.call(goal.op)));
        next.truncate(desk.limits.tuples);
        if next.is_empty() || desk.cancel.is_cancelled() {
            break;
        }
        let calls = next.iter().map(|way| way.call(goal.op)).collect();
        let shots = shoot(desk, range, goal, (calls, via), &mut climb)?;
        if !climb.hits.is_empty() {
            break;
        }
        ways = nearest(desk, range, goal, dropped, next.into_iter().zip(shots).collect());
    }
    Ok(Some(climb))
}

/// Each way with each transition that may make one of its unmet clauses true: all transitions on
/// the first way, then on the next.
fn steps(
    desk: &mut Desk<'_>,
    range: &mut Range,
    goal: &Goal,
    ways: &[(Way, Vec<usize>)],
) -> Result<Vec<Way>, Halt> {
    let mut next = Vec::new();
    for (way, unmet) in ways {
        if next.len() >= desk.limits.tuples {
            break;
        }
        for clause in unmet {
            let uses = uses(desk, range, goal, *clause)?;
            next.extend(uses.iter().filter_map(|found| way.then(found)));
        }
    }
    Ok(next)
}

/// Transitions that made a clause true, else those that changed what it speaks of.
fn uses(
    desk: &mut Desk<'_>,
    range: &mut Range,
    goal: &Goal,
    clause: usize,
) -> Result<Vec<TransitionUse>, Halt> {
    let clause = &goal.clauses[clause];
    let key = (goal.op, clause.clone());
    if let Some(known) = range.transitions.get(&key) {
        return Ok(known.clone());
    }
    let (began, limit) = (Instant::now(), desk.limits.transitions);
    let mut uses = desk.store.transitions(goal.op, clause, limit)?;
    if uses.is_empty() {
        uses = desk.store.changes(goal.op, clause, limit)?;
    }
    range.searched(began.elapsed());
    range.transitions.insert(key, uses.clone());
    Ok(uses)
}

/// The ways on which all clauses but the dropped ones hold, the nearest to the goal first, with
/// what they lack.
fn nearest(
    desk: &Desk<'_>,
    range: &mut Range,
    goal: &Goal,
    dropped: &[usize],
    tried: Vec<(Way, Shot)>,
) -> Vec<(Way, Vec<usize>)> {
    let mut left = Vec::new();
    for (way, shot) in tried {
        let Some(call) = shot.made() else { continue };
        let truths = goal.clauses.iter().map(|it| range.truth(desk.manifest, it, call));
        let unmet: Vec<usize> = truths
            .enumerate()
            .filter(|(_, truth)| *truth != Truth::True)
            .map(|(at, _)| at)
            .collect();
        if unmet.iter().all(|at| dropped.contains(at)) {
            let lacks = unmet.iter().map(|at| range.lack(desk.manifest, &goal.clauses[*at], call));
            left.push((unmet.len(), lacks.sum::<u64>(), way, unmet));
        }
    }
    left.sort_by_key(|(count, lacks, way, _)| (*count, *lacks, way.sequence.steps.len()));
    left.truncate(desk.limits.beam);
    left.into_iter().map(|(_, _, way, unmet)| (way, unmet)).collect()
}
