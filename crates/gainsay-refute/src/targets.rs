//! Conditions under which an operation is worth calling, whatever a contract says of it: branches of
//! its code, boundaries of numbers, operands that fit each other, states that nearly break a claim.

pub(crate) mod boundaries;
pub(crate) mod branch_conditions;
pub(crate) mod fitting_operands;
pub(crate) mod near_misses;
pub(crate) mod operation_targets;
