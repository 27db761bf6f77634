//! Truths that flip where a number passes a threshold: `b <=> x >= c`.

/// What a number was where a truth held and where it did not; filled batch by batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Split {
    yes: (i64, i64),
    no: (i64, i64),
}

/// A threshold between two values that were seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Threshold {
    /// Which side is the true one.
    pub(crate) side: Side,
    /// The nearest value where it was true.
    pub(crate) yes: i64,
    /// The nearest value where it was false. The true threshold lies between the two.
    pub(crate) no: i64,
}

/// A side of a threshold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Side {
    /// `x >= c`
    AtLeast,
    /// `x <= c`
    AtMost,
}

impl Split {
    /// Nothing seen.
    pub(crate) fn empty() -> Split {
        let none = (i64::MAX, i64::MIN);
        Split { yes: none, no: none }
    }

    /// Takes rows; `truths` are 0 or 1.
    pub(crate) fn add(&mut self, values: &[i64], truths: &[i64]) {
        for (value, truth) in values.iter().zip(truths) {
            let seen = if *truth == 0 { &mut self.no } else { &mut self.yes };
            *seen = (seen.0.min(*value), seen.1.max(*value));
        }
    }

    /// The threshold, if both truths were seen and never on the same side.
    pub(crate) fn threshold(&self) -> Option<Threshold> {
        let both = self.yes.0 <= self.yes.1 && self.no.0 <= self.no.1;
        if both && self.yes.0 > self.no.1 {
            return Some(Threshold { side: Side::AtLeast, yes: self.yes.0, no: self.no.1 });
        }
        if both && self.yes.1 < self.no.0 {
            return Some(Threshold { side: Side::AtMost, yes: self.yes.1, no: self.no.0 });
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(values: &[i64], truths: &[i64], expected: Option<(Side, i64, i64)>) {
        let mut split = Split::empty();
        split.add(values, truths);
        let found = split.threshold().map(|found| (found.side, found.yes, found.no));
        assert_eq!(found, expected);
    }

    #[test]
    fn a_threshold_lies_between_what_was_true_and_what_was_false() {
        check(&[1, 49, 50, 99], &[0, 0, 1, 1], Some((Side::AtLeast, 50, 49)));
        check(&[-1, 0, 7], &[1, 0, 0], Some((Side::AtMost, -1, 0)));
    }

    #[test]
    fn there_is_none_where_truths_overlap_or_never_change() {
        check(&[1, 50, 50], &[0, 0, 1], None);
        check(&[1, 2], &[1, 1], None);
        check(&[], &[], None);
    }
}
