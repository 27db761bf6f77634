//! Probe elements: a type that knows whether each of its instances is alive. A second drop, a use
//! after drop and an instance that was never made are recorded here and collected by the executor
//! after each step; nothing panics.

use std::{
    cmp::Ordering,
    fmt,
    hash::{Hash, Hasher},
    hint::black_box,
    sync::{
        Mutex, OnceLock,
        atomic::{AtomicU8, AtomicU64, AtomicUsize, Ordering::Relaxed},
    },
};

use gainsay_wire::Callback;

use crate::inject;

/// An element with a key, and with an identity that the registry of live instances knows.
pub struct Probe {
    key: i64,
    id: u64,
    mark: u64,
}

/// What can be wrong with a probe.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Misuse {
    DoubleDrop,
    UseAfterDrop,
    Uninitialised,
}

impl Misuse {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Misuse::DoubleDrop => "double drop",
            Misuse::UseAfterDrop => "use after drop",
            Misuse::Uninitialised => "uninitialised",
        }
    }
}

const UNKNOWN: u8 = 0;
const ALIVE: u8 = 1;
const DROPPED: u8 = 2;

const CHUNK: usize = 1 << 16;
const CHUNKS: usize = 1 << 10;

/// One byte per instance of the current epoch, in chunks that are made when first needed.
static ALIVE_OR_NOT: [OnceLock<Box<[AtomicU8]>>; CHUNKS] = [const { OnceLock::new() }; CHUNKS];
/// The next id: the epoch in the upper half, so that stragglers of an older epoch are left alone.
static NEXT: AtomicU64 = AtomicU64::new(1 << 32);
static MISUSED: AtomicUsize = AtomicUsize::new(0);
static MISUSES: Mutex<Vec<Misuse>> = Mutex::new(Vec::new());
const MOST_MISUSES: usize = 64;

/// Forgets all instances made so far.
pub(crate) fn begin_epoch() {
    let next = NEXT.load(Relaxed);
    let used = index_of(next).min(CHUNK * CHUNKS);
    let chunks = ALIVE_OR_NOT.iter().take(used.div_ceil(CHUNK));
    let slots = chunks.filter_map(|chunk| chunk.get()).flatten();
    for slot in slots.take(used) {
        slot.store(UNKNOWN, Relaxed);
    }
    NEXT.store(((next >> 32) + 1) << 32, Relaxed);
    take_misuses();
}

/// What was recorded since the last time.
pub(crate) fn take_misuses() -> Vec<Misuse> {
    if MISUSED.load(Relaxed) == 0 {
        return Vec::new();
    }
    MISUSED.store(0, Relaxed);
    std::mem::take(&mut *MISUSES.lock().expect("nothing panics while it is held"))
}

fn record(misuse: Misuse) {
    MISUSED.fetch_add(1, Relaxed);
    let mut misuses = MISUSES.lock().expect("nothing panics while it is held");
    if misuses.len() < MOST_MISUSES {
        misuses.push(misuse);
    }
}

fn index_of(id: u64) -> usize {
    usize::try_from(id & 0xffff_ffff).unwrap_or(usize::MAX)
}

fn slot(id: u64) -> Option<&'static AtomicU8> {
    let index = index_of(id);
    let chunk = ALIVE_OR_NOT.get(index / CHUNK)?;
    chunk.get_or_init(|| (0..CHUNK).map(|_| AtomicU8::new(UNKNOWN)).collect()).get(index % CHUNK)
}

fn mark_of(id: u64) -> u64 {
    id.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x5052_4f42_455f_4f4b
}

impl Probe {
    /// A new instance.
    pub fn new(key: i64) -> Probe {
        let id = NEXT.fetch_add(1, Relaxed);
        if let Some(slot) = slot(id) {
            slot.store(ALIVE, Relaxed);
        }
        Probe { key, id, mark: mark_of(id) }
    }

    /// The key; looking at it is a use.
    pub fn key(&self) -> i64 {
        self.check(Misuse::UseAfterDrop);
        self.key
    }

    /// Whether the instance is in order; `dead` is what it is called if it was dropped before.
    fn check(&self, dead: Misuse) -> bool {
        let misuse = if self.mark == mark_of(self.id) {
            match self.state() {
                ALIVE => return true,
                DROPPED => dead,
                _ => Misuse::Uninitialised,
            }
        } else if self.mark == !mark_of(self.id) {
            dead
        } else {
            Misuse::Uninitialised
        };
        record(misuse);
        false
    }

    fn state(&self) -> u8 {
        if self.id >> 32 != NEXT.load(Relaxed) >> 32 {
            return ALIVE;
        }
        slot(self.id).map_or(ALIVE, |slot| slot.load(Relaxed))
    }
}

impl Drop for Probe {
    fn drop(&mut self) {
        if self.check(Misuse::DoubleDrop) {
            if self.id >> 32 == NEXT.load(Relaxed) >> 32
                && let Some(slot) = slot(self.id)
            {
                slot.store(DROPPED, Relaxed);
            }
            self.mark = !self.mark;
            // The memory is dead to the compiler; what it holds must be seen by a later misuse.
            black_box(&mut self.mark);
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

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// A bitwise copy, as a faulty container makes it.
    fn copy_of(probe: &Probe) -> Probe {
        Probe { key: probe.key, id: probe.id, mark: probe.mark }
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
            assert_eq!(format!("{twin}"), "Probe(3)");
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

    #[test]
    fn memory_that_never_was_one_is_recorded() {
        let misuses = misuses_of(|| drop(Probe { key: 0, id: 0, mark: 0 }));
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
