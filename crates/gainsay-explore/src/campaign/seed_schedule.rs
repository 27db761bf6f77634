//! Which of the given sequences furnishes which epoch. Each is made once, as early as possible;
//! after that, epochs get beginnings of them in turn, so that what a later step used up is there
//! too.

use std::collections::VecDeque;

use gainsay_wire::{Arg, EpochTask, Sequence, Step, Value};

use crate::campaign::epoch_retry::Salvaged;

/// The share of an epoch's calls that sequences may take the first time.
const FIRST_SHARE: usize = 2;
/// The same later.
const LATER_SHARE: usize = 16;

/// Sequences for the beginnings of epochs.
#[derive(Clone, Debug, Default)]
pub(crate) struct Stock {
    all: Vec<Sequence>,
    /// Those that were not made yet.
    fresh: VecDeque<Sequence>,
    /// The number of beginnings that were given out.
    turns: usize,
}

impl Stock {
    pub(crate) fn new(sequences: Vec<Sequence>) -> Stock {
        Stock { fresh: sequences.iter().cloned().collect(), all: sequences, turns: 0 }
    }

    /// Sequences that furnish the next epoch, which makes so many calls.
    pub(crate) fn next(&mut self, calls: u32) -> Vec<Sequence> {
        let mut room = calls as usize / FIRST_SHARE;
        let mut given = Vec::new();
        while let Some(sequence) = self.fresh.pop_front_if(|next| next.steps.len() <= room) {
            room -= sequence.steps.len();
            given.push(sequence);
        }
        if !given.is_empty() || self.all.is_empty() {
            return given;
        }
        let mut room = calls as usize / LATER_SHARE;
        while let Some(beginning) = self.beginning().filter(|next| next.steps.len() <= room) {
            room -= beginning.steps.len();
            self.turns += 1;
            given.push(beginning);
        }
        given
    }

    /// Sequences that furnish an epoch which counts for nothing.
    pub(crate) fn sample(&self, number: u64, calls: u32) -> Vec<Sequence> {
        let start = usize::try_from(number).unwrap_or(0).checked_rem(self.all.len()).unwrap_or(0);
        let mut room = calls as usize / FIRST_SHARE;
        let around = self.all[start..].iter().chain(&self.all[..start]);
        let fitting = around.take_while(|next| {
            let fits = next.steps.len() <= room;
            room = room.saturating_sub(next.steps.len());
            fits
        });
        fitting.cloned().collect()
    }

    /// The beginning whose turn it is: a step longer each time around.
    fn beginning(&self) -> Option<Sequence> {
        let at = self.turns.checked_rem(self.all.len())?;
        let steps = &self.all[at].steps;
        let len = 1 + (self.turns / self.all.len() + at) % steps.len().max(1);
        Some(Sequence { steps: steps.iter().take(len).cloned().collect() })
    }

    /// Takes out what workers died of, and brings back what did not get its turn for that.
    pub(crate) fn mourn(&mut self, tasks: &[EpochTask], epochs: &[Salvaged]) {
        for (task, epoch) in tasks.iter().zip(epochs) {
            let fatal = epoch.death.as_ref().and_then(|death| death.steps.steps.last());
            let Some(fatal) = fatal else { continue };
            let has_it =
                |sequence: &Sequence| sequence.steps.iter().any(|step| is_alike(step, fatal));
            let Some(at) = task.furniture.iter().position(has_it) else { continue };
            self.all.retain(|sequence| !has_it(sequence));
            self.fresh.retain(|sequence| !has_it(sequence));
            let missed = task.furniture[at..].iter().filter(|sequence| !has_it(sequence));
            self.fresh.extend(missed.cloned());
        }
    }
}

/// True if two steps call the same with the same plain values.
fn is_alike(a: &Step, b: &Step) -> bool {
    fn values(step: &Step) -> impl Iterator<Item = Option<&Value>> {
        step.args.iter().map(|arg| match arg {
            Arg::Plain(value) => Some(value),
            Arg::Object(_) => None,
        })
    }
    a.op == b.op && values(a).eq(values(b))
}

#[cfg(test)]
mod tests {
    use gainsay_wire::Outcome;

    use super::*;
    use crate::fake::{FROM, NEW, PUSH, died, int, obj, sequence};

    fn lists(count: i128) -> Vec<Sequence> {
        (0..count)
            .map(|n| sequence(&[(NEW, &[]), (PUSH, &[obj(0), int(n)]), (PUSH, &[obj(0), int(9)])]))
            .collect()
    }

    #[test]
    fn every_sequence_is_made_once_before_any_is_made_again() {
        let mut stock = Stock::new(lists(7));
        let first: Vec<_> = (0..4).flat_map(|_| stock.next(12)).collect();
        assert_eq!(first, lists(7));
    }

    #[test]
    fn later_epochs_get_a_few_beginnings_other_ones_each_time() {
        let mut stock = Stock::new(lists(2));
        assert_eq!(stock.next(80).len(), 2);
        let lengths = |given: &[Sequence]| -> Vec<usize> {
            given.iter().map(|sequence| sequence.steps.len()).collect()
        };
        assert_eq!(lengths(&stock.next(80)), [1, 2, 2]);
        assert_eq!(lengths(&stock.next(80)), [3]);
    }

    #[test]
    fn an_empty_stock_furnishes_nothing() {
        let mut stock = Stock::default();
        assert!(stock.next(1_000).is_empty() && stock.sample(u64::MAX, 1_000).is_empty());
    }

    #[test]
    fn what_kills_is_not_given_again_and_what_it_kept_back_is() {
        let mut stock = Stock::new(lists(3));
        let furniture = stock.next(100);
        let task = EpochTask { calls: 9, furniture, ..EpochTask::default() };
        let fatal = sequence(&[(NEW, &[]), (PUSH, &[obj(0), int(1)])]);
        let death = Some(died(&fatal, Outcome::Aborted("SIGSEGV".parse().unwrap())));
        stock.mourn(&[task], &[Salvaged { report: None, death }]);
        assert_eq!(stock.next(100), lists(3)[2..], "the first was made, the second kills");
        assert_eq!(stock.all.len(), 2);
    }

    #[test]
    fn a_death_of_something_else_changes_nothing() {
        let mut stock = Stock::new(lists(3));
        let furniture = stock.next(100);
        let task = EpochTask { calls: 9, furniture, ..EpochTask::default() };
        let fatal = sequence(&[(FROM, &[int(1)])]);
        let death = Some(died(&fatal, Outcome::Aborted("SIGSEGV".parse().unwrap())));
        stock.mourn(&[task], &[Salvaged { report: None, death }]);
        assert_eq!((stock.all.len(), stock.fresh.len()), (3, 0));
    }
}
