//! Cancellation as a value: a flag that Ctrl-C sets, with an optional deadline on top.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Instant,
};

/// A cheap flag that many hold and anyone may set.
#[derive(Clone, Debug, Default)]
pub struct Cancel {
    flag: Arc<AtomicBool>,
    deadline: Option<Instant>,
    haste: Option<Instant>,
}

impl Cancel {
    /// Not cancelled, no deadline.
    pub fn new() -> Cancel {
        Cancel::default()
    }

    /// The same flag, which also counts as set from `deadline` on.
    pub fn until(&self, deadline: Instant) -> Cancel {
        let deadline = self.deadline.map_or(deadline, |known| known.min(deadline));
        Cancel { deadline: Some(deadline), ..self.clone() }
    }

    /// The same flag without the deadline.
    pub fn without_deadline(&self) -> Cancel {
        Cancel { deadline: None, ..self.clone() }
    }

    /// The same flag; from `moment` on, what is only nice to have is to be left out.
    pub fn hasty_from(&self, moment: Instant) -> Cancel {
        let moment = self.haste.map_or(moment, |known| known.min(moment));
        Cancel { haste: Some(moment), ..self.clone() }
    }

    /// Whether time is short: nothing is to be given up for that, but everything made brief.
    pub fn is_hasty(&self) -> bool {
        self.haste.is_some_and(|moment| Instant::now() >= moment)
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
        assert!(!late.without_deadline().is_cancelled());
        cancel.cancel();
        assert!(late.without_deadline().is_cancelled());
    }

    #[test]
    fn haste_is_no_end() {
        let cancel = Cancel::new();
        let hasty = cancel.hasty_from(Instant::now());
        assert!(hasty.is_hasty() && !hasty.is_cancelled());
        assert!(!cancel.is_hasty());
        let later = Instant::now() + std::time::Duration::from_mins(1);
        assert!(!cancel.hasty_from(later).is_hasty());
        assert!(hasty.hasty_from(later).until(later).is_hasty());
    }

    #[test]
    fn an_interrupt_reaches_every_copy() {
        let cancel = Cancel::new();
        let copy = cancel.clone();
        copy.cancel();
        assert!(cancel.is_interrupted());
    }
}
