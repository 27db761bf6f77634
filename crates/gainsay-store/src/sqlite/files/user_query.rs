//! Statements that a user writes: run without any way to change the store, and answered with rows.

use std::fmt;

use rusqlite::{Error, ErrorCode, types::ValueRef};

use crate::{Inspection, Spot, StoreError};

/// Lists all that can be asked about.
pub const LIST_TABLES: &str = "SELECT name FROM sqlite_schema";

/// Statements worth knowing, each with what it answers.
pub const EXAMPLES: &[(&str, &str)] = &[
    (LIST_TABLES, "what can be asked about"),
    (
        "SELECT operation, message FROM fault WHERE campaign = (SELECT max(id) FROM campaign)",
        "what went wrong in the last run",
    ),
    (
        "SELECT outcome, sum(count) FROM edge GROUP BY outcome",
        "how the calls ended that were observed, in all builds",
    ),
];

/// Bytes of a blob that are shown.
// Enough to tell two blobs apart at a glance; `hex(COLUMN)` gives all.
const SHOWN_BYTES: usize = 16;

/// The rows that a statement gives.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Rows {
    /// The names of its columns.
    pub columns: Vec<String>,
    /// The first rows; each has a field for each column.
    pub rows: Vec<Vec<Field>>,
    /// The number of rows after these.
    pub more: u64,
}

/// One value of a row.
#[derive(Clone, Debug, PartialEq)]
pub enum Field {
    /// Nothing.
    Null,
    /// A number.
    Integer(i64),
    /// A number with a fraction.
    Real(f64),
    /// A text; bytes that are no UTF-8 are replaced.
    Text(String),
    /// Bytes.
    Blob {
        /// The first ones.
        begin: Vec<u8>,
        /// Their number.
        length: usize,
    },
}

impl Inspection {
    /// Runs one statement that reads, and gives its first rows, at most so many.
    pub fn query(&self, statement: &str, most: usize) -> Result<Rows, StoreError> {
        // Besides the file being open for reading only: what is temporary could be written.
        self.connection.pragma_update(None, "query_only", true)?;
        let mut prepared = self.connection.prepare(statement).map_err(explained)?;
        // A statement without columns, such as `BEGIN`, changes no table and yet does something.
        if !prepared.readonly() || prepared.column_count() == 0 {
            return Err(StoreError::NotAQuery);
        }
        let columns: Vec<String> = prepared.column_names().into_iter().map(str::to_owned).collect();
        let (mut rows, mut more) = (Vec::new(), 0);
        let mut found = prepared.query([]).map_err(explained)?;
        while let Some(row) = found.next().map_err(explained)? {
            // Counted to the end, so that the user learns how many are missing.
            if rows.len() == most {
                more += 1;
                continue;
            }
            let fields = (0..columns.len()).map(|at| row.get_ref(at).map(Field::of));
            rows.push(fields.collect::<rusqlite::Result<_>>()?);
        }
        Ok(Rows { columns, rows, more })
    }
}

impl Field {
    fn of(value: ValueRef<'_>) -> Field {
        match value {
            ValueRef::Null => Field::Null,
            ValueRef::Integer(number) => Field::Integer(number),
            ValueRef::Real(number) => Field::Real(number),
            ValueRef::Text(bytes) => Field::Text(String::from_utf8_lossy(bytes).into_owned()),
            ValueRef::Blob(bytes) => {
                let begin = bytes.iter().copied().take(SHOWN_BYTES).collect();
                Field::Blob { begin, length: bytes.len() }
            }
        }
    }
}

/// As SQL writes it, but texts as they are, and the end of long blobs left out.
impl fmt::Display for Field {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Field::Null => f.write_str("NULL"),
            Field::Integer(number) => write!(f, "{number}"),
            Field::Real(number) => write!(f, "{number:?}"),
            Field::Text(text) => f.write_str(text),
            Field::Blob { begin, length } => {
                f.write_str("x'")?;
                begin.iter().try_for_each(|byte| write!(f, "{byte:02x}"))?;
                f.write_str(if begin.len() < *length { "…'" } else { "'" })
            }
        }
    }
}

