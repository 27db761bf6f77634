//! Misbehaviour on order: while a step is twisted, the callbacks of probes, closures and iterators
//! count, and the one that the fuse names panics. Nothing here costs more than one load while no
//! step is twisted.
//!
//! A callback never panics while its thread is panicking already: that would end the process, and
//! rightly so.

use std::{
    mem,
    panic::resume_unwind,
    sync::atomic::{
        AtomicBool, AtomicI32, AtomicU8, AtomicU32,
        Ordering::{Relaxed, SeqCst},
    },
    thread,
};

use gainsay_wire::{Callback, PanicPlace, Twist, Value};

use crate::{frame::Operand, journal};

/// Whether callbacks are of interest at all.
static ARMED: AtomicBool = AtomicBool::new(false);
/// The kind that the fuse is for; [`NO_FUSE`] when callbacks are only counted.
static FUSE: AtomicU8 = AtomicU8::new(NO_FUSE);
/// How many callbacks of that kind still go well.
static LEFT: AtomicU32 = AtomicU32::new(0);
/// How many callbacks there were, by kind; the last is the sum.
static COUNTS: [AtomicU32; KINDS] = [const { AtomicU32::new(0) }; KINDS];
/// The kind that panicked, and how many of it went well before.
static BLOWN: AtomicU8 = AtomicU8::new(NO_FUSE);
static BLOWN_AFTER: AtomicU32 = AtomicU32::new(0);
/// What iterators that are made now say of their length: the truth, nothing, or a lie.
static CLAIM: AtomicU8 = AtomicU8::new(0);
static CLAIM_BY: AtomicI32 = AtomicI32::new(0);
/// Whether anybody asked an iterator that does not tell the truth, and whether one was passed.
static MISLED: AtomicBool = AtomicBool::new(false);
static PASSED: AtomicBool = AtomicBool::new(false);

/// Kinds of callbacks, the sum included.
pub(crate) const KINDS: usize = Callback::ALL.len();
const NO_FUSE: u8 = u8::MAX;

/// The payload of a panic that was ordered.
struct Ordered;

/// What an iterator says of its length.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Claim {
    /// The truth.
    #[default]
    Truth,
    /// Nothing.
    Nothing,
    /// So many more than there are.
    More(i32),
}

/// What became of a twist.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Aftermath {
    /// The misbehaviour that took place; none when nobody noticed.
    pub(crate) twist: Twist,
    /// Callbacks by kind.
    pub(crate) counts: [u32; KINDS],
    /// Whether an iterator was passed.
    pub(crate) iterator: bool,
}

/// Runs a step under a twist, or one whose callbacks are to be counted.
pub(crate) fn under<T>(twist: Twist, step: impl FnOnce() -> T) -> (T, Aftermath) {
    arm(twist);
    let result = step();
    ARMED.store(false, SeqCst);
    (result, aftermath(twist))
}

/// Misbehaviour that nobody noticed is none: in the journal, and for those who read the step.
pub(crate) fn settle(twist: &mut Twist, aftermath: &Aftermath) {
    if *twist != aftermath.twist {
        journal::retwist(*twist, aftermath.twist);
        *twist = aftermath.twist;
    }
}

