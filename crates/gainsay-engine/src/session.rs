//! What a run works with: the store, the workers and the campaign, and the few moves between
//! them.

use std::{fs, io, path::Path};

use gainsay_explore::{
    Budget, Campaign, Listeners, Plan, SeenObject, SubjectModel, Telling, furniture, recheck,
    run_script, trusting,
};
use gainsay_harness::{Harness, subject_counters};
use gainsay_model::{
    api::Api,
    build::Build,
    event::{Event, StopReason},
};
use gainsay_refute::{Context, Limits, NothingKnown, evaluate_relations};
use gainsay_report::{Rebuilt, ViewSet};
use gainsay_store::{Store, StoredObject};
use gainsay_wire::{
    Breadth, Check, EpochReport, KeptCall, Manifest, RunReport, RunTask, Sequence,
    Settings as WorkerSettings, TypeId, Value, Violation, to_bytes,
};
use gainsay_workers::{
    Answer, Cancel, Confinement, Fleet, Program, Runner as _, Sight, children_cpu_seconds,
};

use crate::{
    error::{EngineError, FileAction, Lost, Result},
    settings::{Inject, Refute, RunSettings, Sandbox, SequenceSource, StoredPool},
};

/// Parts into which the budget is divided among builds.
pub(crate) const PARTS: u32 = 20;
/// A single step may take so long.
const STEP_MILLIS: u32 = 1_000;
/// A worker may hold so much memory.
const MEMORY_BYTES: u64 = 512 << 20;
/// So many calls with several objects are looked at for relations between their versions.
const MOST_RELATED: usize = 2_000;

/// About so many passing calls are looked at for regression tests, of three sorts each.
const MOST_RECIPES: usize = 700;
/// Of one operation and sort no more than this.
const RECIPES_EACH: usize = 16;
/// A test has no more calls than this.
const LONGEST_RECIPE: usize = 10;

/// The states of one epoch in so many are sized.
const SIZED_EVERY: u64 = 8;

/// A run in progress.
pub(crate) struct Session<'a> {
    pub(crate) api: &'a Api,
    pub(crate) harness: &'a Harness,
    pub(crate) seed: u64,
    pub(crate) store: Store,
    pub(crate) fleet: Fleet,
    pub(crate) campaign: Campaign,
    /// Calls in which several objects met, for relations between them.
    pub(crate) meetings: Vec<KeptCall>,
    /// Calls that attacks made, where somebody wants to look at them again.
    pub(crate) attacked: Option<Vec<KeptCall>>,
    /// Coverage counters hit by the time exploration ended.
    pub(crate) covered_before: u64,
    sizes: Sizes,
    cpu_before: Option<f64>,
}

/// Encoded sizes of states, of some epochs.
#[derive(Clone, Copy, Default)]
struct Sizes {
    epochs: u64,
    states: u64,
    bytes: u64,
}

