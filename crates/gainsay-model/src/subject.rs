//! The crate under test: its types and operations, how it is built, and how its calls are written.

pub mod api;
pub mod build;
pub mod example;
pub mod features;
mod identity;
pub mod resolve;
pub mod spelling;
pub mod std_types;
mod stored_lending;
pub mod subject_model;
pub mod ty;
