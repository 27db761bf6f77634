//! Failures of a search.

use gainsay_store::StoreError;
use gainsay_workers::WorkerError;

/// A failure that ends the search.
#[derive(Debug, thiserror::Error)]
pub enum SearchError {
    /// The store failed.
    #[error("cannot search the store")]
    Store(#[from] StoreError),
    /// The fleet failed.
    #[error("cannot run calls")]
    Workers(#[from] WorkerError),
}
