//! Looking at a store without changing it: how much is in which table, and about which crates.

use std::{
    fs,
    path::{Path, PathBuf},
};

use rusqlite::{Connection, OpenFlags};

use crate::{
    StoreError,
    sqlite::connection::{BUSY, classify},
    sqlite::schema,
};

/// A store that is looked at. It cannot be written through this, and a run may be writing to it.
#[derive(Debug)]
pub struct Inspection {
    pub(crate) path: PathBuf,
    pub(crate) connection: Connection,
    /// The schema of the file.
    pub(crate) schema: i64,
}

/// The sizes of a store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stats {
    /// The version of its tables.
    pub schema: i64,
    /// Bytes of the file.
    pub file: u64,
    /// Bytes of the log that is not yet part of the file.
    pub log: u64,
    /// Bytes of the file that hold nothing.
    pub free: u64,
    /// The crates that were tested. Of a newer schema they are not known.
    pub subjects: Vec<SubjectVersion>,
    /// The tables, in the order in which they were made.
    pub tables: Vec<TableStats>,
}

impl Stats {
    /// True if a later version made the store, so that it can be read and not written.
    pub fn is_newer(&self) -> bool {
        self.schema > schema::supported()
    }
}

/// A crate that was tested.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SubjectVersion {
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: String,
}

/// The sizes of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableStats {
    /// Its name.
    pub name: String,
    /// Its rows.
    pub rows: u64,
    /// Bytes of the pages with its rows.
    pub bytes: u64,
    /// Bytes of the pages with its indexes.
    pub index_bytes: u64,
}

impl Inspection {
    /// Opens a store that is there, whatever its schema.
    pub fn open(path: &Path) -> Result<Inspection, StoreError> {
        // The engine would say that it cannot open the file, which a user takes for a broken store.
        if !path.exists() {
            return Err(StoreError::NoStore { path: path.to_owned() });
        }
        let at = |source: rusqlite::Error| classify(path, source);
        // Read only, so that looking at a store of an older schema does not migrate it.
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(path, flags).map_err(at)?;
        connection.busy_timeout(BUSY).map_err(at)?;
        let schema = schema::version(&connection).map_err(at)?;
        Ok(Inspection { path: path.to_owned(), connection, schema })
    }

    /// Counts and sizes, all of one moment.
    pub fn stats(&self) -> Result<Stats, StoreError> {
        // All counts of one moment: a run may be writing.
        let moment = self.connection.unchecked_transaction()?;
        let free = "SELECT freelist_count * page_size
            FROM pragma_freelist_count, pragma_page_size";
        let free: i64 = moment.query_row(free, [], |row| row.get(0))?;
        Ok(Stats {
            schema: self.schema,
            file: size(&self.path),
            log: size(&beside(&self.path, "-wal")),
            free: free.unsigned_abs(),
            subjects: self.subjects()?,
            tables: tables(&moment)?,
        })
    }

    /// The crates that were tested; none if the schema is newer, or no campaign was begun.
    pub fn subjects(&self) -> Result<Vec<SubjectVersion>, StoreError> {
        if !(1..=schema::supported()).contains(&self.schema) {
            return Ok(Vec::new());
        }
        let mut find = self.connection.prepare("SELECT name, version FROM subject ORDER BY id")?;
        let subjects = find
            .query_map([], |row| Ok(SubjectVersion { name: row.get(0)?, version: row.get(1)? }))?;
        Ok(subjects.collect::<rusqlite::Result<_>>()?)
    }
}

