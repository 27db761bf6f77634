//! What a run learns about the subject: contracts and their verdicts, faults, skips, sequences.

pub mod contract;
pub mod fault;
pub mod regression;
pub mod script;
pub mod skip;
