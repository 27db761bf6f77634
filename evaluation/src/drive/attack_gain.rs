//! The gain of attacks on contracts over random testing. Random testing goes on until its plateau;
//! attacks follow for a little while; and from the same plateau random testing goes on for as much
//! processor time. Only findings that are not known count.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use anyhow::Context as _;
use gainsay_engine::{
    Budget, Ctx, ExplorePlan, Explored, RefutePlan, RunSettings, SettledContracts, Target,
};
use gainsay_explore::{Effort, Hearing, Judged, Raw, judge, judge_broken};
use gainsay_model::{
    contract::Verdict,
    event::{About, Stage},
    fault::FirstSeen,
};
use gainsay_refute::IdleWorkers;
use gainsay_report::RunRecord;
use gainsay_wire::{Oracle, Violation};
use gainsay_workers::{Runner as _, children_cpu_seconds, own_cpu_seconds};

use super::{
    calibrate,
    figures::{Gain, Phase},
    promises::Expected,
};

/// The part of the time of random testing that inference and attacks have: that of the first paper.
const OVERHEAD: f64 = 0.07;
/// The plateau is at most so many times as far as the least number of calls.
const FARTHEST: u64 = 4;
/// Faults that so many calls show are nothing to measure with.
const FIRST: u64 = 1_000;
/// A fault need not be short here.
const EFFORT: Effort = Effort { runs: 40, slow_runs: 4 };
/// Time for judging the findings of a phase: a phase with many is lost anyway.
const JUDGING: Duration = Duration::from_secs(30);

/// Files that say what counts.
pub(super) struct Lists {
    /// Findings that do not count, one a line. Exploration then ends with one that does.
    pub(super) known: Option<PathBuf>,
    /// The record of a run whose contracts every call has to keep.
    pub(super) expected: Option<PathBuf>,
}

/// The outcome of a measurement.
pub(super) struct Measured {
    pub(super) gain: Gain,
    pub(super) record: RunRecord,
}

/// Measures the gain.
pub(super) fn measure_gain(
    target: &Target,
    settings: &RunSettings,
    lists: &Lists,
    ctx: &mut Ctx<'_>,
) -> anyhow::Result<Measured> {
    let plan = ExplorePlan::of(settings);
    // No call yet: the first looks are early, and promises are watched from the first call on.
    let none = Budget { time: None, calls: Some(0) };
    let mut explored = calibrate(target, settings, plan, ctx)?.explore_for(none, ctx)?;
    let expected = match &lists.expected {
        Some(path) => Expected::load(path, explored.session().fleet.manifest())?,
        None => Expected::default(),
    };
    let until = if lists.known.is_some() { Until::Fault } else { Until::Plateau };
    let known = lists.known.as_deref().map(read_known).transpose()?.unwrap_or_default();
    let mut measurement = Measurement {
        explored,
        settings,
        known,
        judged: Judged::default(),
        gain: Gain::default(),
        expected,
        broken: Vec::new(),
    };
    measurement.test_at_random(until, ctx)?;
    let mut settled = SettledContracts::default();
    let is_done = until == Until::Fault && !measurement.gain.random.faults.is_empty();
    if !is_done && !ctx.cancel.is_interrupted() {
        let plateau = measurement.explored.session().campaign.clone();
        let known = measurement.known.clone();
        (measurement, settled) = measurement.attack(ctx)?;
        measurement.known = known;
        let campaign = &mut measurement.explored.session().campaign;
        let reduced = std::mem::replace(campaign, plateau);
        measurement.test_for_comparison(ctx)?;
        measurement.gain.seen.extend(reduced.findings().iter().map(name_of));
    }
    measurement.conclude(settled, ctx)
}

/// Reads the findings that do not count.
fn read_known(path: &Path) -> anyhow::Result<BTreeSet<String>> {
    let text = fs::read_to_string(path);
    let text = text.with_context(|| format!("cannot read `{}`", path.display()))?;
    Ok(text.lines().map(str::to_owned).collect())
}

/// Stands after the id of a panic that left something changed.
const CHANGED: &str = "!";

/// Returns the name of a finding in the list of those that are known. A panic that leaves something
/// changed is another one than the same panic before anything was changed.
fn name_of(raw: &Raw) -> String {
    let id = raw.sighting.identity.id();
    match &raw.sighting.oracle {
        Oracle::Panic(place) if place.changed => id + CHANGED,
        _ => id,
    }
}

/// Returns the name of a fault in that list.
fn fault_name(id: &str) -> String {
    format!("fault {id}")
}

/// The end of random testing.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Until {
    /// When it has found nothing new for half of its calls.
    Plateau,
    /// And earlier with a fault: whether there is one is all that matters.
    Fault,
}

