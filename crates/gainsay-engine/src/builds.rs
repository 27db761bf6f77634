//! Builds besides the ordinary one: made in the background while that is explored, then given the
//! sequences that it found worth keeping, then explored in their turn.

use std::{
    collections::BTreeMap,
    sync::mpsc::{self, Receiver, RecvTimeoutError},
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use gainsay_explore::{
    Budget, Builds, Campaign, Effort, Findings, Identity, Judged, Listeners, Plan, Raw, is_crash,
    is_untold, judge, judge_injected, judge_memory, replay,
};
use gainsay_harness::{Background, BuildOptions, Harness, HarnessError, Manners, subject_counters};
use gainsay_model::{
    api::Api,
    build::Build,
    event::{Event, Stage},
    fault::{Confirmation, Fault},
};
use gainsay_report::counted;
use gainsay_wire::{OpId, Oracle, Sequence, Settings as WorkerSettings};
use gainsay_workers::{Cancel, Fleet, Runner as _};

use crate::{
    clock::Clock,
    error::{EngineError, Result},
    known_faults::{Field, Regressions},
    session::{Crew, PARTS, Session, fleet},
    settings::{Inject, Others, RunSettings, Sandbox},
};

/// So many of the objects that the ordinary build made are made again.
const MOST_REPLAYED: usize = 3_000;
/// Replays may take this part of a build's time.
const REPLAY_SHARE: u32 = 3;
/// Builds that nobody asked for are waited for as long as the run takes, or so long if that is more.
/// They are made once for many runs.
const LEAST_PATIENCE: Duration = Duration::from_mins(1);
/// In one epoch of so many the caller's code misbehaves.
const INJECT_EVERY: u64 = 2;
/// Makes the seed another one in each build.
const OTHER_SEED: u64 = 0x5851_f42d_4c95_7f2d;
/// What was found in other builds may take as long as the run to settle, and so long in any case: what
/// is not settled is lost.
const LEAST_TO_SETTLE: Duration = Duration::from_secs(30);

type Made = Result<Harness, HarnessError>;

/// Builds that are being made.
pub(crate) struct Workshop {
    background: Background,
    made: Receiver<(Build, Made)>,
    early: BTreeMap<Build, Made>,
    thread: Option<JoinHandle<()>>,
}

/// A build that was explored.
pub(crate) struct Branch {
    build: Build,
    fleet: Fleet,
    campaign: Campaign,
}

impl Workshop {
    /// Begins to make builds, one after the other.
    pub(crate) fn open(api: &Api, others: &Others) -> Workshop {
        let (send, made) = mpsc::channel();
        let manners = if others.asked { Manners::Pressing } else { Manners::Polite };
        let background = Background::new(manners);
        let (api, builds) = (api.clone(), others.builds.clone());
        let wrapper = std::env::current_exe().ok();
        let options = BuildOptions { wrapper, background: Some(background.clone()) };
        let work = move || {
            for build in builds {
                let made = gainsay_harness::build_as(&api, build, &options);
                if send.send((build, made)).is_err() {
                    return;
                }
            }
        };
        Workshop { background, made, early: BTreeMap::new(), thread: Some(thread::spawn(work)) }
    }

    /// A build, unless it takes too long.
    fn take(&mut self, wanted: Build, patience: Option<Instant>, cancel: &Cancel) -> Option<Made> {
        const LOOK: Duration = Duration::from_millis(50);
        loop {
            if let Some(made) = self.early.remove(&wanted) {
                return Some(made);
            }
            match self.made.recv_timeout(LOOK) {
                Ok((build, made)) => _ = self.early.insert(build, made),
                Err(RecvTimeoutError::Disconnected) => return None,
                Err(RecvTimeoutError::Timeout) => {
                    let is_over = patience.is_some_and(|until| Instant::now() >= until);
                    if is_over || cancel.is_cancelled() {
                        return None;
                    }
                }
            }
        }
    }
}

impl Drop for Workshop {
    fn drop(&mut self) {
        self.background.stop();
        if let Some(thread) = self.thread.take() {
            thread.join().ok();
        }
    }
}

/// Explores all builds besides the ordinary one, as far as they can be had, each after the faults of
/// earlier runs that it showed.
pub(crate) fn explore(
    session: &Session<'_>,
    (mut workshop, mut earlier): (Workshop, Option<&mut Regressions>),
    (settings, sandbox): (&RunSettings, Sandbox),
    cancel: &Cancel,
    clock: &mut Clock<'_>,
) -> Result<Vec<Branch>> {
    let kept = kept_sequences(session)?;
    let mut branches = Vec::new();
    let time = settings.fraction(1, 1).time.filter(|_| !settings.others.asked);
    let patience = time.map(|time| Instant::now() + time.max(LEAST_PATIENCE));
    for &build in &settings.others.builds {
        if cancel.is_interrupted() {
            break;
        }
        let made = clock.stage(Stage::Harness, format!("{build} build"), |_| {
            Ok(workshop.take(build, patience, cancel))
        })?;
        let branch = match made {
            Some(Ok(harness)) => Branch::open(session, build, &harness, settings, sandbox),
            Some(Err(error)) => Err(error.into()),
            None => Err(EngineError::BuildNotReady { build }),
        };
        match branch {
            Err(_) if cancel.is_interrupted() => break,
            Err(error) => {
                let why = error.to_string();
                let line = why.lines().next().unwrap_or_default();
                clock.tell(Event::Degraded(format!("no {build} build: {line}")));
            }
            Ok(mut branch) => {
                if let Some(earlier) = earlier.as_deref_mut().filter(|it| it.of(build) > 0) {
                    let about = counted(earlier.of(build) as u64, "fault");
                    clock.stage(Stage::Replay, format!("{about} of earlier runs"), |events| {
                        earlier.replay(branch.field(), settings.inject, (cancel, events))
                    })?;
                }
                clock.stage(Stage::Explore, format!("{build} build"), |events| {
                    branch.explore(&kept, settings, cancel, events)
                })?;
                branches.push(branch);
            }
        }
    }
    Ok(branches)
}

/// What the ordinary build found worth keeping: how objects in different states are made.
fn kept_sequences(session: &Session<'_>) -> Result<Vec<Sequence>> {
    let objects = session.store.some_objects(MOST_REPLAYED)?;
    let mut sequences: Vec<Sequence> = objects.into_iter().map(|object| object.recipe).collect();
    sequences.sort_by(|a, b| (a.steps.len(), a).cmp(&(b.steps.len(), b)));
    sequences.dedup();
    Ok(sequences)
}

impl Branch {
    fn open(
        session: &Session<'_>,
        build: Build,
        harness: &Harness,
        settings: &RunSettings,
        sandbox: Sandbox,
    ) -> Result<Branch> {
        let api = session.api;
        let mut fleet = fleet(api, (harness, build), &Crew::of(settings), sandbox)?;
        let counters = subject_counters(&harness.program, &api.subject.lib_name);
        let ground = session.campaign.ground().built_as(build);
        let inject_every = match settings.inject {
            Inject::Sometimes => INJECT_EVERY,
            Inject::Never => 0,
        };
        let seed = session.seed ^ OTHER_SEED.wrapping_mul(build as u64 + 1);
        let plan = Plan { inject_every, ..Plan::default() };
        let mut campaign = Campaign::new(seed, ground, plan);
        if let Some(counters) = &counters {
            campaign.count_only(counters);
        }
        let earlier = settings.others.builds.iter().take_while(|other| **other != build);
        let parts = [Build::Debug].iter().chain(earlier).map(|other| settings.part_of(*other));
        let explored = settings.fraction(parts.sum(), PARTS).time.unwrap_or_default();
        campaign.follow(&session.campaign, explored);
        let chosen = WorkerSettings {
            counters: counters.unwrap_or_default(),
            checks: Vec::new(),
            requires: Vec::new(),
            ..session.fleet.settings().clone()
        };
        fleet.configure(chosen)?;
        if fleet.manifest() != session.fleet.manifest() {
            return Err(EngineError::OtherOperations { build });
        }
        Ok(Branch { build, fleet, campaign })
    }

    fn field(&mut self) -> Field<'_> {
        Field { fleet: &mut self.fleet, campaign: &mut self.campaign }
    }

    fn explore(
        &mut self,
        kept: &[Sequence],
        settings: &RunSettings,
        cancel: &Cancel,
        events: &mut dyn FnMut(Event),
    ) -> Result<()> {
        let Budget { time, calls } = settings.fraction(settings.part_of(self.build), PARTS);
        let began = Instant::now();
        let deadline = time.map(|time| cancel.until(began + time / REPLAY_SHARE));
        let until = deadline.as_ref().unwrap_or(cancel);
        replay(&mut self.fleet, kept, &mut self.campaign, until)?;
        let left = Budget { time: time.map(|time| time.saturating_sub(began.elapsed())), calls };
        let mut listeners = Listeners { report: &mut |_| {}, event: events };
        self.campaign.run(&mut self.fleet, left, cancel, &mut listeners)?;
        Ok(())
    }
}

