//! Evaluates relations on tuples of objects that were never looked at together.

use std::time::Instant;

use gainsay_store::{Relation, StoredObject, Tuple};
use gainsay_wire::{Arg, Ask, Expr, RunTask, Term, Value};

use crate::{
    Context, RefuteError,
    ladder::{Goal, relations, search},
    range::Range,
};

/// Evaluates the relations of a goal on tuples that satisfy the rest of it, and stores them.
/// Whether anything new was learnt.
pub(crate) fn evaluate_relations(
    context: &mut Context<'_>,
    range: &mut Range,
    goal: &Goal,
) -> Result<bool, RefuteError> {
    let (bound, free): (Vec<Expr>, Vec<Expr>) =
        goal.clauses.iter().cloned().partition(|clause| !relations(clause).is_empty());
    let terms: Vec<Term> = bound.iter().flat_map(relations).collect();
    if terms.is_empty() {
        return Ok(false);
    }
    let limit = context.limits.new_tuples;
    // Some of the tuples are known already: more are looked at than are wanted.
    let found = search(context, range, goal, &Expr::And(free), limit.saturating_mul(4))?;
    let mut questions = Vec::new();
    for tuple in &found.tuples {
        let open = open_questions(context, tuple, &terms)?;
        if !open.is_empty() && questions.len() < limit {
            questions.push(Question::new(tuple, open));
        }
    }
    let tasks: Vec<RunTask> = questions.iter().map(|question| question.task.clone()).collect();
    if tasks.is_empty() {
        return Ok(false);
    }
    let began = Instant::now();
    let answers = context.runner.run(&tasks, context.cancel)?;
    range.effort.running += began.elapsed();
    let mut relations = Vec::new();
    for (question, answer) in questions.iter().zip(&answers) {
        let Some(report) = answer.done() else { continue };
        for ((term, on, with), value) in question.about.iter().zip(&report.answers) {
            if *value != Value::Undefined {
                let query = term.query.as_deref().unwrap_or_default();
                relations.push(Relation { query, a: on.as_at(), b: with.as_at(), value });
            }
        }
    }
    context.store.record_relations(&relations)?;
    range.effort.relations += relations.len() as u64;
    Ok(!relations.is_empty())
}

type About = (Term, StoredObject, StoredObject);

/// Questions about one tuple, asked in one run.
struct Question {
    task: RunTask,
    about: Vec<About>,
}

impl Question {
    fn new(tuple: &Tuple, about: Vec<About>) -> Question {
        let (sequence, args) = tuple.build();
        let place = |operand: u32| match args.get(operand as usize) {
            Some(Arg::Object(at)) => Some(*at),
            _ => None,
        };
        let ask = |(term, _, _): &About| {
            let gainsay_wire::Root::Operand(on) = term.root else { return None };
            let query = term.query.clone()?;
            Some(Ask { on: place(on)?, query, with: place(term.with?)? })
        };
        let asks = about.iter().filter_map(ask).collect();
        Question { task: RunTask { sequence, views: false, laws: false, asks }, about }
    }
}

/// The relations between objects of the tuple that the store does not know.
fn open_questions(
    context: &Context<'_>,
    tuple: &Tuple,
    terms: &[Term],
) -> Result<Vec<About>, RefuteError> {
    let mut open = Vec::new();
    for term in terms {
        let (gainsay_wire::Root::Operand(on), Some(with), Some(query)) =
            (term.root, term.with, &term.query)
        else {
            continue;
        };
        let (Some(on), Some(with)) = (tuple.object(on), tuple.object(with)) else { continue };
        if !context.store.knows_relation(query, &on.as_at(), &with.as_at())? {
            open.push((term.clone(), on.clone(), with.clone()));
        }
    }
    Ok(open)
}
