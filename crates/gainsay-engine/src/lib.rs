//! The stages of a test of a crate, in order. The command line drives them, and so can any other
//! program: [`run`] is a whole test, the stage types behind it are its parts.
//!
//! A program that uses the engine calls [`become_worker_if_asked`] at the beginning of its `main`.

mod builds;
mod commands;
mod ctx;
pub mod emit;
mod error;
mod knowledge;
mod known_faults;
mod pipeline;
mod providers;
mod rounds;
mod session;
mod settings;
mod stages;
mod summarize;
mod worker_process;

// A program that uses the engine needs these words of other rooms, and no other words of them.
pub use gainsay_discover::{
    DiscoverError, ErrorKind, PublishedSpec, Request, Unasked, resolve as find_subject,
};
pub use gainsay_harness::{HarnessError, Suite};
pub use gainsay_refute::RefuteError;
pub use gainsay_store as store;
pub use gainsay_wire::Strategy;
pub use gainsay_workers::{Cancel, Network, WorkerError};

pub use self::{
    commands::{
        Passing,
        catalogue::list_operations,
        contradicting_tests::{Contradicting, find_contradicting},
        passing_tests::find_passing,
        replay_fault::{Again, Replay, replay_fault},
    },
    ctx::{Clock, Ctx, OpenStage},
    error::{EngineError, FileAction, Lost, Result},
    knowledge::type_facts::TypeFacts,
    pipeline::run,
    providers::find_providers,
    rounds::{RefutePlan, SettledContracts, checks_of},
    session::{RemadeObjects, Session, Stretch},
    settings::{
        Budget, Earlier, Inject, ListDepth, Mode, Others, Refute, RunSettings, Sandbox,
        SequenceSource, StoredPool,
    },
    stages::{
        calibrated::{Calibrated, ExplorePlan},
        explored::Explored,
        judged::Judged,
        learnt::Learnt,
        prepared::{Prepared, Target},
        recorded::Recorded,
        refuted::Refuted,
    },
    worker_process::become_worker_if_asked,
};
