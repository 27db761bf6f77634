//! From before to after: `old(A) ==> C` where C does not hold on all calls, and `C <=> old(A)`.

use std::collections::BTreeSet;

use gainsay_model::contract::ContractKind;
use gainsay_wire::{Expr, Term, When};

use crate::{
    atom::{Atom, Shape},
    bits::{Bits, Fit},
    boolean,
    candidate::{Candidate, Family},
    cases,
    chance::{is_justified, ln_contained},
    change,
    column::Column,
    constant, inside, relation, result,
    scene::{Scene, is_most},
};

/// The most implications with one consequent.
const MOST: usize = 2;

/// Equivalences and implications of one operation.
pub(crate) fn candidates(scene: &Scene<'_>, models: Vec<Atom>) -> Vec<Candidate> {
    let is_before = |cause: &&Atom| cause.shape != Shape::Outcome;
    let causes: Vec<Atom> = cases::causes(scene).iter().filter(is_before).cloned().collect();
    let effects = representatives(effects(scene, models), |atom| (atom.subject, facet(atom.shape)));
    let tried = Tried::new(scene, &causes, &effects);
    let mut found = Vec::new();
    for effect in &effects {
        let causes: Vec<&Atom> =
            causes.iter().filter(|cause| concerns(scene, cause, effect)).collect();
        let mut same = causes.iter().filter_map(|cause| equivalence(scene, cause, effect, &tried));
        match same.next() {
            Some(claim) => found.push(claim),
            None => found.extend(implications(scene, &causes, effect, &tried)),
        }
    }
    found
}

