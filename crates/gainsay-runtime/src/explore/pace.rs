//! What takes long is called rarely: while one call runs for a second, a hundred thousand others
//! could be made.

use std::time::Instant;

use gainsay_wire::OpId;

use super::Explorer;
use crate::system;

/// A call that takes so many milliseconds of processor time is slow.
const SLOW_MILLIS: u64 = 50;
/// After a slow call the operation is passed over so often for each millisecond.
const PASSED_PER_MILLI: u64 = 16;
/// Processor time is read after so many calls: each time costs as much as a small call.
const READ_EVERY: usize = 64;

/// Measures calls.
pub(super) struct Pace {
    /// Processor time when it was read last.
    read: u64,
    calls: usize,
}

impl Pace {
    pub(super) fn new() -> Pace {
        Pace { read: system::thread_millis(), calls: 0 }
    }

    /// Milliseconds of processor time that a call took which began then; small ones are none.
    /// Where other processes take turns, time alone says little.
    fn spent(&mut self, begun: Instant) -> u64 {
        self.calls += 1;
        let passed = u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX);
        let is_long = passed >= SLOW_MILLIS;
        if !is_long && self.calls < READ_EVERY {
            return 0;
        }
        let before = std::mem::replace(&mut self.read, system::thread_millis());
        self.calls = 0;
        let spent = passed.min(self.read - before);
        if spent >= SLOW_MILLIS { spent } else { 0 }
    }
}

impl Explorer<'_> {
    /// Takes note of how long a call took.
    pub(super) fn clock(&mut self, op: OpId, begun: Instant) {
        let spent = self.pace.as_mut().map_or(0, |pace| pace.spent(begun));
        if spent > 0 {
            let owed = &mut self.harvest.experience().owed;
            let at = op.0 as usize;
            if owed.len() <= at {
                owed.resize(at + 1, 0);
            }
            owed[at] = owed[at].saturating_add(spent.saturating_mul(PASSED_PER_MILLI));
        }
    }

    /// Whether an operation is passed over this time, because it took long before.
    pub(super) fn is_passed_over(&mut self, op: OpId) -> bool {
        if self.pace.is_none() {
            return false;
        }
        match self.harvest.experience().owed.get_mut(op.0 as usize) {
            Some(owed) if *owed > 0 => {
                *owed -= 1;
                true
            }
            _ => false,
        }
    }
}
