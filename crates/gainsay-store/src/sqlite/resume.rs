//! What earlier runs left: whether it is of the same build, which of its objects are worth making
//! again, and how a campaign goes on from it. What another build showed may not be so any more; of
//! that nothing stays but the recipes that were tried and still lead where they led.

use std::collections::BTreeMap;

use gainsay_model::api::Subject;
use gainsay_wire::{Manifest, ObjRef, OpId, Sequence, StateRecord, TypeId, Value, to_bytes};
use rusqlite::{Connection, OptionalExtension as _, params};

use crate::{
    CampaignId, Store, StoreError, StoredObject,
    retention::Memory,
    sqlite::campaign_rows::{Campaign, unique},
    sqlite::connection::WRITING,
    sqlite::encoding::blob::unpack,
    sqlite::record::object_rows::{Offer, Recorder},
    sqlite::search::Candidate,
};

/// Tables in an order in which they can be emptied.
const ALL: [&str; 19] = [
    "operand",
    "call",
    "transition_flip",
    "transition",
    "relation",
    "literal",
    "object",
    "state_value",
    "state",
    "verdict",
    "contract",
    "fault",
    "skip",
    "recipe",
    "query",
    "operation",
    "type",
    "campaign",
    "subject",
];
/// What a campaign concludes.
const CONCLUSIONS: [&str; 4] = ["verdict", "contract", "fault", "skip"];

/// What a campaign is about, and by which build.
#[derive(Clone, Copy, Debug)]
pub struct Begun<'a> {
    /// The crate.
    pub subject: &'a Subject,
    /// What its harness offers, with the queries that take part.
    pub manifest: &'a Manifest,
    /// Decides everything random.
    pub seed: u64,
    /// A digest of the program that is run.
    pub build: u64,
}

/// What a store was last used for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Former {
    /// Nothing, or another crate.
    Nothing,
    /// The same program, looked at in the same way: all that is recorded is so still.
    Same,
    /// The same crate, built otherwise or looked at otherwise.
    Changed,
}

/// An object of an earlier build, in the numbers of the present harness.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FormerObject {
    /// Its type.
    pub ty: TypeId,
    /// How it was made.
    pub recipe: Sequence,
    /// Where it stands among what the recipe makes.
    pub at: ObjRef,
    /// What queries said of it, by their names.
    pub values: Vec<(String, Value)>,
}

impl FormerObject {
    /// Whether an object looks as this one did, as far as both were asked the same.
    pub fn looks_like(&self, manifest: &Manifest, now: &StateRecord) -> bool {
        let names = manifest.unary(now.ty).map(|query| query.name.as_str());
        let now: BTreeMap<&str, &Value> = names.zip(&now.values).collect();
        let mut asked = self.values.iter().filter_map(|(name, was)| {
            let is = now.get(name.as_str())?;
            Some(was == *is)
        });
        asked.all(|same| same)
    }
}

impl Store {
    /// What the store was last used for.
    pub fn former(&self, begun: &Begun<'_>) -> Result<Former, StoreError> {
        let last = "SELECT name, version, manifest, build FROM campaign
             JOIN subject ON subject.id = campaign.subject ORDER BY campaign.id DESC LIMIT 1";
        let found = self.connection.query_row(last, [], |row| {
            let build: Option<i64> = row.get(3)?;
            Ok((
                row.get::<_, String>(0)?,
                row.get::<_, String>(1)?,
                row.get::<_, Vec<u8>>(2)?,
                build,
            ))
        });
        let Some((name, version, manifest, build)) = found.optional()? else {
            return Ok(Former::Nothing);
        };
        let Begun { subject, manifest: present, build: present_build, .. } = begun;
        if name != subject.name {
            return Ok(Former::Nothing);
        }
        let same = version == subject.version
            && build == Some(present_build.cast_signed())
            && manifest == to_bytes(*present);
        Ok(if same { Former::Same } else { Former::Changed })
    }

    /// Objects of an earlier build that can be tried with this harness: one of each state with the
    /// shortest recipe, short ones first, and how many states there are whose objects cannot be tried.
    pub fn former_objects(
        &self,
        manifest: &Manifest,
        most: usize,
    ) -> Result<(Vec<FormerObject>, usize), StoreError> {
        let names = Names::new(&self.connection, manifest)?;
        let mut statement = self.connection.prepare(
            "SELECT s.type, s.bytes, r.bytes, o.step, o.out FROM state s
             JOIN object o ON o.id = (SELECT id FROM object p WHERE p.state = s.id
                ORDER BY p.steps, p.recipe, p.id LIMIT 1)
             JOIN recipe r ON r.id = o.recipe
             WHERE s.steps IS NOT NULL ORDER BY s.steps, s.digest",
        )?;
        let mut rows = statement.query([])?;
        let (mut objects, mut lost) = (Vec::new(), 0);
        while let Some(row) = rows.next()? {
            let values: Option<Vec<u8>> = row.get(1)?;
            let recipe: Sequence = unpack(row.get_ref(2)?.as_blob().unwrap_or_default())?;
            let at = ObjRef { step: row.get(3)?, out: row.get(4)? };
            let known = names.types.get(&row.get(0)?).copied().zip(names.translated(recipe));
            match (known, values) {
                (Some((ty, recipe)), Some(values)) if objects.len() < most => {
                    objects.push(FormerObject { ty, recipe, at, values: unpack(&values)? });
                }
                _ => lost += 1,
            }
        }
        Ok((objects, lost))
    }

