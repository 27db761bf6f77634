//! Broken memory in builds that see it where it breaks. Corruption surfaces in victims: a sequence
//! that crashed is made again in such a build and shrunk there, and the operation in which the
//! first error shows is to blame.

use std::collections::BTreeSet;

use gainsay_model::{
    build::Build,
    fault::{Confirmation, Fault},
};
use gainsay_wire::{DeathCause, OpId, Oracle, RunTask};
use gainsay_workers::{Cancel, Runner, WorkerError};

use crate::{
    findings::{
        Findings, Raw,
        identity::{Identity, Sighting},
        injection_blame::{blamed, is_memory, sightings_of},
    },
    judge::{
        Hearing,
        confirm::confirm,
        dedupe::rank,
        reproduce::shows,
        shrink::{Shown, shrink},
        trial::{Target, Trial},
        verdicts::{self, announce, fault},
    },
    sequences::{Views, needed_steps::slice, task},
    subject_model::SubjectModel,
};

/// A build that sees more, and the ordinary one.
pub struct Builds<'a> {
    /// The former's workers.
    pub other: &'a mut dyn Runner,
    /// Knowledge of the subject in it.
    pub subject: &'a SubjectModel,
    /// The latter's workers.
    pub ordinary: &'a mut dyn Runner,
}

impl Builds<'_> {
    /// The fault as the ordinary build shows it, where that does so each time and in the same
    /// operation: it is the easier one to run. Otherwise the same fault.
    pub fn plainer(&mut self, fault: Fault, cancel: &Cancel) -> Result<Fault, WorkerError> {
        let ways = [Views::Off, Views::On];
        let replays = ways
            .iter()
            .flat_map(|views| std::iter::repeat_n(task(&fault.sequence, *views), REPLAYS));
        let tasks: Vec<RunTask> = replays.collect();
        let answers = self.ordinary.run_fresh(&tasks, cancel)?;
        let subject = self.subject.built_as(Build::Debug);
        let meant = |seen: &Sighting| is_memory(&seen.oracle) && seen.op == fault.op;
        let seen = |answer| sightings_of(&subject, &fault.sequence, answer).into_iter().find(meant);
        let seen: Option<Vec<Sighting>> = answers.iter().map(seen).collect();
        Ok(match seen.and_then(|all| all.into_iter().next()) {
            Some(first) => {
                let confirmation = Confirmation::Confirmed;
                let plain = verdicts::fault(&subject, (fault.sequence, first), confirmation);
                Fault { seen: fault.seen, ..plain }
            }
            None => fault,
        })
    }
}

/// The number of times that each way of replaying must show a fault.
// A crash may show by chance once; what shows twice each way is worth a reader's time, and each
// replay takes a new process.
const REPLAYS: usize = 2;

/// Makes what broke memory, wherever it was found, again in a build that sees it, and adds what it
/// shows to the known faults. Returns the findings that are explained by a fault: they need not be
/// judged as what they looked like.
pub fn judge_memory(
    builds: &mut Builds<'_>,
    findings: &Findings,
    known: &mut Vec<Fault>,
    hearing: Hearing<'_>,
) -> Result<BTreeSet<Identity>, WorkerError> {
    let Hearing { subject, effort, cancel, event } = hearing;
    let (mut explained, mut all) = (BTreeSet::new(), Vec::new());
    for raw in findings.iter().filter(|raw| is_memory(&raw.sighting.oracle)) {
        if cancel.is_cancelled() {
            break;
        }
        let mut trial = Trial::new(builds.other, subject, cancel, Target::Memory);
        trial.left = effort.runs;
        let Some(found) = settle(&mut trial, raw)? else { continue };
        let found = Fault { seen: Some(raw.seen), ..builds.plainer(found, cancel)? };
        // A flaky fault explains nothing: its finding is judged as what it looked like, too.
        if found.confirmation == Confirmation::Confirmed {
            explained.insert(raw.sighting.identity.clone());
        }
        all.push(found);
    }
    all.sort_by(|a, b| rank(a).cmp(&rank(b)));
    for (i, found) in all.iter().enumerate() {
        // Of one operation the best one is told; what comes of another's, in whichever order they
        // were found, is not.
        let (better, others) = (&all[..i], all.iter().filter(|other| other.op != found.op));
        let rivals: Vec<Fault> = known.iter().chain(better).chain(others).cloned().collect();
        if is_news(found, &rivals) {
            announce(found, event);
            known.push(found.clone());
        }
    }
    Ok(explained)
}

fn settle(trial: &mut Trial<'_>, raw: &Raw) -> Result<Option<Fault>, WorkerError> {
    let Some(start) = reproduce(trial, raw)? else { return Ok(None) };
    // From here on it must stay the same kind of error, in whichever operation.
    trial.target = Target::Clause(start.1.identity.clause.clone());
    let (sequence, seen) = shrink(trial, start)?;
    let confirmation = confirm(trial, &sequence)?;
    Ok(confirmation.map(|found| fault(trial.subject, (sequence, seen), found)))
}

fn reproduce(trial: &mut Trial<'_>, raw: &Raw) -> Result<Option<Shown>, WorkerError> {
    for recipe in &raw.recipes {
        for sequence in [slice(recipe, trial.subject.manifest()), recipe.clone()] {
            if let Some(seen) = shows(trial, &sequence)? {
                return Ok(Some((sequence, seen)));
            }
        }
    }
    Ok(None)
}

/// True if a fault that was found amid misbehaviour of the caller's code is not yet told by another
/// one. What takes no misbehaviour after all is judged like any other fault of broken memory.
pub fn is_untold(found: &Fault, known: &[Fault]) -> bool {
    let is_injected = blamed(&found.sequence).is_some();
    known.iter().all(|other| other.id != found.id) && (is_injected || is_news(found, known))
}

/// True if a fault of broken memory is not yet told by another one: of the same operation, or of
/// one that it takes to come to this. What dies of a check elsewhere is not the latter: where it
/// got past that, it did no harm.
fn is_news(found: &Fault, known: &[Fault]) -> bool {
    // What takes misbehaviour of the caller's code is another matter.
    let plain = |fault: &&Fault| is_memory(&fault.oracle) && blamed(&fault.sequence).is_none();
    let known = || known.iter().filter(plain);
    let is_check =
        |fault: &Fault| matches!(fault.oracle, Oracle::Death(DeathCause::StdCheck { .. }));
    let corrupts =
        |fault: &&Fault| fault.confirmation == Confirmation::Confirmed && !is_check(fault);
    let culprits: BTreeSet<OpId> = known().filter(corrupts).map(|fault| fault.op).collect();
    // What shows when everything is dropped has no step of its own.
    let own = found.sequence.steps.last().is_some_and(|step| step.op == found.op);
    let earlier = found.sequence.steps.iter().rev().skip(usize::from(own));
    known().all(|fault| fault.id != found.id && fault.operation != found.operation)
        && !earlier.map(|step| step.op).any(|op| culprits.contains(&op))
}

/// True if a finding is a crash: what crashes may be a victim.
pub fn is_crash(raw: &Raw) -> bool {
    matches!(raw.sighting.oracle, Oracle::Death(_)) && is_memory(&raw.sighting.oracle)
}

#[cfg(test)]
#[path = "memory_safety/tests.rs"]
mod tests;
