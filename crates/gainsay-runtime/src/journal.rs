//! The worker's side of the crash journal: each step is in shared memory before it is made.
//! Without a journal (no path given) only the phase is kept, for the watchdog.
#![allow(unsafe_code)] // Writes to a shared mapping that other threads and the driver read.

use std::{
    cell::RefCell,
    io,
    path::Path,
    sync::atomic::{
        AtomicPtr, AtomicU32, AtomicU64,
        Ordering::{Relaxed, Release},
    },
};

use gainsay_wire::{
    BODY_AT, FULL_AT, JOURNAL_BYTES, JOURNAL_MAGIC, JournalPhase, JournalStatus, LEN_AT, PHASE_AT,
    STATUS_AT, STEPS_AT, Step, Twist, TypeId, VIEW_AT, Wire, to_bytes, view_word,
};

/// The mapping, of `JOURNAL_BYTES` bytes, once there is one; never unmapped.
static MAPPED: AtomicPtr<u8> = AtomicPtr::new(std::ptr::null_mut());
/// Counts phases, so that a watchdog sees whether anything moves; the low two bits are the phase.
static TICKS: AtomicU64 = AtomicU64::new(0);

thread_local! {
    static BYTES: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// Maps the journal.
pub(crate) fn open(path: &Path) -> io::Result<()> {
    let at = crate::system::map_shared(path, JOURNAL_BYTES)?;
    MAPPED.store(at, Release);
    clear();
    // SAFETY: the mapping is larger than the magic number.
    unsafe { at.copy_from_nonoverlapping(JOURNAL_MAGIC.as_ptr(), JOURNAL_MAGIC.len()) };
    Ok(())
}

/// Forgets all steps: an epoch or a run begins.
pub(crate) fn clear() {
    for at in [STATUS_AT, PHASE_AT, STEPS_AT, LEN_AT, FULL_AT] {
        set(at, 0);
    }
}

/// Writes a step that is about to be made.
pub(crate) fn append(step: &Step) {
    let mapped = MAPPED.load(Relaxed);
    if mapped.is_null() {
        return;
    }
    BYTES.with_borrow_mut(|bytes| {
        bytes.clear();
        step.write_to(bytes);
        let at = BODY_AT + get(LEN_AT) as usize;
        if at + bytes.len() > JOURNAL_BYTES {
            set(FULL_AT, 1);
            return;
        }
        // SAFETY: the range ends within the mapping, and only this thread writes to it.
        unsafe { mapped.add(at).copy_from_nonoverlapping(bytes.as_ptr(), bytes.len()) };
        set(LEN_AT, u32::try_from(at + bytes.len() - BODY_AT).unwrap_or(0));
        set(STEPS_AT, get(STEPS_AT) + 1);
    });
}

/// Says of the last step what its misbehaviour turned out to be, where it says `old` or something as
/// long: the twist ends a step's bytes, and every fuse is as long as any other.
pub(crate) fn retwist(old: Twist, new: Twist) {
    let mapped = MAPPED.load(Relaxed);
    if mapped.is_null() || get(FULL_AT) != 0 {
        return;
    }
    let (old, new) = (to_bytes(&old), to_bytes(&new));
    let end = BODY_AT + get(LEN_AT) as usize;
    let Some(at) = end.checked_sub(old.len()).filter(|at| at + new.len() <= JOURNAL_BYTES) else {
        return;
    };
    // SAFETY: the range ends within the mapping, and only this thread writes to it: callbacks on
    // threads of the subject come while this one waits for the step to end.
    unsafe { mapped.add(at).copy_from_nonoverlapping(new.as_ptr(), new.len()) };
    set(LEN_AT, u32::try_from(at + new.len() - BODY_AT).unwrap_or(0));
}

/// Notes which view is being taken: if it never ends, the driver knows which.
pub(crate) fn look_by(ty: TypeId, query: usize) {
    set(VIEW_AT, view_word(ty, query));
}

/// Notes what the worker is doing from now on.
pub(crate) fn enter(phase: JournalPhase) {
    set(PHASE_AT, phase.code());
    let ticks = TICKS.load(Relaxed) >> 2;
    TICKS.store((ticks + 1) << 2 | u64::from(phase.code()), Relaxed);
}

/// Notes why the worker ends itself.
pub(crate) fn end(status: JournalStatus) {
    set(STATUS_AT, status.code());
}

/// A number that changes with every phase, and whether anything of the subject is running.
pub(crate) fn pulse() -> (u64, bool) {
    let ticks = TICKS.load(Relaxed);
    (ticks, ticks & 3 != u64::from(JournalPhase::Idle.code()))
}

fn word(at: usize) -> Option<&'static AtomicU32> {
    let mapped = MAPPED.load(Relaxed);
    if mapped.is_null() {
        return None;
    }
    // SAFETY: `at` is one of the aligned offsets of the header, inside a mapping that stays.
    Some(unsafe { AtomicU32::from_ptr(mapped.add(at).cast()) })
}

fn set(at: usize, value: u32) {
    if let Some(word) = word(at) {
        word.store(value.to_le(), Release);
    }
}

fn get(at: usize) -> u32 {
    word(at).map_or(0, |word| u32::from_le(word.load(Relaxed)))
}
