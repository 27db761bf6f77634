//! Findings of the ordinary build in the light of builds that see more: a crash whose cause another
//! build shows is told by its cause.

use std::time::{Duration, Instant};

use gainsay_explore::{
    Builds, Findings, Identity, Judged as Judgement, Raw, is_crash, judge_injected, judge_memory,
};
use gainsay_model::{
    build::Build,
    fault::{Confirmation, Fault},
};
use gainsay_wire::{OpId, Oracle};

use super::Branch;
use crate::{ctx::Ctx, error::Result, session::Session, settings::RunSettings};

/// Time for settling the findings of other builds, if the run is shorter: whatever is not settled is
/// lost.
const LEAST_TO_SETTLE: Duration = Duration::from_secs(30);

/// Findings after another build has explained the crashes among them.
pub(crate) struct Explained {
    /// Findings without an explanation.
    pub(crate) left: Findings,
    /// The causes of the others.
    pub(crate) faults: Vec<Fault>,
}

/// Explains crashes of the ordinary build by what the build that sees memory break shows.
pub(crate) fn explain_crashes(
    session: &mut Session,
    branches: &mut [Branch],
    ctx: &mut Ctx<'_>,
) -> Result<Explained> {
    let findings = session.campaign.findings();
    let crashes = findings.only(is_crash);
    let mut faults = Vec::new();
    let Some(branch) = sanitized(branches) else {
        return Ok(Explained { left: findings.clone(), faults });
    };
    let ground = branch.campaign.ground();
    let ordinary = &mut session.fleet;
    let mut builds = Builds { other: &mut branch.fleet, subject: ground, ordinary };
    let explained = judge_memory(&mut builds, &crashes, &mut faults, ctx.hearing(ground))?;
    let left = findings.only(|raw| !explained.contains(&raw.sighting.identity));
    Ok(Explained { left, faults })
}

/// Makes misuse of elements again that the ordinary build shows only now and then, as where memory
/// is read that is no longer an object's. A cause that another build shows takes its place.
pub(crate) fn explain_misuse(
    session: &mut Session,
    branches: &mut [Branch],
    findings: &Findings,
    faults: &mut Vec<Fault>,
    ctx: &mut Ctx<'_>,
) -> Result<()> {
    let is_flaky = |fault: &Fault| {
        fault.confirmation == Confirmation::Flaky && matches!(fault.oracle, Oracle::Probe(_))
    };
    let asan = sanitized(branches);
    let Some(branch) = asan.filter(|_| faults.iter().any(is_flaky)) else { return Ok(()) };
    let (flaky, mut others): (Vec<Fault>, Vec<Fault>) = faults.drain(..).partition(is_flaky);
    let is_one = |raw: &Raw| flaky.iter().any(|fault| fault.id == raw.sighting.identity.id());
    let ground = branch.campaign.ground();
    let ordinary = &mut session.fleet;
    let mut builds = Builds { other: &mut branch.fleet, subject: ground, ordinary };
    let explained = ctx.until(time_to_settle(&session.settings), |ctx| {
        judge_memory(&mut builds, &findings.only(is_one), &mut others, ctx.hearing(ground))
    })?;
    let explained: Vec<String> = explained.iter().map(Identity::id).collect();
    let left = flaky.into_iter().filter(|fault| !explained.contains(&fault.id));
    others.extend(left);
    *faults = others;
    Ok(())
}

/// Makes crashes under callers that misbehave again that the ordinary build shows only now and then.
/// A cause that another build shows of the same operation takes their place.
pub(crate) fn explain_flaky(
    session: &Session,
    branches: &mut [Branch],
    faults: &mut Vec<Fault>,
    ctx: &mut Ctx<'_>,
) -> Result<()> {
    let is_flaky = |fault: &Fault| {
        fault.confirmation == Confirmation::Flaky && matches!(fault.oracle, Oracle::Death(_))
    };
    let asan = sanitized(branches);
    let Some(branch) = asan.filter(|_| faults.iter().any(is_flaky)) else { return Ok(()) };
    let crashes = session.campaign.injected().only(is_crash);
    let ground = branch.campaign.ground();
    let (flaky, mut others): (Vec<Fault>, Vec<Fault>) =
        faults.drain(..).partition(|fault| is_flaky(fault));
    let known = others.len();
    ctx.until(time_to_settle(&session.settings), |ctx| {
        judge_injected(&mut branch.fleet, &crashes, &mut others, ctx.hearing(ground))
    })?;
    let explains = |other: &Fault, op: OpId| other.op == op && !is_flaky(other);
    let is_explained = |op: OpId| others[known..].iter().any(|other| explains(other, op));
    // A flaky fault without an explanation is still one.
    let left: Vec<Fault> = flaky.into_iter().filter(|fault| !is_explained(fault.op)).collect();
    faults.extend(others);
    faults.extend(left);
    Ok(())
}

/// Settles the findings of the other builds that the ordinary one does not have.
pub(crate) fn judge_branches(
    session: &mut Session,
    branches: &mut [Branch],
    judged: &mut Judgement,
    ctx: &mut Ctx<'_>,
) -> Result<()> {
    ctx.until(time_to_settle(&session.settings), |ctx| {
        for branch in branches {
            branch.judge_broken_memory(&mut session.fleet, &mut judged.faults, ctx)?;
            if branch.build == Build::Release {
                branch.judge_wrapped_arithmetic(judged, ctx)?;
            }
        }
        Ok(())
    })
}

/// Finds the build that sees memory break.
fn sanitized(branches: &mut [Branch]) -> Option<&mut Branch> {
    branches.iter_mut().find(|branch| branch.build == Build::Asan)
}

fn time_to_settle(settings: &RunSettings) -> Option<Instant> {
    let share = settings.whole_budget().time.map(|time| time.max(LEAST_TO_SETTLE));
    share.map(|time| Instant::now() + time)
}
