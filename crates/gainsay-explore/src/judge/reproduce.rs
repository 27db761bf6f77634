//! Sequences that show a finding again.

use gainsay_model::fault::Moment;
use gainsay_wire::{Oracle, Sequence};
use gainsay_workers::WorkerError;

use crate::{
    findings::{Raw, identity::Sighting},
    judge::{
        shrink::{
            Shown,
            look_calls::{questions, questions_before},
        },
        trial::{Target, Trial},
    },
    sequences::{Views, needed_steps::slice, task},
};

/// Finds a recipe that shows the finding again, without views if that is enough. First only with
/// the steps that the last one depends on; if a death needs the others too, memory was corrupted
/// elsewhere, and the operation that dies is a victim like any other.
pub(super) fn reproduce(trial: &mut Trial<'_>, raw: &Raw) -> Result<Option<Shown>, WorkerError> {
    let Sighting { oracle, identity, .. } = &raw.sighting;
    let exact = trial.target.clone();
    let whole = match oracle {
        Oracle::Death(_) | Oracle::Probe(_) => Target::Clause(identity.clause.clone()),
        _ => exact.clone(),
    };
    for recipe in &raw.recipes {
        for (sequence, target) in
            [(slice(recipe, trial.subject.manifest()), &exact), (recipe.clone(), &whole)]
        {
            trial.target = target.clone();
            if let Some(seen) = shows(trial, &sequence)? {
                return Ok(Some((sequence, seen)));
            }
        }
    }
    Ok(None)
}

pub(crate) fn shows(
    trial: &mut Trial<'_>,
    sequence: &Sequence,
) -> Result<Option<Sighting>, WorkerError> {
    let ways: &[Views] = match trial.target {
        Target::Changing(_) | Target::Broken(..) | Target::Kept(..) => &[Views::On],
        Target::Exact(_) | Target::Clause(_) | Target::Memory => &[Views::Off, Views::On],
    };
    for views in ways {
        let answers = trial.runner.run(&[task(sequence, *views)], trial.cancel)?;
        let seen = answers.iter().find_map(|answer| trial.target.find(trial.subject, answer));
        if seen.is_some() {
            trial.views = *views;
            return Ok(seen);
        }
    }
    Ok(None)
}

/// Replaces the look at the objects that broken memory took to show by a call that looks, if there
/// is one. A test has no views. It stays the fault of the operation that broke it, or that met what
/// looking broke.
pub(super) fn spoken(trial: &mut Trial<'_>, shown: Shown) -> Result<Shown, WorkerError> {
    if trial.views == Views::Off || !matches!(shown.1.oracle, Oracle::Death(_) | Oracle::Probe(_)) {
        return Ok(shown);
    }
    let clause = Target::Clause(shown.1.identity.clause.clone());
    let silent = std::mem::replace(&mut trial.target, clause);
    trial.views = Views::Off;
    if let Some((sequence, _)) = trial.first(questions(trial.subject, &shown.0))? {
        return Ok((sequence, shown.1.seen_at(Moment::Call, trial.subject)));
    }
    trial.target = silent;
    if let Some((sequence, seen)) = trial.first(questions_before(trial.subject, &shown.0))? {
        return Ok((sequence, seen));
    }
    trial.views = Views::On;
    Ok(shown)
}
