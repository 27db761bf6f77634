//! How a run is to be made: its budget, its sources, what of it is left out.

use std::{fs::File, path::PathBuf, time::Duration};

use gainsay_explore::Telling;
use gainsay_model::build::Build;
use gainsay_wire::{Observing, Strategy};
use gainsay_workers::Network;

use crate::error::{EngineError, Result};

/// How to test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunSettings {
    /// When exploration ends.
    pub budget: Budget,
    /// Decides everything random.
    pub seed: u64,
    /// Worker processes at a time, at least one.
    pub jobs: usize,
    /// Where sequences come from.
    pub source: SequenceSource,
    /// Whether contracts are attacked.
    pub refute: Refute,
    /// Which inputs may contradict a contract.
    pub mode: Mode,
    /// Infer and attack at most so often.
    pub rounds: u32,
    /// The results of another run, whose contracts are attacked in place of inferred ones.
    pub audit: Option<PathBuf>,
    /// How calls are chosen.
    pub strategy: Strategy,
    /// How much is seen of them.
    pub observing: Observing,
    /// What of them is recorded.
    pub telling: Telling,
    /// Whether the caller's code misbehaves now and then.
    pub inject: Inject,
    /// In which builds besides the ordinary one.
    pub others: Others,
    /// What becomes of faults of earlier runs.
    pub earlier: Earlier,
    /// What becomes of the store of earlier runs.
    pub pool: StoredPool,
    /// How many stored objects are made again in the end.
    pub recheck: Option<usize>,
    /// What workers find in their environment.
    pub environment: Vec<(String, String)>,
    /// If what attacks add is measured, how.
    pub gain: Option<GainSettings>,
}

/// How it is measured what attacks add.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GainSettings {
    /// Where findings are listed that do not count. Exploration then ends with one that does.
    pub known: Option<PathBuf>,
    /// The record of a run whose contracts every call has to keep.
    pub expected: Option<PathBuf>,
}

/// Builds besides the ordinary one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Others {
    /// In this order.
    pub builds: Vec<Build>,
    /// Those that were asked for are waited for.
    pub asked: bool,
}

/// When exploration ends: at the first limit that is reached. At least one is set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    /// Wall time.
    pub time: Option<Duration>,
    /// Calls.
    pub calls: Option<u64>,
}

/// Where sequences come from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SequenceSource {
    /// Made up at random.
    Random,
    /// Written in a file.
    Script(PathBuf),
}

/// Whether the caller's code misbehaves: callbacks that panic, iterators that lie, guards that are
/// forgotten.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Inject {
    /// In a share of the epochs.
    Sometimes,
    /// In none.
    Never,
}

/// What becomes of faults of earlier runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Earlier {
    /// They are replayed first, and those of this run are kept.
    Replayed,
    /// Nothing.
    Ignored,
}

/// What becomes of the store of earlier runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StoredPool {
    /// The run starts from its objects.
    TakenUp,
    /// It is replaced by an empty one.
    Dropped,
}

/// What comes after exploration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refute {
    /// Search for counterexamples.
    Search,
    /// Random testing only; what it found is confirmed.
    Skip,
    /// Nothing at all.
    SkipAll,
}

impl RunSettings {
    /// Finds out before a long build what would fail after it.
    pub fn check(&self) -> Result<()> {
        let SequenceSource::Script(path) = &self.source else { return Ok(()) };
        let open = File::open(path).map(drop);
        open.map_err(|source| EngineError::ReadScript { path: path.clone(), source })
    }
}

/// Whether calls are confined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sandbox {
    /// They can do all that the user can.
    Off,
    /// They can do next to nothing.
    On(Network),
}

/// What a list is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ListDepth {
    /// What was discovered.
    Discovered,
    /// What rustc accepts of it.
    Built,
}

/// Which inputs may contradict a contract.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Those that satisfy the inferred preconditions, which are taken for granted.
    Basic,
    /// Any: preconditions are not inferred at all. Invariants of types stay.
    NoPreconditions,
    /// Any, and preconditions are attacked like everything else.
    Reduce,
}
