//! From raw findings to faults: panics are classified, the rest is reproduced, shrunk and
//! confirmed.

use std::collections::{BTreeMap, BTreeSet};

use gainsay_model::{
    event::Event,
    fault::{Confirmation, Fault, IllegalUse, PanicClass},
};
use gainsay_wire::{Arg, DIED_AT, OpId, Oracle, PanicPlace, RunReport, Sequence, Value};
use gainsay_workers::{Answer, Cancel, Judge, Runner, WorkerError};

use crate::{
    arguments::{
        self, ABSURD, asks_for_much_room, asks_for_room, excuse_overflow, excuse_zero,
        has_absurd_number,
    },
    confirm::confirm,
    ends::released,
    excuses::excuse,
    findings::{Findings, Raw},
    ground::Ground,
    identity::{LOOKED_AT, Sighting, sightings},
    injected::is_memory,
    laws::LawCourt,
    panics::{Question, is_a_dependencys, is_about_indices, is_limit, is_overflow, question},
    questions::{questions, questions_before},
    shrink::{Shown, shrink},
    slice::slice,
    strangers::{Oddity, oddity},
    totals::LawTotals,
    trial::{Target, Trial, Views, changes, task},
};

/// How much may be spent on each finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Effort {
    /// Runs to shrink it.
    pub runs: u32,
    /// Runs to shrink one that takes a deadline each time it shows.
    pub slow_runs: u32,
}

/// So many operations are told that give texts which are not UTF-8.
const MOST_BAD_TEXTS: usize = 3;

impl Default for Effort {
    fn default() -> Effort {
        Effort { runs: 400, slow_runs: 40 }
    }
}

/// What became of raw findings.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Judged {
    /// Wrong outcomes, by operation and place.
    pub faults: Vec<Fault>,
    /// Calls that their operations reject.
    pub illegal: Vec<IllegalUse>,
    /// Findings about which nothing was decided because the run was cancelled.
    pub unsettled: u64,
}

/// Everything that judging needs.
struct Court<'a> {
    runner: &'a mut dyn Runner,
    ground: &'a Ground,
    effort: Effort,
    cancel: &'a Cancel,
    laws: LawCourt<'a>,
}

/// What became of one finding.
enum Settled {
    Fault(Fault),
    Illegal(IllegalUse),
    /// It was late once, or the driver had lost patience with a task as a whole: no single call is
    /// to blame.
    Nothing,
    Cancelled,
}

/// Decides what each finding is; shrinks and confirms the faults.
pub fn judge(
    runner: &mut dyn Runner,
    (findings, laws): (&Findings, &LawTotals),
    ground: &Ground,
    effort: Effort,
    (cancel, event): (&Cancel, &mut dyn FnMut(Event)),
) -> Result<Judged, WorkerError> {
    let laws = LawCourt::new(laws);
    let mut court = Court { runner, ground, effort, cancel, laws };
    let mut judged = Judged::default();
    let mut faults: BTreeMap<String, Fault> = BTreeMap::new();
    for raw in findings.iter() {
        match court.settle(raw)? {
            Settled::Illegal(illegal) => judged.illegal.push(illegal),
            Settled::Nothing => {}
            Settled::Cancelled => judged.unsettled += 1,
            Settled::Fault(mut fault) => {
                fault.seen = Some(raw.seen);
                if let Some(known) = faults.get_mut(&fault.id) {
                    known.seen = known.seen.min(fault.seen);
                    fault.seen = known.seen;
                }
                let better = faults.get(&fault.id).is_none_or(|known| rank(&fault) < rank(known));
                if better {
                    announce(&fault, event);
                    faults.insert(fault.id.clone(), fault);
                }
            }
        }
    }
    judged.faults = faults.into_values().collect();
    leave_out_victims(&mut judged.faults);
    leave_out_looks(&mut judged.faults);
    court.laws.leave_out_consequences(&mut judged.faults, ground);
    leave_out_bad_texts(&mut judged.faults);
    tell_memory_once(&mut judged.faults);
    judged.faults.sort_by(|a, b| (&a.operation, &a.id).cmp(&(&b.operation, &b.id)));
    Ok(judged)
}

