//! Few and strong: drops what others imply, by rules, and puts the most telling first.
//!
//! Much is never said in the first place: a family that explains a column takes it from those
//! that come after it.

use std::collections::BTreeSet;

use gainsay_model::contract::ContractKind;
use gainsay_wire::{
    Arithmetic, Comparison, Expr, Function, PlainType, Root, Term, TypeId, Value, When,
};

use crate::{
    candidate::{Candidate, Family, Likeness, Settled},
    relation::is_sequence,
    scene::Scene,
};

/// What is left to say, and what follows from it.
pub(crate) struct Few {
    /// The candidates that say something of their own, the most telling first.
    pub(crate) kept: Vec<Candidate>,
    /// What one of them implies, with it.
    pub(crate) implied: Vec<(Candidate, Expr)>,
}

/// Drops what others imply.
pub(crate) fn few_and_strong(scene: &Scene<'_>, mut found: Vec<Candidate>) -> Few {
    found.retain(|candidate| !is_of_type(scene, candidate));
    found.retain(|candidate| !is_number_of_truth(scene, candidate));
    let bounds: Vec<(Term, Comparison, Term)> = found.iter().filter_map(bounded).collect();
    found.retain(|candidate| !follows_from_bound(scene, &bounds, candidate));
    let limits: Vec<(Term, Term)> = found.iter().filter_map(limit).collect();
    found.retain(|candidate| !follows_from_limit(scene, &limits, candidate));
    let is_mirrored = |candidate: &Candidate| {
        let mirrored = candidate.expr.map_terms(&mirror);
        mirrored != candidate.expr
            && found.iter().any(|other| other.kind == candidate.kind && other.expr == mirrored)
    };
    let implicant = |weak: &Candidate| {
        found.iter().find(|strong| implies(strong, weak) || settles(scene, strong, weak))
    };
    let (mut kept, mut implied) = (Vec::new(), Vec::new());
    for candidate in found.iter().filter(|candidate| !is_mirrored(candidate)) {
        match implicant(candidate) {
            Some(strong) => implied.push((candidate.clone(), strong.expr.clone())),
            None => kept.push(candidate.clone()),
        }
    }
    kept = without_entailed(scene, &kept);
    let shrinking: Vec<Term> = kept.iter().filter_map(|kept| shrinks(&kept.expr)).collect();
    kept.retain(|candidate| !stays_empty(scene, &shrinking, &candidate.expr));
    kept.retain(|candidate| !is_monotone(&candidate.expr));
    kept = without_parts_of_models(scene, &kept);
    let mut antecedents: BTreeSet<Expr> = BTreeSet::new();
    kept.retain(|candidate| {
        candidate.settles.is_some()
            || accident(&candidate.expr).is_none_or(|a| antecedents.insert(a))
    });
    kept.sort_by(|a, b| (rank(a), a.kind, &a.expr).cmp(&(rank(b), b.kind, &b.expr)));
    kept.dedup_by(|a, b| a.expr == b.expr && a.kind == b.kind);
    Few { kept, implied }
}

/// Whether the one makes something known that settles all views of which the other speaks.
fn settles(scene: &Scene<'_>, strong: &Candidate, weak: &Candidate) -> bool {
    let Some(settled) = &strong.settles else { return false };
    if weak.settles.is_some() || strong.kind != weak.kind {
        return false;
    }
    let (mut own, mut others) = (0, 0);
    weak.expr.each_term(&mut |term| {
        if term.when == When::After && follows(scene, settled, term) {
            own += 1;
        } else if term.when == When::After && !scene.is_shared(term) {
            others += 1;
        }
    });
    own > 0 && others == 0
}

/// Whether a sequence that is known settles a view.
fn follows(scene: &Scene<'_>, settled: &Settled, view: &Term) -> bool {
    let sequence = &settled.term;
    // What another operand has to do with it follows as well.
    let meets = matches!(sequence.root, Root::Operand(of) if view.with == Some(of));
    if meets && settled.likeness == Likeness::Equal && view.when == sequence.when {
        return true;
    }
    if (view.root, view.when) != (sequence.root, sequence.when) {
        return false;
    }
    match settled.likeness {
        _ if view == sequence => true,
        Likeness::Equal => view.with.is_some() || scene.follows_from_sequence(sequence, view),
        Likeness::Permutation => matches!(view.query.as_deref(), Some("len" | "is_empty")),
    }
}

