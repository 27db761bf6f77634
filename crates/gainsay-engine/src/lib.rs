//! The stages of a test of a crate, in order. The command line drives them, and so can any other
//! program.

mod branches;
mod builds;
mod clock;
mod doc_promises;
pub mod emit;
mod error;
mod feature_fallback;
mod gain;
mod invariants;
mod known_faults;
mod pipeline;
mod providers;
mod resume;
mod rounds;
mod session;
mod settings;
mod summarize;
mod written;

pub use self::{
    error::{EngineError, FileAction, Lost, Result},
    pipeline::{
        Again, Contradicting, Passing, Replay, Target, catalogue, contradicting, passing, replay,
        run,
    },
    providers::find_providers,
    settings::{
        Budget, Earlier, GainSettings, Inject, ListDepth, Mode, Others, Refute, RunSettings,
        Sandbox, SequenceSource, StoredPool,
    },
};
