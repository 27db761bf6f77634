//! Work for workers: calls to make, and questions about objects that never met.

use std::collections::BTreeSet;

use gainsay_store::{EvidenceStore, Relation, StoreError, StoredObject, Tuple};
use gainsay_wire::{Arg, Ask, Root, RunReport, RunTask, Sequence, Term, Value};
use gainsay_workers::Answer;

use crate::{call_log::CallLog, search::JobId};

/// A batch of work that the jobs of a search wait for.
#[derive(Debug, Default)]
pub struct Asks {
    pub(crate) calls: Vec<Sequence>,
    pub(crate) inquiries: Vec<Inquiry>,
}

impl Asks {
    /// Asks for nothing but calls.
    pub(crate) fn for_calls(calls: Vec<Sequence>) -> Asks {
        Asks { calls, inquiries: Vec::new() }
    }

    /// True if nothing is asked for.
    pub fn is_empty(&self) -> bool {
        self.calls.is_empty() && self.inquiries.is_empty()
    }

    /// Tasks for workers: the calls, then the questions. Answers must come in this order.
    pub fn to_tasks(&self) -> Vec<RunTask> {
        let make_call = |sequence: &Sequence| RunTask {
            sequence: sequence.clone(),
            // The call becomes an observation with the states around it.
            views: true,
            // Exploration checks laws. Each makes further calls on every object, so a batch would take
            // a multiple of its time.
            laws: false,
            asks: Vec::new(),
        };
        let questions = self.inquiries.iter().flat_map(|inquiry| &inquiry.questions);
        let asked = questions.map(|question| question.task.clone());
        self.calls.iter().map(make_call).chain(asked).collect()
    }
}

/// Work that is asked for and not done yet.
#[derive(Debug, Default)]
pub(crate) struct AskQueue {
    /// The next batch.
    next: Asks,
    // Jobs of one operation often want the same call, and the batch with it may be under way while the
    // other job is planned.
    /// Sequences of the next batch, and of batches that are under way.
    open_calls: BTreeSet<Sequence>,
}

impl AskQueue {
    /// Asks for those of the sequences that were not run, each once. Returns true if there are any,
    /// asked for now or before.
    pub(crate) fn ask_calls(&mut self, log: &CallLog, sequences: &[Sequence]) -> bool {
        let mut is_open = false;
        for sequence in sequences.iter().filter(|it| log.find_last_call(it).is_none()) {
            is_open = true;
            if self.open_calls.insert(sequence.clone()) {
                self.next.calls.push(sequence.clone());
            }
        }
        is_open
    }

    /// Asks about relations.
    pub(crate) fn ask_relations(&mut self, inquiry: Inquiry) {
        self.next.inquiries.push(inquiry);
    }

    /// The next batch; from now on it is under way.
    pub(crate) fn take_batch(&mut self) -> Asks {
        std::mem::take(&mut self.next)
    }

    /// Takes note that a sequence is not under way any more. One that was cancelled may be asked for
    /// again.
    pub(crate) fn close_call(&mut self, sequence: &Sequence) {
        self.open_calls.remove(sequence);
    }
}

/// Questions about relations that one job waits for.
#[derive(Debug)]
pub(crate) struct Inquiry {
    pub(crate) job: JobId,
    pub(crate) questions: Vec<Question>,
}

impl Inquiry {
    /// Stores the answers. Returns the number of relations that became known.
    pub(crate) fn record_answers(
        &self,
        store: &mut dyn EvidenceStore,
        answers: &mut impl Iterator<Item = Answer<RunReport>>,
    ) -> Result<u64, StoreError> {
        let answers: Vec<_> = answers.take(self.questions.len()).collect();
        let mut relations = Vec::new();
        for (question, answer) in self.questions.iter().zip(&answers) {
            // Whoever died of a question leaves it open: the store must not know what nobody saw.
            let Some(report) = answer.done() else { continue };
            for (asked, value) in question.about.iter().zip(&report.answers) {
                if *value != Value::Undefined {
                    let query = asked.term.query.as_deref().unwrap_or_default();
                    let [a, b] = [asked.on.as_at(), asked.with.as_at()];
                    relations.push(Relation { query, a, b, value });
                }
            }
        }
        store.record_relations(&relations)?;
        Ok(relations.len() as u64)
    }
}

/// A relation between two objects that the store does not know.
#[derive(Debug)]
pub(crate) struct OpenRelation {
    pub(crate) term: Term,
    pub(crate) on: StoredObject,
    pub(crate) with: StoredObject,
}

/// Questions about one tuple, asked in one run.
#[derive(Debug)]
pub(crate) struct Question {
    task: RunTask,
    about: Vec<OpenRelation>,
}

impl Question {
    pub(crate) fn new(tuple: &Tuple, about: Vec<OpenRelation>) -> Question {
        let (sequence, args) = tuple.build();
        let find_object = |operand: u32| match args.get(operand as usize) {
            Some(Arg::Object(at)) => Some(*at),
            _ => None,
        };
        let to_ask = |asked: &OpenRelation| {
            let Root::Operand(on) = asked.term.root else { return None };
            let query = asked.term.query.clone()?;
            Some(Ask { on: find_object(on)?, query, with: find_object(asked.term.with?)? })
        };
        let asks = about.iter().filter_map(to_ask).collect();
        // Answers are all that is wanted: what the objects look like is in the store already.
        Question { task: RunTask { sequence, views: false, laws: false, asks }, about }
    }
}
