//! What attacks want workers to do next.

use gainsay_store::{Relation, Store, StoredObject, Tuple};
use gainsay_wire::{Arg, Ask, Root, RunReport, RunTask, Sequence, Term, Value};
use gainsay_workers::{Answer, PlacedEpoch};

use crate::{RefuteError, goal::goal_search::Goal};

/// Calls to make, questions to ask, and epochs to make.
#[derive(Debug, Default)]
pub(crate) struct Orders {
    pub(crate) calls: Vec<Sequence>,
    pub(crate) inquiries: Vec<Inquiry>,
    pub(crate) epochs: Vec<PlacedEpoch>,
}

impl Orders {
    pub(crate) fn is_empty(&self) -> bool {
        self.calls.is_empty() && self.inquiries.is_empty() && self.epochs.is_empty()
    }

    /// The calls, then the questions.
    pub(crate) fn tasks(&self) -> Vec<RunTask> {
        let call = |sequence: &Sequence| RunTask {
            sequence: sequence.clone(),
            views: true,
            laws: false,
            asks: Vec::new(),
        };
        let questions = self.inquiries.iter().flat_map(|inquiry| &inquiry.questions);
        let asked = questions.map(|question| question.task.clone());
        self.calls.iter().map(call).chain(asked).collect()
    }
}

/// Relations that a goal speaks of, between objects that were never looked at together.
#[derive(Debug)]
pub(crate) struct Inquiry {
    pub(crate) goal: Goal,
    pub(crate) questions: Vec<Question>,
}

impl Inquiry {
    /// Stores what was answered. Returns how many relations that are.
    pub(crate) fn record(
        &self,
        store: &mut Store,
        answers: &mut impl Iterator<Item = Answer<RunReport>>,
    ) -> Result<u64, RefuteError> {
        let answers: Vec<_> = answers.take(self.questions.len()).collect();
        let mut relations = Vec::new();
        for (question, answer) in self.questions.iter().zip(&answers) {
            let Some(report) = answer.done() else { continue };
            for ((term, on, with), value) in question.about.iter().zip(&report.answers) {
                if *value != Value::Undefined {
                    let query = term.query.as_deref().unwrap_or_default();
                    relations.push(Relation { query, a: on.as_at(), b: with.as_at(), value });
                }
            }
        }
        store.record_relations(&relations)?;
        Ok(relations.len() as u64)
    }
}

/// A relation and the two objects.
pub(crate) type About = (Term, StoredObject, StoredObject);

/// Questions about one tuple, asked in one run.
#[derive(Debug)]
pub(crate) struct Question {
    task: RunTask,
    about: Vec<About>,
}

impl Question {
    pub(crate) fn new(tuple: &Tuple, about: Vec<About>) -> Question {
        let (sequence, args) = tuple.build();
        let place = |operand: u32| match args.get(operand as usize) {
            Some(Arg::Object(at)) => Some(*at),
            _ => None,
        };
        let ask = |(term, _, _): &About| {
            let Root::Operand(on) = term.root else { return None };
            let query = term.query.clone()?;
            Some(Ask { on: place(on)?, query, with: place(term.with?)? })
        };
        let asks = about.iter().filter_map(ask).collect();
        Question { task: RunTask { sequence, views: false, laws: false, asks }, about }
    }
}
