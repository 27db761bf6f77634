//! Facts about the terms of a point, and how they fare on further samples.
//!
//! Contracts of observed calls have their own language in `wire`, over operands and views. Facts
//! of traces speak about named variables and about elements of arrays, so they have this small one.

use crate::format::{
    row::{Batch, Column},
    texts::Texts,
};
use crate::numeric::threshold::{Side, Threshold};
use gainsay_infer::numeric::relation::Relation;

/// A term by its place among the terms of the point.
pub(crate) type TermId = usize;

/// What holds on every sample where all its terms have a value.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Fact {
    /// `x == y`
    Same(TermId, TermId),
    /// `x == c`, or `x in {a, b, c}`; in order of values.
    OneOf(TermId, Vec<i64>),
    /// An array that is always one of a few.
    OneOfArrays(TermId, Vec<Vec<i64>>),
    /// A linear relation, as zero.
    Linear(Relation),
    /// `b <=> x >= c` or `b <=> x - y >= c`, or with `<=`.
    Threshold(TermId, TermId, Option<TermId>, Threshold),
    /// `b == !c`
    Opposite(TermId, TermId),
    /// `b ==> c`
    Implies(TermId, TermId),
    /// `x < y` or `x <= y`, of numbers or texts.
    Order(TermId, Strictly, TermId),
    /// `x <= y + c`
    Gap(TermId, TermId, i64),
    /// `x != y`
    Differs(TermId, TermId),
    /// `x % y == 0`
    Divides(TermId, TermId),
    /// `x == y * y`
    Square(TermId, TermId),
    /// `x >= c`
    AtLeast(TermId, i64),
    /// `x <= c`
    AtMost(TermId, i64),
    /// `x != 0` or `x != null`
    NonZero(TermId),
    /// A power of two.
    PowerOfTwo(TermId),
    /// Every element is one of a few.
    ElementsOneOf(TermId, Vec<i64>),
    /// Every element is at least this.
    ElementsAtLeast(TermId, i64),
    /// Every element is at most this.
    ElementsAtMost(TermId, i64),
    /// No element is zero or null.
    ElementsNonZero(TermId),
    /// Every element stands so to the next.
    Sorted(TermId, Order),
    /// `x in a`
    Member(TermId, TermId),
    /// Every element of an array stands so to `x`.
    ElementsAre(TermId, Order, TermId),
    /// `a` is lexically before `b`, or the same.
    ArrayOrder(TermId, Strictly, TermId),
    /// Arrays of the same length, element by element.
    Pairwise(TermId, Order, TermId),
    /// Element by element `b == k * a + c`.
    PairwiseLinear(TermId, TermId, i64, i64),
    /// `a` is `b` backwards.
    Reversed(TermId, TermId),
}

/// `<` or `<=`
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Strictly {
    /// `<`
    Less,
    /// `<=`
    OrEqual,
}

/// An order between neighbours or partners.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Order {
    /// `==`
    Eq,
    /// `<`
    Lt,
    /// `<=`
    Le,
    /// `>`
    Gt,
    /// `>=`
    Ge,
}

impl Order {
    /// All of them, the stronger ones first.
    pub(crate) const ALL: [Order; 5] = [Order::Eq, Order::Lt, Order::Gt, Order::Le, Order::Ge];

    /// Whether two values stand so.
    pub(crate) fn holds(self, a: i64, b: i64) -> bool {
        match self {
            Order::Eq => a == b,
            Order::Lt => a < b,
            Order::Le => a <= b,
            Order::Gt => a > b,
            Order::Ge => a >= b,
        }
    }

    /// As it is written.
    pub(crate) fn symbol(self) -> &'static str {
        match self {
            Order::Eq => "==",
            Order::Lt => "<",
            Order::Le => "<=",
            Order::Gt => ">",
            Order::Ge => ">=",
        }
    }

    /// Whether everything that stands so stands as `other` says, too.
    pub(crate) fn implies(self, other: Order) -> bool {
        self == other
            || matches!(
                (self, other),
                (Order::Eq, Order::Le | Order::Ge)
                    | (Order::Lt, Order::Le)
                    | (Order::Gt, Order::Ge)
            )
    }
}

impl Strictly {
    /// Whether an ordering fits.
    pub(crate) fn fits(self, ordering: std::cmp::Ordering) -> bool {
        match self {
            Strictly::Less => ordering.is_lt(),
            Strictly::OrEqual => ordering.is_le(),
        }
    }

