//! Starting a run from the store of earlier runs. Evidence of the same build is so still; of another one,
//! objects are made again and taken over where they look as they did.

use gainsay_explore::{SeenObject, make_again};
use gainsay_model::event::Event;
use gainsay_store::{Begun, Former, StoredObject};
use gainsay_wire::{Mix, Sequence, StateId, StateRecord};
use gainsay_workers::{Cancel, Runner as _};

use crate::{
    error::{EngineError, FileAction, Result},
    session::Session,
};

/// So many objects of another build are tried, those with short recipes first.
const MOST_TRIED: usize = 5_000;
/// So many recipes furnish the first epochs.
const MOST_FURNITURE: usize = 300;
/// No longer ones do: they would leave no room for calls of this run.
const LONGEST_FURNITURE: usize = 40;

impl Session<'_> {
    /// Settles the vocabulary, once, and opens the campaign in the store. Returns recipes of earlier
    /// runs that are worth beginning with.
    pub(crate) fn begin(
        &mut self,
        cancel: &Cancel,
        events: &mut dyn FnMut(Event),
    ) -> Result<Vec<Sequence>> {
        self.campaign.calibrate(&mut self.fleet, cancel)?;
        let manifest = self.fleet.manifest().clone();
        let (subject, seed) = (&self.api.subject, self.seed);
        let begun = Begun { subject, manifest: &manifest, seed, build: self.build()? };
        let dropped = match self.store.former(&begun)? {
            Former::Nothing => {
                self.store.begin_with(&begun, &[])?;
                return Ok(Vec::new());
            }
            Former::Same => {
                self.store.go_on(&begun)?;
                0
            }
            Former::Changed => {
                let (kept, dropped) = self.still_alike(&begun, cancel)?;
                self.store.begin_with(&begun, &kept)?;
                dropped
            }
        };
        let objects = usize::try_from(self.store.counts()?.objects).unwrap_or(usize::MAX);
        events(Event::TakenUp { objects, dropped });
        Ok(self.store.furniture(MOST_FURNITURE, LONGEST_FURNITURE)?)
    }

    /// A digest of the program that is run.
    pub(crate) fn build(&self) -> Result<u64> {
        let path = &self.harness.program;
        let bytes = std::fs::read(path).map_err(EngineError::of_file(FileAction::Read, path))?;
        Ok(Mix::of_bytes(&bytes))
    }

    /// The objects of another build that this one makes just so, and how many others there were.
    fn still_alike(
        &mut self,
        begun: &Begun<'_>,
        cancel: &Cancel,
    ) -> Result<(Vec<(StoredObject, StateRecord)>, usize)> {
        let (former, lost) = self.store.former_objects(begun, MOST_TRIED)?;
        let seen: Vec<SeenObject<'_>> = former
            .iter()
            .map(|it| SeenObject { ty: it.ty, recipe: &it.recipe, at: it.at, state: StateId(0) })
            .collect();
        let now = make_again(&mut self.fleet, &seen, cancel)?;
        if cancel.is_interrupted() {
            // Who was not tried is not lost for that.
            return Err(EngineError::Interrupted);
        }
        let total = former.len() + lost;
        let mut kept = Vec::new();
        for (object, now) in former.into_iter().zip(now) {
            let Some(state) = now.filter(|now| object.looks_like(begun.manifest, now)) else {
                continue;
            };
            let (ty, recipe, at) = (object.ty, object.recipe, object.at);
            kept.push((StoredObject { ty, state: state.state, recipe, at }, state));
        }
        let dropped = total - kept.len();
        Ok((kept, dropped))
    }
}
