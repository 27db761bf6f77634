//! Probe elements: a type that knows whether each of its instances is alive. A second drop, a use
//! after drop and an instance that was never made are recorded here and collected by the executor
//! after each step; nothing panics.
//!
//! What an instance is made of depends on the build of the harness: size, alignment and whether it
//! owns memory decide which faults of containers can be seen.

use std::{
    cmp::Ordering,
    fmt,
    hash::{Hash, Hasher},
    sync::{
        Mutex,
        atomic::{AtomicUsize, Ordering::Relaxed},
    },
};

use gainsay_wire::{Callback, Misuse};

use crate::inject;

#[cfg(not(feature = "probe-zero"))]
#[path = "probe/tracked.rs"]
mod body;
#[cfg(feature = "probe-zero")]
#[path = "probe/zero.rs"]
mod body;

pub use body::Probe;

static MISUSED: AtomicUsize = AtomicUsize::new(0);
static MISUSES: Mutex<Vec<Misuse>> = Mutex::new(Vec::new());
const MOST_MISUSES: usize = 64;

/// What was recorded since the last time.
pub(crate) fn take_misuses() -> Vec<Misuse> {
    if MISUSED.load(Relaxed) == 0 {
        return Vec::new();
    }
    MISUSED.store(0, Relaxed);
    std::mem::take(&mut *MISUSES.lock().expect("nothing panics while it is held"))
}

/// What is recorded meanwhile does not count.
pub(crate) fn aside<T>(experiment: impl FnOnce() -> T) -> T {
    let before = take_misuses();
    let result = experiment();
    take_misuses();
    before.into_iter().for_each(record);
    result
}

/// Takes note of broken memory.
pub(crate) fn record(misuse: Misuse) {
    MISUSED.fetch_add(1, Relaxed);
    let mut misuses = MISUSES.lock().expect("nothing panics while it is held");
    if misuses.len() < MOST_MISUSES {
        misuses.push(misuse);
    }
}

/// How an instance is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Health {
    Alive,
    Dropped,
    /// It never was one.
    Nothing,
    /// It lies where no instance can lie.
    Askew,
}

/// Forgets all instances made so far.
pub(crate) fn begin_epoch() {
    body::begin_epoch();
    take_misuses();
}

impl Probe {
    /// A new instance.
    pub fn new(key: i64) -> Probe {
        Probe::make(key)
    }

    /// The key; looking at it is a use.
    pub fn key(&self) -> i64 {
        self.check(Misuse::UseAfterDrop);
        self.value()
    }

    /// Whether the instance is in order; `dead` is what it is called if it was dropped before.
    fn check(&self, dead: Misuse) -> bool {
        let misuse = match self.health() {
            Health::Alive => return true,
            Health::Dropped => dead,
            Health::Nothing => Misuse::Uninitialised,
            Health::Askew => Misuse::Misaligned,
        };
        record(misuse);
        false
    }
}

impl Drop for Probe {
    fn drop(&mut self) {
        if self.check(Misuse::DoubleDrop) {
            self.bury();
        }
        // It counts as dropped, whatever comes of it.
        inject::callback(Callback::Drop);
    }
}

impl Clone for Probe {
    fn clone(&self) -> Probe {
        inject::callback(Callback::Clone);
        Probe::new(self.key())
    }
}

impl Default for Probe {
    fn default() -> Probe {
        inject::callback(Callback::Default);
        Probe::new(0)
    }
}

impl PartialEq for Probe {
    fn eq(&self, other: &Probe) -> bool {
        inject::callback(Callback::Eq);
        self.key() == other.key()
    }
}

impl Eq for Probe {}

impl PartialOrd for Probe {
    fn partial_cmp(&self, other: &Probe) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Probe {
    fn cmp(&self, other: &Probe) -> Ordering {
        inject::callback(Callback::Ord);
        self.key().cmp(&other.key())
    }
}

impl Hash for Probe {
    fn hash<H: Hasher>(&self, state: &mut H) {
        inject::callback(Callback::Hash);
        self.key().hash(state);
    }
}

impl fmt::Debug for Probe {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Probe({})", self.key())
    }
}

impl fmt::Display for Probe {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self, f)
    }
}

impl std::error::Error for Probe {}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// A bitwise copy, as a faulty container makes it. What it owns is not freed twice: that would
    /// be the end of the test.
    fn copy_of(probe: &Probe) -> Probe {
        probe.twin()
    }

    fn misuses_of(play: impl FnOnce()) -> Vec<Misuse> {
        let _alone = crate::worker::alone();
        begin_epoch();
        play();
        take_misuses()
    }

    #[test]
    fn an_honest_life_is_not_remarked_upon() {
        let misuses = misuses_of(|| {
            let probe = Probe::new(3);
            let twin = probe.clone();
            assert_eq!(probe, twin);
            let key = if cfg!(feature = "probe-zero") { 0 } else { 3 };
            assert_eq!(format!("{twin}"), format!("Probe({key})"));
        });
        assert_eq!(misuses, []);
    }

    #[test]
    fn a_second_drop_is_recorded() {
        let misuses = misuses_of(|| {
            let probe = Probe::new(1);
            drop(copy_of(&probe));
        });
        assert_eq!(misuses, [Misuse::DoubleDrop]);
    }

    #[test]
    fn a_look_at_a_dropped_one_is_recorded() {
        let misuses = misuses_of(|| {
            let probe = std::mem::ManuallyDrop::new(Probe::new(1));
            drop(copy_of(&probe));
            probe.key();
        });
        assert_eq!(misuses, [Misuse::UseAfterDrop]);
    }

    #[cfg(not(feature = "probe-zero"))]
    #[test]
    fn memory_that_never_was_one_is_recorded() {
        let misuses = misuses_of(|| drop(Probe::garbage()));
        assert_eq!(misuses, [Misuse::Uninitialised]);
    }

    #[test]
    fn stragglers_of_an_older_epoch_are_left_alone() {
        let misuses = misuses_of(|| {
            let straggler = Probe::new(1);
            begin_epoch();
            drop(straggler);
        });
        assert_eq!(misuses, []);
    }
}
