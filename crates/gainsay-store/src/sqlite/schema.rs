//! The tables, as append-only migrations: a migration is never edited once released.

use std::collections::BTreeSet;

use rusqlite::{Connection, params};

use crate::sqlite::encoding::blob::pack_bytes;

/// Leads from one schema to the next.
struct Migration {
    sql: &'static str,
    /// What SQL cannot say, after that.
    then: fn(&Connection) -> rusqlite::Result<()>,
}

/// Each step leads from the schema of its index to the next one.
const MIGRATIONS: &[Migration] =
    &[Migration { sql: FIRST, then: |_| Ok(()) }, Migration { sql: SECOND, then: pack_blobs }];

const SECOND: &str = "
-- build: a digest of what was run; what another build showed may not be so any more.
ALTER TABLE campaign ADD COLUMN build INTEGER;
-- steps: of both objects together, so that pairs are found in the order of their recipes.
ALTER TABLE relation ADD COLUMN steps INTEGER NOT NULL DEFAULT 0;
UPDATE relation SET steps = (SELECT sum(steps) FROM object WHERE object.id IN (a, b));
DROP INDEX relation_by_value;
CREATE INDEX relation_by_value ON relation(query, int_value, kind, steps);
CREATE INDEX relation_by_state_b ON relation(query, state_b, state_a);
";

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

const FIRST: &str = "
CREATE TABLE subject(
    id INTEGER PRIMARY KEY, name TEXT NOT NULL, version TEXT NOT NULL, UNIQUE(name, version));
CREATE TABLE campaign(
    id INTEGER PRIMARY KEY, subject INTEGER NOT NULL REFERENCES subject, seed INTEGER NOT NULL,
    manifest BLOB NOT NULL);
CREATE TABLE type(
    id INTEGER PRIMARY KEY, subject INTEGER NOT NULL REFERENCES subject, name TEXT NOT NULL,
    UNIQUE(subject, name));
CREATE TABLE operation(
    id INTEGER PRIMARY KEY, subject INTEGER NOT NULL REFERENCES subject, name TEXT NOT NULL,
    UNIQUE(subject, name));
CREATE TABLE query(
    id INTEGER PRIMARY KEY, type INTEGER NOT NULL REFERENCES type, name TEXT NOT NULL,
    UNIQUE(type, name));
-- steps: length of the shortest recipe that leads to the state.
CREATE TABLE state(
    id INTEGER PRIMARY KEY, type INTEGER NOT NULL REFERENCES type, digest INTEGER NOT NULL,
    steps INTEGER, bytes BLOB, UNIQUE(type, digest));
CREATE INDEX state_by_steps ON state(type, steps, digest);
-- int_value: an integer, a truth value, a character, an element's key; of options and results
-- whether they are Some or Ok; of sequences and texts their length. text_value: what
-- int_value cannot tell.
CREATE TABLE state_value(
    state INTEGER NOT NULL REFERENCES state, query INTEGER NOT NULL REFERENCES query,
    kind INTEGER NOT NULL, int_value INTEGER, text_value TEXT,
    PRIMARY KEY(state, query)) WITHOUT ROWID;
CREATE INDEX state_value_by_int ON state_value(query, int_value, kind, state);
CREATE TABLE recipe(
    id INTEGER PRIMARY KEY, digest INTEGER NOT NULL UNIQUE, steps INTEGER NOT NULL,
    bytes BLOB NOT NULL);
-- pinned: a relation refers to it, so it stays.
CREATE TABLE object(
    id INTEGER PRIMARY KEY, state INTEGER NOT NULL REFERENCES state,
    recipe INTEGER NOT NULL REFERENCES recipe, step INTEGER NOT NULL, out INTEGER NOT NULL,
    steps INTEGER NOT NULL, pinned INTEGER NOT NULL, UNIQUE(recipe, step, out));
CREATE INDEX object_by_state ON object(state, steps, recipe);
CREATE INDEX object_by_pin ON object(state, pinned, steps);
CREATE TABLE relation(
    query INTEGER NOT NULL REFERENCES query, a INTEGER NOT NULL REFERENCES object,
    b INTEGER NOT NULL REFERENCES object, state_a INTEGER NOT NULL, state_b INTEGER NOT NULL,
    kind INTEGER NOT NULL, int_value INTEGER, text_value TEXT,
    PRIMARY KEY(a, b, query)) WITHOUT ROWID;
CREATE INDEX relation_by_value ON relation(query, int_value, kind);
CREATE INDEX relation_by_states ON relation(query, state_a, state_b, int_value);
CREATE INDEX relation_by_b ON relation(b);
CREATE TABLE call(
    id INTEGER PRIMARY KEY, campaign INTEGER NOT NULL REFERENCES campaign,
    operation INTEGER NOT NULL REFERENCES operation, outcome TEXT NOT NULL,
    recipe INTEGER NOT NULL UNIQUE REFERENCES recipe, vocabulary INTEGER NOT NULL,
    before_key INTEGER NOT NULL, keep_key INTEGER NOT NULL, observation BLOB NOT NULL);
CREATE INDEX call_by_before ON call(operation, before_key);
CREATE INDEX call_by_keep ON call(operation, keep_key);
CREATE INDEX call_by_vocabulary ON call(operation, vocabulary);
CREATE TABLE operand(
    call INTEGER NOT NULL REFERENCES call, position INTEGER NOT NULL,
    state_before INTEGER, state_after INTEGER, text_value TEXT,
    PRIMARY KEY(call, position)) WITHOUT ROWID;
