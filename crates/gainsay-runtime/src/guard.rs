//! Limits on time and memory. A worker that passes one notes it in the journal and ends itself.
#![allow(unsafe_code)] // A global allocator is an unsafe trait.

use std::{
    alloc::{GlobalAlloc, Layout, System},
    sync::{
        Once,
        atomic::{
            AtomicU32, AtomicUsize,
            Ordering::{Relaxed, SeqCst},
        },
    },
    time::{Duration, Instant},
};

use gainsay_wire::{EXIT_OUT_OF_MEMORY, EXIT_TIMED_OUT, JournalStatus};

use crate::{journal, system};

/// Counts what the process holds.
struct Counting;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

static HELD: AtomicUsize = AtomicUsize::new(0);
static MOST: AtomicUsize = AtomicUsize::new(usize::MAX);
static STEP_MILLIS: AtomicU32 = AtomicU32::new(0);

/// From now on the process may hold this much; 0 means as much as it likes.
pub(crate) fn limit_memory(bytes: u64) {
    let bytes = usize::try_from(bytes).unwrap_or(usize::MAX);
    MOST.store(if bytes == 0 { usize::MAX } else { bytes }, SeqCst);
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

fn watch() {
    let mut last = journal::pulse();
    let mut since = Instant::now();
    loop {
        let limit = Duration::from_millis(u64::from(STEP_MILLIS.load(SeqCst).max(1)));
        std::thread::sleep((limit / 8).max(Duration::from_millis(1)));
        let now = journal::pulse();
        if now != last || !now.1 || STEP_MILLIS.load(SeqCst) == 0 {
            (last, since) = (now, Instant::now());
        } else if since.elapsed() > limit {
            journal::end(JournalStatus::TimedOut);
            system::exit_now(EXIT_TIMED_OUT);
        }
    }
}

fn take(bytes: usize) {
    let held = HELD.fetch_add(bytes, Relaxed);
    if held.saturating_add(bytes) > MOST.load(Relaxed) {
        journal::end(JournalStatus::OutOfMemory);
        system::exit_now(EXIT_OUT_OF_MEMORY);
    }
}

fn give_back(bytes: usize) {
    HELD.fetch_sub(bytes, Relaxed);
}

// SAFETY: everything is passed on to the system's allocator as it came; counting does not allocate.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        take(layout.size());
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        take(layout.size());
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        give_back(layout.size());
        unsafe { System.dealloc(at, layout) }
    }

    unsafe fn realloc(&self, at: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        take(size);
        give_back(layout.size());
        unsafe { System.realloc(at, layout, size) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_allocated_is_counted() {
        let before = HELD.load(SeqCst);
        let block = std::hint::black_box(vec![0_u8; 64 << 20]);
        assert!(HELD.load(SeqCst) >= before + (32 << 20));
        drop(block);
    }
}