/// What may be the case before a call.
pub(crate) fn conditions(columns: &[&Column<'_>]) -> Vec<Atom> {
    let mut atoms: Vec<Atom> = columns.iter().filter_map(|column| boolean::atom(column)).collect();
    atoms.extend(columns.iter().filter_map(|column| constant::zero_atom(column)));
    atoms.extend(relation::atoms(columns));
    atoms
}

pub(crate) fn causes(scene: &Scene<'_>) -> Vec<Atom> {
    let columns = scene.table.columns.iter().enumerate();
    let open = columns.filter(|(at, column)| column.term.is_before() && !scene.is_explained(*at));
    let mut atoms = conditions(&open.map(|(_, column)| column).collect::<Vec<_>>());
    atoms.retain(|atom| scene.options.is_given() || may_mean_something(scene, atom));
    atoms
}

/// A number that is given may be compared with a number of an object, two of one object for
/// equality; other comparisons are accidents as a rule.
fn may_mean_something(scene: &Scene<'_>, atom: &Atom) -> bool {
    let Some((a, b)) = compared(&atom.expr) else { return true };
    let is_number = |term: &Term| {
        let at = scene.table.position(term);
        term.with.is_none() && at.is_some_and(|at| scene.column(at).ints().is_some())
    };
    let is_given = |term: &Term| term.query.is_none();
    let of_one = atom.shape == Shape::Equal && a.root == b.root;
    is_number(a) && is_number(b) && (is_given(a) != is_given(b) || (of_one && !is_given(a)))
}

/// The two terms of a comparison.
fn compared(expr: &Expr) -> Option<(&Term, &Term)> {
    let Expr::Compare(_, a, b) = expr else { return None };
    match (&**a, &**b) {
        (Expr::Term(a), Expr::Term(b)) => Some((a, b)),
        _ => None,
    }
}

/// Whether the antecedent has to do with the consequent: what two views of one object have in
/// common tells something about these views only.
fn concerns(scene: &Scene<'_>, cause: &Atom, effect: &Atom) -> bool {
    let Some((a, b)) = compared(&cause.expr) else { return true };
    if scene.options.is_given() || a.query.is_none() || b.query.is_none() {
        return true;
    }
    let mut mentioned = false;
    effect.expr.each_term(&mut |term| mentioned |= term.query == a.query || term.query == b.query);
    mentioned
}

fn effects(scene: &Scene<'_>, models: Vec<Atom>) -> Vec<Atom> {
    let columns = scene.table.columns.iter().enumerate();
    let open = columns.filter(|(at, c)| c.term.when == When::After && !scene.is_explained(*at));
    let mut atoms: Vec<Atom> = open.filter_map(|(_, column)| boolean::atom(column)).collect();
    atoms.retain(|atom| !is_doubled(scene, atom));
    atoms.extend(constant::result_atoms(scene));
    atoms.extend(change::atoms(scene));
    atoms.extend(result::atoms(scene));
    atoms.extend(inside::atoms(scene));
    atoms.extend(models);
    atoms
}

/// Whether a test of a view is another way to write a truth value of the same object, which
/// speaks for itself.
fn is_doubled(scene: &Scene<'_>, atom: &Atom) -> bool {
    let Expr::Test(_, of) = &atom.expr else { return false };
    let Expr::Term(term) = &**of else { return false };
    let Some(ty) = scene.type_of(term.root) else { return false };
    scene.table.columns.iter().any(|column| {
        let other = &column.term;
        let same = (other.root, other.when, other.with) == (term.root, term.when, term.with);
        let truth = Expr::term(other.clone());
        let agree = |truth: &Expr| {
            scene.states.entails(ty, truth, &atom.expr)
                && scene.states.entails(ty, &atom.expr, truth)
        };
        same && column.bools().is_some() && (agree(&truth) || agree(&truth.negated()))
    })
}

/// Steps, frames and models of a view are told apart from its plain facts.
fn facet(shape: Shape) -> u8 {
    match shape {
        Shape::Change => 1,
        Shape::Unchanged => 2,
        Shape::Model => 3,
        _ => 0,
    }
}

/// The simplest atom of each set of rows (or its complement) and key; what does not vary is left
/// out.
pub(crate) fn representatives<K: Ord>(mut atoms: Vec<Atom>, key: impl Fn(&Atom) -> K) -> Vec<Atom> {
    atoms.retain(Atom::varies);
    atoms.sort_by_key(Atom::simplicity);
    let mut seen: BTreeSet<(K, (Bits, Bits))> = BTreeSet::new();
    atoms.retain(|atom| seen.insert((key(atom), atom.class())));
    atoms
}

/// How many equivalences and implications could have come out, given how often each side holds.
struct Tried {
    equivalences: usize,
    implications: usize,
}

impl Tried {
    fn new(scene: &Scene<'_>, causes: &[Atom], effects: &[Atom]) -> Tried {
        let least = scene.options.min_at_risk();
        let sides = |atom: &Atom| [atom.yes.count(), atom.no().count()];
        let effects: Vec<_> = effects.iter().map(|effect| (sides(effect), effect.shape)).collect();
        let mut tried = Tried { equivalences: 0, implications: 0 };
        for cause in causes.iter().map(sides) {
            for ([yes, no], shape) in &effects {
                tried.equivalences += usize::from(cause.contains(yes));
                let outer = if has_negation(*shape) { vec![*yes, *no] } else { vec![*yes] };
                let fits =
                    |outer: &usize| cause.iter().filter(|a| **a >= least && *a <= outer).count();
                tried.implications += outer.iter().map(fits).sum::<usize>();
            }
        }
        tried
    }
}

/// Whether the opposite of the shape is worth stating.
fn has_negation(shape: Shape) -> bool {
    matches!(shape, Shape::Boolean | Shape::Test | Shape::TestOnOther)
}

fn equivalence(scene: &Scene<'_>, cause: &Atom, effect: &Atom, tried: &Tried) -> Option<Candidate> {
    let expr = match cause.yes.fit(&effect.yes, [&cause.known, &effect.known])? {
        Fit::Agree => effect.expr.clone().iff(cause.expr.clone()),
        Fit::Oppose if matches!(effect.shape, Shape::Test | Shape::TestOnOther) => {
            effect.expr.negated().iff(cause.expr.clone())
        }
        Fit::Oppose => effect.expr.clone().iff(cause.expr.negated()),
    };
    let known = cause.known.and(&effect.known);
    let a = cause.yes.and(&known);
    let chance = ln_contained(a.count(), a.count(), known.count());
    let varies = !a.is_none() && a != known;
    if !varies
        || !shows_more_than_one(scene, effect, &effect.yes.and(&known))
        || !is_justified(scene.options, chance, tried.equivalences)
    {
        return None;
    }
    scene.claim(ContractKind::Postcondition, Family::Equivalence, expr, &known)
}

/// The implications with this consequent or its opposite whose antecedents hold most often.
fn implications(
    scene: &Scene<'_>,
    causes: &[&Atom],
    effect: &Atom,
    tried: &Tried,
) -> Vec<Candidate> {
    let mut goals = vec![effect.clone()];
    goals.extend(has_negation(effect.shape).then(|| effect.negated()));
    let mut found = Vec::new();
    for goal in &goals {
        let fails = goal.no();
        let mut holding: Vec<Atom> = Vec::new();
        for cause in causes {
            let counts = |rows: &Bits| is_telling(scene, rows, cause, goal, tried);
            if cause.yes.apart(&fails) && counts(&cause.yes) {
                holding.push((*cause).clone());
            } else if cause.known.minus(&cause.yes).apart(&fails) && counts(&cause.no()) {
                holding.push(cause.negated());
            }
        }
        holding.sort_by_key(|cause| (std::cmp::Reverse(cause.yes.count()), cause.simplicity()));
        let mut kept: Vec<Atom> = Vec::new();
        for cause in holding {
            if kept.len() < MOST && !kept.iter().any(|wider| cause.yes.within(&wider.yes)) {
                kept.push(cause);
            }
        }
        found.extend(kept.iter().map(|cause| implication(scene, cause, goal)));
    }
    found
}

/// Whether the antecedent held often enough for the consequent to be no accident.
fn is_telling(scene: &Scene<'_>, rows: &Bits, cause: &Atom, goal: &Atom, tried: &Tried) -> bool {
    let known = cause.known.and(&goal.known);
    let at_risk = rows.and(&known).count();
    let often = goal.yes.and(&known).count();
    at_risk >= scene.options.min_at_risk()
        && shows_more_than_one(scene, goal, &rows.and(&known))
        && is_most(at_risk, rows.count())
        && is_justified(
            scene.options,
            ln_contained(at_risk, often, known.count()),
            tried.implications,
        )
}

/// Whether an equality was seen on different values. That an empty list keeps its length says
/// no more than that it stays empty.
fn shows_more_than_one(scene: &Scene<'_>, effect: &Atom, rows: &Bits) -> bool {
    let is_equality =
        matches!(effect.shape, Shape::Equal | Shape::Change | Shape::Unchanged | Shape::Model);
    if !is_equality || scene.options.is_given() {
        return true;
    }
    let mut first = None;
    effect.expr.each_term(&mut |term| {
        first = first.or_else(|| scene.table.position(term));
    });
    let Some(column) = first.map(|at| scene.column(at)) else { return true };
    let mut values = rows.rows().map(|row| column.value(row));
    values.next().is_some_and(|one| values.any(|other| other != one))
}

fn implication(scene: &Scene<'_>, cause: &Atom, goal: &Atom) -> Candidate {
    let expr: Expr = cause.expr.clone().implies(goal.expr.clone());
    let known = cause.known.and(&goal.known);
    let at_risk = cause.yes.and(&known).count();
    Candidate {
        kind: ContractKind::Postcondition,
        family: Family::Implication,
        expr,
        distinct: scene.table.rows as u64,
        at_risk: at_risk as u64,
        settles: None,
    }
}