/// An operation that dies only as long as nobody looks at its operands died of what an earlier step
/// did. Where that step is known to kill by itself, it is the fault.
fn leave_out_victims(faults: &mut Vec<Fault>) {
    let dies = |fault: &Fault| matches!(fault.oracle, Oracle::Death(_));
    let confirmed = |fault: &&Fault| fault.confirmation == Confirmation::Confirmed && dies(fault);
    let killers: BTreeSet<OpId> = faults.iter().filter(confirmed).map(|fault| fault.op).collect();
    faults.retain(|fault| {
        let earlier = fault.sequence.steps.iter().rev().skip(1);
        fault.confirmation == Confirmation::Confirmed
            || !dies(fault)
            || !earlier.map(|step| step.op).any(|op| killers.contains(&op))
    });
}

/// A process that died while objects were looked at died of a call that looks, or of one that a law
/// made on a copy. Where such a call is known to die by itself in the same way, it is the fault.
fn leave_out_looks(faults: &mut Vec<Fault>) {
    let in_view = |fault: &Fault| fault.message.ends_with(LOOKED_AT);
    let by_itself = |fault: &&Fault| {
        fault.confirmation == Confirmation::Confirmed && is_memory(&fault.oracle) && !in_view(fault)
    };
    let known: BTreeSet<Oracle> =
        faults.iter().filter(by_itself).map(|fault| fault.oracle.clone()).collect();
    let is_at_a_place = |fault: &Fault| match &fault.oracle {
        Oracle::Death(how) => how.contains(DIED_AT),
        _ => false,
    };
    faults
        .retain(|fault| !in_view(fault) || !is_at_a_place(fault) || !known.contains(&fault.oracle));
}

/// What broken memory looks like depends on what lies in it: of one operation, the best fault is
/// enough.
fn tell_memory_once(faults: &mut Vec<Fault>) {
    let mut best: BTreeMap<String, Fault> = BTreeMap::new();
    for fault in faults.iter().filter(|fault| is_memory(&fault.oracle)) {
        if best.get(&fault.operation).is_none_or(|known| rank(fault) < rank(known)) {
            best.insert(fault.operation.clone(), fault.clone());
        }
    }
    faults.retain(|fault| !is_memory(&fault.oracle) || best[&fault.operation].id == fault.id);
}

/// Several builds may show the same fault: the best is told, of equals that of the plainest build.
pub fn told_once(faults: Vec<Fault>) -> Vec<Fault> {
    let mut best: BTreeMap<String, Fault> = BTreeMap::new();
    for fault in &faults {
        let is_better = |known: &Fault| {
            (fault.confirmation, fault.build, rank(fault))
                < (known.confirmation, known.build, rank(known))
        };
        if best.get(&fault.id).is_none_or(is_better) {
            best.insert(fault.id.clone(), fault.clone());
        }
    }
    let mut told = BTreeSet::new();
    let first = faults.into_iter().filter(|fault| told.insert(fault.id.clone()));
    first.filter_map(|fault| best.remove(&fault.id)).collect()
}

/// Confirmed before flaky, short before long.
pub(crate) fn rank(fault: &Fault) -> (Confirmation, usize, &Sequence) {
    (fault.confirmation, fault.sequence.steps.len(), &fault.sequence)
}

pub(crate) fn announce(fault: &Fault, event: &mut dyn FnMut(Event)) {
    if fault.confirmation == Confirmation::Confirmed {
        let (operation, message) = (fault.operation.clone(), fault.message.clone());
        event(Event::FaultFound { operation, message });
    }
}

