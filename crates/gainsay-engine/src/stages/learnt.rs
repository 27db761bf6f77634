//! Fourth stage: contracts that fit all calls so far. They are held against random calls first,
//! since those cost nothing to aim, and what is left is attacked.

use gainsay_explore::Budget;
use gainsay_infer::{Samples, infer};
use gainsay_model::{
    contract::Contract,
    event::{About, Stage, StopReason},
};
use gainsay_wire::ContractId;
use gainsay_workers::Runner as _;

use super::{explored::Explored, refuted::Refuted};
use crate::{
    ctx::Ctx,
    error::Result,
    rounds::{
        RefutePlan, Rounds, SettledContracts,
        attack::{RoundModel, attack_until_quiet},
        first_instantiations,
        model::Model,
        watch::{Watch, explore_under_watch},
    },
    session::Session,
    settings::Mode,
};

/// A crate with a model of its behaviour.
pub struct Learnt {
    pub(super) session: Session,
    pub(super) stop: StopReason,
    pub(super) rounds: Rounds,
    pub(super) samples: Samples,
    pub(super) model: Model,
}

impl Explored {
    /// Learns contracts from the calls so far.
    pub fn learn(self, ctx: &mut Ctx<'_>) -> Result<Learnt> {
        let rounds = Rounds::new(&self.session.settings);
        let Explored { session, stop } = self;
        learn_round(session, stop, rounds, ctx)
    }

    /// Takes contracts from elsewhere for the model.
    pub fn take_contracts(self, contracts: Vec<Contract>) -> Result<Learnt> {
        let Explored { session, stop } = self;
        let rounds = Rounds::new(&session.settings);
        let samples = session.read_samples()?.to_observations();
        Ok(Learnt { session, stop, rounds, samples, model: Model::new(Mode::Reduce, contracts) })
    }
}

/// Learns contracts for one more round.
pub(super) fn learn_round(
    session: Session,
    stop: StopReason,
    mut rounds: Rounds,
    ctx: &mut Ctx<'_>,
) -> Result<Learnt> {
    rounds.number += 1;
    let (samples, contracts) = ctx.run_stage(Stage::Infer, About::Round(rounds.number), |_| {
        let samples = first_instantiations(&session, session.read_samples()?.to_observations());
        let inferred = infer(session.fleet.manifest(), &samples, &rounds.options);
        Ok((samples, rounds.ledger.number_inferred(inferred)))
    })?;
    // After inference, which numbers claims but refutes none: what falls from here on is news.
    rounds.fallen_before = rounds.ledger.refuted.len();
    let model = Model::new(session.settings.mode, contracts);
    Ok(Learnt { session, stop, rounds, samples, model })
}

impl Learnt {
    /// Tries to refute the model: by random calls under watch, then by attacks.
    pub fn refute(mut self, ctx: &mut Ctx<'_>) -> Result<Refuted> {
        let budget = self.session.settings.ordinary_share(1, 8);
        self.watch_model(Vec::new(), budget, ctx)?;
        let watched = &self.session.campaign.totals().attacks;
        // Calls under watch count as attacks of a kind: the contract could have failed on them.
        for contract in &mut self.model.attacked {
            contract.evidence.attacks = watched.get(&contract.id).copied().unwrap_or(0);
        }
        let plan = RefutePlan::of(&self.session.settings);
        let mut refuted = self.attack_model(plan, ctx)?;
        refuted.record_contracts()?;
        Ok(refuted)
    }

    /// Explores while workers check the model, and other claims besides, on every passing call.
    /// Contracts that fall leave the model; returns the other claims that stand.
    pub fn watch_model(
        &mut self,
        besides: Vec<Contract>,
        budget: Budget,
        ctx: &mut Ctx<'_>,
    ) -> Result<Vec<Contract>> {
        let others: Vec<ContractId> = besides.iter().map(|claim| claim.id).collect();
        let about = About::ContractsUnderWatch(self.model.attacked.len());
        let watched = Model {
            attacked: [self.model.attacked.clone(), besides].concat(),
            granted: self.model.granted.clone(),
        };
        let watch = Watch { model: &watched, budget, about };
        let standing = explore_under_watch(&mut self.session, &mut self.rounds.ledger, watch, ctx)?;
        // The other claims have no place in the results of the run.
        self.rounds.ledger.refuted.retain(|id, _| !others.contains(id));
        let (besides, own) =
            standing.into_iter().partition(|contract| others.contains(&contract.id));
        self.model.attacked = own;
        Ok(besides)
    }

    /// Attacks the model.
    pub fn attack_model(self, plan: RefutePlan, ctx: &mut Ctx<'_>) -> Result<Refuted> {
        let Learnt { mut session, stop, mut rounds, samples, mut model } = self;
        rounds.ledger.forget_unclaimed(&model.attacked);
        rounds.ledger.put_new_first(&mut model.attacked);
        let round = RoundModel { model, samples: &samples, plan };
        let broken = attack_until_quiet(&mut session, &mut rounds, round, ctx)?;
        let settled = SettledContracts::default();
        Ok(Refuted { session, stop, rounds, settled, broken, branches: Vec::new() })
    }
}
