//! Cancellation as a value: a flag that Ctrl-C sets, with an optional deadline on top.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

/// A cheap flag that many hold and anyone may set.
#[derive(Clone, Debug, Default)]
pub struct Cancel {
    flag: Arc<AtomicBool>,
    deadline: Option<Instant>,
}

impl Cancel {
    /// Not cancelled, no deadline.
    pub fn new() -> Cancel {
        Cancel::default()
    }

    /// The same flag, which also counts as set from `deadline` on.
    pub fn until(&self, deadline: Instant) -> Cancel {
        let deadline = self.deadline.map_or(deadline, |known| known.min(deadline));
        Cancel { flag: Arc::clone(&self.flag), deadline: Some(deadline) }
    }

    /// How long until the deadline, if there is one.
    pub fn left(&self) -> Option<Duration> {
        self.deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()))
    }

    /// Sets the flag, for all who hold it.
    pub fn cancel(&self) {
        self.flag.store(true, Ordering::Relaxed);
    }

    /// Whether somebody interrupted.
    pub fn is_interrupted(&self) -> bool {
        self.flag.load(Ordering::Relaxed)
    }

    /// Whether to stop: interrupted, or the deadline is over.
    pub fn is_cancelled(&self) -> bool {
        self.is_interrupted() || self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_deadline_cancels_only_its_own_copy() {
        let cancel = Cancel::new();
        let late = cancel.until(Instant::now());
        assert!(late.is_cancelled());
        assert!(!late.is_interrupted());
        assert!(!cancel.is_cancelled());
    }

    #[test]
    fn an_interrupt_reaches_every_copy() {
        let cancel = Cancel::new();
        let copy = cancel.clone();
        copy.cancel();
        assert!(cancel.is_interrupted());
    }
}
