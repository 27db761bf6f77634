//! Limits on time and memory. A worker that passes one notes it in the journal and ends itself.
#![allow(unsafe_code)] // A global allocator is an unsafe trait.

use std::{
    alloc::{GlobalAlloc, Layout, System},
    cell::Cell,
    os::fd::RawFd,
    sync::{
        Once,
        atomic::{
            AtomicI32, AtomicIsize, AtomicU32, AtomicU64, AtomicUsize,
            Ordering::{Relaxed, SeqCst},
        },
    },
    time::Duration,
};

use gainsay_wire::{EXIT_OUT_OF_MEMORY, EXIT_PIPES_LOST, EXIT_TIMED_OUT, JournalStatus};

use crate::{journal, system};

/// Counts what the process holds.
struct Counting;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

static HELD: AtomicIsize = AtomicIsize::new(0);
static MOST: AtomicUsize = AtomicUsize::new(usize::MAX);
/// What it may hold until the step under way ends.
static STEP_MOST: AtomicUsize = AtomicUsize::new(usize::MAX);
static STEP_MILLIS: AtomicU32 = AtomicU32::new(0);
static TICKS: AtomicU64 = AtomicU64::new(0);

/// One step may take this part of what the process may hold.
const STEP_SHARE: usize = 4;
/// The watchdog looks this often, or more often where limits are short.
const TICK: Duration = Duration::from_millis(10);

/// How often the watchdog has looked: a clock that costs nothing to read.
pub(crate) fn ticks() -> u64 {
    TICKS.load(Relaxed)
}

/// From now on the process may hold this much; 0 means as much as it likes.
pub(crate) fn limit_memory(bytes: u64) {
    let bytes = usize::try_from(bytes).unwrap_or(usize::MAX);
    let bytes = if bytes == 0 { usize::MAX } else { bytes };
    MOST.store(bytes, SeqCst);
    STEP_MOST.store(bytes, SeqCst);
}

/// A step begins: of all that the process may hold, a step may take a quarter. One that wants more
/// would seldom be content with the rest, and filling it takes long. What it takes in large blocks
/// is counted from here on.
pub(crate) fn begin_step() {
    take_bulk();
    let held = usize::try_from(HELD.load(Relaxed)).unwrap_or(0);
    let most = MOST.load(Relaxed);
    STEP_MOST.store(held.saturating_add(most / STEP_SHARE).min(most), Relaxed);
}

/// Whether the process holds so much between tasks, of its own and of what calls left behind, that
/// the next task would be blamed for it. A new process is better then.
pub(crate) fn is_half_full() -> bool {
    is_half(usize::try_from(HELD.load(Relaxed)).unwrap_or(0), MOST.load(Relaxed))
}

fn is_half(held: usize, most: usize) -> bool {
    most != usize::MAX && held > most / 2
}

/// From now on a phase may take this long; 0 means as long as it likes.
pub(crate) fn limit_step(millis: u32) {
    static WATCHDOG: Once = Once::new();
    STEP_MILLIS.store(millis, SeqCst);
    if millis > 0 {
        WATCHDOG.call_once(|| {
            std::thread::Builder::new()
                .name("watchdog".to_owned())
                .spawn(watch)
                .expect("a worker may have a second thread");
        });
    }
}

/// What a phase has used so far, of the processor and of everybody's patience.
#[derive(Debug)]
struct Patience {
    /// The phase, by its pulse.
    phase: u64,
    /// The process's time on the processor when the watchdog last looked.
    looked: Duration,
    /// Time on the processor since the phase began.
    busy: Duration,
    /// Time in which the process did next to nothing.
    idle: Duration,
}

/// A phase that waits instead of working may take so many times longer.
const IDLE_FACTOR: u32 = 2;
/// Who gets less than this share of the time does nothing. The watchdog itself takes a hundredth.
const IDLE_SHARE: u32 = 16;

impl Patience {
    fn new(phase: u64, cpu: Duration) -> Patience {
        Patience { phase, looked: cpu, busy: Duration::ZERO, idle: Duration::ZERO }
    }

