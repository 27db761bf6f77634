//! Contracts to verdicts: searches the store for operands that violate a contract, or that recorded
//! transitions or a new combination would bring there, and calls the operation on them.
//! Knows no templates by name and infers nothing; rounds are driven by the caller.

mod aims;
mod arguments;
mod asks;
mod branches;
mod bystanders;
mod chains;
mod closest;
mod context;
mod corners;
mod error;
mod ladder;
mod nearest;
mod orders;
mod panics;
mod postcondition;
mod precondition;
mod raid;
mod range;
mod relate;
mod reserve;
mod turns;
mod vigilance;

#[cfg(test)]
mod machine;
#[cfg(test)]
mod tests;

pub use branches::Branches;
pub(crate) use context::Desk;
pub use context::{Context, Effort, Limits, Refutation};
pub use error::RefuteError;
pub use raid::{Idleness, Raid};
pub use relate::relate;

use std::collections::BTreeMap;

use gainsay_model::contract::{Contract, Unsettled, Verdict};
use gainsay_wire::ContractId;

use raid::Raids;
use range::{Range, Reach};
use reserve::Reserve;

/// Attacks each contract: all of them with what is nearest first, then those that stand with all
/// there is, contracts without an answer before the others, and those that could have failed on
/// fewer calls before those with more; operations are raided meanwhile. A search that is cut short so has an answer for most.
/// Failures of the store or of the fleet end the search; everything else, dying workers included,
/// is data.
pub fn refute(
    context: &mut Context<'_>,
    contracts: &[Contract],
) -> Result<Refutation, RefuteError> {
    let Some(raid) = context.raid.clone() else { return attack_all(context, contracts, None) };
    let usual = context.runner.settings().clone();
    context.runner.configure(raid.settings.clone())?;
    let refutation = attack_all(context, contracts, Some(&raid));
    context.runner.configure(usual)?;
    refutation
}

fn attack_all(
    context: &mut Context<'_>,
    contracts: &[Contract],
    raid: Option<&Raid>,
) -> Result<Refutation, RefuteError> {
    let mut range = Range::default();
    range.raids = raid.map(|raid| Raids::new(raid, contracts)).unwrap_or_default();
    range.reserve = raid.filter(|it| it.idleness == Idleness::Raids).map(Reserve::new);
    let mut verdicts = BTreeMap::new();
    let all: Vec<&Contract> = contracts.iter().collect();
    turns::take(context, &mut range, &all, &mut verdicts)?;
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
    turns::take(context, &mut range, &standing, &mut verdicts)?;
    turns::close(context, &mut range)?;
    range.raids.settle(&mut verdicts);
    vigilance::look(&context.apart().1, &mut range, contracts, &mut verdicts);
    let verdict = |contract: &Contract| {
        (contract.id, verdicts.remove(&contract.id).unwrap_or_else(Verdict::out_of_budget))
    };
    let verdicts = contracts.iter().map(verdict).collect();
    Ok(range.into_refutation(verdicts))
}

/// On how many calls a contract could have failed so far: those that were tried least come first.
fn tried(contract: &Contract, range: &Range, verdicts: &BTreeMap<ContractId, Verdict>) -> u64 {
    let raided = range.raids.survived(contract.id);
    match verdicts.get(&contract.id) {
        Some(Verdict::Upheld { attacks } | Verdict::RealPrecondition { attacks }) => {
            contract.evidence.attacks + attacks.at_risk + raided
        }
        _ => raided,
    }
}
