//! What is kept: recipes once each, few objects per state with the shortest recipes first, few
//! pairs per relation between two states.

use std::{collections::hash_map::Entry, hash::Hasher as _};

use gainsay_wire::{Digest, ObjRef, Sequence, StateId, StateRecord, TypeId, Value, to_bytes};
use rusqlite::{Connection, OptionalExtension as _, params};

use crate::{
    Provenance, StoreError,
    retention::{KnownState, Memory, RelationKey},
    sqlite::campaign_rows::Campaign,
    sqlite::encoding::blob::{pack, pack_bytes},
    sqlite::encoding::value_columns::Cell,
    sqlite::record::call_rows::ObjectAt,
};

/// Objects of a state that are kept for their short recipes. Objects in one state differ only in what no
/// query tells, so a few are enough; several, since some can no longer be made when a crate changes.
const OBJECTS_PER_STATE: usize = 4;
/// Pairs of objects in the same states of which a query says the same.
const PAIRS_PER_RELATION: u32 = 4;

/// Writes what was seen, within one transaction.
pub(crate) struct Recorder<'a> {
    pub(crate) connection: &'a Connection,
    pub(crate) campaign: &'a Campaign,
    pub(crate) memory: &'a mut Memory,
}

/// The terms on which an object that is offered may enter.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Offer {
    /// If there is room, or by taking the place of one with a longer recipe.
    IfBetter,
    /// In any case: something refers to it.
    Needed,
}