    /// Begins a campaign on top of those that the same build made. What they concluded goes.
    pub fn go_on(&mut self, begun: &Begun<'_>) -> Result<CampaignId, StoreError> {
        self.check_writable()?;
        let transaction = self.connection.transaction_with_behavior(WRITING)?;
        empty(&transaction, &CONCLUSIONS)?;
        let campaign = Campaign::begin(&transaction, begun)?;
        let memory = Memory::from_store(&transaction, &campaign)?;
        transaction.commit()?;
        Ok(self.take_up(campaign, memory))
    }

    /// Begins a campaign with nothing but these objects, in states as they are seen now. All of it
    /// happens, or nothing.
    pub fn begin_with(
        &mut self,
        begun: &Begun<'_>,
        kept: &[(StoredObject, StateRecord)],
    ) -> Result<CampaignId, StoreError> {
        self.check_writable()?;
        let transaction = self.connection.transaction_with_behavior(WRITING)?;
        empty(&transaction, &ALL)?;
        let campaign = Campaign::begin(&transaction, begun)?;
        let mut memory = Memory::new(kept.is_empty());
        let mut recorder =
            Recorder { connection: &transaction, campaign: &campaign, memory: &mut memory };
        for (object, state) in kept {
            recorder.describe_state(state)?;
            recorder.offer_object(&object.as_at(), Offer::IfBetter)?;
        }
        transaction.commit()?;
        Ok(self.take_up(campaign, memory))
    }

    /// Recipes that make one object in each of so many states, other ones than the simplest.
    pub fn furniture(&self, most: usize, longest: usize) -> Result<Vec<Sequence>, StoreError> {
        let narrow = |number: usize| i64::try_from(number).unwrap_or(i64::MAX);
        let mut found = Vec::new();
        for ty in self.campaign()?.type_rows() {
            let mut statement = self.connection.prepare_cached(
                "SELECT id, (SELECT id FROM object p WHERE p.state = state.id
                    ORDER BY p.steps, p.recipe, p.id LIMIT 1)
                 FROM state WHERE type = ?1 AND steps <= ?2 ORDER BY steps DESC, digest LIMIT ?3",
            )?;
            let rows = statement.query_map(params![ty, narrow(longest), narrow(most)], |row| {
                Ok(Candidate { state: row.get(0)?, object: row.get(1)? })
            })?;
            let rows: Vec<Candidate> = rows.collect::<Result<_, _>>()?;
            found.push(rows.into_iter());
        }
        let mut recipes = Vec::new();
        // The types take turns.
        while found.iter().any(|rows| rows.len() > 0) && recipes.len() < most {
            for next in found.iter_mut().filter_map(Iterator::next) {
                let object = self.load(next)?;
                recipes.extend(object.map(|object| object.recipe));
            }
        }
        recipes.truncate(most);
        Ok(recipes)
    }
}

fn empty(connection: &Connection, tables: &[&str]) -> rusqlite::Result<()> {
    tables.iter().try_for_each(|table| connection.execute_batch(&format!("DELETE FROM {table}")))
}

/// The present numbers of what the store has under other ones.
struct Names {
    types: BTreeMap<i64, TypeId>,
    ops: BTreeMap<i64, OpId>,
}

impl Names {
    fn new(connection: &Connection, manifest: &Manifest) -> rusqlite::Result<Names> {
        let types = unique(manifest.types.iter().map(|ty| &ty.name));
        let ops = unique(manifest.ops.iter().map(|op| &op.name));
        Ok(Names {
            types: by_row(connection, "type", &types, TypeId)?,
            ops: by_row(connection, "operation", &ops, OpId)?,
        })
    }

    /// A stored recipe in present numbers; `None` when an operation is not there any more.
    fn translated(&self, mut recipe: Sequence) -> Option<Sequence> {
        for step in &mut recipe.steps {
            step.op = *self.ops.get(&i64::from(step.op.0))?;
        }
        Some(recipe)
    }
}

fn by_row<T>(
    connection: &Connection,
    table: &str,
    names: &[String],
    id: fn(u32) -> T,
) -> rusqlite::Result<BTreeMap<i64, T>> {
    let numbers: BTreeMap<&str, u32> = names.iter().map(String::as_str).zip(0..).collect();
    let mut statement = connection.prepare(&format!("SELECT id, name FROM {table}"))?;
    let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get::<_, String>(1)?)))?;
    let mut found = BTreeMap::new();
    for row in rows {
        let (row, name): (i64, String) = row?;
        if let Some(number) = numbers.get(name.as_str()) {
            found.insert(row, id(*number));
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests;
