//! The search: goals as an explicit list of jobs. A job that needs calls or answers asks for them and
//! stays in its stage; once they are there, it goes on from that stage.

use std::{collections::BTreeMap, rc::Rc, time::Duration};

use gainsay_store::{StoreError, Tuple};
use gainsay_wire::{Expr, Manifest, Observation, OpId, RunReport, Sequence, Truth};
use gainsay_workers::{Answer, Runner, Work};

use crate::{
    Asks, CallLog, Effort, Goal, Reached, SearchContext, SearchError, asks::AskQueue,
    call_predicates::CallPredicates, job::Job, store_cache::StoreCache,
};

/// A job of a search, by its place in the list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct JobId(usize);

/// State of a job.
#[derive(Clone, Debug)]
pub enum Progress {
    /// The search for the goal is over.
    Finished(Rc<Reached>),
    /// Workers have to answer first; it is asked for.
    Pending,
}

/// Searches for goals that have calls in common.
#[derive(Debug, Default)]
pub struct Search {
    // Contracts of one operation have goals in common: of five postconditions without antecedent all
    // five want calls in new states.
    jobs: Vec<Job>,
    by_goal: BTreeMap<(Goal, Effort), JobId>,
    tools: Tools,
    relations: u64,
}

/// Everything that jobs share: what is known, and what is asked for.
#[derive(Debug, Default)]
pub(crate) struct Tools {
    pub(crate) cache: StoreCache,
    pub(crate) log: CallLog,
    pub(crate) queue: AskQueue,
    pub(crate) predicates: CallPredicates,
}

impl Search {
    /// Adds the search for a goal to the list. The same goal with the same effort is one job.
    pub fn add_goal(&mut self, goal: Goal, effort: Effort) -> JobId {
        let next = JobId(self.jobs.len());
        let key = (goal, effort);
        if let Some(known) = self.by_goal.get(&key) {
            return *known;
        }
        self.jobs.push(Job::new(next, key.0.clone(), effort));
        self.by_goal.insert(key, next);
        next
    }

    /// Goes on with a job as far as it comes with what is known. Jobs go on only when they are told
    /// to, never when an answer comes: the order in which calls are asked for is the caller's, and
    /// with it the content of the store.
    pub fn advance_job(
        &mut self,
        context: &mut SearchContext<'_>,
        job: JobId,
    ) -> Result<Progress, SearchError> {
        Ok(self.jobs[job.0].advance_stages(context, &mut self.tools)?)
    }

    /// The work that jobs asked for since the last time.
    pub fn take_asks(&mut self) -> Asks {
        self.tools.queue.take_batch()
    }

    /// Takes in the answers to a batch, in the order of its tasks.
    pub fn take_answers(
        &mut self,
        context: &mut SearchContext<'_>,
        asks: Asks,
        answers: Vec<Answer<RunReport>>,
    ) -> Result<(), SearchError> {
        // One iterator for both: answers come in the order of `Asks::to_tasks`.
        let mut answers = answers.into_iter();
        for (sequence, answer) in asks.calls.into_iter().zip(&mut answers) {
            self.tools.queue.close_call(&sequence);
            self.tools.log.take_answer(sequence, answer);
        }
        for inquiry in asks.inquiries {
            let learnt = inquiry.record_answers(context.store, &mut answers)?;
            self.relations += learnt;
            self.jobs[inquiry.job.0].note_relations(learnt);
        }
        Ok(())
    }

    /// Searches for a goal to the end, with workers that do nothing else meanwhile.
    pub fn reach_goal(
        &mut self,
        context: &mut SearchContext<'_>,
        runner: &mut dyn Runner,
        goal: Goal,
        effort: Effort,
    ) -> Result<Rc<Reached>, SearchError> {
        let job = self.add_goal(goal, effort);
        loop {
            if let Progress::Finished(reached) = self.advance_job(context, job)? {
                return Ok(reached);
            }
            let asks = self.take_asks();
            self.run_asks(context, runner, asks)?;
        }
    }

    /// Runs sequences at once.
    pub fn run_calls(
        &mut self,
        context: &mut SearchContext<'_>,
        runner: &mut dyn Runner,
        calls: Vec<Sequence>,
    ) -> Result<(), SearchError> {
        self.run_asks(context, runner, Asks::for_calls(calls))
    }

    fn run_asks(
        &mut self,
        context: &mut SearchContext<'_>,
        runner: &mut dyn Runner,
        asks: Asks,
    ) -> Result<(), SearchError> {
        let work = Work { tasks: &asks.to_tasks(), epochs: &[], spare: None };
        let ran = runner.run_while(work, context.cancel, &mut || {})?;
        self.take_answers(context, asks, ran.answers)
    }

    /// Looks up the stored tuples that satisfy a goal, and tries none of them.
    pub fn look_up_tuples(
        &mut self,
        context: &mut SearchContext<'_>,
        goal: &Goal,
    ) -> Result<(), StoreError> {
        let limit = context.limits.tuples;
        self.tools.cache.find_tuples(context, goal, limit).map(|_| ())
    }

    /// The tuples that were found for an operation, search by search.
    pub fn list_found(&self, op: OpId) -> impl Iterator<Item = &[Tuple]> {
        self.tools.cache.list_found(op)
    }

    /// The truth of a predicate on a call.
    pub fn evaluate(&self, manifest: &Manifest, expr: &Expr, call: &Observation) -> Truth {
        self.tools.predicates.evaluate(manifest, expr, call)
    }

    /// The distance of a claim that holds on a call from being false; `None` where no number decides.
    pub fn measure_margin(
        &self,
        manifest: &Manifest,
        claim: &Expr,
        call: &Observation,
    ) -> Option<u64> {
        self.tools.predicates.measure_margin(manifest, claim, call)
    }

    /// The calls that were made.
    pub fn log(&self) -> &CallLog {
        &self.tools.log
    }

    /// The calls that were made, to record them or to add others.
    pub fn log_mut(&mut self) -> &mut CallLog {
        &mut self.tools.log
    }

    /// The log alone, when the search is over.
    pub fn into_log(self) -> CallLog {
        self.tools.log
    }

    /// Relations that were evaluated between objects that had never met.
    pub fn count_relations(&self) -> u64 {
        self.relations
    }

    /// Time spent searching the store.
    pub fn searching_time(&self) -> Duration {
        self.tools.cache.total_time()
    }
}
