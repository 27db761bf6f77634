//! The least and greatest difference of pairs of columns: `low <= x - y <= high`.

/// What the difference of two columns was so far; in 128 bits, so nothing overflows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Difference {
    /// The least.
    pub(crate) low: i128,
    /// The greatest.
    pub(crate) high: i128,
}

impl Difference {
    /// Nothing seen.
    pub(crate) fn empty() -> Difference {
        Difference { low: i128::MAX, high: i128::MIN }
    }

    /// Takes rows of `x` and `y`.
    pub(crate) fn add(&mut self, x: &[i64], y: &[i64]) {
        const TAME: std::ops::Range<i64> = -(1 << 61)..1 << 61;
        let (mut low, mut high) = (i64::MAX, i64::MIN);
        // One pass that the compiler turns into vector code; overflow is looked for apart.
        let mut bits = 0;
        for (x, y) in x.iter().zip(y) {
            let difference = x.wrapping_sub(*y);
            low = low.min(difference);
            high = high.max(difference);
            bits |= (x ^ (x >> 63)) | (y ^ (y >> 63));
        }
        if TAME.contains(&bits) {
            if low <= high {
                self.low = self.low.min(i128::from(low));
                self.high = self.high.max(i128::from(high));
            }
            return;
        }
        for (x, y) in x.iter().zip(y) {
            let difference = i128::from(*x) - i128::from(*y);
            self.low = self.low.min(difference);
            self.high = self.high.max(difference);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extremes_are_kept_over_batches_and_without_overflow() {
        let mut seen = Difference::empty();
        seen.add(&[1, 5], &[3, 3]);
        assert_eq!(seen, Difference { low: -2, high: 2 });
        seen.add(&[i64::MAX], &[-1]);
        assert_eq!(seen, Difference { low: -2, high: 1 << 63 });
        seen.add(&[], &[]);
        assert_eq!(seen.low, -2);
    }
}
