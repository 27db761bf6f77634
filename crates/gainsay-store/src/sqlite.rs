//! The engine that is always there: `SQLite`, one file per subject. Nothing outside of this module knows
//! of its row ids, of its dialect, or of the instructions that its searches may take.

mod border;
pub(crate) mod build_rows;
pub(crate) mod campaign_rows;
mod conclusions;
pub(crate) mod connection;
mod dump;
pub(crate) mod encoding;
pub(crate) mod files;
pub(crate) mod record;
pub(crate) mod resume;
mod samples;
pub(crate) mod schema;
pub(crate) mod search;
