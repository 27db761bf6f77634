//! Atoms: predicates with the rows where they hold and where they can be told.

use gainsay_wire::{Expr, Root, Term};

use crate::bits::Bits;

/// A predicate over the rows of a table.
#[derive(Clone, Debug)]
pub(crate) struct Atom {
    pub(crate) expr: Expr,
    /// Where it holds.
    pub(crate) yes: Bits,
    /// Where it can be told.
    pub(crate) known: Bits,
    pub(crate) shape: Shape,
    /// Whose view it is mainly about.
    pub(crate) subject: Root,
    /// Whether a view of one operand on another is involved, or a plain argument.
    pub(crate) weight: u8,
}

/// Shapes of atoms, the simplest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Shape {
    /// A truth value.
    Boolean,
    /// `is_none()` and its kin.
    Test,
    /// `x == 0`
    Zero,
    /// `x == c`
    Constant,
    /// `a == b`
    Equal,
    /// `a < b`
    Less,
    /// `is_none()` of a view of one operand on another.
    TestOnOther,
    /// `a == old(a) + d`
    Change,
    /// `a == old(a)`
    Unchanged,
    /// `contains(s, x)` and its kin.
    Member,
    /// `s == t ++ [v]` and its kin.
    Model,
    /// What the result tells.
    Outcome,
}

impl Atom {
    pub(crate) fn new(expr: Expr, yes: Bits, known: Bits, shape: Shape, of: &Term) -> Atom {
        Atom { expr, yes, known, shape, subject: of.root, weight: weight(of) }
    }

    pub(crate) fn no(&self) -> Bits {
        self.known.minus(&self.yes)
    }

    /// Whether it holds on some rows and fails on others.
    pub(crate) fn varies(&self) -> bool {
        !self.yes.is_none() && self.yes != self.known
    }

    pub(crate) fn negated(&self) -> Atom {
        Atom { expr: self.expr.negated(), yes: self.no(), ..self.clone() }
    }

    /// The simplest atoms sort first.
    pub(crate) fn simplicity(&self) -> (Shape, u8) {
        (self.shape, self.weight)
    }

    /// The rows that tell it from others, the same for its negation.
    pub(crate) fn class(&self) -> (Bits, Bits) {
        let no = self.no();
        (self.yes.clone().min(no), self.known.clone())
    }
}

/// Own queries before views on others before plain arguments.
pub(crate) fn weight(term: &Term) -> u8 {
    match (&term.query, term.with) {
        (Some(_), None) => 0,
        (Some(_), Some(_)) => 1,
        (None, _) => 2,
    }
}
