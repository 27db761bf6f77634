//! What of a stream of calls is worth keeping, decided in memory before any SQL.
//!
//! The rule: at most 3 calls of one operation with the same states before, the same kind of
//! outcome and result, and the same states after. Of what exploration sends, also at most 12
//! whose states look alike with integers in buckets (fewer the more there are of the operation: 6, 3, 1
//! from the 250th, 500th, 1,000th on), and at most 2,000 of one operation in all campaigns: a store stays
//! small however long and often a crate is tested. What was looked for on purpose,
//! attacks and violations, is not bound by these two. The same goes for what queries say of two
//! objects: at most 4 pairs in the same states of which one says the same, and of what exploration
//! sends at most 6 that look alike, and 2,000 of one query. A call that is not kept still counts its
//! transition, and gives a state a shorter recipe if it has one.
//!
//! Rows of states and recipes are never deleted, so their numbers may be remembered. Nothing
//! here is iterated in an order that reaches the store.

use std::{
    collections::{BTreeMap, HashMap, HashSet},
    hash::Hasher as _,
};

use gainsay_wire::{
    Digest, Edge, Observation, OpId, Outcome, StateId, StateRecord, Value, coarse_value_key,
};
use rusqlite::Connection;

use crate::{
    StoreError,
    sqlite::{campaign_rows::Campaign, record::edge_rows::known_edges},
};

/// Calls alike in their exact states.
pub(crate) const CALLS_PER_KEY: u32 = 3;
/// Explored calls alike in their coarse states.
// Trades examples for inference against the size of the store: together with the limit of an operation it
// keeps a store at some megabytes however long a run is.
const CALLS_PER_COARSE_KEY: u32 = 12;
/// With so many explored calls of one operation there is room for half as many alike, and again with
/// twice as many, down to one.
// Contracts are refuted by variety, and an operation with many examples has had its variety of the common
// kind: what room is left is for calls that look like none.
const CALLS_BEFORE_HALVED: u32 = 250;
/// Explored calls of one operation.
// Inference looks at no more of one operation, so more would never be read.
const CALLS_PER_OPERATION: u32 = 2_000;
/// Explored pairs of which a query says the same, alike in their coarse states.
const PAIRS_PER_COARSE_KEY: u32 = 6;
/// Explored pairs of one query.
const PAIRS_PER_QUERY: u32 = 2_000;

/// The evidence that the campaign under way has put into the store, as far as decisions need it.
#[derive(Debug, Default)]
pub(crate) struct Memory {
    pub(crate) states: HashMap<(i64, StateId), KnownState>,
    pub(crate) recipes: HashMap<u64, i64>,
    /// Calls by operation and exact key.
    pub(crate) alike: HashMap<(i64, i64), u32>,
    coarse: HashMap<StateId, u64>,
    coarsely_alike: HashMap<(OpId, u64), u32>,
    explored: HashMap<OpId, u32>,
    /// Row and length of the example, by operation and key.
    pub(crate) transitions: HashMap<(i64, i64), (i64, i64)>,
    /// Counts of transitions that are not written yet, by row.
    pub(crate) counted: BTreeMap<i64, i64>,
    pub(crate) relations: HashMap<RelationKey, u32>,
    coarsely_related: HashMap<(i64, u64), u32>,
    related: HashMap<i64, u32>,
    /// True if no campaign of the build had put anything into the store when this one began: what is not known here
    /// need not be looked for there.
    pub(crate) began_empty: bool,
    /// Edges whose states are told apart, by operation.
    pub(crate) edges: HashMap<OpId, HashSet<Edge>>,
    /// Counts of edges that are not written yet.
    pub(crate) pending_edges: BTreeMap<Edge, u64>,
    /// True if edges wait until the campaign pauses: see `record_while`.
    pub(crate) defers_edges: bool,
    /// Objects that nothing refers to, by the row of their state: steps and row.
    pub(crate) unpinned: HashMap<i64, Vec<(i64, i64)>>,
    /// Digests of literals, by operation and position.
    pub(crate) literals: HashMap<(i64, u32), HashSet<i64>>,
}

/// Query, states and digest of the value.
pub(crate) type RelationKey = (i64, [i64; 2], u64);

