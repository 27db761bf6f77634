//! Linear facts: an integer after the call as a sum of what was there and given, found exactly by
//! one null-space for each.

use gainsay_model::contract::ContractKind;
use gainsay_wire::{Arithmetic, Expr, Root, When};

use crate::{
    bits::Bits,
    candidate::{Candidate, Family},
    numeric::{null_space::NullSpace, relation::Relation},
    relation::is_sequence,
    scene::Scene,
    source::Sources,
};

/// The most columns that explain.
const MOST_COLUMNS: usize = 12;
/// The most terms of a sum.
const MOST_TERMS: usize = 3;
/// The greatest factor that a programmer would write by hand.
const MOST_FACTOR: i64 = 4;
/// So many rows more than what they are fitted to.
const SPARE_ROWS: usize = 6;

/// Integers that are always the same sum.
pub(crate) fn candidates(scene: &Scene<'_>) -> Vec<Candidate> {
    let known = explaining(scene);
    let mut found = Vec::new();
    for at in targets(scene) {
        if let Some(claim) = sum(scene, at, &known) {
            scene.explain(at);
            found.push(claim);
        }
    }
    found
}

/// A number before the call, with its values.
struct Number {
    expr: Expr,
    known: Bits,
    values: Vec<i64>,
}

fn targets(scene: &Scene<'_>) -> Vec<usize> {
    let is_target = |at: &usize| {
        let column = scene.column(*at);
        let is_open = column.term.when == When::After && !scene.is_explained(*at);
        is_open && column.ints().is_some() && column.distinct > 2
    };
    (0..scene.table.columns.len()).filter(is_target).collect()
}

/// Numbers of objects, numbers that are given, and the lengths of sequences that are.
fn explaining(scene: &Scene<'_>) -> Vec<Number> {
    let narrow = |value: i128| i64::try_from(value).unwrap_or(i64::MAX);
    let values = |expr: &Expr| -> Vec<i64> {
        let of = |row| scene.table.value(expr, row).as_int().map_or(0, narrow);
        (0..scene.table.rows).map(of).collect()
    };
    let before = scene.table.columns.iter().filter(|column| column.term.is_before());
    let mut found = Vec::new();
    for column in before.filter(|column| !column.is_constant() && column.term.with.is_none()) {
        let is_given = column.term.query.is_none() && matches!(column.term.root, Root::Operand(_));
        if let Some(ints) = column.ints() {
            let values = ints.iter().map(|value| narrow(*value)).collect();
            let (expr, known) = (Expr::term(column.term.clone()), column.known.clone());
            found.push(Number { expr, known, values });
        } else if is_given && is_sequence(column) {
            let expr = Expr::Len(Box::new(Expr::term(column.term.clone())));
            found.push(Number { values: values(&expr), known: column.known.clone(), expr });
        } else if is_given {
            let parts = Sources::parts(column).into_iter();
            let number = |expr| Number { values: values(&expr), known: column.known.clone(), expr };
            found.extend(parts.map(number));
        }
    }
    found.truncate(MOST_COLUMNS);
    found
}

fn sum(scene: &Scene<'_>, at: usize, numbers: &[Number]) -> Option<Candidate> {
    let target = scene.column(at);
    let rows = numbers.iter().fold(target.known.clone(), |rows, number| rows.and(&number.known));
    let ints = target.ints()?;
    let pick = |values: &dyn Fn(usize) -> i64| rows.rows().map(values).collect::<Vec<i64>>();
    let mut columns: Vec<Vec<i64>> =
        numbers.iter().map(|number| pick(&|row| number.values[row])).collect();
    columns.push(pick(&|row| i64::try_from(ints[row]).unwrap_or(i64::MAX)));
    let mut space = NullSpace::new(columns.len());
    space.add(&columns.iter().map(Vec::as_slice).collect::<Vec<_>>());
    let own = numbers.len();
    let relation = space.relations().iter().find(|r| r.terms.last().map(|t| t.0) == Some(own))?;
    let enough = rows.count() >= (space.rank() + SPARE_ROWS).max(scene.min_rows());
    // That it repeats, or is another by a constant, others say.
    let is_sum = relation.terms.len() > 2;
    let right = right_side(relation, numbers).filter(|_| enough && is_sum)?;
    let expr = Expr::term(target.term.clone()).equals(right);
    let told = scene.told(&expr);
    scene.claim(ContractKind::Postcondition, Family::Linear, expr, &told)
}

/// The sum that the last column of the relation equals.
fn right_side(relation: &Relation, numbers: &[Number]) -> Option<Expr> {
    let ((_, 1), terms) = relation.terms.split_last()? else { return None };
    let exprs: Vec<Expr> = numbers.iter().map(|number| number.expr.clone()).collect();
    sum_of(terms, relation.constant, &exprs)
}

/// What `own` is where `constant + terms + own == 0`, with what is added first; `None` for what
/// nobody would write.
pub(crate) fn sum_of(terms: &[(usize, i64)], constant: i64, exprs: &[Expr]) -> Option<Expr> {
    if terms.len() > MOST_TERMS || terms.iter().any(|(_, factor)| factor.abs() > MOST_FACTOR) {
        return None;
    }
    // On the right side everything has the opposite sign.
    let mut terms: Vec<(i64, &Expr)> =
        terms.iter().map(|(at, factor)| (-factor, &exprs[*at])).collect();
    terms.sort_by_key(|(factor, _)| *factor < 0);
    let scaled = |factor: i64, of: &Expr| match factor.abs() {
        1 => of.clone(),
        factor => Expr::int(factor.into()).arithmetic(Arithmetic::Mul, of.clone()),
    };
    let (first, rest) = terms.split_first()?;
    // `4 - len`: what everything is taken from comes first.
    let is_rest = first.0 < 0;
    if is_rest && constant >= 0 {
        return None;
    }
    let (mut sum, rest, constant) = if is_rest {
        (Expr::int((-constant).into()), &terms[..], 0)
    } else {
        (scaled(first.0, first.1), rest, constant)
    };
    for (factor, of) in rest {
        let op = if *factor < 0 { Arithmetic::Sub } else { Arithmetic::Add };
        sum = sum.arithmetic(op, scaled(*factor, of));
    }
    Some(sum.plus((-constant).into()))
}
