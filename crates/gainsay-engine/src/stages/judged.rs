//! Sixth stage: each finding is a fault, confirmed and shrunk, or somebody else's business.

use std::time::{Duration, Instant};

use gainsay_explore::{Judged as Judgement, judge, judge_injected, told_once};
use gainsay_model::event::{About, Stage, StopReason};
use gainsay_workers::Cancel;

use super::refuted::Refuted;
use crate::{
    builds::explain::{explain_crashes, explain_flaky, explain_misuse, judge_branches},
    ctx::Ctx,
    error::Result,
    knowledge::{doc_promises, sentinel_faults},
    rounds::SettledContracts,
    session::Session,
};

/// Time for confirming what was found after an interrupt: the user waits, but an unconfirmed fault
/// would be lost.
const LAST_WORDS: Duration = Duration::from_secs(10);

/// A crate with faults.
pub struct Judged {
    pub(super) session: Session,
    pub(super) stop: StopReason,
    pub(super) settled: SettledContracts,
    pub(super) judgement: Judgement,
}

impl Refuted {
    /// Shrinks and confirms what was found; after an interrupt only for a moment.
    pub fn judge(mut self, ctx: &mut Ctx<'_>) -> Result<Judged> {
        let campaign = &self.session.campaign;
        let about = About::Findings(campaign.findings().len() + campaign.injected().len());
        let cancel = self.last_cancel(ctx);
        let judgement = ctx.run_stage(Stage::Confirm, about, |ctx| {
            ctx.with_cancel(cancel, |ctx| self.judge_findings(ctx))
        })?;
        Ok(self.judge_with(judgement))
    }

    /// Returns the end of confirmation: a moment after an interrupt, otherwise none, but haste once
    /// the time of the run is over again.
    fn last_cancel(&self, ctx: &Ctx<'_>) -> Cancel {
        if ctx.cancel.is_interrupted() {
            return Cancel::new().until(Instant::now() + LAST_WORDS);
        }
        match self.session.settings.budget.time {
            Some(time) => ctx.cancel.hasty_from(Instant::now() + time),
            None => ctx.cancel.clone(),
        }
    }

    // The order matters: what another build explains is not judged again, and later judges add to
    // the faults of earlier ones.
    fn judge_findings(&mut self, ctx: &mut Ctx<'_>) -> Result<Judgement> {
        let (session, branches) = (&mut self.session, &mut self.branches[..]);
        // Faults must show again in runs that learnt other contracts, or none.
        session.stop_watching()?;
        let explained = explain_crashes(session, branches, ctx)?;
        let findings = explained.left;
        let (ground, laws) = (session.campaign.ground(), &session.campaign.totals().laws);
        let mut judged = judge(&mut session.fleet, &findings, laws, ctx.hearing(ground))?;
        judged.faults.extend(explained.faults);
        explain_misuse(session, branches, &findings, &mut judged.faults, ctx)?;
        judged.faults.extend(sentinel_faults::find_sentinel_faults(session, &ctx.cancel)?);
        judged.faults.extend(doc_promises::find_unannounced_panics(session, &ctx.cancel)?);
        let ground = session.campaign.ground();
        let (injected, fleet) = (session.campaign.injected(), &mut session.fleet);
        judge_injected(fleet, injected, &mut judged.faults, ctx.hearing(ground))?;
        explain_flaky(session, branches, &mut judged.faults, ctx)?;
        judge_branches(session, branches, &mut judged, ctx)?;
        // Several judges may have seen one fault from different sides.
        judged.faults = told_once(judged.faults);
        Ok(judged)
    }
}
