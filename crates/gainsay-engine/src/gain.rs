//! A check of gainsay itself: what do attacks on contracts add to random testing? Random testing
//! goes on until its plateau; attacks follow for a little while; and from the same plateau random
//! testing goes on for as much processor time. Only findings that are not known count.

mod expected;

use std::{
    collections::BTreeSet,
    fs,
    path::Path,
    time::{Duration, Instant},
};

use gainsay_explore::{Budget, Effort, Judged, Raw, judge, judge_broken};
use gainsay_model::{contract::Verdict, event::Stage, fault::FirstSeen};
use gainsay_report::{Gain, Phase};
use gainsay_wire::{Oracle, Violation};
use gainsay_workers::{Cancel, Runner as _, children_cpu_seconds, own_cpu_seconds};

use self::expected::Expected;
use crate::{
    clock::Clock,
    error::{EngineError, FileAction, Result},
    rounds::{self, Settled},
    session::Session,
    settings::RunSettings,
};

/// Inference and attacks have so much of the time that random testing took: what the first paper's
/// had.
const OVERHEAD: f64 = 0.07;
/// The plateau is at most so many times as far as the least number of calls.
const FARTHEST: u64 = 4;
/// Faults that so many calls show are nothing to measure with.
const FIRST: u64 = 1_000;
/// A fault need not be short here.
const EFFORT: Effort = Effort { runs: 40, slow_runs: 4 };
/// Judging the findings of a phase ends after so long.
const JUDGING: Duration = Duration::from_secs(30);

/// What came of it.
pub(crate) struct Measured {
    pub(crate) gain: Gain,
    pub(crate) settled: Settled,
    pub(crate) judged: Judged,
}

/// Measures.
pub(crate) fn measure(
    session: &mut Session<'_>,
    settings: &RunSettings,
    cancel: &Cancel,
    clock: &mut Clock<'_>,
) -> Result<Measured> {
    let list = settings.gain.as_ref().and_then(|gain| gain.known.as_deref());
    let expected = settings.gain.as_ref().and_then(|gain| gain.expected.as_deref());
    let manifest = session.fleet.manifest().clone();
    let expected = expected.map(|path| Expected::load(path, &manifest)).transpose()?;
    let expected = expected.unwrap_or_default();
    let until = if list.is_some() { Until::Fault } else { Until::Plateau };
    let known = list.map(known).transpose()?.unwrap_or_default();
    let (judged, gain) = (Judged::default(), Gain::default());
    let broken = Vec::new();
    let mut measurement =
        Measurement { session, settings, cancel, known, judged, gain, expected, broken };
    measurement.random(until, clock)?;
    let mut settled = Settled::default();
    let is_done = until == Until::Fault && !measurement.gain.random.faults.is_empty();
    if !is_done && !cancel.is_interrupted() {
        let (plateau, known) = (measurement.session.campaign.clone(), measurement.known.clone());
        settled = measurement.reduction(clock)?;
        measurement.known = known;
        let reduced = std::mem::replace(&mut measurement.session.campaign, plateau);
        measurement.control(clock)?;
        measurement.gain.seen.extend(reduced.findings().iter().map(name));
    }
    let Measurement { session, mut judged, mut gain, .. } = measurement;
    // What both the reduction and the control found is one fault.
    let mut told = BTreeSet::new();
    judged.faults.retain(|fault| told.insert(fault.id.clone()));
    gain.seen.extend(session.campaign.findings().iter().map(name));
    gain.seen.extend(judged.faults.iter().map(|fault| fault_name(&fault.id)));
    gain.seen.sort();
    gain.seen.dedup();
    gain.contracts = settled.contracts.len() as u64;
    let refuted = settled.contracts.iter();
    let refuted = refuted.filter(|(_, verdict)| matches!(verdict, Verdict::Refuted { .. }));
    gain.refuted = refuted.count() as u64;
    Ok(Measured { gain, settled, judged })
}

/// The findings that do not count: one a line.
fn known(path: &Path) -> Result<BTreeSet<String>> {
    let text = fs::read_to_string(path);
    let text = text.map_err(EngineError::of_file(FileAction::Read, path))?;
    Ok(text.lines().map(str::to_owned).collect())
}

