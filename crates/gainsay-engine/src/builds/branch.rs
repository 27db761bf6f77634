//! A build besides the ordinary one, with workers and a campaign of its own.

use std::time::Instant;

use gainsay_explore::{
    Budget, Builds, Campaign, Judged as Judgement, Listeners, Plan, Raw, is_crash, is_untold,
    judge, judge_injected, judge_memory, replay,
};
use gainsay_harness::{Harness, subject_counters};
use gainsay_model::{
    build::Build,
    event::{About, Stage},
    fault::Fault,
};
use gainsay_wire::{Oracle, Sequence, Settings as WorkerSettings};
use gainsay_workers::{Fleet, Runner as _};

use crate::{
    ctx::Ctx,
    error::{EngineError, Result},
    known_faults::ReplayField,
    session::{Crew, Session, Workers, start_fleet},
    settings::{Inject, PARTS, RunSettings},
};

/// Objects of the ordinary build that are made again, at most. Making them takes a few seconds, of
/// a share of the budget that is small.
const MOST_REPLAYED: usize = 3_000;
/// The part of a build's time, one of so many, that replays may take: the rest is for calls that the
/// ordinary build did not make.
const REPLAY_SHARE: u32 = 3;
/// The epochs among which one has a caller that misbehaves. More often than in the ordinary build:
/// what misbehaviour breaks shows best where broken memory is seen.
const INJECT_EVERY: u64 = 2;
/// Makes the seed another one in each build: the multiplier of a well-known generator, whose bits
/// have no pattern that small numbers could share.
const OTHER_SEED: u64 = 0x5851_f42d_4c95_7f2d;

/// A build that is tested.
pub(crate) struct Branch {
    pub(super) build: Build,
    pub(super) fleet: Fleet,
    pub(super) campaign: Campaign,
}

/// Returns the sequences that the ordinary build found worth keeping: each makes objects in another
/// state.
pub(super) fn kept_sequences(session: &Session) -> Result<Vec<Sequence>> {
    let objects = session.store.some_objects(MOST_REPLAYED)?;
    let mut sequences: Vec<Sequence> = objects.into_iter().map(|object| object.recipe).collect();
    // Short ones first: the time may not be enough for all.
    sequences.sort_by(|a, b| (a.steps.len(), a).cmp(&(b.steps.len(), b)));
    sequences.dedup();
    Ok(sequences)
}

impl Branch {
    /// Starts workers of a build, with the settings of the ordinary one.
    pub(super) fn open(session: &Session, build: Build, harness: &Harness) -> Result<Branch> {
        let (api, settings) = (&session.api, &session.settings);
        let workers = Workers { build, crew: Crew::of(settings), sandbox: session.sandbox };
        let mut fleet = start_fleet(api, harness, &workers)?;
        let counters = subject_counters(&harness.program, &api.subject.lib_name);
        let ground = session.campaign.ground().built_as(build);
        let inject_every = match settings.inject {
            Inject::Sometimes => INJECT_EVERY,
            Inject::Never => 0,
        };
        let seed = settings.seed ^ OTHER_SEED.wrapping_mul(build as u64 + 1);
        let plan = Plan { inject_every, ..Plan::default() };
        let mut campaign = Campaign::new(seed, ground, plan);
        if let Some(counters) = &counters {
            campaign.count_only(counters);
        }
        let earlier = settings.others.builds.iter().take_while(|other| **other != build);
        let builds = [Build::Debug].iter().chain(earlier);
        let parts = builds.map(|other| settings.part_of_build(*other));
        let explored = settings.fraction_of_budget(parts.sum(), PARTS).time.unwrap_or_default();
        // Its findings are as late as they would be had the builds been explored in turn.
        campaign.follow(&session.campaign, explored);
        let chosen = WorkerSettings {
            counters: counters.unwrap_or_default(),
            // Contracts were learnt from another build.
            checks: Vec::new(),
            requires: Vec::new(),
            ..session.fleet.settings().clone()
        };
        fleet.configure(chosen)?;
        // Sequences name operations by number: with others in between they would be other calls.
        if fleet.manifest() != session.fleet.manifest() {
            return Err(EngineError::OtherOperations { build });
        }
        Ok(Branch { build, fleet, campaign })
    }

