//! Contracts to verdicts: searches the store for operands that violate a contract, or that one
//! recorded transition or a new combination would bring there, and calls the operation on them.
//! Knows no templates by name and infers nothing; rounds are driven by the caller.

mod asks;
mod bystanders;
mod context;
mod error;
mod ladder;
mod panics;
mod postcondition;
mod precondition;
mod range;
mod relate;

#[cfg(test)]
mod machine;
#[cfg(test)]
mod tests;

pub use context::{Context, Effort, Limits, Refutation};
pub use error::RefuteError;
pub use relate::relate;

use gainsay_model::contract::{Contract, ContractKind, Unsettled, Verdict};

use range::Range;

/// Attacks each contract. Failures of the store or of the fleet end the search; everything else,
/// dying workers included, is data.
pub fn refute(
    context: &mut Context<'_>,
    contracts: &[Contract],
) -> Result<Refutation, RefuteError> {
    let mut range = Range::default();
    let mut verdicts = Vec::new();
    for contract in contracts {
        let verdict = if context.cancel.is_cancelled() {
            Verdict::Unsettled { reason: Unsettled::Budget }
        } else {
            attack(context, &mut range, contract)?
        };
        verdicts.push((contract.id, verdict));
    }
    Ok(range.into_refutation(verdicts))
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
