//! Truth values: boolean queries and relations, and tests of options and results.

use gainsay_model::contract::ContractKind;
use gainsay_wire::{Expr, Test, Value};

use crate::{
    atom::{Atom, Shape},
    bits::Bits,
    candidate::{Candidate, Family},
    column::Column,
    scene::Scene,
};

/// The atom of a column that has a truth value to tell.
pub(crate) fn atom(column: &Column<'_>) -> Option<Atom> {
    let term = Expr::term(column.term.clone());
    if let Some(bits) = column.bools() {
        let yes = bits.and(&column.known);
        return Some(Atom::new(term, yes, column.known.clone(), Shape::Boolean, &column.term));
    }
    let (_, values) = column.values()?;
    let (test, holds): (Test, fn(&Value) -> bool) = match column.sample()? {
        Value::Opt(_) => (Test::IsNone, |value| matches!(value, Value::Opt(None))),
        Value::Res(..) => (Test::IsErr, |value| matches!(value, Value::Res(false, _))),
        _ => return None,
    };
    let yes = Bits::from_fn(values.len(), |row| holds(values[row]));
    let expr = Expr::Test(test, Box::new(term));
    let shape = if column.term.with.is_some() { Shape::TestOnOther } else { Shape::Test };
    Some(Atom::new(expr, yes, column.known.clone(), shape, &column.term))
}

/// Truth values that are the same on all passing calls.
pub(crate) fn candidates(scene: &Scene<'_>, kind: ContractKind) -> Vec<Candidate> {
    let mut found = Vec::new();
    for at in scene.subjects(kind) {
        let Some(atom) = atom(scene.column(at)) else { continue };
        let held = scene.always(kind, Family::Boolean, &atom);
        found.extend(held.or_else(|| scene.always(kind, Family::Boolean, &atom.negated())));
    }
    found
}
