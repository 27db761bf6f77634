//! A contract whose violation is itself the fault: the passing call that breaks it is shrunk and
//! confirmed like any other finding. And the opposite: a panic although all was kept that the
//! documentation asks for.

use gainsay_model::fault::{Fault, Moment};
use gainsay_wire::{Expr, OpId, Oracle, Sequence};
use gainsay_workers::{Cancel, Runner, WorkerError};

use crate::{
    findings::{
        identity::{Identity, Sighting},
        wording::sentence,
    },
    judge::{
        Effort,
        confirm::confirm,
        reproduce::shows,
        shrink::shrink,
        trial::{Target, Trial},
        verdicts::fault,
    },
    subject_model::SubjectModel,
};

/// A contract that was broken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Broken {
    /// By a call of this operation.
    pub op: OpId,
    /// The claim that did not hold; of a panic, the one that did hold before it.
    pub contract: Expr,
    /// As what it is reported.
    pub oracle: Oracle,
    /// The calls that showed it; the operation is the last.
    pub recipe: Sequence,
}

impl Broken {
    /// A contract that is no fault to break: what was learnt from other calls.
    pub(crate) fn new(op: OpId, contract: Expr, recipe: Sequence) -> Broken {
        Broken { op, contract, oracle: Oracle::Sentinel(String::new()), recipe }
    }
}

/// The fault, unless replays do not show it at all.
pub fn judge_broken(
    runner: &mut dyn Runner,
    broken: &Broken,
    subject: &SubjectModel,
    effort: Effort,
    cancel: &Cancel,
) -> Result<Option<Fault>, WorkerError> {
    let mut trial = trial(runner, broken, subject, effort, cancel);
    let Some(seen) = shows(&mut trial, &broken.recipe)? else { return Ok(None) };
    let shown = shrink(&mut trial, (broken.recipe.clone(), seen))?;
    let confirmation = confirm(&mut trial, &shown.0)?;
    Ok(confirmation.map(|confirmation| fault(subject, shown, confirmation)))
}

/// The shortest calls that break the contract, unless replays do not show it at all, and the runs that
/// were made for it.
pub(crate) fn shrink_broken(
    runner: &mut dyn Runner,
    broken: &Broken,
    subject: &SubjectModel,
    effort: Effort,
    cancel: &Cancel,
) -> Result<(Option<Sequence>, u32), WorkerError> {
    let mut trial = trial(runner, broken, subject, effort, cancel);
    let Some(seen) = shows(&mut trial, &broken.recipe)? else { return Ok((None, 1)) };
    let shortest = shrink(&mut trial, (broken.recipe.clone(), seen))?.0;
    Ok((Some(shortest), 1 + effort.runs - trial.left))
}

fn trial<'a>(
    runner: &'a mut dyn Runner,
    broken: &Broken,
    subject: &'a SubjectModel,
    effort: Effort,
    cancel: &'a Cancel,
) -> Trial<'a> {
    debug_assert_eq!(subject.manifest(), runner.manifest(), "one vocabulary, which is settled");
    let sighting = Sighting {
        identity: Identity::of(subject, &broken.oracle, broken.op),
        oracle: broken.oracle.clone(),
        op: broken.op,
        about: None,
        moment: Moment::Call,
        message: sentence(subject, &broken.oracle, ""),
    };
    let contract = broken.contract.clone();
    let target = match &broken.oracle {
        // A call that panicked is not to blame for anything but that.
        Oracle::Panic(_) => Target::Kept(contract, sighting.identity),
        _ => Target::Broken(contract, sighting),
    };
    let mut trial = Trial::new(runner, subject, cancel, target);
    trial.left = effort.runs;
    trial
}
