//! What thresholds say where their truth is known.

use crate::{
    facts::fact::{Fact, TermId},
    numeric::threshold::Side,
};

/// What a threshold of `truth` says on the rows where it is so.
pub(crate) fn side(fact: &Fact, truth: TermId, value: i64) -> Option<Fact> {
    let Fact::Threshold(b, x, y, at) = fact else { return None };
    if *b != truth {
        return None;
    }
    let (is_above, c) = match (at.side, value != 0) {
        (Side::AtLeast, true) => (true, at.yes),
        (Side::AtLeast, false) => (false, at.no),
        (Side::AtMost, true) => (false, at.yes),
        (Side::AtMost, false) => (true, at.no),
    };
    Some(match (y, is_above) {
        (None, true) => Fact::AtLeast(*x, c),
        (None, false) => Fact::AtMost(*x, c),
        (Some(y), true) => Fact::Gap(*y, *x, c.checked_neg()?),
        (Some(y), false) => Fact::Gap(*x, *y, c),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numeric::threshold::Threshold;

    #[test]
    fn each_side_of_a_threshold_is_a_bound() {
        let at = Threshold { side: Side::AtLeast, yes: 5, no: 4 };
        let alone = Fact::Threshold(0, 1, None, at);
        assert_eq!(side(&alone, 0, 1), Some(Fact::AtLeast(1, 5)));
        assert_eq!(side(&alone, 0, 0), Some(Fact::AtMost(1, 4)));
        assert_eq!(side(&alone, 7, 0), None);
        let pair = Fact::Threshold(0, 1, Some(2), at);
        assert_eq!(side(&pair, 0, 1), Some(Fact::Gap(2, 1, -5)));
        assert_eq!(side(&pair, 0, 0), Some(Fact::Gap(1, 2, 4)));
    }
}
