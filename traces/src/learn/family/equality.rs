//! `x == y`: terms that are always the same stand for each other in all other families.

use crate::{
    facts::fact::Fact,
    format::kind::Scalar,
    learn::scene::{Candidate, Scene, counts},
    numeric::odds::{ln_agree, ln_crossed, ln_no_other},
};

pub(super) fn candidates(scene: &Scene<'_>) -> Vec<Candidate> {
    scene.count(tried(scene));
    let mut found = Vec::new();
    for (term, leader) in scene.leader.iter().enumerate() {
        // That two numbers have the same constant value is said by their values.
        let says_more = !scene.is_constant(term) || scene.terms[term].kind.of == Scalar::Hash;
        if *leader != term && says_more {
            found.push(Candidate { fact: Fact::Same(*leader, term), ln: ln(scene, term) });
        }
    }
    found
}

fn tried(scene: &Scene<'_>) -> usize {
    let known = |term: &usize| scene.profiles[*term].present > 0;
    let terms: Vec<usize> = (0..scene.terms.len()).filter(known).collect();
    let alike = |(x, y): &(usize, usize)| scene.terms[*x].kind == scene.terms[*y].kind;
    scene.pairs(&terms).iter().filter(|pair| alike(pair)).count()
}

fn ln(scene: &Scene<'_>, term: usize) -> f64 {
    let profile = &scene.profiles[term];
    let column = &scene.batch.columns[term];
    if column.kind.is_array {
        let rows: Vec<usize> = scene.view().rows(&[term]).collect();
        let ln = ln_crossed(rows.len(), |i, j| column.array(rows[i]) == column.array(rows[j]));
        return ln.min(if ln == 0.0 { ln_no_other(1, rows.len()) } else { 0.0 });
    }
    if profile.distinct <= 1 {
        return ln_no_other(1, profile.present);
    }
    ln_agree(counts(&profile.sorted))
}
