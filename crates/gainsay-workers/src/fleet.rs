//! A fleet: as many workers as there are jobs, each fed by a thread of its own for the length of
//! a batch.

use std::{fs, path::PathBuf, thread, time::Duration};

use gainsay_wire::{EpochReport, EpochTask, Manifest, RunReport, RunTask, Settings};

use crate::{
    Answer, Cancel, Runner, WorkerError,
    batch::{Batch, Start, Task},
    nursery::Nursery,
    worker::{Terms, Worker},
};

/// A worker program and where it may write.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// The executable.
    pub path: PathBuf,
    /// A directory for this fleet alone; made when missing.
    pub scratch: PathBuf,
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
    workers: Vec<Worker>,
    limits: Limits,
    settings: Settings,
    /// As the program offers it.
    offered: Manifest,
    /// With the queries that the settings demote switched off.
    manifest: Manifest,
    deaths: u64,
}

impl Fleet {
    /// Starts workers, at least one.
    pub fn start(program: &Program, jobs: usize, settings: Settings) -> Result<Fleet, WorkerError> {
        Fleet::start_with(program, jobs, settings, Limits::default())
    }

    /// Starts workers with limits of their own.
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
        let place = |number| Worker::new(&path, &scratch, number, nursery.clone());
        let mut workers: Vec<Worker> = (0..jobs.max(1)).map(place).collect();
        let cancel = Cancel::new();
        let terms =
            Terms { settings: &settings, manifest: None, patience: limits.task, cancel: &cancel };
        let offered = workers[0].start(terms)?;
        for worker in &mut workers {
            worker.get_ready(Terms { manifest: Some(&offered), ..terms })?;
        }
        let manifest = with_demotions(&offered, &settings);
        Ok(Fleet { workers, limits, settings, offered, manifest, deaths: 0 })
    }

    fn answers<T: Task>(
        &mut self,
        tasks: &[T],
        cancel: &Cancel,
        start: Start,
    ) -> Result<Vec<Answer<T::Report>>, WorkerError> {
        let batch = Batch::new(tasks, start);
        let terms = Terms {
            settings: &self.settings,
            manifest: Some(&self.offered),
            patience: self.limits.task,
            cancel,
        };
        let hands = self.workers.len().min(tasks.len());
        if hands == 1 {
            batch.work(&mut self.workers[0], terms);
        } else {
            thread::scope(|scope| {
                for worker in &mut self.workers[..hands] {
                    scope.spawn(|| batch.work(worker, terms));
                }
            });
        }
        let answers = batch.finish()?;
        let died = |answer: &&Answer<T::Report>| matches!(answer, Answer::Died(_));
        self.deaths += answers.iter().filter(died).count() as u64;
        Ok(answers)
    }
}

impl Runner for Fleet {
    fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    fn settings(&self) -> &Settings {
        &self.settings
    }

    fn configure(&mut self, settings: Settings) -> Result<(), WorkerError> {
        self.manifest = with_demotions(&self.offered, &settings);
        self.settings = settings;
        self.workers.iter_mut().for_each(Worker::settings_changed);
        Ok(())
    }

    fn epochs(
        &mut self,
        tasks: &[EpochTask],
        cancel: &Cancel,
    ) -> Result<Vec<Answer<EpochReport>>, WorkerError> {
        self.answers(tasks, cancel, Start::Warm)
    }

    fn run(
        &mut self,
        tasks: &[RunTask],
        cancel: &Cancel,
    ) -> Result<Vec<Answer<RunReport>>, WorkerError> {
        self.answers(tasks, cancel, Start::Warm)
    }

    fn run_fresh(
        &mut self,
        tasks: &[RunTask],
        cancel: &Cancel,
    ) -> Result<Vec<Answer<RunReport>>, WorkerError> {
        self.answers(tasks, cancel, Start::Fresh)
    }

    fn deaths(&self) -> u64 {
        self.deaths
    }
}

/// What is offered, with the demoted queries switched off.
fn with_demotions(offered: &Manifest, settings: &Settings) -> Manifest {
    let mut manifest = offered.clone();
    for (ty, name) in &settings.demoted {
        let Some(ty) = manifest.types.get_mut(ty.0 as usize) else { continue };
        for query in ty.queries.iter_mut().filter(|query| query.name == *name) {
            query.active = false;
        }
    }
    manifest
}
