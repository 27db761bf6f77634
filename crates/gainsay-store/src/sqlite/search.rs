//! Searching tuples of objects and values that satisfy a predicate over the operands of an
//! operation before its call.
//!
//! Conditions on one operand are looked up among states, relations among pairs of objects; what
//! binds no objects together is combined afterwards, distinct states first. Plain arguments are
//! not stored objects: values for them are proposed, and the caller tells by running.

mod cache;
mod components;
mod numbers;
mod plain;
mod sequences;
mod statement;
mod tuple;

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use gainsay_wire::{Expr, ManifestParam, OpId, Term, Truth, Value, truth};

use crate::{Store, StoreError, sqlite::record::call_rows::before_key};

pub(crate) use cache::Cache;
pub use cache::Views;
pub use numbers::NumberView;
pub use sequences::SequenceView;
pub use tuple::{Operand, StoredObject, Tuple};

use cache::{Rows, RowsKey};
use components::{Component, Plan};
use plain::Proposals;
use statement::Starts;

/// Combinations of rows that are looked at.
// Each is checked against the whole predicate in memory; after a thousand misses the rest are hardly
// better, since those with short recipes come first.
const COMBINATIONS: usize = 1_000;
/// Patience is counted every so many instructions.
// The engine calls back so often: seldom enough to cost nothing, often enough to end a search in time.
const STRIDE: i32 = 1_000;

/// A search.
#[derive(Clone, Copy, Debug)]
pub struct Wanted<'a> {
    /// The operation whose operands are wanted.
    pub op: OpId,
    /// The condition that holds of them before its call; a conjunction.
    pub predicate: &'a Expr,
    /// At most so many tuples.
    pub limit: usize,
    /// The search may take so many instructions of the database engine. A count, not a time: a
    /// search comes to the same on any machine.
    pub patience: u64,
    /// Which tuples count.
    pub spread: Spread,
}

/// Which tuples count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Spread {
    /// All.
    Any,
    /// Those in states in which the operation was never called.
    NeverCalled,
}

/// The result of a search.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Found {
    /// The tuples: distinct states before repeats, short recipes first.
    pub tuples: Vec<Tuple>,
    /// Clauses that could not be searched for: the tuples may or may not satisfy them.
    pub unsearchable: Vec<Expr>,
    /// True if patience ran out.
    pub gave_up: bool,
}

impl Store {
    /// Tuples of operands that satisfy a predicate as far as the store can tell.
    pub fn find_tuples(&self, wanted: &Wanted<'_>) -> Result<Found, StoreError> {
        // Counted in instructions, since a time limit would make equal runs differ.
        let mut left = wanted.patience / u64::from(STRIDE.unsigned_abs());
        let is_over = move || {
            left = left.saturating_sub(1);
            left == 0
        };
        self.connection.progress_handler(STRIDE, Some(is_over));
        let found = self.search(wanted);
        self.connection.progress_handler(0, None::<fn() -> bool>);
        match found {
            Err(StoreError::OutOfPatience) => Ok(Found { gave_up: true, ..Found::default() }),
            other => other,
        }
    }

    fn search(&self, wanted: &Wanted<'_>) -> Result<Found, StoreError> {
        let plan = Plan::new(self.campaign()?, wanted.op, &wanted.predicate.clauses())?;
        let mut found = Found { unsearchable: plan.unsearchable.clone(), ..Found::default() };
        let mut columns = Vec::new();
        for component in &plan.components {
            let rows = self.rows(component, wanted.limit)?;
            // The components are joined by AND: one without rows leaves nothing.
            if rows.is_empty() {
                return Ok(found);
            }
            columns.push(rows);
        }
        let mut proposals = Proposals::new(self, wanted.op, &plan.plain_clauses)?;
        let mut collected = Collected { limit: wanted.limit, ..Collected::default() };
        let lengths: Vec<usize> = columns.iter().map(|rows| rows.len()).collect();
        for pick in diverse(&lengths, COMBINATIONS) {
            if collected.is_full() {
                break;
            }
            let rows = pick.iter().zip(&columns).map(|(&at, rows)| &rows[at]);
            let objects: BTreeMap<u32, Candidate> = rows.flatten().copied().collect();
            // After the query, not in it: what was called is a set in memory.
            if wanted.spread == Spread::NeverCalled && self.was_called(wanted.op, &objects)? {
                continue;
            }
            self.complete(wanted.op, &plan, &objects, &mut proposals, &mut collected)?;
        }
        found.tuples = collected.tuples;
        Ok(found)
    }

