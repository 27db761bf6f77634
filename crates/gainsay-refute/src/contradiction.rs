//! Every contract of an operation must hold on every call of it, whatever the call was made for.

use std::collections::BTreeMap;

use gainsay_model::contract::{Contract, ContractKind, Verdict, Via};
use gainsay_search::Search;
use gainsay_wire::{ContractId, Expr, KeptCall, Manifest, Observation, Truth};

use crate::{Desk, round::Round};

/// Looks at all calls that attacks made: a contract that one of them contradicts is refuted by the
/// shortest that does, although it was made for another.
pub(crate) fn check_all_calls(
    desk: &Desk<'_>,
    round: &mut Round,
    contracts: &[Contract],
    verdicts: &mut BTreeMap<ContractId, Verdict>,
) {
    let mut calls: Vec<&KeptCall> = round.search.log().list_calls().iter().collect();
    calls.retain(|call| call.observation.outcome.returned());
    // A stable sort: among equals the call that was made first refutes.
    calls.sort_by_key(|call| call.recipe.steps.len());
    for contract in contracts {
        if matches!(verdicts.get(&contract.id), Some(Verdict::Refuted { .. })) {
            continue;
        }
        let required = round.facts.find_requirements(desk, contract.op);
        let manifest = desk.search.manifest;
        let contradiction = Contradiction { manifest, contract, required: &required };
        let mut own = calls.iter().filter(|call| call.observation.op == contract.op);
        if let Some(call) = own.find(|call| contradiction.is_shown_by(&round.search, call)) {
            let by = call.recipe.clone();
            verdicts.insert(contract.id, Verdict::Refuted { by, via: Via::OtherAttack });
        }
    }
}

/// A contract that a passing call may contradict.
pub(crate) struct Contradiction<'a> {
    pub(crate) manifest: &'a Manifest,
    pub(crate) contract: &'a Contract,
    /// Conditions that the operation is known to require.
    pub(crate) required: &'a [Expr],
}

impl Contradiction<'_> {
    /// True if a passing call contradicts the contract. A call that did not keep what is required
    /// says nothing about the result.
    pub(crate) fn is_shown_by(&self, search: &Search, call: &KeptCall) -> bool {
        let call = &call.observation;
        let claimed = search.evaluate(self.manifest, &self.contract.expr, call);
        match self.contract.kind {
            ContractKind::Precondition => claimed == Truth::False,
            ContractKind::Postcondition => {
                claimed == Truth::False && !self.breaks_requirement(search, call)
            }
            // Returned although it should have panicked. Panics that should not have been are judged
            // where they were looked for: another reason to panic must be ruled out.
            ContractKind::Panics => claimed == Truth::True,
        }
    }

    fn breaks_requirement(&self, search: &Search, call: &Observation) -> bool {
        let is_false = |demand| search.evaluate(self.manifest, demand, call) == Truth::False;
        self.required.iter().any(is_false)
    }
}
