//! What a single array always is: one of a few, elements within bounds or of few values, sorted.

use std::collections::BTreeSet;

use crate::{
    facts::{
        fact::{Fact, Order, TermId},
        judge::{FEW, is_sorted, items},
    },
    format::kind::Scalar,
    learn::scene::{Candidate, Scene, counts},
    numeric::odds::{End, ln_agree, ln_fit, ln_no_other},
};

pub(super) fn candidates(scene: &Scene<'_>) -> Vec<Candidate> {
    let mut found = Vec::new();
    for array in scene.live.iter().copied().filter(|term| scene.terms[*term].kind.is_array) {
        scene.count(10);
        found.extend(few(scene, array));
        let mut elements: Vec<i64> = items(scene.view(), array).collect();
        elements.sort_unstable();
        if !elements.is_empty() {
            found.extend(few_elements(scene, array, &elements));
            found.extend(bounds(scene, array, &elements));
            found.extend(non_zero(scene, array, &elements));
            found.extend(sorted(scene, array, &elements));
        }
    }
    found
}

fn few(scene: &Scene<'_>, array: TermId) -> Option<Candidate> {
    let column = &scene.batch.columns[array];
    let mut seen = BTreeSet::new();
    let mut rows = 0;
    for row in scene.view().rows(&[array]) {
        seen.insert(column.array(row));
        rows += 1;
        if seen.len() > FEW {
            return None;
        }
    }
    // Which objects were seen says nothing, but that there are none does.
    if column.kind.of == Scalar::Hash && seen.iter().any(|array| array.iter().any(|x| *x != 0)) {
        return None;
    }
    let ln = ln_no_other(seen.len(), rows);
    let values = seen.into_iter().map(<[i64]>::to_vec).collect();
    Some(Candidate { fact: Fact::OneOfArrays(array, values), ln })
}

fn few_elements(scene: &Scene<'_>, array: TermId, elements: &[i64]) -> Option<Candidate> {
    let mut values = elements.to_vec();
    values.dedup();
    let most = if scene.terms[array].kind.of == Scalar::Hash { 1 } else { FEW };
    let ln = ln_no_other(values.len(), arrays_with_elements(scene, array));
    (values.len() <= most).then_some(Candidate { fact: Fact::ElementsOneOf(array, values), ln })
}

/// Elements of one array are not independent, so arrays count.
fn arrays_with_elements(scene: &Scene<'_>, array: TermId) -> usize {
    let column = &scene.batch.columns[array];
    scene.view().rows(&[array]).filter(|row| !column.array(*row).is_empty()).count()
}

fn bounds(scene: &Scene<'_>, array: TermId, elements: &[i64]) -> Vec<Candidate> {
    let (low, high) = (elements[0], elements[elements.len() - 1]);
    if scene.terms[array].kind.of != Scalar::Int || low == high {
        return Vec::new();
    }
    let (l, h) = (i128::from(low), i128::from(high));
    let (lower, upper) = (End::lower(elements, l, h), End::upper(elements, l, h));
    vec![
        Candidate { fact: Fact::ElementsAtLeast(array, low), ln: lower.ln_open },
        Candidate { fact: Fact::ElementsAtMost(array, high), ln: upper.ln_open },
    ]
}

fn non_zero(scene: &Scene<'_>, array: TermId, elements: &[i64]) -> Option<Candidate> {
    if elements.binary_search(&0).is_ok() {
        return None;
    }
    let range = match scene.terms[array].kind.of {
        Scalar::Hash | Scalar::Text => 3.0,
        Scalar::Int => {
            let (low, high) = (elements[0], elements[elements.len() - 1]);
            if low > 0 || high < 0 {
                return None;
            }
            high.checked_sub(low)? as f64 + 1.0
        }
        Scalar::Bool | Scalar::Float => return None,
    };
    let rows = arrays_with_elements(scene, array) as f64;
    Some(Candidate { fact: Fact::ElementsNonZero(array), ln: rows * (1.0 - 1.0 / range).ln() })
}

/// The strongest order of neighbours; its chance is that of shuffling each array.
fn sorted(scene: &Scene<'_>, array: TermId, elements: &[i64]) -> Option<Candidate> {
    let column = &scene.batch.columns[array];
    let is_number = matches!(column.kind.of, Scalar::Int | Scalar::Float);
    let rows: Vec<usize> =
        scene.view().rows(&[array]).filter(|row| column.array(*row).len() > 1).collect();
    if rows.is_empty() {
        return None;
    }
    let orders = Order::ALL.into_iter().filter(|order| is_number || *order == Order::Eq);
    let holds = |order: &Order| rows.iter().all(|row| is_sorted(column.array(*row), *order));
    let order = orders.into_iter().find(holds)?;
    let ln = if order == Order::Eq {
        let most = counts(elements).into_iter().max().unwrap_or(0);
        ln_fit(elements.len(), rows.len(), most)
    } else {
        let shuffled = |row: &usize| {
            let mut values = column.array(*row).to_vec();
            values.sort_unstable();
            ln_agree(counts(&values))
        };
        rows.iter().map(shuffled).sum()
    };
    Some(Candidate { fact: Fact::Sorted(array, order), ln })
}
