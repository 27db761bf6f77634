//! A fleet: a fixed number of workers, of which as many as there are jobs work at once, each fed
//! by a thread of its own for the length of a batch.
//!
//! Some explore, others run given sequences, so that what happens in a replay never touches what
//! an exploring worker remembers.

use std::{
    fs,
    path::PathBuf,
    sync::atomic::{AtomicBool, Ordering},
    thread,
    time::{Duration, Instant},
};

use gainsay_wire::{EpochReport, Manifest, RunReport, RunTask, Settings};

use crate::{
    Answer, Cancel, Confinement, PlacedEpoch, Protection, Ran, Runner, Work, WorkerError,
    batch::{Batch, Start, Task},
    cell::Cell,
    nursery::Nursery,
    worker::{Terms, Worker},
};

/// Workers of each kind, whatever the number of jobs: what a process did before it gets a task
/// must not depend on the machine. A process is started when its place is first needed.
pub const PLACES: u32 = 8;

/// A worker program and where it may write.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// The executable.
    pub path: PathBuf,
    /// A directory for this fleet alone; made when missing.
    pub scratch: PathBuf,
    /// What keeps it from harm.
    pub confinement: Confinement,
    /// Variables of its environment, which has nothing else of this process's.
    pub environment: Vec<(String, String)>,
}

/// What a worker is allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// A task as a whole may take this long. Far more than the worker's own limit per step: it
    /// counts when the worker's watchdog is dead too.
    pub task: Duration,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { task: Duration::from_mins(1) }
    }
}

/// Workers in use. Dropping it ends them all.
#[derive(Debug)]
pub struct Fleet {
    /// Explore; each knows only its own epochs.
    explorers: Vec<Worker>,
    /// Run given sequences.
    runners: Vec<Worker>,
    jobs: usize,
    limits: Limits,
    settings: Settings,
    /// As the program offers it.
    offered: Manifest,
    /// With the queries that the settings demote switched off.
    manifest: Manifest,
    protection: Protection,
    deaths: u64,
}

impl Fleet {
    /// A fleet of which at most `jobs` workers are busy at a time, at least one.
    pub fn start(program: &Program, jobs: usize, settings: Settings) -> Result<Fleet, WorkerError> {
        Fleet::start_with(program, jobs, settings, Limits::default())
    }

    /// The same with limits of its own.
    pub fn start_with(
        program: &Program,
        jobs: usize,
        settings: Settings,
        limits: Limits,
    ) -> Result<Fleet, WorkerError> {
        let scratch = fs::create_dir_all(&program.scratch)
            .and_then(|()| program.scratch.canonicalize())
            .map_err(|source| WorkerError::Scratch { path: program.scratch.clone(), source })?;
        let spawn = |source| WorkerError::Spawn { path: program.path.clone(), source };
        let path = program.path.canonicalize().map_err(spawn)?;
        let nursery = Nursery::open().map_err(spawn)?;
        let cell = Cell::build(&program.confinement, &scratch, &path)?;
        let place =
            |name: String| Worker::new(program, (&path, &scratch.join(name)), &nursery, &cell);
        let mut explorers: Vec<Worker> =
            (0..PLACES).map(|number| place(format!("explorer-{number}"))).collect();
        let runners = (0..PLACES).map(|number| place(format!("runner-{number}"))).collect();
        let cancel = Cancel::new();
        let terms =
            Terms { settings: &settings, manifest: None, patience: limits.task, cancel: &cancel };
        let offered = explorers[0].start(terms)?;
        explorers[0].get_ready(Terms { manifest: Some(&offered), ..terms })?;
        let manifest = as_settled(&offered, &settings);
        let jobs = jobs.max(1);
        let protection = cell.protection();
        let deaths = 0;
        Ok(Fleet {
            explorers,
            runners,
            jobs,
            limits,
            settings,
            offered,
            manifest,
            protection,
            deaths,
        })
    }

    /// What keeps workers from harm.
    pub fn protection(&self) -> &Protection {
        &self.protection
    }

    /// Ends all processes; each place has a new one with its next task.
    pub fn rest(&mut self) {
        self.explorers.iter_mut().chain(&mut self.runners).for_each(Worker::retire);
    }

    fn run_from(
        &mut self,
        start: Start,
        tasks: &[RunTask],
        cancel: &Cancel,
    ) -> Result<Vec<Answer<RunReport>>, WorkerError> {
        let terms = terms(&self.settings, &self.offered, self.limits, cancel);
        let batch = Batch::new(tasks.iter().enumerate(), &mut self.runners, start);
        let answers = work_off(batch, self.jobs, terms)?;
        self.deaths += deaths_in(&answers);
        Ok(answers)
    }
}

/// What holds for the tasks of one batch.
fn terms<'a>(
    settings: &'a Settings,
    offered: &'a Manifest,
    limits: Limits,
    cancel: &'a Cancel,
) -> Terms<'a> {
    Terms { settings, manifest: Some(offered), patience: limits.task, cancel }
}

