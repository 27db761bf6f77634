//! Contracts to verdicts: searches the store for operands that violate a contract, or that recorded
//! transitions or a new combination would bring there, and calls the operation on them.
//! Knows no templates by name and infers nothing; rounds are driven by the caller.

mod attack;
mod attack_schedule;
mod context;
mod cross_check;
mod error;
mod focus;
mod goal;
mod round_state;
mod targets;

#[cfg(test)]
mod tests;

pub(crate) use context::Desk;
pub use context::{Context, Effort, Knowledge, Limits, NothingKnown, Refutation};
pub use error::RefuteError;
pub use focus::focused_epochs::{FocusSettings, IdleWorkers};
pub use goal::relations_around_calls::evaluate_relations;
pub use targets::branch_conditions::Branches;

use std::collections::BTreeMap;

use gainsay_model::contract::{Contract, Unsettled, Verdict};
use gainsay_wire::ContractId;

use focus::{focused_epochs::FocusedEpochs, idle_work::IdleWork};
use round_state::{Range, Reach};

/// Attacks each contract: all of them with what is nearest first, then those that stand with all
/// there is, contracts without an answer before the others, and those that could have failed on
/// fewer calls before those with more; focused epochs run meanwhile. A search that is cut short so has an answer for most.
/// Failures of the store or of the fleet end the search; everything else, dying workers included,
/// is data.
pub fn refute(
    context: &mut Context<'_>,
    contracts: &[Contract],
) -> Result<Refutation, RefuteError> {
    let Some(focus) = context.focus.clone() else { return attack_all(context, contracts, None) };
    let usual = context.runner.settings().clone();
    context.runner.configure(focus.settings.clone())?;
    let refutation = attack_all(context, contracts, Some(&focus));
    context.runner.configure(usual)?;
    refutation
}

fn attack_all(
    context: &mut Context<'_>,
    contracts: &[Contract],
    focus: Option<&FocusSettings>,
) -> Result<Refutation, RefuteError> {
    let mut range = Range::default();
    range.focused = focus.map(|how| FocusedEpochs::new(how, contracts)).unwrap_or_default();
    range.idle_work = focus.filter(|it| it.idle == IdleWorkers::Explore).map(IdleWork::new);
    let mut verdicts = BTreeMap::new();
    let all: Vec<&Contract> = contracts.iter().collect();
    attack_schedule::take(context, &mut range, &all, &mut verdicts)?;
    range.reach = Reach::Far;
    let mut standing: Vec<&Contract> = contracts
        .iter()
        .filter(|it| !matches!(verdicts.get(&it.id), Some(Verdict::Refuted { .. }) | None))
        .collect();
    standing.sort_by_key(|contract| tried(contract, &range, &verdicts));
    // Until the second pass has looked at it, a contract without an answer is for want of budget.
    for verdict in verdicts.values_mut() {
        if let Verdict::Unsettled { reason, .. } = verdict {
            *reason = Unsettled::Budget;
        }
    }
    attack_schedule::take(context, &mut range, &standing, &mut verdicts)?;
    attack_schedule::close(context, &mut range)?;
    range.focused.settle_verdicts(&mut verdicts);
    cross_check::check_all_calls(&context.apart().1, &mut range, contracts, &mut verdicts);
    let verdict = |contract: &Contract| {
        (contract.id, verdicts.remove(&contract.id).unwrap_or_else(Verdict::out_of_budget))
    };
    let verdicts = contracts.iter().map(verdict).collect();
    Ok(range.into_refutation(verdicts))
}

/// On how many calls a contract could have failed so far: those that were tried least come first.
fn tried(contract: &Contract, range: &Range, verdicts: &BTreeMap<ContractId, Verdict>) -> u64 {
    let focused = range.focused.count_survived(contract.id);
    match verdicts.get(&contract.id) {
        Some(Verdict::Upheld { attacks } | Verdict::RealPrecondition { attacks }) => {
            contract.evidence.attacks + attacks.at_risk + focused
        }
        _ => focused,
    }
}
