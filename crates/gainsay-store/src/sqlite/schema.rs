//! The tables, as append-only migrations: a migration is never edited once released.

use std::collections::BTreeSet;

use gainsay_wire::{Manifest, from_bytes};
use rusqlite::{Connection, params};

use crate::sqlite::{campaign_rows::views_digest, encoding::blob::pack_bytes};

/// Leads from one schema to the next.
struct Migration {
    sql: &'static str,
    /// Does what SQL cannot say, after that.
    finish: fn(&Connection) -> rusqlite::Result<()>,
}

/// Each step leads from the schema of its index to the next one.
const MIGRATIONS: &[Migration] = &[
    Migration { sql: include_str!("schema/first.sql"), finish: |_| Ok(()) },
    Migration { sql: include_str!("schema/second.sql"), finish: pack_blobs },
    Migration { sql: include_str!("schema/third.sql"), finish: digest_views },
];

/// Blobs that there are many of are packed.
fn pack_blobs(connection: &Connection) -> rusqlite::Result<()> {
    for (table, column) in [("recipe", "bytes"), ("state", "bytes"), ("call", "observation")] {
        let find = format!("SELECT id, {column} FROM {table} WHERE {column} IS NOT NULL");
        let update = format!("UPDATE {table} SET {column} = ?2 WHERE id = ?1");
        let mut statement = connection.prepare(&find)?;
        let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
        let rows: Vec<(i64, Vec<u8>)> = rows.collect::<rusqlite::Result<_>>()?;
        for (id, bytes) in rows {
            connection.prepare_cached(&update)?.execute(params![id, pack_bytes(&bytes)])?;
        }
    }
    Ok(())
}

/// Tells builds apart by the queries that took part, as campaigns do that begin now. A manifest of
/// another form of the wire has no digest: its build is never the same as one of today.
fn digest_views(connection: &Connection) -> rusqlite::Result<()> {
    let find = "SELECT build, manifest FROM campaign ORDER BY id";
    let mut statement = connection.prepare(find)?;
    let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
    let rows: Vec<(i64, Vec<u8>)> = rows.collect::<rusqlite::Result<_>>()?;
    for (build, manifest) in rows {
        let Ok(manifest) = from_bytes::<Manifest>(&manifest) else { continue };
        let views = views_digest(&manifest).cast_signed();
        connection.execute("UPDATE build SET views = ?2 WHERE id = ?1", params![build, views])?;
    }
    Ok(())
}

/// The newest schema that this version writes.
pub(crate) fn supported() -> i64 {
    i64::try_from(MIGRATIONS.len()).expect("migrations are few")
}

/// The schema of an open database.
pub(crate) fn version(connection: &Connection) -> rusqlite::Result<i64> {
    connection.query_row("PRAGMA user_version", [], |row| row.get(0))
}

/// Brings a database up to date, each migration in a transaction of its own. The version is read
/// inside the transaction, so that two runs that open one new file do not both migrate it.
pub(crate) fn migrate(connection: &mut Connection) -> rusqlite::Result<()> {
    let found = version(connection)?;
    if found >= supported() {
        return Ok(());
    }
    // A table that is made anew is missing for a moment, which its references would forbid. Inside of a
    // transaction this cannot be said.
    connection.pragma_update(None, "foreign_keys", false)?;
    for (next, migration) in (1i64..).zip(MIGRATIONS).filter(|(next, _)| *next > found) {
        let transaction =
            connection.transaction_with_behavior(crate::sqlite::connection::WRITING)?;
        // Another run may have done it while this one waited for the lock.
        if version(&transaction)? < next {
            transaction.execute_batch(migration.sql)?;
            (migration.finish)(&transaction)?;
            transaction.pragma_update(None, "user_version", next)?;
        }
        transaction.commit()?;
    }
    connection.pragma_update(None, "foreign_keys", true)
}

/// The first table or column that a database lacks of those that its schema has.
pub(crate) fn lacks(connection: &Connection, version: i64) -> rusqlite::Result<Option<String>> {
    // Built from the migrations, so that no list of columns can be out of date.
    let complete = Connection::open_in_memory()?;
    complete.pragma_update(None, "foreign_keys", false)?;
    for (_, migration) in (1i64..).zip(MIGRATIONS).filter(|(next, _)| *next <= version) {
        complete.execute_batch(migration.sql)?;
    }
    Ok(columns(&complete)?.difference(&columns(connection)?).next().cloned())
}

/// All tables, in the order in which they were made.
#[cfg(test)]
pub(crate) fn tables(connection: &Connection) -> rusqlite::Result<Vec<String>> {
    let find = "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY rowid";
    connection.prepare(find)?.query_map([], |row| row.get(0))?.collect()
}

/// All columns, as `table.column`.
fn columns(connection: &Connection) -> rusqlite::Result<BTreeSet<String>> {
    let find = "SELECT t.name || '.' || c.name FROM sqlite_schema t
        JOIN pragma_table_info(t.name) c WHERE t.type = 'table'";
    connection.prepare(find)?.query_map([], |row| row.get(0))?.collect()
}

#[cfg(test)]
mod tests;
