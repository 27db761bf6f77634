//! Pairs of texts: order of letters, never equal.

use crate::{
    facts::fact::{Fact, Strictly, TermId, View},
    format::kind::Scalar,
    learn::scene::{Candidate, Scene},
    numeric::odds::ln_crossed,
};

/// A term with its values.
type Side<'a> = (TermId, &'a [i64]);

pub(super) fn candidates(scene: &Scene<'_>) -> Vec<Candidate> {
    let mut found = Vec::new();
    let texts = scene.varying(Scalar::Text);
    for (x, y) in scene.pairs(&texts) {
        scene.count(4);
        let (a, b) = scene.pair(x, y);
        if !a.is_empty() {
            found.extend(between(scene.view(), (x, &a), (y, &b)));
        }
    }
    found
}

fn between(view: View<'_>, x: Side<'_>, y: Side<'_>) -> Option<Candidate> {
    order(view, x, y, Strictly::Less)
        .or_else(|| order(view, y, x, Strictly::Less))
        .or_else(|| order(view, x, y, Strictly::OrEqual))
        .or_else(|| order(view, y, x, Strictly::OrEqual))
        .or_else(|| differs(x, y))
}

fn order(
    view: View<'_>,
    (x, a): Side<'_>,
    (y, b): Side<'_>,
    strictly: Strictly,
) -> Option<Candidate> {
    let fits = |a: i64, b: i64| view.text_order(a, b).is_some_and(|found| strictly.fits(found));
    let holds = a.iter().zip(b).all(|(a, b)| fits(*a, *b));
    let ln = || ln_crossed(a.len(), |i, j| fits(a[i], b[j]));
    holds.then(|| Candidate { fact: Fact::Order(x, strictly, y), ln: ln() })
}

fn differs((x, a): Side<'_>, (y, b): Side<'_>) -> Option<Candidate> {
    let holds = a.iter().zip(b).all(|(a, b)| a != b);
    let ln = || ln_crossed(a.len(), |i, j| a[i] != b[j]);
    holds.then(|| Candidate { fact: Fact::Differs(x, y), ln: ln() })
}
