//! What a single value always is: a constant, one of a few, within bounds, not zero, a power of
//! two.
//!
//! Every column has a least and a greatest value, so bounds are reported only where the values stop
//! as a wall and not as a tail: see `odds::End`.

use crate::{
    facts::{
        fact::{Fact, TermId},
        judge::{FEW, is_power_of_two},
    },
    format::kind::{Scalar, float_of},
    learn::scene::{Candidate, Profile, Scene},
    numeric::odds::{End, ln_no_other},
};

pub(super) fn candidates(scene: &Scene<'_>) -> Vec<Candidate> {
    let mut found = Vec::new();
    let is_single = |term: &TermId| !scene.terms[*term].kind.is_array;
    for term in scene.live.iter().copied().filter(is_single) {
        scene.count(5);
        found.extend(few(scene, term));
        if !scene.is_constant(term) {
            found.extend(bounds(scene, term));
            found.extend(non_zero(scene, term));
            found.extend(power_of_two(scene, term));
        }
    }
    // Terms with the same constant are told by their values, not by each other.
    let is_told_alone = |term: &TermId| {
        let leader = scene.leader[*term];
        leader != *term && scene.is_constant(leader) && scene.terms[*term].kind.of != Scalar::Hash
    };
    let others = (0..scene.terms.len()).filter(is_single).filter(is_told_alone);
    found.extend(others.filter_map(|term| few(scene, term)));
    found
}

fn few(scene: &Scene<'_>, term: TermId) -> Option<Candidate> {
    let profile = &scene.profiles[term];
    let (of, distinct) = (scene.terms[term].kind.of, profile.distinct);
    // Two truths are all there are, and which objects were seen says nothing.
    let most = match of {
        Scalar::Bool | Scalar::Hash => 1,
        Scalar::Int | Scalar::Float | Scalar::Text => FEW,
    };
    if distinct > most {
        return None;
    }
    let mut values = profile.sorted.clone();
    values.dedup();
    let ln = ln_no_other(distinct, profile.present);
    Some(Candidate { fact: Fact::OneOf(term, values), ln })
}

fn bounds(scene: &Scene<'_>, term: TermId) -> Vec<Candidate> {
    let of = scene.terms[term].kind.of;
    if !matches!(of, Scalar::Int | Scalar::Float) {
        return Vec::new();
    }
    let profile = &scene.profiles[term];
    let (Some(low), Some(high)) = (profile.sorted.first(), profile.sorted.last()) else {
        return Vec::new();
    };
    let (lower, upper) = ends(profile, of, *low, *high);
    vec![
        Candidate { fact: Fact::AtLeast(term, *low), ln: lower.ln_open },
        Candidate { fact: Fact::AtMost(term, *high), ln: upper.ln_open },
    ]
}

/// How a column ends below and above, given its extremes over all samples.
pub(crate) fn ends(profile: &Profile, of: Scalar, low: i64, high: i64) -> (End, End) {
    const STEPS: f64 = 1000.0;
    if of == Scalar::Int {
        let (low, high) = (i128::from(low), i128::from(high));
        let sorted = &profile.sorted;
        return (End::lower(sorted, low, high), End::upper(sorted, low, high));
    }
    let (low, high) = (float_of(low), float_of(high));
    #[allow(clippy::cast_possible_truncation, reason = "from 0 to 1000")]
    let step = |key: &i64| ((float_of(*key) - low) / (high - low) * STEPS) as i64;
    let steps: Vec<i64> = profile.sorted.iter().map(step).collect();
    (End::lower(&steps, 0, 1000), End::upper(&steps, 0, 1000))
}

fn non_zero(scene: &Scene<'_>, term: TermId) -> Option<Candidate> {
    let profile = &scene.profiles[term];
    if profile.sorted.binary_search(&0).is_ok() {
        return None;
    }
    let range = match scene.terms[term].kind.of {
        // As in the literature, one of three objects might have been null.
        Scalar::Hash | Scalar::Text => 3.0,
        Scalar::Int => {
            let (low, high) = (profile.sorted.first()?, profile.sorted.last()?);
            if *low > 0 || *high < 0 {
                return None;
            }
            high.checked_sub(*low)? as f64 + 1.0
        }
        Scalar::Bool | Scalar::Float => return None,
    };
    let ln = profile.present as f64 * (1.0 - 1.0 / range).ln();
    Some(Candidate { fact: Fact::NonZero(term), ln })
}

/// One more value within the range would have been as likely as those seen.
fn power_of_two(scene: &Scene<'_>, term: TermId) -> Option<Candidate> {
    let profile = &scene.profiles[term];
    let fits = scene.terms[term].kind.of == Scalar::Int
        && profile.distinct > FEW
        && profile.sorted.iter().all(|value| is_power_of_two(*value));
    let ln = ln_no_other(profile.distinct, profile.present);
    fits.then_some(Candidate { fact: Fact::PowerOfTwo(term), ln })
}
