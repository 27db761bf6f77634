//! Attacks on claims that an operation panics exactly when something holds.

use gainsay_model::contract::{Attacks, Contract, Verdict};
use gainsay_wire::{Expr, Observation, Outcome, Truth};

use crate::{
    Desk,
    attack::precondition::why_nothing,
    error::{Halt, unless_waiting},
    goal::goal_search::{Goal, climb},
    round_state::Range,
};

/// Calls where it holds must panic, calls where it does not must return, unless there is another
/// reason to panic that is known; a mismatch refutes.
pub(crate) fn attack(
    desk: &mut Desk<'_>,
    range: &mut Range,
    contract: &Contract,
) -> Result<Verdict, Halt> {
    let others = other_demands(desk, contract);
    let (mut attacks, mut reason) = (Attacks::default(), None);
    let mut waits = false;
    for goal in goals(contract) {
        let Some(climbed) = unless_waiting(climb(desk, range, &goal))? else {
            waits = true;
            continue;
        };
        attacks.made += climbed.made;
        for hit in &climbed.hits {
            let Some(call) = hit.shot.made() else { continue };
            let panicked = matches!(call.outcome, Outcome::Panicked(_));
            match range.truth(desk.manifest, &contract.expr, call) {
                Truth::Undefined => {}
                Truth::False if panicked && is_unmet(&others, desk, range, call) => {}
                claimed if (claimed == Truth::True) == panicked => attacks.risk(hit.via),
                _ => return Ok(Verdict::Refuted { by: hit.sequence.clone(), via: hit.via }),
            }
        }
        reason = reason.max(Some(why_nothing(&climbed)));
    }
    if waits {
        return Err(Halt::Waiting);
    }
    Ok(match reason {
        Some(reason) if attacks.at_risk == 0 => Verdict::Unsettled { reason, attacks },
        _ => Verdict::Upheld { attacks },
    })
}

/// What else is required of a call.
fn other_demands(desk: &Desk<'_>, contract: &Contract) -> Vec<Expr> {
    let own = contract.expr.negated().normal();
    let demands = desk.knowledge.requirements(contract.op).into_iter();
    demands.filter(|demand| demand.normal() != own).collect()
}

fn is_unmet(demands: &[Expr], desk: &Desk<'_>, range: &mut Range, call: &Observation) -> bool {
    demands.iter().any(|demand| range.truth(desk.manifest, demand, call) == Truth::False)
}

/// Where it holds, and where not.
pub(crate) fn goals(contract: &Contract) -> [Goal; 2] {
    let negated = contract.expr.negated();
    [contract.expr.clone(), negated].map(|claim| Goal::new(contract.op, &[claim]))
}
