//! Candidates on trial: which of these sequences still shows the finding?

use std::collections::BTreeSet;

use gainsay_wire::{Expr, OpId, RunReport, RunTask, Sequence, Truth, truth};
use gainsay_workers::{Answer, Cancel, Runner, WorkerError};

use crate::{
    findings::{
        identity::{Identity, Sighting, changes, sightings},
        injection_blame::is_memory,
    },
    sequences::{
        Views,
        handles::{Oddity, oddity},
        task,
    },
    subject_model::SubjectModel,
};

/// The finding that a sequence must show.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Target {
    /// This very finding.
    Exact(Identity),
    /// This panic, with something changed before it.
    Changing(Identity),
    /// The same clause in any operation: corrupt memory surfaces in victims.
    Clause(String),
    /// Broken memory in any operation, whichever way it shows: for what comes of misbehaviour of the
    /// caller's code.
    Memory,
    /// A passing call that breaks a contract, as it was first seen. Only views can tell.
    Broken(Expr, Sighting),
    /// This panic, while this held before the call. Only views can tell.
    Kept(Expr, Identity),
}

/// A series of runs with a common question and a common budget.
pub(crate) struct Trial<'a> {
    pub(crate) runner: &'a mut dyn Runner,
    pub(crate) subject: &'a SubjectModel,
    pub(crate) cancel: &'a Cancel,
    pub(crate) target: Target,
    pub(crate) views: Views,
    /// Runs that may still be made.
    pub(crate) left: u32,
    /// No more candidates at once. Fixed by the kind of finding, not by the number of workers:
    /// which candidates are run must not depend on the machine.
    pub(crate) batch: usize,
    /// Candidates that use handles more oddly are out of the question, whatever they show.
    pub(crate) oddest: Oddity,
    /// Digests of candidates: whole ones would fill the memory.
    tried: BTreeSet<u64>,
}

impl Target {
    /// The sighting in an answer that is meant, if it is there.
    pub(crate) fn find(
        &self,
        subject: &SubjectModel,
        answer: &Answer<RunReport>,
    ) -> Option<Sighting> {
        if let Target::Broken(contract, sighting) = self {
            return breaks(subject, answer, contract, sighting.op).then(|| sighting.clone());
        }
        if let Target::Kept(demand, _) = self
            && !keeps(subject, answer, demand)
        {
            return None;
        }
        let meant = |seen: &Sighting| match self {
            Target::Exact(identity) | Target::Kept(_, identity) => seen.identity == *identity,
            Target::Changing(identity) => seen.identity == *identity && changes(&seen.oracle),
            Target::Clause(clause) => seen.identity.clause == *clause,
            Target::Memory => is_memory(&seen.oracle),
            Target::Broken(..) => false,
        };
        sightings(subject, answer).into_iter().find(meant)
    }
}

/// True if the last step is a passing call of the operation on which the contract is false, and all
/// calls before it returned.
fn breaks(subject: &SubjectModel, answer: &Answer<RunReport>, contract: &Expr, op: OpId) -> bool {
    let Some(report) = answer.done() else { return false };
    let last = report.steps.last().filter(|_| report.steps.iter().all(|it| it.outcome.returned()));
    let Some(seen) = last.and_then(|step| step.observation.as_ref()) else { return false };
    let vocabulary = subject.manifest().vocabulary(op);
    seen.op == op
        && seen.outcome.returned()
        && truth(contract, &(&vocabulary, seen)) == Truth::False
}

/// True if the last step was asked for with all that is demanded before it.
fn keeps(subject: &SubjectModel, answer: &Answer<RunReport>, demand: &Expr) -> bool {
    let last = answer.done().and_then(|report| report.steps.last());
    let Some(seen) = last.and_then(|step| step.observation.as_ref()) else { return false };
    let vocabulary = subject.manifest().vocabulary(seen.op);
    truth(demand, &(&vocabulary, seen)) == Truth::True
}

impl<'a> Trial<'a> {
    pub(crate) fn new(
        runner: &'a mut dyn Runner,
        subject: &'a SubjectModel,
        cancel: &'a Cancel,
        target: Target,
    ) -> Trial<'a> {
        let tried = BTreeSet::new();
        let (views, oddest) = (Views::Off, Oddity::Stranger);
        Trial { runner, subject, cancel, target, views, left: 0, batch: 8, oddest, tried }
    }

    /// The first candidate in order that shows the target, with what was seen. Candidates that
    /// were on trial before are passed over: they did not show it then.
    pub(crate) fn first(
        &mut self,
        candidates: impl IntoIterator<Item = Sequence>,
    ) -> Result<Option<(Sequence, Sighting)>, WorkerError> {
        let mut candidates = candidates.into_iter();
        let mut size = 1;
        loop {
            let batch = self.next_batch(&mut candidates, size);
            if batch.is_empty() || self.cancel.is_cancelled() {
                return Ok(None);
            }
            let tasks: Vec<RunTask> = batch.iter().map(|s| task(s, self.views)).collect();
            let answers = self.runner.run(&tasks, self.cancel)?;
            for (sequence, answer) in batch.into_iter().zip(&answers) {
                if let Some(seen) = self.target.find(self.subject, answer) {
                    return Ok(Some((sequence, seen)));
                }
            }
            // The first candidates often succeed; many at once pay only when they do not.
            size = (size * 2).min(self.batch);
        }
    }

    fn next_batch(
        &mut self,
        candidates: &mut impl Iterator<Item = Sequence>,
        size: usize,
    ) -> Vec<Sequence> {
        let mut batch = Vec::new();
        while batch.len() < size && self.left > 0 {
            let Some(candidate) = candidates.next() else { break };
            let is_meant = oddity(self.subject, &candidate) <= self.oddest;
            if !candidate.steps.is_empty() && is_meant && self.tried.insert(candidate.digest()) {
                self.left -= 1;
                batch.push(candidate);
            }
        }
        batch
    }
}
