//! The builds that a store has evidence of, and dropping those that are not wanted any more.

use rusqlite::Connection;

use crate::{Store, StoreError, SubjectVersion};

/// A build in its store: a program that was run, looked at through certain queries.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BuildId(pub i64);

/// A build that a store has evidence of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BuildRecord {
    /// Its number.
    pub id: BuildId,
    /// The crate.
    pub subject: SubjectVersion,
    /// A digest of the program that was run.
    pub program: u64,
}

/// Rows of a build by table, in an order in which they can go. `?1` is the build.
const ROWS_OF_BUILD: &[(&str, &str)] = &[
    ("operand", "call IN (SELECT id FROM call WHERE operation IN (SELECT id FROM ops))"),
    ("call", "operation IN (SELECT id FROM ops)"),
    ("edge", "operation IN (SELECT id FROM ops)"),
    (
        "transition_flip",
        "transition IN (SELECT id FROM transition WHERE operation IN (SELECT id FROM ops))",
    ),
    ("transition", "operation IN (SELECT id FROM ops)"),
    ("relation", "query IN (SELECT id FROM query WHERE type IN (SELECT id FROM types))"),
    ("literal", "operation IN (SELECT id FROM ops)"),
    ("object", "state IN (SELECT id FROM state WHERE type IN (SELECT id FROM types))"),
    ("state_value", "state IN (SELECT id FROM state WHERE type IN (SELECT id FROM types))"),
    ("state", "type IN (SELECT id FROM types)"),
    ("verdict", "campaign IN (SELECT id FROM campaign WHERE build = ?1)"),
    ("contract", "campaign IN (SELECT id FROM campaign WHERE build = ?1)"),
    ("fault", "campaign IN (SELECT id FROM campaign WHERE build = ?1)"),
    ("skip", "campaign IN (SELECT id FROM campaign WHERE build = ?1)"),
    ("recipe", "build = ?1"),
    ("query", "type IN (SELECT id FROM types)"),
    ("operation", "build = ?1"),
    ("type", "build = ?1"),
    ("campaign", "build = ?1"),
    ("build", "id = ?1"),
];

impl Store {
    /// The builds that the store has evidence of, those that ran last at the end.
    pub fn list_builds(&self) -> Result<Vec<BuildRecord>, StoreError> {
        let mut statement = self.connection.prepare(
            "SELECT build.id, name, version, program FROM build
             JOIN subject ON subject.id = build.subject
             JOIN (SELECT build, max(id) AS last FROM campaign GROUP BY build) c
                ON c.build = build.id
             ORDER BY last",
        )?;
        let builds = statement.query_map([], |row| {
            Ok(BuildRecord {
                id: BuildId(row.get(0)?),
                subject: SubjectVersion { name: row.get(1)?, version: row.get(2)? },
                program: row.get::<_, i64>(3)?.cast_unsigned(),
            })
        })?;
        Ok(builds.collect::<rusqlite::Result<_>>()?)
    }

    /// Drops the evidence of all builds but the last so many that ran. Returns how many went.
    pub fn keep_builds(&mut self, most: usize) -> Result<usize, StoreError> {
        self.check_writable()?;
        let mut builds = self.list_builds()?;
        let old = builds.len().saturating_sub(most);
        builds.truncate(old);
        // Many references have no index that finds them by what they refer to; all rows of a build go
        // together, so that nothing can be left that refers to them.
        self.connection.pragma_update(None, "foreign_keys", false)?;
        let transaction = self.connection.transaction_with_behavior(super::connection::WRITING)?;
        for build in &builds {
            drop_build(&transaction, build.id)?;
        }
        // A version without evidence would still be listed as one that was tested.
        let orphans = "DELETE FROM subject WHERE id NOT IN (SELECT subject FROM build)";
        transaction.execute(orphans, [])?;
        transaction.commit()?;
        self.connection.pragma_update(None, "foreign_keys", true)?;
        Ok(builds.len())
    }
}

fn drop_build(connection: &Connection, build: BuildId) -> rusqlite::Result<()> {
    for (table, condition) in ROWS_OF_BUILD {
        let drop_rows = format!(
            "WITH ops AS (SELECT id FROM operation WHERE build = ?1),
                  types AS (SELECT id FROM type WHERE build = ?1)
             DELETE FROM {table} WHERE {condition}"
        );
        connection.execute(&drop_rows, [build.0])?;
    }
    Ok(())
}

#[cfg(test)]
mod tests;
