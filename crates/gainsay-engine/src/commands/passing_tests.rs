//! Calls of the last run that pass and cover most, with what they show every time.

use gainsay_explore::{RanSequence, cover, tell};
use gainsay_model::event::{About, Stage};

use super::{Passing, fail_if_interrupted, open_for_tests};
use crate::{ctx::Ctx, error::Result, stages::prepared::Target};

/// Candidates for each test that is wanted. Some do not look the same each time and drop out.
const CANDIDATES: usize = 2;

/// Finds passing calls, at most so many.
pub fn find_passing(target: &Target, most: usize, ctx: &mut Ctx<'_>) -> Result<Passing> {
    let mut session = open_for_tests(target, ctx)?;
    let found = ctx.run_stage(Stage::Replay, About::CallsOfLastRun, |ctx| {
        let recipes = session.look_as_last_run()?.passing_recipes()?;
        let wanted = most.saturating_mul(CANDIDATES);
        // Few tests that call many operations: what the run recorded is far more than anybody reads.
        let cover = cover(&mut session.fleet, &recipes, wanted, &ctx.cancel)?;
        let subject = session.campaign.ground().clone();
        let mut regressions = Vec::new();
        for (sequence, report) in &cover.chosen {
            if regressions.len() < most {
                let seen = RanSequence { sequence, report };
                regressions.extend(tell(&mut session.fleet, &subject, &seen, &ctx.cancel)?);
            }
        }
        Ok((regressions, cover.operations.len()))
    })?;
    fail_if_interrupted(ctx)?;
    let (regressions, operations) = found;
    Ok(Passing::new(session, regressions, operations))
}
