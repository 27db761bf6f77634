//! Arrays beside values and beside other arrays: members, order of all elements, lexical and
//! pairwise order, reversal.

use crate::{
    facts::{
        fact::{Fact, Order, Strictly, TermId},
        judge::{is_reversed, lexical, pairwise, pairwise_linear},
    },
    format::kind::Scalar,
    learn::scene::{Candidate, Scene},
    numeric::odds::ln_crossed,
};

pub(super) fn candidates(scene: &Scene<'_>) -> Vec<Candidate> {
    let is_array = |term: &TermId| scene.terms[*term].kind.is_array;
    let arrays: Vec<TermId> = scene.live.iter().copied().filter(is_array).collect();
    let mut found = Vec::new();
    for array in &arrays {
        for value in scene.live.iter().copied().filter(|term| !is_array(term)) {
            if alike(scene, *array, value) {
                found.extend(member(scene, value, *array));
                found.extend(all_elements(scene, *array, value));
            }
        }
    }
    for (x, y) in scene.pairs(&arrays) {
        if alike(scene, x, y) {
            found.extend(lexical_order(scene, x, y));
            found.extend(element_by_element(scene, x, y));
            found.extend(reversed(scene, x, y));
        }
    }
    found
}

fn alike(scene: &Scene<'_>, x: TermId, y: TermId) -> bool {
    scene.terms[x].kind.of == scene.terms[y].kind.of && scene.go_together(x, y)
}

fn is_number(scene: &Scene<'_>, term: TermId) -> bool {
    matches!(scene.terms[term].kind.of, Scalar::Int | Scalar::Float)
}

/// Rows where both have a value and the array has elements.
fn rows(scene: &Scene<'_>, array: TermId, other: TermId) -> Vec<usize> {
    let column = &scene.batch.columns[array];
    scene.view().rows(&[array, other]).filter(|row| !column.array(*row).is_empty()).collect()
}

/// A candidate if it holds on all rows, with the chance from rows that do not belong together.
fn look(fact: Fact, rows: &[usize], fits: impl Fn(usize, usize) -> bool) -> Option<Candidate> {
    let holds = !rows.is_empty() && rows.iter().all(|row| fits(*row, *row));
    let ln = || ln_crossed(rows.len(), |i, j| fits(rows[i], rows[j]));
    holds.then(|| Candidate { fact, ln: ln() })
}

fn member(scene: &Scene<'_>, value: TermId, array: TermId) -> Option<Candidate> {
    scene.count(1);
    let (values, arrays) = (&scene.batch.columns[value], &scene.batch.columns[array]);
    // Also empty arrays count here: nothing is a member of them.
    let rows: Vec<usize> = scene.view().rows(&[array, value]).collect();
    look(Fact::Member(value, array), &rows, |i, j| arrays.array(j).contains(&values.cells[i]))
}

fn all_elements(scene: &Scene<'_>, array: TermId, value: TermId) -> Option<Candidate> {
    scene.count(5);
    let (values, arrays) = (&scene.batch.columns[value], &scene.batch.columns[array]);
    let rows = rows(scene, array, value);
    let orders =
        Order::ALL.into_iter().filter(|order| is_number(scene, array) || *order == Order::Eq);
    orders.into_iter().find_map(|order| {
        look(Fact::ElementsAre(array, order, value), &rows, |i, j| {
            arrays.array(i).iter().all(|item| order.holds(*item, values.cells[j]))
        })
    })
}

fn lexical_order(scene: &Scene<'_>, x: TermId, y: TermId) -> Option<Candidate> {
    if !matches!(scene.terms[x].kind.of, Scalar::Int | Scalar::Float | Scalar::Text) {
        return None;
    }
    scene.count(4);
    let rows: Vec<usize> = scene.view().rows(&[x, y]).collect();
    let order = |x: TermId, strictly: Strictly, y: TermId| {
        let (a, b) = (&scene.batch.columns[x], &scene.batch.columns[y]);
        look(Fact::ArrayOrder(x, strictly, y), &rows, |i, j| {
            lexical(scene.view(), (x, a.array(i)), b.array(j)).is_some_and(|o| strictly.fits(o))
        })
    };
    order(x, Strictly::Less, y)
        .or_else(|| order(y, Strictly::Less, x))
        .or_else(|| order(x, Strictly::OrEqual, y))
        .or_else(|| order(y, Strictly::OrEqual, x))
}

fn element_by_element(scene: &Scene<'_>, x: TermId, y: TermId) -> Option<Candidate> {
    if !is_number(scene, x) {
        return None;
    }
    scene.count(5);
    let rows = rows(scene, x, y);
    let (a, b) = (&scene.batch.columns[x], &scene.batch.columns[y]);
    let linear = line(a.items.as_slice(), b.items.as_slice())
        .filter(|_| scene.terms[x].kind.of == Scalar::Int)
        .and_then(|(k, c)| {
            look(Fact::PairwiseLinear(x, y, k, c), &rows, |i, j| {
                pairwise_linear(a.array(i), b.array(j), k, c)
            })
        });
    linear.or_else(|| {
        Order::ALL.into_iter().find_map(|order| {
            look(Fact::Pairwise(x, order, y), &rows, |i, j| pairwise(a.array(i), b.array(j), order))
        })
    })
}

/// The line through the first two points that differ: `b == k * a + c`.
fn line(a: &[i64], b: &[i64]) -> Option<(i64, i64)> {
    let (a0, b0) = (*a.first()?, *b.first()?);
    let (a1, b1) = a.iter().zip(b).find(|(a, _)| **a != a0)?;
    let (run, rise) = (a1.checked_sub(a0)?, b1.checked_sub(b0)?);
    if rise == 0 || rise % run != 0 {
        return None;
    }
    let k = rise / run;
    Some((k, b0.checked_sub(k.checked_mul(a0)?)?))
}

fn reversed(scene: &Scene<'_>, x: TermId, y: TermId) -> Option<Candidate> {
    scene.count(1);
    let rows = rows(scene, x, y);
    let (a, b) = (&scene.batch.columns[x], &scene.batch.columns[y]);
    look(Fact::Reversed(x, y), &rows, |i, j| is_reversed(a.array(i), b.array(j)))
}