fn work_off<T: Task>(
    batch: Batch<'_, T>,
    jobs: usize,
    terms: Terms,
) -> Result<Vec<Answer<T::Report>>, WorkerError> {
    let hands = batch.lanes().min(jobs);
    if hands <= 1 {
        batch.work(terms);
    } else {
        work_while(hands, &|_| batch.work(terms), &mut || {});
    }
    Ok(batch.finish()?.0)
}

/// Works with so many threads, and meanwhile does something else in this one. Tells how long the
/// work took. Each thread knows its number, and whether what is done meanwhile is over.
fn work_while(hands: usize, work: &(dyn Fn(Hand) + Sync), meanwhile: &mut dyn FnMut()) -> Duration {
    let (began, over) = (Instant::now(), AtomicBool::new(false));
    let hand = |number| {
        work(Hand { number, over: &over });
        began.elapsed()
    };
    thread::scope(|scope| {
        let hand = &hand;
        let hands: Vec<_> = (0..hands).map(|i| scope.spawn(move || hand(i))).collect();
        {
            // Even if it panics, lest the hands go on for ever.
            let _at_the_end = Signal(&over);
            meanwhile();
        }
        let ends = hands
            .into_iter()
            .map(|hand| hand.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        ends.max().unwrap_or_default()
    })
}

/// A thread that works on a batch.
struct Hand<'a> {
    number: usize,
    /// Whether what is done meanwhile is over.
    over: &'a AtomicBool,
}

/// Sets a flag when it goes.
struct Signal<'a>(&'a AtomicBool);

impl Drop for Signal<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

fn deaths_in<T>(answers: &[Answer<T>]) -> u64 {
    answers.iter().filter(|answer| matches!(answer, Answer::Died(_))).count() as u64
}

impl Runner for Fleet {
    fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    fn settings(&self) -> &Settings {
        &self.settings
    }

    fn configure(&mut self, settings: Settings) -> Result<(), WorkerError> {
        self.manifest = as_settled(&self.offered, &settings);
        self.settings = settings;
        let all = self.explorers.iter_mut().chain(&mut self.runners);
        all.for_each(Worker::settings_changed);
        Ok(())
    }

    fn epochs(
        &mut self,
        epochs: &[PlacedEpoch],
        cancel: &Cancel,
    ) -> Result<Vec<Answer<EpochReport>>, WorkerError> {
        let terms = terms(&self.settings, &self.offered, self.limits, cancel);
        let placed = epochs.iter().map(|epoch| (epoch.place, &epoch.task));
        let batch = Batch::new(placed, &mut self.explorers, Start::Warm);
        let answers = work_off(batch, self.jobs, terms)?;
        self.deaths += deaths_in(&answers);
        Ok(answers)
    }

    fn run(
        &mut self,
        tasks: &[RunTask],
        cancel: &Cancel,
    ) -> Result<Vec<Answer<RunReport>>, WorkerError> {
        self.run_from(Start::Warm, tasks, cancel)
    }

    fn run_while(
        &mut self,
        Work { tasks, epochs, spare }: Work<'_>,
        cancel: &Cancel,
        meanwhile: &mut dyn FnMut(),
    ) -> Result<Ran, WorkerError> {
        let terms = terms(&self.settings, &self.offered, self.limits, cancel);
        let runs = Batch::new(tasks.iter().enumerate(), &mut self.runners, Start::Warm);
        let placed = epochs.iter().map(|epoch| (epoch.place, &epoch.task));
        let explored = Batch::new(placed, &mut self.explorers, Start::Warm);
        // What is done meanwhile has a processor for itself where there is more than one.
        let filling = if spare.is_some() { (self.jobs - 1).max(1) } else { 0 };
        let hands = (runs.lanes() + explored.lanes()).min(self.jobs).max(filling);
        let open = cancel.without_deadline();
        let work = |hand: Hand| {
            runs.work(terms);
            explored.work(terms);
            if let Some(spare) = spare.filter(|_| hand.number < filling) {
                let goes_on = || !hand.over.load(Ordering::Relaxed) && !open.is_cancelled();
                let terms = Terms { cancel: &open, ..terms };
                explored.work_more(terms, &|| if goes_on() { spare() } else { None });
            }
        };
        let busy = work_while(hands, &work, meanwhile);
        let (answers, _) = runs.finish()?;
        let (epochs, spare) = explored.finish()?;
        self.deaths += deaths_in(&answers) + deaths_in(&epochs) + deaths_in(&spare);
        Ok(Ran { answers, epochs, spare, busy })
    }

    fn run_fresh(
        &mut self,
        tasks: &[RunTask],
        cancel: &Cancel,
    ) -> Result<Vec<Answer<RunReport>>, WorkerError> {
        self.run_from(Start::Fresh, tasks, cancel)
    }

    fn deaths(&self) -> u64 {
        self.deaths
    }
}

/// The offered tables with the vocabulary that the settings hold.
fn as_settled(offered: &Manifest, settings: &Settings) -> Manifest {
    let mut manifest = offered.clone();
    manifest.settle(&settings.demoted, &settings.locking);
    manifest
}
