//! Attacks on claims that an operation panics exactly when something holds.

use std::rc::Rc;

use gainsay_model::contract::{Attacks, Contract, Verdict};
use gainsay_search::{Goal, Search};
use gainsay_wire::{Expr, Observation, Outcome, Truth};

use super::{
    explain_nothing,
    trial::{Attempt, Trial, Tried},
};
use crate::{Desk, RefuteError, round::Round};

/// Two goals: the claim holds, and it does not. Calls where it holds must panic, calls where it does
/// not must return, unless there is another reason to panic that is known. A mismatch refutes.
pub(super) struct PanicAttack<'c> {
    contract: &'c Contract,
    /// Other conditions that the operation is known to require.
    demands: Rc<Vec<Expr>>,
    trials: [Trial; 2],
}

/// Meaning of a call for the claim.
enum Meaning {
    /// The operation did the opposite of the claim.
    Refutes,
    /// The operation did as the claim says.
    Agrees,
    /// The claim cannot be evaluated, or the call has another reason to panic.
    Nothing,
}

impl<'c> PanicAttack<'c> {
    pub(super) fn plan_goals(
        desk: &Desk<'_>,
        round: &mut Round,
        contract: &'c Contract,
    ) -> PanicAttack<'c> {
        // What was learnt of panics is among the requirements, this claim included: it must not excuse
        // itself.
        let own = contract.expr.negated().normal_form();
        let required = round.facts.find_requirements(desk, contract.op);
        let others = required.iter().filter(|demand| demand.normal_form() != own);
        let demands = Rc::new(others.cloned().collect());
        let effort = round.full_effort(desk);
        let trials = [contract.expr.clone(), contract.expr.negated()].map(|claim| {
            let goal = Goal::new(contract.op, &[claim]);
            Trial::of_attempts([Attempt::new(round, goal, effort)])
        });
        PanicAttack { contract, demands, trials }
    }

    pub(super) fn advance_goals(
        &mut self,
        desk: &mut Desk<'_>,
        round: &mut Round,
    ) -> Result<Option<Verdict>, RefuteError> {
        let mut attacks = Attacks::default();
        let mut reason = None;
        for at in 0..self.trials.len() {
            self.trials[at].advance_attempts(desk, round)?;
            for tried in self.trials[at].list_results() {
                attacks.made += tried.reached.made;
                if let Some(verdict) = self.count_calls(desk, &round.search, tried, &mut attacks) {
                    return Ok(Some(verdict));
                }
                reason = reason.max(Some(explain_nothing(&tried.reached)));
            }
        }
        if !self.trials.iter().all(Trial::is_over) {
            return Ok(None);
        }
        Ok(Some(match reason {
            Some(reason) if attacks.at_risk == 0 => Verdict::Unsettled { reason, attacks },
            _ => Verdict::Upheld { attacks },
        }))
    }

    /// Counts calls; a verdict when one of them refutes.
    fn count_calls(
        &self,
        desk: &Desk<'_>,
        search: &Search,
        tried: &Tried,
        attacks: &mut Attacks,
    ) -> Option<Verdict> {
        for hit in &tried.reached.hits {
            let call = &search.log().find_call(hit.call).observation;
            match self.judge_call(desk, search, call) {
                Meaning::Refutes => return Some(tried.refute_by(search, hit)),
                Meaning::Agrees => attacks.count_risk(tried.name_via(hit)),
                Meaning::Nothing => {}
            }
        }
        None
    }

    fn judge_call(&self, desk: &Desk<'_>, search: &Search, call: &Observation) -> Meaning {
        let manifest = desk.search.manifest;
        let panicked = matches!(call.outcome, Outcome::Panicked(_));
        let is_unmet = |demand| search.evaluate(manifest, demand, call) == Truth::False;
        match search.evaluate(manifest, &self.contract.expr, call) {
            Truth::Undefined => Meaning::Nothing,
            Truth::False if panicked && self.demands.iter().any(is_unmet) => Meaning::Nothing,
            claimed if (claimed == Truth::True) == panicked => Meaning::Agrees,
            _ => Meaning::Refutes,
        }
    }
}