/// How telling it is, the most telling first. Of implications, those about the result come first
/// and those from one truth value of an object to another come last: small objects show many.
fn rank(candidate: &Candidate) -> (Family, u8) {
    let Expr::Implies(when, then) = &candidate.expr else { return (candidate.family, 0) };
    let about = left_term(then);
    if about.as_ref().is_some_and(|term| !matches!(term.root, Root::Operand(_))) {
        return (candidate.family.min(Family::Equivalence), 1);
    }
    let is_other = |was: &Term, is: &Term| was.query != is.query && was.root == is.root;
    match (opened(when), opened(then)) {
        (Some(was), Some(is)) if is_other(was, is) => (Family::OneOf, 1),
        _ => (candidate.family, 1),
    }
}

/// The truth value that is stated or denied.
fn opened(expr: &Expr) -> Option<&Term> {
    match expr {
        Expr::Term(term) if term.with.is_none() => Some(term),
        Expr::Not(of) => opened(of),
        _ => None,
    }
}

/// Whether it is a fact about every object of the type rather than about this operation.
fn is_of_type(scene: &Scene<'_>, candidate: &Candidate) -> bool {
    let object = object(scene, &candidate.expr).filter(|_| is_local(candidate));
    let alone = object.filter(|object| object.with.is_none());
    alone.is_some_and(|object| scene.states.is_invariant(object.ty, &candidate.expr))
}

/// Whether it is of a family that speaks of one time.
fn is_local(candidate: &Candidate) -> bool {
    matches!(
        candidate.family,
        Family::Boolean
            | Family::Order
            | Family::Equal
            | Family::Bound
            | Family::Constant
            | Family::OneOf
    )
}

/// Without what follows, in all states of the type, from something simpler that is said of the
/// same object at the same time: `result.back().is_none()` beside `result.is_empty()`.
fn without_entailed(scene: &Scene<'_>, found: &[Candidate]) -> Vec<Candidate> {
    let about =
        |candidate: &Candidate| object(scene, &candidate.expr).filter(|_| is_local(candidate));
    let mut order: Vec<usize> = (0..found.len()).collect();
    order.sort_by_key(|at| (plainness(&found[*at].expr), *at));
    let mut kept: Vec<usize> = Vec::new();
    for at in order {
        let weak = &found[at];
        let follows = |strong: &&usize| {
            let strong = &found[**strong];
            let (Some(a), Some(b)) = (about(strong), about(weak)) else { return false };
            let same = (a.ty, a.root, a.when, strong.kind) == (b.ty, b.root, b.when, weak.kind);
            // Afterwards `!self.is_empty()` is worth a word beside `self.contains(value)`.
            let is_demand = weak.kind == ContractKind::Precondition;
            // What held between two objects in all states so far may be luck: it stays, to be
            // attacked.
            let meets = a.with == b.with || (b.with.is_none() && is_demand);
            same && meets && scene.states.entails(a.ty, &strong.expr, &weak.expr)
        };
        if !kept.iter().any(|strong| follows(&strong)) {
            kept.push(at);
        }
    }
    kept.sort_unstable();
    kept.into_iter().map(|at| found[at].clone()).collect()
}

/// Truth values first, then tests, then the rest.
fn plainness(expr: &Expr) -> u8 {
    match expr {
        Expr::Term(_) => 0,
        Expr::Not(_) => 1,
        Expr::Test(..) => 2,
        _ => 3,
    }
}

/// The number that never grows: `self.len() <= old(self.len())`, or a step down under a condition.
fn shrinks(expr: &Expr) -> Option<Term> {
    let (op, left, right) = match expr {
        Expr::Compare(op, left, right) => (*op, left, right),
        Expr::Iff(step, _) => match &**step {
            Expr::Compare(Comparison::Eq, left, right) => (Comparison::Eq, left, right),
            _ => return None,
        },
        _ => return None,
    };
    let Expr::Term(now) = &**left else { return None };
    let was = Expr::term(now.at(When::Before));
    let falls = match (&**right, op) {
        (Expr::Arithmetic(Arithmetic::Sub, from, _), Comparison::Eq) => **from == was,
        (right, Comparison::Le | Comparison::Lt) => *right == was,
        _ => false,
    };
    falls.then(|| now.clone())
}

