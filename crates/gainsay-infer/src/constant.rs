//! Constants, small sets and bounds.

use std::collections::BTreeMap;

use gainsay_model::contract::ContractKind;
use gainsay_wire::{Comparison, Expr, IntegerType, PlainType, Root, Value};

use crate::{
    atom::{Atom, Shape},
    bits::Bits,
    candidate::{Candidate, Family},
    chance::is_justified,
    column::Column,
    scene::Scene,
};

/// The most values of a small set.
const FEW: usize = 3;
/// The fewest rows of each value of a small set.
const OFTEN: usize = 5;

/// Columns that hold one value, few values, or never pass a bound.
pub(crate) fn candidates(scene: &Scene<'_>, kind: ContractKind) -> Vec<Candidate> {
    let subjects = scene.subjects(kind);
    let one = |at: usize| {
        let column = scene.column(at);
        constant(scene, kind, column)
            .or_else(|| bound(scene, kind, column, subjects.len()))
            .or_else(|| one_of(scene, kind, column))
    };
    subjects.iter().filter_map(|at| one(*at)).collect()
}

fn constant(scene: &Scene<'_>, kind: ContractKind, column: &Column<'_>) -> Option<Candidate> {
    let value = column.sample().filter(|value| column.distinct == 1 && is_tellable(value))?;
    let expr = Expr::term(column.term.clone()).equals(Expr::Const(value));
    scene.claim(kind, Family::Constant, expr, &column.known)
}

/// Whether a reader learns anything from the value. Truth values have their own family.
fn is_tellable(value: &Value) -> bool {
    matches!(
        value,
        Value::Int(_) | Value::Elem(_) | Value::Str(_) | Value::Char(_) | Value::Order(_)
    )
}

/// Only bounds that a programmer would write, and never what the type guarantees.
fn bound(
    scene: &Scene<'_>,
    kind: ContractKind,
    column: &Column<'_>,
    tried: usize,
) -> Option<Candidate> {
    let ints = column.ints()?;
    let values = || column.known.rows().map(|row| ints[row]);
    let (least, most) = (values().min()?, values().max()?);
    let integer = scene.plain_type(&column.term).and_then(PlainType::as_integer);
    let signed = integer.is_some_and(IntegerType::is_signed);
    let (op, limit) = match (least, most) {
        (1, _) => (Comparison::Ge, 1),
        (0, _) if signed => (Comparison::Ge, 0),
        (_, -1) => (Comparison::Lt, 0),
        (_, 0) => (Comparison::Le, 0),
        _ => return None,
    };
    let halved = -std::f64::consts::LN_2 * column.known.count() as f64;
    if column.distinct < 3 || !is_justified(scene.options, halved, tried) {
        return None;
    }
    let expr = Expr::term(column.term.clone()).compare(op, Expr::int(limit));
    scene.claim(kind, Family::Bound, expr, &column.known)
}

fn one_of(scene: &Scene<'_>, kind: ContractKind, column: &Column<'_>) -> Option<Candidate> {
    column.ints()?;
    let is_result = column.term.root == Root::Result;
    if !is_result || column.distinct > FEW || scene.options.is_given() {
        return None;
    }
    let counts = column.value_counts(FEW);
    if counts.values().any(|count| *count < OFTEN) {
        return None;
    }
    let is = |value: &i128| Expr::term(column.term.clone()).equals(Expr::int(*value));
    let expr = Expr::Or(counts.keys().map(is).collect());
    scene.claim(kind, Family::OneOf, expr, &column.known)
}

/// `x == 0`, as a condition.
pub(crate) fn zero_atom(column: &Column<'_>) -> Option<Atom> {
    let ints = column.ints()?;
    let yes = Bits::from_fn(ints.len(), |row| ints[row] == 0).and(&column.known);
    let expr = Expr::term(column.term.clone()).equals(Expr::int(0));
    Some(Atom::new(expr, yes, column.known.clone(), Shape::Zero, &column.term))
}

/// `result == c` for the values that the result takes most often.
pub(crate) fn result_atoms(scene: &Scene<'_>) -> Vec<Atom> {
    let all = (0..scene.table.columns.len()).filter(|at| !scene.is_explained(*at));
    let results = all.filter(|at| scene.column(*at).term.root == Root::Result);
    results.flat_map(|at| value_atoms(scene.column(at), scene.options.min_at_risk())).collect()
}

fn value_atoms(column: &Column<'_>, least: usize) -> Vec<Atom> {
    if column.bools().is_some() || !column.sample().is_some_and(|value| is_tellable(&value)) {
        return Vec::new();
    }
    let mut counts: BTreeMap<Value, usize> = BTreeMap::new();
    for row in column.known.rows() {
        *counts.entry(column.value(row)).or_default() += 1;
    }
    let mut common: Vec<(Value, usize)> = counts
        .into_iter()
        .filter(|(value, count)| *count >= least || *value == Value::Int(-1))
        .collect();
    common.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    common.truncate(FEW);
    let is = |(value, _): (Value, usize)| {
        let yes = Bits::from_fn(column.known_len(), |row| column.value(row) == value);
        let expr = Expr::term(column.term.clone()).equals(Expr::Const(value));
        Atom::new(expr, yes, column.known.clone(), Shape::Constant, &column.term)
    };
    common.into_iter().map(is).collect()
}