/// Crashes of the ordinary build that a build which sees memory break explains are taken out of
/// `findings`, and what explains them is added to the faults.
pub(crate) fn explain_crashes(
    branches: &mut [Branch],
    (findings, ordinary): (&Findings, &mut Fleet),
    faults: &mut Vec<Fault>,
    (cancel, events): (&Cancel, &mut dyn FnMut(Event)),
) -> Result<Findings> {
    let crashes = findings.only(is_crash);
    let Some(branch) = branches.iter_mut().find(|branch| branch.build == Build::Asan) else {
        return Ok(findings.clone());
    };
    let ground = branch.campaign.ground();
    let mut builds = Builds { other: &mut branch.fleet, subject: ground, ordinary };
    let matter = (Effort::default(), cancel);
    let explained = judge_memory(&mut builds, &crashes, matter, faults, events)?;
    Ok(findings.only(|raw| !explained.contains(&raw.sighting.identity)))
}

/// Misuse of elements that the ordinary build shows only now and then, as where memory is read that is
/// no longer an object's, is made again in a build that sees memory break; what that shows takes its
/// place.
pub(crate) fn explain_misuse(
    branches: &mut [Branch],
    (findings, settings, ordinary): (&Findings, &RunSettings, &mut Fleet),
    faults: &mut Vec<Fault>,
    (cancel, events): (&Cancel, &mut dyn FnMut(Event)),
) -> Result<()> {
    let is_flaky = |fault: &Fault| {
        fault.confirmation == Confirmation::Flaky && matches!(fault.oracle, Oracle::Probe(_))
    };
    let asan = branches.iter_mut().find(|branch| branch.build == Build::Asan);
    let Some(branch) = asan.filter(|_| faults.iter().any(is_flaky)) else { return Ok(()) };
    let deadline = time_to_settle(settings, cancel);
    let cancel = deadline.as_ref().unwrap_or(cancel);
    let (flaky, mut others): (Vec<Fault>, Vec<Fault>) = faults.drain(..).partition(is_flaky);
    let is_one = |raw: &Raw| flaky.iter().any(|fault| fault.id == raw.sighting.identity.id());
    let ground = branch.campaign.ground();
    let mut builds = Builds { other: &mut branch.fleet, subject: ground, ordinary };
    let matter = (Effort::default(), cancel);
    let explained = judge_memory(&mut builds, &findings.only(is_one), matter, &mut others, events)?;
    let explained: Vec<String> = explained.iter().map(Identity::id).collect();
    let left = flaky.into_iter().filter(|fault| !explained.contains(&fault.id));
    others.extend(left);
    *faults = others;
    Ok(())
}

