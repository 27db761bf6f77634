//! How likely something holds on rows by chance alone, as logarithms.
//!
//! The question is always the same: had the values of one column been dealt to the rows at random,
//! how often would all rows still fit? Small is good evidence. Nothing here knows how many such
//! questions were asked; see [`limit`] for that.

use gainsay_infer::numeric::combinatorics::{ln_choose, ln_factorial};

/// The chance of saying anything false in one report.
pub(crate) const ALPHA: f64 = 0.01;

/// What the logarithm of a chance must stay below when so many candidates were looked at
/// (Bonferroni: the chances of all candidates of a report add up to [`ALPHA`]).
pub(crate) fn limit(candidates: u64) -> f64 {
    (ALPHA / (candidates.max(1) as f64)).ln()
}

/// That `x <= y + slack` holds on every row when the values of `x` are dealt at random. Exact;
/// both columns are sorted and of the same length.
pub(crate) fn ln_below(x: &[i64], y: &[i64], slack: i128) -> f64 {
    let (mut below, mut ln) = (0, 0.0);
    for (taken, value) in y.iter().enumerate() {
        while below < x.len() && i128::from(x[below]) <= i128::from(*value) + slack {
            below += 1;
        }
        if below <= taken {
            return f64::NEG_INFINITY;
        }
        ln += ((below - taken) as f64).ln();
    }
    ln - ln_factorial(y.len())
}

/// That the rows where a truth holds, `yes` of `rows`, all lie at one end of an ordered column,
/// at either end.
pub(crate) fn ln_split(rows: usize, yes: usize) -> f64 {
    std::f64::consts::LN_2 - ln_choose(rows, yes.min(rows))
}

/// That two columns with the same values, seen as often as `counts` says, agree on every row.
pub(crate) fn ln_agree(counts: impl IntoIterator<Item = usize>) -> f64 {
    let (mut rows, mut ln) = (0, 0.0);
    for count in counts {
        rows += count;
        ln += ln_factorial(count);
    }
    ln - ln_factorial(rows)
}

/// That a column had no more than `values` different values in so many rows, if there were one
/// more that is as frequent as the others.
pub(crate) fn ln_no_other(values: usize, rows: usize) -> f64 {
    let values = values.max(1) as f64;
    rows as f64 * (values / (values + 1.0)).ln()
}

/// That a value is hit on every row, when `fitted` of the rows were used to guess it and the most
/// frequent value of the column is seen `most` times.
pub(crate) fn ln_fit(rows: usize, fitted: usize, most: usize) -> f64 {
    rows.saturating_sub(fitted) as f64 * (most as f64 / rows.max(1) as f64).ln()
}

/// That a relation holds on all rows when the right sides are dealt anew: estimated from pairs of
/// rows that do not belong together. `holds` is asked about the left side of one row and the right
/// side of another.
pub(crate) fn ln_crossed(rows: usize, mut holds: impl FnMut(usize, usize) -> bool) -> f64 {
    const MOST: usize = 64;
    let picked: Vec<usize> = (0..rows.min(MOST)).map(|i| i * rows / rows.min(MOST)).collect();
    let (mut hits, mut pairs) = (0_u32, 0_u32);
    for (i, left) in picked.iter().enumerate() {
        for (j, right) in picked.iter().enumerate() {
            if i != j {
                pairs += 1;
                hits += u32::from(holds(*left, *right));
            }
        }
    }
    rows as f64 * (f64::from(hits + 1) / f64::from(pairs + 1)).ln()
}

/// How sharply a range ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct End {
    /// The chance to see nothing in the next fifth of the range, if the values went on there as
    /// densely as they are in the last one.
    pub(crate) ln_open: f64,
}

impl End {
    /// The upper end of a column with these sorted values, when `low` and `high` are the extremes
    /// of all values (the sorted ones may be a part of them). For the lower end the values are
    /// negated and the extremes swapped.
    pub(crate) fn upper(sorted: &[i64], low: i128, high: i128) -> End {
        let width = ((high - low + 1) / 5).max(1);
        let inside = sorted.partition_point(|value| i128::from(*value) <= high - width);
        End { ln_open: -((sorted.len() - inside) as f64) }
    }

    /// The lower end.
    pub(crate) fn lower(sorted: &[i64], low: i128, high: i128) -> End {
        let width = ((high - low + 1) / 5).max(1);
        let inside = sorted.partition_point(|value| i128::from(*value) < low + width);
        End { ln_open: -(inside as f64) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(ln: f64, expected: f64) {
        assert!((ln.exp() - expected).abs() < 1e-9, "{} is not {expected}", ln.exp());
    }

    #[test]
    fn order_by_chance_is_counted_exactly() {
        // Of the six ways to deal 1, 2, 3 to 1, 2, 3 one is in order.
        check(ln_below(&[1, 2, 3], &[1, 2, 3], 0), 1.0 / 6.0);
        check(ln_below(&[1, 2, 3], &[3, 3, 3], 0), 1.0);
        check(ln_below(&[1, 2], &[1, 2], -1), 0.0);
        check(ln_below(&[1, 2, 3], &[1, 2, 3], 1), 4.0 / 6.0);
    }

    #[test]
    fn splits_and_agreement_are_rare() {
        check(ln_split(4, 2), 2.0 / 6.0);
        check(ln_agree([2, 2]), 4.0 / 24.0);
        check(ln_no_other(1, 3), 0.125);
        check(ln_fit(10, 8, 5), 0.25);
    }

    #[test]
    fn pairs_that_do_not_belong_together_tell_how_common_a_relation_is() {
        let x = [1, 2, 3];
        let never = ln_crossed(3, |i, j| x[i] == x[j]);
        assert!((never - 3.0 * (1.0_f64 / 7.0).ln()).abs() < 1e-9);
        check(ln_crossed(3, |_, _| true), 1.0);
    }

    #[test]
    fn a_flat_range_ends_and_a_tail_does_not() {
        let flat: Vec<i64> = (0..300).map(|i| i * 997 / 300).collect();
        let end = End::upper(&flat, 0, 996);
        assert!(end.ln_open < -55.0, "{end:?}");
        let tail: Vec<i64> = (0..300).map(|i| 90_000 / (300 - i)).collect();
        assert!(End::upper(&tail, 300, 90_000).ln_open > -2.0);
        assert!(End::lower(&tail, 300, 90_000).ln_open < -200.0);
    }
}