impl Recorder<'_> {
    /// A state's row; made bare when it was not described yet.
    pub(crate) fn state_row(&mut self, ty: TypeId, state: StateId) -> Result<i64, StoreError> {
        Ok(self.known_state(ty, state)?.row)
    }

    fn known_state(&mut self, ty: TypeId, state: StateId) -> Result<&mut KnownState, StoreError> {
        let ty = self.campaign.type_row(ty)?;
        let connection = self.connection;
        match self.memory.states.entry((ty, state)) {
            Entry::Occupied(known) => Ok(known.into_mut()),
            Entry::Vacant(vacant) => Ok(vacant.insert(find_or_make_state(connection, ty, state)?)),
        }
    }

    /// Describes a state, unless it is described already.
    pub(crate) fn describe_state(&mut self, record: &StateRecord) -> Result<(), StoreError> {
        let row = self.state_row(record.ty, record.state)?;
        let queries =
            self.campaign.manifest.state_queries(record.ty).map(|query| query.name.clone());
        let values: Vec<(String, Value)> = queries.zip(record.values.iter().cloned()).collect();
        let update = "UPDATE state SET bytes = ?2 WHERE id = ?1 AND bytes IS NULL";
        let bytes = pack(&values);
        // Another campaign of the build described it.
        if self.connection.prepare_cached(update)?.execute(params![row, bytes])? == 0 {
            return Ok(());
        }
        for (name, value) in &values {
            let Some(query) = self.campaign.query_row(record.ty, name) else { continue };
            let cell = Cell::of(value);
            let insert = "INSERT OR REPLACE INTO state_value VALUES (?1, ?2, ?3, ?4, ?5)";
            let row = params![row, query, cell.kind, cell.int, cell.text];
            self.connection.prepare_cached(insert)?.execute(row)?;
        }
        Ok(())
    }

    /// A recipe's row.
    pub(crate) fn recipe_row(&mut self, recipe: &Sequence) -> Result<i64, StoreError> {
        let key = recipe.digest();
        // Several objects, and the call itself, have one recipe.
        if let Some(row) = self.memory.recipes.get(&key) {
            return Ok(*row);
        }
        let row = recipe_row(self.connection, self.campaign, recipe)?;
        self.memory.recipes.insert(key, row);
        Ok(row)
    }

    /// Tells if a recipe would lead to a known state by fewer steps than any other.
    pub(crate) fn is_shorter(&self, ty: TypeId, state: StateId, steps: i64) -> bool {
        let Ok(ty) = self.campaign.type_row(ty) else { return false };
        self.memory.states.get(&(ty, state)).is_some_and(|known| steps < known.shortest)
    }

    /// Offers an object to the store; returns its row if it was taken.
    pub(crate) fn offer_object(
        &mut self,
        object: &ObjectAt<'_>,
        offer: Offer,
    ) -> Result<Option<i64>, StoreError> {
        let steps = length(object.recipe);
        let known = *self.known_state(object.ty, object.state)?;
        if offer == Offer::IfBetter {
            // Room comes back only when something refers to one of the objects: that is given up, so as not to
            // look at every object that comes up.
            if steps >= known.refused {
                return Ok(None);
            }
            if !self.make_room(known.row, steps)? {
                self.known_state(object.ty, object.state)?.refused = steps;
                return Ok(None);
            }
        }
        let recipe = self.recipe_row(object.recipe)?;
        let insert = "INSERT INTO object(state, recipe, step, out, steps, pinned)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6)
             ON CONFLICT DO UPDATE SET pinned = max(pinned, excluded.pinned)
             RETURNING id, pinned, state";
        let pinned = offer == Offer::Needed;
        let row = params![known.row, recipe, object.at.step, object.at.out, steps, pinned];
        let (object_row, pinned, state): (i64, bool, i64) = self
            .connection
            .prepare_cached(insert)?
            .query_row(row, |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
        let unpinned = self.unpinned_objects(state)?;
        if pinned {
            unpinned.retain(|(_, row)| *row != object_row);
        } else if !unpinned.contains(&(steps, object_row)) {
            unpinned.push((steps, object_row));
        }
        // Searches walk states by this number, so that short recipes are found first without a join.
        if steps < known.shortest {
            let shortest = "UPDATE state SET steps = min(ifnull(steps, ?2), ?2) WHERE id = ?1";
            self.connection.prepare_cached(shortest)?.execute(params![known.row, steps])?;
            self.known_state(object.ty, object.state)?.shortest = steps;
        }
        Ok(Some(object_row))
    }

    /// Tells if an object with a recipe of this length may enter; drops the longest when the state is
    /// full. Objects that something refers to stay and do not count.
    fn make_room(&mut self, state: i64, steps: i64) -> Result<bool, StoreError> {
        let connection = self.connection;
        let unpinned = self.unpinned_objects(state)?;
        if unpinned.len() < OBJECTS_PER_STATE {
            return Ok(true);
        }
        let longer = unpinned.iter().copied().filter(|(length, _)| *length > steps).max();
        let Some(longest) = longer else { return Ok(false) };
        unpinned.retain(|object| *object != longest);
        // Another run may have referred to it since.
        let delete = "DELETE FROM object WHERE id = ?1 AND pinned = 0";
        connection.prepare_cached(delete)?.execute([longest.1])?;
        Ok(true)
    }

    /// The objects of a state that nothing refers to. In the first campaign of a build all of them are
    /// in memory: asking the database for each object that comes up took more time than keeping it.
    fn unpinned_objects(&mut self, state: i64) -> Result<&mut Vec<(i64, i64)>, StoreError> {
        let began_empty = self.memory.began_empty;
        match self.memory.unpinned.entry(state) {
            Entry::Occupied(known) => Ok(known.into_mut()),
            Entry::Vacant(vacant) if began_empty => Ok(vacant.insert(Vec::new())),
            Entry::Vacant(vacant) => {
                let find = "SELECT steps, id FROM object WHERE state = ?1 AND pinned = 0";
                let mut statement = self.connection.prepare_cached(find)?;
                let rows = statement.query_map([state], |row| Ok((row.get(0)?, row.get(1)?)))?;
                Ok(vacant.insert(rows.collect::<rusqlite::Result<_>>()?))
            }
        }
    }

    /// Keeps `a.query(b) = value`, unless enough pairs in the same states say the same.
    pub(crate) fn keep_relation(
        &mut self,
        query: &str,
        [a, b]: [&ObjectAt<'_>; 2],
        value: &Value,
        provenance: Provenance,
    ) -> Result<(), StoreError> {
        let Some(query) = self.campaign.query_row(a.ty, query) else { return Ok(()) };
        if provenance != Provenance::Attacked
            && !self.memory.has_room_for(query, [a.state, b.state], value)
        {
            return Ok(());
        }
        let related = [a.state, b.state];
        let states = [self.state_row(a.ty, a.state)?, self.state_row(b.ty, b.state)?];
        // By states, not objects: what a query says of two objects it says of all in these states.
        let key = (query, states, value_digest(value));
        let cell = Cell::of(value);
        if self.pairs_alike(key, &cell)? >= PAIRS_PER_RELATION {
            return Ok(());
        }
        let steps = length(a.recipe) + length(b.recipe);
        // Both must stay as long as the relation does, whatever shorter recipes come.
        let a = self.offer_object(a, Offer::Needed)?;
        let b = self.offer_object(b, Offer::Needed)?;
        let (Some(a), Some(b)) = (a, b) else { return Ok(()) };
        let insert = "INSERT OR IGNORE INTO relation
             (query, a, b, state_a, state_b, kind, int_value, text_value, steps)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)";
        let [of_a, of_b] = states;
        let row = params![query, a, b, of_a, of_b, cell.kind, cell.int, cell.text, steps];
        if self.connection.prepare_cached(insert)?.execute(row)? > 0 {
            *self.memory.relations.entry(key).or_default() += 1;
            if provenance != Provenance::Attacked {
                self.memory.take_room_for(query, related, value);
            }
        }
        Ok(())
    }

    fn pairs_alike(&mut self, key: RelationKey, cell: &Cell) -> Result<u32, StoreError> {
        if let Some(count) = self.memory.relations.get(&key) {
            return Ok(*count);
        }
        if self.memory.began_empty {
            return Ok(0);
        }
        let count = "SELECT count(*) FROM relation
             WHERE query = ?1 AND state_a = ?2 AND state_b = ?3 AND int_value IS ?4 AND kind = ?5
               AND text_value IS ?6";
        let (query, [a, b], _) = key;
        let alike = params![query, a, b, cell.int, cell.kind, cell.text];
        let count: u32 =
            self.connection.prepare_cached(count)?.query_row(alike, |row| row.get(0))?;
        self.memory.relations.insert(key, count);
        Ok(count)
    }

    /// Writes what was only counted so far.
    pub(crate) fn write_counts(&mut self) -> Result<(), StoreError> {
        // Once for each transaction: common transitions are seen in nearly every epoch.
        for (row, count) in std::mem::take(&mut self.memory.counted) {
            let update = "UPDATE transition SET count = count + ?2 WHERE id = ?1";
            self.connection.prepare_cached(update)?.execute(params![row, count])?;
        }
        if self.memory.defers_edges { Ok(()) } else { self.write_edges() }
    }
}

