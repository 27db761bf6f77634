//! Counterexamples are stored and shown with as few and as simple calls as can be found in a small
//! share of the run.

use std::time::Instant;

use gainsay_explore::{Contradicted, shorten};
use gainsay_model::{
    contract::{Contract, ContractKind, Unsettled, Verdict},
    event::{About, Stage},
};
use gainsay_wire::{Expr, Sequence};

use super::contract_ledger::Ledger;
use crate::{ctx::Ctx, error::Result, knowledge::written::WrittenContracts, session::Session};

/// Runs where calls are not limited. The time that they may take is limited all the same; this
/// keeps a fast machine from using all of it on the last step.
const RUNS: u64 = 40_000;
/// Runs however few calls a run has: a counterexample of thirty calls that nobody shortened is as
/// good as none.
const LEAST_RUNS: u64 = 4_000;

/// Makes the counterexamples of a ledger shorter.
pub(crate) fn shorten_counterexamples(
    session: &mut Session,
    ledger: &mut Ledger,
    ctx: &mut Ctx<'_>,
) -> Result<()> {
    if ledger.refuted.is_empty() || ctx.cancel.is_cancelled() {
        return Ok(());
    }
    let share = session.settings.ordinary_share(1, 16);
    let deadline = share.time.map(|time| Instant::now() + time);
    let about = About::ShorterCounterexamples(ledger.refuted.len());
    ctx.until(deadline, |ctx| {
        ctx.run_stage(Stage::Refute, about, |ctx| {
            let written = WrittenContracts::of(session);
            let subject = session.campaign.ground().clone();
            let claims: Vec<Contradicted> = ledger
                .refuted
                .values()
                .map(|(contract, verdict)| Contradicted {
                    op: contract.op,
                    claim: claim_of(contract, &written, ledger),
                    by: counterexample_of(verdict),
                })
                .collect();
            // Counted in runs where calls are: the result must not depend on the machine.
            let runs = share.calls.map_or(RUNS, |calls| calls.max(LEAST_RUNS));
            let shorter = shorten(&mut session.fleet, &subject, &claims, runs, &ctx.cancel)?;
            for (at, (_, verdict)) in ledger.refuted.values_mut().enumerate() {
                if let (Some(shorter), Verdict::Refuted { by, .. }) = (shorter.get(&at), verdict) {
                    by.clone_from(shorter);
                }
            }
            Ok(())
        })
    })
}

/// Returns the claim that the calls must contradict: the contract, while all is kept that is asked
/// for.
fn claim_of(contract: &Contract, written: &WrittenContracts, ledger: &Ledger) -> Expr {
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
    // A postcondition says nothing of calls that break what the programmer asks for.
    if contract.kind == ContractKind::Postcondition {
        demands.extend(written.requirements_of(op));
    }
    let unkept = demands.iter().map(Expr::negated);
    Expr::Or(std::iter::once(expr).chain(unkept).collect())
}

fn counterexample_of(verdict: &Verdict) -> Sequence {
    match verdict {
        Verdict::Refuted { by, .. } => by.clone(),
        _ => Sequence::default(),
    }
}
