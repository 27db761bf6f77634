//! What comparing two objects gives: the result against their elements.

use std::collections::BTreeSet;

use gainsay_model::contract::ContractKind;
use gainsay_wire::{Comparison, Expr, Function, Root, Term, Value, When};

use crate::{
    candidate::{Candidate, Family},
    chance,
    column::Column,
    forms, membership,
    relation::is_sequence,
    scene::Scene,
    source::Sources,
};

/// The most variants of a type that are told apart.
const MOST_VARIANTS: usize = 3;

/// The result as a comparison of the elements of two operands, where it is one.
pub(crate) fn candidates(scene: &Scene<'_>) -> Vec<Candidate> {
    let Some(at) = scene.table.position(&Term::result()) else { return Vec::new() };
    let result = scene.column(at);
    let Some(sample) = result.sample().filter(|_| !result.is_constant()) else { return Vec::new() };
    let told = Expr::term(result.term.clone());
    let claims: Vec<Expr> = pairs(scene)
        .into_iter()
        .flat_map(|(s, t)| comparisons(&told, &sample, &scene.present(&s), &scene.present(&t)))
        .collect();
    let found = first_that_holds(scene, result, claims);
    if found.is_some() {
        scene.explain(at);
    }
    found.into_iter().collect()
}

/// The first claim that holds on all calls, if that is no accident.
fn first_that_holds(
    scene: &Scene<'_>,
    result: &Column<'_>,
    claims: Vec<Expr>,
) -> Option<Candidate> {
    if !chance::is_justified(scene.options, result.ln_chance_of_copy(), claims.len()) {
        return None;
    }
    claims.into_iter().find_map(|claim| {
        let told = scene.told(&claim);
        let (yes, known) = scene.table.judge(&claim);
        let (yes, known) = (yes.and(&told), known.and(&told));
        let holds = yes == known;
        holds.then(|| scene.claim(ContractKind::Postcondition, Family::Result, claim, &known))?
    })
}

/// What a query with a truth value says of the elements: `result <=> contains(self.seq(), value)`.
pub(crate) fn of_elements(scene: &Scene<'_>) -> Option<Candidate> {
    let result = scene.column(scene.table.position(&Term::result())?);
    result.bools().filter(|_| !result.is_constant())?;
    let told = Expr::term(result.term.clone());
    let claims = conditions(scene).into_iter().map(|condition| told.clone().iff(condition));
    first_that_holds(scene, result, claims.collect())
}

/// What may be true of the elements before the call.
fn conditions(scene: &Scene<'_>) -> Vec<Expr> {
    let sources = Sources::of(&scene.table);
    let sequences = sources.sequences.iter();
    let full = sequences.clone().flat_map(|sequence| {
        let len = forms::len(&sequence.expr());
        sources.limits.iter().map(move |limit| len.clone().equals(limit.clone()))
    });
    let all = sequences.flat_map(|sequence| membership::conditions(sequence, &sources));
    all.chain(full).map(|condition| scene.present(&condition)).collect()
}

/// When what a call makes is of one variant and when of another:
/// `result.variant() == "Occupied" <=> contains(keys(old(self.seq())), key)`.
pub(crate) fn variants(scene: &Scene<'_>) -> Vec<Candidate> {
    let is_made = |at: &usize| {
        let column = scene.column(*at);
        let is_new = matches!(column.term.root, Root::Made(_)) && column.term.when == When::After;
        is_new && !scene.is_explained(*at) && matches!(column.sample(), Some(Value::Str(_)))
    };
    let mut found = Vec::new();
    for at in (0..scene.table.columns.len()).filter(is_made) {
        let column = scene.column(at);
        let values: BTreeSet<Value> = column.known.rows().map(|row| column.value(row)).collect();
        if !(2..=MOST_VARIANTS).contains(&values.len()) {
            continue;
        }
        let conditions = conditions(scene);
        let claims = values.into_iter().flat_map(|value| {
            let told = Expr::term(column.term.clone()).equals(Expr::Const(value));
            conditions.iter().map(move |condition| told.clone().iff(condition.clone()))
        });
        if let Some(claim) = first_that_holds(scene, column, claims.collect()) {
            scene.explain(at);
            found.push(claim);
        }
    }
    found
}

/// Sequences of two operands before the call, each pair once, in the order of the operands.
fn pairs(scene: &Scene<'_>) -> Vec<(Expr, Expr)> {
    let sequences = scene.table.columns.iter().filter_map(|column| match column.term.root {
        Root::Operand(i) if column.term.is_before() && is_sequence(column) => {
            Some((i, Expr::term(column.term.clone())))
        }
        _ => None,
    });
    let sequences: Vec<(u32, Expr)> = sequences.collect();
    let with = |(i, s): &(u32, Expr)| {
        let later = sequences.iter().filter(|(j, _)| j > i);
        later.map(|(_, t)| (s.clone(), t.clone())).collect::<Vec<_>>()
    };
    sequences.iter().flat_map(with).collect()
}

/// What a result of that look may say of two sequences.
fn comparisons(result: &Expr, sample: &Value, s: &Expr, t: &Expr) -> Vec<Expr> {
    let call = |function, a: &Expr, b: &Expr| Expr::call(function, [a.clone(), b.clone()]);
    let order = || call(Function::Cmp, s, t);
    match sample {
        Value::Order(_) => vec![result.clone().equals(order())],
        Value::Opt(Some(inside)) if matches!(**inside, Value::Order(_)) => {
            vec![result.clone().equals(order().some())]
        }
        Value::Bool(_) => {
            use Comparison::{Eq, Ge, Gt, Le, Lt, Ne};
            let ordered = [Eq, Ne, Lt, Le, Gt, Ge].map(|op| s.clone().compare(op, t.clone()));
            let sets = membership::of_two(s, t);
            let parts = [
                call(Function::Permutation, s, t),
                call(Function::Prefix, t, s),
                call(Function::Suffix, t, s),
                call(Function::Contains, s, t),
            ];
            let all = ordered.into_iter().chain(sets).chain(parts);
            all.map(|claim| result.clone().iff(claim)).collect()
        }
        _ => Vec::new(),
    }
}