/// An error of the statement is told apart from one of the database.
fn explained(error: Error) -> StoreError {
    let said = |message: String| StoreError::Statement { message, at: None };
    match error {
        Error::SqlInputError { msg, sql, offset, .. } => {
            let at = usize::try_from(offset).ok().map(|offset| Spot::of(&sql, offset));
            StoreError::Statement { message: msg, at }
        }
        Error::MultipleStatement => said("these are several statements; only one is run".into()),
        Error::InvalidParameterCount(..) => {
            said("the statement has parameters without values".into())
        }
        Error::SqliteFailure(about, Some(message)) if about.code == ErrorCode::Unknown => {
            said(message)
        }
        other => other.into(),
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::testkit::*;

    fn with_store(look: impl FnOnce(&Path)) {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("store.sqlite");
        drop(filled(&path));
        look(&path);
    }

    #[test]
    fn rows_come_with_their_columns_and_the_rest_is_counted() {
        with_store(|path| {
            let store = Inspection::open(path).unwrap();
            let named = "SELECT id, name AS operation FROM operation ORDER BY id";
            let Rows { columns, rows, more } = store.query(named, 2).unwrap();
            assert_eq!((columns, more), (vec!["id".to_owned(), "operation".into()], 2));
            let row = |id, name: &str| vec![Field::Integer(id), Field::Text(name.into())];
            assert_eq!(rows, [row(1, "Set::new"), row(2, "Set::insert")]);
            assert_eq!(store.query(named, 4).unwrap().more, 0);
        });
    }

    #[test]
    fn fields_are_written_as_sql_writes_them() {
        with_store(|path| {
            let store = Inspection::open(path).unwrap();
            let shown = |value: &str| {
                store.query(&format!("SELECT {value}"), 1).unwrap().rows[0][0].to_string()
            };
            assert_eq!(shown("NULL"), "NULL");
            assert_eq!(shown("-7"), "-7");
            assert_eq!(shown("2.0"), "2.0");
            assert_eq!(shown("'it''s'"), "it's");
            assert_eq!(shown("x'00FF'"), "x'00ff'");
            assert_eq!(shown("zeroblob(17)"), format!("x'{}…'", "00".repeat(16)));
            assert_eq!(shown("CAST(x'61ff' AS TEXT)"), "a\u{fffd}");
        });
    }

    #[test]
    fn what_writes_is_refused_and_changes_nothing() {
        with_store(|path| {
            let dump = || crate::Store::open(path).unwrap().dump().unwrap();
            let before = dump();
            let copy = path.with_file_name("copy.sqlite");
            let into = format!("VACUUM INTO '{}'", copy.display());
            for statement in [
                "DELETE FROM operand",
                "INSERT INTO subject(name, version) VALUES ('a', '1') RETURNING id",
                "UPDATE call SET outcome = 'x'",
                "DROP TABLE fault",
                "CREATE TABLE more(x)",
                "CREATE TEMP TABLE more AS SELECT 1",
                "PRAGMA user_version = 9",
                "PRAGMA journal_mode = DELETE",
                "PRAGMA query_only = OFF",
                "BEGIN IMMEDIATE",
                "ATTACH 'other.sqlite' AS other",
                "VACUUM",
                &into,
                "",
            ] {
                let refused = Inspection::open(path).unwrap().query(statement, 10);
                assert!(matches!(refused, Err(StoreError::NotAQuery)), "{statement}: {refused:?}");
            }
            assert!(!copy.exists());
            assert_eq!(dump(), before);
        });
    }

    #[test]
    fn errors_of_the_statement_say_where() {
        with_store(|path| {
            let store = Inspection::open(path).unwrap();
            let check = |statement: &str, message: &str, column: Option<usize>| {
                let failed = store.query(statement, 10);
                let Err(StoreError::Statement { message: said, at }) = failed else {
                    panic!("{statement}: {failed:?}");
                };
                assert!(said.contains(message), "{said}");
                assert_eq!(at.map(|at| at.column), column, "{statement}");
            };
            check("SELECT nam FROM subject", "no such column: nam", Some(8));
            check("SELEC 1", "near \"SELEC\": syntax error", Some(1));
            check("SELECT * FROM subjects", "no such table: subjects", None);
            check("SELECT 1; DELETE FROM operand", "several statements", None);
            check("SELECT ?1", "parameters", None);
            check("SELECT json('{')", "malformed JSON", None);
        });
    }

    #[test]
    fn the_examples_are_answered() {
        with_store(|path| {
            for (statement, _) in EXAMPLES {
                Inspection::open(path).unwrap().query(statement, 1).unwrap();
            }
        });
    }
}
