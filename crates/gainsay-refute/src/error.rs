//! Failures of a round of attacks.

use gainsay_search::SearchError;
use gainsay_store::StoreError;
use gainsay_workers::WorkerError;

/// A failure that ends the round.
#[derive(Debug, thiserror::Error)]
pub enum RefuteError {
    /// The store failed.
    #[error("cannot search the store")]
    Store(#[from] StoreError),
    /// The fleet failed.
    #[error("cannot run attacks")]
    Workers(#[from] WorkerError),
}

impl From<SearchError> for RefuteError {
    fn from(error: SearchError) -> RefuteError {
        match error {
            SearchError::Store(error) => RefuteError::Store(error),
            SearchError::Workers(error) => RefuteError::Workers(error),
        }
    }
}
