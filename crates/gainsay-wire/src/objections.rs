//! What is wrong with an outcome, as data: deaths of processes and misuses of elements. Each is
//! written in words here, and read back here where files on disk hold the words; nobody else looks
//! into them.

pub(crate) mod death_cause;
pub(crate) mod misuse;
