//! Short forms for tests: manifests, sequences, and a machine that runs them in this process.
//!
//! Crates have it as a dependency of their tests alone. It knows `gainsay-wire` and nothing above:
//! a crate whose unit tests used a kit that depends on that crate would have each of its types
//! twice.

#![allow(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

mod machine;
mod manifests;
mod steps;

pub use machine::ToyMachine;
pub use manifests::{make_op, make_query, make_type, object, plain};
pub use steps::{elem, int, obj, sequence};
