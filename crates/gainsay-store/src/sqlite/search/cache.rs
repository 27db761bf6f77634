//! What searches looked up, until something is written: many searches ask for the same objects.

use std::{
    cell::RefCell,
    collections::{HashMap, HashSet},
    sync::Arc,
};

use gainsay_wire::{OpId, StateId, Value};
use rusqlite::params;

use super::{Candidate, StoredObject};
use crate::{Store, StoreError};

/// Rows of a component: per row a candidate for each of its operands.
pub(super) type Rows = Vec<Vec<(u32, Candidate)>>;

/// Values by the names of queries.
pub type Views = Vec<(String, Value)>;

/// All that the rows of a component depend on.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct RowsKey {
    pub(super) sql: String,
    pub(super) texts: Vec<String>,
    pub(super) operands: Vec<u32>,
    pub(super) limit: usize,
}

/// Looked up by row, by operation, or by the text of a query. Never iterated.
#[derive(Debug, Default)]
pub(crate) struct Cache {
    rows: RefCell<HashMap<RowsKey, Arc<Rows>>>,
    objects: RefCell<HashMap<i64, Option<Arc<StoredObject>>>>,
    values: RefCell<HashMap<i64, Arc<Views>>>,
    states: RefCell<HashMap<i64, StateId>>,
    called: RefCell<HashMap<OpId, Arc<HashSet<i64>>>>,
}

impl Cache {
    /// Forgets what more objects and calls may change. What a state looks like stays so.
    pub(crate) fn forget_finds(&mut self) {
        // Values and digests of states stay: a state is what it is.
        self.rows.get_mut().clear();
        self.objects.get_mut().clear();
        self.called.get_mut().clear();
    }
}

impl Store {
    pub(super) fn cached_rows(
        &self,
        key: RowsKey,
        find: impl FnOnce() -> Result<Rows, StoreError>,
    ) -> Result<Arc<Rows>, StoreError> {
        if let Some(rows) = self.cache.rows.borrow().get(&key) {
            return Ok(Arc::clone(rows));
        }
        let rows = Arc::new(find()?);
        self.cache.rows.borrow_mut().insert(key, Arc::clone(&rows));
        Ok(rows)
    }

    /// An object with its recipe; `None` when the harness lacks one of its operations.
    pub(super) fn object(&self, at: Candidate) -> Result<Option<Arc<StoredObject>>, StoreError> {
        if let Some(object) = self.cache.objects.borrow().get(&at.object) {
            return Ok(object.clone());
        }
        let object = self.load(at)?.map(Arc::new);
        self.cache.objects.borrow_mut().insert(at.object, object.clone());
        Ok(object)
    }

    /// The values of a state by query.
    pub(super) fn values_of(&self, state: i64) -> Result<Arc<Views>, StoreError> {
        if let Some(values) = self.cache.values.borrow().get(&state) {
            return Ok(Arc::clone(values));
        }
        let values = Arc::new(self.state_values(state)?);
        self.cache.values.borrow_mut().insert(state, Arc::clone(&values));
        Ok(values)
    }

    /// The digest of a state.
    pub(super) fn digest_of(&self, state: i64) -> Result<StateId, StoreError> {
        if let Some(id) = self.cache.states.borrow().get(&state) {
            return Ok(*id);
        }
        let id = self.state_id(state)?;
        self.cache.states.borrow_mut().insert(state, id);
        Ok(id)
    }

    /// The states before all stored calls of an operation, each as one number.
    pub(super) fn called(&self, op: OpId) -> Result<Arc<HashSet<i64>>, StoreError> {
        if let Some(called) = self.cache.called.borrow().get(&op) {
            return Ok(Arc::clone(called));
        }
        let find = "SELECT before_key FROM call WHERE operation = ?1";
        let mut statement = self.connection.prepare_cached(find)?;
        let keys = statement.query_map(params![self.campaign()?.op_row(op)?], |row| row.get(0))?;
        let called = Arc::new(keys.collect::<Result<HashSet<i64>, _>>()?);
        self.cache.called.borrow_mut().insert(op, Arc::clone(&called));
        Ok(called)
    }
}
