//! Reading observations for inference, and recipes for whoever makes calls again.

use std::collections::BTreeSet;

use gainsay_wire::{Observation, OpId, Sequence};
use rusqlite::{OptionalExtension as _, params};

use crate::{
    ObservationId, Samples, Store, StoreError, StoredObject, sqlite::encoding::blob::unpack,
    sqlite::search::Candidate,
};

impl Store {
    /// Distinct observations of each operation in its present vocabulary, those with the
    /// shortest recipes first.
    pub fn read_samples(&self) -> Result<Samples, StoreError> {
        let mut samples = Samples::default();
        self.update_samples(&mut samples)?;
        Ok(samples)
    }

    /// Adds what was recorded since to samples that were read from the same campaign before. Only that
    /// is decoded.
    pub fn update_samples(&self, samples: &mut Samples) -> Result<(), StoreError> {
        let campaign = self.campaign()?;
        for op in (0..).map(OpId).take(campaign.vocabularies.len()) {
            let mut statement = self.connection.prepare_cached(
                "SELECT call.id, observation, steps, digest FROM call
                 LEFT JOIN recipe ON recipe.id = call.recipe
                 WHERE operation = ?1 AND vocabulary = ?2 AND call.id > ?3",
            )?;
            // Per operation, not for all: another connection may write between two of these queries.
            let after = samples.last_read(op).map_or(0, |last| last.0);
            let row = campaign.op_row(op)?;
            let mut rows = statement.query(params![row, campaign.vocabulary_digest(op)?, after])?;
            while let Some(row) = rows.next()? {
                let stored: Observation = unpack(row.get_ref(1)?.as_blob().unwrap_or_default())?;
                let Some(observation) = campaign.load_observation(stored) else { continue };
                // Without a recipe it cannot be made again: any other that looks like it is better.
                let steps = row.get::<_, Option<i64>>(2)?.unwrap_or(i64::MAX);
                let digest = row.get::<_, Option<i64>>(3)?.unwrap_or_default();
                samples.add(op, (steps, digest, ObservationId(row.get(0)?)), observation);
            }
        }
        Ok(())
    }

    /// The recipe of an observation, if it has one; the call is its last step.
    pub fn recipe_of(&self, id: ObservationId) -> Result<Option<Sequence>, StoreError> {
        let campaign = self.campaign()?;
        let find = "SELECT bytes FROM call JOIN recipe ON recipe.id = call.recipe
             WHERE call.id = ?1 AND build = ?2";
        let mut statement = self.connection.prepare_cached(find)?;
        let bytes: Option<Vec<u8>> =
            statement.query_row(params![id.0, campaign.build], |row| row.get(0)).optional()?;
        let Some(bytes) = bytes else { return Ok(None) };
        Ok(campaign.load_recipe(unpack(&bytes)?))
    }

    /// Some objects of all types, picked by the digests of their recipes.
    pub fn some_objects(&self, most: usize) -> Result<Vec<StoredObject>, StoreError> {
        let mut statement = self.connection.prepare_cached(
            "SELECT object.state, object.id FROM object JOIN recipe ON recipe.id = object.recipe
             WHERE recipe.build = ?1 ORDER BY recipe.digest, step, out LIMIT ?2",
        )?;
        let most = i64::try_from(most).unwrap_or(i64::MAX);
        let rows = statement.query_map(params![self.campaign()?.build, most], |row| {
            Ok(Candidate { state: row.get(0)?, object: row.get(1)? })
        })?;
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
        // Long ways show what short ones do not, and short ones are what a reader wants; calls that change
        // nothing, such as getters, are no transitions.
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
                    let recipe = campaign.load_recipe(recipe);
                    found.extend(recipe.filter(|recipe| seen.insert(recipe.clone())));
                }
            }
        }
        Ok(found)
    }
}
