//! The stages in order, on one page. The only file that names them all.

use std::{
    collections::BTreeSet,
    path::Path,
    time::{Duration, Instant},
};

use gainsay_explore::{
    Effort, Judged, cover, judge, judge_injected, select, sightings_of, tell, tell_about, told_once,
};
use gainsay_harness::{BuildOptions, Harness};
use gainsay_model::{
    api::{Api, ApiType, Providers, Subject},
    build::Build,
    event::{Event, Stage, StopReason},
    regression::Regression,
    script::parse_script,
    spelling::Spelling,
};
use gainsay_report::{
    Catalogue, ContractRecord, FaultClass, FaultRecord, OracleRecord, RunRecord, counted,
};
use gainsay_wire::{Manifest, Sequence};
use gainsay_workers::{Cancel, Runner as _};

use crate::{
    builds::{
        self, Branch, Workshop, explain_crashes, explain_flaky, explain_misuse, judge_branches,
    },
    clock::Clock,
    doc_promises,
    emit::selection,
    error::{EngineError, Result},
    feature_fallback::{self, with_or_without},
    gain,
    known_faults::{Field, Regressions},
    rounds::{self, Settled},
    session::{Session, run_again},
    settings::{Earlier, ListDepth, Refute, RunSettings, Sandbox, SequenceSource},
    summarize,
};

/// After an interrupt, so much time is spent on confirming what was found.
const LAST_WORDS: Duration = Duration::from_secs(10);

/// What is tested.
#[derive(Clone)]
pub struct Target {
    /// The crate.
    pub subject: Subject,
    /// The user's functions that make values.
    pub providers: Option<Providers>,
    /// What its calls may do.
    pub sandbox: Sandbox,
}

/// What replaying a fault showed, in words.
pub enum Replay {
    /// The same again.
    Shown(String),
    /// Something else.
    NotShown(String),
}

/// Calls that pass, and what it takes to write them.
pub struct Passing {
    /// The subject's types.
    pub types: Vec<ApiType>,
    /// How each operation is written, by its number.
    pub spellings: Vec<Spelling>,
    /// The calls.
    pub regressions: Vec<Regression>,
    /// How many operations passed in the run, as far as it was looked at.
    pub operations: usize,
}

/// Tests that contradict claims of the last run.
pub struct Contradicting {
    /// The tests.
    pub passing: Passing,
    /// The numbers of the claims that each contradicts.
    pub contradicted: Vec<BTreeSet<usize>>,
    /// The same of those that do not look the same each time, or of which a test can say nothing.
    pub untold: Vec<BTreeSet<usize>>,
}

/// The whole loop.
pub fn run(
    target: &Target,
    settings: &RunSettings,
    cancel: &Cancel,
    events: &mut dyn FnMut(Event),
) -> Result<RunRecord> {
    if settings.gain.is_some() {
        return measure_gain(target, settings, cancel, events);
    }
    let mut clock = Clock::new(events);
    let (api, harness) = prepare(target, &mut clock)?;
    let mut session = Session::open(&api, &harness, settings, target.sandbox)?;
    warn_of_gaps(&session, target.sandbox, &mut clock);
    let workshop = Workshop::open(&api, &settings.others);
    if !settings.others.builds.is_empty() {
        session.has_company();
    }
    let mut earlier = replay_earlier(&mut session, settings, cancel, &mut clock)?;
    let stop = explore(&mut session, settings, cancel, &mut clock)?;
    let settled = if settings.refute == Refute::Search {
        rounds::run(&mut session, settings, cancel, &mut clock)?
    } else {
        Settled::default()
    };
    let way = (settings, target.sandbox);
    let known = earlier.as_mut();
    let mut branches = builds::explore(&session, (workshop, known), way, cancel, &mut clock)?;
    let judged = match settings.refute {
        Refute::SkipAll => Judged::default(),
        _ => confirm(&mut session, &mut branches, settings, cancel, &mut clock)?,
    };
    drop(branches);
    session.store.record_faults(&judged.faults)?;
    session.store.record_skips(&[&api.skips[..], &harness.skips].concat())?;
    let rebuilt = settings.recheck.map(|most| session.recheck(most, cancel)).transpose()?;
    let stop = if cancel.is_interrupted() { StopReason::Interrupted } else { stop };
    let mut record = summarize::record(session, &settled, &judged, stop, clock.stages());
    record.summary.rebuilt = rebuilt;
    if let Some(earlier) = earlier {
        earlier.settle(&mut record)?;
    }
    Ok(record)
}

