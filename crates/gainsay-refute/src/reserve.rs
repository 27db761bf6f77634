//! Raids in reserve, for workers that would have nothing to do while attacks are planned and calls
//! recorded: on the operations that were raided least so far, each time with other objects and
//! another seed. How many are made is a matter of time, so there are none where a number of calls
//! promises the same result on every machine.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Arc, Mutex},
};

use gainsay_wire::{EpochTask, OpId, Sequence};

use crate::raid::{MOST, Raid, task};

/// Raids in reserve, which workers help themselves to.
#[derive(Clone, Debug)]
pub(crate) struct Reserve(Arc<Mutex<Stock>>);

#[derive(Debug)]
struct Stock {
    raid: Raid,
    ops: BTreeMap<OpId, Target>,
    /// Operations that killed workers.
    fallen: BTreeSet<OpId>,
}

/// An operation that can be raided.
#[derive(Debug)]
struct Target {
    /// Ways to objects that searches found.
    heads: Vec<Sequence>,
    /// How often it was raided from the reserve.
    made: usize,
}

const UNPOISONED: &str = "no thread panics while it holds it";

impl Reserve {
    pub(crate) fn new(raid: &Raid) -> Reserve {
        // Whoever waits for the other side to be done should not wait long.
        let raid = Raid { calls: raid.calls.div_ceil(2), ..raid.clone() };
        Reserve(Arc::new(Mutex::new(Stock { raid, ops: BTreeMap::new(), fallen: BTreeSet::new() })))
    }

    /// From now on an operation can be raided, on these objects.
    pub(crate) fn put(&self, op: OpId, heads: Vec<Sequence>) {
        let mut stock = self.0.lock().expect(UNPOISONED);
        if stock.fallen.contains(&op) {
            return;
        }
        let known = stock.ops.entry(op).or_insert_with(|| Target { heads: Vec::new(), made: 0 });
        known.heads = heads;
    }

    /// An operation that killed a worker is not raided any more, nor called by the way.
    pub(crate) fn bar(&self, op: OpId) {
        let mut stock = self.0.lock().expect(UNPOISONED);
        stock.ops.remove(&op);
        if !stock.raid.barred.contains(&op) {
            stock.raid.barred.push(op);
        }
        stock.fallen.insert(op);
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.lock().expect(UNPOISONED).ops.is_empty()
    }

    /// The next raid. It tells of what it contradicts and counts the rest: recording more calls
    /// would keep those from their work that it makes up for.
    pub(crate) fn next(&self) -> Option<EpochTask> {
        let mut stock = self.0.lock().expect(UNPOISONED);
        let Stock { raid, ops, .. } = &mut *stock;
        let (op, target) = ops.iter_mut().min_by_key(|(_, target)| target.made)?;
        let number = MOST + target.made;
        target.made += 1;
        Some(EpochTask { keep: Some(0), ..task(raid, (*op, number), &target.heads) })
    }
}

#[cfg(test)]
mod tests {
    use gainsay_wire::{Settings, Step};

    use super::*;
    use crate::Idleness;

    #[test]
    fn operations_take_turns_and_no_raid_is_like_another() {
        let (settings, barred) = (Settings::default(), vec![OpId(2)]);
        let raid = Raid { settings, seed: 7, calls: 9, barred, idleness: Idleness::Raids };
        let reserve = Reserve::new(&raid);
        assert!(reserve.is_empty() && reserve.next().is_none());
        let head = |op| Sequence { steps: vec![Step::new(OpId(op), Vec::new())] };
        let heads: Vec<Sequence> = (0..20).map(head).collect();
        reserve.put(OpId(1), heads.clone());
        reserve.put(OpId(2), Vec::new());
        let raids: Vec<EpochTask> = (0..6).filter_map(|_| reserve.next()).collect();
        let aims: Vec<u32> = raids.iter().filter_map(|task| Some(task.aim?.0)).collect();
        assert_eq!(aims, [1, 2, 1, 2, 1, 2]);
        assert_ne!(raids[0].seed, raids[2].seed);
        assert_ne!(raids[0].furniture, raids[2].furniture);
        assert!(raids.iter().all(|task| task.keep == Some(0)));
        assert_eq!((raids[0].calls, raids[1].calls), (5 + 8, 5), "and those that make objects");
        assert_eq!((raids[0].barred.len(), raids[1].barred.len()), (1, 0));
        reserve.put(OpId(3), Vec::new());
        let aims: Vec<_> = (0..4).filter_map(|_| reserve.next()?.aim).collect();
        assert_eq!(aims, [OpId(3); 3].into_iter().chain([OpId(1)]).collect::<Vec<_>>());
        reserve.bar(OpId(1));
        reserve.put(OpId(1), Vec::new());
        let next = reserve.next().unwrap();
        assert_eq!(next.aim, Some(OpId(2)), "what killed a worker does not come back");
        assert_eq!(next.barred, [OpId(1)]);
    }
}
