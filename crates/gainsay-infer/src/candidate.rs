//! Filled templates that no observation contradicts.

use gainsay_model::contract::ContractKind;
use gainsay_wire::Expr;

/// A template that was filled in, with its evidence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Candidate {
    pub(crate) kind: ContractKind,
    pub(crate) family: Family,
    pub(crate) expr: Expr,
    pub(crate) distinct: u64,
    pub(crate) at_risk: u64,
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
    /// What stayed.
    Frame,
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