/// What attacks add to random testing.
fn measure_gain(
    target: &Target,
    settings: &RunSettings,
    cancel: &Cancel,
    events: &mut dyn FnMut(Event),
) -> Result<RunRecord> {
    let mut clock = Clock::new(events);
    let (api, harness) = prepare(target, &mut clock)?;
    let mut session = Session::open(&api, &harness, settings, target.sandbox)?;
    let measured = gain::measure(&mut session, settings, cancel, &mut clock)?;
    let (settled, judged) = (&measured.settled, &measured.judged);
    let mut record = summarize::record(session, settled, judged, StopReason::Calls, clock.stages());
    record.summary.gain = Some(measured.gain);
    Ok(record)
}

/// A fault that is to be shown again.
pub struct Again<'a> {
    /// As it was recorded.
    pub fault: &'a FaultRecord,
    /// Its calls.
    pub sequence: &'a Sequence,
    /// Variables of the environment of the process.
    pub environment: &'a [(String, String)],
}

/// One fault again, in a fresh process.
pub fn replay(
    target: &Target,
    again: &Again<'_>,
    cancel: &Cancel,
    events: &mut dyn FnMut(Event),
) -> Result<Replay> {
    let Again { fault, sequence, environment } = again;
    let mut clock = Clock::new(events);
    let (api, harness) = prepare(target, &mut clock)?;
    let harness = match fault.build {
        Build::Debug => harness,
        other => build_as(&api, other, &mut clock)?,
    };
    let mut session =
        Session::for_replay(&api, &harness, (target.sandbox, fault.build, environment))?;
    let answers = run_again(&mut session.fleet, sequence, cancel)?;
    let ground = session.campaign.ground();
    let seen = answers.iter().flat_map(|answer| sightings_of(ground, sequence, answer));
    let mut others = Vec::new();
    for sighting in seen {
        // Broken memory may show in a call that only looks.
        let is_memory = fault.oracle.class() == FaultClass::Memory;
        let is_same = is_memory && OracleRecord::from(&sighting.oracle) == fault.oracle;
        if sighting.identity.id() == fault.id || is_same {
            return Ok(Replay::Shown(sighting.message));
        }
        others.push(sighting.message);
    }
    let broken = rounds::broken_contract(session.fleet.manifest(), &fault.oracle, &answers);
    Ok(match (broken, others.first()) {
        (Some(contract), _) => Replay::Shown(format!("`{contract}` does not hold")),
        (None, Some(other)) => Replay::NotShown(format!("something else was seen: {other}")),
        (None, None) => Replay::NotShown("the calls went well".to_owned()),
    })
}

/// Calls of the last run that pass and cover most, with what they show every time.
pub fn passing(
    target: &Target,
    most: usize,
    cancel: &Cancel,
    events: &mut dyn FnMut(Event),
) -> Result<Passing> {
    let mut clock = Clock::new(events);
    let (api, harness) = prepare(target, &mut clock)?;
    let mut session = Session::for_replay(&api, &harness, (target.sandbox, Build::Debug, &[]))?;
    let found = clock.stage(Stage::Replay, "calls of the last run".to_owned(), |_| {
        let candidates = session.stored_recipes()?;
        // Some do not look the same each time.
        let cover = cover(&mut session.fleet, &candidates, most.saturating_mul(2), cancel)?;
        let ground = session.campaign.ground().clone();
        let mut regressions = Vec::new();
        for (sequence, report) in &cover.chosen {
            if regressions.len() < most {
                regressions.extend(tell(&mut session.fleet, &ground, (sequence, report), cancel)?);
            }
        }
        Ok((regressions, cover.operations.len()))
    })?;
    unless_cancelled(cancel)?;
    let (regressions, operations) = found;
    let spellings = harness.operations.into_iter().map(|op| op.spelling).collect();
    Ok(Passing { types: api.types, spellings, regressions, operations })
}

