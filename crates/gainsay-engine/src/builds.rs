//! Builds besides the ordinary one: made in the background while that is explored, then given the
//! sequences that it found worth keeping, then explored in their turn.

pub(crate) mod branch;
pub(crate) mod explain;
pub(crate) mod workshop;

use std::time::{Duration, Instant};

use gainsay_model::event::{About, Degradation, Stage};

use self::branch::kept_sequences;
pub(crate) use self::{branch::Branch, workshop::Workshop};
use crate::{
    ctx::Ctx,
    error::{EngineError, Result},
    session::Session,
};

/// Time for which builds that nobody asked for are waited for, if the run is shorter. They are made
/// once for many runs, so that one that waited spares the others the wait.
const LEAST_PATIENCE: Duration = Duration::from_mins(1);

/// Explores all builds besides the ordinary one, as far as they can be had, each after the faults of
/// earlier runs that it showed.
pub(crate) fn explore_other_builds(
    session: &mut Session,
    ctx: &mut Ctx<'_>,
) -> Result<Vec<Branch>> {
    let Some(mut workshop) = session.workshop.take() else { return Ok(Vec::new()) };
    let kept = kept_sequences(session)?;
    let mut branches = Vec::new();
    let others = session.settings.others.clone();
    let time = session.settings.whole_budget().time.filter(|_| !others.asked);
    let patience = time.map(|time| Instant::now() + time.max(LEAST_PATIENCE));
    for build in others.builds {
        if ctx.cancel.is_interrupted() {
            break;
        }
        let made = ctx.run_stage(Stage::Harness, About::Build(build), |ctx| {
            Ok(workshop.wait_for_build(build, patience, &ctx.cancel))
        })?;
        let branch = match made {
            Some(Ok(harness)) => Branch::open(session, build, &harness),
            Some(Err(error)) => Err(error.into()),
            None => Err(EngineError::BuildNotReady { build }),
        };
        match branch {
            // Whatever fails after an interrupt fails because of it.
            Err(_) if ctx.cancel.is_interrupted() => break,
            Err(error) => {
                let why = error.to_string().lines().next().unwrap_or_default().to_owned();
                ctx.warn_of(Degradation::BuildMissing { build, why });
            }
            Ok(mut branch) => {
                branch.replay_known_faults(session, ctx)?;
                ctx.run_stage(Stage::Explore, About::Build(build), |ctx| {
                    branch.explore_build(&kept, &session.settings, ctx)
                })?;
                branches.push(branch);
            }
        }
    }
    Ok(branches)
}