    /// One look after a pause; whether the phase had its time.
    ///
    /// Only what the process itself used is counted, and pauses by their intended length: on a
    /// busy machine neither a step nor the watchdog gets its turn, and that is nobody's fault.
    fn is_over(&mut self, cpu: Duration, pause: Duration, limit: Duration) -> bool {
        let used = cpu.saturating_sub(self.looked);
        self.looked = cpu;
        self.busy += used;
        if used < pause / IDLE_SHARE {
            self.idle += pause;
        }
        self.busy > limit || self.idle > limit * IDLE_FACTOR
    }
}

fn watch() {
    let mut patience = Patience::new(0, Duration::ZERO);
    loop {
        let limit = Duration::from_millis(u64::from(STEP_MILLIS.load(SeqCst).max(1)));
        let pause = (limit / 8).clamp(Duration::from_millis(1), TICK);
        std::thread::sleep(pause);
        TICKS.fetch_add(1, Relaxed);
        let (phase, is_busy) = journal::pulse();
        let cpu = system::process_time();
        if phase != patience.phase || !is_busy || STEP_MILLIS.load(SeqCst) == 0 {
            patience = Patience::new(phase, cpu);
        } else if patience.is_over(cpu, pause, limit) {
            journal::end(JournalStatus::TimedOut);
            system::exit_now(EXIT_TIMED_OUT);
        }
    }
}

/// The pipe to the driver, while it is looked after at every step.
static GUARDED_PIPE: AtomicI32 = AtomicI32::new(-1);

/// From now on the process ends with the step that closes this pipe.
pub(crate) fn look_after(pipe: RawFd) {
    GUARDED_PIPE.store(pipe, SeqCst);
}

/// After each step. Costs a system call where there is reason for suspicion, and nothing
/// elsewhere.
pub(crate) fn check_pipe() {
    let pipe = GUARDED_PIPE.load(Relaxed);
    if pipe >= 0 && !system::is_open(pipe) {
        system::exit_now(EXIT_PIPES_LOST);
    }
}

thread_local! {
    /// What this thread took and did not give back, as far as it is not counted in `HELD` yet.
    static OWN: Cell<isize> = const { Cell::new(0) };
    /// Bytes of large blocks that this thread took.
    static BULK: Cell<u64> = const { Cell::new(0) };
}

/// A thread counts by itself up to here: memory that all cores write to is slow.
const COUNTED_APART: isize = 64 << 10;
/// Blocks of this size cost as much to fill as to ask for.
const LARGE: usize = 4 << 10;

/// How many bytes this thread took in large blocks since it was last asked: what large objects
/// cost, told by something that is the same on every machine.
pub(crate) fn take_bulk() -> u64 {
    BULK.replace(0)
}

/// A thread that ends loses what it counted apart; so it does not, after this.
pub(crate) fn settle_memory() {
    count(OWN.replace(0));
}

fn take(bytes: usize) {
    if bytes >= LARGE {
        let _ = BULK.try_with(|bulk| bulk.set(bulk.get() + bytes as u64));
    }
    note(isize::try_from(bytes).unwrap_or(isize::MAX));
}

fn give_back(bytes: usize) {
    note(-isize::try_from(bytes).unwrap_or(isize::MAX));
}

fn note(change: isize) {
    let own = OWN.try_with(|own| {
        let sum = own.get().saturating_add(change);
        let is_large = sum.unsigned_abs() >= COUNTED_APART.unsigned_abs();
        own.set(if is_large { 0 } else { sum });
        is_large.then_some(sum)
    });
    match own {
        Ok(None) => {}
        Ok(Some(sum)) => count(sum),
        Err(_) => count(change),
    }
}

fn count(change: isize) {
    // The sum is below nothing for a while when a thread frees what another has not counted yet.
    let held = HELD.fetch_add(change, Relaxed).saturating_add(change);
    if usize::try_from(held).unwrap_or(0) > STEP_MOST.load(Relaxed) {
        journal::end(JournalStatus::OutOfMemory);
        system::exit_now(EXIT_OUT_OF_MEMORY);
    }
}

