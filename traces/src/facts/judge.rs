//! Whether a fact holds on further samples. Constants that were fitted give way as long as the
//! fact still says something; all else ends with the first sample that does not fit.

use crate::{
    facts::fact::{Fact, Order, Strictly, TermId, View},
    numeric::{
        difference::Difference,
        threshold::{Side, Threshold},
    },
};

/// The most values of a small set.
pub(crate) const FEW: usize = 3;

impl Fact {
    /// Takes a batch; false when the fact does not hold on it.
    pub(crate) fn survives(&mut self, view: View<'_>) -> bool {
        match self {
            Fact::Same(x, y) => same(view, *x, *y),
            Fact::OneOf(x, values) => {
                let column = view.column(*x);
                view.rows(&[*x]).all(|row| admit(values, &column.cells[row]))
            }
            Fact::OneOfArrays(x, values) => {
                let column = view.column(*x);
                view.rows(&[*x]).all(|row| admit(values, &column.array(row).to_vec()))
            }
            // Told by null-spaces and extremes, which the engine keeps.
            Fact::Linear(_) | Fact::AtLeast(..) | Fact::AtMost(..) => true,
            Fact::Threshold(b, x, y, at) => threshold(view, (*b, *x, *y), at),
            Fact::Opposite(x, y) => pairs(view, *x, *y, |x, y| x + y == 1),
            Fact::Implies(x, y) => pairs(view, *x, *y, |x, y| x <= y),
            Fact::Order(x, strictly, y) => {
                weakened(strictly, |strictly| order(view, *x, strictly, *y))
            }
            Fact::Gap(x, y, c) => gap(view, *x, *y, c),
            Fact::Differs(x, y) => pairs(view, *x, *y, |x, y| x != y),
            Fact::Divides(x, y) => pairs(view, *x, *y, divides),
            Fact::Square(x, y) => pairs(view, *x, *y, is_square),
            Fact::NonZero(x) => {
                let column = view.column(*x);
                view.rows(&[*x]).all(|row| column.cells[row] != 0)
            }
            Fact::PowerOfTwo(x) => {
                let column = view.column(*x);
                view.rows(&[*x]).all(|row| is_power_of_two(column.cells[row]))
            }
            _ => self.survives_arrays(view),
        }
    }

    fn survives_arrays(&mut self, view: View<'_>) -> bool {
        match self {
            Fact::ElementsOneOf(x, values) => items(view, *x).all(|item| admit(values, &item)),
            Fact::ElementsAtLeast(x, c) => {
                *c = items(view, *x).min().map_or(*c, |low| low.min(*c));
                true
            }
            Fact::ElementsAtMost(x, c) => {
                *c = items(view, *x).max().map_or(*c, |high| high.max(*c));
                true
            }
            Fact::ElementsNonZero(x) => items(view, *x).all(|item| item != 0),
            Fact::Sorted(x, order) => {
                let column = view.column(*x);
                view.rows(&[*x]).all(|row| is_sorted(column.array(row), *order))
            }
            Fact::Member(x, of) => {
                let (x, of_column) = (view.column(*x), view.column(*of));
                let terms = self.terms();
                view.rows(&terms).all(|row| of_column.array(row).contains(&x.cells[row]))
            }
            Fact::ElementsAre(a, order, x) => {
                let (array, scalar) = (view.column(*a), view.column(*x));
                view.rows(&[*a, *x]).all(|row| {
                    array.array(row).iter().all(|item| order.holds(*item, scalar.cells[row]))
                })
            }
            _ => self.survives_two_arrays(view),
        }
    }

    fn survives_two_arrays(&mut self, view: View<'_>) -> bool {
        let arrays = |x: TermId, y: TermId, fits: &dyn Fn(&[i64], &[i64]) -> bool| {
            let (a, b) = (view.column(x), view.column(y));
            view.rows(&[x, y]).all(|row| fits(a.array(row), b.array(row)))
        };
        match self {
            Fact::ArrayOrder(x, strictly, y) => weakened(strictly, |strictly| {
                arrays(*x, *y, &|a, b| {
                    lexical(view, (*x, a), b).is_some_and(|order| strictly.fits(order))
                })
            }),
            Fact::Pairwise(x, order, y) => arrays(*x, *y, &|a, b| pairwise(a, b, *order)),
            Fact::PairwiseLinear(x, y, k, c) => {
                arrays(*x, *y, &|a, b| pairwise_linear(a, b, *k, *c))
            }
            Fact::Reversed(x, y) => arrays(*x, *y, &is_reversed),
            _ => unreachable!("all other facts are judged before"),
        }
    }
}

/// Whether an order holds, if need be the weaker one.
fn weakened(strictly: &mut Strictly, holds: impl Fn(Strictly) -> bool) -> bool {
    if *strictly == Strictly::Less && !holds(Strictly::Less) {
        *strictly = Strictly::OrEqual;
    }
    *strictly == Strictly::Less || holds(Strictly::OrEqual)
}

/// Whether a value is one of few, or can still become one of them.
fn admit<T: Ord + Clone>(values: &mut Vec<T>, value: &T) -> bool {
    match values.binary_search(value) {
        Ok(_) => true,
        Err(_) if values.len() >= FEW => false,
        Err(place) => {
            values.insert(place, value.clone());
            true
        }
    }
}