/// A state that has a row.
#[derive(Clone, Copy, Debug)]
pub(crate) struct KnownState {
    pub(crate) row: i64,
    /// The shortest recipe that leads there, as far as known.
    pub(crate) shortest: i64,
    /// Recipes of this length, or longer, were refused.
    pub(crate) refused: i64,
}

impl Memory {
    pub(crate) fn new(began_empty: bool) -> Memory {
        Memory { began_empty, ..Memory::default() }
    }

    /// On top of earlier campaigns: what they kept takes room of the present one, too.
    pub(crate) fn from_store(
        connection: &Connection,
        campaign: &Campaign,
    ) -> Result<Memory, StoreError> {
        let mut memory = Memory::new(false);
        // At once for all: asking for each call that comes up was most of what going on cost.
        let alike = "SELECT keep_key, count(*) FROM call WHERE operation = ?1 GROUP BY keep_key";
        for (op, row) in campaign.op_rows() {
            let mut statement = connection.prepare_cached(alike)?;
            let mut rows = statement.query([row])?;
            let mut calls = 0;
            while let Some(found) = rows.next()? {
                let count = found.get(1)?;
                memory.alike.insert((row, found.get(0)?), count);
                calls += count;
            }
            memory.explored.insert(op, calls);
            memory.edges.insert(op, known_edges(connection, campaign, op)?);
        }
        let pairs = "SELECT count(*) FROM relation WHERE query = ?1";
        for query in campaign.query_rows() {
            let count = connection.prepare_cached(pairs)?.query_row([query], |row| row.get(0))?;
            memory.related.insert(query, count);
        }
        Ok(memory)
    }

    /// Remembers how states look from afar.
    pub(crate) fn look_at(&mut self, states: &[StateRecord]) {
        for record in states {
            // A state never looks otherwise later: it is a digest of its answers.
            self.coarse.entry(record.state).or_insert_with(|| coarse(&record.values));
        }
    }

    /// Tells if there is room for one more call that looks like this one from afar; takes it.
    pub(crate) fn take_room(&mut self, observation: &Observation, result: u64) -> bool {
        let explored = self.explored.entry(observation.op).or_default();
        // The rare call comes late as well as early, but a store without this bound grew with the time of
        // the run.
        if *explored >= CALLS_PER_OPERATION {
            return false;
        }
        let key = coarse_key(&self.coarse, observation, result);
        let alike = self.coarsely_alike.entry((observation.op, key)).or_default();
        if *alike >= most_alike(*explored) {
            return false;
        }
        *alike += 1;
        *explored += 1;
        true
    }

    /// Tells if there is room for one more pair of which a query says this.
    pub(crate) fn has_room_for(&self, query: i64, pair: [StateId; 2], value: &Value) -> bool {
        let taken = self.related.get(&query).copied().unwrap_or_default();
        let alike = self.coarsely_related.get(&self.related_key(query, pair, value)).copied();
        taken < PAIRS_PER_QUERY && alike.unwrap_or_default() < PAIRS_PER_COARSE_KEY
    }

    /// Takes it.
    pub(crate) fn take_room_for(&mut self, query: i64, pair: [StateId; 2], value: &Value) {
        *self.related.entry(query).or_default() += 1;
        *self.coarsely_related.entry(self.related_key(query, pair, value)).or_default() += 1;
    }

    fn related_key(&self, query: i64, pair: [StateId; 2], value: &Value) -> (i64, u64) {
        let mut digest = Digest::new();
        for state in pair {
            digest.write_u64(self.coarse.get(&state).copied().unwrap_or_default());
        }
        digest.write_u64(coarse_value_key(value));
        (query, digest.finish())
    }
}

/// The number of explored calls that may look alike from afar, when there are so many of the operation.
fn most_alike(explored: u32) -> u32 {
    // Halved each time the number doubles: the room of an operation is never full of one kind of call.
    let halvings = (explored / CALLS_BEFORE_HALVED).checked_ilog2().map_or(0, |times| times + 1);
    (CALLS_PER_COARSE_KEY >> halvings).max(1)
}

/// States before, kind of outcome and result, and states after, as one number.
pub(crate) fn exact_key(observation: &Observation, result: u64) -> i64 {
    key(observation, result, |state| state.0).cast_signed()
}

