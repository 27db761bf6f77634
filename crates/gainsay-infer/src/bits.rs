//! Sets of rows as bits: one word settles 64 rows, and most candidates die in the first.

/// A set of rows of one table.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Bits {
    words: Vec<u64>,
    len: usize,
}

impl Bits {
    pub(crate) fn none(len: usize) -> Bits {
        Bits { words: vec![0; len.div_ceil(64)], len }
    }

    pub(crate) fn from_fn(len: usize, mut holds: impl FnMut(usize) -> bool) -> Bits {
        let mut bits = Bits::none(len);
        for (at, word) in bits.words.iter_mut().enumerate() {
            for row in at * 64..(at * 64 + 64).min(len) {
                *word |= u64::from(holds(row)) << (row % 64);
            }
        }
        bits
    }

    pub(crate) fn len(&self) -> usize {
        self.len
    }

    pub(crate) fn get(&self, row: usize) -> bool {
        self.words[row / 64] >> (row % 64) & 1 == 1
    }

    pub(crate) fn insert(&mut self, row: usize) {
        self.words[row / 64] |= 1 << (row % 64);
    }

    pub(crate) fn count(&self) -> usize {
        self.words.iter().map(|word| word.count_ones() as usize).sum()
    }

    pub(crate) fn is_none(&self) -> bool {
        self.words.iter().all(|word| *word == 0)
    }

    pub(crate) fn and(&self, other: &Bits) -> Bits {
        self.zip(other, |a, b| a & b)
    }

    pub(crate) fn or(&self, other: &Bits) -> Bits {
        self.zip(other, |a, b| a | b)
    }

    pub(crate) fn minus(&self, other: &Bits) -> Bits {
        self.zip(other, |a, b| a & !b)
    }

    pub(crate) fn not(&self) -> Bits {
        let mut words: Vec<u64> = self.words.iter().map(|word| !word).collect();
        if let (Some(last), used @ 1..) = (words.last_mut(), self.len % 64) {
            *last &= (1 << used) - 1;
        }
        Bits { words, len: self.len }
    }

    /// Whether all rows of this set are in the other.
    pub(crate) fn within(&self, other: &Bits) -> bool {
        self.words.iter().zip(&other.words).all(|(a, b)| a & !b == 0)
    }

    /// Whether no row of this set is in the other.
    pub(crate) fn apart(&self, other: &Bits) -> bool {
        self.words.iter().zip(&other.words).all(|(a, b)| a & b == 0)
    }

    /// How two sets compare on the known rows; `None` when they neither agree nor oppose.
    pub(crate) fn fit(&self, other: &Bits, known: [&Bits; 2]) -> Option<Fit> {
        let (mut agree, mut oppose) = (true, true);
        for (at, (a, b)) in self.words.iter().zip(&other.words).enumerate() {
            let known = known[0].words[at] & known[1].words[at];
            agree &= (a ^ b) & known == 0;
            oppose &= (a ^ b) & known == known;
            if !agree && !oppose {
                return None;
            }
        }
        Some(if agree { Fit::Agree } else { Fit::Oppose })
    }

    pub(crate) fn rows(&self) -> impl Iterator<Item = usize> + '_ {
        self.words.iter().enumerate().flat_map(|(at, word)| {
            let next = |rest: &u64| Some(rest & (rest - 1)).filter(|rest| *rest != 0);
            let first = Some(*word).filter(|word| *word != 0);
            let rests = std::iter::successors(first, next);
            rests.map(move |rest| at * 64 + rest.trailing_zeros() as usize)
        })
    }

    fn zip(&self, other: &Bits, join: impl Fn(u64, u64) -> u64) -> Bits {
        let words = self.words.iter().zip(&other.words).map(|(a, b)| join(*a, *b)).collect();
        Bits { words, len: self.len }
    }
}

/// How two sets of rows compare.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fit {
    /// On the same rows.
    Agree,
    /// On exactly the other rows.
    Oppose,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_complement_stays_within_the_table() {
        for len in [0, 1, 63, 64, 65, 130] {
            let third = Bits::from_fn(len, |row| row % 3 == 0);
            assert_eq!(third.count() + third.not().count(), len);
            assert!(third.apart(&third.not()));
            assert_eq!(third.or(&third.not()), Bits::none(len).not());
            assert!(third.rows().eq((0..len).step_by(3)));
        }
    }

    #[test]
    fn a_set_is_within_another_when_nothing_remains() {
        let even = Bits::from_fn(100, |row| row % 2 == 0);
        let fourth = Bits::from_fn(100, |row| row % 4 == 0);
        assert!(fourth.within(&even) && !even.within(&fourth));
        assert_eq!(even.minus(&fourth).count(), 25);
        assert!(fourth.minus(&even).is_none());
    }

    #[test]
    fn sets_fit_only_on_the_rows_that_are_known() {
        let even = Bits::from_fn(100, |row| row % 2 == 0);
        let (all, start) = (Bits::none(100).not(), Bits::from_fn(100, |row| row < 70));
        let broken = Bits::from_fn(100, |row| row % 2 == 0 || row > 80);
        assert_eq!(even.fit(&even, [&all, &all]), Some(Fit::Agree));
        assert_eq!(even.fit(&even.not(), [&all, &all]), Some(Fit::Oppose));
        assert_eq!(even.fit(&broken, [&all, &all]), None);
        assert_eq!(even.fit(&broken, [&all, &start]), Some(Fit::Agree));
    }
}
