//! Few and strong: drops what others imply, by rules, and puts the most telling first.
//!
//! Much is never said in the first place: a family that explains a column takes it from those
//! that come after it.

use gainsay_model::contract::ContractKind;
use gainsay_wire::{Comparison, Expr, Root, Term, TypeId, Value};

use crate::{
    candidate::{Candidate, Family},
    scene::Scene,
};

/// The candidates that say something of their own, the most telling first.
pub(crate) fn few_and_strong(scene: &Scene<'_>, mut found: Vec<Candidate>) -> Vec<Candidate> {
    found.retain(|candidate| !is_of_type(scene, candidate));
    found.retain(|candidate| !is_number_of_truth(scene, candidate));
    let limits: Vec<(Term, Term)> = found.iter().filter_map(limit).collect();
    found.retain(|candidate| !follows_from_limit(scene, &limits, candidate));
    let is_mirrored = |candidate: &Candidate| {
        let mirrored = candidate.expr.map_terms(&mirror);
        mirrored != candidate.expr
            && found.iter().any(|other| other.kind == candidate.kind && other.expr == mirrored)
    };
    let is_implied = |candidate: &Candidate| found.iter().any(|other| implies(other, candidate));
    let mut kept: Vec<Candidate> = found
        .iter()
        .filter(|candidate| !is_implied(candidate) && !is_mirrored(candidate))
        .cloned()
        .collect();
    kept.sort_by(|a, b| (a.family, a.kind, &a.expr).cmp(&(b.family, b.kind, &b.expr)));
    kept.dedup_by(|a, b| a.expr == b.expr && a.kind == b.kind);
    kept
}

/// Whether it is a fact about every object of the type rather than about this operation.
fn is_of_type(scene: &Scene<'_>, candidate: &Candidate) -> bool {
    let local = matches!(
        candidate.family,
        Family::Boolean
            | Family::Order
            | Family::Equal
            | Family::Bound
            | Family::Constant
            | Family::OneOf
    );
    let ty = single_object(scene, &candidate.expr).filter(|_| local);
    ty.is_some_and(|ty| scene.states.is_invariant(ty, &candidate.expr))
}

/// The type of the one object at one time that all terms are own views of.
fn single_object(scene: &Scene<'_>, expr: &Expr) -> Option<TypeId> {
    let mut terms: Vec<Term> = Vec::new();
    expr.each_term(&mut |term| terms.push(term.clone()));
    let first = terms.first()?;
    let is_own = |term: &Term| {
        (term.root, term.when) == (first.root, first.when)
            && term.query.is_some()
            && term.with.is_none()
    };
    terms.iter().all(is_own).then(|| scene.type_of(first.root)).flatten()
}

/// A view of a later operand on an earlier one as the view of the earlier on the later, which says
/// the same where both do.
fn mirror(term: &Term) -> Term {
    match (term.root, term.with) {
        (Root::Operand(of), Some(with)) if with < of => {
            Term { root: Root::Operand(with), with: Some(of), ..term.clone() }
        }
        _ => term.clone(),
    }
}

/// `self.len() == 0` or `self.len() >= 1` where `self.is_empty()` says the same.
fn is_number_of_truth(scene: &Scene<'_>, candidate: &Candidate) -> bool {
    let Some((term, op, limit)) = comparison_with_constant(&candidate.expr) else { return false };
    let about_zero = matches!((op, limit), (Comparison::Eq, 0) | (Comparison::Ge, 1));
    let (Some(ty), Some(number)) = (scene.type_of(term.root), &term.query) else { return false };
    about_zero
        && scene.table.columns.iter().any(|column| {
            let same = (column.term.root, column.term.when) == (term.root, term.when);
            let truth = column.term.query.as_ref().filter(|_| same && column.bools().is_some());
            truth.is_some_and(|truth| scene.states.is_double(ty, truth, number))
        })
}

/// The two sides of `index < self.len()` before a call.
fn limit(candidate: &Candidate) -> Option<(Term, Term)> {
    match &candidate.expr {
        Expr::Compare(Comparison::Lt, left, right)
            if candidate.kind == ContractKind::Precondition =>
        {
            match (&**left, &**right) {
                (Expr::Term(left), Expr::Term(right)) => Some((left.clone(), right.clone())),
                _ => None,
            }
        }
        _ => None,
    }
}

/// `!self.is_empty()` where an index that cannot be negative is below `self.len()`.
fn follows_from_limit(scene: &Scene<'_>, limits: &[(Term, Term)], candidate: &Candidate) -> bool {
    let Expr::Not(inside) = &candidate.expr else { return false };
    let Expr::Term(truth) = &**inside else { return false };
    limits.iter().any(|(index, number)| {
        let unsigned = scene.plain_type(index).is_some_and(|key| key.starts_with('u'));
        let same = (truth.root, truth.when) == (number.root, number.when);
        let names = (scene.type_of(number.root), &truth.query, &number.query);
        let (Some(ty), Some(truth), Some(number)) = names else { return false };
        unsigned && same && scene.states.is_double(ty, truth, number)
    })
}

fn comparison_with_constant(expr: &Expr) -> Option<(&Term, Comparison, i128)> {
    match expr {
        Expr::Compare(op, left, right) => match (&**left, &**right) {
            (Expr::Term(term), Expr::Const(Value::Int(limit))) => Some((term, *op, *limit)),
            _ => None,
        },
        _ => None,
    }
}

/// Whether the one leaves nothing for the other to say.
fn implies(strong: &Candidate, weak: &Candidate) -> bool {
    if strong.kind != weak.kind || strong.expr == weak.expr {
        return false;
    }
    match (&strong.expr, &weak.expr) {
        (_, Expr::Implies(_, then)) if strong.expr == **then => true,
        (Expr::Iff(a, b), Expr::Implies(if_, then)) => {
            let sides = [(a, b), (b, a)];
            sides.iter().any(|(x, y)| {
                (***x == **if_ && ***y == **then) || (x.negated() == **if_ && y.negated() == **then)
            })
        }
        (Expr::Compare(Comparison::Eq, x, c), Expr::Compare(op, y, _)) => {
            *op != Comparison::Eq && x == y && matches!(**c, Expr::Const(_))
        }
        // Steps that were told under conditions say more than that it never grew.
        (Expr::Iff(step, _), order) => is_order_in_time(step, order),
        _ => strong.family == Family::Change && is_order_in_time(&strong.expr, &weak.expr),
    }
}

/// `self.len() > old(self.len())` after `self.len() == old(self.len()) + 1`.
fn is_order_in_time(step: &Expr, order: &Expr) -> bool {
    let (Expr::Compare(_, x, _), Expr::Compare(op, y, z)) = (step, order) else { return false };
    let (Expr::Term(after), Expr::Term(before)) = (&**y, &**z) else { return false };
    let same_view = after.query == before.query && after.root == before.root;
    *op != Comparison::Eq && x == y && same_view && matches!(after.root, Root::Operand(_))
}
