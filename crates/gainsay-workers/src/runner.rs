//! What strategies need of workers: the border at which tests put something else.

use std::time::{Duration, Instant};

use gainsay_wire::{EpochReport, EpochTask, Manifest, RunReport, RunTask, Settings};

use crate::{Answer, Cancel, WorkerError};

/// An epoch and the worker that makes it, by its place among [`PLACES`](crate::PLACES).
///
/// Epochs of one place meet one process, in their order, until that process dies. So a worker may
/// remember what earlier epochs saw, and the result is still the same for any number of jobs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlacedEpoch {
    /// Which worker.
    pub place: usize,
    /// What it is told.
    pub task: EpochTask,
}

/// Tells a worker that has nothing to do what to explore next, if anything.
pub type Spare<'a> = &'a (dyn Fn() -> Option<EpochTask> + Sync);

/// What workers do while something else is done.
#[derive(Clone, Copy)]
pub struct Work<'a> {
    /// Sequences to run.
    pub tasks: &'a [RunTask],
    /// Epochs to make.
    pub epochs: &'a [PlacedEpoch],
    /// More epochs until the other thing is done, deadline or not: it would not be done sooner without
    /// them. How many are made is a matter of time.
    pub spare: Option<Spare<'a>>,
}

/// What came of tasks that were run while something else was done.
#[derive(Debug)]
pub struct Ran {
    /// In the order of the tasks.
    pub answers: Vec<Answer<RunReport>>,
    /// In the order of the epochs.
    pub epochs: Vec<Answer<EpochReport>>,
    /// In any order.
    pub spare: Vec<Answer<EpochReport>>,
    /// How long workers were busy with them.
    pub busy: Duration,
}

/// Answers tasks, in their order.
pub trait Runner {
    /// What the harness offers; queries that the settings demote are not active.
    fn manifest(&self) -> &Manifest;

    /// The settings that hold.
    fn settings(&self) -> &Settings;

    /// Sets what holds for all that follows.
    fn configure(&mut self, settings: Settings) -> Result<(), WorkerError>;

    /// Explores.
    fn epochs(
        &mut self,
        epochs: &[PlacedEpoch],
        cancel: &Cancel,
    ) -> Result<Vec<Answer<EpochReport>>, WorkerError>;

    /// Runs given sequences, in processes that explore nothing.
    fn run(
        &mut self,
        tasks: &[RunTask],
        cancel: &Cancel,
    ) -> Result<Vec<Answer<RunReport>>, WorkerError>;

    /// Runs given sequences like [`Runner::run`], explores, and meanwhile does something else, which
    /// must not depend on them. Who does one after the other has no time to spare.
    fn run_while(
        &mut self,
        work: Work<'_>,
        cancel: &Cancel,
        meanwhile: &mut dyn FnMut(),
    ) -> Result<Ran, WorkerError> {
        meanwhile();
        let began = Instant::now();
        let answers = self.run(work.tasks, cancel)?;
        let epochs = self.epochs(work.epochs, cancel)?;
        Ok(Ran { answers, epochs, spare: Vec::new(), busy: began.elapsed() })
    }

    /// Runs given sequences, each in a process of its own.
    fn run_fresh(
        &mut self,
        tasks: &[RunTask],
        cancel: &Cancel,
    ) -> Result<Vec<Answer<RunReport>>, WorkerError>;

    /// How many workers died so far.
    fn deaths(&self) -> u64;
}