/// What memory holds that nobody has written to yet, and what it holds afterwards: no address, no
/// small number, and the same in every process. What a fault reads there does not depend on what
/// happened to lie there before, so it repeats.
const FRESH: u8 = 0xa5;
const STALE: u8 = 0xdb;
/// So many bytes of a block are filled; the rest of a large one would take too long.
const FILLED: usize = LARGE;

/// # Safety
///
/// From `at` on, `bytes` bytes may be written to.
unsafe fn fill(at: *mut u8, bytes: usize, with: u8) {
    if !at.is_null() {
        unsafe { at.write_bytes(with, bytes.min(FILLED)) }
    }
}

// SAFETY: everything is passed on to the system's allocator as it came; counting does not allocate,
// and only what belongs to a block is filled, before its owner has it and after the owner gave it
// back.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        take(layout.size());
        unsafe {
            let at = System.alloc(layout);
            fill(at, layout.size(), FRESH);
            at
        }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        take(layout.size());
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        give_back(layout.size());
        unsafe {
            fill(at, layout.size(), STALE);
            System.dealloc(at, layout);
        }
    }

    unsafe fn realloc(&self, at: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        take(size);
        give_back(layout.size());
        let old = layout.size();
        unsafe {
            let at = System.realloc(at, layout, size);
            if size > old && !at.is_null() {
                fill(at.add(old), size - old, FRESH);
            }
            at
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How many looks, one every eighth of the limit, it takes until the time is over.
    fn looks(used_each: Duration) -> Option<u32> {
        let (limit, pause) = (Duration::from_millis(800), Duration::from_millis(100));
        let mut patience = Patience::new(1, Duration::ZERO);
        (1..1000).find(|&look| patience.is_over(used_each * look, pause, limit))
    }

    #[test]
    fn a_phase_that_spins_has_its_time_on_the_processor() {
        assert_eq!(looks(Duration::from_millis(100)), Some(9));
        assert_eq!(looks(Duration::from_millis(10)), Some(81), "on a busy machine");
    }

    #[test]
    fn a_phase_that_waits_has_more_time_than_one_that_spins() {
        assert_eq!(looks(Duration::ZERO), Some(17));
        assert_eq!(
            looks(Duration::from_millis(2)),
            Some(17),
            "what the watchdog takes is not counted"
        );
    }

    #[test]
    fn a_process_is_half_full_only_where_there_is_a_limit() {
        assert!(is_half(51, 100));
        assert!(!is_half(50, 100));
        assert!(!is_half(usize::MAX - 1, usize::MAX));
    }

    #[test]
    fn large_blocks_count_as_effort_and_small_ones_do_not() {
        take_bulk();
        let small = std::hint::black_box(vec![0_u8; LARGE - 1]);
        assert_eq!(take_bulk(), 0);
        let large = std::hint::black_box(vec![0_u8; 3 * LARGE]);
        assert_eq!((take_bulk(), take_bulk()), (3 * LARGE as u64, 0));
        drop((small, large));
    }

    #[test]
    fn memory_that_nobody_wrote_to_looks_the_same_everywhere() {
        let bytes = |block: &[std::mem::MaybeUninit<u8>]| {
            // SAFETY: the allocator of this program has written to all of it.
            let read = |byte: &std::mem::MaybeUninit<u8>| unsafe { byte.assume_init() };
            std::hint::black_box(block).iter().map(read).collect::<Vec<u8>>()
        };
        let mut block: Vec<u8> = Vec::with_capacity(24);
        assert_eq!(bytes(block.spare_capacity_mut()), [FRESH; 24]);
        block.extend([7; 24]);
        block.reserve_exact(24);
        assert_eq!(bytes(block.spare_capacity_mut()), [FRESH; 24]);
        assert_eq!(block, [7; 24]);
    }

    #[test]
    fn what_is_allocated_is_counted() {
        let before = HELD.load(SeqCst);
        let block = std::hint::black_box(vec![0_u8; 64 << 20]);
        assert!(HELD.load(SeqCst) >= before + (32 << 20));
        drop(block);
    }
}
