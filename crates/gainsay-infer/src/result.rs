//! What the result equals: a view, an argument; and the views of an object that was made.

use std::cmp::Reverse;

use gainsay_model::contract::ContractKind;
use gainsay_wire::{Expr, Root, Term, Value, When};

use crate::{
    atom::{Atom, Shape, weight},
    candidate::{Candidate, Family},
    column::Column,
    compared, lookup,
    relation::{self, is_sequence},
    scene::Scene,
};

const POST: ContractKind = ContractKind::Postcondition;

/// The most views of a made object that are said to equal those of an operand.
const NAMESAKES: usize = 2;

/// Results that always equal something, or else are ordered with it.
pub(crate) fn candidates(scene: &Scene<'_>) -> Vec<Candidate> {
    let mut found = own_view(scene);
    let mut results = results(scene);
    results.sort_by_key(|at| {
        let column = scene.column(*at);
        (!is_sequence(column), Reverse(column.distinct), *at)
    });
    let tried: usize = results.iter().map(|at| sources(scene, *at).len()).sum();
    let mut namesakes = 0;
    for at in &results {
        if scene.is_explained(*at) {
            continue;
        }
        let equal = |right: usize| {
            let claim = relation::equality(scene, (POST, Family::Result), (*at, right), tried);
            claim.map(|claim| (right, claim))
        };
        let Some((right, claim)) = sources(scene, *at).into_iter().find_map(equal) else {
            continue;
        };
        scene.explain(*at);
        let (made, source) = (scene.column(*at), scene.column(right));
        let enough = namesakes + 1 >= NAMESAKES && made.term.query == source.term.query;
        if (is_sequence(made) || enough) && made.term.root != Root::Result {
            relation::explain_namesakes(scene, *at, right);
        }
        namesakes += usize::from(made.term.query == source.term.query);
        if made.term.query != source.term.query || namesakes <= NAMESAKES {
            found.push(claim);
        }
    }
    for at in results.into_iter().filter(|at| !scene.is_explained(*at)) {
        let open = sources(scene, at).into_iter().filter(|right| !scene.is_explained(*right));
        found.extend(open.filter_map(|right| relation::order(scene, POST, (at, right), tried * 2)));
    }
    found
}

/// A query returns its own view, which goes without saying; how that view hangs together with
/// the elements does not.
fn own_view(scene: &Scene<'_>) -> Vec<Candidate> {
    let Some(at) = scene.table.position(&Term::result()) else { return Vec::new() };
    let result = scene.column(at);
    let is_own = |column: &&Column<'_>| {
        let term = &column.term;
        term.root == Root::Operand(0) && term.query.as_deref() == Some(scene.method())
    };
    let mut own = scene.table.columns.iter().filter(is_own);
    if scene.is_explained(at) || !own.any(|view| view.always_equals(result)) {
        return Vec::new();
    }
    let told = if result.is_constant() { Vec::new() } else { told(scene, result) };
    scene.explain(at);
    told
}

fn told(scene: &Scene<'_>, result: &Column<'_>) -> Vec<Candidate> {
    let counted = of_elements(scene, result).or_else(|| compared::of_elements(scene));
    counted.map_or_else(|| lookup::candidates(scene), |claim| vec![claim])
}

/// `result == len(self.seq())`, `result <=> self.len() == 0`.
fn of_elements(scene: &Scene<'_>, result: &Column<'_>) -> Option<Candidate> {
    let told = Expr::term(result.term.clone());
    let mut now =
        scene.table.columns.iter().filter(|column| {
            column.term.root == Root::Operand(0) && column.term.when == When::After
        });
    if let Some(ints) = result.ints() {
        let sequence = now.find(|column| is_sequence(column))?;
        let known = result.known.and(&sequence.known);
        let counts = |row| match sequence.value(row) {
            Value::Seq(items) => i128::try_from(items.len()) == Ok(ints[row]),
            _ => false,
        };
        let len = Expr::Len(Box::new(Expr::term(sequence.term.clone())));
        let holds = known.rows().all(counts);
        return holds.then(|| scene.claim(POST, Family::Result, told.equals(len), &known))?;
    }
    let (ty, truths) = (scene.type_of(Root::Operand(0))?, result.bools()?);
    let doubles = |column: &&Column<'_>| {
        let number = column.term.query.as_deref().filter(|_| column.ints().is_some());
        number.is_some_and(|number| scene.states.is_double(ty, scene.method(), number))
    };
    let number = now.find(doubles)?;
    let (ints, known) = (number.ints()?, result.known.and(&number.known));
    let holds = known.rows().all(|row| truths.get(row) == (ints[row] == 0));
    let zero = Expr::term(number.term.clone()).equals(Expr::int(0));
    holds.then(|| scene.claim(POST, Family::Result, told.iff(zero), &known))?
}

/// `result == x` where that holds on some calls, as conditions.
pub(crate) fn atoms(scene: &Scene<'_>) -> Vec<Atom> {
    let open = results(scene).into_iter().filter(|at| !scene.is_explained(*at));
    let plain = open.filter(|at| scene.column(*at).bools().is_none());
    let of = |at: usize| {
        let equal = move |right: usize| {
            relation::equal_atom(scene.column(at), scene.column(right), Shape::Equal)
        };
        sources(scene, at).into_iter().filter_map(equal)
    };
    plain.flat_map(of).collect()
}

fn results(scene: &Scene<'_>) -> Vec<usize> {
    let is_result = |at: &usize| !matches!(scene.column(*at).term.root, Root::Operand(_));
    let varies = |at: &usize| !scene.column(*at).is_constant();
    (0..scene.table.columns.len()).filter(is_result).filter(varies).collect()
}

/// What a result may be compared with, the best first: a view that is still there is named as it
/// is now, not as it was.
fn sources(scene: &Scene<'_>, result: usize) -> Vec<usize> {
    let left = scene.column(result);
    let fits = |at: &usize| {
        let column = scene.column(*at);
        matches!(column.term.root, Root::Operand(_))
            && !column.is_constant()
            && column.is_comparable(left)
    };
    let mut sources: Vec<usize> = (0..scene.table.columns.len()).filter(fits).collect();
    let after: Vec<usize> = sources
        .iter()
        .filter_map(|at| scene.before(*at).map(|before| (*at, before)))
        .filter(|(at, before)| scene.column(*at).always_equals(scene.column(*before)))
        .map(|(_, before)| before)
        .collect();
    sources.retain(|at| !after.contains(at));
    sources.sort_by_key(|at| {
        let term = &scene.column(*at).term;
        let is_namesake = term.query == left.term.query;
        (!is_namesake, weight(term), term.when == When::After, *at)
    });
    sources
}
