//! Start of a run from the evidence of earlier runs. That of the same build is so still; of another one,
//! objects are made again and taken over where they look as they did.

use gainsay_explore::{SeenObject, furniture, make_again};
use gainsay_model::event::Event;
use gainsay_store::{Begun, Former, StoredObject};
use gainsay_wire::{Mix, Sequence, StateId, StateRecord};
use gainsay_workers::{Cancel, Runner as _};

use super::Session;
use crate::{
    ctx::Ctx,
    error::{EngineError, FileAction, Result},
};

/// Objects of another build that are tried, those with short recipes first. Making them takes a few
/// seconds of a run that may have no more than ten.
const MOST_TRIED: usize = 5_000;
/// Recipes that furnish the first epochs. Each epoch makes a few of them, so more would never have
/// their turn in a run of ordinary length.
const MOST_FURNITURE: usize = 300;
/// Calls of such a recipe, at most: longer ones would leave no room for calls of this run.
const LONGEST_FURNITURE: usize = 40;

/// Objects of an earlier build that this build makes as they were.
struct StillAlike {
    kept: Vec<(StoredObject, StateRecord)>,
    /// The number of the others.
    dropped: usize,
}

impl Session {
    /// Settles the vocabulary, opens the campaign in the store, and furnishes the first epochs with
    /// the subject's examples and with recipes of earlier runs.
    pub(crate) fn begin_campaign(&mut self, ctx: &mut Ctx<'_>) -> Result<()> {
        let furniture = furniture(&self.api.examples, self.campaign.ground());
        let examples = furniture.sequences;
        if furniture.examples > 0 {
            ctx.tell(Event::Furnished(furniture.examples));
            // Before calibration: its epochs need objects in many states.
            self.campaign.furnish(examples.clone());
        }
        let stored = self.settle_vocabulary(ctx)?;
        if !stored.is_empty() {
            self.campaign.furnish([examples, stored].concat());
        }
        Ok(())
    }

    /// Settles the vocabulary, once, and opens the campaign in the store. Returns recipes of earlier
    /// runs that are worth beginning with.
    pub(crate) fn settle_vocabulary(&mut self, ctx: &mut Ctx<'_>) -> Result<Vec<Sequence>> {
        self.campaign.calibrate(&mut self.fleet, &ctx.cancel)?;
        let manifest = self.fleet.manifest().clone();
        let (subject, seed) = (self.api.subject.clone(), self.settings.seed);
        let build = self.build_digest()?;
        let begun = Begun { subject: &subject, manifest: &manifest, seed, build };
        let dropped = match self.store.find_former(&begun)? {
            Former::Nothing => {
                self.store.begin_with(&begun, &[])?;
                return Ok(Vec::new());
            }
            Former::Same => {
                self.store.go_on(&begun)?;
                0
            }
            Former::Changed => {
                let StillAlike { kept, dropped } = self.find_still_alike(&begun, &ctx.cancel)?;
                self.store.begin_with(&begun, &kept)?;
                dropped
            }
        };
        let objects = usize::try_from(self.store.count_evidence()?.objects).unwrap_or(usize::MAX);
        ctx.tell(Event::TakenUp { objects, dropped });
        Ok(self.store.pick_furniture(MOST_FURNITURE, LONGEST_FURNITURE)?)
    }

    /// Returns a digest of the program that is run.
    pub(super) fn build_digest(&self) -> Result<u64> {
        let path = &self.harness.program;
        let bytes = std::fs::read(path).map_err(EngineError::of_file(FileAction::Read, path))?;
        Ok(Mix::of_bytes(&bytes))
    }

    /// Makes the objects of another build again.
    fn find_still_alike(&mut self, begun: &Begun<'_>, cancel: &Cancel) -> Result<StillAlike> {
        let (former, lost) = self.store.former_objects(begun, MOST_TRIED)?;
        let seen: Vec<SeenObject<'_>> = former
            .iter()
            .map(|it| SeenObject { ty: it.ty, recipe: &it.recipe, at: it.at, state: StateId(0) })
            .collect();
        let now = make_again(&mut self.fleet, &seen, cancel)?;
        if cancel.is_interrupted() {
            // An object that was not tried is not lost for that: the store stays as it is.
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
        Ok(StillAlike { kept, dropped })
    }
}