impl<'a> Session<'a> {
    /// Starts workers, and the store of earlier runs or an empty one.
    pub(crate) fn open(
        api: &'a Api,
        harness: &'a Harness,
        settings: &RunSettings,
        sandbox: Sandbox,
    ) -> Result<Session<'a>> {
        let path = api.subject.out_dir.join("store.sqlite");
        if settings.pool == StoredPool::Dropped {
            for ending in ["", "-wal", "-shm"] {
                forget(&api.subject.out_dir.join(format!("store.sqlite{ending}")))
                    .map_err(EngineError::of_file(FileAction::Replace, &path))?;
            }
        }
        let store = Store::open_for_run(&path)?;
        let fleet = fleet(api, (harness, Build::Debug), &Crew::of(settings), sandbox)?;
        let mut session = Session::start(api, harness, store, fleet, settings.seed);
        let RunSettings { strategy, observing, .. } = *settings;
        let known = subject_counters(&harness.program, &api.subject.lib_name);
        if let Some(counters) = &known {
            session.campaign.count_only(counters);
        }
        let chosen = WorkerSettings {
            strategy,
            observing,
            counters: known.unwrap_or_default(),
            trusting: trusting(session.campaign.ground()),
            ..session.fleet.settings().clone()
        };
        session.fleet.configure(match settings.audit {
            Some(_) => widened(chosen),
            None => chosen,
        })?;
        if settings.inject == Inject::Never {
            session.campaign.spare_callers();
        }
        if settings.telling == Telling::Nothing {
            session.campaign.tell_nothing();
        }
        Ok(session)
    }

    /// Starts one worker and no lasting store.
    pub(crate) fn for_replay(
        api: &'a Api,
        harness: &'a Harness,
        (sandbox, build, environment): (Sandbox, Build, &[(String, String)]),
    ) -> Result<Session<'a>> {
        let crew = Crew { jobs: 1, environment: environment.to_vec() };
        let fleet = fleet(api, (harness, build), &crew, sandbox)?;
        Ok(Session::start(api, harness, Store::in_memory()?, fleet, 0))
    }

    fn start(
        api: &'a Api,
        harness: &'a Harness,
        store: Store,
        fleet: Fleet,
        seed: u64,
    ) -> Session<'a> {
        let cpu_before = Some(children_cpu_seconds());
        let operation = |index: Option<usize>| index.and_then(|i| api.operations.get(i).cloned());
        let operations = harness.operations.iter().map(|op| operation(op.api)).collect();
        let root = &api.subject.root;
        let ground = SubjectModel::new(fleet.manifest().clone(), operations, root.clone())
            .with_root(root.canonicalize().unwrap_or_else(|_| root.clone()));
        let campaign = Campaign::new(seed, ground, Plan::default());
        Session {
            api,
            harness,
            seed,
            store,
            fleet,
            campaign,
            meetings: Vec::new(),
            attacked: None,
            covered_before: 0,
            sizes: Sizes::default(),
            cpu_before,
        }
    }

    /// Recipes of passing calls of the last run, and its choice of queries for the workers.
    pub(crate) fn stored_recipes(&mut self) -> Result<Vec<Sequence>> {
        let (store, operations) = self.look_as_before()?;
        let each = (MOST_RECIPES / operations.max(1)).clamp(2, RECIPES_EACH);
        Ok(store.passing_recipes(each, LONGEST_RECIPE)?)
    }

    /// Has the workers look at what the last run looked at. Returns its store and the number of its
    /// operations.
    pub(crate) fn look_as_before(&mut self) -> Result<(Store, usize)> {
        let path = self.api.subject.out_dir.join("store.sqlite");
        if !path.exists() {
            return Err(EngineError::LastRunLost(Lost::Calls));
        }
        let mut store = Store::open(&path)?;
        store.resume_campaign()?;
        let stored = store.manifest()?;
        let names = |manifest: &Manifest| -> Vec<String> {
            manifest.ops.iter().map(|op| op.name.clone()).collect()
        };
        if names(stored) != names(self.fleet.manifest()) {
            return Err(EngineError::LastRunLost(Lost::Operations));
        }
        let demoted = (0..).map(TypeId).zip(&stored.types).flat_map(|(id, ty)| {
            let off = ty.queries.iter().filter(|query| !query.active);
            off.map(move |query| (id, query.name.clone()))
        });
        let demoted = demoted.collect();
        let types = (0..).map(TypeId).zip(&stored.types);
        let locking = types.filter(|(_, ty)| ty.locks).map(|(id, _)| id).collect();
        let operations = stored.ops.len();
        let settings = self.fleet.settings().clone();
        self.fleet.configure(WorkerSettings { demoted, locking, ..settings })?;
        self.campaign.adopt_vocabulary(&self.fleet);
        Ok((store, operations))
    }

    /// Compilers run beside the workers from now on: processor time cannot be told apart.
    pub(crate) fn has_company(&mut self) {
        self.cpu_before = None;
    }

    /// Has the campaign begin with what the subject's examples do; returns it.
    fn furnish(&mut self, events: &mut dyn FnMut(Event)) -> Vec<Sequence> {
        let furniture = furniture(&self.api.examples, self.campaign.ground());
        if furniture.examples > 0 {
            events(Event::Furnished(furniture.examples));
            self.campaign.furnish(furniture.sequences.clone());
        }
        furniture.sequences
    }

    /// Makes stored objects again, each in a fresh process.
    pub(crate) fn recheck(&mut self, most: usize, cancel: &Cancel) -> Result<Rebuilt> {
        let objects = self.store.some_objects(most)?;
        let seen: Vec<SeenObject<'_>> = objects
            .iter()
            .map(|StoredObject { ty, recipe, at, state }| SeenObject {
                ty: *ty,
                recipe,
                at: *at,
                state: *state,
            })
            .collect();
        let found = recheck(&mut self.fleet, &seen, cancel)?;
        Ok(Rebuilt { same: found.same, different: found.different.len() as u64 })
    }

    /// The first, random phase.
    pub(crate) fn explore(
        &mut self,
        budget: Budget,
        cancel: &Cancel,
        events: &mut dyn FnMut(Event),
    ) -> Result<StopReason> {
        self.settle(cancel, events)?;
        let (stop, _) = self.explore_more(budget, cancel, events)?;
        self.covered_before = self.campaign.totals().covered();
        Ok(stop)
    }

    /// All that comes before the first random call.
    pub(crate) fn settle(&mut self, cancel: &Cancel, events: &mut dyn FnMut(Event)) -> Result<()> {
        let examples = self.furnish(events);
        let stored = self.begin(cancel, events)?;
        if !stored.is_empty() {
            self.campaign.furnish([examples, stored].concat());
        }
        Ok(())
    }

    /// Evaluates relations among the objects of calls in which several met.
    pub(crate) fn relate(&mut self, cancel: &Cancel, events: &mut dyn FnMut(Event)) -> Result<()> {
        let manifest = self.fleet.manifest().clone();
        let mut context = Context {
            store: &mut self.store,
            runner: &mut self.fleet,
            manifest: &manifest,
            knowledge: &NothingKnown,
            limits: Limits::default(),
            focus: None,
            cancel,
            on_event: events,
        };
        evaluate_relations(&mut context, &self.meetings)?;
        Ok(())
    }

    /// Goes on exploring; returns violations of watched contracts, the first of each.
    pub(crate) fn explore_more(
        &mut self,
        budget: Budget,
        cancel: &Cancel,
        events: &mut dyn FnMut(Event),
    ) -> Result<(StopReason, Vec<Violation>)> {
        let (store, meetings, sizes) = (&mut self.store, &mut self.meetings, &mut self.sizes);
        let (campaign, fleet) = (&mut self.campaign, &mut self.fleet);
        let mut violations: Vec<Violation> = Vec::new();
        let end = store.record_while(|record| {
            let mut report = |report: EpochReport| {
                violations.extend(report.violations.iter().cloned());
                meet(meetings, &report.kept);
                sizes.add(&report);
                record(report);
            };
            let mut listeners = Listeners { report: &mut report, event: events };
            campaign.run(fleet, budget, cancel, &mut listeners)
        })??;
        Ok((end.stop, violations))
    }

    /// Given sequences in place of random ones.
    pub(crate) fn run_script(
        &mut self,
        sequences: &[Sequence],
        cancel: &Cancel,
    ) -> Result<StopReason> {
        self.begin(cancel, &mut |_| {})?;
        let ground = self.campaign.ground().clone();
        let findings = self.campaign.findings_mut();
        let report = run_script(&mut self.fleet, sequences, &ground, findings, cancel)?;
        meet(&mut self.meetings, &report.kept);
        self.campaign.count(&report);
        self.store.record_epochs(&[report])?;
        self.covered_before = self.campaign.totals().covered();
        Ok(StopReason::Script)
    }

    /// Has workers check contracts on every passing call, and mostly keep what is required.
    pub(crate) fn watch(&mut self, checks: Vec<Check>, requires: Vec<Check>) -> Result<()> {
        let settings = WorkerSettings { checks, requires, ..self.fleet.settings().clone() };
        Ok(self.fleet.configure(settings)?)
    }

    /// From now on values and sizes are drawn more widely.
    pub(crate) fn widen(&mut self) -> Result<()> {
        Ok(self.fleet.configure(widened(self.fleet.settings().clone()))?)
    }

    /// Ends the watch: replays must not depend on it.
    pub(crate) fn stop_watching(&mut self) -> Result<()> {
        self.watch(Vec::new(), Vec::new())
    }

    /// How much there is to look at: what figures of speed have to be read with.
    pub(crate) fn view_set(&self) -> ViewSet {
        let types = &self.fleet.manifest().types;
        let demoted = self.fleet.settings().demoted.len() as u64;
        let queries: usize = types.iter().map(|ty| ty.queries.len()).sum();
        ViewSet {
            types: types.len() as u64,
            queries: (queries as u64).saturating_sub(demoted),
            mean_state_bytes: self.sizes.mean(),
        }
    }

    /// Ends the workers and tells how much processor time they took, unless compilers took some as
    /// well.
    pub(crate) fn finish(self) -> Option<f64> {
        let before = self.cpu_before;
        drop(self.fleet);
        before.map(|before| children_cpu_seconds() - before)
    }
}

