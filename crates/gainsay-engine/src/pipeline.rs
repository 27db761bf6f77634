//! A whole test of a crate, on one page. Each stage is a value that the next one consumes.
//!
//! | stage     | begins with            | ends with                                     |
//! |-----------|------------------------|-----------------------------------------------|
//! | prepare   | the name of a crate    | workers that can call its operations          |
//! | calibrate | [`Prepared`]           | queries that mean the same in every worker    |
//! | explore   | [`Calibrated`]         | evidence of random calls, in the store        |
//! | learn     | [`Explored`]           | contracts that fit all calls                  |
//! | refute    | [`Learnt`]             | verdicts on contracts; then learn again       |
//! | judge     | [`Refuted`]            | faults, confirmed and shrunk                  |
//! | record    | [`Judged`]             | the record of the run                         |
//!
//! Observing the user's own tests will stand between calibrate and explore: it needs settled queries,
//! and random calls begin best with objects that people make.

use gainsay_report::RunRecord;

use crate::{
    ctx::Ctx,
    error::Result,
    rounds::run_rounds,
    settings::{Refute, RunSettings},
    stages::{
        calibrated::{Calibrated, ExplorePlan},
        explored::Explored,
        judged::Judged,
        prepared::{Prepared, Target},
        recorded::Recorded,
        refuted::Refuted,
    },
};

/// Tests a crate from its name to its record.
pub fn run(target: &Target, settings: &RunSettings, ctx: &mut Ctx<'_>) -> Result<RunRecord> {
    let prepared = prepare(target, settings, ctx)?;
    let calibrated = calibrate(prepared, settings, ctx)?;
    let explored = explore(calibrated, ctx)?;
    let refuted = match settings.refute {
        Refute::Search => learn_and_refute(explored, ctx)?,
        Refute::Skip => explored.skip_learning(),
    };
    let judged = judge(refuted, ctx)?;
    Ok(record(judged, ctx)?.record)
}

/// Finds the public operations of the crate, builds a program that calls them, starts workers in a
/// sandbox, and replays the faults of earlier runs.
fn prepare(target: &Target, settings: &RunSettings, ctx: &mut Ctx<'_>) -> Result<Prepared> {
    Prepared::new(target, settings, ctx)
}

/// Finds the queries that are pure, quick and the same in every process: they are the abstract state
/// of objects from now on. Takes up the objects of earlier runs.
fn calibrate(prepared: Prepared, settings: &RunSettings, ctx: &mut Ctx<'_>) -> Result<Calibrated> {
    prepared.calibrate(ExplorePlan::of(settings), ctx)
}

/// Calls operations at random for half of the budget, records what was seen, and relates objects
/// that met.
fn explore(calibrated: Calibrated, ctx: &mut Ctx<'_>) -> Result<Explored> {
    let mut explored = calibrated.explore(ctx)?;
    explored.relate_versions(ctx)?;
    Ok(explored)
}

/// Learns contracts and attacks them, in rounds: with the counterexamples of one round among the
/// evidence, the next one learns less that is wrong. The rounds themselves are in `rounds`.
fn learn_and_refute(explored: Explored, ctx: &mut Ctx<'_>) -> Result<Refuted> {
    run_rounds(explored, ctx)
}

/// Explores the other builds, which see what the ordinary one cannot, and decides what each finding
/// of any build is.
fn judge(mut refuted: Refuted, ctx: &mut Ctx<'_>) -> Result<Judged> {
    refuted.explore_other_builds(ctx)?;
    refuted.judge(ctx)
}

/// Writes faults where the next run looks for them, and puts all results together.
fn record(judged: Judged, ctx: &Ctx<'_>) -> Result<Recorded> {
    judged.record(ctx)
}