CREATE TABLE literal(
    operation INTEGER NOT NULL REFERENCES operation, position INTEGER NOT NULL,
    digest INTEGER NOT NULL, bytes BLOB NOT NULL, text_value TEXT NOT NULL,
    PRIMARY KEY(operation, position, digest)) WITHOUT ROWID;
CREATE TABLE transition(
    id INTEGER PRIMARY KEY, operation INTEGER NOT NULL REFERENCES operation,
    key INTEGER NOT NULL, count INTEGER NOT NULL, example INTEGER NOT NULL REFERENCES recipe,
    steps INTEGER NOT NULL, UNIQUE(operation, key));
CREATE TABLE transition_flip(
    transition INTEGER NOT NULL REFERENCES transition, query INTEGER NOT NULL REFERENCES query,
    position INTEGER NOT NULL, with_position INTEGER NOT NULL,
    before_kind INTEGER NOT NULL, before_int_value INTEGER, before_text_value TEXT,
    after_kind INTEGER NOT NULL, after_int_value INTEGER, after_text_value TEXT,
    PRIMARY KEY(query, transition, position, with_position)) WITHOUT ROWID;
CREATE TABLE contract(
    campaign INTEGER NOT NULL REFERENCES campaign, number INTEGER NOT NULL,
    operation INTEGER NOT NULL REFERENCES operation, kind TEXT NOT NULL, expr TEXT NOT NULL,
    bytes BLOB NOT NULL, distinct_calls INTEGER NOT NULL, at_risk INTEGER NOT NULL,
    attacks INTEGER NOT NULL, PRIMARY KEY(campaign, number)) WITHOUT ROWID;
CREATE TABLE verdict(
    campaign INTEGER NOT NULL, contract INTEGER NOT NULL, verdict TEXT NOT NULL,
    attacks INTEGER, reason TEXT, via TEXT, recipe INTEGER REFERENCES recipe,
    PRIMARY KEY(campaign, contract)) WITHOUT ROWID;
CREATE TABLE fault(
    campaign INTEGER NOT NULL REFERENCES campaign, id TEXT NOT NULL, oracle TEXT NOT NULL,
    operation TEXT NOT NULL, message TEXT NOT NULL, recipe INTEGER NOT NULL REFERENCES recipe,
    confirmation TEXT NOT NULL, PRIMARY KEY(campaign, id)) WITHOUT ROWID;
CREATE TABLE skip(
    campaign INTEGER NOT NULL REFERENCES campaign, operation TEXT NOT NULL,
    reason TEXT NOT NULL, detail TEXT NOT NULL,
    PRIMARY KEY(campaign, operation, reason, detail)) WITHOUT ROWID;
";

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
    for (next, migration) in (1i64..).zip(MIGRATIONS).filter(|(next, _)| *next > found) {
        let transaction =
            connection.transaction_with_behavior(crate::sqlite::connection::WRITING)?;
        if version(&transaction)? < next {
            transaction.execute_batch(migration.sql)?;
            (migration.then)(&transaction)?;
            transaction.pragma_update(None, "user_version", next)?;
        }
        transaction.commit()?;
    }
    Ok(())
}

/// The first table or column that a database lacks of those that its schema has.
pub(crate) fn lacks(connection: &Connection, version: i64) -> rusqlite::Result<Option<String>> {
    let complete = Connection::open_in_memory()?;
    for (_, migration) in (1i64..).zip(MIGRATIONS).filter(|(next, _)| *next <= version) {
        complete.execute_batch(migration.sql)?;
    }
    Ok(columns(&complete)?.difference(&columns(connection)?).next().cloned())
}

/// All columns, as `table.column`.
fn columns(connection: &Connection) -> rusqlite::Result<BTreeSet<String>> {
    let find = "SELECT t.name || '.' || c.name FROM sqlite_schema t
        JOIN pragma_table_info(t.name) c WHERE t.type = 'table'";
    connection.prepare(find)?.query_map([], |row| row.get(0))?.collect()
}

#[cfg(test)]
mod tests {
    use gainsay_wire::{OpId, Sequence, Step, to_bytes};

    use super::*;
    use crate::sqlite::encoding::blob::unpack;

    #[test]
    fn a_store_of_the_first_schema_is_brought_up_to_date_with_what_it_has() {
        let mut old = Connection::open_in_memory().unwrap();
        old.execute_batch(FIRST).unwrap();
        old.pragma_update(None, "user_version", 1).unwrap();
        let recipe = Sequence { steps: vec![Step::new(OpId(3), Vec::new())] };
        let insert = "INSERT INTO recipe VALUES (1, 7, 1, ?1)";
        old.execute(insert, [to_bytes(&recipe)]).unwrap();
        old.execute_batch(
            "INSERT INTO subject VALUES (1, 's', '1'); INSERT INTO type VALUES (1, 1, 'T');
             INSERT INTO query VALUES (1, 1, 'q'); INSERT INTO state VALUES (1, 1, 1, 2, NULL);
             INSERT INTO object VALUES (1, 1, 1, 0, 0, 2, 1), (2, 1, 1, 0, 1, 3, 1);
             INSERT INTO relation VALUES (1, 1, 2, 1, 1, 2, 1, NULL);",
        )
        .unwrap();
        migrate(&mut old).unwrap();
        assert_eq!(version(&old).unwrap(), supported());
        let bytes: Vec<u8> =
            old.query_row("SELECT bytes FROM recipe", [], |row| row.get(0)).unwrap();
        assert_eq!(unpack::<Sequence>(&bytes).unwrap(), recipe);
        let steps: i64 = old.query_row("SELECT steps FROM relation", [], |row| row.get(0)).unwrap();
        assert_eq!(steps, 5);
        assert_eq!(lacks(&old, supported()).unwrap(), None);
    }
}