impl Sizes {
    /// Takes the size of the states of an epoch now and then.
    fn add(&mut self, report: &EpochReport) {
        if self.epochs.is_multiple_of(SIZED_EVERY) {
            let bytes = report.states.iter().map(|state| to_bytes(&state.values).len() as u64);
            self.bytes += bytes.sum::<u64>();
            self.states += report.states.len() as u64;
        }
        self.epochs += 1;
    }

    fn mean(self) -> f64 {
        if self.states == 0 { 0.0 } else { self.bytes as f64 / self.states as f64 }
    }
}

/// With values beyond those that the subject suggests: powers of two and ten with their
/// neighbours, longer texts, larger sizes.
pub(crate) fn widened(mut settings: WorkerSettings) -> WorkerSettings {
    if settings.breadth == Breadth::Wide {
        return settings;
    }
    let powers = (0..63).map(|bits| 1i64 << bits).chain((1..19).map(|digits| 10i64.pow(digits)));
    settings.integers.extend(powers.flat_map(|power| [power - 1, power, power + 1, -power]));
    settings.integers.sort_unstable();
    settings.integers.dedup();
    for text in ["a", "\u{e9}", "\u{4e16}", " ", "\0"] {
        settings.strings.extend([text.to_owned(), text.repeat(17), text.repeat(300)]);
    }
    settings.chars.extend(['\0', '\u{7f}', '\u{80}', '\u{ffff}', '\u{10ffff}']);
    settings.breadth = Breadth::Wide;
    settings
}

