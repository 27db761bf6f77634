//! Copies of a store: taken while a run may be writing, put in the place of a store, and the store
//! itself written anew without gaps. Nothing is ever left half written under its final name.

use std::{
    fs, io,
    num::NonZeroUsize,
    path::{Path, PathBuf},
};

use rusqlite::{Connection, ErrorCode};

use crate::{
    Inspection, Store, StoreError, SubjectVersion, Unfit,
    sqlite::files::inspection::{beside, size},
    sqlite::schema,
};

/// A copy that was looked through and can be the store.
#[derive(Debug)]
pub struct Export(Inspection);

/// The result of writing a store anew.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Resized {
    /// Builds whose evidence was dropped.
    pub dropped: usize,
    /// Bytes before, with the log.
    pub before: u64,
    /// Bytes after.
    pub after: u64,
}

impl Inspection {
    /// Writes a copy of the store as it is at one moment, into a file that is not there yet.
    /// Returns its bytes.
    pub fn export(&self, to: &Path) -> Result<u64, StoreError> {
        let claimed = fs::File::create_new(to).map_err(|error| match error.kind() {
            io::ErrorKind::AlreadyExists => StoreError::Exists { path: to.to_owned() },
            _ => of_file(to)(error),
        })?;
        let copied =
            copy(&self.connection, to).and_then(|()| claimed.sync_all().map_err(of_file(to)));
        if copied.is_err() {
            // The copy is of no use, and that it could not be made is worth telling.
            let _ = fs::remove_file(to);
        }
        copied.map(|()| size(to))
    }
}

impl Export {
    /// Looks through a copy: whether it has the tables of a store, of a known schema, and is intact.
    pub fn open(path: &Path) -> Result<Export, StoreError> {
        fs::File::open(path).map_err(of_file(path))?;
        let unfit = |why| StoreError::Unfit { path: path.to_owned(), why };
        let copy = Inspection::open(path).map_err(|error| match error {
            StoreError::NotAStore { .. } => unfit(Unfit::NotADatabase),
            other => other,
        })?;
        match misfit(&copy) {
            Ok(None) => Ok(Export(copy)),
            Ok(Some(why)) => Err(unfit(why)),
            Err(error) if is_damage(&error) => Err(unfit(Unfit::NotADatabase)),
            Err(error) => Err(error.into()),
        }
    }

    /// The crates that it is about.
    pub fn subjects(&self) -> Result<Vec<SubjectVersion>, StoreError> {
        self.0.subjects()
    }

    /// Puts a copy of it in the place of a store, which is the old one until it is the new one. No
    /// run may be using it. Returns its bytes.
    pub fn replace(&self, store: &Path) -> Result<u64, StoreError> {
        settle(store)?;
        // In the same directory, so that renaming it cannot fail half way.
        let arriving = beside(store, ".arriving");
        // An import that was killed may have left one.
        forget(&arriving)?;
        self.0.export(&arriving)?;
        // The log of the old store would be taken for that of the new one.
        forget(&beside(store, "-wal"))?;
        forget(&beside(store, "-shm"))?;
        fs::rename(&arriving, store).map_err(of_file(store))?;
        Ok(size(store))
    }
}

/// Writes a store anew, without what is free in it. Of the builds only the last so many that ran are
/// kept, if a number is given.
pub fn vacuum(path: &Path, keep_builds: Option<NonZeroUsize>) -> Result<Resized, StoreError> {
    let before = whole(path);
    // Opening would make one.
    if !path.exists() {
        return Err(StoreError::NoStore { path: path.to_owned() });
    }
    let mut store = Store::open_for_run(path)?;
    let dropped = keep_builds.map_or(Ok(0), |most| store.keep_builds(most.get()))?;
    // Dropped rows leave free pages; only this gives them back.
    store.connection.execute_batch("VACUUM")?;
    empty_log(&store.connection)?;
    drop(store);
    Ok(Resized { dropped, before, after: whole(path) })
}

/// Why this cannot be a store.
fn misfit(copy: &Inspection) -> rusqlite::Result<Option<Unfit>> {
    let (found, supported) = (copy.schema, schema::supported());
    if found > supported {
        return Ok(Some(Unfit::Newer { found, supported }));
    }
    if let Some(lacks) = schema::lacks(&copy.connection, found.max(1))? {
        return Ok(Some(Unfit::OtherTables { lacks }));
    }
    let check = "PRAGMA integrity_check(1)";
    let first: String = copy.connection.query_row(check, [], |row| row.get(0))?;
    // The first line only names the table.
    let first = first.lines().last().unwrap_or_default().to_owned();
    Ok((first != "ok").then_some(Unfit::Damaged { first }))
}

fn is_damage(error: &rusqlite::Error) -> bool {
    let damage = [ErrorCode::NotADatabase, ErrorCode::DatabaseCorrupt];
    error.sqlite_error_code().is_some_and(|code| damage.contains(&code))
}

/// Has all that was ever written in the file itself, so that the store is whole without its log.
fn settle(path: &Path) -> Result<(), StoreError> {
    match Inspection::open(path) {
        Ok(old) if old.schema > schema::supported() => {
            Err(StoreError::NewerSchema { found: old.schema, supported: schema::supported() })
        }
        Ok(_) => Ok(empty_log(&Connection::open(path)?)?),
        // What is no store is not worth keeping, what is not there need not be kept.
        Err(StoreError::NotAStore { .. } | StoreError::NoStore { .. }) => Ok(()),
        Err(error) => Err(error),
    }
}

fn empty_log(connection: &Connection) -> rusqlite::Result<()> {
    connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))
}

fn copy(connection: &Connection, to: &Path) -> Result<(), StoreError> {
    // A name that begins with `file:` would not be taken for a path.
    let to = std::path::absolute(to).map_err(of_file(to))?;
    let name = to.to_str().ok_or_else(|| of_file(&to)(io::ErrorKind::InvalidFilename.into()))?;
    // Not even a copy could be written otherwise; the store itself is open for reading only.
    connection.pragma_update(None, "query_only", false)?;
    connection.execute("VACUUM INTO ?1", [name])?;
    Ok(())
}

fn whole(path: &Path) -> u64 {
    size(path) + size(&beside(path, "-wal"))
}

fn forget(path: &Path) -> Result<(), StoreError> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(of_file(path)(error)),
        _ => Ok(()),
    }
}

fn of_file(path: &Path) -> impl FnOnce(io::Error) -> StoreError {
    let path: PathBuf = path.to_owned();
    move |source| StoreError::File { path, source }
}

#[cfg(test)]
mod tests;
