//! Focused epochs for workers that would have nothing to do while attacks are planned and calls
//! recorded. They are about the operations that had fewest of them so far, each time with other
//! objects and another seed. Their number is a matter of time, so there are none where a number of
//! calls promises the same result on every machine.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Arc, Mutex},
};

use gainsay_wire::{EpochTask, OpId, Sequence};

use crate::focus::focused_epochs::{FocusSettings, MOST_EPOCHS, plan_epoch};

// Without it a third of the time of a round passed without a call: batches were over before the next
// attacks were planned.
/// A stock of focused epochs that workers help themselves to, from their own threads.
#[derive(Clone, Debug)]
pub(crate) struct IdleWork(Arc<Mutex<Stock>>);

#[derive(Debug)]
struct Stock {
    how: FocusSettings,
    ops: BTreeMap<OpId, Target>,
    /// Operations that killed workers.
    deadly: BTreeSet<OpId>,
}

/// An operation that epochs may be about.
#[derive(Debug)]
struct Target {
    /// Recipes of objects that searches found.
    origins: Vec<Sequence>,
    /// Epochs given out so far.
    given: usize,
}

const UNPOISONED: &str = "no thread panics while it holds it";

impl IdleWork {
    pub(crate) fn new(how: &FocusSettings) -> IdleWork {
        // When planning is over, it waits for epochs that have begun: half the calls, half the wait.
        let how = FocusSettings { calls: how.calls.div_ceil(2), ..how.clone() };
        let stock = Stock { how, ops: BTreeMap::new(), deadly: BTreeSet::new() };
        IdleWork(Arc::new(Mutex::new(stock)))
    }

    /// From now on epochs may be about an operation, on these objects.
    pub(crate) fn offer_operation(&self, op: OpId, origins: Vec<Sequence>) {
        let mut stock = self.0.lock().expect(UNPOISONED);
        if stock.deadly.contains(&op) {
            return;
        }
        let known = stock.ops.entry(op).or_insert_with(|| Target { origins: Vec::new(), given: 0 });
        known.origins = origins;
    }

    /// From now on an operation is called in no epoch: it killed a worker.
    pub(crate) fn bar_operation(&self, op: OpId) {
        let mut stock = self.0.lock().expect(UNPOISONED);
        stock.ops.remove(&op);
        if !stock.how.barred.contains(&op) {
            stock.how.barred.push(op);
        }
        stock.deadly.insert(op);
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.lock().expect(UNPOISONED).ops.is_empty()
    }

    /// The next epoch. It reports violations only: recording its calls would take the time that it is
    /// meant to fill.
    pub(crate) fn next_epoch(&self) -> Option<EpochTask> {
        let mut stock = self.0.lock().expect(UNPOISONED);
        let Stock { how, ops, .. } = &mut *stock;
        // Operations that are offered late catch up with the others.
        let (op, target) = ops.iter_mut().min_by_key(|(_, target)| target.given)?;
        // Numbers below are those of the epochs that attacks plan: other seeds, other objects.
        let number = MOST_EPOCHS + target.given;
        target.given += 1;
        Some(EpochTask { keep: Some(0), ..plan_epoch(how, *op, number, &target.origins) })
    }
}

#[cfg(test)]
mod tests {
    use gainsay_wire::{Settings, Step};

    use super::*;
    use crate::IdleWorkers;

    #[test]
    fn operations_take_turns_and_no_epoch_is_like_another() {
        let (settings, barred) = (Settings::default(), vec![OpId(2)]);
        let how = FocusSettings { settings, seed: 7, calls: 9, barred, idle: IdleWorkers::Explore };
        let work = IdleWork::new(&how);
        assert!(work.is_empty() && work.next_epoch().is_none());
        let origin = |op| Sequence { steps: vec![Step::new(OpId(op), Vec::new())] };
        let origins: Vec<Sequence> = (0..20).map(origin).collect();
        work.offer_operation(OpId(1), origins.clone());
        work.offer_operation(OpId(2), Vec::new());
        let epochs: Vec<EpochTask> = (0..6).filter_map(|_| work.next_epoch()).collect();
        let aims: Vec<u32> = epochs.iter().filter_map(|task| Some(task.aim?.0)).collect();
        assert_eq!(aims, [1, 2, 1, 2, 1, 2]);
        assert_ne!(epochs[0].seed, epochs[2].seed);
        assert_ne!(epochs[0].furniture, epochs[2].furniture);
        assert!(epochs.iter().all(|task| task.keep == Some(0)));
        assert_eq!((epochs[0].calls, epochs[1].calls), (5 + 8, 5), "and those that make objects");
        assert_eq!((epochs[0].barred.len(), epochs[1].barred.len()), (1, 0));
        work.offer_operation(OpId(3), Vec::new());
        let aims: Vec<_> = (0..4).filter_map(|_| work.next_epoch()?.aim).collect();
        assert_eq!(aims, [OpId(3); 3].into_iter().chain([OpId(1)]).collect::<Vec<_>>());
        work.bar_operation(OpId(1));
        work.offer_operation(OpId(1), Vec::new());
        let next = work.next_epoch().unwrap();
        assert_eq!(next.aim, Some(OpId(2)), "what killed a worker does not come back");
        assert_eq!(next.barred, [OpId(1)]);
    }
}
