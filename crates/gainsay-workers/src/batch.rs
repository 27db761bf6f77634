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
/// process has done so far never depends on how fast others were.
pub(crate) struct Batch<'a, T: Task> {
    tasks: Vec<&'a T>,
    start: Start,
    lanes: Mutex<std::vec::IntoIter<Lane<'a>>>,
    failed: AtomicBool,
    answers: Mutex<Vec<Slot<T::Report>>>,
}

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
        lanes.retain(|lane| !lane.tasks.is_empty());
        let answers = Mutex::new(tasks.iter().map(|_| None).collect());
        let lanes = Mutex::new(lanes.into_iter());
        Batch { tasks, start, lanes, failed: AtomicBool::new(false), answers }
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

    pub(crate) fn finish(self) -> Result<Vec<Answer<T::Report>>, WorkerError> {
        let answers = self.answers.into_inner().expect(UNPOISONED);
        // Only after a failure are there tasks that nobody took, and then the failure is returned.
        answers.into_iter().map(|answer| answer.unwrap_or(Ok(Answer::Cancelled))).collect()
    }
}
