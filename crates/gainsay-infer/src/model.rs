//! Sequence models: what a sequence after the call was made from.

use gainsay_model::contract::ContractKind;
use gainsay_wire::{Expr, Term, Value, When};

use crate::{
    atom::{Atom, Shape},
    bits::Bits,
    candidate::{Candidate, Family},
    column::Column,
    scene::Scene,
};

/// Sequences that are always made in the same way.
pub(crate) fn candidates(scene: &Scene<'_>) -> Vec<Candidate> {
    let mut found = Vec::new();
    for at in targets(scene) {
        let always = |atom: Atom| scene.always(ContractKind::Postcondition, Family::Model, &atom);
        if let Some(claim) = models(scene, at).into_iter().find_map(always) {
            scene.explain(at);
            found.push(claim);
        }
    }
    found
}

/// The models that hold on some calls, as conditions.
pub(crate) fn atoms(scene: &Scene<'_>) -> Vec<Atom> {
    targets(scene).into_iter().flat_map(|at| widest(&models(scene, at))).collect()
}

/// Without the models that hold only where another holds too: prepending to nothing is appending.
fn widest(models: &[Atom]) -> Vec<Atom> {
    let is_narrow = |atom: &Atom| {
        let wider = |other: &Atom| atom.yes != other.yes && atom.yes.within(&other.yes);
        models.iter().any(wider)
    };
    models.iter().filter(|atom| !is_narrow(atom)).cloned().collect()
}

/// Sequences after the call that the call can have changed or made.
fn targets(scene: &Scene<'_>) -> Vec<usize> {
    let is_target = |at: &usize| {
        let column = scene.column(*at);
        let is_new = column.term.when == When::After && is_sequence(column);
        let changed = scene.before(*at).is_none_or(|old| !column.always_equals(scene.column(old)));
        is_new && changed && !scene.is_explained(*at)
    };
    (0..scene.table.columns.len()).filter(is_target).collect()
}

/// `s == t ++ [v]`, `s == [v] ++ t`, `s == t ++ u`.
fn models(scene: &Scene<'_>, target: usize) -> Vec<Atom> {
    let before = |column: &&Column<'_>| column.term.is_before();
    let columns: Vec<_> = scene.table.columns.iter().filter(before).collect();
    let sequences: Vec<_> = columns.iter().copied().filter(|column| is_sequence(column)).collect();
    let arguments: Vec<_> =
        columns.iter().copied().filter(|c| c.term.query.is_none() && !is_sequence(c)).collect();
    let target = scene.column(target);
    let own = target.term.at(When::Before);
    let mut found = Vec::new();
    for from in &sequences {
        for value in &arguments {
            found.extend(with_element(target, from, value));
        }
        // Joining begins with what was there, where the view has a past.
        for more in sequences.iter().filter(|more| more.term != from.term && !more.is_constant()) {
            if from.term == own || more.term == own || target.term.root != own.root {
                found.extend(joined(target, from, more));
            }
        }
    }
    found.retain(|atom| !atom.yes.is_none());
    found
}

fn with_element(target: &Column<'_>, from: &Column<'_>, value: &Column<'_>) -> [Atom; 2] {
    let known = target.known.and(&from.known).and(&value.known);
    let term = |term: &Term| Box::new(Expr::term(term.clone()));
    let (old, single) = (term(&from.term), Box::new(Expr::Single(term(&value.term))));
    let appended = holds(&known, |row| {
        let (new, old) = (items(target, row), items(from, row));
        new.split_last().is_some_and(|(last, rest)| rest == old && *last == value.value(row))
    });
    let prepended = holds(&known, |row| {
        let (new, old) = (items(target, row), items(from, row));
        new.split_first().is_some_and(|(first, rest)| rest == old && *first == value.value(row))
    });
    let atom = |made: Expr, yes: Bits| {
        let expr = Expr::term(target.term.clone()).equals(made);
        Atom::new(expr, yes, known.clone(), Shape::Model, &target.term)
    };
    [
        atom(Expr::Concat(old.clone(), single.clone()), appended),
        atom(Expr::Concat(single, old), prepended),
    ]
}

fn joined(target: &Column<'_>, first: &Column<'_>, second: &Column<'_>) -> Option<Atom> {
    let known = target.known.and(&first.known).and(&second.known);
    let yes = holds(&known, |row| {
        let (new, a, b) = (items(target, row), items(first, row), items(second, row));
        new.len() == a.len() + b.len() && new.starts_with(a) && new.ends_with(b)
    });
    // With nothing to join anywhere it would be a frame or an equality.
    let tells =
        known.rows().any(|row| !items(first, row).is_empty() && !items(second, row).is_empty());
    let term = |column: &Column<'_>| Box::new(Expr::term(column.term.clone()));
    let made = Expr::Concat(term(first), term(second));
    let expr = Expr::term(target.term.clone()).equals(made);
    tells.then(|| Atom::new(expr, yes, known, Shape::Model, &target.term))
}

fn holds(known: &Bits, mut test: impl FnMut(usize) -> bool) -> Bits {
    Bits::from_fn(known.len(), |row| known.get(row) && test(row))
}

fn is_sequence(column: &Column<'_>) -> bool {
    matches!(column.sample(), Some(Value::Seq(_)))
}

fn items<'a>(column: &Column<'a>, row: usize) -> &'a [Value] {
    match column.values().map(|(_, values)| values[row]) {
        Some(Value::Seq(items)) => items,
        _ => &[],
    }
}
