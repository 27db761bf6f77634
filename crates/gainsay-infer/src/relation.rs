//! Equality and order between terms of one kind.

use gainsay_model::contract::ContractKind;
use gainsay_wire::{Comparison, Expr, Root, Term, Value};

use crate::{
    atom::{Atom, Shape, weight},
    bits::Bits,
    candidate::{Candidate, Family},
    chance::{Strictly, is_justified, ln_ordered},
    column::Column,
    scene::Scene,
};

const PRE: ContractKind = ContractKind::Precondition;
const POST: ContractKind = ContractKind::Postcondition;

/// Relations between what is there before the call.
pub(crate) fn at_entry(scene: &Scene<'_>) -> Vec<Candidate> {
    let mut columns = scene.subjects(PRE);
    columns.retain(|at| !scene.column(*at).is_constant());
    // That two truth values agree is a law of the type, not a demand.
    columns.retain(|at| scene.column(*at).bools().is_none());
    columns.sort_by_key(|at| (weight(&scene.column(*at).term), *at));
    let mut pairs = comparable_pairs(scene, &columns);
    pairs.retain(|(a, b)| !is_same_question(&scene.column(*a).term, &scene.column(*b).term));
    let mut found = Vec::new();
    for (leader, other) in &pairs {
        if scene.is_explained(*leader) || scene.is_explained(*other) {
            continue;
        }
        if let Some(equal) = equality(scene, (PRE, Family::Equal), (*leader, *other), pairs.len()) {
            scene.explain(*other);
            found.push(equal);
        }
    }
    let both_open = |(a, b): &&(usize, usize)| !scene.is_explained(*a) && !scene.is_explained(*b);
    for (a, b) in pairs.iter().filter(both_open) {
        // An argument is compared with a view, not the view with it.
        let (left, right) = if is_argument(&scene.column(*b).term) { (*b, *a) } else { (*a, *b) };
        found.extend(order(scene, PRE, (left, right), pairs.len() * 2));
    }
    found
}

/// Whether both ask one object about the same: that they agree is a law of the type, not a demand.
fn is_same_question(a: &Term, b: &Term) -> bool {
    a.with.is_some() && (a.root, a.with) == (b.root, b.with)
}

/// Relations of the views after the call with each other and with what was before.
pub(crate) fn at_exit(scene: &Scene<'_>) -> Vec<Candidate> {
    let open = |at: &usize| !scene.is_explained(*at) && !scene.column(*at).is_constant();
    let is_view = |at: &usize| matches!(scene.column(*at).term.root, Root::Operand(_));
    let lefts: Vec<usize> = scene.subjects(POST).into_iter().filter(open).filter(is_view).collect();
    let rights: Vec<usize> = (0..scene.table.columns.len()).filter(open).filter(is_view).collect();
    let mut pairs = Vec::new();
    for left in &lefts {
        let earlier = rights.iter().filter(|right| *right < left);
        let fits = |right: &&usize| scene.column(*left).is_comparable(scene.column(**right));
        pairs.extend(earlier.filter(fits).map(|right| (*left, *right)));
    }
    pairs.sort_by_key(|(left, right)| {
        let later = !is_sequence(scene.column(*left));
        (later, *left, weight(&scene.column(*right).term), *right)
    });
    let mut found = Vec::new();
    for pair in &pairs {
        if !scene.is_explained(pair.0)
            && let Some(equal) = equality(scene, (POST, Family::Equal), *pair, pairs.len())
        {
            scene.explain(pair.0);
            if is_sequence(scene.column(pair.0)) {
                explain_namesakes(scene, pair.0, pair.1);
            }
            found.push(equal);
        }
    }
    for (left, right) in pairs.iter().filter(|(left, _)| !scene.is_explained(*left)) {
        let is_same_view = scene.before(*left) == Some(*right);
        if is_same_view || is_argument(&scene.column(*right).term) {
            found.extend(order(scene, POST, (*left, *right), pairs.len() * 2));
        }
    }
    found
}

/// Once the sequences of two objects are equal, equal views of both follow.
pub(crate) fn explain_namesakes(scene: &Scene<'_>, sequence: usize, source: usize) {
    let (term, of) = (scene.column(sequence).term.clone(), scene.column(source).term.clone());
    for (at, column) in scene.table.columns.iter().enumerate() {
        let namesake = Term { when: of.when, root: of.root, ..column.term.clone() };
        let same = scene.table.position(&namesake);
        let is_other = (column.term.root, column.term.when) == (term.root, term.when);
        if is_other && same.is_some_and(|same| column.always_equals(scene.column(same))) {
            scene.explain(at);
        }
    }
}

