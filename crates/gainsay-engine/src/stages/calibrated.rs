//! Second stage: it is settled which queries are views, so that states mean the same in every
//! worker, and the campaign is open in the store.

use std::path::Path;

use gainsay_explore::{Budget, Telling};
use gainsay_model::{
    event::{About, Stage, StopReason},
    script::parse_script,
};
use gainsay_wire::{Breadth, Manifest, Observing, Sequence, Settings as WorkerSettings, Strategy};
use gainsay_workers::Runner as _;

use super::{explored::Explored, prepared::Prepared};
use crate::{
    ctx::{Ctx, OpenStage},
    error::{EngineError, Result},
    session::{Session, widen_settings},
    settings::{RunSettings, SequenceSource},
};

/// The way in which calls are drawn, seen and recorded. Measurements of gainsay vary it; a run for
/// users has the strategy of its settings and nothing else changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExplorePlan {
    /// The choice of calls.
    pub strategy: Strategy,
    /// The amount that is seen of them.
    pub observing: Observing,
    /// The amount that is recorded of them.
    pub telling: Telling,
    /// The breadth of values from the beginning.
    pub breadth: Breadth,
}

impl ExplorePlan {
    /// The plan of a run for users.
    pub fn of(settings: &RunSettings) -> ExplorePlan {
        ExplorePlan {
            strategy: settings.strategy,
            observing: Observing::Full,
            telling: Telling::News,
            breadth: Breadth::default(),
        }
    }
}

/// A crate whose states mean the same in every worker.
pub struct Calibrated {
    session: Session,
    /// The stage that calibration began and exploration ends: for users both are one.
    stage: OpenStage,
}

impl Prepared {
    /// Settles the vocabulary and opens the campaign.
    pub fn calibrate(mut self, plan: ExplorePlan, ctx: &mut Ctx<'_>) -> Result<Calibrated> {
        let session = &mut self.session;
        let stage =
            ctx.begin_stage(Stage::Explore, About::Operations(session.harness.operations.len()));
        let planned = WorkerSettings {
            strategy: plan.strategy,
            observing: plan.observing,
            ..session.fleet.settings().clone()
        };
        session.fleet.configure(match plan.breadth {
            Breadth::Wide => widen_settings(planned),
            Breadth::Usual => planned,
        })?;
        // The plan counts from calibration on; replays before it neither draw nor record.
        if plan.telling == Telling::Nothing {
            session.campaign.tell_nothing();
        }
        match session.settings.source {
            SequenceSource::Random => session.begin_campaign(ctx)?,
            // Of a given suite every call counts, and no other: examples would be calls, too.
            SequenceSource::Script(_) => drop(session.settle_vocabulary(ctx)?),
        }
        Ok(Calibrated { session: self.session, stage })
    }
}

impl Calibrated {
    /// Spends the first phase of the budget, or runs the sequences of a script.
    pub fn explore(mut self, ctx: &mut Ctx<'_>) -> Result<Explored> {
        let session = &mut self.session;
        let SequenceSource::Script(path) = &session.settings.source else {
            let budget = session.settings.first_budget();
            return self.explore_for(budget, ctx);
        };
        let sequences = read_script(path, session.fleet.manifest())?;
        let stop = session.run_sequences(&sequences, &ctx.cancel)?;
        Ok(self.end_exploration(stop, ctx))
    }

    /// Explores at random until a budget ends.
    pub fn explore_for(mut self, budget: Budget, ctx: &mut Ctx<'_>) -> Result<Explored> {
        let stop = self.session.explore_for(budget, ctx)?.stop;
        Ok(self.end_exploration(stop, ctx))
    }

    fn end_exploration(mut self, stop: StopReason, ctx: &mut Ctx<'_>) -> Explored {
        let session = &mut self.session;
        // Attacks cover more; the report tells how much of it.
        session.covered_before = session.campaign.totals().covered();
        self.stage.end_stage(ctx);
        Explored { session: self.session, stop }
    }
}

fn read_script(path: &Path, manifest: &Manifest) -> Result<Vec<Sequence>> {
    let text = std::fs::read_to_string(path)
        .map_err(|source| EngineError::ReadScript { path: path.to_owned(), source })?;
    parse_script(&text, manifest)
        .map_err(|source| EngineError::ParseScript { path: path.to_owned(), source })
}