/// `old(self.is_empty()) ==> self.is_empty()` where `self.len()` never grows.
fn stays_empty(scene: &Scene<'_>, shrinking: &[Term], expr: &Expr) -> bool {
    let Expr::Implies(was, is) = expr else { return false };
    let (Expr::Term(was), Expr::Term(is)) = (&**was, &**is) else { return false };
    let Some(ty) = scene.type_of(is.root).filter(|_| *was == is.at(When::Before)) else {
        return false;
    };
    shrinking.iter().any(|number| {
        let names = (&is.query, &number.query);
        let (Some(truth), Some(name)) = names else { return false };
        number.root == is.root && scene.states.is_double(ty, truth, name)
    })
}

/// `old(self.contains(other)) ==> self.contains(other)`: what was there is still there, for an
/// argument that the call may have nothing to do with.
fn is_monotone(expr: &Expr) -> bool {
    let Expr::Implies(was, is) = expr else { return false };
    let (Expr::Term(was), Expr::Term(is)) = (&**was, &**is) else { return false };
    is.with.is_some() && *was == is.at(When::Before)
}

/// Without what a model of the elements says under the same condition: `self.back()` is the value
/// where the value was appended. Of two models under one condition the first is enough.
fn without_parts_of_models(scene: &Scene<'_>, found: &[Candidate]) -> Vec<Candidate> {
    let models: Vec<(Term, Expr, Expr)> = found.iter().filter_map(|c| model(scene, c)).collect();
    let is_part = |candidate: &Candidate| {
        let Expr::Implies(when, then) = &candidate.expr else { return false };
        let Some(about) = left_term(then) else { return false };
        models.iter().any(|(sequence, condition, model)| {
            let same = (sequence.root, sequence.when) == (about.root, about.when);
            let rival = *sequence == about && *model < **then;
            let part = *sequence != about
                && (about.with.is_some() || scene.follows_from_sequence(sequence, &about));
            same && *condition == **when && (rival || part)
        })
    };
    found.iter().filter(|candidate| !is_part(candidate)).cloned().collect()
}

/// The sequence that a claim makes known, with its condition and the whole equality.
fn model(scene: &Scene<'_>, candidate: &Candidate) -> Option<(Term, Expr, Expr)> {
    let of = |claim: &Expr, condition: &Expr| {
        let Expr::Compare(Comparison::Eq, ..) = claim else { return None };
        let term = left_term(claim)?;
        let at = scene.table.position(&term)?;
        let is_sequence = is_sequence(scene.column(at));
        is_sequence.then(|| (term, condition.clone(), claim.clone()))
    };
    match &candidate.expr {
        Expr::Implies(condition, claim) | Expr::Iff(claim, condition) => of(claim, condition),
        _ => None,
    }
}

/// The view that a claim is about.
fn left_term(expr: &Expr) -> Option<Term> {
    match expr {
        Expr::Term(term) => Some(term.clone()),
        Expr::Compare(_, left, _) => left_term(left),
        Expr::Test(_, of) | Expr::Not(of) => left_term(of),
        _ => None,
    }
}

/// The antecedent of an implication that compares two views; one of a kind is enough.
fn accident(expr: &Expr) -> Option<Expr> {
    let Expr::Implies(antecedent, _) = expr else { return None };
    let Expr::Compare(_, a, b) = &**antecedent else { return None };
    let is_view = |side: &Expr| matches!(side, Expr::Term(term) if term.query.is_some());
    (is_view(a) && is_view(b)).then(|| (**antecedent).clone())
}

/// The one object at one time, if need be with another operand, that all terms are views of.
struct Object {
    ty: TypeId,
    root: Root,
    when: When,
    with: Option<u32>,
}

