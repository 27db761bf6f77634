//! Sequences of calls: steps, the loans that they take, and what the caller's code does wrong
//! meanwhile.

pub(crate) mod fault_injection;
pub(crate) mod loans;
pub(crate) mod steps;
