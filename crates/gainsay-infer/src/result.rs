//! What the result equals: a view, an argument; and the views of an object that was made.

use gainsay_model::contract::ContractKind;
use gainsay_wire::{Root, Value, When};

use crate::{
    atom::{Atom, Shape, weight},
    candidate::{Candidate, Family},
    relation,
    scene::Scene,
};

const POST: ContractKind = ContractKind::Postcondition;

/// Results that always equal something, or else are ordered with it.
pub(crate) fn candidates(scene: &Scene<'_>) -> Vec<Candidate> {
    let mut results = results(scene);
    results.sort_by_key(|at| (!is_sequence(scene, *at), *at));
    let tried: usize = results.iter().map(|at| sources(scene, *at).len()).sum();
    let mut found = Vec::new();
    for at in &results {
        if scene.is_explained(*at) {
            continue;
        }
        let equal = |right: usize| {
            let claim = relation::equality(scene, (POST, Family::Result), (*at, right), tried);
            claim.map(|claim| (right, claim))
        };
        if let Some((right, claim)) = sources(scene, *at).into_iter().find_map(equal) {
            scene.explain(*at);
            if is_sequence(scene, *at) {
                explain_views(scene, *at, right);
            }
            found.push(claim);
        }
    }
    for at in results.into_iter().filter(|at| !scene.is_explained(*at)) {
        let open = sources(scene, at).into_iter().filter(|right| !scene.is_explained(*right));
        found.extend(open.filter_map(|right| relation::order(scene, POST, (at, right), tried * 2)));
    }
    found
}

/// `result == x` where that holds on some calls, as conditions.
pub(crate) fn atoms(scene: &Scene<'_>) -> Vec<Atom> {
    let open = results(scene).into_iter().filter(|at| !scene.is_explained(*at));
    let plain = open.filter(|at| scene.column(*at).bools().is_none());
    let of = |at: usize| {
        let equal = move |right: usize| {
            relation::equal_atom(scene.column(at), scene.column(right), Shape::Equal)
        };
        sources(scene, at).into_iter().filter_map(equal)
    };
    plain.flat_map(of).collect()
}

fn results(scene: &Scene<'_>) -> Vec<usize> {
    let is_result = |at: &usize| !matches!(scene.column(*at).term.root, Root::Operand(_));
    let varies = |at: &usize| !scene.column(*at).is_constant();
    (0..scene.table.columns.len()).filter(is_result).filter(varies).collect()
}

/// What a result may be compared with, the best first: a view that is still there is named as it
/// is now, not as it was.
fn sources(scene: &Scene<'_>, result: usize) -> Vec<usize> {
    let left = scene.column(result);
    let fits = |at: &usize| {
        let column = scene.column(*at);
        matches!(column.term.root, Root::Operand(_))
            && !column.is_constant()
            && column.is_comparable(left)
    };
    let mut sources: Vec<usize> = (0..scene.table.columns.len()).filter(fits).collect();
    let after: Vec<usize> = sources
        .iter()
        .filter_map(|at| scene.before(*at).map(|before| (*at, before)))
        .filter(|(at, before)| scene.column(*at).always_equals(scene.column(*before)))
        .map(|(_, before)| before)
        .collect();
    sources.retain(|at| !after.contains(at));
    sources.sort_by_key(|at| {
        let term = &scene.column(*at).term;
        let is_namesake = term.query == left.term.query;
        (!is_namesake, weight(term), term.when == When::After, *at)
    });
    sources
}

/// Once the sequences are equal, equal views of both follow.
fn explain_views(scene: &Scene<'_>, made: usize, source: usize) {
    let (root, of) = (scene.column(made).term.root, scene.column(source).term.clone());
    for at in results(scene) {
        let term = &scene.column(at).term;
        let namesake = gainsay_wire::Term { when: of.when, root: of.root, ..term.clone() };
        let same = scene.table.position(&namesake);
        let follows = same.is_some_and(|same| scene.column(at).always_equals(scene.column(same)));
        if term.root == root && root != Root::Result && follows {
            scene.explain(at);
        }
    }
}

fn is_sequence(scene: &Scene<'_>, at: usize) -> bool {
    matches!(scene.column(at).sample(), Some(Value::Seq(_)))
}
