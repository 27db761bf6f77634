//! What can fail in the store.

use std::path::PathBuf;

use gainsay_wire::Corrupt;

/// A failure of the store.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The file is there but is no intact database.
    #[error("{} is not an intact store; hint: remove it and run again", path.display())]
    NotAStore {
        /// The file.
        path: PathBuf,
    },
    /// The file could not be opened.
    #[error("cannot open the store {}", path.display())]
    Open {
        /// The file.
        path: PathBuf,
        /// Why.
        source: rusqlite::Error,
    },
    /// The file was written by a later version; it can be read, not written.
    #[error("the store has schema {found}, this version writes schema {supported}")]
    NewerSchema {
        /// The schema in the file.
        found: i64,
        /// The newest schema known here.
        supported: i64,
    },
    /// Something was asked that needs a campaign before one was begun.
    #[error("no campaign was begun")]
    NoCampaign,
    /// A report speaks of an operation or type that the manifest lacks.
    #[error("the manifest has no {what} number {id}")]
    Unknown {
        /// `operation` or `type`.
        what: &'static str,
        /// Its id.
        id: u32,
    },
    /// A stored blob cannot be read back.
    #[error("a stored value cannot be read back: {0}")]
    Blob(#[from] Corrupt),
    /// The database engine failed.
    #[error("the database failed")]
    Sql(#[from] rusqlite::Error),
}
