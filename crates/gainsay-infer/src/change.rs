//! By how much a call changes an integer.

use std::collections::BTreeMap;

use gainsay_model::contract::ContractKind;
use gainsay_wire::Expr;

use crate::{
    atom::{Atom, Shape},
    bits::Bits,
    candidate::{Candidate, Family},
    chance::is_justified,
    relation,
    scene::Scene,
};

/// The most different steps of one view that become conditions.
const STEPS: usize = 3;

/// Views that always change by the same amount.
pub(crate) fn candidates(scene: &Scene<'_>) -> Vec<Candidate> {
    let pairs = scene.pairs_in_time();
    let tried = pairs.len();
    let mut found = Vec::new();
    for (before, after) in pairs.into_iter().filter(|(_, after)| !scene.is_explained(*after)) {
        if let Some(change) = constant_step(scene, before, after, tried) {
            scene.explain(after);
            found.push(change);
        }
    }
    found
}

fn constant_step(
    scene: &Scene<'_>,
    before: usize,
    after: usize,
    tried: usize,
) -> Option<Candidate> {
    let (old, new) = (scene.column(before), scene.column(after));
    let (x, y) = (old.ints()?, new.ints()?);
    let known = old.known.and(&new.known);
    let mut steps = known.rows().map(|row| y[row].checked_sub(x[row]));
    let step = steps.next()??;
    if step == 0 || steps.any(|other| other != Some(step)) {
        return None;
    }
    let constant = old.is_constant() && !scene.options.is_given();
    if constant || !is_justified(scene.options, new.ln_chance_of_copy(), tried) {
        return None;
    }
    let was = Expr::term(old.term.clone()).plus(step);
    let expr = Expr::term(new.term.clone()).equals(was);
    scene.claim(ContractKind::Postcondition, Family::Change, expr, &known)
}

/// The steps that a view takes on some calls, as conditions; other views as "unchanged".
pub(crate) fn atoms(scene: &Scene<'_>) -> Vec<Atom> {
    let pairs = scene.pairs_in_time();
    let open = pairs.into_iter().filter(|(_, after)| !scene.is_explained(*after));
    open.flat_map(|(before, after)| step_atoms(scene, before, after)).collect()
}

fn step_atoms(scene: &Scene<'_>, before: usize, after: usize) -> Vec<Atom> {
    let (old, new) = (scene.column(before), scene.column(after));
    // Where the view is always the same afterwards, how it got there says nothing.
    if new.bools().is_some() || (new.is_constant() && !scene.options.is_given()) {
        return Vec::new();
    }
    let (Some(x), Some(y)) = (old.ints(), new.ints()) else {
        let mut atom = relation::equal_atom(new, old, Shape::Unchanged);
        if let Some(atom) = atom.as_mut().filter(|_| !relation::is_sequence(new)) {
            atom.weight += 1;
        }
        return atom.into_iter().collect();
    };
    let known = old.known.and(&new.known);
    let mut counts: BTreeMap<i128, usize> = BTreeMap::new();
    for row in known.rows() {
        *counts.entry(y[row].saturating_sub(x[row])).or_default() += 1;
    }
    // A jump under a condition is how it is made, not what it promises.
    let is_step = |(step, _): &(i128, usize)| scene.options.is_given() || step.abs() <= 1;
    let mut common: Vec<(i128, usize)> = counts.into_iter().filter(is_step).collect();
    common.sort_by_key(|(step, count)| (std::cmp::Reverse(*count), *step));
    common.truncate(STEPS);
    let atom = |(step, _): (i128, usize)| {
        let yes = Bits::from_fn(x.len(), |row| y[row].saturating_sub(x[row]) == step).and(&known);
        let was = Expr::term(old.term.clone()).plus(step);
        let expr = Expr::term(new.term.clone()).equals(was);
        let shape = if step == 0 { Shape::Unchanged } else { Shape::Change };
        let mut atom = Atom::new(expr, yes, known.clone(), shape, &new.term);
        // Where the elements stay, their number does.
        atom.weight += u8::from(step == 0);
        atom
    };
    common.into_iter().map(atom).collect()
}