fn same(view: View<'_>, x: TermId, y: TermId) -> bool {
    let (a, b) = (view.column(x), view.column(y));
    let hollow = |column: &crate::format::row::Column, row| column.is_missing(row);
    if a.missing.is_empty() && b.missing.is_empty() {
        return a.cells == b.cells && a.items == b.items;
    }
    (0..view.batch.rows).all(|row| match (hollow(a, row), hollow(b, row)) {
        (true, true) => true,
        (false, false) if a.kind.is_array => a.array(row) == b.array(row),
        (false, false) => a.cells[row] == b.cells[row],
        _ => false,
    })
}

fn pairs(view: View<'_>, x: TermId, y: TermId, fits: impl Fn(i64, i64) -> bool) -> bool {
    let (a, b) = (view.column(x), view.column(y));
    if a.missing.is_empty() && b.missing.is_empty() {
        return a.cells.iter().zip(&b.cells).all(|(a, b)| fits(*a, *b));
    }
    view.rows(&[x, y]).all(|row| fits(a.cells[row], b.cells[row]))
}

fn order(view: View<'_>, x: TermId, strictly: Strictly, y: TermId) -> bool {
    if view.column(x).kind.of == crate::format::kind::Scalar::Text {
        return pairs(view, x, y, |x, y| {
            view.text_order(x, y).is_some_and(|ordering| strictly.fits(ordering))
        });
    }
    match strictly {
        Strictly::Less => pairs(view, x, y, |x, y| x < y),
        Strictly::OrEqual => pairs(view, x, y, |x, y| x <= y),
    }
}

fn gap(view: View<'_>, x: TermId, y: TermId, c: &mut i64) -> bool {
    let mut seen = Difference::empty();
    let (a, b) = (view.column(x), view.column(y));
    if a.missing.is_empty() && b.missing.is_empty() {
        seen.add(&a.cells, &b.cells);
    } else {
        for row in view.rows(&[x, y]) {
            seen.add(&a.cells[row..=row], &b.cells[row..=row]);
        }
    }
    match i64::try_from(seen.high.max(i128::from(*c))) {
        Ok(high) => {
            *c = high;
            true
        }
        Err(_) => false,
    }
}

fn threshold(
    view: View<'_>,
    (b, x, y): (TermId, TermId, Option<TermId>),
    at: &mut Threshold,
) -> bool {
    let terms: Vec<TermId> = [b, x].into_iter().chain(y).collect();
    let (truths, numbers) = (view.column(b), view.column(x));
    let subtracted = y.map(|y| view.column(y));
    for row in view.rows(&terms) {
        let less = subtracted.map_or(0, |column| column.cells[row]);
        let Some(value) = numbers.cells[row].checked_sub(less) else { return false };
        match (truths.cells[row] != 0, at.side) {
            (true, Side::AtLeast) => at.yes = at.yes.min(value),
            (true, Side::AtMost) => at.yes = at.yes.max(value),
            (false, Side::AtLeast) => at.no = at.no.max(value),
            (false, Side::AtMost) => at.no = at.no.min(value),
        }
    }
    match at.side {
        Side::AtLeast => at.yes > at.no,
        Side::AtMost => at.yes < at.no,
    }
}

/// The least and greatest value of a batch.
pub(crate) fn extremes(view: View<'_>, x: TermId) -> (Option<i64>, Option<i64>) {
    let column = view.column(x);
    if column.missing.is_empty() {
        return (column.cells.iter().copied().min(), column.cells.iter().copied().max());
    }
    let values = || view.rows(&[x]).map(|row| column.cells[row]);
    (values().min(), values().max())
}

/// All elements of an array's samples.
pub(crate) fn items(view: View<'_>, x: TermId) -> impl Iterator<Item = i64> + '_ {
    // A missing array has no elements, so all are there.
    view.column(x).items.iter().copied()
}

pub(crate) fn divides(x: i64, y: i64) -> bool {
    y != 0 && x.wrapping_rem(y) == 0
}

pub(crate) fn is_square(x: i64, y: i64) -> bool {
    y.checked_mul(y) == Some(x)
}

pub(crate) fn is_power_of_two(x: i64) -> bool {
    x > 0 && x & (x - 1) == 0
}

pub(crate) fn is_sorted(array: &[i64], order: Order) -> bool {
    array.windows(2).all(|pair| order.holds(pair[0], pair[1]))
}

pub(crate) fn pairwise(a: &[i64], b: &[i64], order: Order) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| order.holds(*a, *b))
}

pub(crate) fn pairwise_linear(a: &[i64], b: &[i64], k: i64, c: i64) -> bool {
    let of = |a: i64| i128::from(a) * i128::from(k) + i128::from(c);
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| of(*a) == i128::from(*b))
}

pub(crate) fn is_reversed(a: &[i64], b: &[i64]) -> bool {
    a.len() == b.len() && a.iter().eq(b.iter().rev())
}

/// How two arrays compare, element after element.
pub(crate) fn lexical(
    view: View<'_>,
    (x, a): (TermId, &[i64]),
    b: &[i64],
) -> Option<std::cmp::Ordering> {
    if view.column(x).kind.of != crate::format::kind::Scalar::Text {
        return Some(a.cmp(b));
    }
    for (a, b) in a.iter().zip(b) {
        let ordering = view.text_order(*a, *b)?;
        if ordering.is_ne() {
            return Some(ordering);
        }
    }
    Some(a.len().cmp(&b.len()))
}
