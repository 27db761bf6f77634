//! Attacks on the contracts that another run retained, by a campaign from which nothing is learnt,
//! with another seed, wider values and reduction.

use std::path::Path;

use gainsay_engine::{Ctx, ExplorePlan, RefutePlan, RunSettings, Target, TypeFacts};
use gainsay_report::RunRecord;
use gainsay_wire::Breadth;
use gainsay_workers::Runner as _;

use super::{
    calibrate,
    recorded_contracts::{load_record, recorded_invariants, standing_contracts},
};

/// Attacks the contracts and invariants of a record; the verdicts are in the record that it returns.
pub(super) fn audit_contracts(
    target: &Target,
    settings: &RunSettings,
    audited: &Path,
    ctx: &mut Ctx<'_>,
) -> anyhow::Result<RunRecord> {
    let audited = load_record(audited)?;
    let plan = ExplorePlan { breadth: Breadth::Wide, ..ExplorePlan::of(settings) };
    let calibrated = calibrate(target, settings, plan, ctx)?;
    // What is audited is known: it is watched as early as possible.
    let mut explored = calibrated.explore_for(settings.ordinary_share(1, 8), ctx)?;
    explored.relate_versions(ctx)?;
    let manifest = explored.session().fleet.manifest().clone();
    let mut facts = TypeFacts::new(recorded_invariants(&audited, &manifest));
    let mut learnt = explored.take_contracts(standing_contracts(&audited, &manifest))?;
    let claims = facts.claims_about(&manifest);
    let standing = learnt.watch_model(claims, settings.ordinary_share(5, 8), ctx)?;
    facts.note_standing(&standing);
    let mut refuted = learnt.attack_model(RefutePlan::of(settings), ctx)?;
    facts.note_broken(refuted.broken());
    refuted.record_contracts()?;
    let invariants = facts.without_fallen(recorded_invariants(&audited, &manifest));
    Ok(refuted.close_rounds(invariants).skip_judging().record(ctx)?.record)
}
