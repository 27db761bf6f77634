//! Random calls with contracts under watch: a contract that one of them contradicts needs no
//! attack.

use gainsay_explore::Budget;
use gainsay_model::{
    contract::{Contract, ContractKind},
    event::{About, Stage},
};
use gainsay_wire::{Check, Expr};
use gainsay_workers::Runner as _;

use super::{contract_ledger::Ledger, model::Model};
use crate::{ctx::Ctx, error::Result, session::Session};

/// A stretch of exploration under watch.
pub(crate) struct Watch<'a> {
    pub(crate) model: &'a Model,
    pub(crate) budget: Budget,
    pub(crate) about: About,
}

/// Explores with a model under watch; returns the contracts that stand.
pub(crate) fn explore_under_watch(
    session: &mut Session,
    ledger: &mut Ledger,
    watch: Watch<'_>,
    ctx: &mut Ctx<'_>,
) -> Result<Vec<Contract>> {
    let Watch { model, budget, about } = watch;
    let contracts = model.attacked.clone();
    // A given suite is all there is: nothing is called besides.
    if session.settings.is_given_suite() {
        return Ok(contracts);
    }
    session.watch_contracts(checks_of(&contracts), demands_of(&contracts, &model.granted))?;
    let stretch = ctx.run_stage(Stage::Explore, about, |ctx| session.explore_for(budget, ctx))?;
    let mut violations = stretch.violations;
    let manifest = session.fleet.manifest();
    // Workers make most calls keep what is granted, not all.
    violations.retain(|violation| model.is_kept_by(manifest, &violation.call.observation));
    let calls: Vec<_> = violations.iter().map(|violation| violation.call.clone()).collect();
    // Exploration records calls that are news; a counterexample is needed whether it is or not.
    session.store.record_violations(&calls)?;
    Ok(ledger.strike_violated(contracts, &violations))
}

/// Returns the checks that workers hold passing calls to. A call that passes contradicts that it
/// panics.
pub fn checks_of(contracts: &[Contract]) -> Vec<Check> {
    let check = |contract: &Contract| match contract.kind {
        ContractKind::Panics => as_check(contract, contract.expr.negated()),
        _ => as_check(contract, contract.expr.clone()),
    };
    contracts.iter().map(check).collect()
}

/// Returns the demands that most calls are made to keep: that an operation does not panic, and
/// whatever is granted.
pub(super) fn demands_of(contracts: &[Contract], granted: &[Contract]) -> Vec<Check> {
    let panics = contracts.iter().filter(|contract| contract.kind == ContractKind::Panics);
    let unless = panics.map(|contract| as_check(contract, contract.expr.negated()));
    let granted = granted.iter().map(|contract| as_check(contract, contract.expr.clone()));
    unless.chain(granted).collect()
}

fn as_check(contract: &Contract, expr: Expr) -> Check {
    Check { contract: contract.id, op: contract.op, expr }
}
