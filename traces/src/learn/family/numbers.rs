//! Pairs of numbers: order, difference bounds, never equal, divisors, squares.

use crate::{
    facts::{
        fact::{Fact, Strictly, TermId},
        judge::{divides, is_square},
    },
    format::kind::Scalar,
    learn::scene::{Candidate, Scene, Tie},
    numeric::{
        difference::Difference,
        odds::{ln_below, ln_crossed},
    },
};

/// What is more likely than this is not worth following over further samples.
const LOOSE: f64 = -6.0;

pub(super) fn candidates(scene: &Scene<'_>) -> Vec<Candidate> {
    let mut found = Vec::new();
    for of in [Scalar::Int, Scalar::Float] {
        let numbers = scene.varying_but(of, &[Tie::Shifted, Tie::Determined]);
        for (x, y) in scene.pairs(&numbers) {
            let (a, b) = scene.pair(x, y);
            if a.is_empty() {
                continue;
            }
            let pair = Pair { scene, of, terms: (x, y), values: (&a, &b) };
            found.extend(pair.candidates());
        }
    }
    found
}

struct Pair<'s, 'a> {
    scene: &'s Scene<'a>,
    of: Scalar,
    terms: (TermId, TermId),
    values: (&'s [i64], &'s [i64]),
}

impl Pair<'_, '_> {
    fn candidates(&self) -> Vec<Candidate> {
        let mut seen = Difference::empty();
        seen.add(self.values.0, self.values.1);
        self.scene.count(7);
        let (x, y) = self.terms;
        let mut found = Vec::new();
        found.extend(self.below(x, y, seen.high));
        found.extend(self.below(y, x, -seen.low));
        if self.of == Scalar::Int {
            found.extend(self.gap(x, y, seen.high));
            found.extend(self.gap(y, x, -seen.low));
            found.extend(self.numeric());
        }
        if seen.low < 0 && seen.high > 0 {
            found.extend(self.differs());
        }
        found
    }

    fn sorted(&self, term: TermId) -> Vec<i64> {
        let profile = &self.scene.profiles[term];
        if profile.sorted.len() == self.values.0.len() {
            return profile.sorted.clone();
        }
        let values = if term == self.terms.0 { self.values.0 } else { self.values.1 };
        let mut sorted = values.to_vec();
        sorted.sort_unstable();
        sorted
    }

    /// `x < y` or `x <= y`, when the greatest difference allows it.
    fn below(&self, x: TermId, y: TermId, high: i128) -> Option<Candidate> {
        let strictly = match high {
            ..=-1 => Strictly::Less,
            0 => Strictly::OrEqual,
            _ => return None,
        };
        let ln = ln_below(&self.sorted(x), &self.sorted(y), strictly.slack());
        Some(Candidate { fact: Fact::Order(x, strictly, y), ln })
    }

    /// `x <= y + c`
    fn gap(&self, x: TermId, y: TermId, high: i128) -> Option<Candidate> {
        let ln = ln_below(&self.sorted(x), &self.sorted(y), high);
        let c = i64::try_from(high).ok()?;
        (ln < LOOSE).then_some(Candidate { fact: Fact::Gap(x, y, c), ln })
    }

    fn differs(&self) -> Option<Candidate> {
        let (a, b) = self.values;
        if a.iter().zip(b).any(|(a, b)| a == b) {
            return None;
        }
        let ln = ln_crossed(a.len(), |i, j| a[i] != b[j]);
        Some(Candidate { fact: Fact::Differs(self.terms.0, self.terms.1), ln })
    }

    fn numeric(&self) -> Vec<Candidate> {
        let (x, y) = self.terms;
        let (a, b) = self.values;
        let mut found = Vec::new();
        let mut look = |fact: Fact, a: &[i64], b: &[i64], fits: fn(i64, i64) -> bool| {
            if a.iter().zip(b).all(|(a, b)| fits(*a, *b)) {
                let ln = ln_crossed(a.len(), |i, j| fits(a[i], b[j]));
                found.push(Candidate { fact, ln });
            }
        };
        look(Fact::Divides(x, y), a, b, divides);
        look(Fact::Divides(y, x), b, a, divides);
        look(Fact::Square(x, y), a, b, is_square);
        look(Fact::Square(y, x), b, a, is_square);
        found
    }
}
