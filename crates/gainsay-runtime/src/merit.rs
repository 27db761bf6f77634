//! What operations brought lately: the chance of a new state, transition or piece of code, by which
//! they are chosen. Old merits fade.

use gainsay_wire::OpId;

use crate::{coverage::Seen, finds::Finds, harvest::News, inject::KINDS};

/// What a worker has learnt about choosing, from epoch to epoch.
#[derive(Default)]
pub(crate) struct Experience {
    pub(crate) merits: Merits,
    pub(crate) code: Seen,
    /// Calls that reached new code.
    pub(crate) finds: Finds,
    /// How often each operation is to be passed over, because it took long.
    pub(crate) owed: Vec<u64>,
    /// What is known of the callbacks of each operation.
    pub(crate) callbacks: Vec<Callbacks>,
}

/// Which code of its caller an operation runs, and how far that was made to misbehave.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Callbacks {
    /// It was called before.
    pub(crate) met: bool,
    /// The most callbacks of each kind in one call.
    pub(crate) most: [u32; KINDS],
    /// The fuse of each kind that is next: all are tried, from 0.
    pub(crate) next: [u32; KINDS],
    /// It takes an iterator.
    pub(crate) iterator: bool,
    /// How often misbehaviour took effect in it.
    pub(crate) twisted: u32,
}

impl Callbacks {
    /// Whether it runs any code of its caller that could misbehave.
    pub(crate) fn any(&self) -> bool {
        self.iterator || self.most.iter().any(|most| *most > 0)
    }
}

/// The merits of all operations.
#[derive(Clone, Debug, Default)]
pub(crate) struct Merits {
    ops: Vec<Merit>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Merit {
    tried: u32,
    gained: u32,
}

/// A new state is worth so much.
const FOR_STATE: u32 = 16;
/// Every look at a new state is a new transition, so one is not worth much.
const FOR_TRANSITION: u32 = 1;
/// What led to new code is worth being done again, with variations.
pub(crate) const FOR_COVERAGE: u32 = 64;
/// After so many tries merits fade by half.
const FADES_AFTER: u32 = 128;
/// An operation that never brought anything has this weight: queries have to be called, too.
const LEAST_WEIGHT: u64 = 2;
/// What an operation is taken to have gained before its first call.
const FIRST_GAIN: u32 = 4;

impl Merits {
    /// Takes note of a call that cost as much as so many small ones.
    pub(crate) fn note(&mut self, op: OpId, news: News, cost: u32) {
        let state = if news.state { FOR_STATE } else { 0 };
        let transition = if news.transition { FOR_TRANSITION } else { 0 };
        let merit = self.of(op);
        merit.tried += cost.min(FADES_AFTER);
        merit.gained += state + transition;
        while merit.tried >= FADES_AFTER {
            merit.tried /= 2;
            merit.gained /= 2;
        }
    }

    /// Adds what became known later.
    pub(crate) fn reward(&mut self, op: OpId, gain: u32) {
        let merit = self.of(op);
        merit.gained = merit.gained.saturating_add(gain).min(FADES_AFTER * FOR_STATE);
    }

    /// How much an operation is to be preferred; that of one hardly tried is high.
    pub(crate) fn weight(&self, op: OpId) -> u64 {
        let merit = self.ops.get(op.0 as usize).copied().unwrap_or_default();
        let gained = u64::from(merit.gained + FIRST_GAIN);
        let rate = gained * 16 / u64::from(merit.tried + 1);
        // Squared: what brings twice as much is worth much more, since many bring a little.
        LEAST_WEIGHT + rate * rate / 64
    }

    fn of(&mut self, op: OpId) -> &mut Merit {
        let at = op.0 as usize;
        if self.ops.len() <= at {
            self.ops.resize(at + 1, Merit::default());
        }
        &mut self.ops[at]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const STATE: News = News { state: true, transition: true };

    fn weight_after(calls: &[News]) -> u64 {
        let mut merits = Merits::default();
        for news in calls {
            merits.note(OpId(2), *news, 1);
        }
        merits.weight(OpId(2))
    }

    #[test]
    fn what_brings_new_states_outweighs_what_brings_nothing_which_still_counts() {
        let nothing = weight_after(&[News::default(); 1000]);
        let looks = weight_after(&[News { state: false, transition: true }; 1000]);
        let states = weight_after(&[STATE; 1000]);
        assert!(nothing >= LEAST_WEIGHT && nothing < looks && looks * 8 < states);
    }

    #[test]
    fn what_was_hardly_tried_has_a_chance() {
        assert!(weight_after(&[]) > 8 * weight_after(&[News::default(); 20]));
        assert!(weight_after(&[STATE]) > weight_after(&[]));
    }

    #[test]
    fn what_takes_much_effort_counts_for_less() {
        let weight = |cost| {
            let mut merits = Merits::default();
            (0..50).for_each(|_| merits.note(OpId(0), STATE, cost));
            merits.weight(OpId(0))
        };
        assert!(weight(100_000) * 8 < weight(1));
    }

    #[test]
    fn old_merits_fade() {
        let calls: Vec<News> = [[STATE; 200], [News::default(); 200]].concat();
        assert!(weight_after(&calls) * 4 < weight_after(&[STATE; 200]));
    }

    #[test]
    fn new_code_is_a_merit_within_bounds() {
        let mut merits = Merits::default();
        merits.note(OpId(0), News::default(), 1);
        let before = merits.weight(OpId(0));
        merits.reward(OpId(0), FOR_COVERAGE);
        assert!(merits.weight(OpId(0)) > before);
        (0..100_000).for_each(|_| merits.reward(OpId(0), u32::MAX));
        assert!(merits.weight(OpId(0)) < u64::from(u32::MAX));
    }
}
