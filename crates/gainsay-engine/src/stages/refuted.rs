//! Fifth stage: contracts with verdicts. Another round may follow; when nothing new falls, the
//! verdicts are settled, and the other builds have their turn.

use gainsay_explore::Judged as Judgement;
use gainsay_infer::Invariant;
use gainsay_model::event::StopReason;
use gainsay_wire::Violation;

use super::{
    explored::Explored,
    judged::Judged,
    learnt::{Learnt, learn_round},
};
use crate::{
    builds::{Branch, explore_other_builds},
    ctx::Ctx,
    error::Result,
    rounds::{Rounds, SettledContracts, second_campaign, shortened, type_invariants},
    session::Session,
};

/// A crate with verdicts on what was learnt of it.
pub struct Refuted {
    pub(super) session: Session,
    pub(super) stop: StopReason,
    pub(super) rounds: Rounds,
    pub(super) settled: SettledContracts,
    /// Calls of focused epochs that broke what workers watched besides the model.
    pub(super) broken: Vec<Violation>,
    /// The other builds, as far as they were explored.
    pub(super) branches: Vec<Branch>,
}

impl From<Explored> for Refuted {
    fn from(explored: Explored) -> Refuted {
        let Explored { session, stop } = explored;
        Refuted {
            rounds: Rounds::new(&session.settings),
            session,
            stop,
            settled: SettledContracts::default(),
            broken: Vec::new(),
            branches: Vec::new(),
        }
    }
}

impl Refuted {
    /// Tells if another round may bring something new and there is time for it.
    pub fn has_more_rounds(&self, ctx: &Ctx<'_>) -> bool {
        // The first phase had half of the time, the second campaign has an eighth, and
        // counterexamples are made shorter in a sixteenth; the first round is always run.
        let time = self.session.settings.ordinary_share(5, 16).time;
        let is_late = time.is_some_and(|time| self.rounds.began.elapsed() >= time);
        self.has_news()
            && !is_late
            && self.rounds.number < self.session.settings.rounds
            && !ctx.cancel.is_interrupted()
    }

    /// Tells if a contract fell in the last round.
    pub fn has_news(&self) -> bool {
        self.rounds.ledger.refuted.len() != self.rounds.fallen_before
    }

    /// Returns the number of rounds so far.
    pub fn count_rounds(&self) -> u32 {
        self.rounds.number
    }

    /// Learns again, with the calls of the last round among the evidence.
    pub fn learn_again(self, ctx: &mut Ctx<'_>) -> Result<Learnt> {
        learn_round(self.session, self.stop, self.rounds, ctx)
    }

    /// Puts contracts and invariants to the test of a campaign from which nothing was learnt.
    pub(crate) fn test_with_other_seed(&mut self, ctx: &mut Ctx<'_>) -> Result<()> {
        second_campaign::run_second_campaign(&mut self.session, &mut self.rounds, ctx)
    }

    /// Makes counterexamples shorter, for a small share of the run.
    pub(crate) fn shorten_counterexamples(&mut self, ctx: &mut Ctx<'_>) -> Result<()> {
        shortened::shorten_counterexamples(&mut self.session, &mut self.rounds.ledger, ctx)
    }

    /// Settles all verdicts, and the invariants that no call broke.
    pub(crate) fn settle_verdicts(mut self) -> Result<Refuted> {
        self.record_contracts()?;
        let invariants = type_invariants(&self.session)?;
        let invariants = self.rounds.facts.without_fallen(invariants);
        Ok(self.close_rounds(invariants))
    }

    /// Ends the rounds with the verdicts as they are, and with these invariants.
    pub fn close_rounds(mut self, invariants: Vec<Invariant>) -> Refuted {
        let rounds = std::mem::replace(&mut self.rounds, Rounds::new(&self.session.settings));
        self.settled = rounds.close(&self.session, invariants);
        self
    }

    /// Writes the contracts and verdicts so far to the store.
    pub fn record_contracts(&mut self) -> Result<()> {
        let (store, ledger) = (&mut self.session.store, &self.rounds.ledger);
        store.record_contracts(&ledger.contracts())?;
        Ok(store.record_verdicts(&ledger.verdicts())?)
    }

    /// Returns the calls that broke what workers watched besides the model.
    pub fn broken(&self) -> &[Violation] {
        &self.broken
    }

    /// Goes back to exploration, with the verdicts so far beside it.
    pub fn reopen(self) -> (Explored, SettledContracts) {
        (Explored { session: self.session, stop: self.stop }, self.settled)
    }

    /// Explores the other builds, with what the ordinary one found worth keeping.
    pub(crate) fn explore_other_builds(&mut self, ctx: &mut Ctx<'_>) -> Result<()> {
        self.branches = explore_other_builds(&mut self.session, ctx)?;
        Ok(())
    }

    /// Goes on without judging what was found.
    pub fn skip_judging(self) -> Judged {
        self.judge_with(Judgement::default())
    }

    /// Goes on with findings that somebody else judged.
    pub fn judge_with(self, judgement: Judgement) -> Judged {
        let Refuted { session, stop, settled, .. } = self;
        Judged { session, stop, settled, judgement }
    }
}
