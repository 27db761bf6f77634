//! States in which a claim is nearest to being false. What holds after a call is read as if it were
//! about the state before it: where it is false or barely true there, the call has the least to do to
//! make it false.

use std::{sync::Arc, time::Instant};

use gainsay_model::contract::Via;
use gainsay_store::{Operand, Tuple, Views};
use gainsay_wire::{Expr, Root, Scope, Term, Truth, Value, When, truth};

use crate::{
    Desk,
    error::Halt,
    goal::distance::margin,
    goal::goal_search::{Climb, Goal, remembered, shoot},
    round_state::{Range, Reach},
};

/// Calls in the states that satisfy a goal and in which a claim is nearest to being false.
pub(crate) fn near_the_border(
    desk: &mut Desk<'_>,
    range: &mut Range,
    goal: &Goal,
    claim: &Expr,
) -> Result<Climb, Halt> {
    let mut climb = Climb::default();
    let Some(claim) = before(claim) else { return Ok(climb) };
    let most = match range.reach {
        Reach::Near => desk.limits.nearest_tuples / 2,
        Reach::Far => desk.limits.nearest_tuples,
    };
    let key = (goal.clone(), claim, most);
    if !range.nearest.contains_key(&key) {
        let found = remembered(desk, range, goal, desk.limits.wide_tuples)?;
        let began = Instant::now();
        let nearest = nearest(desk, &key.1, &found.tuples, most)?;
        range.searched(began.elapsed());
        let calls = nearest.iter().map(|tuple| tuple.call(goal.op)).collect();
        range.nearest.insert(key.clone(), calls);
    }
    let calls = range.nearest.get(&key).cloned().unwrap_or_default();
    shoot(desk, range, goal, (calls, Via::Nearest), &mut climb)?;
    Ok(climb)
}

/// The tuples in which a claim about the state before the call comes nearest, at most so many; none
/// where that cannot be told, or is the same for many.
fn nearest<'t>(
    desk: &Desk<'_>,
    claim: &Expr,
    tuples: &'t [Tuple],
    most: usize,
) -> Result<Vec<&'t Tuple>, Halt> {
    let mut measured = Vec::new();
    for tuple in tuples {
        let seen = Seen::of(desk, tuple)?;
        measured.extend(distance(claim, &seen).map(|far| (far, tuple)));
    }
    measured.sort_by_key(|(far, _)| *far);
    let are_alike = measured.first().map(|(far, _)| far) == measured.last().map(|(far, _)| far);
    if are_alike && measured.len() > most {
        return Ok(Vec::new());
    }
    Ok(measured.into_iter().take(most).map(|(_, tuple)| tuple).collect())
}

/// The claim about the state before the call; `None` if it speaks of what only the call brings, or
/// of nothing that the call may change.
fn before(claim: &Expr) -> Option<Expr> {
    let (mut is_known, mut changes) = (true, false);
    claim.each_term(&mut |term| {
        is_known &= matches!(term.root, Root::Operand(_)) && term.with.is_none();
        changes |= term.when == When::After && term.query.is_some();
    });
    let at_entry = |term: &Term| Term { when: When::Before, ..term.clone() };
    (is_known && changes).then(|| claim.map_terms(&at_entry))
}

/// Nothing where the claim is false already.
fn distance(claim: &Expr, seen: &Seen<'_>) -> Option<u64> {
    match truth(claim, seen) {
        Truth::False => Some(0),
        Truth::True => margin(claim, seen),
        Truth::Undefined => None,
    }
}

/// What is known of a tuple before its call.
struct Seen<'t> {
    operands: Vec<Known<'t>>,
}

enum Known<'t> {
    Value(&'t Value),
    Views(Arc<Views>),
}

impl<'t> Seen<'t> {
    fn of(desk: &Desk<'_>, tuple: &'t Tuple) -> Result<Seen<'t>, Halt> {
        let known = |operand: &'t Operand| match operand {
            Operand::Plain(value) => Ok(Known::Value(value)),
            Operand::Object(object) => desk.store.views(object).map(Known::Views),
        };
        let operands = tuple.operands.iter().map(known).collect::<Result<_, _>>()?;
        Ok(Seen { operands })
    }
}

impl Scope for Seen<'_> {
    fn value(&self, term: &Term) -> &Value {
        let Root::Operand(at) = term.root else { return &Value::Undefined };
        let known = match (self.operands.get(at as usize), &term.query) {
            (Some(Known::Value(value)), None) => Some(*value),
            (Some(Known::Views(views)), Some(query)) => {
                views.iter().find(|(name, _)| name == query).map(|(_, value)| value)
            }
            _ => None,
        };
        known.unwrap_or(&Value::Undefined)
    }
}
