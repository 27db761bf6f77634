//! Instances of size zero: they have no key and cannot be told apart, but can be counted.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use super::Health;

/// An element without anything in it.
pub struct Probe(());

/// Instances of this epoch that are alive.
static LIVING: AtomicU64 = AtomicU64::new(0);
/// Instances of older epochs that were never dropped: they may be, at any time.
static STRAGGLERS: AtomicU64 = AtomicU64::new(0);

pub(super) fn begin_epoch() {
    STRAGGLERS.fetch_add(LIVING.swap(0, Relaxed), Relaxed);
}

impl Probe {
    pub(super) fn make(_key: i64) -> Probe {
        LIVING.fetch_add(1, Relaxed);
        Probe(())
    }

    #[allow(clippy::unused_self, reason = "what the other kinds have")]
    pub(super) fn value(&self) -> i64 {
        0
    }

    #[allow(clippy::unused_self, reason = "what the other kinds have")]
    pub(super) fn health(&self) -> Health {
        let any = LIVING.load(Relaxed) > 0 || STRAGGLERS.load(Relaxed) > 0;
        if any { Health::Alive } else { Health::Dropped }
    }

    #[allow(clippy::unused_self, reason = "what the other kinds have")]
    pub(super) fn bury(&mut self) {
        let less = |count: u64| count.checked_sub(1);
        if LIVING.fetch_update(Relaxed, Relaxed, less).is_err() {
            STRAGGLERS.fetch_update(Relaxed, Relaxed, less).ok();
        }
    }
}

#[cfg(test)]
impl Probe {
    #[allow(clippy::unused_self, reason = "what the other kinds have")]
    pub(super) fn twin(&self) -> Probe {
        Probe(())
    }
}