/// What callers that misbehave broke, and the ordinary build shows only now and then, is made again in
/// a build that sees memory break; what that shows of the same operation takes its place.
pub(crate) fn explain_flaky(
    branches: &mut [Branch],
    (injected, settings): (&Findings, &RunSettings),
    faults: &mut Vec<Fault>,
    (cancel, events): (&Cancel, &mut dyn FnMut(Event)),
) -> Result<()> {
    let is_flaky = |fault: &Fault| {
        fault.confirmation == Confirmation::Flaky && matches!(fault.oracle, Oracle::Death(_))
    };
    let asan = branches.iter_mut().find(|branch| branch.build == Build::Asan);
    let Some(branch) = asan.filter(|_| faults.iter().any(is_flaky)) else { return Ok(()) };
    let deadline = time_to_settle(settings, cancel);
    let cancel = deadline.as_ref().unwrap_or(cancel);
    let (crashes, matter) =
        (injected.only(is_crash), (branch.campaign.ground(), Effort::default()));
    let (flaky, mut others): (Vec<Fault>, Vec<Fault>) =
        faults.drain(..).partition(|fault| is_flaky(fault));
    let known = others.len();
    judge_injected(&mut branch.fleet, &crashes, matter, &mut others, (cancel, events))?;
    let explains = |other: &Fault, op: OpId| other.op == op && !is_flaky(other);
    let is_explained = |op: OpId| others[known..].iter().any(|other| explains(other, op));
    let left: Vec<Fault> = flaky.into_iter().filter(|fault| !is_explained(fault.op)).collect();
    faults.extend(others);
    faults.extend(left);
    Ok(())
}

