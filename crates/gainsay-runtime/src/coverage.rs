//! Coverage counters of the subject, where it is compiled with them: one byte per edge, found
//! through the hooks that instrumented code calls at start. Without instrumentation all is empty.
#![allow(unsafe_code)] // The hooks are C functions and hand over raw ranges.

use std::sync::{Mutex, PoisonError};

/// First and one-past-last counter of each instrumented module.
static RANGES: Mutex<Vec<(usize, usize)>> = Mutex::new(Vec::new());

/// Called by instrumented code before `main`.
#[unsafe(no_mangle)]
extern "C" fn __sanitizer_cov_8bit_counters_init(start: *mut u8, stop: *mut u8) {
    let range = (start.expose_provenance(), stop.expose_provenance());
    if let Ok(mut ranges) = RANGES.lock()
        && range.0 < range.1
        && !ranges.contains(&range)
    {
        ranges.push(range);
    }
}

/// Called by instrumented code before `main`; the table of program counters is the driver's.
#[unsafe(no_mangle)]
extern "C" fn __sanitizer_cov_pcs_init(_start: *const usize, _stop: *const usize) {}

/// Sets all counters to zero.
pub(crate) fn reset() {
    for_each(|_, counter| {
        // SAFETY: see `for_each`.
        unsafe { counter.write_volatile(0) };
    });
}

/// The indices of counters that are not zero, over all modules in the order they came.
pub(crate) fn covered() -> Vec<u32> {
    let mut hit = Vec::new();
    for_each(|index, counter| {
        // SAFETY: see `for_each`.
        if unsafe { counter.read_volatile() } != 0 {
            hit.push(index);
        }
    });
    hit
}

/// Calls `see` with each counter. The pointers stay valid: counters are statics of the program.
fn for_each(mut see: impl FnMut(u32, *mut u8)) {
    let ranges = RANGES.lock().map(|ranges| ranges.clone()).unwrap_or_default();
    let counters = ranges.iter().flat_map(|&(start, stop)| start..stop);
    for (index, address) in (0..).zip(counters) {
        see(index, std::ptr::with_exposed_provenance_mut(address));
    }
}

/// Which counters were ever hit, as far as somebody asked.
#[derive(Default)]
pub(crate) struct Seen {
    /// All ones for a counter that was hit, or does not count.
    hit: Vec<u8>,
}

impl Seen {
    /// From now on only these counters are news; without any, all are.
    pub(crate) fn count_only(&mut self, counters: &[u32]) {
        if counters.is_empty() {
            return;
        }
        let ranges = RANGES.lock().unwrap_or_else(PoisonError::into_inner);
        self.ignore_others(counters, ranges.iter().map(|(start, stop)| stop - start).sum());
    }

    /// What is not counted is taken to be known already.
    fn ignore_others(&mut self, counters: &[u32], of: usize) {
        let mut ignored = vec![u8::MAX; of];
        for &counter in counters {
            if let Some(ignored) = ignored.get_mut(counter as usize) {
                *ignored = 0;
            }
        }
        for (ignored, hit) in ignored.iter_mut().zip(&self.hit) {
            *ignored |= hit;
        }
        self.hit = ignored;
    }

    /// How many counters were hit for the first time since the last question.
    pub(crate) fn news(&mut self) -> u32 {
        let (mut at, mut news) = (0, 0);
        let ranges = RANGES.lock().unwrap_or_else(PoisonError::into_inner);
        for &(start, stop) in ranges.iter() {
            // SAFETY: counters are statics of the program, as long as they say, and plain bytes.
            // Only the thread that asks runs instrumented code that matters.
            let counters = unsafe {
                let first: *const u8 = std::ptr::with_exposed_provenance(start);
                std::slice::from_raw_parts(first, stop - start)
            };
            if self.hit.len() < at + counters.len() {
                self.hit.resize(at + counters.len(), 0);
            }
            news += first_hits(counters, &mut self.hit[at..at + counters.len()]);
            at += counters.len();
        }
        news
    }
}

/// Marks counters that were hit, many at a time since most were not, or are known; counts the new
/// ones.
fn first_hits(counters: &[u8], hit: &mut [u8]) -> u32 {
    const MANY: usize = 32;
    let mut news = 0;
    let (mut counters, mut hit) = (counters.chunks_exact(MANY), hit.chunks_exact_mut(MANY));
    for (now, known) in counters.by_ref().zip(hit.by_ref()) {
        let unknown = now.iter().zip(&*known).fold(0, |any, (now, known)| any | (now & !known));
        if unknown != 0 {
            news += note(now, known);
        }
    }
    news + note(counters.remainder(), hit.into_remainder())
}

fn note(counters: &[u8], hit: &mut [u8]) -> u32 {
    let mut news = 0;
    for (counter, known) in counters.iter().zip(hit) {
        if *counter != 0 && *known == 0 {
            *known = u8::MAX;
            news += 1;
        }
    }
    news
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicU8, Ordering::SeqCst};

    #[test]
    fn a_counter_is_news_once_wherever_it_lies() {
        let mut counters = [0_u8; 85];
        let mut known = [0_u8; 85];
        for at in [0, 31, 32, 84] {
            counters[at] = 3;
        }
        assert_eq!(first_hits(&counters, &mut known), 4);
        counters[84] = 9;
        counters[33] = 1;
        assert_eq!(first_hits(&counters, &mut known), 1);
        assert_eq!(first_hits(&counters, &mut known), 0);
    }

    #[test]
    fn only_counters_that_are_worth_something_are_news() {
        let mut seen = Seen { hit: vec![0, u8::MAX, 0] };
        seen.ignore_others(&[1, 2, 9, 400], 12);
        assert_eq!(first_hits(&[5; 12], &mut seen.hit), 2, "1 is known and 400 is not there");
    }

    #[test]
    fn counters_that_were_hit_are_told_until_they_are_reset() {
        static COUNTERS: [AtomicU8; 4] = [const { AtomicU8::new(0) }; 4];
        let start = COUNTERS[0].as_ptr();
        __sanitizer_cov_8bit_counters_init(start, start.wrapping_add(4));
        __sanitizer_cov_8bit_counters_init(start, start.wrapping_add(4));
        COUNTERS[1].store(1, SeqCst);
        COUNTERS[3].store(200, SeqCst);
        assert_eq!(covered(), [1, 3]);
        reset();
        assert_eq!(covered(), [] as [u32; 0]);
        assert_eq!(COUNTERS[3].load(SeqCst), 0);
    }
}
