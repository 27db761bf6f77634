//! Opening a store, and its counts.

use std::{path::Path, time::Duration};

use rusqlite::{Connection, ErrorCode, OpenFlags, Transaction, TransactionBehavior};

use crate::{
    StoreError, retention::Memory, sqlite::campaign_rows::Campaign,
    sqlite::record::object_rows::Recorder, sqlite::schema, sqlite::search::Cache,
};

/// The database of one or more campaigns.
#[derive(Debug)]
pub struct Store {
    pub(crate) connection: Connection,
    pub(crate) campaign: Option<Campaign>,
    pub(crate) memory: Memory,
    pub(crate) cache: Cache,
    /// The schema found, when it is newer than what can be written.
    newer: Option<i64>,
}

/// One run on one subject with one seed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CampaignId(pub i64);

/// Amounts of evidence.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Objects kept with a recipe.
    pub objects: u64,
    /// Distinct abstract states.
    pub states: u64,
    /// Distinct transitions.
    pub transitions: u64,
    /// Calls kept.
    pub calls: u64,
    /// Relations between objects.
    pub relations: u64,
}

/// The lock is taken at once: a transaction that reads first and writes later cannot wait for
/// another writer, it can only fail.
pub(crate) const WRITING: TransactionBehavior = TransactionBehavior::Immediate;

// Longer than any batch takes to write, also on a disk that is busy with a build.
pub(crate) const BUSY: Duration = Duration::from_secs(30);

impl Store {
    /// Opens a store, making it if it is not there. A store of a newer schema can be read only.
    pub fn open(path: &Path) -> Result<Store, StoreError> {
        let at = |source: rusqlite::Error| classify(path, source);
        let connection = Connection::open(path).map_err(at)?;
        connection.busy_timeout(BUSY).map_err(at)?;
        let found = schema::version(&connection).map_err(at)?;
        if found > schema::supported() {
            drop(connection);
            let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
            let connection = Connection::open_with_flags(path, flags).map_err(at)?;
            return Ok(Store::new(connection, Some(found)));
        }
        let journal = |row: &rusqlite::Row<'_>| row.get::<_, String>(0);
        // A log beside the file: who looks at a store does not wait for the run that writes it, and a killed
        // run leaves whole batches.
        connection.query_row("PRAGMA journal_mode = WAL", [], journal).map_err(at)?;
        // Against the death of a process all batches are safe; a failure of power may cost the last ones,
        // which waiting for the disk each time would not be worth.
        connection.pragma_update(None, "synchronous", "NORMAL").map_err(at)?;
        // Only a checkpoint waits for the disk: every 64 MB, not every 4.
        connection.pragma_update(None, "wal_autocheckpoint", 16_384).map_err(at)?;
        Store::migrated(connection).map_err(at)
    }

    /// Opens a store that a run is going to write to.
    pub fn open_for_run(path: &Path) -> Result<Store, StoreError> {
        let store = Store::open(path)?;
        store.check_writable()?;
        Ok(store)
    }

    /// A store that goes when it is dropped.
    pub fn in_memory() -> Result<Store, StoreError> {
        Ok(Store::migrated(Connection::open_in_memory()?)?)
    }

    fn migrated(mut connection: Connection) -> rusqlite::Result<Store> {
        schema::migrate(&mut connection)?;
        // In KiB when negative: the indexes of a long campaign fit.
        connection.pragma_update(None, "cache_size", -64_000)?;
        // More than the statements that are used again and again: none is prepared twice.
        connection.set_prepared_statement_cache_capacity(128);
        Ok(Store::new(connection, None))
    }

    fn new(connection: Connection, newer: Option<i64>) -> Store {
        let (memory, cache) = (Memory::default(), Cache::default());
        Store { connection, campaign: None, memory, cache, newer }
    }

    /// The amount of evidence of the build under way; of all builds before a campaign was begun.
    pub fn count_evidence(&self) -> Result<Counts, StoreError> {
        let build = self.campaign.as_ref().map(|campaign| campaign.build);
        let count = |from: &str| {
            let sql = format!("SELECT count(*) FROM {from} WHERE ?1 IS NULL OR build = ?1");
            let mut statement = self.connection.prepare_cached(&sql)?;
            let count: i64 = statement.query_row([build], |row| row.get(0))?;
            Ok::<u64, StoreError>(count.unsigned_abs())
        };
        Ok(Counts {
            objects: count("object JOIN recipe ON recipe.id = object.recipe")?,
            states: count("state JOIN type ON type.id = state.type")?,
            transitions: count("transition t JOIN operation ON operation.id = t.operation")?,
            calls: count("call JOIN campaign ON campaign.id = call.campaign")?,
            relations: count(
                "relation JOIN query ON query.id = relation.query
                 JOIN type ON type.id = query.type",
            )?,
        })
    }

    /// Runs `write` in one transaction: all of it is kept, or nothing.
    pub(crate) fn batch<T>(
        &mut self,
        write: impl FnOnce(&Transaction<'_>, &Campaign) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        self.check_writable()?;
        self.cache.forget_finds();
        let campaign = self.campaign.as_ref().ok_or(StoreError::NoCampaign)?;
        let transaction = self.connection.transaction_with_behavior(WRITING)?;
        let result = write(&transaction, campaign)?;
        transaction.commit()?;
        Ok(result)
    }

    /// Records in one transaction: all of it is kept, or nothing.
    pub(crate) fn recording<T>(
        &mut self,
        write: impl FnOnce(&mut Recorder<'_>) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let mut memory = std::mem::take(&mut self.memory);
        // After a failure nothing is remembered: what was decided is not in the store.
        let result = self.batch(|connection, campaign| {
            let mut recorder = Recorder { connection, campaign, memory: &mut memory };
            let result = write(&mut recorder)?;
            recorder.write_counts()?;
            Ok(result)
        })?;
        self.memory = memory;
        Ok(result)
    }

    pub(crate) fn campaign(&self) -> Result<&Campaign, StoreError> {
        self.campaign.as_ref().ok_or(StoreError::NoCampaign)
    }

    pub(crate) fn check_writable(&self) -> Result<(), StoreError> {
        match self.newer {
            Some(found) => Err(StoreError::NewerSchema { found, supported: schema::supported() }),
            None => Ok(()),
        }
    }
}

pub(crate) fn classify(path: &Path, source: rusqlite::Error) -> StoreError {
    let path = path.to_owned();
    match source.sqlite_error_code() {
        Some(ErrorCode::NotADatabase | ErrorCode::DatabaseCorrupt) => {
            StoreError::NotAStore { path }
        }
        Some(ErrorCode::DiskFull) => StoreError::DiskFull,
        _ => StoreError::Open { path, source: source.into() },
    }
}

#[cfg(test)]
mod tests;
