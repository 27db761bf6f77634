//! Error values that collide with ordinary ones: found in the evidence, confirmed like every
//! contract that a call breaks, and shown again from their record.

use gainsay_explore::{Broken, Effort, judge_broken};
use gainsay_infer::sentinels;
use gainsay_model::{fault::Fault, resolve::Words};
use gainsay_report::OracleRecord;
use gainsay_wire::{
    Manifest, ManifestOp, Observation, Oracle, Point, RunReport, Truth, expr_text, truth,
};
use gainsay_workers::{Answer, Cancel, Runner as _};

use crate::{error::Result, session::Session};

/// Finds error values that collide with ordinary ones, as faults.
pub(crate) fn find_sentinel_faults(session: &mut Session, cancel: &Cancel) -> Result<Vec<Fault>> {
    let seen = session.read_samples()?.clone();
    let samples = seen.to_observations();
    let subject = session.campaign.ground().clone();
    let mut faults = Vec::new();
    for sentinel in sentinels(session.fleet.manifest(), &samples) {
        let witness = seen.of(sentinel.op).nth(sentinel.witness);
        let recipe = witness.map(|seen| session.store.recipe_of(seen.id)).transpose()?.flatten();
        let Some(recipe) = recipe else { continue };
        let op = session.fleet.manifest().ops.get(sentinel.op.0 as usize);
        let names = op.map(ManifestOp::operand_names).unwrap_or_default();
        let text = expr_text(&sentinel.contract, &names, Point::Exit);
        let (op, contract) = (sentinel.op, sentinel.contract);
        let broken = Broken { op, contract, oracle: Oracle::Sentinel(text), recipe };
        let fleet = &mut session.fleet;
        faults.extend(judge_broken(fleet, &broken, &subject, Effort::default(), cancel)?);
    }
    Ok(faults)
}

/// Returns the contract whose violation is the fault, if an answer's last call breaks it.
pub(crate) fn find_broken_contract(
    manifest: &Manifest,
    oracle: &OracleRecord,
    answers: &[Answer<RunReport>],
) -> Option<String> {
    let OracleRecord::Sentinel { contract } = oracle else { return None };
    let last = answers.iter().filter_map(|answer| answer.done()?.steps.last());
    // Of a call that does not return nothing is promised, but perhaps that it does not.
    let passed = last.filter(|step| step.outcome.returned());
    let mut seen = passed.filter_map(|step| step.observation.as_ref());
    let breaks = |seen: &Observation| {
        let words = Words::of_operation(manifest, seen.op).ok()?;
        let expr = words.resolve(contract, Point::Exit).ok()?;
        let vocabulary = manifest.vocabulary(seen.op);
        (truth(&expr, &(&vocabulary, seen)) == Truth::False).then_some(())
    };
    seen.find_map(breaks).map(|()| contract.clone())
}

#[cfg(test)]
mod tests {
    use gainsay_testkit::{make_op, plain};
    use gainsay_wire::{Observation, OpId, Outcome, PanicPlace, StepReport, Value};

    use super::*;

    /// The last call of a run, given a number.
    fn called(number: i128, outcome: Outcome) -> Answer<RunReport> {
        let values = vec![Value::Int(number), Value::Unit];
        let (objects, made) = (Vec::new(), Vec::new());
        let seen = Observation {
            op: OpId(0),
            outcome: outcome.clone(),
            values,
            objects,
            made,
            freed: Vec::new(),
        };
        let steps = vec![StepReport { outcome, observation: Some(seen) }];
        Answer::Done(RunReport { steps, ..RunReport::default() })
    }

    #[test]
    fn a_call_that_panics_as_promised_breaks_no_promise() {
        let op = make_op("take", &[("n", plain("u8"))], &[]);
        let manifest = Manifest { types: Vec::new(), ops: vec![op] };
        // How it is checked that `take` panics when it is given 3.
        let oracle = OracleRecord::Sentinel { contract: "n != 3".into() };
        let broken =
            |number, outcome| find_broken_contract(&manifest, &oracle, &[called(number, outcome)]);
        let place =
            PanicPlace { file: "src/lib.rs".into(), line: 1, message: "no".into(), changed: false };
        assert_eq!(broken(3, Outcome::Returned).as_deref(), Some("n != 3"));
        assert_eq!(broken(3, Outcome::Panicked(place)), None);
        assert_eq!(broken(4, Outcome::Returned), None);
    }
}
