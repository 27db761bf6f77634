//! Arithmetic modulo a prime, and the way back to small fractions.
//!
//! Exact elimination over integers needs numbers that grow with every row. Modulo a prime they do
//! not, and what is small in truth (the coefficients of facts that people care about) can be
//! recovered. What is recovered is a guess until it was checked with true integers.

/// The prime `2^61 - 1`: products fit into 128 bits and reduce by shifts.
pub const PRIME: u64 = (1 << 61) - 1;

/// The largest numerator and denominator that [`Residue::fraction`] gives.
pub const SMALL: i64 = 1 << 24;

/// A number modulo [`PRIME`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Residue(u64);

impl Residue {
    /// Nothing.
    pub const ZERO: Residue = Residue(0);

    /// The residue of an integer.
    pub fn of(value: i128) -> Residue {
        let residue = value.rem_euclid(i128::from(PRIME));
        Residue(u64::try_from(residue).expect("less than the prime"))
    }

    /// Whether it is nothing.
    pub fn is_zero(self) -> bool {
        self.0 == 0
    }

    /// `self + other`
    pub fn plus(self, other: Residue) -> Residue {
        let sum = self.0 + other.0;
        Residue(if sum >= PRIME { sum - PRIME } else { sum })
    }

    /// `self - other`
    pub fn minus(self, other: Residue) -> Residue {
        Residue(if self.0 >= other.0 { self.0 - other.0 } else { self.0 + PRIME - other.0 })
    }

    /// `self * other`
    pub fn times(self, other: Residue) -> Residue {
        let product = u128::from(self.0) * u128::from(other.0);
        let low = u64::try_from(product & u128::from(PRIME)).expect("61 bits");
        let high = u64::try_from(product >> 61).expect("at most 61 bits");
        Residue(low).plus(Residue(if high >= PRIME { high - PRIME } else { high }))
    }

    /// `1 / self`; nothing for nothing.
    pub fn inverse(self) -> Residue {
        let (mut base, mut exponent) = (self, PRIME - 2);
        let mut result = Residue(1);
        while exponent > 0 {
            if exponent & 1 == 1 {
                result = result.times(base);
            }
            base = base.times(base);
            exponent >>= 1;
        }
        result
    }

    /// The fraction with a small numerator and a small positive denominator that has this
    /// residue, if there is one.
    pub fn fraction(self) -> Option<(i64, i64)> {
        let (mut r0, mut r1) = (i128::from(PRIME), i128::from(self.0));
        let (mut t0, mut t1) = (0_i128, 1_i128);
        while r1 > i128::from(SMALL) {
            let quotient = r0 / r1;
            (r0, r1) = (r1, r0 - quotient * r1);
            (t0, t1) = (t1, t0 - quotient * t1);
        }
        if t1 == 0 || t1.abs() > i128::from(SMALL) {
            return None;
        }
        let sign = t1.signum();
        Some((i64::try_from(sign * r1).ok()?, i64::try_from(sign * t1).ok()?))
    }
}

/// The greatest common divisor; of zeros it is zero.
pub fn gcd(a: i64, b: i64) -> i64 {
    let (mut a, mut b) = (a.unsigned_abs(), b.unsigned_abs());
    while b != 0 {
        (a, b) = (b, a % b);
    }
    i64::try_from(a).unwrap_or(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fractions_come_back() {
        for (numerator, denominator) in [(0, 1), (1, 1), (-7, 1), (3, 2), (-22, 7), (99_999, 8)] {
            let of = |value: i64| Residue::of(i128::from(value));
            let residue = of(numerator).times(of(denominator).inverse());
            assert_eq!(residue.fraction(), Some((numerator, denominator)));
        }
    }

    #[test]
    fn what_is_no_small_fraction_is_none() {
        assert_eq!(Residue::of(1 << 40).plus(Residue::of(12_345_678_901)).fraction(), None);
    }

    #[test]
    fn arithmetic_agrees_with_integers() {
        let (a, b) = (i128::from(i64::MAX), i128::from(i64::MIN));
        assert_eq!(Residue::of(a).times(Residue::of(b)), Residue::of(a * b));
        assert_eq!(Residue::of(a).minus(Residue::of(b)), Residue::of(a - b));
        assert_eq!(Residue::of(a).plus(Residue::of(b)), Residue::of(a + b));
    }
}
