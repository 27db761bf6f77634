//! Relations between objects: those that a goal speaks of, and those around calls that were made.

pub(crate) mod around_calls;
pub(crate) mod inquiry;
pub(crate) mod shared_pairs;
