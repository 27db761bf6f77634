//! A batch of tasks that several workers share.

use std::sync::{
    Mutex,
    atomic::{AtomicBool, AtomicUsize, Ordering},
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

/// Tasks, and room for the answers in the order of the tasks.
pub(crate) struct Batch<'a, T: Task> {
    tasks: &'a [T],
    start: Start,
    next: AtomicUsize,
    failed: AtomicBool,
    answers: Mutex<Vec<Slot<T::Report>>>,
}

impl<'a, T: Task> Batch<'a, T> {
    pub(crate) fn new(tasks: &'a [T], start: Start) -> Batch<'a, T> {
        let answers = tasks.iter().map(|_| None).collect();
        Batch {
            tasks,
            start,
            next: AtomicUsize::new(0),
            failed: AtomicBool::new(false),
            answers: Mutex::new(answers),
        }
    }

    /// Takes task after task until none is left.
    pub(crate) fn work(&self, worker: &mut Worker, terms: Terms) {
        while !self.failed.load(Ordering::Relaxed) {
            let at = self.next.fetch_add(1, Ordering::Relaxed);
            let Some(task) = self.tasks.get(at) else { return };
            let answer = self.answer(task, worker, terms);
            if answer.is_err() {
                self.failed.store(true, Ordering::Relaxed);
            }
            let mut answers = self.answers.lock().expect("no thread panics while it holds it");
            answers[at] = Some(answer);
        }
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
            Reply::Died(death) => Answer::Died(death),
            Reply::Cancelled => Answer::Cancelled,
            Reply::Response(response) => match T::report(response) {
                Some(report) => Answer::Done(report),
                None => Answer::Died(worker.out_of_turn()),
            },
        })
    }

    pub(crate) fn finish(self) -> Result<Vec<Answer<T::Report>>, WorkerError> {
        let answers = self.answers.into_inner().expect("no thread panics while it holds it");
        // Only after a failure are there tasks that nobody took, and then the failure is returned.
        answers.into_iter().map(|answer| answer.unwrap_or(Ok(Answer::Cancelled))).collect()
    }
}
