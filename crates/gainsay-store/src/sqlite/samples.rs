//! Observations for inference.

use std::collections::{BTreeMap, BTreeSet};

use gainsay_wire::{Observation, OpId, Sequence};
use rusqlite::params;

use crate::{
    Store, StoreError, StoredObject, sqlite::encoding::blob::unpack, sqlite::search::Candidate,
};

const SAMPLES_PER_OPERATION: usize = 2_000;

impl Store {
    /// Distinct observations of each operation in its present vocabulary, those with the
    /// shortest recipes first.
    pub fn samples(&self) -> Result<BTreeMap<OpId, Vec<Observation>>, StoreError> {
        let ops = u32::try_from(self.campaign()?.vocabularies.len()).expect("operations are few");
        let mut samples = BTreeMap::new();
        for op in (0..ops).map(OpId) {
            let found = self.samples_of(op)?;
            if !found.is_empty() {
                samples.insert(op, found);
            }
        }
        Ok(samples)
    }

    /// The shortest recipe of a call that was observed just so; the call is its last step.
    pub fn recipe_of(&self, sample: &Observation) -> Result<Option<Sequence>, StoreError> {
        let campaign = self.campaign()?;
        let mut statement = self.connection.prepare_cached(
            "SELECT observation, bytes FROM call JOIN recipe ON recipe.id = call.recipe
             WHERE operation = ?1 AND vocabulary = ?2 ORDER BY steps, digest",
        )?;
        let key = params![campaign.op_row(sample.op)?, campaign.vocabulary_digest(sample.op)?];
        let mut rows = statement.query(key)?;
        while let Some(row) = rows.next()? {
            let stored: Observation = unpack(row.get_ref(0)?.as_blob().unwrap_or_default())?;
            let Some(seen) = campaign.loaded_observation(stored) else { continue };
            if (&seen.outcome, &seen.values) == (&sample.outcome, &sample.values) {
                let recipe = unpack(row.get_ref(1)?.as_blob().unwrap_or_default())?;
                return Ok(campaign.loaded(recipe));
            }
        }
        Ok(None)
    }

    /// Some objects of all types, picked by the digests of their recipes.
    pub fn some_objects(&self, most: usize) -> Result<Vec<StoredObject>, StoreError> {
        let mut statement = self.connection.prepare_cached(
            "SELECT object.state, object.id FROM object JOIN recipe ON recipe.id = object.recipe
             ORDER BY recipe.digest, step, out LIMIT ?1",
        )?;
        let most = i64::try_from(most).unwrap_or(i64::MAX);
        let rows = statement
            .query_map([most], |row| Ok(Candidate { state: row.get(0)?, object: row.get(1)? }))?;
        let rows = rows.collect::<Result<Vec<_>, _>>()?;
        let loaded = rows.into_iter().map(|row| self.load(row));
        Ok(loaded.collect::<Result<Vec<_>, _>>()?.into_iter().flatten().collect())
    }

    /// Recipes of passing calls, none longer than `longest`: of each operation those that changed
    /// something, long ones and short ones, and the simplest that changed nothing. At most `each` of
    /// every sort.
    pub fn passing_recipes(
        &self,
        each: usize,
        longest: usize,
    ) -> Result<Vec<Sequence>, StoreError> {
        const SORTS: [&str; 3] = [
            "SELECT bytes FROM transition JOIN recipe ON recipe.id = transition.example
             WHERE operation = ?1 AND recipe.steps <= ?2 ORDER BY recipe.steps DESC, digest LIMIT ?3",
            "SELECT bytes FROM transition JOIN recipe ON recipe.id = transition.example
             WHERE operation = ?1 AND recipe.steps <= ?2 ORDER BY recipe.steps, digest LIMIT ?3",
            "SELECT bytes FROM call JOIN recipe ON recipe.id = call.recipe
             WHERE operation = ?1 AND recipe.steps <= ?2 AND outcome IN ('returned', 'returned Err')
             ORDER BY recipe.steps, digest LIMIT ?3",
        ];
        let campaign = self.campaign()?;
        let most = |number: usize| i64::try_from(number).unwrap_or(i64::MAX);
        let (mut seen, mut found) = (BTreeSet::new(), Vec::new());
        for op in (0..).map(OpId).take(campaign.vocabularies.len()) {
            let row = campaign.op_row(op)?;
            for sort in SORTS {
                let mut statement = self.connection.prepare_cached(sort)?;
                let mut rows = statement.query(params![row, most(longest), most(each)])?;
                while let Some(row) = rows.next()? {
                    let recipe = unpack(row.get_ref(0)?.as_blob().unwrap_or_default())?;
                    let recipe = campaign.loaded(recipe);
                    found.extend(recipe.filter(|recipe| seen.insert(recipe.clone())));
                }
            }
        }
        Ok(found)
    }

    fn samples_of(&self, op: OpId) -> Result<Vec<Observation>, StoreError> {
        let campaign = self.campaign()?;
        let mut statement = self.connection.prepare_cached(
            "SELECT observation FROM call JOIN recipe ON recipe.id = call.recipe
             WHERE operation = ?1 AND vocabulary = ?2 ORDER BY steps, digest",
        )?;
        let key = params![campaign.op_row(op)?, campaign.vocabulary_digest(op)?];
        let mut rows = statement.query(key)?;
        let (mut seen, mut samples) = (BTreeSet::new(), Vec::new());
        while let Some(row) = rows.next()? {
            let stored: Observation = unpack(row.get_ref(0)?.as_blob().unwrap_or_default())?;
            let Some(observation) = campaign.loaded_observation(stored) else { continue };
            if seen.insert((observation.outcome.clone(), observation.values.clone())) {
                samples.push(observation);
            }
            if samples.len() == SAMPLES_PER_OPERATION {
                break;
            }
        }
        Ok(samples)
    }
}
