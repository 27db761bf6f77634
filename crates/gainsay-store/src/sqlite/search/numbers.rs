//! How large the numbers of a type's objects get.

use gainsay_wire::{TypeId, Value};
use rusqlite::{OptionalExtension as _, params};

use crate::{Store, StoreError};

/// A view that is a number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NumberView {
    /// The query's name.
    pub query: String,
    /// The least that was seen.
    pub least: i64,
    /// A number that about as many states reach as were asked for.
    pub large: i64,
}

impl Store {
    /// The views of a type that are numbers and not always the same, in the order of its queries.
    /// About `states` states are large in each.
    pub fn find_numbers(&self, ty: TypeId, states: usize) -> Result<Vec<NumberView>, StoreError> {
        const LEAST: &str = "SELECT int_value FROM state_value
             WHERE query = ?1 AND kind = ?2 AND int_value IS NOT NULL ORDER BY int_value LIMIT 1";
        const LARGE: &str = "SELECT int_value FROM state_value
             WHERE query = ?1 AND kind = ?2 AND int_value > ?4
             ORDER BY int_value DESC LIMIT 1 OFFSET ?3";
        const GREATEST: &str = "SELECT max(int_value) FROM state_value
             WHERE query = ?1 AND kind = ?2 AND int_value > ?3";
        let campaign = self.campaign()?;
        let kind = Value::Int(0).kind();
        // A rank and not a size: sizes that are large for one type are ordinary for another.
        let rank = i64::try_from(states.saturating_sub(1)).unwrap_or(i64::MAX);
        let mut found = Vec::new();
        for query in campaign.manifest.state_queries(ty) {
            let Some(row) = campaign.query_row(ty, &query.name) else { continue };
            let mut least = self.connection.prepare_cached(LEAST)?;
            let least: Option<i64> =
                least.query_row(params![row, kind], |r| r.get(0)).optional()?;
            let Some(least) = least else { continue };
            let mut large = self.connection.prepare_cached(LARGE)?;
            let large =
                large.query_row(params![row, kind, rank, least], |r| r.get(0)).optional()?;
            let mut greatest = self.connection.prepare_cached(GREATEST)?;
            let greatest: Option<i64> =
                greatest.query_row(params![row, kind, least], |r| r.get(0))?;
            // Where fewer states are larger than the least, all of these are large.
            if let Some(large) = large.or(greatest.map(|_| least + 1)) {
                found.push(NumberView { query: query.name.clone(), least, large });
            }
        }
        Ok(found)
    }
}