fn value_digest(value: &Value) -> u64 {
    let mut digest = Digest::new();
    digest.write(&to_bytes(value));
    digest.finish()
}

fn find_or_make_state(
    connection: &Connection,
    ty: i64,
    state: StateId,
) -> Result<KnownState, StoreError> {
    let insert = "INSERT INTO state(type, digest) VALUES (?1, ?2)
         ON CONFLICT DO UPDATE SET steps = steps RETURNING id, steps";
    let key = params![ty, state.0.cast_signed()];
    Ok(connection.prepare_cached(insert)?.query_row(key, |row| {
        let shortest: Option<i64> = row.get(1)?;
        let shortest = shortest.unwrap_or(i64::MAX);
        Ok(KnownState { row: row.get(0)?, shortest, refused: i64::MAX })
    })?)
}

/// A recipe's row.
pub(crate) fn recipe_row(
    connection: &Connection,
    campaign: &Campaign,
    recipe: &Sequence,
) -> Result<i64, StoreError> {
    let bytes = to_bytes(&campaign.store_recipe(recipe)?);
    let digest = Digest::of_bytes(&bytes).cast_signed();
    // One statement for both cases: in the first campaign of a build nearly all are new.
    let insert = "INSERT INTO recipe(build, digest, steps, bytes) VALUES (?1, ?2, ?3, ?4)
         ON CONFLICT DO UPDATE SET steps = steps RETURNING id";
    let row = params![campaign.build, digest, length(recipe), pack_bytes(&bytes)];
    Ok(connection.prepare_cached(insert)?.query_row(row, |row| row.get(0))?)
}

/// The digest that a recipe is known by.
pub(crate) fn recipe_digest(campaign: &Campaign, recipe: &Sequence) -> Result<i64, StoreError> {
    Ok(Digest::of_bytes(&to_bytes(&campaign.store_recipe(recipe)?)).cast_signed())
}

/// The row of an object, if it is kept.
pub(crate) fn known_object(
    connection: &Connection,
    campaign: &Campaign,
    recipe: &Sequence,
    at: ObjRef,
) -> Result<Option<i64>, StoreError> {
    let digest = recipe_digest(campaign, recipe)?;
    let find = "SELECT object.id FROM recipe JOIN object ON object.recipe = recipe.id
         WHERE recipe.build = ?1 AND recipe.digest = ?2 AND object.step = ?3 AND object.out = ?4";
    let key = params![campaign.build, digest, at.step, at.out];
    Ok(connection.prepare_cached(find)?.query_row(key, |row| row.get(0)).optional()?)
}

pub(crate) fn length(recipe: &Sequence) -> i64 {
    i64::try_from(recipe.steps.len()).expect("sequences are short")
}
