//! What the sequences of a type's objects are made of, and what an object of a search looks like.

use std::sync::Arc;

use gainsay_wire::{TypeId, Value};
use rusqlite::{OptionalExtension as _, params};

use super::{StoredObject, cache::Views};
use crate::{Store, StoreError};

/// A view that is a sequence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SequenceView {
    /// The query's name.
    pub query: String,
    /// An element that was seen in one.
    pub element: Value,
}

impl Store {
    /// The views of a type that are sequences and not always empty, in the order of its queries.
    pub fn find_sequences(&self, ty: TypeId) -> Result<Vec<SequenceView>, StoreError> {
        // The shortest that holds anything is the cheapest to decode.
        const FILLED: &str = "SELECT state FROM state_value
             WHERE query = ?1 AND kind = ?2 AND int_value > 0 ORDER BY int_value LIMIT 1";
        let campaign = self.campaign()?;
        let kind = Value::Seq(Vec::new()).kind();
        let mut found = Vec::new();
        for query in campaign.manifest.state_queries(ty) {
            let Some(row) = campaign.query_row(ty, &query.name) else { continue };
            let mut filled = self.connection.prepare_cached(FILLED)?;
            let state: Option<i64> =
                filled.query_row(params![row, kind], |r| r.get(0)).optional()?;
            let Some(state) = state else { continue };
            let views = self.values_of(state)?;
            if let Some((_, Value::Seq(items))) = views.iter().find(|(name, _)| *name == query.name)
                && let Some(element) = items.first()
            {
                let (query, element) = (query.name.clone(), element.clone());
                found.push(SequenceView { query, element });
            }
        }
        Ok(found)
    }

    /// The answers of all queries about a stored object; none of one that is not there any more.
    pub fn read_views(&self, object: &StoredObject) -> Result<Arc<Views>, StoreError> {
        let find = "SELECT id FROM state WHERE type = ?1 AND digest = ?2";
        let ty = self.campaign()?.type_row(object.ty)?;
        let digest = object.state.0.cast_signed();
        let mut statement = self.connection.prepare_cached(find)?;
        let row = statement.query_row(params![ty, digest], |row| row.get(0)).optional()?;
        row.map_or_else(|| Ok(Arc::default()), |row| self.values_of(row))
    }
}
