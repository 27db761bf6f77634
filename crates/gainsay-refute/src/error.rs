//! What can fail while refuting.

use gainsay_store::StoreError;
use gainsay_workers::WorkerError;

/// A failure that ends the search.
#[derive(Debug, thiserror::Error)]
pub enum RefuteError {
    /// The store failed.
    #[error("cannot search the store")]
    Store(#[from] StoreError),
    /// The fleet failed.
    #[error("cannot run attacks")]
    Workers(#[from] WorkerError),
}

/// Why an attack does not go on for now.
#[derive(Debug)]
pub(crate) enum Halt {
    /// Calls have to be made first; they are ordered.
    Waiting,
    /// It cannot go on.
    Failed(RefuteError),
}

impl From<StoreError> for Halt {
    fn from(error: StoreError) -> Halt {
        Halt::Failed(error.into())
    }
}

/// What can be done for now; `None` for what has to wait.
pub(crate) fn unless_waiting<T>(done: Result<T, Halt>) -> Result<Option<T>, Halt> {
    match done {
        Ok(done) => Ok(Some(done)),
        Err(Halt::Waiting) => Ok(None),
        Err(failed) => Err(failed),
    }
}