    /// Replays the faults of earlier runs that this build showed.
    pub(super) fn replay_known_faults(
        &mut self,
        session: &mut Session,
        ctx: &mut Ctx<'_>,
    ) -> Result<()> {
        let Some(known) = session.known_faults.as_mut() else { return Ok(()) };
        let count = known.count_in_build(self.build);
        if count == 0 {
            return Ok(());
        }
        let inject = session.settings.inject;
        ctx.run_stage(Stage::Replay, About::KnownFaults(count), |ctx| {
            let field = ReplayField { fleet: &mut self.fleet, campaign: &mut self.campaign };
            known.replay_faults(field, inject, ctx)
        })
    }

    /// Replays what the ordinary build found worth keeping, then explores.
    pub(super) fn explore_build(
        &mut self,
        kept: &[Sequence],
        settings: &RunSettings,
        ctx: &mut Ctx<'_>,
    ) -> Result<()> {
        let part = settings.part_of_build(self.build);
        let Budget { time, calls } = settings.fraction_of_budget(part, PARTS);
        let began = Instant::now();
        let deadline = time.map(|time| began + time / REPLAY_SHARE);
        ctx.until(deadline, |ctx| replay(&mut self.fleet, kept, &mut self.campaign, &ctx.cancel))?;
        let left = Budget { time: time.map(|time| time.saturating_sub(began.elapsed())), calls };
        // Evidence of contracts is that of the ordinary build alone.
        let mut listeners = Listeners { report: &mut |_| {}, event: ctx.events };
        self.campaign.run(&mut self.fleet, left, &ctx.cancel, &mut listeners)?;
        Ok(())
    }

    /// Settles the memory that this build saw break.
    pub(super) fn judge_broken_memory(
        &mut self,
        ordinary: &mut Fleet,
        faults: &mut Vec<Fault>,
        ctx: &mut Ctx<'_>,
    ) -> Result<()> {
        let ground = self.campaign.ground();
        let mut builds = Builds { other: &mut self.fleet, subject: ground, ordinary };
        let found = self.campaign.findings();
        judge_memory(&mut builds, found, faults, ctx.hearing(ground))?;
        let known = faults.len();
        let injected = self.campaign.injected();
        judge_injected(builds.other, injected, faults, ctx.hearing(ground))?;
        for fault in faults.split_off(known) {
            let fault = builds.plainer(fault, &ctx.cancel)?;
            if is_untold(&fault, faults) {
                faults.push(fault);
            }
        }
        Ok(())
    }

    /// Settles the rest, which only shows where arithmetic wraps around. That an operation panics the
    /// ordinary build tells better.
    pub(super) fn judge_wrapped_arithmetic(
        &mut self,
        judged: &mut Judgement,
        ctx: &mut Ctx<'_>,
    ) -> Result<()> {
        let is_law = |oracle: &Oracle| matches!(oracle, Oracle::Law(_));
        // One law is told once, whichever operations break it.
        let is_told = |id: &str, oracle: &Oracle, told: &[Fault]| {
            told.iter().any(|other| other.id == id || is_law(oracle) && *oracle == other.oracle)
        };
        let is_rest = |raw: &Raw| match &raw.sighting.oracle {
            Oracle::Panic(_) | Oracle::Probe(_) => false,
            oracle => {
                let id = raw.sighting.identity.id();
                !is_crash(raw) && !is_told(&id, oracle, &judged.faults)
            }
        };
        let rest = self.campaign.findings().only(is_rest);
        let ground = self.campaign.ground();
        let laws = &self.campaign.totals().laws;
        let more = judge(&mut self.fleet, &rest, laws, ctx.hearing(ground))?;
        // Shrinking may have led to another operation.
        let is_news = |fault: &Fault| !is_told(&fault.id, &fault.oracle, &judged.faults);
        let news: Vec<Fault> = more.faults.into_iter().filter(is_news).collect();
        judged.faults.extend(news);
        Ok(())
    }
}