struct Measurement<'a> {
    explored: Explored,
    settings: &'a RunSettings,
    known: BTreeSet<String>,
    judged: Judged,
    gain: Gain,
    expected: Expected,
    /// Calls that broke promises since the last look.
    broken: Vec<Violation>,
}

/// Resources that were used up at a moment.
struct Used {
    began: Instant,
    cpu: f64,
    calls: u64,
}

impl Measurement<'_> {
    /// Explores until nothing new was found for half of the calls.
    fn test_at_random(&mut self, until: Until, ctx: &mut Ctx<'_>) -> anyhow::Result<()> {
        let least = self.settings.budget.calls.unwrap_or(1);
        // The first looks are early: a fault that is there by then needs no more calls.
        let mut goals = vec![least, least / 2, least / 8, FIRST];
        let mut phase = Phase::default();
        while let Some(goal) = goals.pop() {
            let made = self.calls();
            if goal <= made {
                continue;
            }
            let used = self.used();
            self.explore(goal - made, ctx)?;
            self.add(&mut phase, &used);
            let faults = self.judge_new(made, ctx)?;
            let is_new = !faults.is_empty();
            phase.faults.extend(faults);
            let is_done = until == Until::Fault && !phase.faults.is_empty();
            if is_done || ctx.cancel.is_interrupted() {
                break;
            }
            let now = self.calls();
            let findings = self.explored.session().campaign.findings();
            let newest = findings.iter().map(|raw| raw.seen.calls).max();
            // When a promise was broken is known from one look to the next.
            let newest = if is_new { now } else { newest.unwrap_or(0) };
            let plateau = newest.saturating_mul(2).min(least * FARTHEST);
            if goals.is_empty() && now < plateau {
                goals.push(plateau);
            }
        }
        let counts = self.explored.session().store.count_evidence()?;
        (self.gain.objects, self.gain.transitions) = (counts.objects, counts.transitions);
        self.gain.random = phase;
        Ok(())
    }

    /// Infers and attacks.
    fn attack(mut self, ctx: &mut Ctx<'_>) -> anyhow::Result<(Self, SettledContracts)> {
        let allowance = Duration::from_secs_f64(self.gain.random.seconds * OVERHEAD);
        let (mut phase, used) = (Phase::default(), self.used());
        let deadline = Some(Instant::now() + allowance);
        let checks = self.expected.checks();
        let session = self.explored.session();
        session.attacked = Some(Vec::new());
        session.watch_contracts(checks, Vec::new())?;
        let (explored, settled) =
            ctx.until(deadline, |ctx| attack_in_rounds(self.explored, self.settings, ctx))?;
        self.explored = explored;
        self.explored.session().stop_watching()?;
        self.add(&mut phase, &used);
        let session = self.explored.session();
        let calls = session.attacked.take().unwrap_or_default();
        self.broken = self.expected.broken_by(session.fleet.manifest(), &calls);
        phase.faults = self.judge_new(self.gain.random.calls, ctx)?;
        self.gain.reduction = phase;
        Ok((self, settled))
    }

    /// Explores for as much processor time as attacks took, by the number of calls that this makes.
    fn test_for_comparison(&mut self, ctx: &mut Ctx<'_>) -> anyhow::Result<()> {
        let Gain { random, reduction, .. } = &self.gain;
        let share = reduction.cpu_seconds / random.cpu_seconds.max(f64::MIN_POSITIVE);
        let calls = Duration::from_secs_f64(random.calls as f64 * share).as_secs().max(1);
        let (mut phase, used) = (Phase::default(), self.used());
        self.explore(calls, ctx)?;
        self.add(&mut phase, &used);
        phase.faults = self.judge_new(self.gain.random.calls, ctx)?;
        self.gain.control = phase;
        Ok(())
    }

    fn explore(&mut self, calls: u64, ctx: &mut Ctx<'_>) -> anyhow::Result<()> {
        let session = self.explored.session();
        let checks = self.expected.checks();
        let budget = Budget { time: None, calls: Some(calls) };
        let stretch = ctx.run_stage(Stage::Explore, About::Other("at random"), |ctx| {
            session.watch_contracts(checks, Vec::new())?;
            let stretch = session.explore_for(budget, ctx)?;
            session.stop_watching()?;
            Ok(stretch)
        })?;
        self.broken.extend(stretch.violations);
        Ok(())
    }

    fn calls(&mut self) -> u64 {
        self.explored.session().campaign.totals().calls
    }

    /// Returns what is used up. Processor time of workers is known when they have ended.
    fn used(&mut self) -> Used {
        self.explored.session().fleet.rest();
        let cpu = children_cpu_seconds() + own_cpu_seconds();
        Used { began: Instant::now(), cpu, calls: self.calls() }
    }

    fn add(&mut self, phase: &mut Phase, before: &Used) {
        phase.seconds += before.began.elapsed().as_secs_f64();
        let now = self.used();
        phase.cpu_seconds += now.cpu - before.cpu;
        phase.calls += now.calls - before.calls;
    }

    /// Judges what is not known and was not judged before, of what was seen after so many calls.
    fn judge_new(&mut self, after: u64, ctx: &mut Ctx<'_>) -> anyhow::Result<Vec<String>> {
        let deadline = Some(Instant::now() + JUDGING);
        ctx.until(deadline, |ctx| {
            let mut new = self.judge_findings(ctx)?;
            new.extend(self.judge_promises(after, ctx)?);
            Ok(new)
        })
    }

    /// Judges the promises that calls broke since the last look.
    fn judge_promises(&mut self, after: u64, ctx: &mut Ctx<'_>) -> anyhow::Result<Vec<String>> {
        let violations = std::mem::take(&mut self.broken);
        let session = self.explored.session();
        let subject = session.campaign.ground().clone();
        let is_known = |id: &str| self.known.contains(&fault_name(id));
        let broken = self.expected.to_judge(&subject, violations, is_known);
        let mut new = Vec::new();
        ctx.run_stage(Stage::Confirm, About::Other("promises"), |ctx| {
            for broken in &broken {
                let fleet = &mut session.fleet;
                let judged = judge_broken(fleet, broken, &subject, EFFORT, &ctx.cancel)?;
                let Some(mut fault) = judged else { continue };
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

    /// Judges what oracles objected to.
    fn judge_findings(&mut self, ctx: &mut Ctx<'_>) -> anyhow::Result<Vec<String>> {
        let known = &self.known;
        let is_known = |raw: &Raw| {
            let changed = raw.sighting.identity.id() + CHANGED;
            known.contains(&name_of(raw)) || known.contains(&changed)
        };
        let session = self.explored.session();
        let found = session.campaign.findings().only(|raw| !is_known(raw));
        if found.is_empty() {
            return Ok(Vec::new());
        }
        let about = About::Findings(found.len());
        let judged = ctx.run_stage(Stage::Confirm, about, |ctx| {
            let (ground, laws) = (session.campaign.ground(), &session.campaign.totals().laws);
            let fleet = &mut session.fleet;
            let (subject, effort, cancel) = (ground, EFFORT, &ctx.cancel);
            let hearing = Hearing { subject, effort, cancel, event: &mut |_| {} };
            Ok(judge(fleet, &found, laws, hearing)?)
        })?;
        self.known.extend(found.iter().map(name_of));
        let ids: BTreeSet<String> = judged.faults.iter().map(|fault| fault.id.clone()).collect();
        let new = ids.into_iter().filter(|id| self.known.insert(fault_name(id))).collect();
        self.judged.faults.extend(judged.faults);
        self.judged.illegal.extend(judged.illegal);
        Ok(new)
    }

    /// Puts figures and record together.
    fn conclude(self, settled: SettledContracts, ctx: &mut Ctx<'_>) -> anyhow::Result<Measured> {
        let Measurement { mut explored, mut judged, mut gain, .. } = self;
        // What both the reduction and the control found is one fault.
        let mut told = BTreeSet::new();
        judged.faults.retain(|fault| told.insert(fault.id.clone()));
        gain.seen.extend(explored.session().campaign.findings().iter().map(name_of));
        gain.seen.extend(judged.faults.iter().map(|fault| fault_name(&fault.id)));
        gain.seen.sort();
        gain.seen.dedup();
        gain.contracts = settled.contracts.len() as u64;
        let refuted = settled.contracts.iter();
        let refuted = refuted.filter(|(_, verdict)| matches!(verdict, Verdict::Refuted { .. }));
        gain.refuted = refuted.count() as u64;
        let refuted = explored.settle_contracts(settled);
        let record = refuted.judge_with(judged).record(ctx)?.record;
        Ok(Measured { gain, record })
    }
}

/// Infers and attacks until nothing more falls, with no random calls between the rounds.
fn attack_in_rounds(
    mut explored: Explored,
    settings: &RunSettings,
    ctx: &mut Ctx<'_>,
) -> anyhow::Result<(Explored, SettledContracts)> {
    // Attacks have a part of the time that calls took, whatever the budget is counted in.
    let plan = RefutePlan { idle_workers: IdleWorkers::Explore };
    explored.relate_versions(ctx)?;
    if ctx.cancel.is_cancelled() {
        return Ok((explored, SettledContracts::default()));
    }
    let mut refuted = explored.learn(ctx)?.attack_model(plan, ctx)?;
    let is_allowed = |rounds: u32| rounds < settings.rounds;
    while refuted.has_news() && is_allowed(refuted.count_rounds()) && !ctx.cancel.is_cancelled() {
        refuted = refuted.learn_again(ctx)?.attack_model(plan, ctx)?;
    }
    Ok(refuted.close_rounds(Vec::new()).reopen())
}