impl Court<'_> {
    fn settle(&mut self, raw: &Raw) -> Result<Settled, WorkerError> {
        if let Oracle::Panic(place) = &raw.sighting.oracle
            && is_a_dependencys(self.ground, place, self.ground.operation(raw.sighting.op))
        {
            return Ok(Settled::Nothing);
        }
        let question = self.question(raw);
        if let Some(Question::Settled(class)) = question
            && class != PanicClass::Undeclared
        {
            return Ok(Settled::Illegal(illegal_panic(self.ground, raw, class)));
        }
        if !self.laws.admits(&raw.sighting) {
            return Ok(Settled::Nothing);
        }
        let (ground, effort) = (self.ground, self.effort);
        let target = self.target(raw);
        let mut trial = Trial::new(self.runner, ground, self.cancel, target);
        let slow = matches!(raw.sighting.oracle, Oracle::Hang | Oracle::Memory);
        (trial.left, trial.batch) = if slow { (effort.slow_runs, 2) } else { (effort.runs, 8) };
        let Some(start) = reproduce(&mut trial, raw)? else {
            return Ok(unrepeated(ground, raw, self.cancel));
        };
        if let Oracle::Law(_) = &raw.sighting.oracle {
            // To blame is the first step after which the law holds no more.
            trial.target = Target::Exact(start.1.identity.clone());
            if !self.laws.admits(&start.1) || !self.laws.is_news(&start.1) {
                return Ok(Settled::Nothing);
            }
        }
        if question == Some(Question::Arguments)
            && arguments::matter(&mut trial, &start.0, &start.1)?
        {
            return Ok(Settled::Illegal(illegal_panic(self.ground, raw, PanicClass::OwnAssertion)));
        }
        if matches!(raw.sighting.oracle, Oracle::Hang) && waits_for_itself(&mut trial, &start.0)? {
            return Ok(Settled::Illegal(illegal_panic(self.ground, raw, PanicClass::Held)));
        }
        trial.oddest = oddity(ground, &start.0);
        if let Some(settled) = at_odds(trial.oddest, ground, raw, &start.1) {
            return Ok(settled);
        }
        let shown = shrink(&mut trial, start)?;
        if let Some(class) = excused(&mut trial, raw, &shown)? {
            return Ok(Settled::Illegal(illegal_panic(self.ground, raw, class)));
        }
        if is_resource_limit(&mut trial, &shown)? {
            return Ok(Settled::Illegal(resource_limit(ground, shown, raw.count)));
        }
        let shown = spoken(&mut trial, shown)?;
        Ok(match confirm(&mut trial, &shown.0)? {
            Some(confirmation) => Settled::Fault(fault(ground, shown, confirmation)),
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
        let op = self.ground.operation(raw.sighting.op);
        place.changed
            && question(self.ground, &unchanged, op) != Question::Settled(PanicClass::Undeclared)
    }

    /// What decides about a panic; `None` for anything else.
    fn question(&self, raw: &Raw) -> Option<Question> {
        let Oracle::Panic(place) = &raw.sighting.oracle else { return None };
        Some(question(self.ground, place, self.ground.operation(raw.sighting.op)))
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
    match excuse(trial.ground, sequence, place) {
        None if changes(&raw.sighting.oracle) => Ok(None),
        None => match excuse_overflow(trial, sequence, place)? {
            None => excuse_zero(trial, sequence, (place, seen.op)),
            class => Ok(class),
        },
        class => Ok(class),
    }
}

/// Why a panic is no fault in another instance of the operation, which may take plain numbers instead
/// of objects that stand for them.
fn asked_again(
    trial: &mut Trial<'_>,
    sequence: &Sequence,
    seen: &Sighting,
) -> Result<Option<PanicClass>, WorkerError> {
    let Oracle::Panic(place) = &seen.oracle else { return Ok(None) };
    Ok(match question(trial.ground, place, trial.ground.operation(seen.op)) {
        Question::Settled(PanicClass::Undeclared) => None,
        Question::Settled(class) => Some(class),
        Question::Arguments => {
            arguments::matter(trial, sequence, seen)?.then_some(PanicClass::OwnAssertion)
        }
    })
}

/// A text that is broken where it is made is seen broken by every operation: the best few are told.
fn leave_out_bad_texts(faults: &mut Vec<Fault>) {
    let is_bad_text =
        |fault: &Fault| matches!(&fault.oracle, Oracle::Probe(what) if what.starts_with("text"));
    let (mut texts, others): (Vec<Fault>, Vec<Fault>) = faults.drain(..).partition(is_bad_text);
    texts.sort_by(|a, b| rank(a).cmp(&rank(b)));
    texts.truncate(MOST_BAD_TEXTS);
    *faults = others.into_iter().chain(texts).collect();
}

/// What to make of a finding that takes an odd use of handles. Where one met a strange object, only
/// broken memory counts; one that was made up may name no object, nor may one after a removal or of
/// another kind of object.
fn at_odds(oddity: Oddity, ground: &Ground, raw: &Raw, seen: &Sighting) -> Option<Settled> {
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
    says_nothing.then(|| Settled::Illegal(illegal_panic(ground, raw, PanicClass::Stranger)))
}

/// What to make of a finding that no recipe shows again.
fn unrepeated(ground: &Ground, raw: &Raw, cancel: &Cancel) -> Settled {
    let oracle = &raw.sighting.oracle;
    let (Judge::Worker, false, Some(recipe)) =
        (raw.judge, cancel.is_cancelled(), raw.recipes.first())
    else {
        return if cancel.is_cancelled() { Settled::Cancelled } else { Settled::Nothing };
    };
    let shown = (recipe.clone(), raw.sighting.clone());
    match oracle {
        Oracle::Hang | Oracle::Memory if has_absurd_number(recipe) => {
            Settled::Illegal(resource_limit(ground, shown, raw.count))
        }
        // On a busy machine anything may be late once, and among many objects memory may be short.
        Oracle::Hang | Oracle::Memory => Settled::Nothing,
        _ => Settled::Fault(fault(ground, shown, Confirmation::Flaky)),
    }
}

/// Where broken memory took a look at the objects to show: the same with a call that looks, if there
/// is one. A test has no views. It stays the fault of the operation that broke it, or that met what
/// looking broke.
fn spoken(trial: &mut Trial<'_>, shown: Shown) -> Result<Shown, WorkerError> {
    if trial.views == Views::Off || !matches!(shown.1.oracle, Oracle::Death(_) | Oracle::Probe(_)) {
        return Ok(shown);
    }
    let clause = Target::Clause(shown.1.identity.clause.clone());
    let silent = std::mem::replace(&mut trial.target, clause);
    trial.views = Views::Off;
    if let Some((sequence, _)) = trial.first(questions(trial.ground, &shown.0))? {
        let message = shown.1.message.trim_end_matches(LOOKED_AT).to_owned();
        return Ok((sequence, Sighting { message, ..shown.1 }));
    }
    trial.target = silent;
    if let Some((sequence, seen)) = trial.first(questions_before(trial.ground, &shown.0))? {
        return Ok((sequence, seen));
    }
    trial.views = Views::On;
    Ok(shown)
}

fn illegal_panic(ground: &Ground, raw: &Raw, class: PanicClass) -> IllegalUse {
    let op = raw.sighting.op;
    let place = match &raw.sighting.oracle {
        Oracle::Panic(place) => Some(place.clone()),
        _ => None,
    };
    IllegalUse {
        op,
        operation: ground.path(op),
        class,
        place,
        message: raw.sighting.message.clone(),
        count: raw.count,
        sequence: raw.recipes.first().cloned().unwrap_or_default(),
    }
}

/// Finds a recipe that shows the finding again, without views if that is enough. First only with
/// the steps that the last one depends on; if a death needs the others too, memory was corrupted
/// elsewhere, and the operation that dies is a victim like any other.
fn reproduce(trial: &mut Trial<'_>, raw: &Raw) -> Result<Option<Shown>, WorkerError> {
    let Sighting { oracle, identity, .. } = &raw.sighting;
    let exact = trial.target.clone();
    let whole = match oracle {
        Oracle::Death(_) | Oracle::Probe(_) => Target::Clause(identity.clause.clone()),
        _ => exact.clone(),
    };
    for recipe in &raw.recipes {
        for (sequence, target) in
            [(slice(recipe, trial.ground.manifest()), &exact), (recipe.clone(), &whole)]
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
        let seen = answers.iter().find_map(|answer| trial.target.find(trial.ground, answer));
        if seen.is_some() {
            trial.views = *views;
            return Ok(seen);
        }
    }
    Ok(None)
}

pub(crate) fn fault(ground: &Ground, (sequence, seen): Shown, confirmation: Confirmation) -> Fault {
    Fault {
        id: seen.identity.id(),
        operation: ground.path(seen.op),
        op: seen.op,
        oracle: seen.oracle,
        message: seen.message,
        sequence,
        confirmation,
        seen: None,
        build: ground.build(),
    }
}

/// Whether a call ends once all that borrows from its operands is gone: then it waited for a guard
/// that its own caller holds.
fn waits_for_itself(trial: &mut Trial<'_>, sequence: &Sequence) -> Result<bool, WorkerError> {
    match released(sequence, trial.ground.manifest()) {
        Some(freed) => Ok(shows(trial, &freed)?.is_none()),
        None => Ok(false),
    }
}

fn resource_limit(ground: &Ground, (sequence, seen): Shown, count: u64) -> IllegalUse {
    IllegalUse {
        op: seen.op,
        operation: ground.path(seen.op),
        class: PanicClass::ResourceLimit,
        place: None,
        message: seen.message,
        count,
        sequence,
    }
}

/// Time or memory ran out, an absurd number is part of it, and its neighbours do the same. A single
/// number that does it alone is a fault.
fn is_resource_limit(trial: &mut Trial<'_>, shown: &Shown) -> Result<bool, WorkerError> {
    const UPWARDS: usize = 3;
    let changes: [fn(i128) -> i128; 5] = [
        |n| n.saturating_add(n.signum()),
        |n| n.saturating_add(n / 2),
        // Some take powers of two only.
        |n| n.saturating_mul(2),
        // A number at the end of its type has no larger ones.
        |n| n - n.signum(),
        |n| n / 2,
    ];
    let others = changes.map(|change| enlarged(&shown.0, change));
    if matches!(shown.1.oracle, Oracle::Memory) && asks_for_much_room(trial, &shown.0) {
        return Ok(true);
    }
    if !runs_out(&shown.1.oracle) || others.contains(&shown.0) {
        return Ok(false);
    }
    // Room takes memory, never time.
    if matches!(shown.1.oracle, Oracle::Hang) && asks_for_room(trial, &shown.0) {
        return Ok(false);
    }
    let tasks = others.map(|other| task(&other, trial.views));
    let answers = trial.runner.run(&tasks, trial.cancel)?;
    // The allocator, the system or the subject may be the first to say no.
    let alike = |seen: &Sighting| seen.op == shown.1.op && runs_out(&seen.oracle);
    let runs_out = |answer: &Answer<RunReport>| sightings(trial.ground, answer).iter().any(alike);
    let (upwards, downwards) = answers.split_at(UPWARDS.min(answers.len()));
    // Much more than too much may end in other ways.
    let any = upwards.iter().any(runs_out);
    Ok(any || !downwards.is_empty() && downwards.iter().all(runs_out))
}

fn runs_out(oracle: &Oracle) -> bool {
    match oracle {
        Oracle::Hang | Oracle::Memory => true,
        Oracle::Death(how) => how.contains("memory allocation"),
        Oracle::Panic(place) => is_limit(place),
        _ => false,
    }
}

/// The sequence with every absurd number changed.
fn enlarged(sequence: &Sequence, change: impl Fn(i128) -> i128) -> Sequence {
    let mut sequence = sequence.clone();
    for arg in sequence.steps.iter_mut().flat_map(|step| &mut step.args) {
        if let Arg::Plain(value) = arg {
            enlarge(value, &change);
        }
    }
    sequence
}

fn enlarge(value: &mut Value, change: &impl Fn(i128) -> i128) {
    match value {
        Value::Int(n) if n.unsigned_abs() >= ABSURD => *n = change(*n),
        Value::Opt(Some(inner)) | Value::Res(_, inner) => enlarge(inner, change),
        Value::Tuple(items) | Value::Seq(items) => {
            for item in items {
                enlarge(item, change);
            }
        }
        _ => {}
    }
}

#[cfg(test)]
#[path = "faults/tests.rs"]
mod tests;
