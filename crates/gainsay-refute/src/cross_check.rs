//! Whatever a call was made for, every contract of its operation must hold on it.

use std::collections::BTreeMap;

use gainsay_model::contract::{Contract, ContractKind, Verdict, Via};
use gainsay_wire::{ContractId, KeptCall, Truth};

use crate::{Desk, round_state::Range};

/// Looks at all calls that attacks made: a contract that one of them contradicts is refuted by the
/// shortest that does, although it was made for another.
pub(crate) fn check_all_calls(
    desk: &Desk<'_>,
    range: &mut Range,
    contracts: &[Contract],
    verdicts: &mut BTreeMap<ContractId, Verdict>,
) {
    let mut calls: Vec<KeptCall> = range.calls().to_vec();
    calls.retain(|call| call.observation.outcome.returned());
    calls.sort_by_key(|call| call.recipe.steps.len());
    for contract in contracts {
        if matches!(verdicts.get(&contract.id), Some(Verdict::Refuted { .. })) {
            continue;
        }
        let mut own = calls.iter().filter(|call| call.observation.op == contract.op);
        if let Some(call) = own.find(|call| contradicts(desk, range, contract, call)) {
            let by = call.recipe.clone();
            verdicts.insert(contract.id, Verdict::Refuted { by, via: Via::OtherAttack });
        }
    }
}

/// Whether a passing call contradicts a contract. One that did not keep what is required says
/// nothing about the result.
pub(crate) fn contradicts(
    desk: &Desk<'_>,
    range: &mut Range,
    contract: &Contract,
    call: &KeptCall,
) -> bool {
    let call = &call.observation;
    let truth = range.truth(desk.manifest, &contract.expr, call);
    let is_unkept = |range: &mut Range| {
        let mut required = desk.knowledge.requirements(contract.op).into_iter();
        required.any(|demand| range.truth(desk.manifest, &demand, call) == Truth::False)
    };
    match contract.kind {
        ContractKind::Precondition => truth == Truth::False,
        ContractKind::Postcondition => truth == Truth::False && !is_unkept(range),
        ContractKind::Panics => truth == Truth::True,
    }
}
