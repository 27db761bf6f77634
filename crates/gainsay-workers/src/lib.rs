//! Starts, feeds, watches, kills and restarts workers.
//!
//! A worker is a process that runs a harness; its death is an answer, not an error. Answers come
//! in the order of the tasks, whatever the number of processes. Knows no strategies.

mod answer;
mod batch;
mod cancel;
mod cell;
mod death;
mod error;
mod fleet;
mod nursery;
mod pipes;
mod runner;
mod sandbox;
mod sys;
mod tryout;
mod worker;

pub use answer::{Answer, Death, Judge};
pub use cancel::Cancel;
pub use error::WorkerError;
pub use fleet::{Fleet, Limits, PLACES, Program};
pub use runner::{PlacedEpoch, Ran, Runner, Spare, Work};
pub use sandbox::{Confinement, Network, Part, Protection, Sight, launch_if_asked};
pub use sys::{children_cpu_seconds, own_cpu_seconds};
pub use tryout::{End, Tried, Tryout};
