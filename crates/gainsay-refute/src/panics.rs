//! Attacks on claims that an operation panics exactly when something holds.

use gainsay_model::contract::{Contract, Verdict};
use gainsay_wire::{Outcome, Truth};

use crate::{
    Context, RefuteError,
    ladder::{Goal, climb},
    precondition::why_nothing,
    range::Range,
};

/// Calls where it holds must panic, calls where it does not must return; a mismatch refutes.
pub(crate) fn attack(
    context: &mut Context<'_>,
    range: &mut Range,
    contract: &Contract,
) -> Result<Verdict, RefuteError> {
    let (mut attacks, mut reason) = (0, None);
    for goal in goals(contract) {
        let climbed = climb(context, range, &goal)?;
        for hit in &climbed.hits {
            let Some(call) = hit.shot.made() else { continue };
            let panicked = matches!(call.outcome, Outcome::Panicked(_));
            match range.truth(context.manifest, &contract.expr, call) {
                Truth::Undefined => {}
                claimed if (claimed == Truth::True) == panicked => attacks += 1,
                _ => return Ok(Verdict::Refuted { by: hit.sequence.clone(), via: hit.via }),
            }
        }
        reason = reason.max(Some(why_nothing(&climbed)));
    }
    Ok(match reason {
        Some(reason) if attacks == 0 => Verdict::Unsettled { reason },
        _ => Verdict::Upheld { attacks },
    })
}

/// Where it holds, and where not.
pub(crate) fn goals(contract: &Contract) -> [Goal; 2] {
    let negated = contract.expr.negated();
    [contract.expr.clone(), negated].map(|claim| Goal::new(contract.op, &[claim]))
}
