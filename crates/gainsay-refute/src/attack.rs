//! Attacks on one contract, by its kind: the goals that would show a violation, and the verdict on
//! the calls that reached them.

pub(crate) mod panic_claim;
pub(crate) mod postcondition;
pub(crate) mod precondition;
