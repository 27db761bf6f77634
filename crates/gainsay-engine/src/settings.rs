//! Settings of a run: its budget, its sources, and the parts that are left out.

mod shares;

use std::{fs::File, path::PathBuf, time::Duration};

pub use gainsay_explore::Budget;
use gainsay_model::build::Build;
use gainsay_wire::Strategy;
use gainsay_workers::Network;

use crate::error::{EngineError, Result};
pub(crate) use shares::PARTS;

/// Exploration time when nothing else limits a run. Trades depth for a user's patience; the command
/// line has the same default.
const DEFAULT_TIME: Duration = Duration::from_secs(30);
/// Rounds of inference and attack. Most runs end earlier, with a round in which nothing falls; the
/// limit keeps one that does not from using up the time of the second campaign.
const MOST_ROUNDS: u32 = 4;

/// Settings of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunSettings {
    /// The end of exploration: the first limit that is reached. At least one is set.
    pub budget: Budget,
    /// Decides everything random.
    pub seed: u64,
    /// Worker processes at a time, at least one.
    pub jobs: usize,
    /// The source of sequences.
    pub source: SequenceSource,
    /// Tells if contracts are attacked.
    pub refute: Refute,
    /// Inputs that may contradict a contract.
    pub mode: Mode,
    /// Rounds of inference and attack at most, at least one.
    pub rounds: u32,
    /// The way in which calls are chosen.
    pub strategy: Strategy,
    /// Tells if the caller's code misbehaves now and then.
    pub inject: Inject,
    /// Builds besides the ordinary one.
    pub others: Others,
    /// The use of faults that earlier runs found.
    pub earlier: Earlier,
    /// The use of the store that earlier runs left.
    pub pool: StoredPool,
    /// Variables of the environment of workers, which is empty otherwise.
    pub environment: Vec<(String, String)>,
}

impl Default for RunSettings {
    fn default() -> RunSettings {
        RunSettings {
            budget: Budget { time: Some(DEFAULT_TIME), calls: None },
            seed: 0,
            jobs: 1,
            source: SequenceSource::Random,
            refute: Refute::Search,
            mode: Mode::Reduce,
            rounds: MOST_ROUNDS,
            strategy: Strategy::Guided,
            inject: Inject::Sometimes,
            others: Others::default(),
            earlier: Earlier::Ignored,
            pool: StoredPool::TakenUp,
            environment: Vec::new(),
        }
    }
}

/// Builds besides the ordinary one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Others {
    /// The builds, in the order in which they are tested.
    pub builds: Vec<Build>,
    /// True for builds that the user asked for: these are waited for.
    pub asked: bool,
}

/// A source of sequences.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SequenceSource {
    /// Made up at random.
    Random,
    /// Written in a file.
    Script(PathBuf),
}

/// Misbehaviour of the caller's code: callbacks that panic, iterators that lie, guards that are
/// forgotten.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Inject {
    /// In a share of the epochs.
    Sometimes,
    /// In none.
    Never,
}

/// The use of faults that earlier runs found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Earlier {
    /// They are replayed first, and those of this run are kept.
    Replayed,
    /// None.
    Ignored,
}

/// The use of the store that earlier runs left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StoredPool {
    /// The run starts from its objects.
    TakenUp,
    /// It is replaced by an empty one.
    Dropped,
}

/// The work after exploration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refute {
    /// Search for counterexamples to contracts; findings are confirmed.
    Search,
    /// Confirmation of findings alone.
    Skip,
}

/// Inputs that may contradict a contract.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Those that satisfy the inferred preconditions, which are taken for granted.
    Basic,
    /// Any: preconditions are not inferred at all. Invariants of types stay.
    NoPreconditions,
    /// Any, and preconditions are attacked like everything else.
    Reduce,
}

impl RunSettings {
    /// Finds out before a long build what would fail after it.
    pub fn check(&self) -> Result<()> {
        let SequenceSource::Script(path) = &self.source else { return Ok(()) };
        let open = File::open(path).map(drop);
        open.map_err(|source| EngineError::ReadScript { path: path.clone(), source })
    }

    /// Tells if the observations are a given suite, of which every call counts.
    pub(crate) fn is_given_suite(&self) -> bool {
        matches!(self.source, SequenceSource::Script(_))
    }
}

/// The confinement of calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sandbox {
    /// They can do all that the user can.
    Off,
    /// They can do next to nothing.
    On(Network),
}

/// The depth of a list of operations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ListDepth {
    /// All that was discovered.
    Discovered,
    /// The part of it that rustc accepts.
    Built,
}