/// Runs a sequence in fresh processes, without views and with them.
pub(crate) fn run_again(
    fleet: &mut Fleet,
    sequence: &Sequence,
    cancel: &Cancel,
) -> Result<Vec<Answer<RunReport>>> {
    let ways = [false, true].map(|views| RunTask {
        sequence: sequence.clone(),
        views,
        laws: true,
        asks: vec![],
    });
    Ok(fleet.run_fresh(&ways, cancel)?)
}

/// How many workers, and what they find in their environment.
pub(crate) struct Crew {
    jobs: usize,
    environment: Vec<(String, String)>,
}

impl Crew {
    /// That of a run.
    pub(crate) fn of(settings: &RunSettings) -> Crew {
        Crew { jobs: settings.jobs, environment: settings.environment.clone() }
    }
}

/// Workers for a subject.
pub(crate) fn fleet(
    api: &Api,
    (harness, build): (&Harness, Build),
    crew: &Crew,
    sandbox: Sandbox,
) -> Result<Fleet> {
    let sight = if build == Build::Asan { Sight::Itself } else { Sight::Nothing };
    let confinement = confinement(sandbox, sight)?;
    let scratch = match build {
        Build::Debug => "scratch".to_owned(),
        other => format!("scratch-{other}"),
    };
    let scratch = api.subject.out_dir.join(scratch);
    let (path, environment) = (harness.program.clone(), crew.environment.clone());
    let program = Program { path, scratch, confinement, environment };
    let settings = WorkerSettings {
        step_millis: STEP_MILLIS,
        memory_bytes: MEMORY_BYTES,
        integers: api.literals.integers.clone(),
        strings: api.literals.strings.clone(),
        chars: api.literals.chars.clone(),
        floats: api.literals.floats.iter().filter_map(|text| float(text)).collect(),
        ..WorkerSettings::default()
    };
    Ok(Fleet::start(&program, crew.jobs, settings)?)
}

/// What keeps calls from harm.
pub(crate) fn confinement(sandbox: Sandbox, sight: Sight) -> Result<Confinement> {
    Ok(match sandbox {
        Sandbox::Off => Confinement::Off,
        Sandbox::On(network) => {
            let launcher =
                std::env::current_exe().map_err(|source| EngineError::NoLauncher { source })?;
            Confinement::Sandbox { launcher, network, sight }
        }
    })
}

fn float(text: &str) -> Option<Value> {
    text.parse().ok().map(Value::Float)
}

/// Keeps calls in which objects can be related.
fn meet(meetings: &mut Vec<KeptCall>, kept: &[KeptCall]) {
    let several = kept.iter().filter(|call| !call.observation.objects.is_empty());
    let room = MOST_RELATED.saturating_sub(meetings.len());
    meetings.extend(several.take(room).cloned());
}

fn forget(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

impl RunSettings {
    /// What each of the other builds gets of the budget, in parts of [`PARTS`]. The ordinary one
    /// has the rest.
    pub(crate) fn part_of(&self, build: Build) -> u32 {
        match build {
            Build::Debug => {
                PARTS - self.others.builds.iter().map(|b| self.part_of(*b)).sum::<u32>()
            }
            Build::Asan => 5,
            Build::Release => 3,
            Build::Unchecked => 2,
        }
    }

    /// Half of the budget goes to the first phase when contracts are attacked afterwards.
    pub(crate) fn first_budget(&self) -> Budget {
        match self.refute {
            Refute::Skip | Refute::SkipAll => self.share(1, 1),
            // What is audited is known: it is watched as early as possible.
            Refute::Search if self.audit.is_some() => self.share(1, 8),
            Refute::Search => self.share(1, 2),
        }
    }

    /// A share of the budget that the ordinary build has.
    pub(crate) fn share(&self, part: u32, of: u32) -> Budget {
        self.fraction(part * self.part_of(Build::Debug), of * PARTS)
    }

    /// A fraction of the whole budget.
    pub(crate) fn fraction(&self, part: u32, of: u32) -> Budget {
        let time = self.budget.time.map(|time| time * part / of);
        let calls = self.budget.calls.map(|calls| calls * u64::from(part) / u64::from(of));
        Budget { calls, time }
    }

    /// Whether the observations are a given suite, of which every call counts.
    pub(crate) fn is_given_suite(&self) -> bool {
        matches!(self.source, SequenceSource::Script(_))
    }
}
