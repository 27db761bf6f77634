//! What comes back for a task.

use gainsay_wire::{Outcome, Sequence, TypeId};

/// The answer to one task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer<T> {
    /// The worker did it.
    Done(T),
    /// The worker died of it.
    Died(Death),
    /// It was not done, or not finished, because the run was cancelled.
    Cancelled,
}

/// How a worker ended in the middle of a task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Death {
    /// Aborted, timed out or out of memory.
    pub outcome: Outcome,
    /// All steps of the task until then; the last one was running.
    pub steps: Sequence,
    /// Whether a view was being taken, not the step itself.
    pub in_view: bool,
    /// Which view, by type and place in the manifest.
    pub view: Option<(TypeId, usize)>,
    /// Who ended it.
    pub judge: Judge,
    /// The end of what it wrote to standard error.
    pub stderr: String,
}

/// Who ended a worker.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Judge {
    /// It ended by itself, its own watchdog and memory cap included: the last step is to blame.
    Worker,
    /// The driver lost patience with the task as a whole, or touch with the worker: the last step
    /// may be innocent.
    Driver,
}

impl<T> Answer<T> {
    /// The same answer with what was done replaced.
    pub fn map<U>(self, change: impl FnOnce(T) -> U) -> Answer<U> {
        match self {
            Answer::Done(done) => Answer::Done(change(done)),
            Answer::Died(death) => Answer::Died(death),
            Answer::Cancelled => Answer::Cancelled,
        }
    }

    /// What was done, if it was.
    pub fn done(&self) -> Option<&T> {
        match self {
            Answer::Done(done) => Some(done),
            Answer::Died(_) | Answer::Cancelled => None,
        }
    }
}
