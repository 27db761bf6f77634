//! Counterexamples are stored and shown with as few and as simple calls as can be found in a small
//! share of the run.

use std::time::Instant;

use gainsay_explore::{Contradicted, shorten};
use gainsay_model::{
    contract::{Contract, ContractKind, Unsettled, Verdict},
    event::Stage,
};
use gainsay_report::counted;
use gainsay_wire::Expr;
use gainsay_workers::Cancel;

use super::Ledger;
use crate::{
    clock::Clock, error::Result, session::Session, settings::RunSettings, written::WrittenContracts,
};

/// Runs where calls are not limited.
const RUNS: u64 = 40_000;
/// However few calls a run has, so many runs make counterexamples shorter.
const LEAST_RUNS: u64 = 4_000;

/// Makes the counterexamples of a ledger shorter.
pub(super) fn run(
    session: &mut Session<'_>,
    settings: &RunSettings,
    cancel: &Cancel,
    clock: &mut Clock<'_>,
    ledger: &mut Ledger,
) -> Result<()> {
    if ledger.refuted.is_empty() || cancel.is_cancelled() {
        return Ok(());
    }
    let share = settings.share(1, 16);
    let late = share.time.map(|time| cancel.until(Instant::now() + time));
    let cancel = late.as_ref().unwrap_or(cancel);
    let about = counted(ledger.refuted.len() as u64, "counterexample") + " made shorter";
    clock.stage(Stage::Refute, about, |_| {
        let written = WrittenContracts::of(session);
        let ground = session.campaign.ground().clone();
        let fallen = ledger.refuted.values();
        let claims: Vec<Contradicted> =
            fallen.map(|fallen| claim(fallen, &written, ledger)).collect();
        let runs = share.calls.map_or(RUNS, |calls| calls.max(LEAST_RUNS));
        let shorter = shorten(&mut session.fleet, &ground, &claims, runs, cancel)?;
        for (at, (_, verdict)) in ledger.refuted.values_mut().enumerate() {
            if let (Some(shorter), Verdict::Refuted { by, .. }) = (shorter.get(&at), verdict) {
                by.clone_from(shorter);
            }
        }
        Ok(())
    })
}

/// What the calls must contradict: the contract, while all is kept that is asked for.
fn claim(
    (contract, verdict): &(Contract, Verdict),
    written: &WrittenContracts,
    ledger: &Ledger,
) -> Contradicted {
    let op = contract.op;
    let expr = match contract.kind {
        ContractKind::Panics => contract.expr.negated(),
        _ => contract.expr.clone(),
    };
    let is_granted = |verdict: &Verdict| {
        matches!(verdict, Verdict::Unsettled { reason: Unsettled::Granted, .. })
    };
    let standing =
        ledger.standing.iter().filter(|(it, verdict)| it.op == op && is_granted(verdict));
    let mut demands: Vec<Expr> = standing.map(|(granted, _)| granted.expr.clone()).collect();
    if contract.kind == ContractKind::Postcondition {
        demands.extend(written.requirements(op));
    }
    let unkept = demands.iter().map(Expr::negated);
    let claim = Expr::Or(std::iter::once(expr).chain(unkept).collect());
    let by = match verdict {
        Verdict::Refuted { by, .. } => by.clone(),
        _ => gainsay_wire::Sequence::default(),
    };
    Contradicted { op, claim, by }
}
