//! States in which a claim is nearest to being false. What holds after a call is read as if it were
//! about the state before it: where it is false or barely true there, the call has the least to do to
//! make it false.

use gainsay_store::Tuple;
use gainsay_wire::{Expr, Root, Scope, Term, Truth, Value, When, truth};

use crate::{Desk, closest::margin, error::Halt};

/// The tuples in which a claim comes nearest, at most so many; none where that cannot be told, or is
/// the same for many.
pub(crate) fn nearest<'t>(
    desk: &Desk<'_>,
    claim: &Expr,
    tuples: &'t [Tuple],
    most: usize,
) -> Result<Vec<&'t Tuple>, Halt> {
    let Some(claim) = before(claim) else { return Ok(Vec::new()) };
    let mut measured = Vec::new();
    for tuple in tuples {
        let seen = Seen::of(desk, tuple)?;
        measured.extend(distance(&claim, &seen).map(|far| (far, tuple)));
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
fn distance(claim: &Expr, seen: &Seen) -> Option<u64> {
    match truth(claim, seen) {
        Truth::False => Some(0),
        Truth::True => margin(claim, seen),
        Truth::Undefined => None,
    }
}

/// What is known of a tuple before its call.
struct Seen {
    values: Vec<(Term, Value)>,
}

impl Seen {
    fn of(desk: &Desk<'_>, tuple: &Tuple) -> Result<Seen, Halt> {
        let mut values = Vec::new();
        for (at, operand) in (0..).zip(&tuple.operands) {
            match operand {
                gainsay_store::Operand::Plain(value) => {
                    values.push((Term::operand(at), value.clone()));
                }
                gainsay_store::Operand::Object(object) => {
                    let views = desk.store.views(object)?;
                    let term = |query: &str| Term::query(When::Before, at, query);
                    values.extend(views.iter().map(|(query, value)| (term(query), value.clone())));
                }
            }
        }
        Ok(Seen { values })
    }
}

impl Scope for Seen {
    fn value(&self, term: &Term) -> &Value {
        let known = self.values.iter().find(|(of, _)| of == term);
        known.map_or(&Value::Undefined, |(_, value)| value)
    }
}
