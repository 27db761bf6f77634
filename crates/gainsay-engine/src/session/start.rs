//! Start of workers, confined, with the values that the subject's source suggests.

use std::{cell::RefCell, fs, io, path::Path};

use gainsay_explore::{Campaign, Plan, SubjectModel, trusting};
use gainsay_harness::{Harness, subject_counters};
use gainsay_model::{api::Api, build::Build};
use gainsay_store::Store;
use gainsay_wire::{Settings as WorkerSettings, Value};
use gainsay_workers::{Confinement, Fleet, Program, Runner as _, Sight, children_cpu_seconds};

use super::{Session, Sizes};
use crate::{
    error::{EngineError, FileAction, Result},
    settings::{Inject, RunSettings, Sandbox, StoredPool},
};

/// Time for a single step. A call that takes longer is taken for a hang; shorter limits blame slow
/// calls on busy machines.
const STEP_MILLIS: u32 = 1_000;
/// Memory of a worker. Enough for any honest object of a few thousand calls, little enough for many
/// workers side by side.
const MEMORY_BYTES: u64 = 512 << 20;

impl Session {
    /// Starts workers, and opens the store of earlier runs or an empty one.
    pub(crate) fn open(
        api: Api,
        harness: Harness,
        settings: &RunSettings,
        sandbox: Sandbox,
    ) -> Result<Session> {
        let path = api.subject.out_dir.join("store.sqlite");
        if settings.pool == StoredPool::Dropped {
            // The log files belong to the store: a new store beside old ones would be damaged.
            for ending in ["", "-wal", "-shm"] {
                remove_if_there(&api.subject.out_dir.join(format!("store.sqlite{ending}")))
                    .map_err(EngineError::of_file(FileAction::Replace, &path))?;
            }
        }
        let store = Store::open_for_run(&path)?;
        let workers = Workers { build: Build::Debug, crew: Crew::of(settings), sandbox };
        let fleet = start_fleet(&api, &harness, &workers)?;
        let mut session = Session::new(api, harness, settings.clone(), store, fleet);
        // Coverage of std and of dependencies says nothing of the crate.
        let counters = subject_counters(&session.harness.program, &session.api.subject.lib_name);
        if let Some(counters) = &counters {
            session.campaign.count_only(counters);
        }
        let settings = WorkerSettings {
            counters: counters.unwrap_or_default(),
            trusting: trusting(session.campaign.ground()),
            ..session.fleet.settings().clone()
        };
        session.fleet.configure(settings)?;
        if session.settings.inject == Inject::Never {
            session.campaign.spare_callers();
        }
        session.sandbox = sandbox;
        Ok(session)
    }

    /// Starts one worker and no lasting store.
    pub(crate) fn open_for_replay(
        api: Api,
        harness: Harness,
        workers: &Workers,
    ) -> Result<Session> {
        let fleet = start_fleet(&api, &harness, workers)?;
        let mut session =
            Session::new(api, harness, RunSettings::default(), Store::in_memory()?, fleet);
        session.sandbox = workers.sandbox;
        Ok(session)
    }

    fn new(
        api: Api,
        harness: Harness,
        settings: RunSettings,
        store: Store,
        fleet: Fleet,
    ) -> Session {
        // Before the first call, after the builds: compilers are children, too.
        let cpu_before = Some(children_cpu_seconds());
        let operation = |index: Option<usize>| index.and_then(|i| api.operations.get(i).cloned());
        let operations = harness.operations.iter().map(|op| operation(op.api)).collect();
        let root = &api.subject.root;
        // Panics tell of files by the path that the compiler was given, which may be another one.
        let ground = SubjectModel::new(fleet.manifest().clone(), operations, root.clone())
            .with_root(root.canonicalize().unwrap_or_else(|_| root.clone()));
        let campaign = Campaign::new(settings.seed, ground, Plan::default());
        Session {
            api,
            harness,
            settings,
            store,
            fleet,
            campaign,
            attacked: None,
            sandbox: Sandbox::Off,
            workshop: None,
            known_faults: None,
            meetings: Vec::new(),
            samples: RefCell::default(),
            covered_before: 0,
            sizes: Sizes::default(),
            cpu_before,
        }
    }
}

/// Worker processes that are to be started.
pub(crate) struct Workers {
    /// The build that they run.
    pub(crate) build: Build,
    /// Their number and their environment.
    pub(crate) crew: Crew,
    /// Their confinement.
    pub(crate) sandbox: Sandbox,
}

/// A number of workers and the variables of their environment.
pub(crate) struct Crew {
    pub(crate) jobs: usize,
    pub(crate) environment: Vec<(String, String)>,
}

impl Crew {
    /// The workers of a run.
    pub(crate) fn of(settings: &RunSettings) -> Crew {
        Crew { jobs: settings.jobs, environment: settings.environment.clone() }
    }
}

/// Starts workers for a subject.
pub(crate) fn start_fleet(api: &Api, harness: &Harness, workers: &Workers) -> Result<Fleet> {
    // A sanitized program reads its own code to write where memory broke.
    let sight = if workers.build == Build::Asan { Sight::Itself } else { Sight::Nothing };
    let confinement = confinement(workers.sandbox, sight)?;
    // Builds run at the same time and must not see each other's files.
    let scratch = match workers.build {
        Build::Debug => "scratch".to_owned(),
        other => format!("scratch-{other}"),
    };
    let scratch = api.subject.out_dir.join(scratch);
    let (path, environment) = (harness.program.clone(), workers.crew.environment.clone());
    let program = Program { path, scratch, confinement, environment };
    let settings = WorkerSettings {
        step_millis: STEP_MILLIS,
        memory_bytes: MEMORY_BYTES,
        integers: api.literals.integers.clone(),
        strings: api.literals.strings.clone(),
        chars: api.literals.chars.clone(),
        floats: api.literals.floats.iter().filter_map(|text| parse_float(text)).collect(),
        ..WorkerSettings::default()
    };
    Ok(Fleet::start(&program, workers.crew.jobs, settings)?)
}

/// Returns the confinement that keeps calls from harm.
pub(crate) fn confinement(sandbox: Sandbox, sight: Sight) -> Result<Confinement> {
    Ok(match sandbox {
        Sandbox::Off => Confinement::Off,
        Sandbox::On(network) => {
            // The launcher is this very program, started again: see `become_worker_if_asked`. A
            // program of its own would have to be found and installed.
            let launcher =
                std::env::current_exe().map_err(|source| EngineError::NoLauncher { source })?;
            Confinement::Sandbox { launcher, network, sight }
        }
    })
}

fn parse_float(text: &str) -> Option<Value> {
    text.parse().ok().map(Value::Float)
}

fn remove_if_there(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}
