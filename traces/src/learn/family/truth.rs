//! Truths: negations, implications, and thresholds at which they flip.

use crate::{
    facts::fact::{Fact, TermId},
    format::kind::Scalar,
    learn::scene::{Candidate, Scene, Tie},
    numeric::{
        odds::{ln_below, ln_split},
        threshold::Split,
    },
};

pub(super) fn candidates(scene: &Scene<'_>) -> Vec<Candidate> {
    let truths = scene.varying(Scalar::Bool);
    let mut found = Vec::new();
    for (x, y) in scene.pairs(&truths) {
        scene.count(3);
        found.extend(between(scene, x, y));
    }
    let numbers = scene.varying_but(Scalar::Int, &[Tie::Shifted]);
    let free = scene.varying_but(Scalar::Int, &[Tie::Shifted, Tie::Determined]);
    for truth in truths {
        let alone: Vec<Candidate> =
            numbers.iter().filter_map(|x| threshold(scene, truth, *x, None)).collect();
        if alone.is_empty() {
            let pairs = scene.pairs(&free);
            found.extend(pairs.iter().filter_map(|(x, y)| threshold(scene, truth, *x, Some(*y))));
        }
        found.extend(alone);
    }
    found
}

fn between(scene: &Scene<'_>, x: TermId, y: TermId) -> Vec<Candidate> {
    let (a, b) = scene.pair(x, y);
    let all = |fits: fn(i64, i64) -> bool| a.iter().zip(&*b).all(|(a, b)| fits(*a, *b));
    if a.is_empty() {
        return Vec::new();
    }
    if all(|a, b| a + b == 1) {
        let yes = usize::try_from(a.iter().sum::<i64>()).unwrap_or(0);
        return vec![Candidate { fact: Fact::Opposite(x, y), ln: ln_split(a.len(), yes) }];
    }
    let mut found = Vec::new();
    let sorted = |values: &[i64]| {
        let mut sorted = values.to_vec();
        sorted.sort_unstable();
        sorted
    };
    if all(|a, b| a <= b) {
        let ln = ln_below(&sorted(&a), &sorted(&b), 0);
        found.push(Candidate { fact: Fact::Implies(x, y), ln });
    }
    if all(|a, b| a >= b) {
        let ln = ln_below(&sorted(&b), &sorted(&a), 0);
        found.push(Candidate { fact: Fact::Implies(y, x), ln });
    }
    found
}

fn threshold(scene: &Scene<'_>, b: TermId, x: TermId, y: Option<TermId>) -> Option<Candidate> {
    if !scene.go_together(b, x) {
        return None;
    }
    scene.count(2);
    let terms: Vec<TermId> = [b, x].into_iter().chain(y).collect();
    let column = |term: TermId| &scene.batch.columns[term].cells;
    let mut split = Split::empty();
    let (mut rows, mut yes) = (0, 0);
    for row in scene.view().rows(&terms) {
        let less = y.map_or(0, |y| column(y)[row]);
        let value = column(x)[row].checked_sub(less)?;
        split.add(&[value], &[column(b)[row]]);
        rows += 1;
        yes += usize::from(column(b)[row] != 0);
        // Most are out after few rows.
        if rows % 16 == 0 && yes > 0 && yes < rows && split.threshold().is_none() {
            return None;
        }
    }
    let threshold = split.threshold()?;
    Some(Candidate { fact: Fact::Threshold(b, x, y, threshold), ln: ln_split(rows, yes) })
}