    /// What is added to the right side of `<=`.
    pub(crate) fn slack(self) -> i128 {
        match self {
            Strictly::Less => -1,
            Strictly::OrEqual => 0,
        }
    }
}

/// Samples with everything that is needed to judge them.
#[derive(Clone, Copy)]
pub(crate) struct View<'a> {
    pub(crate) batch: &'a Batch,
    pub(crate) texts: &'a Texts,
}

impl<'a> View<'a> {
    pub(crate) fn column(&self, term: TermId) -> &'a Column {
        &self.batch.columns[term]
    }

    /// The rows on which all of some terms have a value.
    pub(crate) fn rows(&self, terms: &[TermId]) -> impl Iterator<Item = usize> + use<'a> {
        let columns: Vec<&'a Column> = terms.iter().map(|term| self.column(*term)).collect();
        let whole = columns.iter().all(|column| column.missing.is_empty());
        (0..self.batch.rows)
            .filter(move |row| whole || columns.iter().all(|column| !column.is_missing(*row)))
    }

    /// Texts in the order of their letters; none when one of them is not known in full.
    pub(crate) fn text_order(&self, a: i64, b: i64) -> Option<std::cmp::Ordering> {
        if a == b {
            return Some(std::cmp::Ordering::Equal);
        }
        let text = |id: i64| if id == 0 { Some("") } else { self.texts.text(id) };
        Some(text(a)?.cmp(text(b)?))
    }
}

/// Facts about two terms and nothing else.
macro_rules! of_two {
    ($x:ident, $y:ident) => {
        Fact::Same($x, $y)
            | Fact::Opposite($x, $y)
            | Fact::Implies($x, $y)
            | Fact::Order($x, _, $y)
            | Fact::Gap($x, $y, _)
            | Fact::Differs($x, $y)
            | Fact::Divides($x, $y)
            | Fact::Square($x, $y)
            | Fact::Member($x, $y)
            | Fact::ElementsAre($x, _, $y)
            | Fact::ArrayOrder($x, _, $y)
            | Fact::Pairwise($x, _, $y)
            | Fact::PairwiseLinear($x, $y, ..)
            | Fact::Reversed($x, $y)
    };
}

/// Facts about one term.
macro_rules! of_one {
    ($x:ident) => {
        Fact::OneOf($x, _)
            | Fact::OneOfArrays($x, _)
            | Fact::AtLeast($x, _)
            | Fact::AtMost($x, _)
            | Fact::NonZero($x)
            | Fact::PowerOfTwo($x)
            | Fact::ElementsOneOf($x, _)
            | Fact::ElementsAtLeast($x, _)
            | Fact::ElementsAtMost($x, _)
            | Fact::ElementsNonZero($x)
            | Fact::Sorted($x, _)
    };
}

impl Fact {
    /// The terms that it is about.
    pub(crate) fn terms(&self) -> Vec<TermId> {
        match self {
            of_two!(x, y) => vec![*x, *y],
            of_one!(x) => vec![*x],
            Fact::Linear(relation) => relation.terms.iter().map(|(term, _)| *term).collect(),
            Fact::Threshold(b, x, y, _) => [*b, *x].into_iter().chain(*y).collect(),
        }
    }

    /// The same fact about other terms; none when a term has no counterpart.
    pub(crate) fn renamed(&self, place: &dyn Fn(TermId) -> Option<TermId>) -> Option<Fact> {
        let mut fact = self.clone();
        match &mut fact {
            Fact::Linear(relation) => {
                let terms = relation.terms.iter();
                let terms: Option<Vec<_>> =
                    terms.map(|(term, by)| Some((place(*term)?, *by))).collect();
                *relation = Relation::new(terms?, relation.constant)?;
            }
            Fact::Threshold(b, x, y, _) => {
                (*b, *x) = (place(*b)?, place(*x)?);
                if let Some(y) = y {
                    *y = place(*y)?;
                }
            }
            of_two!(x, y) => (*x, *y) = (place(*x)?, place(*y)?),
            of_one!(x) => *x = place(*x)?,
        }
        Some(fact)
    }
}

/// The constant that a threshold is written with.
pub(crate) fn threshold_constant(threshold: &Threshold) -> (Order, i64) {
    match threshold.side {
        Side::AtLeast => (Order::Ge, threshold.yes),
        Side::AtMost => (Order::Le, threshold.yes),
    }
}