/// Stands after the id of a panic that left something changed.
const CHANGED: &str = "!";

/// A finding in the list of those that are known. A panic that leaves something changed is another
/// one than the same panic before anything was changed.
fn name(raw: &Raw) -> String {
    let id = raw.sighting.identity.id();
    match &raw.sighting.oracle {
        Oracle::Panic(place) if place.changed => id + CHANGED,
        _ => id,
    }
}

/// A fault in that list.
fn fault_name(id: &str) -> String {
    format!("fault {id}")
}

/// When random testing ends.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Until {
    /// When it has found nothing new for half of its calls.
    Plateau,
    /// And earlier with a fault: whether there is one is all that matters.
    Fault,
}

struct Measurement<'a, 's> {
    session: &'a mut Session<'s>,
    settings: &'a RunSettings,
    cancel: &'a Cancel,
    known: BTreeSet<String>,
    judged: Judged,
    gain: Gain,
    expected: Expected,
    /// What calls broke of it since the last look.
    broken: Vec<Violation>,
}

/// What was used up at a moment.
struct Used {
    began: Instant,
    cpu: f64,
    calls: u64,
}

impl Measurement<'_, '_> {
    /// Explores until nothing new was found for half of the calls.
    fn random(&mut self, until: Until, clock: &mut Clock<'_>) -> Result<()> {
        let least = self.settings.budget.calls.unwrap_or(1);
        // The first looks are early: a fault that is there by then needs no more calls.
        let mut goals = vec![least, least / 2, least / 8, FIRST];
        let mut phase = Phase::default();
        while let Some(goal) = goals.pop() {
            let made = self.session.campaign.totals().calls;
            if goal <= made {
                continue;
            }
            let budget = Budget { time: None, calls: Some(goal - made) };
            let used = self.used();
            self.explore((budget, made == 0), clock)?;
            self.add(&mut phase, &used);
            let faults = self.new_faults(made, clock)?;
            let is_new = !faults.is_empty();
            phase.faults.extend(faults);
            let is_done = until == Until::Fault && !phase.faults.is_empty();
            if is_done || self.cancel.is_interrupted() {
                break;
            }
            let now = self.session.campaign.totals().calls;
            let newest = self.session.campaign.findings().iter().map(|raw| raw.seen.calls).max();
            // When a promise was broken is known from one look to the next.
            let newest = if is_new { now } else { newest.unwrap_or(0) };
            let plateau = newest.saturating_mul(2).min(least * FARTHEST);
            if goals.is_empty() && now < plateau {
                goals.push(plateau);
            }
        }
        let counts = self.session.store.counts()?;
        (self.gain.objects, self.gain.transitions) = (counts.objects, counts.transitions);
        self.gain.random = phase;
        Ok(())
    }

    /// Infers and attacks.
    fn reduction(&mut self, clock: &mut Clock<'_>) -> Result<Settled> {
        let allowance = Duration::from_secs_f64(self.gain.random.seconds * OVERHEAD);
        let (mut phase, used) = (Phase::default(), self.used());
        let deadline = self.cancel.until(Instant::now() + allowance);
        self.session.attacked = Some(Vec::new());
        self.session.watch(self.expected.checks(), Vec::new())?;
        let settled = rounds::reduce(self.session, self.settings, &deadline, clock)?;
        self.session.stop_watching()?;
        self.add(&mut phase, &used);
        let calls = self.session.attacked.take().unwrap_or_default();
        self.broken = self.expected.broken_by(self.session.fleet.manifest(), &calls);
        phase.faults = self.new_faults(self.gain.random.calls, clock)?;
        self.gain.reduction = phase;
        Ok(settled)
    }

    /// Explores for as much processor time as attacks took, by the number of calls that this makes.
    fn control(&mut self, clock: &mut Clock<'_>) -> Result<()> {
        let Gain { random, reduction, .. } = &self.gain;
        let share = reduction.cpu_seconds / random.cpu_seconds.max(f64::MIN_POSITIVE);
        let calls = Duration::from_secs_f64(random.calls as f64 * share).as_secs().max(1);
        let (mut phase, used) = (Phase::default(), self.used());
        self.explore((Budget { time: None, calls: Some(calls) }, false), clock)?;
        self.add(&mut phase, &used);
        phase.faults = self.new_faults(self.gain.random.calls, clock)?;
        self.gain.control = phase;
        Ok(())
    }

