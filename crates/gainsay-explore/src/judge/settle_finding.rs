//! One finding: facts first, then runs that decide, until it is a fault, illegal use or nothing.

use gainsay_model::fault::{Confirmation, Fault, IllegalUse, PanicClass};
use gainsay_wire::{Oracle, PanicPlace, Sequence};
use gainsay_workers::{Cancel, Judge, Runner, WorkerError};

use crate::{
    findings::{
        Raw,
        identity::{Sighting, changes},
        injection_blame::is_memory,
    },
    judge::{
        Effort,
        confirm::confirm,
        reproduce::{reproduce, shows, spoken},
        rules::{
            law_court::LawCourt,
            panic_class::{Question, is_a_dependencys, is_about_indices, is_overflow, question},
            part_and_room_excuses::excuse,
            resource_limits::is_resource_limit,
            varied_arguments::{self, excuse_overflow, excuse_zero},
        },
        shrink::{Shown, shrink},
        trial::{Target, Trial},
        verdicts::{fault, illegal_panic, resource_limit},
    },
    sequences::{
        changed_numbers::has_absurd_number,
        handles::{Oddity, oddity},
        loan_ends::released,
    },
    subject_model::SubjectModel,
};

/// Everything that judging needs.
pub(super) struct Court<'a> {
    pub(super) runner: &'a mut dyn Runner,
    pub(super) subject: &'a SubjectModel,
    pub(super) effort: Effort,
    pub(super) cancel: &'a Cancel,
    pub(super) laws: LawCourt<'a>,
}

/// The ruling about one finding.
pub(super) enum Settled {
    Fault(Fault),
    Illegal(IllegalUse),
    /// It was late once, or the driver had lost patience with a task as a whole: no single call is
    /// to blame.
    Nothing,
    Cancelled,
}

impl Court<'_> {
    pub(super) fn settle(&mut self, raw: &Raw) -> Result<Settled, WorkerError> {
        if let Oracle::Panic(place) = &raw.sighting.oracle
            && is_a_dependencys(self.subject, place, self.subject.operation(raw.sighting.op))
        {
            return Ok(Settled::Nothing);
        }
        let question = self.question(raw);
        if let Some(Question::Settled(class)) = question
            && class != PanicClass::Undeclared
        {
            return Ok(Settled::Illegal(illegal_panic(self.subject, raw, class)));
        }
        if !self.laws.admits(&raw.sighting) {
            return Ok(Settled::Nothing);
        }
        let (subject, effort) = (self.subject, self.effort);
        let target = self.target(raw);
        let mut trial = Trial::new(self.runner, subject, self.cancel, target);
        let slow = matches!(raw.sighting.oracle, Oracle::Hang | Oracle::Memory);
        (trial.left, trial.batch) = if slow { (effort.slow_runs, 2) } else { (effort.runs, 8) };
        let Some(start) = reproduce(&mut trial, raw)? else {
            return Ok(unrepeated(subject, raw, self.cancel));
        };
        if let Oracle::Law(_) = &raw.sighting.oracle {
            // To blame is the first step after which the law holds no more.
            trial.target = Target::Exact(start.1.identity.clone());
            if !self.laws.admits(&start.1) || !self.laws.is_news(&start.1) {
                return Ok(Settled::Nothing);
            }
        }
        if question == Some(Question::Arguments)
            && varied_arguments::matter(&mut trial, &start.0, &start.1)?
        {
            return Ok(Settled::Illegal(illegal_panic(
                self.subject,
                raw,
                PanicClass::OwnAssertion,
            )));
        }
        if matches!(raw.sighting.oracle, Oracle::Hang) && waits_for_itself(&mut trial, &start.0)? {
            return Ok(Settled::Illegal(illegal_panic(self.subject, raw, PanicClass::Held)));
        }
        trial.oddest = oddity(subject, &start.0);
        if let Some(settled) = at_odds(trial.oddest, subject, raw, &start.1) {
            return Ok(settled);
        }
        let shown = shrink(&mut trial, start)?;
        if let Some(class) = excused(&mut trial, raw, &shown)? {
            return Ok(Settled::Illegal(illegal_panic(self.subject, raw, class)));
        }
        if is_resource_limit(&mut trial, &shown)? {
            return Ok(Settled::Illegal(resource_limit(subject, shown, raw.count)));
        }
        let shown = spoken(&mut trial, shown)?;
        Ok(match confirm(&mut trial, &shown.0)? {
            Some(confirmation) => Settled::Fault(fault(subject, shown, confirmation)),
            None => Settled::Cancelled,
        })
    }

    fn target(&self, raw: &Raw) -> Target {
        let identity = raw.sighting.identity.clone();
        match &raw.sighting.oracle {
            Oracle::Panic(place) if self.only_a_fault_by_its_change(raw, place) => {
                Target::Changing(identity)
            }
            Oracle::Law(_) => Target::Clause(identity.clause),
            _ => Target::Exact(identity),
        }
    }

    fn only_a_fault_by_its_change(&self, raw: &Raw, place: &PanicPlace) -> bool {
        let unchanged = PanicPlace { changed: false, ..place.clone() };
        let op = self.subject.operation(raw.sighting.op);
        place.changed
            && question(self.subject, &unchanged, op) != Question::Settled(PanicClass::Undeclared)
    }

    /// The question that decides about a panic; `None` for anything else.
    fn question(&self, raw: &Raw) -> Option<Question> {
        let Oracle::Panic(place) = &raw.sighting.oracle else { return None };
        Some(question(self.subject, place, self.subject.operation(raw.sighting.op)))
    }
}