/// Tests that contradict claims of the last run, with what they show every time.
pub fn contradicting(
    target: &Target,
    contracts: &[&ContractRecord],
    most: usize,
    cancel: &Cancel,
    events: &mut dyn FnMut(Event),
) -> Result<Contradicting> {
    let mut clock = Clock::new(events);
    let (api, harness) = prepare(target, &mut clock)?;
    let mut session = Session::for_replay(&api, &harness, (target.sandbox, Build::Debug, &[]))?;
    let about = format!("{} contradicted contracts", contracts.len());
    let found = clock.stage(Stage::Replay, about, |_| {
        session.look_as_before()?;
        let manifest = session.fleet.manifest().clone();
        let ground = session.campaign.ground().clone();
        let claims = selection::claims(contracts, &manifest);
        let selected = select(&mut session.fleet, &ground, &claims, most, cancel)?;
        let (mut regressions, mut contradicted, mut untold) = (vec![], vec![], vec![]);
        for test in selected {
            let seen = (&test.sequence, &test.report);
            let wanted = selection::queries(&claims, &test.contradicts);
            match tell_about(&mut session.fleet, &ground, seen, &wanted, cancel)? {
                Some(told) => {
                    regressions.push(told);
                    contradicted.push(test.contradicts);
                }
                None => untold.push(test.contradicts),
            }
        }
        Ok((regressions, contradicted, untold))
    })?;
    unless_cancelled(cancel)?;
    let (regressions, contradicted, untold) = found;
    let spellings = harness.operations.into_iter().map(|op| op.spelling).collect();
    let operations = regressions.len();
    let passing = Passing { types: api.types, spellings, regressions, operations };
    Ok(Contradicting { passing, contradicted, untold })
}

fn unless_cancelled(cancel: &Cancel) -> Result<()> {
    if cancel.is_interrupted() { Err(EngineError::Interrupted) } else { Ok(()) }
}

/// What the subject offers, without calling any of it.
pub fn catalogue(
    target: &Target,
    depth: ListDepth,
    events: &mut dyn FnMut(Event),
) -> Result<Catalogue> {
    let mut clock = Clock::new(events);
    with_or_without(target, &mut clock, |target, clock| {
        let api = discover(target, clock)?;
        if depth == ListDepth::Discovered || api.operations.is_empty() {
            return Ok(Catalogue::new(&api, None));
        }
        let harness = build(&api, clock)?;
        Ok(Catalogue::new(&api, Some(&summarize::built(&harness))))
    })
}

fn prepare(target: &Target, clock: &mut Clock<'_>) -> Result<(Api, Harness)> {
    with_or_without(target, clock, |target, clock| {
        let api = discover(target, clock)?;
        if api.operations.is_empty() {
            return Err(nothing_to_test(&target.subject));
        }
        let harness = build(&api, clock)?;
        if harness.operations.iter().all(|op| op.api.is_none()) {
            return Err(nothing_to_test(&target.subject));
        }
        Ok((api, harness))
    })
}

fn discover(target: &Target, clock: &mut Clock<'_>) -> Result<Api> {
    let Target { subject, providers, .. } = target;
    let about = format!("{} {}{}", subject.name, subject.version, feature_fallback::named(subject));
    clock.stage(Stage::Discover, about, |_| {
        Ok(gainsay_discover::discover_with(subject, providers.as_ref())?)
    })
}

fn build(api: &Api, clock: &mut Clock<'_>) -> Result<Harness> {
    let about = format!("{} operations", api.operations.len());
    clock.stage(Stage::Harness, about, |_| {
        let wrapper = std::env::current_exe().ok();
        Ok(gainsay_harness::build(api, &BuildOptions { wrapper, background: None })?)
    })
}

fn build_as(api: &Api, build: Build, clock: &mut Clock<'_>) -> Result<Harness> {
    clock.stage(Stage::Harness, format!("{build} build"), |_| {
        let wrapper = std::env::current_exe().ok();
        Ok(gainsay_harness::build_as(api, build, &BuildOptions { wrapper, background: None })?)
    })
}

/// Says once which parts of the sandbox this system lacks, and what that means.
fn warn_of_gaps(session: &Session<'_>, sandbox: Sandbox, clock: &mut Clock<'_>) {
    if sandbox == Sandbox::Off {
        let what = "no sandbox: functions of the crate can do all that you can";
        clock.tell(Event::Degraded(what.to_owned()));
        return;
    }
    for part in session.fleet.protection().missing() {
        clock.tell(Event::Degraded(format!("the sandbox has {}", part.absence())));
    }
}

