//! Driver-side vocabulary shared by all stages: the subject's [`api`], [`contract`]s with
//! evidence and verdicts, [`fault`]s, [`skip`] reasons and [`event`]s. Does no IO and decides
//! nothing.

pub mod api;
pub mod build;
pub mod contract;
pub mod event;
pub mod example;
pub mod fault;
pub mod features;
pub mod plain;
pub mod regression;
pub mod script;
pub mod skip;
pub mod spelling;
pub mod ty;