fn object(scene: &Scene<'_>, expr: &Expr) -> Option<Object> {
    let mut terms: Vec<Term> = Vec::new();
    expr.each_term(&mut |term| terms.push(term.clone()));
    let first = terms.first()?;
    let with = terms.iter().find_map(|term| term.with);
    let is_own = |term: &Term| {
        (term.root, term.when) == (first.root, first.when)
            && term.query.is_some()
            && term.with.is_none_or(|other| Some(other) == with)
    };
    let ty = terms.iter().all(is_own).then(|| scene.type_of(first.root)).flatten()?;
    Some(Object { ty, root: first.root, when: first.when, with })
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

/// The sides of `x <= y` and `x >= y` after a call.
fn bounded(candidate: &Candidate) -> Option<(Term, Comparison, Term)> {
    let Expr::Compare(op @ (Comparison::Le | Comparison::Ge), x, y) = &candidate.expr else {
        return None;
    };
    match (&**x, &**y) {
        (Expr::Term(x), Expr::Term(y)) if candidate.kind == ContractKind::Postcondition => {
            Some((x.clone(), *op, y.clone()))
        }
        _ => None,
    }
}

/// `result <= old(self.capacity())` beside `result <= old(self.len())`, where the length of an
/// object never exceeds its capacity.
fn follows_from_bound(
    scene: &Scene<'_>,
    bounds: &[(Term, Comparison, Term)],
    candidate: &Candidate,
) -> bool {
    let Some((x, op, y)) = bounded(candidate) else { return false };
    bounds.iter().any(|(left, known, between)| {
        let is_nearer = *left == x && *known == op && *between != y;
        let of_one = (between.root, between.when) == (y.root, y.when)
            && between.query.is_some()
            && y.query.is_some();
        let Some(ty) = scene.type_of(y.root).filter(|_| is_nearer && of_one) else { return false };
        let fact = Expr::term(between.clone()).compare(op, Expr::term(y.clone()));
        scene.states.is_invariant(ty, &fact)
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
        let integer = scene.plain_type(index).and_then(PlainType::as_integer);
        let unsigned = integer.is_some_and(|ty| !ty.is_signed());
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
    if strong.kind != weak.kind || strong.expr == weak.expr || weak.settles.is_some() {
        return false;
    }
    match (&strong.expr, &weak.expr) {
        (_, Expr::Implies(_, then)) if strong.expr == **then => true,
        (Expr::Call(function, args), Expr::Compare(op, now, was)) => {
            is_part_of(*function, args, *op, [now, was])
        }
        (Expr::Iff(a, b), Expr::Implies(if_, then)) => {
            let sides = [(a, b), (b, a)];
            is_rest(a, then)
                || sides.iter().any(|(x, y)| {
                    (***x == **if_ && ***y == **then)
                        || (x.negated() == **if_ && y.negated() == **then)
                })
        }
        (Expr::Compare(Comparison::Eq, x, c), Expr::Compare(op, y, _)) => {
            *op != Comparison::Eq && x == y && matches!(**c, Expr::Const(_))
        }
        // When it changed is told; when it stayed is the rest.
        (Expr::Iff(step, _), Expr::Iff(stayed, _)) => is_rest(step, stayed),
        // Steps that were told under conditions say more than that it never grew.
        (Expr::Iff(step, _), order) => is_order_in_time(step, order),
        _ => strong.family == Family::Change && is_order_in_time(&strong.expr, &weak.expr),
    }
}

/// `self.len() <= old(self.len())` where the elements are some of those before.
fn is_part_of(function: Function, args: &[Expr], op: Comparison, numbers: [&Expr; 2]) -> bool {
    let is_part = matches!(function, Function::Subsequence | Function::Prefix | Function::Suffix);
    let [Expr::Term(part), Expr::Term(whole)] = args else { return false };
    let [Expr::Term(a), Expr::Term(b)] = numbers else { return false };
    let is_len = |number: &Term, sequence: &Term| {
        number.query.as_deref() == Some("len")
            && (number.root, number.when) == (sequence.root, sequence.when)
    };
    is_part
        && (op == Comparison::Le && is_len(a, part) && is_len(b, whole)
            || op == Comparison::Ge && is_len(a, whole) && is_len(b, part))
}

/// `self.len() == old(self.len())` after `self.len() == old(self.len()) + 1`.
fn is_rest(step: &Expr, stayed: &Expr) -> bool {
    let (Expr::Compare(Comparison::Eq, x, change), Expr::Compare(Comparison::Eq, y, old)) =
        (step, stayed)
    else {
        return false;
    };
    let Expr::Arithmetic(_, was, _) = &**change else { return false };
    x == y && was == old
}

/// `self.len() > old(self.len())` after `self.len() == old(self.len()) + 1`.
fn is_order_in_time(step: &Expr, order: &Expr) -> bool {
    let (Expr::Compare(_, x, _), Expr::Compare(op, y, z)) = (step, order) else { return false };
    let (Expr::Term(after), Expr::Term(before)) = (&**y, &**z) else { return false };
    let same_view = after.query == before.query && after.root == before.root;
    *op != Comparison::Eq && x == y && same_view && matches!(after.root, Root::Operand(_))
}