    fn explore(&mut self, (budget, is_first): (Budget, bool), clock: &mut Clock<'_>) -> Result<()> {
        let (session, cancel) = (&mut *self.session, self.cancel);
        let checks = self.expected.checks();
        let broken = clock.stage(Stage::Explore, "at random".to_owned(), |events| {
            if is_first {
                session.settle(cancel, events)?;
            }
            session.watch(checks, Vec::new())?;
            let (_, broken) = session.explore_more(budget, cancel, events)?;
            session.stop_watching()?;
            Ok(broken)
        })?;
        self.broken.extend(broken);
        Ok(())
    }

    /// Processor time of workers is known when they have ended.
    fn used(&mut self) -> Used {
        self.session.fleet.rest();
        let cpu = children_cpu_seconds() + own_cpu_seconds();
        Used { began: Instant::now(), cpu, calls: self.session.campaign.totals().calls }
    }

    fn add(&mut self, phase: &mut Phase, before: &Used) {
        phase.seconds += before.began.elapsed().as_secs_f64();
        let now = self.used();
        phase.cpu_seconds += now.cpu - before.cpu;
        phase.calls += now.calls - before.calls;
    }

    fn is_known(&self, raw: &Raw) -> bool {
        let changed = raw.sighting.identity.id() + CHANGED;
        self.known.contains(&name(raw)) || self.known.contains(&changed)
    }

    /// Judges what is not known and was not judged before, of what was seen after so many calls.
    fn new_faults(&mut self, after: u64, clock: &mut Clock<'_>) -> Result<Vec<String>> {
        let mut new = self.new_findings(clock)?;
        new.extend(self.new_broken(after, clock)?);
        Ok(new)
    }

    /// Promises that calls broke since the last look.
    fn new_broken(&mut self, after: u64, clock: &mut Clock<'_>) -> Result<Vec<String>> {
        let violations = std::mem::take(&mut self.broken);
        let manifest = self.session.fleet.manifest().clone();
        let ground = self.session.campaign.ground().clone();
        let is_known = |id: &str| self.known.contains(&fault_name(id));
        let broken = self.expected.to_judge((&manifest, &ground), violations, is_known);
        let cancel = self.cancel.until(Instant::now() + JUDGING);
        let mut new = Vec::new();
        clock.stage(Stage::Confirm, format!("{} promises", broken.len()), |_| {
            for broken in &broken {
                let fleet = &mut self.session.fleet;
                let Some(mut fault) = judge_broken(fleet, broken, &ground, EFFORT, &cancel)? else {
                    continue;
                };
                fault.seen = Some(FirstSeen { calls: after, millis: 0 });
                if self.known.insert(fault_name(&fault.id)) {
                    new.push(fault.id.clone());
                    self.judged.faults.push(fault);
                }
            }
            Ok(())
        })?;
        Ok(new)
    }

    /// What oracles objected to.
    fn new_findings(&mut self, clock: &mut Clock<'_>) -> Result<Vec<String>> {
        let found = self.session.campaign.findings().only(|raw| !self.is_known(raw));
        if found.is_empty() {
            return Ok(Vec::new());
        }
        let session = &mut *self.session;
        let cancel = self.cancel.until(Instant::now() + JUDGING);
        let about = format!("{} findings", found.len());
        let judged = clock.stage(Stage::Confirm, about, |_| {
            let (ground, laws) = (session.campaign.ground(), &session.campaign.totals().laws);
            let fleet = &mut session.fleet;
            Ok(judge(fleet, (&found, laws), ground, EFFORT, (&cancel, &mut |_| {}))?)
        })?;
        self.known.extend(found.iter().map(name));
        let ids: BTreeSet<String> = judged.faults.iter().map(|fault| fault.id.clone()).collect();
        let new = ids.into_iter().filter(|id| self.known.insert(fault_name(id))).collect();
        self.judged.faults.extend(judged.faults);
        self.judged.illegal.extend(judged.illegal);
        Ok(new)
    }
}
