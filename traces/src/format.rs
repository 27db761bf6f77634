//! The format of Daikon's traces: declarations, samples, calls, and how a sample becomes rows.

pub(crate) mod calls;
pub(crate) mod declare;
pub(crate) mod error;
pub(crate) mod input;
pub(crate) mod kind;
pub(crate) mod reader;
pub(crate) mod route;
pub(crate) mod row;
pub(crate) mod texts;