fn time_to_settle(settings: &RunSettings, cancel: &Cancel) -> Option<Cancel> {
    let share = settings.fraction(1, 1).time.map(|time| time.max(LEAST_TO_SETTLE));
    share.map(|time| cancel.until(Instant::now() + time))
}

/// Settles what the other builds found and the ordinary one did not.
pub(crate) fn judge_branches(
    branches: &mut [Branch],
    (settings, ordinary): (&RunSettings, &mut Fleet),
    judged: &mut Judged,
    (cancel, events): (&Cancel, &mut dyn FnMut(Event)),
) -> Result<()> {
    let deadline = time_to_settle(settings, cancel);
    let cancel = deadline.as_ref().unwrap_or(cancel);
    for branch in branches {
        branch.judge_memory(ordinary, &mut judged.faults, (cancel, events))?;
        if branch.build == Build::Release {
            branch.judge_rest(judged, (cancel, events))?;
        }
    }
    Ok(())
}

impl Branch {
    fn judge_memory(
        &mut self,
        ordinary: &mut Fleet,
        faults: &mut Vec<Fault>,
        (cancel, events): (&Cancel, &mut dyn FnMut(Event)),
    ) -> Result<()> {
        let (ground, effort) = (self.campaign.ground(), Effort::default());
        let mut builds = Builds { other: &mut self.fleet, subject: ground, ordinary };
        let found = self.campaign.findings();
        judge_memory(&mut builds, found, (effort, cancel), faults, events)?;
        let known = faults.len();
        let injected = self.campaign.injected();
        judge_injected(builds.other, injected, (ground, effort), faults, (cancel, events))?;
        for fault in faults.split_off(known) {
            let fault = builds.plainer(fault, cancel)?;
            if is_untold(&fault, faults) {
                faults.push(fault);
            }
        }
        Ok(())
    }

    /// What else only shows where arithmetic wraps around. That an operation panics the ordinary
    /// build tells better.
    fn judge_rest(
        &mut self,
        judged: &mut Judged,
        listeners: (&Cancel, &mut dyn FnMut(Event)),
    ) -> Result<()> {
        let is_law = |oracle: &Oracle| matches!(oracle, Oracle::Law(_));
        // One law is told once, whichever operations break it.
        let is_told = |id: &str, oracle: &Oracle, told: &[Fault]| {
            told.iter().any(|other| other.id == id || is_law(oracle) && *oracle == other.oracle)
        };
        let is_rest = |raw: &Raw| match &raw.sighting.oracle {
            Oracle::Panic(_) | Oracle::Probe(_) => false,
            oracle => {
                let id = raw.sighting.identity.id();
                !is_crash(raw) && !is_told(&id, oracle, &judged.faults)
            }
        };
        let rest = self.campaign.findings().only(is_rest);
        let ground = self.campaign.ground();
        let found = (&rest, &self.campaign.totals().laws);
        let more = judge(&mut self.fleet, found, ground, Effort::default(), listeners)?;
        // Shrinking may have led to another operation.
        let is_news = |fault: &Fault| !is_told(&fault.id, &fault.oracle, &judged.faults);
        let news: Vec<Fault> = more.faults.into_iter().filter(is_news).collect();
        judged.faults.extend(news);
        Ok(())
    }
}
