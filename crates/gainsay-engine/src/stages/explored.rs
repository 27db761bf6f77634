//! Third stage: the crate has been called at random, or with given sequences, and the store knows
//! what was seen.

use gainsay_model::event::{Stage, StopReason};

use super::refuted::Refuted;
use crate::{ctx::Ctx, error::Result, rounds::SettledContracts, session::Session};

/// A crate with evidence of its behaviour.
pub struct Explored {
    pub(super) session: Session,
    pub(super) stop: StopReason,
}

impl Explored {
    /// Evaluates relations among objects that met in one call. No stage of its own: it belongs to
    /// the exploration whose calls it looks at.
    pub fn relate_versions(&mut self, ctx: &mut Ctx<'_>) -> Result<()> {
        ctx.add_to_stage(Stage::Explore, |ctx| self.session.relate_versions(ctx))
    }

    /// Returns the crate under test, for programs that look at the evidence or add to it.
    pub fn session(&mut self) -> &mut Session {
        &mut self.session
    }

    /// Goes on without learning anything: of random testing alone only faults are wanted.
    pub fn skip_learning(self) -> Refuted {
        self.settle_contracts(SettledContracts::default())
    }

    /// Goes on with contracts that somebody else settled.
    pub fn settle_contracts(self, settled: SettledContracts) -> Refuted {
        Refuted { settled, ..Refuted::from(self) }
    }
}
