//! Writing evidence: objects, calls, transitions, and the thread that does it beside exploration.

mod background_writer;
pub(crate) mod call_rows;
pub(crate) mod edge_rows;
pub(crate) mod object_rows;
pub(crate) mod transition_rows;
