//! Questions about the relations that a goal speaks of, on tuples of objects that never met.

use gainsay_store::{StoreError, Tuple};
use gainsay_wire::{Expr, Root, Term};

use crate::{
    Goal, SearchContext,
    asks::{OpenRelation, Question},
    goal::list_relations,
    store_cache::StoreCache,
};

/// Tuples that are looked at for each tuple that is asked about: the store knows the relations of
/// some of them already.
const LOOKED_AT: usize = 4;

/// Questions about the relations of a goal, on tuples that satisfy the rest of it; none where the
/// goal speaks of no relation.
pub(crate) fn find_questions(
    context: &mut SearchContext<'_>,
    cache: &mut StoreCache,
    goal: &Goal,
) -> Result<Vec<Question>, StoreError> {
    let (bound, free): (Vec<Expr>, Vec<Expr>) =
        goal.clauses.iter().cloned().partition(|clause| !list_relations(clause).is_empty());
    let terms: Vec<Term> = bound.iter().flat_map(list_relations).collect();
    let mut questions = Vec::new();
    if terms.is_empty() || context.cancel.is_cancelled() {
        return Ok(questions);
    }
    let most = context.limits.new_tuples;
    let (predicate, limit) = (Expr::And(free), most.saturating_mul(LOOKED_AT));
    let found = cache.find_tuples_anew(context, goal, &predicate, limit)?;
    for tuple in &found.tuples {
        let open = list_open_relations(context, tuple, &terms)?;
        if !open.is_empty() && questions.len() < most {
            questions.push(Question::new(tuple, open));
        }
    }
    Ok(questions)
}

/// The relations between objects of the tuple that the store does not know.
fn list_open_relations(
    context: &SearchContext<'_>,
    tuple: &Tuple,
    terms: &[Term],
) -> Result<Vec<OpenRelation>, StoreError> {
    let mut open = Vec::new();
    for term in terms {
        let (Root::Operand(on), Some(with), Some(query)) = (term.root, term.with, &term.query)
        else {
            continue;
        };
        let (Some(on), Some(with)) = (tuple.object(on), tuple.object(with)) else { continue };
        if !context.store.knows_relation(query, &on.as_at(), &with.as_at())? {
            open.push(OpenRelation { term: term.clone(), on: on.clone(), with: with.clone() });
        }
    }
    Ok(open)
}
