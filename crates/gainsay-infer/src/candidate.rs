//! Filled templates that no observation contradicts.

use gainsay_model::contract::ContractKind;
use gainsay_wire::{Expr, Term};

/// A template that was filled in, with its evidence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Candidate {
    pub(crate) kind: ContractKind,
    pub(crate) family: Family,
    pub(crate) expr: Expr,
    pub(crate) distinct: u64,
    pub(crate) at_risk: u64,
    /// What it makes known, alone or with the other cases.
    pub(crate) settles: Option<Settled>,
}

/// A sequence or a result that is known after the call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Settled {
    pub(crate) term: Term,
    pub(crate) likeness: Likeness,
}

/// How much of it is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Likeness {
    /// All of it.
    Equal,
    /// Its elements, in any order.
    Permutation,
}

/// Template families, the most telling first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Family {
    /// When the operation panics.
    Panics,
    /// What the result equals.
    Result,
    /// What a sequence was made from.
    Model,
    /// By how much an integer changed.
    Change,
    /// An equivalence between before and after.
    Equivalence,
    /// A truth value.
    Boolean,
    /// An equality between two terms.
    Equal,
    /// An equality with a sum.
    Linear,
    /// What stayed.
    Frame,
    /// What a sequence has in common with what it was.
    Kinship,
    /// An implication from before to after.
    Implication,
    /// An order between two terms.
    Order,
    /// A constant.
    Constant,
    /// A lower or upper bound.
    Bound,
    /// One of few values.
    OneOf,
}
