//! The same work on many items, on all cores, with results in the order of the items.

use std::{
    num::NonZero,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering::Relaxed},
    },
    thread,
};

/// Maps items in so many threads, or as many as there are cores; each takes the next item that
/// nobody has.
pub(crate) fn map<T: Sync, R: Send>(
    items: &[T],
    jobs: Option<NonZero<usize>>,
    work: impl Fn(&T) -> R + Sync,
) -> Vec<R> {
    let jobs = jobs.or_else(|| thread::available_parallelism().ok()).map_or(1, NonZero::get);
    let (next, done) = (AtomicUsize::new(0), Mutex::new(Vec::with_capacity(items.len())));
    let toil = || {
        loop {
            let at = next.fetch_add(1, Relaxed);
            let Some(item) = items.get(at) else { return };
            let result = work(item);
            done.lock().unwrap_or_else(PoisonError::into_inner).push((at, result));
        }
    };
    thread::scope(|scope| {
        for _ in 1..jobs.min(items.len()) {
            scope.spawn(toil);
        }
        toil();
    });
    let mut done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    done.sort_by_key(|(at, _)| *at);
    done.into_iter().map(|(_, result)| result).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_stand_in_the_order_of_the_items() {
        let items: Vec<u64> = (0..1000).collect();
        let slow_first = |item: &u64| {
            let turns = if *item < 10 { 100_000 } else { 1 };
            (0..turns).fold(*item, |sum, turn| std::hint::black_box(sum ^ turn ^ turn))
        };
        for jobs in [None, NonZero::new(1), NonZero::new(3)] {
            assert_eq!(map(&items, jobs, slow_first), items);
            assert_eq!(map(&[] as &[u64], jobs, slow_first), []);
        }
    }
}