/// Why a panic as it looks once it is shrunk is no fault, if it is none.
fn excused(
    trial: &mut Trial<'_>,
    raw: &Raw,
    (sequence, seen): &Shown,
) -> Result<Option<PanicClass>, WorkerError> {
    let Oracle::Panic(place) = &seen.oracle else { return Ok(None) };
    if seen.op != raw.sighting.op && !changes(&raw.sighting.oracle) {
        let class = asked_again(trial, sequence, seen)?;
        if class.is_some() {
            return Ok(class);
        }
    }
    match excuse(trial, sequence, place)? {
        None if changes(&raw.sighting.oracle) => Ok(None),
        None => match excuse_overflow(trial, sequence, place)? {
            None => excuse_zero(trial, sequence, place, seen.op),
            class => Ok(class),
        },
        class => Ok(class),
    }
}

/// Why a panic is no fault in another instance of the operation, which may take plain numbers instead
/// of objects that stand for them.
pub(super) fn asked_again(
    trial: &mut Trial<'_>,
    sequence: &Sequence,
    seen: &Sighting,
) -> Result<Option<PanicClass>, WorkerError> {
    let Oracle::Panic(place) = &seen.oracle else { return Ok(None) };
    Ok(match question(trial.subject, place, trial.subject.operation(seen.op)) {
        Question::Settled(PanicClass::Undeclared) => None,
        Question::Settled(class) => Some(class),
        Question::Arguments => {
            varied_arguments::matter(trial, sequence, seen)?.then_some(PanicClass::OwnAssertion)
        }
    })
}

/// Rules on a finding that takes an odd use of handles. Where one met a strange object, only
/// broken memory counts; one that was made up may name no object, nor may one after a removal or of
/// another kind of object.
pub(super) fn at_odds(
    oddity: Oddity,
    subject: &SubjectModel,
    raw: &Raw,
    seen: &Sighting,
) -> Option<Settled> {
    let says_nothing = match (oddity, &seen.oracle) {
        (Oddity::None, _) => false,
        (_, oracle) if is_memory(oracle) => false,
        // A position that was made up may be too large to reckon with.
        (Oddity::MadeUp, Oracle::Panic(place)) => is_about_indices(place) || is_overflow(place),
        (Oddity::Stale | Oddity::Foreign, Oracle::Panic(place)) => is_about_indices(place),
        (Oddity::Stale | Oddity::Foreign, _) => false,
        (_, Oracle::Law(_)) => return Some(Settled::Nothing),
        (Oddity::Stranger, _) => true,
        (Oddity::MadeUp, oracle) => matches!(oracle, Oracle::Memory),
    };
    says_nothing.then(|| Settled::Illegal(illegal_panic(subject, raw, PanicClass::Stranger)))
}

/// Rules on a finding that no recipe shows again.
fn unrepeated(subject: &SubjectModel, raw: &Raw, cancel: &Cancel) -> Settled {
    let oracle = &raw.sighting.oracle;
    let (Judge::Worker, false, Some(recipe)) =
        (raw.judge, cancel.is_cancelled(), raw.recipes.first())
    else {
        return if cancel.is_cancelled() { Settled::Cancelled } else { Settled::Nothing };
    };
    let shown = (recipe.clone(), raw.sighting.clone());
    match oracle {
        Oracle::Hang | Oracle::Memory if has_absurd_number(recipe) => {
            Settled::Illegal(resource_limit(subject, shown, raw.count))
        }
        // On a busy machine anything may be late once, and among many objects memory may be short.
        Oracle::Hang | Oracle::Memory => Settled::Nothing,
        _ => Settled::Fault(fault(subject, shown, Confirmation::Flaky)),
    }
}

/// True if a call ends once all that borrows from its operands is gone: then it waited for a guard
/// that its own caller holds.
fn waits_for_itself(trial: &mut Trial<'_>, sequence: &Sequence) -> Result<bool, WorkerError> {
    match released(sequence, trial.subject.manifest()) {
        Some(freed) => Ok(shows(trial, &freed)?.is_none()),
        None => Ok(false),
    }
}
