//! Sums that a number reaches at least: `self.capacity() >= old(self.len()) + additional`.

use gainsay_model::contract::ContractKind;
use gainsay_wire::{Arithmetic, Comparison, Expr, Root, Term, When};

use crate::{
    bits::Bits,
    candidate::{Candidate, Family},
    forms,
    scene::Scene,
    source::Sources,
};

/// The sum that each changed number of an object reaches. It has to be more than the number was
/// before on enough calls: there it could have failed.
pub(crate) fn candidates(scene: &Scene<'_>) -> Vec<Candidate> {
    let sources = Sources::of(&scene.table);
    let given = sources.sequences.iter().filter(|sequence| sequence.term.query.is_none());
    let lens = given.map(|sequence| forms::len(&sequence.expr()));
    let given: Vec<Expr> = sources.numbers.iter().cloned().chain(lens).collect();
    let mut found = Vec::new();
    for at in (0..scene.table.columns.len()).filter(|at| is_target(scene, *at)) {
        let best = of(scene, at, (&sources.limits, &given));
        found.extend(best.map(|(claim, _)| claim));
    }
    found
}

fn is_target(scene: &Scene<'_>, at: usize) -> bool {
    let column = scene.column(at);
    let is_view = matches!(column.term.root, Root::Operand(_)) && column.term.query.is_some();
    let is_open = column.term.when == When::After && !scene.is_explained(at);
    is_view && is_open && column.ints().is_some() && scene.before(at).is_some()
}

/// The sum that asks for most.
fn of(
    scene: &Scene<'_>,
    at: usize,
    (limits, given): (&[Expr], &[Expr]),
) -> Option<(Candidate, usize)> {
    let (now, was) = (&scene.column(at).term, &scene.column(scene.before(at)?).term);
    let mut best: Option<(Candidate, usize)> = None;
    for limit in limits.iter().filter(|limit| is_of_same(limit, now)) {
        for n in given {
            let sum = limit.clone().arithmetic(Arithmetic::Add, n.clone());
            let Some((known, at_risk)) = reached(scene, (now, was), &sum) else { continue };
            if best.as_ref().is_some_and(|(_, most)| *most >= at_risk) {
                continue;
            }
            let expr = Expr::term(now.clone()).compare(Comparison::Ge, sum);
            let claim = scene.claim(ContractKind::Postcondition, Family::Order, expr, &known);
            best = claim.map(|claim| (claim, at_risk)).or(best);
        }
    }
    best
}

fn is_of_same(limit: &Expr, now: &Term) -> bool {
    matches!(limit, Expr::Term(term) if term.root == now.root)
}

/// Where it can be told that the number reaches the sum, which it always does, and how often it
/// had to grow for that.
fn reached(scene: &Scene<'_>, (now, was): (&Term, &Term), sum: &Expr) -> Option<(Bits, usize)> {
    let least =
        |of: &Term| scene.table.judge(&Expr::term(of.clone()).compare(Comparison::Ge, sum.clone()));
    let ((yes, known), (had, told)) = (least(now), least(was));
    let at_risk = told.minus(&had).and(&known).count();
    (yes == known && at_risk >= scene.min_rows()).then_some((known, at_risk))
}
