//! Instances that the registry knows one by one.
//!
//! By default an instance is 24 bytes long and every pattern of bits is a valid one, so that memory
//! that never was an instance can be looked at. With `probe-boxed` it owns memory, which tools see
//! when it is freed twice, and there are patterns of bits that it cannot have. With `probe-aligned`
//! it wants to lie at a multiple of 64.

use std::{
    borrow::Borrow as _,
    hint::black_box,
    sync::{
        OnceLock,
        atomic::{AtomicU8, AtomicU64, Ordering::Relaxed},
    },
};

use super::Health;

#[cfg(not(feature = "probe-boxed"))]
type Key = i64;
#[cfg(feature = "probe-boxed")]
type Key = Box<i64>;

/// An element with a key, and with an identity that the registry of live instances knows.
#[cfg_attr(feature = "probe-aligned", repr(align(64)))]
pub struct Probe {
    key: Key,
    id: u64,
    mark: u64,
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

pub(super) fn begin_epoch() {
    let next = NEXT.load(Relaxed);
    let used = index_of(next).min(CHUNK * CHUNKS);
    let chunks = ALIVE_OR_NOT.iter().take(used.div_ceil(CHUNK));
    let slots = chunks.filter_map(|chunk| chunk.get()).flatten();
    for slot in slots.take(used) {
        slot.store(UNKNOWN, Relaxed);
    }
    NEXT.store(((next >> 32) + 1) << 32, Relaxed);
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
    pub(super) fn make(key: i64) -> Probe {
        let id = NEXT.fetch_add(1, Relaxed);
        if let Some(slot) = slot(id) {
            slot.store(ALIVE, Relaxed);
        }
        Probe { key: Key::from(key), id, mark: mark_of(id) }
    }

    pub(super) fn value(&self) -> i64 {
        *self.key.borrow()
    }

    pub(super) fn health(&self) -> Health {
        if cfg!(feature = "probe-aligned") && self.is_askew() {
            Health::Askew
        } else if self.mark == mark_of(self.id) {
            match self.state() {
                ALIVE => Health::Alive,
                DROPPED => Health::Dropped,
                _ => Health::Nothing,
            }
        } else if self.mark == !mark_of(self.id) {
            Health::Dropped
        } else {
            Health::Nothing
        }
    }

    pub(super) fn bury(&mut self) {
        if self.is_of_this_epoch()
            && let Some(slot) = slot(self.id)
        {
            slot.store(DROPPED, Relaxed);
        }
        self.mark = !self.mark;
        // The memory is dead to the compiler; what it holds must be seen by a later misuse.
        black_box(&mut self.mark);
    }

    /// Whether it lies where it must not. The compiler believes that nothing does: it must not see
    /// what is compared.
    fn is_askew(&self) -> bool {
        !black_box(std::ptr::from_ref(self).addr()).is_multiple_of(align_of::<Probe>())
    }

    fn state(&self) -> u8 {
        if !self.is_of_this_epoch() {
            return ALIVE;
        }
        slot(self.id).map_or(ALIVE, |slot| slot.load(Relaxed))
    }

    fn is_of_this_epoch(&self) -> bool {
        self.id >> 32 == NEXT.load(Relaxed) >> 32
    }
}

#[cfg(test)]
impl Probe {
    pub(super) fn twin(&self) -> Probe {
        Probe { key: Key::from(self.value()), id: self.id, mark: self.mark }
    }

    pub(super) fn garbage() -> Probe {
        Probe { key: Key::from(0), id: 0, mark: 0 }
    }
}
