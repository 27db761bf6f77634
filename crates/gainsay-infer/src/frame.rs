//! What the call leaves as it was.

use gainsay_model::contract::ContractKind;
use gainsay_wire::Value;

use crate::{
    boolean,
    candidate::{Candidate, Family},
    relation,
    scene::Scene,
};

const POST: ContractKind = ContractKind::Postcondition;

/// Views that never change. Nothing is said of what the signature already shares, nor of what
/// follows from an unchanged sequence.
pub(crate) fn candidates(scene: &Scene<'_>) -> Vec<Candidate> {
    let mut pairs = scene.pairs_in_time();
    pairs.retain(|(before, after)| scene.column(*after).always_equals(scene.column(*before)));
    let tried = scene.pairs_in_time().len();
    let (constant, changing): (Vec<_>, Vec<_>) =
        pairs.into_iter().partition(|(_, after)| scene.column(*after).is_constant());
    let mut found: Vec<Candidate> = constant
        .iter()
        .filter_map(|(before, after)| kept_constant(scene, *before, *after))
        .collect();
    for (_, after) in &constant {
        scene.explain(*after);
    }
    let mut stated: Vec<usize> = Vec::new();
    let mut order: Vec<(usize, usize)> = changing;
    order.sort_by_key(|(_, after)| (!is_sequence(scene, *after), *after));
    for (before, after) in order {
        let implied = scene.is_shared(&scene.column(after).term)
            || stated.iter().any(|known| follows(scene, *known, after));
        if implied {
            scene.explain(after);
            continue;
        }
        let kind = (POST, Family::Frame);
        if let Some(frame) = relation::equality(scene, kind, (after, before), tried) {
            scene.explain(after);
            stated.push(after);
            found.push(frame);
        }
    }
    found
}

/// A truth value that was the same before and after on all calls of a given suite is stated as an
/// implication: the weaker claim that fits as well.
fn kept_constant(scene: &Scene<'_>, before: usize, after: usize) -> Option<Candidate> {
    let column = scene.column(after);
    if !scene.options.is_given() || column.bools().is_none() {
        return None;
    }
    let (was, is) = (boolean::atom(scene.column(before))?, boolean::atom(column)?);
    let held = was.yes == was.known;
    let (was, is) = if held { (was, is) } else { (was.negated(), is.negated()) };
    scene.claim(POST, Family::Implication, was.expr.implies(is.expr), &is.known)
}

fn is_sequence(scene: &Scene<'_>, at: usize) -> bool {
    matches!(scene.column(at).sample(), Some(Value::Seq(_)))
}

/// Whether an unchanged `known` view makes the other unchanged too.
fn follows(scene: &Scene<'_>, known: usize, other: usize) -> bool {
    let (a, b) = (scene.column(known), scene.column(other));
    if a.term.root != b.term.root || a.term.with.is_some() {
        return false;
    }
    if is_sequence(scene, known) {
        return b.term.with.is_some() || scene.follows_from_sequence(&a.term, &b.term);
    }
    let names = (scene.type_of(a.term.root), &a.term.query, &b.term.query);
    let (Some(ty), Some(number), Some(truth)) = names else { return false };
    b.bools().is_some() && scene.states.is_double(ty, truth, number)
}
