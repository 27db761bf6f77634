//! Going on from earlier runs: whether there is evidence of the same build, which objects of another
//! one are worth making again, and how a campaign begins with them. What another build showed may not be
//! so any more, so it stays evidence of that build; the recipes that still lead where they led are taken
//! over.

use std::collections::BTreeMap;

use gainsay_model::api::Subject;
use gainsay_wire::{Manifest, ObjRef, Sequence, StateRecord, TypeId, Value};
use rusqlite::{Connection, OptionalExtension as _, params};

use crate::{
    CampaignId, Store, StoreError, StoredObject,
    retention::Memory,
    sqlite::campaign_rows::{Campaign, Numbers, views_digest},
    sqlite::connection::WRITING,
    sqlite::encoding::blob::unpack,
    sqlite::record::object_rows::{Offer, Recorder},
    sqlite::search::Candidate,
};

/// The subject of a campaign, and the build that it runs.
#[derive(Clone, Copy, Debug)]
pub struct Begun<'a> {
    /// The crate.
    pub subject: &'a Subject,
    /// The offer of its harness, with the queries that take part.
    pub manifest: &'a Manifest,
    /// Decides everything random.
    pub seed: u64,
    /// A digest of the program that is run.
    pub build: u64,
}

/// The evidence that a store has for a campaign to begin with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Former {
    /// None, or only of other crates.
    Nothing,
    /// Evidence of the same program, looked at in the same way: it is all so still.
    Same,
    /// Evidence of the same crate, built otherwise or looked at otherwise.
    Changed,
}

/// An object of an earlier build, in the numbers of the present harness.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FormerObject {
    /// Its type.
    pub ty: TypeId,
    /// The calls that made it.
    pub recipe: Sequence,
    /// Its place among the objects that the recipe makes.
    pub at: ObjRef,
    /// The answers of queries about it, by their names.
    pub values: Vec<(String, Value)>,
}

impl FormerObject {
    /// Tells if an object looks as this one did, as far as both were asked the same.
    pub fn looks_like(&self, manifest: &Manifest, now: &StateRecord) -> bool {
        let names = manifest.state_queries(now.ty).map(|query| query.name.as_str());
        let now: BTreeMap<&str, &Value> = names.zip(&now.values).collect();
        // A query that only one of the builds has cannot tell them apart.
        let mut asked = self.values.iter().filter_map(|(name, was)| {
            let is = now.get(name.as_str())?;
            Some(was == *is)
        });
        asked.all(|same| same)
    }
}

impl Store {
    /// Tells what a campaign can begin with.
    pub fn find_former(&self, begun: &Begun<'_>) -> Result<Former, StoreError> {
        let same = "SELECT EXISTS (SELECT 1 FROM build JOIN subject ON subject.id = build.subject
             WHERE name = ?1 AND version = ?2 AND program = ?3 AND views = ?4)";
        let Begun { subject, manifest, build, .. } = begun;
        let views = views_digest(manifest).cast_signed();
        let key = params![subject.name, subject.version, build.cast_signed(), views];
        if self.connection.query_row(same, key, |row| row.get(0))? {
            return Ok(Former::Same);
        }
        // Any version will do: what is taken over is made again and compared first.
        let last = self.last_build_of(&subject.name)?;
        Ok(last.map_or(Former::Nothing, |_| Former::Changed))
    }

    /// The build of the last campaign on a crate, of any version.
    fn last_build_of(&self, name: &str) -> rusqlite::Result<Option<i64>> {
        let last = "SELECT build.id FROM campaign JOIN build ON build.id = campaign.build
             JOIN subject ON subject.id = build.subject WHERE name = ?1
             ORDER BY campaign.id DESC LIMIT 1";
        self.connection.query_row(last, [name], |row| row.get(0)).optional()
    }

    /// Objects of the last build of the crate that can be tried with this harness: one of each state
    /// with the shortest recipe, short ones first, and how many states there are whose objects cannot be
    /// tried.
    pub fn former_objects(
        &self,
        begun: &Begun<'_>,
        most: usize,
    ) -> Result<(Vec<FormerObject>, usize), StoreError> {
        let (mut objects, mut lost) = (Vec::new(), 0);
        let Some(build) = self.last_build_of(&begun.subject.name)? else {
            return Ok((objects, lost));
        };
        let numbers = Numbers::of_build(&self.connection, build, begun.manifest)?;
        let mut statement = self.connection.prepare(
            "SELECT t.number, s.bytes, r.bytes, o.step, o.out FROM state s
             JOIN type t ON t.id = s.type
             JOIN object o ON o.id = (SELECT id FROM object p WHERE p.state = s.id
                ORDER BY p.steps, p.recipe, p.id LIMIT 1)
             JOIN recipe r ON r.id = o.recipe
             WHERE t.build = ?1 AND s.steps IS NOT NULL ORDER BY s.steps, s.digest",
        )?;
        let mut rows = statement.query([build])?;
        while let Some(row) = rows.next()? {
            let at = ObjRef { step: row.get(3)?, out: row.get(4)? };
            // What a version with another form of the wire wrote cannot be read, and is lost like an
            // object whose operations are gone.
            let recipe = unpack(row.get_ref(2)?.as_blob().unwrap_or_default()).ok();
            let recipe = recipe.and_then(|recipe| numbers.translate(recipe));
            let values: Option<Vec<u8>> = row.get(1)?;
            let values = values.and_then(|bytes| unpack(&bytes).ok());
            match (numbers.type_id(row.get(0)?), recipe, values) {
                (Some(ty), Some(recipe), Some(values)) if objects.len() < most => {
                    objects.push(FormerObject { ty, recipe, at, values });
                }
                _ => lost += 1,
            }
        }
        Ok((objects, lost))
    }

    /// Begins a campaign on top of those that the same build made. Their conclusions go: the same
    /// program is judged anew, by at least as much evidence.
    pub fn go_on(&mut self, begun: &Begun<'_>) -> Result<CampaignId, StoreError> {
        self.check_writable()?;
        let transaction = self.connection.transaction_with_behavior(WRITING)?;
        let campaign = Campaign::begin(&transaction, begun)?;
        // Contracts are numbered anew in each campaign, so that older verdicts would speak of others.
        drop_conclusions(&transaction, campaign.build)?;
        let memory = Memory::from_store(&transaction, &campaign)?;
        transaction.commit()?;
        Ok(self.take_up(campaign, memory))
    }

    /// Begins the first campaign of a build with these objects, in states as they are seen now. All of
    /// it happens, or nothing. Evidence of other builds stays as it is.
    pub fn begin_with(
        &mut self,
        begun: &Begun<'_>,
        kept: &[(StoredObject, StateRecord)],
    ) -> Result<CampaignId, StoreError> {
        self.check_writable()?;
        let transaction = self.connection.transaction_with_behavior(WRITING)?;
        let campaign = Campaign::begin(&transaction, begun)?;
        let mut memory = Memory::new(campaign.is_first_of_build(&transaction)?);
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
    pub fn pick_furniture(&self, most: usize, longest: usize) -> Result<Vec<Sequence>, StoreError> {
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
        // A type with many states would leave no place for the others.
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

/// Drops what campaigns of a build concluded.
fn drop_conclusions(connection: &Connection, build: i64) -> rusqlite::Result<()> {
    for table in ["verdict", "contract", "fault", "skip"] {
        let of_build = format!(
            "DELETE FROM {table} WHERE campaign IN (SELECT id FROM campaign WHERE build = ?1)"
        );
        connection.execute(&of_build, [build])?;
    }
    Ok(())
}

#[cfg(test)]
mod tests;
