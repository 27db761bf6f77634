//! What is kept: recipes once each, few objects per state with the shortest recipes first, few
//! pairs per relation between two states.

use gainsay_wire::{Digest, ObjRef, Sequence, StateId, StateRecord, TypeId, Value, to_bytes};
use rusqlite::{Connection, OptionalExtension as _, params};

use crate::{StoreError, campaign::Campaign, cell::Cell, record::ObjectAt};

const OBJECTS_PER_STATE: i64 = 4;
const PAIRS_PER_RELATION: i64 = 4;

/// A state's row; made bare when it was not described yet.
pub(crate) fn state_row(
    connection: &Connection,
    campaign: &Campaign,
    ty: TypeId,
    state: StateId,
) -> Result<i64, StoreError> {
    let key = params![campaign.type_row(ty)?, state.0.cast_signed()];
    let find = "SELECT id FROM state WHERE type = ?1 AND digest = ?2";
    let found = connection.prepare_cached(find)?.query_row(key, |row| row.get(0)).optional()?;
    if let Some(row) = found {
        return Ok(row);
    }
    let insert = "INSERT INTO state(type, digest) VALUES (?1, ?2)";
    connection.prepare_cached(insert)?.execute(key)?;
    Ok(connection.last_insert_rowid())
}

/// Describes a state, unless it is described already.
pub(crate) fn describe_state(
    connection: &Connection,
    campaign: &Campaign,
    record: &StateRecord,
) -> Result<(), StoreError> {
    let row = state_row(connection, campaign, record.ty, record.state)?;
    let queries = campaign.manifest.unary(record.ty).map(|query| query.name.clone());
    let values: Vec<(String, Value)> = queries.zip(record.values.iter().cloned()).collect();
    let update = "UPDATE state SET bytes = ?2 WHERE id = ?1 AND bytes IS NULL";
    let bytes = to_bytes(&values);
    if connection.prepare_cached(update)?.execute(params![row, bytes])? == 0 {
        return Ok(());
    }
    for (name, value) in &values {
        let Some(query) = campaign.query_row(record.ty, name) else { continue };
        let cell = Cell::of(value);
        let insert = "INSERT OR REPLACE INTO state_value VALUES (?1, ?2, ?3, ?4, ?5)";
        let row = params![row, query, cell.kind, cell.int, cell.text];
        connection.prepare_cached(insert)?.execute(row)?;
    }
    Ok(())
}

/// A recipe's row.
pub(crate) fn recipe_row(
    connection: &Connection,
    campaign: &Campaign,
    recipe: &Sequence,
) -> Result<i64, StoreError> {
    let bytes = to_bytes(&campaign.stored(recipe)?);
    let digest = Digest::of(&bytes).cast_signed();
    let find = "SELECT id FROM recipe WHERE digest = ?1";
    let found = connection.prepare_cached(find)?.query_row([digest], |r| r.get(0)).optional()?;
    if let Some(row) = found {
        return Ok(row);
    }
    let insert = "INSERT INTO recipe(digest, steps, bytes) VALUES (?1, ?2, ?3)";
    connection.prepare_cached(insert)?.execute(params![digest, length(recipe), bytes])?;
    Ok(connection.last_insert_rowid())
}

/// What a recipe is known by.
pub(crate) fn recipe_digest(campaign: &Campaign, recipe: &Sequence) -> Result<i64, StoreError> {
    Ok(Digest::of(&to_bytes(&campaign.stored(recipe)?)).cast_signed())
}

/// How an object that is offered may enter.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Offer {
    /// If there is room, or by taking the place of one with a longer recipe.
    IfBetter,
    /// In any case: something refers to it.
    Needed,
}