pub(crate) fn is_sequence(column: &Column<'_>) -> bool {
    matches!(column.sample(), Some(Value::Seq(_)))
}

fn is_argument(term: &Term) -> bool {
    term.query.is_none()
}

fn comparable_pairs(scene: &Scene<'_>, columns: &[usize]) -> Vec<(usize, usize)> {
    let mut pairs = Vec::new();
    for (i, a) in columns.iter().enumerate() {
        let others = columns[i + 1..].iter();
        let fits = |b: &&usize| scene.column(*a).is_comparable(scene.column(**b));
        pairs.extend(others.filter(fits).map(|b| (*a, *b)));
    }
    pairs
}

/// `left == right` on all rows, if that is no accident.
pub(crate) fn equality(
    scene: &Scene<'_>,
    (kind, family): (ContractKind, Family),
    (left, right): (usize, usize),
    tried: usize,
) -> Option<Candidate> {
    let (a, b) = (scene.column(left), scene.column(right));
    if !a.always_equals(b) || !is_justified(scene.options, a.ln_chance_of_copy(), tried) {
        return None;
    }
    let expr = Expr::term(a.term.clone()).equals(Expr::term(b.term.clone()));
    scene.claim(kind, family, expr, &a.known.and(&b.known))
}

/// `left < right` or its kin on all rows, if that is no accident.
pub(crate) fn order(
    scene: &Scene<'_>,
    kind: ContractKind,
    (left, right): (usize, usize),
    tried: usize,
) -> Option<Candidate> {
    let (a, b) = (scene.column(left), scene.column(right));
    let (x, y) = (a.ints()?, b.ints()?);
    let known = a.known.and(&b.known);
    let always = |fits: fn(&i128, &i128) -> bool| known.rows().all(|row| fits(&x[row], &y[row]));
    let op = if always(i128::le) {
        if always(i128::lt) { Comparison::Lt } else { Comparison::Le }
    } else if always(i128::ge) {
        if always(i128::gt) { Comparison::Gt } else { Comparison::Ge }
    } else {
        return None;
    };
    let values = |of: &[i128]| known.rows().map(|row| of[row]).collect::<Vec<_>>();
    let ln_chance = match op {
        Comparison::Lt => ln_ordered(values(x), values(y), Strictly::Less),
        Comparison::Le => ln_ordered(values(x), values(y), Strictly::OrEqual),
        Comparison::Gt => ln_ordered(values(y), values(x), Strictly::Less),
        _ => ln_ordered(values(y), values(x), Strictly::OrEqual),
    };
    if a.always_equals(b) || !is_justified(scene.options, ln_chance, tried) {
        return None;
    }
    let expr = Expr::term(a.term.clone()).compare(op, Expr::term(b.term.clone()));
    scene.claim(kind, Family::Order, expr, &known)
}

/// `a == b`, `a < b` and `a > b` as conditions, for columns that vary.
pub(crate) fn atoms<'c, 'a: 'c>(columns: &[&'c Column<'a>]) -> Vec<Atom> {
    let mut found = Vec::new();
    for (i, a) in columns.iter().enumerate() {
        for b in columns[i + 1..].iter().filter(|b| a.is_comparable(b)) {
            let are_truths = a.bools().is_some() && b.bools().is_some();
            if are_truths || (a.is_constant() && b.is_constant()) {
                continue;
            }
            found.extend(equal_atom(a, b, Shape::Equal));
            if let (Some(x), Some(y)) = (a.ints(), b.ints()) {
                let known = a.known.and(&b.known);
                let less = Bits::from_fn(x.len(), |row| x[row] < y[row]).and(&known);
                let more = Bits::from_fn(x.len(), |row| x[row] > y[row]).and(&known);
                found.push(order_atom(a, Comparison::Lt, b, less));
                found.push(order_atom(a, Comparison::Gt, b, more));
            }
        }
    }
    found
}

/// `a == b` as a condition.
pub(crate) fn equal_atom(a: &Column<'_>, b: &Column<'_>, shape: Shape) -> Option<Atom> {
    let yes = a.equal(b)?;
    let expr = Expr::term(a.term.clone()).equals(Expr::term(b.term.clone()));
    let mut atom = Atom::new(expr, yes, a.known.and(&b.known), shape, &a.term);
    atom.weight = weight(&a.term).max(weight(&b.term));
    Some(atom)
}

fn order_atom(a: &Column<'_>, op: Comparison, b: &Column<'_>, yes: Bits) -> Atom {
    let expr = Expr::term(a.term.clone()).compare(op, Expr::term(b.term.clone()));
    Atom::new(expr, yes, a.known.and(&b.known), Shape::Less, &a.term)
}
