//! Contracts to verdicts: searches the store for operands that violate a contract, or that recorded
//! transitions or a new combination would bring there, and calls the operation on them.
//! Knows no templates by name and infers nothing; rounds are driven by the caller.

mod asks;
mod bystanders;
mod chains;
mod closest;
mod context;
mod error;
mod ladder;
mod panics;
mod postcondition;
mod precondition;
mod range;
mod relate;
mod vigilance;

#[cfg(test)]
mod machine;
#[cfg(test)]
mod tests;

pub use context::{Context, Effort, Limits, Refutation};
pub use error::RefuteError;
pub use relate::relate;

use std::collections::BTreeMap;

use gainsay_model::contract::{Contract, ContractKind, Unsettled, Verdict};
use gainsay_wire::ContractId;

use ladder::first_calls_of;
use range::{Range, Reach};

/// Attacks each contract: all of them with what is nearest first, then those that stand with all
/// there is, contracts without an answer before the others. A search that is cut short so has an
/// answer for most. Failures of the store or of the fleet end the search; everything else, dying
/// workers included, is data.
pub fn refute(
    context: &mut Context<'_>,
    contracts: &[Contract],
) -> Result<Refutation, RefuteError> {
    let mut range = Range::default();
    let mut verdicts = BTreeMap::new();
    let all: Vec<&Contract> = contracts.iter().collect();
    pass(context, &mut range, &all, &mut verdicts)?;
    range.reach = Reach::Far;
    let open = |contract: &&Contract| {
        matches!(verdicts.get(&contract.id), Some(Verdict::Unsettled { .. }))
    };
    let refuted = |contract: &&Contract| {
        matches!(verdicts.get(&contract.id), Some(Verdict::Refuted { .. }) | None)
    };
    let (first, later): (Vec<&Contract>, Vec<&Contract>) =
        contracts.iter().filter(|contract| !refuted(contract)).partition(open);
    let standing = [first, later].concat();
    // Until the second pass has looked at it, a contract without an answer is for want of budget.
    for verdict in verdicts.values_mut() {
        if let Verdict::Unsettled { reason, .. } = verdict {
            *reason = Unsettled::Budget;
        }
    }
    pass(context, &mut range, &standing, &mut verdicts)?;
    vigilance::look(context, &mut range, contracts, &mut verdicts);
    let verdict = |contract: &Contract| {
        (contract.id, verdicts.remove(&contract.id).unwrap_or_else(Verdict::out_of_budget))
    };
    let verdicts = contracts.iter().map(verdict).collect();
    Ok(range.into_refutation(verdicts))
}

/// Attacks contracts as far as the range reaches now, many at a time.
fn pass(
    context: &mut Context<'_>,
    range: &mut Range,
    contracts: &[&Contract],
    verdicts: &mut BTreeMap<ContractId, Verdict>,
) -> Result<(), RefuteError> {
    for group in contracts.chunks(context.limits.together.max(1)) {
        let mut calls = Vec::new();
        for contract in group {
            range.about = Some(contract.id);
            let goals = first_goals(context, range, contract);
            calls.extend(first_calls_of(context, range, &goals)?);
        }
        // All at once, so that all workers have something to do; the range remembers what came of
        // them.
        range.run(context, calls)?;
        for contract in group {
            if context.cancel.is_cancelled() {
                return Ok(());
            }
            range.about = Some(contract.id);
            let verdict = attack(context, range, contract)?;
            let is_refuted = matches!(verdict, Verdict::Refuted { .. });
            // An attack that was cut short says nothing unless it refutes.
            if is_refuted || !context.cancel.is_cancelled() {
                verdicts.insert(contract.id, verdict);
            }
        }
    }
    Ok(())
}

/// The goals that an attack tries on stored objects as they are.
fn first_goals(
    context: &mut Context<'_>,
    range: &mut Range,
    contract: &Contract,
) -> Vec<ladder::Goal> {
    if context.cancel.is_cancelled() {
        return Vec::new();
    }
    match contract.kind {
        ContractKind::Precondition => vec![precondition::goal(context, contract)],
        ContractKind::Postcondition => postcondition::goals(context, range, contract),
        ContractKind::Panics => panics::goals(contract).to_vec(),
    }
}

fn attack(
    context: &mut Context<'_>,
    range: &mut Range,
    contract: &Contract,
) -> Result<Verdict, RefuteError> {
    match contract.kind {
        ContractKind::Precondition => precondition::attack(context, range, contract),
        ContractKind::Postcondition => postcondition::attack(context, range, contract),
        ContractKind::Panics => panics::attack(context, range, contract),
    }
}