/// Offers an object to the store; returns its row if it is there afterwards.
pub(crate) fn offer_object(
    connection: &Connection,
    campaign: &Campaign,
    object: &ObjectAt<'_>,
    offer: Offer,
) -> Result<Option<i64>, StoreError> {
    let state = state_row(connection, campaign, object.ty, object.state)?;
    let steps = length(object.recipe);
    if offer == Offer::IfBetter && !make_room(connection, state, steps)? {
        return known_object(connection, campaign, object.recipe, object.at);
    }
    let recipe = recipe_row(connection, campaign, object.recipe)?;
    let insert = "INSERT INTO object(state, recipe, step, out, steps, pinned)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6)
         ON CONFLICT DO UPDATE SET pinned = max(pinned, excluded.pinned)";
    let pinned = offer == Offer::Needed;
    let row = params![state, recipe, object.at.step, object.at.out, steps, pinned];
    connection.prepare_cached(insert)?.execute(row)?;
    let shortest = "UPDATE state SET steps = min(ifnull(steps, ?2), ?2) WHERE id = ?1";
    connection.prepare_cached(shortest)?.execute(params![state, steps])?;
    known_object(connection, campaign, object.recipe, object.at)
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
         WHERE recipe.digest = ?1 AND object.step = ?2 AND object.out = ?3";
    let key = params![digest, at.step, at.out];
    Ok(connection.prepare_cached(find)?.query_row(key, |row| row.get(0)).optional()?)
}

/// Whether an object with a recipe of this length may enter; drops the longest when the state is
/// full. Objects that something refers to stay and do not count.
fn make_room(connection: &Connection, state: i64, steps: i64) -> Result<bool, StoreError> {
    let count = "SELECT count(*) FROM object WHERE state = ?1 AND pinned = 0";
    let count: i64 = connection.prepare_cached(count)?.query_row([state], |row| row.get(0))?;
    if count < OBJECTS_PER_STATE {
        return Ok(true);
    }
    let longest = "SELECT id FROM object WHERE state = ?1 AND pinned = 0 AND steps > ?2
         ORDER BY steps DESC, id DESC LIMIT 1";
    let key = params![state, steps];
    let longest: Option<i64> =
        connection.prepare_cached(longest)?.query_row(key, |row| row.get(0)).optional()?;
    let Some(longest) = longest else { return Ok(false) };
    connection.prepare_cached("DELETE FROM object WHERE id = ?1")?.execute([longest])?;
    Ok(true)
}

/// Keeps `a.query(b) = value`, unless enough pairs in the same states say the same.
pub(crate) fn keep_relation(
    connection: &Connection,
    campaign: &Campaign,
    query: &str,
    [a, b]: [&ObjectAt<'_>; 2],
    value: &Value,
) -> Result<(), StoreError> {
    let Some(query) = campaign.query_row(a.ty, query) else { return Ok(()) };
    let states = [
        state_row(connection, campaign, a.ty, a.state)?,
        state_row(connection, campaign, b.ty, b.state)?,
    ];
    let cell = Cell::of(value);
    let count = "SELECT count(*) FROM relation
         WHERE query = ?1 AND state_a = ?2 AND state_b = ?3 AND int_value IS ?4 AND kind = ?5
           AND text_value IS ?6";
    let key = params![query, states[0], states[1], cell.int, cell.kind, cell.text];
    let count: i64 = connection.prepare_cached(count)?.query_row(key, |row| row.get(0))?;
    if count >= PAIRS_PER_RELATION {
        return Ok(());
    }
    let a = offer_object(connection, campaign, a, Offer::Needed)?;
    let b = offer_object(connection, campaign, b, Offer::Needed)?;
    let (Some(a), Some(b)) = (a, b) else { return Ok(()) };
    let insert = "INSERT OR IGNORE INTO relation
         (query, a, b, state_a, state_b, kind, int_value, text_value)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)";
    let row = params![query, a, b, states[0], states[1], cell.kind, cell.int, cell.text];
    connection.prepare_cached(insert)?.execute(row)?;
    Ok(())
}

pub(crate) fn length(recipe: &Sequence) -> i64 {
    i64::try_from(recipe.steps.len()).expect("sequences are short")
}
