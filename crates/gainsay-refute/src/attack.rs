//! Attacks on one contract, by its kind: the goals that would show a violation, and the verdict on
//! the calls that reached them.

mod panic_claim;
mod postcondition;
mod precondition;
mod trial;

use gainsay_model::contract::{Contract, ContractKind, Unsettled, Verdict};
use gainsay_search::{CallIndex, Reached, Search};

use crate::{Desk, RefuteError, round::Round};
use panic_claim::PanicAttack;
use postcondition::PostconditionAttack;
use precondition::PreconditionAttack;
use trial::Tried;

/// An attack on a contract, as far as it has come.
pub(crate) struct Attack<'c> {
    contract: &'c Contract,
    /// None until the attack begins: its goals depend on what is known then.
    plan: Option<Plan<'c>>,
}

/// Goals of an attack, by the kind of its contract.
enum Plan<'c> {
    Precondition(PreconditionAttack),
    Postcondition(PostconditionAttack<'c>),
    Panics(PanicAttack<'c>),
}

impl<'c> Attack<'c> {
    pub(crate) fn new(contract: &'c Contract) -> Attack<'c> {
        Attack { contract, plan: None }
    }

    pub(crate) fn contract(&self) -> &'c Contract {
        self.contract
    }

    /// Goes on with the goals; a verdict when all are over or a call refutes the contract, `None`
    /// when workers have to make calls first.
    pub(crate) fn advance_goals(
        &mut self,
        desk: &mut Desk<'_>,
        round: &mut Round,
    ) -> Result<Option<Verdict>, RefuteError> {
        // A focused epoch may have contradicted it since its last turn.
        if let Some(refuted) = round.focus.epochs.find_refutation(self.contract.id) {
            return Ok(Some(refuted));
        }
        let contract = self.contract;
        let plan = self.plan.get_or_insert_with(|| match contract.kind {
            ContractKind::Precondition => {
                Plan::Precondition(PreconditionAttack::plan_goals(desk, round, contract))
            }
            ContractKind::Postcondition => {
                Plan::Postcondition(PostconditionAttack::plan_goals(desk, round, contract))
            }
            ContractKind::Panics => Plan::Panics(PanicAttack::plan_goals(desk, round, contract)),
        });
        match plan {
            Plan::Precondition(attack) => attack.advance_goal(desk, round, contract),
            Plan::Postcondition(attack) => attack.advance_goals(desk, round),
            Plan::Panics(attack) => attack.advance_goals(desk, round),
        }
    }
}

/// A refutation by the shortest of the calls that refute, the first among equals.
fn refute_by_shortest(
    search: &Search,
    tried: &Tried,
    is_refuting: impl Fn(CallIndex) -> bool,
) -> Option<Verdict> {
    let refuting = tried.reached.hits.iter().filter(|hit| is_refuting(hit.call));
    // A person reads it, and shrinking starts from it.
    let by = refuting.min_by_key(|hit| search.log().find_call(hit.call).recipe.steps.len())?;
    Some(tried.refute_by(search, by))
}

/// The reason why no call was made that counts.
fn explain_nothing(reached: &Reached) -> Unsettled {
    match (reached.is_cut_short, reached.is_blind) {
        (true, _) => Unsettled::Budget,
        (false, true) => Unsettled::NotSearchable,
        (false, false) => Unsettled::NothingToTry,
    }
}