fn nothing_to_test(subject: &Subject) -> EngineError {
    EngineError::NothingToTest { subject: subject.name.clone() }
}

fn explore(
    session: &mut Session<'_>,
    settings: &RunSettings,
    cancel: &Cancel,
    clock: &mut Clock<'_>,
) -> Result<StopReason> {
    let about = format!("{} operations", session.harness.operations.len());
    clock.stage(Stage::Explore, about, |events| {
        let stop = match &settings.source {
            SequenceSource::Random => session.explore(settings.first_budget(), cancel, events)?,
            SequenceSource::Script(path) => {
                let sequences = read_script(path, session.fleet.manifest())?;
                session.run_script(&sequences, cancel)?
            }
        };
        if settings.refute != Refute::SkipAll {
            session.relate(cancel, events)?;
        }
        Ok(stop)
    })
}

/// Faults of earlier runs come first.
fn replay_earlier(
    session: &mut Session<'_>,
    settings: &RunSettings,
    cancel: &Cancel,
    clock: &mut Clock<'_>,
) -> Result<Option<Regressions>> {
    if settings.earlier == Earlier::Ignored || settings.refute == Refute::SkipAll {
        return Ok(None);
    }
    let mut warnings = Vec::new();
    let subject = &session.api.subject;
    let mut earlier = Regressions::load(subject, &mut |event| warnings.push(event));
    for warning in warnings {
        clock.tell(warning);
    }
    let known = earlier.of(Build::Debug);
    if known > 0 {
        let about = format!("{} of earlier runs", counted(known as u64, "fault"));
        clock.stage(Stage::Replay, about, |events| {
            let field = Field { fleet: &mut session.fleet, campaign: &mut session.campaign };
            earlier.replay(field, settings.inject, (cancel, events))
        })?;
    }
    Ok(Some(earlier))
}

fn read_script(path: &Path, manifest: &Manifest) -> Result<Vec<Sequence>> {
    let text = std::fs::read_to_string(path)
        .map_err(|source| EngineError::ReadScript { path: path.to_owned(), source })?;
    parse_script(&text, manifest)
        .map_err(|source| EngineError::ParseScript { path: path.to_owned(), source })
}

/// Shrinks and confirms what was found; after an interrupt only for a moment.
fn confirm(
    session: &mut Session<'_>,
    branches: &mut [Branch],
    settings: &RunSettings,
    cancel: &Cancel,
    clock: &mut Clock<'_>,
) -> Result<Judged> {
    let found = session.campaign.findings().len() + session.campaign.injected().len();
    let about = format!("{found} findings");
    let last = Cancel::new().until(Instant::now() + LAST_WORDS);
    let hasty = settings.budget.time.map(|time| cancel.hasty_from(Instant::now() + time));
    let cancel = if cancel.is_interrupted() { &last } else { hasty.as_ref().unwrap_or(cancel) };
    clock.stage(Stage::Confirm, about, |events| {
        session.stop_watching()?;
        let mut blamed = Vec::new();
        let (findings, ground) = (session.campaign.findings(), session.campaign.ground());
        let (fleet, laws) = (&mut session.fleet, &session.campaign.totals().laws);
        let evidence = (findings, &mut *fleet);
        let findings = explain_crashes(branches, evidence, &mut blamed, (cancel, events))?;
        let mut judged =
            judge(fleet, (&findings, laws), ground, Effort::default(), (cancel, events))?;
        judged.faults.extend(blamed);
        let evidence = (&findings, settings, &mut *fleet);
        explain_misuse(branches, evidence, &mut judged.faults, (cancel, events))?;
        judged.faults.extend(rounds::sentinel_faults(session, cancel)?);
        judged.faults.extend(doc_promises::unannounced_faults(session, cancel)?);
        let matter = (session.campaign.ground(), Effort::default());
        let (injected, fleet) = (session.campaign.injected(), &mut session.fleet);
        judge_injected(fleet, injected, matter, &mut judged.faults, (cancel, events))?;
        let evidence = (injected, settings);
        explain_flaky(branches, evidence, &mut judged.faults, (cancel, events))?;
        let way = (settings, &mut session.fleet);
        judge_branches(branches, way, &mut judged, (cancel, events))?;
        judged.faults = told_once(judged.faults);
        Ok(judged)
    })
}