    /// Adds the tuples of one choice of objects, with proposed values for plain operands.
    fn complete(
        &self,
        op: OpId,
        plan: &Plan,
        objects: &BTreeMap<u32, Candidate>,
        proposals: &mut Proposals,
        collected: &mut Collected,
    ) -> Result<(), StoreError> {
        let mut scope = TupleScope::default();
        for (&operand, candidate) in objects {
            for (query, value) in &*self.values_of(candidate.state)? {
                let term = Term::query(gainsay_wire::When::Before, operand, query);
                scope.values.insert(term, value.clone());
            }
        }
        // Components are found apart: a clause that speaks of two of them is only decided now.
        if plan.state_clauses.iter().any(|clause| truth(clause, &scope) == Truth::False) {
            return Ok(());
        }
        let stored: Option<BTreeMap<u32, Arc<StoredObject>>> = objects
            .iter()
            .map(|(&operand, candidate)| Ok(self.object(*candidate)?.map(|o| (operand, o))))
            .collect::<Result<_, StoreError>>()?;
        let Some(stored) = stored else { return Ok(()) };
        for values in proposals.propose(&scope) {
            let params = &self.campaign()?.manifest.ops[op.0 as usize].params;
            let operand = |(i, _): (u32, &ManifestParam)| match stored.get(&i) {
                Some(object) => Operand::Object(StoredObject::clone(object)),
                None => Operand::Plain(values.get(&i).cloned().unwrap_or(Value::Unit)),
            };
            collected.add(Tuple { operands: (0..).zip(params).map(operand).collect() });
        }
        Ok(())
    }

    fn was_called(&self, op: OpId, objects: &BTreeMap<u32, Candidate>) -> Result<bool, StoreError> {
        let mut states = Vec::new();
        for (operand, candidate) in objects {
            states.push((*operand, self.digest_of(candidate.state)?));
        }
        Ok(self.called(op)?.contains(&before_key(states.into_iter())))
    }

    /// The rows of one component, in the order in which they are worth trying.
    fn rows(&self, component: &Component, limit: usize) -> Result<Arc<Rows>, StoreError> {
        let sql = component.sql(&Starts::default(), limit);
        let (texts, operands) = (component.texts.clone(), component.operands.clone());
        let key = RowsKey { sql, texts, operands, limit };
        self.cached_rows(key, || {
            let starts = component.starts(&self.connection)?;
            let mut statement = self.connection.prepare(&component.sql(&starts, limit))?;
            let texts = rusqlite::params_from_iter(component.texts.iter());
            let mut rows = statement.query(texts)?;
            let mut found: Rows = Vec::new();
            while let Some(row) = rows.next()? {
                let mut picked = Vec::new();
                for (i, operand) in component.operands.iter().enumerate() {
                    let (state, object) = (row.get(2 * i)?, row.get(2 * i + 1)?);
                    picked.push((*operand, Candidate { state, object }));
                }
                found.push(picked);
            }
            Ok(distinct_states_first(found, limit))
        })
    }
}

/// A row of `object`, or any object of a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Candidate {
    pub(crate) state: i64,
    pub(crate) object: i64,
}

/// Rows with states not seen yet come before repeats; otherwise the order stays.
fn distinct_states_first(
    rows: Vec<Vec<(u32, Candidate)>>,
    limit: usize,
) -> Vec<Vec<(u32, Candidate)>> {
    let mut seen = BTreeSet::new();
    let states = |row: &Vec<(u32, Candidate)>| row.iter().map(|(_, c)| c.state).collect::<Vec<_>>();
    let (mut first, repeats): (Vec<_>, Vec<_>) =
        rows.into_iter().partition(|row| seen.insert(states(row)));
    first.extend(repeats);
    first.truncate(limit);
    first
}

/// Index vectors into lists of these lengths, at most so many: the diagonals first, so that all
/// lists advance together.
fn diverse(lengths: &[usize], most: usize) -> Vec<Vec<usize>> {
    if lengths.contains(&0) {
        return Vec::new();
    }
    let longest = lengths.iter().copied().max().unwrap_or(1);
    let mut seen = BTreeSet::new();
    let mut picks = Vec::new();
    // Along one list a shift gives the same picks again.
    let shifts = if lengths.len() < 2 { 1 } else { longest };
    for shift in 0..shifts {
        for i in 0..longest {
            let pick: Vec<usize> =
                lengths.iter().enumerate().map(|(j, len)| (i + shift * j) % len).collect();
            if picks.len() == most {
                return picks;
            }
            if seen.insert(pick.clone()) {
                picks.push(pick);
            }
        }
    }
    picks
}

/// Values of the terms of a tuple that the store knows.
#[derive(Debug, Default)]
pub(crate) struct TupleScope {
    pub(crate) values: BTreeMap<Term, Value>,
}

impl gainsay_wire::Scope for TupleScope {
    fn value(&self, term: &Term) -> &Value {
        self.values.get(term).unwrap_or(&Value::Undefined)
    }
}

#[derive(Default)]
struct Collected {
    tuples: Vec<Tuple>,
    seen: BTreeSet<Tuple>,
    limit: usize,
}

impl Collected {
    fn is_full(&self) -> bool {
        self.tuples.len() >= self.limit
    }

    fn add(&mut self, tuple: Tuple) {
        if !self.is_full() && self.seen.insert(tuple.clone()) {
            self.tuples.push(tuple);
        }
    }
}

#[cfg(test)]
mod tests;