fn tables(connection: &Connection) -> Result<Vec<TableStats>, StoreError> {
    // The engine that is built along with us always has `dbstat`.
    let find = "SELECT s.tbl_name,
            sum(iif(s.type = 'table', d.pgsize, 0)), sum(iif(s.type = 'index', d.pgsize, 0))
        FROM sqlite_schema s LEFT JOIN dbstat d ON d.name = s.name AND d.aggregate = TRUE
        WHERE s.type IN ('table', 'index') AND s.tbl_name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
        GROUP BY s.tbl_name ORDER BY min(s.rowid)";
    let mut find = connection.prepare(find)?;
    let mut found = find.query([])?;
    let mut tables = Vec::new();
    while let Some(row) = found.next()? {
        let (name, [bytes, index_bytes]) = (row.get::<_, String>(0)?, [row.get(1)?, row.get(2)?]);
        let count = format!("SELECT count(*) FROM \"{}\"", name.replace('"', "\"\""));
        let rows = connection.query_row(&count, [], |row| row.get(0))?;
        let [rows, bytes, index_bytes] = [rows, bytes, index_bytes].map(i64::unsigned_abs);
        tables.push(TableStats { name, rows, bytes, index_bytes });
    }
    Ok(tables)
}

/// Bytes of a file; one that is not there has none.
pub(crate) fn size(path: &Path) -> u64 {
    fs::metadata(path).map_or(0, |file| file.len())
}

/// The file whose name ends so and begins like another one's.
pub(crate) fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    name.into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Store, testkit::*};

    #[test]
    fn tables_are_counted_and_sized_while_a_run_writes() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("store.sqlite");
        let store = filled(&path);
        let counts = store.count_evidence().unwrap();
        store.connection.execute_batch("BEGIN IMMEDIATE; DELETE FROM operand").unwrap();
        let stats = Inspection::open(&path).unwrap().stats().unwrap();
        let table = |name: &str| stats.tables.iter().find(|table| table.name == name).unwrap();
        assert_eq!((table("call").rows, table("state").rows), (counts.calls, counts.states));
        assert!(table("operand").rows > 0, "what is not committed is not seen");
        assert!(stats.tables.iter().all(|table| table.bytes > 0), "{stats:?}");
        assert!(table("state").index_bytes > 0, "{stats:?}");
        assert_eq!(stats.tables[0].name, "subject");
        let subject = SubjectVersion { name: "sets".into(), version: "1.0.0".into() };
        assert_eq!(stats.subjects, [subject]);
        assert!(stats.log > 0 && !stats.is_newer(), "{stats:?}");
    }

    #[test]
    fn what_a_killed_run_left_can_be_looked_at() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("store.sqlite");
        let store = filled(&path);
        let after = tempfile::tempdir().unwrap();
        for name in ["store.sqlite", "store.sqlite-wal"] {
            fs::copy(directory.path().join(name), after.path().join(name)).unwrap();
        }
        let left = Inspection::open(&after.path().join("store.sqlite")).unwrap();
        let calls = left.stats().unwrap().tables.into_iter().find(|table| table.name == "call");
        assert_eq!(calls.unwrap().rows, store.count_evidence().unwrap().calls);
    }

    #[test]
    fn a_newer_schema_can_be_looked_at() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("store.sqlite");
        let newer = filled(&path);
        newer.connection.execute_batch("ALTER TABLE subject RENAME TO topic").unwrap();
        newer.connection.pragma_update(None, "user_version", 1_000).unwrap();
        let stats = Inspection::open(&path).unwrap().stats().unwrap();
        assert_eq!((stats.schema, stats.subjects.len(), stats.is_newer()), (1_000, 0, true));
        assert_eq!((stats.tables[0].name.as_str(), stats.tables[0].rows), ("topic", 1));
    }

    #[test]
    fn a_store_that_is_not_there_is_not_made() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("store.sqlite");
        let opened = Inspection::open(&path);
        assert!(matches!(opened, Err(StoreError::NoStore { .. })), "{opened:?}");
        assert!(!path.exists());
    }

    #[test]
    fn rubbish_is_no_store() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("store.sqlite");
        fs::write(&path, "neither a header nor a page ".repeat(90)).unwrap();
        let opened = Inspection::open(&path);
        assert!(matches!(opened, Err(StoreError::NotAStore { .. })), "{opened:?}");
    }

    #[test]
    fn a_store_before_its_first_campaign_has_no_subjects() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("store.sqlite");
        drop(Store::open(&path).unwrap());
        assert_eq!(Inspection::open(&path).unwrap().subjects().unwrap(), []);
    }
}