fn coarse_key(coarse: &HashMap<StateId, u64>, observation: &Observation, result: u64) -> u64 {
    key(observation, result, |state| coarse.get(&state).copied().unwrap_or_default())
}

fn key(observation: &Observation, result: u64, state: impl Fn(StateId) -> u64) -> u64 {
    let mut digest = Digest::new();
    for object in &observation.objects {
        digest.write_u32(object.operand);
        digest.write_u64(state(object.before));
        digest.write_u64(object.after.map_or(u64::MAX, &state));
    }
    for (_, made) in &observation.made {
        digest.write_u64(state(*made));
    }
    digest.write_u8(outcome_kind(&observation.outcome));
    // The message is left out: numbers in it make each call look new.
    if let Outcome::Panicked(place) = &observation.outcome {
        digest.write(place.file.as_bytes());
        digest.write_u32(place.line);
    }
    // The result is in buckets, or else each new number would make a call of a getter new.
    digest.write_u64(result);
    digest.finish()
}

fn outcome_kind(outcome: &Outcome) -> u8 {
    match outcome {
        Outcome::Returned => 0,
        Outcome::ReturnedErr => 1,
        Outcome::Panicked(_) => 2,
        Outcome::Aborted(_) => 3,
        Outcome::TimedOut => 4,
        Outcome::OutOfMemory => 5,
        Outcome::NotReady => 6,
    }
}

fn coarse(values: &[Value]) -> u64 {
    let mut digest = Digest::new();
    for value in values {
        digest.write_u64(coarse_value_key(value));
    }
    digest.finish()
}

#[cfg(test)]
mod tests {
    use gainsay_wire::PanicPlace;

    use super::*;

    fn returned(op: u32) -> Observation {
        Observation {
            op: OpId(op),
            outcome: Outcome::Returned,
            values: Vec::new(),
            objects: Vec::new(),
            made: Vec::new(),
            freed: Vec::new(),
        }
    }

    #[test]
    fn exploration_has_room_for_few_calls_alike_from_afar_and_for_others_still() {
        let mut memory = Memory::default();
        let taken = (0..100).filter(|_| memory.take_room(&returned(0), 1)).count();
        assert_eq!(taken, 12);
        assert!(memory.take_room(&returned(0), 2));
        assert!(memory.take_room(&returned(1), 1));
    }

    #[test]
    fn the_more_calls_there_are_of_an_operation_the_fewer_may_be_alike() {
        let limits = [0, 249, 250, 499, 500, 999, 1_000, 1_999].map(most_alike);
        assert_eq!(limits, [12, 12, 6, 6, 3, 3, 1, 1]);
    }

    #[test]
    fn what_queries_say_of_pairs_that_look_alike_has_little_room() {
        let mut memory = Memory::default();
        let pair = [StateId(1), StateId(2)];
        let mut taken = |query, value: &Value| {
            let mut taken = 0;
            while memory.has_room_for(query, pair, value) && taken < 100 {
                memory.take_room_for(query, pair, value);
                taken += 1;
            }
            taken
        };
        assert_eq!(taken(0, &Value::Bool(true)), 6);
        assert_eq!(taken(0, &Value::Bool(false)), 6);
        assert_eq!(taken(1, &Value::Bool(true)), 6);
    }

    #[test]
    fn exploration_has_room_for_two_thousand_calls_of_an_operation() {
        let mut memory = Memory::default();
        let taken = (0..5_000).filter(|i| memory.take_room(&returned(0), *i)).count();
        assert_eq!(taken, 2_000);
    }

    #[test]
    fn the_words_of_a_panic_do_not_make_calls_differ() {
        let panicked = |line, message: &str| {
            let (file, message) = ("src/lib.rs".to_owned(), message.to_owned());
            let place = PanicPlace { file, line, message, changed: false };
            exact_key(&Observation { outcome: Outcome::Panicked(place), ..returned(0) }, 0)
        };
        assert_eq!(panicked(1, "index 5"), panicked(1, "index 6"));
        assert_ne!(panicked(1, "index 5"), panicked(2, "index 5"));
    }
}
