//! Edges: counters of what calls did to the object that they were about. Every observed call counts in
//! one of them, whether it is kept or not.

use std::collections::HashSet;

use gainsay_wire::{
    Digest, Edge, EdgeCount, EdgeEnd, Observation, OpId, OutcomeClass, StateId, to_bytes,
};
use rusqlite::{Connection, Row, params};

use crate::{
    ObservationId, Store, StoreError, sqlite::campaign_rows::Campaign,
    sqlite::record::object_rows::Recorder,
};

/// Edges of one operation whose states are told apart. Workers tell apart 128 each, and attacks come on
/// top; a typestate with more edges than this is nothing that anybody reads.
const EDGES_PER_OPERATION: usize = 2_000;
/// Examples of an edge that are given.
const EXAMPLES_PER_EDGE: usize = 3;

const FIND_EDGES: &str = "SELECT type, position, end_before, state_before, outcome, end_after,
        state_after, count, key
     FROM edge WHERE operation = ?1 ORDER BY key";

/// An edge with its counter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EdgeRecord {
    /// The edge.
    pub edge: Edge,
    /// The calls that were observed.
    pub count: u64,
    /// A few kept calls that took it.
    pub examples: Vec<ObservationId>,
}

impl Recorder<'_> {
    /// Counts calls that were observed.
    pub(crate) fn count_edges(&mut self, counts: &[EdgeCount]) {
        for EdgeCount { edge, count } in counts {
            let counted = self.counted_edge(*edge);
            *self.memory.pending_edges.entry(counted).or_default() += count;
        }
    }

    /// The edge itself while there is room for it, or the one for the rest of the operation's edges.
    fn counted_edge(&mut self, edge: Edge) -> Edge {
        if !has_state(&edge) {
            return edge;
        }
        let known = self.memory.edges.entry(edge.op).or_default();
        if known.contains(&edge) || known.len() < EDGES_PER_OPERATION {
            known.insert(edge);
            return edge;
        }
        // The count is kept whatever happens to the states, so that all counts add up.
        edge.among_the_rest()
    }

    /// Writes what was counted. Counters of several connections add up.
    pub(crate) fn write_edges(&mut self) -> Result<(), StoreError> {
        let upsert = "INSERT INTO edge(operation, key, type, position, end_before, state_before,
                outcome, end_after, state_after, count)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)
             ON CONFLICT DO UPDATE SET count = count + excluded.count";
        for (edge, count) in std::mem::take(&mut self.memory.pending_edges) {
            let ty = edge.ty.map(|ty| self.campaign.type_row(ty)).transpose()?;
            let [before, after] = [edge.before, edge.after].map(EndColumns::of);
            self.connection.prepare_cached(upsert)?.execute(params![
                self.campaign.op_row(edge.op)?,
                edge_key(self.campaign, &edge)?,
                ty,
                edge.operand,
                before.word,
                before.state,
                class_word(edge.outcome),
                after.word,
                after.state,
                count.cast_signed(),
            ])?;
        }
        Ok(())
    }
}

fn has_state(edge: &Edge) -> bool {
    [edge.before, edge.after].iter().any(|end| end.state().is_some())
}

/// The key of the edge that an observed call is an example of.
pub(crate) fn example_key(
    campaign: &Campaign,
    observation: &Observation,
) -> Result<Option<i64>, StoreError> {
    Edge::of(observation).map(|edge| edge_key(campaign, &edge)).transpose()
}

/// A digest of all of an edge but its operation, in the numbers of the store.
fn edge_key(campaign: &Campaign, edge: &Edge) -> Result<i64, StoreError> {
    let ty = edge.ty.map(|ty| campaign.store_type(ty)).transpose()?;
    // The operation is a column of the key; its number differs from harness to harness.
    let bytes = to_bytes(&Edge { op: OpId(0), ty, ..*edge });
    Ok(Digest::of_bytes(&bytes).cast_signed())
}

/// The edges of an operation whose states are told apart.
pub(crate) fn known_edges(
    connection: &Connection,
    campaign: &Campaign,
    op: OpId,
) -> Result<HashSet<Edge>, StoreError> {
    let mut statement = connection.prepare_cached(FIND_EDGES)?;
    let mut rows = statement.query([campaign.op_row(op)?])?;
    let mut known = HashSet::new();
    while let Some(row) = rows.next()? {
        known.extend(read_edge(campaign, op, row)?.filter(has_state));
    }
    Ok(known)
}

