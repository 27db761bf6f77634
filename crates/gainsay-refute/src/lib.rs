//! Contracts to verdicts. Each contract becomes goals: calls that would show a violation. The search
//! finds calls that reach them, workers make these calls, and what the calls show is the verdict.
//! Knows no templates by name and infers nothing; rounds are driven by the caller.

mod attack;
mod context;
mod contradiction;
mod error;
mod focus;
mod known_facts;
mod refutation;
mod round;
mod schedule;
mod targets;

#[cfg(test)]
mod tests;

pub(crate) use context::Desk;
pub use context::{Context, Knowledge, Limits};
pub use error::RefuteError;
pub use focus::focused_epochs::{FocusSettings, IdleWorkers};
pub use refutation::{Effort, Refutation};
pub use targets::branch_conditions::Branches;

use std::collections::BTreeMap;

use gainsay_model::contract::{Contract, Unsettled, Verdict};
use gainsay_wire::ContractId;

use contradiction::check_all_calls;
use round::{Pass, Round};
use schedule::{attack_in_turns, close_round};

/// Attacks each contract in two passes, so that a search that is cut short has an answer for most of
/// them. The first tries a few stored objects for all contracts. The second tries all means for those
/// that stand: contracts without an answer first, then those that could have failed on fewest calls.
/// Focused epochs run meanwhile.
///
/// Failures of the store or of the fleet end the search. Everything else, dying workers included, is
/// data.
pub fn refute(
    context: &mut Context<'_>,
    contracts: &[Contract],
) -> Result<Refutation, RefuteError> {
    let Some(focus) = context.focus.clone() else { return attack_all(context, contracts, None) };
    // In focused epochs workers check the contracts under attack themselves. Nobody else may get these
    // settings, whether the round fails or not.
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
    let mut round = Round::new(focus, contracts);
    let mut verdicts = BTreeMap::new();
    let all: Vec<&Contract> = contracts.iter().collect();
    attack_in_turns(context, &mut round, &all, &mut verdicts)?;
    // Contracts that were not reached in the first pass are not reached in the second either: only
    // want of time leaves any.
    round.pass = Pass::Far;
    let mut standing: Vec<&Contract> = contracts
        .iter()
        .filter(|it| !matches!(verdicts.get(&it.id), Some(Verdict::Refuted { .. }) | None))
        .collect();
    standing.sort_by_key(|contract| count_risks(contract, &round, &verdicts));
    // Until the second pass has looked at it, a contract without an answer is for want of budget.
    for verdict in verdicts.values_mut() {
        if let Verdict::Unsettled { reason, .. } = verdict {
            *reason = Unsettled::Budget;
        }
    }
    attack_in_turns(context, &mut round, &standing, &mut verdicts)?;
    close_round(context, &mut round)?;
    round.focus.epochs.settle_verdicts(&mut verdicts);
    // Last: calls that were made for one contract may contradict another that was attacked before.
    let (_, desk) = context.split_for_planning();
    check_all_calls(&desk, &mut round, contracts, &mut verdicts);
    let verdict = |contract: &Contract| {
        (contract.id, verdicts.remove(&contract.id).unwrap_or_else(Verdict::out_of_budget))
    };
    let verdicts = contracts.iter().map(verdict).collect();
    Ok(round.into_refutation(verdicts))
}

/// Calls on which a contract could have failed so far. Those that were tried least come first.
fn count_risks(
    contract: &Contract,
    round: &Round,
    verdicts: &BTreeMap<ContractId, Verdict>,
) -> u64 {
    let focused = round.focus.epochs.count_survived(contract.id);
    match verdicts.get(&contract.id) {
        Some(Verdict::Upheld { attacks } | Verdict::RealPrecondition { attacks }) => {
            contract.evidence.attacks + attacks.at_risk + focused
        }
        _ => focused,
    }
}
