//! The last run of a crate, for commands that begin where it ended.

use gainsay_store::{Store, StoreError};
use gainsay_wire::{Manifest, Sequence, Settings as WorkerSettings, TypeId};
use gainsay_workers::Runner as _;

use super::Session;
use crate::error::{EngineError, Lost, Result};

/// Passing calls that are looked at for tests, about so many of each of three sorts. All of them
/// are run again, which takes some seconds.
const MOST_RECIPES: usize = 700;
/// Recipes of one operation and sort, at most: an operation with many would leave no room.
const RECIPES_EACH: usize = 16;
/// Calls of a test, at most. Nobody reads longer ones.
const LONGEST_RECIPE: usize = 10;

/// The evidence of the last run.
pub(crate) struct LastRun {
    store: Store,
    operations: usize,
}

impl Session {
    /// Has the workers look at what the last run looked at, and opens its store.
    pub(crate) fn look_as_last_run(&mut self) -> Result<LastRun> {
        let path = self.api.subject.out_dir.join("store.sqlite");
        if !path.exists() {
            return Err(EngineError::LastRunLost(Lost::Calls));
        }
        let mut store = Store::open(&path)?;
        let resumed = store.resume_campaign_of(&self.api.subject, self.build_digest()?);
        resumed.map_err(|error| match error {
            // Runs on other crates or versions are none on this one.
            StoreError::NoCampaign => EngineError::LastRunLost(Lost::Operations),
            error => error.into(),
        })?;
        let stored = store.manifest()?;
        let names = |manifest: &Manifest| -> Vec<String> {
            manifest.ops.iter().map(|op| op.name.clone()).collect()
        };
        // Recipes name operations by number: with others in between they would be other calls.
        if names(stored) != names(self.fleet.manifest()) {
            return Err(EngineError::LastRunLost(Lost::Operations));
        }
        // Not calibrated again: the views must be those of the recorded calls, or nothing fits.
        let demoted = (0..).map(TypeId).zip(&stored.types).flat_map(|(id, ty)| {
            let off = ty.queries.iter().filter(|query| !query.active);
            off.map(move |query| (id, query.name.clone()))
        });
        let demoted = demoted.collect();
        let types = (0..).map(TypeId).zip(&stored.types);
        let locking = types.filter(|(_, ty)| ty.locks).map(|(id, _)| id).collect();
        let operations = stored.ops.len();
        let settings = self.fleet.settings().clone();
        self.fleet.configure(WorkerSettings { demoted, locking, ..settings })?;
        self.campaign.adopt_vocabulary(&self.fleet);
        Ok(LastRun { store, operations })
    }
}

impl LastRun {
    /// Returns recipes of calls that passed.
    pub(crate) fn passing_recipes(&self) -> Result<Vec<Sequence>> {
        let each = (MOST_RECIPES / self.operations.max(1)).clamp(2, RECIPES_EACH);
        Ok(self.store.passing_recipes(each, LONGEST_RECIPE)?)
    }
}