impl Store {
    /// The edges of the build under way, with what was observed of them.
    pub fn list_edges(&self) -> Result<Vec<EdgeRecord>, StoreError> {
        let campaign = self.campaign()?;
        let mut edges = Vec::new();
        for (op, row) in campaign.op_rows() {
            let mut statement = self.connection.prepare_cached(FIND_EDGES)?;
            let mut rows = statement.query([row])?;
            while let Some(found) = rows.next()? {
                let Some(edge) = read_edge(campaign, op, found)? else { continue };
                let count: i64 = found.get(7)?;
                let examples = self.edge_examples(row, found.get(8)?)?;
                edges.push(EdgeRecord { edge, count: count.unsigned_abs(), examples });
            }
        }
        Ok(edges)
    }

    fn edge_examples(&self, op: i64, key: i64) -> Result<Vec<ObservationId>, StoreError> {
        let find = "SELECT id FROM call WHERE operation = ?1 AND edge = ?2 ORDER BY id LIMIT ?3";
        let most = i64::try_from(EXAMPLES_PER_EDGE).unwrap_or(i64::MAX);
        let mut statement = self.connection.prepare_cached(find)?;
        let ids =
            statement.query_map(params![op, key, most], |row| row.get(0).map(ObservationId))?;
        Ok(ids.collect::<rusqlite::Result<_>>()?)
    }
}

/// An edge in the numbers of the harness; `None` when it speaks of something that this version or the
/// harness does not know.
fn read_edge(campaign: &Campaign, op: OpId, row: &Row<'_>) -> rusqlite::Result<Option<Edge>> {
    let ty = match row.get::<_, Option<i64>>(0)? {
        Some(ty) => match campaign.type_of_row(ty) {
            Some(ty) => Some(ty),
            None => return Ok(None),
        },
        None => None,
    };
    let (Some(before), Some(after)) = (read_end(row, 2)?, read_end(row, 5)?) else {
        return Ok(None);
    };
    let outcome: String = row.get(4)?;
    let Some((outcome, _)) = CLASS_WORDS.iter().find(|(_, word)| *word == outcome) else {
        return Ok(None);
    };
    Ok(Some(Edge { op, operand: row.get(1)?, ty, before, outcome: *outcome, after }))
}

/// One end of an edge in its two columns.
struct EndColumns {
    word: &'static str,
    state: Option<i64>,
}

impl EndColumns {
    fn of(end: EdgeEnd) -> EndColumns {
        let word = match end {
            EdgeEnd::Absent => "absent",
            EdgeEnd::State(_) => "state",
            EdgeEnd::Rest => "rest",
            EdgeEnd::RestUnchanged => "unchanged",
            EdgeEnd::Unseen => "unseen",
        };
        EndColumns { word, state: end.state().map(|state| state.0.cast_signed()) }
    }
}

/// The end in the two columns from `first` on.
fn read_end(row: &Row<'_>, first: usize) -> rusqlite::Result<Option<EdgeEnd>> {
    if let Some(state) = row.get::<_, Option<i64>>(first + 1)? {
        return Ok(Some(EdgeEnd::State(StateId(state.cast_unsigned()))));
    }
    let word: String = row.get(first)?;
    let ends = [EdgeEnd::Absent, EdgeEnd::Rest, EdgeEnd::RestUnchanged, EdgeEnd::Unseen];
    Ok(ends.into_iter().find(|end| EndColumns::of(*end).word == word))
}

/// The words that outcomes have in `edge`.
const CLASS_WORDS: [(OutcomeClass, &str); 6] = [
    (OutcomeClass::Returned, "returned"),
    (OutcomeClass::ReturnedErr, "returned Err"),
    (OutcomeClass::Panicked, "panicked"),
    (OutcomeClass::Aborted, "aborted"),
    (OutcomeClass::TimedOut, "timed out"),
    (OutcomeClass::OutOfMemory, "out of memory"),
];

fn class_word(class: OutcomeClass) -> &'static str {
    CLASS_WORDS.iter().find(|(known, _)| *known == class).map_or("", |(_, word)| word)
}

#[cfg(test)]
mod tests;