/// Forgets what was to be dropped.
pub(crate) fn forget(operands: &[Operand<'_>]) -> (Result<Value, PanicPlace>, Aftermath) {
    for operand in operands {
        if let Operand::Object(object) = operand {
            mem::forget(object.borrow_mut().take());
        }
    }
    (Ok(Value::Unit), Aftermath { twist: Twist::Forget, ..Aftermath::default() })
}

fn arm(twist: Twist) {
    let (fuse, left) = match twist {
        Twist::Fuse(callback, after) => (callback as u8, after),
        _ => (NO_FUSE, 0),
    };
    let (claim, by) = match twist {
        Twist::Shy => (1, 0),
        Twist::Lie(by) => (2, by),
        _ => (0, 0),
    };
    FUSE.store(fuse, SeqCst);
    LEFT.store(left, SeqCst);
    CLAIM.store(claim, SeqCst);
    CLAIM_BY.store(by, SeqCst);
    BLOWN.store(NO_FUSE, SeqCst);
    for count in &COUNTS {
        count.store(0, SeqCst);
    }
    MISLED.store(false, SeqCst);
    PASSED.store(false, SeqCst);
    ARMED.store(true, SeqCst);
}

fn aftermath(twist: Twist) -> Aftermath {
    CLAIM.store(0, SeqCst);
    let took_place = match twist {
        Twist::Fuse(..) => blown(),
        Twist::Shy | Twist::Lie(_) if MISLED.load(SeqCst) => twist,
        _ => Twist::None,
    };
    let counts = std::array::from_fn(|kind| COUNTS[kind].load(SeqCst));
    Aftermath { twist: took_place, counts, iterator: PASSED.load(SeqCst) }
}

fn blown() -> Twist {
    let kind = BLOWN.load(SeqCst);
    match Callback::ALL.get(usize::from(kind)) {
        Some(callback) => Twist::Fuse(*callback, BLOWN_AFTER.load(SeqCst)),
        None => Twist::None,
    }
}

/// Code of the caller is about to run: it may be its turn to panic.
#[inline]
pub(crate) fn callback(kind: Callback) {
    if ARMED.load(Relaxed) {
        count(kind);
    }
}

/// A closure of the harness was called.
pub fn called() {
    callback(Callback::Closure);
}

#[cold]
fn count(kind: Callback) {
    if thread::panicking() {
        return;
    }
    let before = COUNTS[kind as usize].fetch_add(1, SeqCst);
    COUNTS[Callback::Any as usize].fetch_add(1, SeqCst);
    let fuse = FUSE.load(SeqCst);
    if fuse != kind as u8 && fuse != Callback::Any as u8 {
        return;
    }
    let left = LEFT.load(SeqCst);
    if left > 0 {
        LEFT.store(left - 1, SeqCst);
        return;
    }
    FUSE.store(NO_FUSE, SeqCst);
    BLOWN_AFTER.store(before, SeqCst);
    BLOWN.store(kind as u8, SeqCst);
    // If the process does not survive this, the journal must tell which callback it was.
    let exact = Twist::Fuse(kind, before);
    journal::retwist(exact, exact);
    resume_unwind(Box::new(Ordered));
}

/// Runs code of the harness itself, whose callbacks do not count.
pub(crate) fn aside<T>(work: impl FnOnce() -> T) -> T {
    if !ARMED.load(Relaxed) {
        return work();
    }
    ARMED.store(false, SeqCst);
    let result = work();
    ARMED.store(true, SeqCst);
    result
}

/// What an iterator that is made now says of its length.
pub(crate) fn claim() -> Claim {
    if !ARMED.load(Relaxed) {
        return Claim::Truth;
    }
    PASSED.store(true, SeqCst);
    match CLAIM.load(SeqCst) {
        1 => Claim::Nothing,
        2 => Claim::More(CLAIM_BY.load(SeqCst)),
        _ => Claim::Truth,
    }
}

/// Somebody asked an iterator that does not tell the truth.
pub(crate) fn misled() {
    MISLED.store(true, Relaxed);
}

#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};

    use super::*;
    use crate::Probe;

    /// What becomes of a twist while probes are compared, cloned and dropped.
    fn play(twist: Twist) -> (bool, Aftermath) {
        let _alone = crate::worker::alone();
        let probes = [Probe::new(1), Probe::new(2)];
        let (survived, aftermath) = under(twist, || {
            catch_unwind(AssertUnwindSafe(|| {
                assert!(probes[0] != probes[1]);
                let twins = probes.clone();
                drop(twins);
            }))
            .is_ok()
        });
        (survived, aftermath)
    }

    #[test]
    fn without_a_fuse_callbacks_are_counted_by_kind() {
        let (survived, aftermath) = play(Twist::None);
        assert!(survived);
        let count = |kind: Callback| aftermath.counts[kind as usize];
        let counts = [Callback::Clone, Callback::Drop, Callback::Eq, Callback::Hash].map(count);
        assert_eq!(counts, [2, 2, 1, 0]);
        assert_eq!(count(Callback::Any), 5);
        assert_eq!(aftermath.twist, Twist::None);
    }

    #[test]
    fn the_fuse_of_a_kind_blows_at_that_kind_alone() {
        let twist = Twist::Fuse(Callback::Drop, 1);
        let (survived, aftermath) = play(twist);
        assert!(!survived);
        assert_eq!(aftermath.twist, twist);
        assert_eq!(aftermath.counts[Callback::Drop as usize], 2);
    }

    #[test]
    fn the_fuse_of_any_kind_says_what_it_blew_at() {
        let (_, aftermath) = play(Twist::Fuse(Callback::Any, 2));
        assert_eq!(aftermath.twist, Twist::Fuse(Callback::Clone, 1));
    }

    #[test]
    fn a_fuse_that_is_too_long_leaves_no_trace() {
        let (survived, aftermath) = play(Twist::Fuse(Callback::Clone, 2));
        assert!(survived);
        assert_eq!(aftermath.twist, Twist::None);
    }

    #[test]
    fn nothing_panics_while_panicking() {
        let _alone = crate::worker::alone();
        let (caught, aftermath) = under(Twist::Fuse(Callback::Drop, 0), || {
            catch_unwind(|| {
                let _probe = Probe::new(1);
                resume_unwind(Box::new(()));
            })
            .is_err()
        });
        assert!(caught);
        assert_eq!(aftermath.twist, Twist::None);
    }
}
