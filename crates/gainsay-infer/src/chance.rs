//! How likely a candidate would hold by chance, corrected for how many were tried.
//!
//! The bounds take what each column holds as given and ask how often independent columns would
//! fit together so well. They are a guard against noise, not a proof: samples are chosen
//! adaptively.

use crate::{
    Options,
    numeric::combinatorics::{ln_choose, ln_factorial},
};

/// The chance of reporting anything of one family on noise.
const ALPHA: f64 = 0.05;

/// Whether a candidate with this chance (as a logarithm), one of `tried`, is worth reporting.
/// Given suites are taken as they are.
pub(crate) fn is_justified(options: &Options, ln_chance: f64, tried: usize) -> bool {
    options.is_given() || ln_chance + (tried.max(1) as f64).ln() < ALPHA.ln()
}

/// That `inner` rows out of `all`, chosen at random, all lie among `outer` ones.
pub(crate) fn ln_contained(inner: usize, outer: usize, all: usize) -> f64 {
    if inner > outer {
        return f64::NEG_INFINITY;
    }
    ln_choose(outer, inner) - ln_choose(all, inner)
}

/// That two independent columns with these counts of equal values agree on every row.
pub(crate) fn ln_same(counts: impl Iterator<Item = usize>) -> f64 {
    let counts: Vec<usize> = counts.collect();
    let rows = counts.iter().sum::<usize>().max(1);
    let meet: f64 = counts.iter().map(|count| (*count as f64 / rows as f64).powi(2)).sum();
    let independent = rows as f64 * meet.ln();
    let shuffled =
        counts.iter().map(|count| ln_factorial(*count)).sum::<f64>() - ln_factorial(rows);
    independent.min(shuffled)
}

/// That two independent columns with these values are in order on every row.
pub(crate) fn ln_ordered(mut left: Vec<i128>, mut right: Vec<i128>, strictly: Strictly) -> f64 {
    left.sort_unstable();
    right.sort_unstable();
    let mut below = 0;
    let mut pairs = 0_f64;
    for value in &right {
        while below < left.len() && strictly.fits(left[below], *value) {
            below += 1;
        }
        pairs += below as f64;
    }
    let rows = left.len().max(1) as f64;
    rows * (pairs / (rows * rows)).ln()
}

/// `<` or `<=`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Strictly {
    Less,
    OrEqual,
}

impl Strictly {
    fn fits(self, a: i128, b: i128) -> bool {
        match self {
            Strictly::Less => a < b,
            Strictly::OrEqual => a <= b,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(ln: f64, expected: f64) {
        assert!((ln.exp() - expected).abs() < 1e-9, "{} is not {expected}", ln.exp());
    }

    #[test]
    fn chances_are_those_of_drawing_without_replacement() {
        check(ln_contained(1, 1, 50), 1.0 / 50.0);
        check(ln_contained(2, 3, 4), 0.5);
        check(ln_contained(4, 3, 4), 0.0);
        check(ln_contained(1, 50, 100), 0.5);
    }

    #[test]
    fn agreement_of_columns_with_few_values_is_likely() {
        check(ln_same([5].into_iter()), 1.0);
        check(ln_same([1; 5].into_iter()), 0.2_f64.powi(5));
        check(ln_same([1, 19].into_iter()), 0.05);
    }

    #[test]
    fn order_between_ranges_that_do_not_meet_is_certain() {
        check(ln_ordered(vec![1, 2, 3], vec![7, 8, 9], Strictly::Less), 1.0);
        check(ln_ordered(vec![1, 2], vec![1, 2], Strictly::Less), 1.0 / 16.0);
        check(ln_ordered(vec![1, 2], vec![1, 2], Strictly::OrEqual), 9.0 / 16.0);
    }
}
