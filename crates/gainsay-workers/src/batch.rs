//! A batch of tasks, divided among workers beforehand.

use std::sync::{
    Mutex,
    atomic::{AtomicBool, Ordering},
};

use gainsay_wire::{EpochReport, EpochTask, Request, Response, RunReport, RunTask};

use crate::{
    Answer, WorkerError,
    worker::{Reply, Terms, Worker},
};

/// Whether a task may meet a process that has done something before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Start {
    Warm,
    Fresh,
}

/// A kind of task, with its request and its report.
pub(crate) trait Task: Sync {
    type Report: Send;
    fn request(&self) -> Request;
    fn report(response: Response) -> Option<Self::Report>;
}

impl Task for EpochTask {
    type Report = EpochReport;
    fn request(&self) -> Request {
        Request::Epoch(self.clone())
    }
    fn report(response: Response) -> Option<EpochReport> {
        if let Response::Epoch(report) = response { Some(report) } else { None }
    }
}

impl Task for RunTask {
    type Report = RunReport;
    fn request(&self) -> Request {
        Request::Run(self.clone())
    }
    fn report(response: Response) -> Option<RunReport> {
        if let Response::Run(report) = response { Some(report) } else { None }
    }
}

/// The answer to a task, once there is one.
type Slot<U> = Option<Result<Answer<U>, WorkerError>>;

/// A worker, and which tasks are its own.
struct Lane<'a> {
    worker: &'a mut Worker,
    tasks: Vec<usize>,
}

/// Tasks, and room for the answers in the order of the tasks.
///
/// Which worker gets which tasks, and in which order, is settled before anything begins: what a
/// process has done so far never depends on how fast others were, unless it has work to spare.
pub(crate) struct Batch<'a, T: Task> {
    tasks: Vec<&'a T>,
    start: Start,
    lanes: Mutex<std::vec::IntoIter<Lane<'a>>>,
    /// Workers without a task.
    idle: Mutex<Vec<&'a mut Worker>>,
    failed: AtomicBool,
    answers: Mutex<Vec<Slot<T::Report>>>,
    /// To what nobody placed.
    more: Mutex<Vec<Result<Answer<T::Report>, WorkerError>>>,
}

/// Answers to the tasks of a batch in their order, and to what was done besides.
pub(crate) type Answers<T> = (Vec<Answer<T>>, Vec<Answer<T>>);

const UNPOISONED: &str = "no thread panics while it holds it";

impl<'a, T: Task> Batch<'a, T> {
    /// Tasks with their places among the workers; places beyond the last worker begin anew.
    pub(crate) fn new(
        placed: impl Iterator<Item = (usize, &'a T)>,
        workers: &'a mut [Worker],
        start: Start,
    ) -> Batch<'a, T> {
        let mut lanes: Vec<Lane<'a>> =
            workers.iter_mut().map(|worker| Lane { worker, tasks: Vec::new() }).collect();
        let mut tasks = Vec::new();
        let count = lanes.len().max(1);
        for (at, (place, task)) in placed.enumerate() {
            lanes[place % count].tasks.push(at);
            tasks.push(task);
        }
        let (lanes, idle): (Vec<_>, Vec<_>) =
            lanes.into_iter().partition(|lane| !lane.tasks.is_empty());
        let idle = Mutex::new(idle.into_iter().map(|lane| lane.worker).collect());
        let answers = Mutex::new(tasks.iter().map(|_| None).collect());
        let lanes = Mutex::new(lanes.into_iter());
        let (failed, more) = (AtomicBool::new(false), Mutex::default());
        Batch { tasks, start, lanes, idle, failed, answers, more }
    }

    /// How many can work on it at once.
    pub(crate) fn lanes(&self) -> usize {
        self.lanes.lock().expect(UNPOISONED).len()
    }

    /// Takes lane after lane until none is left.
    pub(crate) fn work(&self, terms: Terms) {
        while let Some(lane) = self.next() {
            for at in lane.tasks {
                if self.failed.load(Ordering::Relaxed) {
                    return;
                }
                let answer = self.answer(self.tasks[at], lane.worker, terms);
                if answer.is_err() {
                    self.failed.store(true, Ordering::Relaxed);
                }
                self.answers.lock().expect(UNPOISONED)[at] = Some(answer);
            }
            self.idle.lock().expect(UNPOISONED).push(lane.worker);
        }
    }

    /// Does what `next` tells with workers that are idle, until it tells nothing more. The worker that
    /// was busy last comes first: others need not even be started.
    pub(crate) fn work_more(&self, terms: Terms, next: &dyn Fn() -> Option<T>) {
        while !self.failed.load(Ordering::Relaxed) {
            let Some(worker) = self.idle.lock().expect(UNPOISONED).pop() else { return };
            let task = next();
            let answer = task.map(|task| self.answer(&task, worker, terms));
            self.idle.lock().expect(UNPOISONED).push(worker);
            let Some(answer) = answer else { return };
            if answer.is_err() {
                self.failed.store(true, Ordering::Relaxed);
            }
            self.more.lock().expect(UNPOISONED).push(answer);
        }
    }

    fn next(&self) -> Option<Lane<'a>> {
        self.lanes.lock().expect(UNPOISONED).next()
    }

    fn answer(
        &self,
        task: &T,
        worker: &mut Worker,
        terms: Terms,
    ) -> Result<Answer<T::Report>, WorkerError> {
        if self.start == Start::Fresh {
            worker.retire();
        }
        Ok(match worker.ask(&task.request(), terms)? {
            Reply::Died(death) | Reply::WornOut(death) => Answer::Died(death),
            Reply::Cancelled => Answer::Cancelled,
            Reply::Response(response) => match T::report(response) {
                Some(report) => Answer::Done(report),
                None => Answer::Died(worker.out_of_turn()),
            },
        })
    }

    pub(crate) fn finish(self) -> Result<Answers<T::Report>, WorkerError> {
        let answers = self.answers.into_inner().expect(UNPOISONED);
        let more: Result<Vec<_>, _> =
            self.more.into_inner().expect(UNPOISONED).into_iter().collect();
        let more = more?;
        // Only after a failure are there tasks that nobody took, and then the failure is returned.
        let answers = answers.into_iter().map(|answer| answer.unwrap_or(Ok(Answer::Cancelled)));
        Ok((answers.collect::<Result<_, _>>()?, more))
    }
}
