//! What can fail in the store.

use std::{error::Error, fmt, io, path::PathBuf};

use gainsay_wire::Corrupt;

/// A failure of the store.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The file is there but is no intact database.
    #[error("{} is not an intact store", path.display())]
    NotAStore {
        /// The file.
        path: PathBuf,
    },
    /// The file could not be opened.
    #[error("cannot open the store {}", path.display())]
    Open {
        /// The file.
        path: PathBuf,
        /// The words of the database engine.
        source: EngineFailure,
    },
    /// No run has made the store.
    #[error("there is no store yet at `{}`", path.display())]
    NoStore {
        /// The place where it would be.
        path: PathBuf,
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
    /// A statement of the user that the database engine refuses.
    #[error("{message}{}", at.as_ref().map(ToString::to_string).unwrap_or_default())]
    Statement {
        /// The words of the engine.
        message: String,
        /// The place where it stumbled, if it says so.
        at: Option<Spot>,
    },
    /// A statement of the user that would write, or gives no rows.
    #[error("only statements that read are run, and this is none; nothing was changed")]
    NotAQuery,
    /// A copy is never written over anything.
    #[error("`{}` is there already", path.display())]
    Exists {
        /// The file.
        path: PathBuf,
    },
    /// A file that is to become the store cannot be one.
    #[error("`{}` cannot be the store: {why}", path.display())]
    Unfit {
        /// The file.
        path: PathBuf,
        /// Why.
        why: Unfit,
    },
    /// A copy could not be read, written or moved.
    #[error("cannot use `{}`", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// There is no room for the store. What was recorded before is there; of the batch that did not
    /// fit there is nothing.
    #[error("the disk is full: the store has all that was recorded before, and nothing after")]
    DiskFull,
    /// A search took more than the patience that it was granted.
    #[error("the search took too long")]
    OutOfPatience,
    /// The database engine failed.
    #[error("the database failed")]
    Database(#[source] EngineFailure),
}

/// A failure of the database engine, whichever it is.
pub type EngineFailure = Box<dyn Error + Send + Sync>;

impl From<rusqlite::Error> for StoreError {
    fn from(error: rusqlite::Error) -> StoreError {
        match error.sqlite_error_code() {
            Some(rusqlite::ErrorCode::DiskFull) => StoreError::DiskFull,
            Some(rusqlite::ErrorCode::OperationInterrupted) => StoreError::OutOfPatience,
            _ => StoreError::Database(error.into()),
        }
    }
}

/// Why a file cannot be the store.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unfit {
    /// It is something else, or too damaged to be read at all.
    #[error("it is no intact database")]
    NotADatabase,
    /// It is a database of something else.
    #[error("it is a database without {lacks}")]
    OtherTables {
        /// The first table or column that it lacks.
        lacks: String,
    },
    /// A later version wrote it.
    #[error("it has schema {found}, and this version knows schemas up to {supported}")]
    Newer {
        /// The schema in the file.
        found: i64,
        /// The newest schema known here.
        supported: i64,
    },
    /// Its parts do not fit together.
    #[error("it is damaged: {first}")]
    Damaged {
        /// The first thing that is wrong.
        first: String,
    },
}

/// A place in a statement, shown with its line and a mark below.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spot {
    /// From 1.
    pub line: usize,
    /// In characters, from 1.
    pub column: usize,
    /// The line.
    pub text: String,
}

impl Spot {
    /// The place that is so many bytes behind the beginning of a statement.
    pub(crate) fn of(statement: &str, offset: usize) -> Spot {
        let before = statement.get(..offset).unwrap_or(statement);
        let begins = before.rfind('\n').map_or(0, |at| at + 1);
        let text = statement[begins..].lines().next().unwrap_or_default();
        Spot {
            line: before.matches('\n').count() + 1,
            column: before[begins..].chars().count() + 1,
            // A mark can only stand below what is as wide as it is long.
            text: text.replace('\t', " "),
        }
    }
}

impl fmt::Display for Spot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Spot { line, column, text } = self;
        write!(f, " (line {line}, column {column})\n  {text}\n  {:>column$}", "^")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_told_by_line_and_column_and_marked() {
        let check = |statement: &str, offset, shown: &str| {
            assert_eq!(Spot::of(statement, offset).to_string(), shown);
        };
        check("SELECT x", 7, " (line 1, column 8)\n  SELECT x\n         ^");
        check("SELECT 'é',\n\tx FROM y", 14, " (line 2, column 2)\n   x FROM y\n   ^");
        check("SELECT", 6, " (line 1, column 7)\n  SELECT\n        ^");
        check("SELECT", 99, " (line 1, column 7)\n  SELECT\n        ^");
    }
}
