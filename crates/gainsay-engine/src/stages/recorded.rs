//! Last stage: the results of all stages as one record, and the faults kept for the next run.

use gainsay_model::event::StopReason;
use gainsay_report::RunRecord;

use super::judged::Judged;
use crate::{ctx::Ctx, error::Result, summarize::summarize};

/// A run that is over.
pub struct Recorded {
    /// Its results.
    pub record: RunRecord,
}

impl Judged {
    /// Writes faults to the store and puts the results together.
    pub fn record(self, ctx: &Ctx<'_>) -> Result<Recorded> {
        let Judged { mut session, stop, settled, judgement } = self;
        session.store.record_faults(&judgement.faults)?;
        let skips = [&session.api.skips[..], &session.harness.skips].concat();
        session.store.record_skips(&skips)?;
        let stop = if ctx.cancel.is_interrupted() { StopReason::Interrupted } else { stop };
        // Settled after the record is made: a fault is gone only if nothing in the record is it.
        let known_faults = session.known_faults.take();
        let mut record = summarize(session, &settled, &judgement, stop, &ctx.clock);
        if let Some(known_faults) = known_faults {
            known_faults.settle_faults(&mut record)?;
        }
        Ok(Recorded { record })
    }
}
