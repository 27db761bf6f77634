//! Evaluates relations on tuples of objects that were never looked at together.

use gainsay_store::Tuple;
use gainsay_wire::{Expr, Root, Term};

use crate::{
    Desk,
    error::Halt,
    goal::goal_search::{Goal, relations, search},
    goal::work_batch::{About, Inquiry, Question},
    round_state::Range,
};

/// Has the relations of a goal evaluated on tuples that satisfy the rest of it. Whether anything
/// new was learnt.
pub(crate) fn evaluate_relations(
    desk: &mut Desk<'_>,
    range: &mut Range,
    goal: &Goal,
) -> Result<bool, Halt> {
    if let Some(told) = range.asked.get(goal) {
        return Ok(*told);
    }
    if range.inquired.contains(goal) {
        return Err(Halt::Waiting);
    }
    let (bound, free): (Vec<Expr>, Vec<Expr>) =
        goal.clauses.iter().cloned().partition(|clause| !relations(clause).is_empty());
    let terms: Vec<Term> = bound.iter().flat_map(relations).collect();
    let mut questions = Vec::new();
    if !terms.is_empty() && !desk.cancel.is_cancelled() {
        let limit = desk.limits.new_tuples;
        // Some of the tuples are known already: more are looked at than are wanted.
        let found = search(desk, range, goal, &Expr::And(free), limit.saturating_mul(4))?;
        for tuple in &found.tuples {
            let open = open_questions(desk, tuple, &terms)?;
            if !open.is_empty() && questions.len() < limit {
                questions.push(Question::new(tuple, open));
            }
        }
    }
    if questions.is_empty() {
        range.asked.insert(goal.clone(), false);
        return Ok(false);
    }
    Err(range.inquire(Inquiry { goal: goal.clone(), questions }))
}

/// The relations between objects of the tuple that the store does not know.
fn open_questions(desk: &Desk<'_>, tuple: &Tuple, terms: &[Term]) -> Result<Vec<About>, Halt> {
    let mut open = Vec::new();
    for term in terms {
        let (Root::Operand(on), Some(with), Some(query)) = (term.root, term.with, &term.query)
        else {
            continue;
        };
        let (Some(on), Some(with)) = (tuple.object(on), tuple.object(with)) else { continue };
        if !desk.store.knows_relation(query, &on.as_at(), &with.as_at())? {
            open.push((term.clone(), on.clone(), with.clone()));
        }
    }
    Ok(open)
}
