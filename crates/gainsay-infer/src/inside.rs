//! What is inside an option or a result: `self.get(key) == Some(value)`, or
//! `result.is_some() ==> result.unwrap() == key`.

use gainsay_model::contract::ContractKind;
use gainsay_wire::{Expr, Root, Test, Value, When};

use crate::{
    atom::{Atom, Shape, weight},
    bits::Bits,
    candidate::{Candidate, Family},
    chance::{is_justified, ln_same},
    column::Column,
    scene::Scene,
};

const POST: ContractKind = ContractKind::Postcondition;

/// Views and results that always hold the same thing when they hold one.
pub(crate) fn candidates(scene: &Scene<'_>) -> Vec<Candidate> {
    let targets = targets(scene);
    let tried = targets.iter().map(|at| sources(scene, *at).len()).sum();
    let mut found = Vec::new();
    for at in targets {
        let claim = |source| inside(scene, at, source, tried);
        if let Some((claim, always)) = sources(scene, at).into_iter().find_map(claim) {
            if always == Presence::Always {
                scene.explain(at);
            }
            found.push(claim);
        }
    }
    found
}

/// `self.back() == Some(value)` where that holds on some calls, as conditions.
pub(crate) fn atoms(scene: &Scene<'_>) -> Vec<Atom> {
    let mut found = Vec::new();
    for at in targets(scene) {
        let target = scene.column(at);
        for source in sources(scene, at).into_iter().map(|source| scene.column(source)) {
            if source.term.query.is_some() || !matches!(target.sample(), Some(Value::Opt(_))) {
                continue;
            }
            let known = target.known.and(&source.known);
            let yes = agreement(target, source, &known);
            let some = Expr::term(source.term.clone()).some();
            let expr = Expr::term(target.term.clone()).equals(some);
            found.push(Atom::new(expr, yes, known, Shape::Equal, &target.term));
        }
    }
    found
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Presence {
    Always,
    Sometimes,
}

/// Options and results after the call that may hold something.
fn targets(scene: &Scene<'_>) -> Vec<usize> {
    let is_target = |at: &usize| {
        let column = scene.column(*at);
        let open = column.term.when == When::After && !scene.is_explained(*at);
        open && !column.is_constant()
            && column.known.rows().any(|row| content(column, row).is_some())
            && scene.before(*at).is_none_or(|old| !column.always_equals(scene.column(old)))
    };
    (0..scene.table.columns.len()).filter(is_target).collect()
}

/// What may be inside: an argument, and for a result a view.
fn sources(scene: &Scene<'_>, target: usize) -> Vec<usize> {
    let held = scene.column(target);
    let kind = held.known.rows().find_map(|row| content(held, row)).map(Value::kind);
    let fits = |at: &usize| {
        let column = scene.column(*at);
        let allowed = column.term.query.is_none() || held.term.root == Root::Result;
        matches!(column.term.root, Root::Operand(_))
            && allowed
            && column.term.with.is_none()
            && !column.is_constant()
            && column.bools().is_none()
            && column.sample().map(|value| value.kind()) == kind
    };
    let mut sources: Vec<usize> = (0..scene.table.columns.len()).filter(fits).collect();
    sources.sort_by_key(|at| {
        let term = &scene.column(*at).term;
        (term.query.is_some(), term.when == When::After, weight(term), *at)
    });
    sources
}

fn inside(
    scene: &Scene<'_>,
    target: usize,
    source: usize,
    tried: usize,
) -> Option<(Candidate, Presence)> {
    let (held, source) = (scene.column(target), scene.column(source));
    let known = held.known.and(&source.known);
    let full = Bits::from_fn(known.len(), |row| known.get(row) && content(held, row).is_some());
    let agreed = agreement(held, source, &known);
    if agreed != full || full.count() < scene.min_rows() || !is_told(scene, source, &full, tried) {
        return None;
    }
    let (term, value) = (Expr::term(held.term.clone()), Expr::term(source.term.clone()));
    let is_option = matches!(held.sample(), Some(Value::Opt(_)));
    if full == known && is_option {
        let claim = scene.claim(POST, Family::Result, term.equals(value.some()), &known)?;
        return Some((claim, Presence::Always));
    }
    let test = if is_option { Test::IsSome } else { Test::IsOk };
    let there = Expr::Test(test, Box::new(term.clone()));
    let expr = there.implies(term.unwrapped().equals(value));
    let mut claim = scene.claim(POST, Family::Result, expr, &known)?;
    claim.at_risk = full.count() as u64;
    (held.term.root == Root::Result).then_some((claim, Presence::Sometimes))
}

/// Whether the source took different values, so often that the agreement is no accident.
fn is_told(scene: &Scene<'_>, source: &Column<'_>, rows: &Bits, tried: usize) -> bool {
    let mut counts = std::collections::BTreeMap::<Value, usize>::new();
    for row in rows.rows() {
        *counts.entry(source.value(row)).or_default() += 1;
    }
    counts.len() > 1 && is_justified(scene.options, ln_same(counts.into_values()), tried)
}

/// Where the one holds the other.
fn agreement(held: &Column<'_>, source: &Column<'_>, known: &Bits) -> Bits {
    let agrees = |row| content(held, row).is_some_and(|inside| *inside == source.value(row));
    Bits::from_fn(known.len(), |row| known.get(row) && agrees(row))
}

/// What is inside `Some` or `Ok` on a row.
pub(crate) fn content<'a>(column: &Column<'a>, row: usize) -> Option<&'a Value> {
    let (_, values) = column.values()?;
    match values[row] {
        Value::Opt(Some(inside)) | Value::Res(true, inside) => Some(inside),
        _ => None,
    }
}
