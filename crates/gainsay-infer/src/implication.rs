//! From before to after: `old(A) ==> C` where C does not hold on all calls, and `C <=> old(A)`.

use std::collections::BTreeSet;

use gainsay_model::contract::ContractKind;
use gainsay_wire::{Expr, When};

use crate::{
    atom::{Atom, Shape},
    bits::{Bits, Fit},
    boolean,
    candidate::{Candidate, Family},
    chance::{is_justified, ln_contained},
    change,
    column::Column,
    constant, model, relation, result,
    scene::{Scene, is_most},
};

/// The most implications with one consequent.
const MOST: usize = 2;

/// Equivalences and implications of one operation.
pub(crate) fn candidates(scene: &Scene<'_>) -> Vec<Candidate> {
    let causes = representatives(causes(scene), |_| 0_u8);
    let effects = representatives(effects(scene), |atom| (atom.subject, facet(atom.shape)));
    let tried = Tried::new(scene, &causes, &effects);
    let mut found = Vec::new();
    for effect in &effects {
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

fn causes(scene: &Scene<'_>) -> Vec<Atom> {
    let columns = scene.table.columns.iter().enumerate();
    let open = columns.filter(|(at, column)| column.term.is_before() && !scene.is_explained(*at));
    conditions(&open.map(|(_, column)| column).collect::<Vec<_>>())
}

fn effects(scene: &Scene<'_>) -> Vec<Atom> {
    let columns = scene.table.columns.iter().enumerate();
    let open = columns.filter(|(at, c)| c.term.when == When::After && !scene.is_explained(*at));
    let mut atoms: Vec<Atom> = open.filter_map(|(_, column)| boolean::atom(column)).collect();
    atoms.extend(constant::result_atoms(scene));
    atoms.extend(change::atoms(scene));
    atoms.extend(result::atoms(scene));
    atoms.extend(model::atoms(scene));
    atoms
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
fn representatives<K: Ord>(mut atoms: Vec<Atom>, key: impl Fn(&Atom) -> K) -> Vec<Atom> {
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
    matches!(shape, Shape::Boolean | Shape::Test)
}

fn equivalence(scene: &Scene<'_>, cause: &Atom, effect: &Atom, tried: &Tried) -> Option<Candidate> {
    let expr = match cause.yes.fit(&effect.yes, [&cause.known, &effect.known])? {
        Fit::Agree => effect.expr.clone().iff(cause.expr.clone()),
        Fit::Oppose if effect.shape == Shape::Test => effect.expr.negated().iff(cause.expr.clone()),
        Fit::Oppose => effect.expr.clone().iff(cause.expr.negated()),
    };
    let known = cause.known.and(&effect.known);
    let a = cause.yes.and(&known);
    let chance = ln_contained(a.count(), a.count(), known.count());
    let varies = !a.is_none() && a != known;
    if !varies || !is_justified(scene.options, chance, tried.equivalences) {
        return None;
    }
    scene.claim(ContractKind::Postcondition, Family::Equivalence, expr, &known)
}

/// The implications with this consequent or its opposite whose antecedents hold most often.
fn implications(
    scene: &Scene<'_>,
    causes: &[Atom],
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
                holding.push(cause.clone());
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
        && is_most(at_risk, rows.count())
        && is_justified(
            scene.options,
            ln_contained(at_risk, often, known.count()),
            tried.implications,
        )
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
    }
}
