//! Failures of the engine: every stage's own, and those of the steps between stages.

use std::{io, path::PathBuf};

use gainsay_discover::{DiscoverError, ErrorKind};
use gainsay_harness::HarnessError;
use gainsay_model::{build::Build, script::ScriptError};
use gainsay_refute::RefuteError;
use gainsay_search::SearchError;
use gainsay_store::StoreError;
use gainsay_workers::WorkerError;

/// The result of a step of the engine.
pub type Result<T, E = EngineError> = std::result::Result<T, E>;

/// A step of the engine that cannot be done.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    /// The subject was not found, or rustdoc cannot read it.
    #[error(transparent)]
    Discover(#[from] DiscoverError),
    /// The worker program was not built.
    #[error(transparent)]
    Harness(#[from] HarnessError),
    /// Workers cannot be started or fed.
    #[error(transparent)]
    Workers(#[from] WorkerError),
    /// The store cannot be read or written.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Contracts cannot be attacked.
    #[error(transparent)]
    Refute(#[from] RefuteError),
    /// Relations between objects cannot be evaluated.
    #[error(transparent)]
    Search(#[from] SearchError),
    /// The subject offers nothing that can be called.
    #[error("`{subject}` has no public operation that can be called")]
    NothingToTest {
        /// Name of the package.
        subject: String,
    },
    /// The user ended it before there was anything to report.
    #[error("interrupted before there was anything to report")]
    Interrupted,
    /// A command about the last run found nothing that it could use.
    #[error("{0}")]
    LastRunLost(Lost),
    /// A file with sequences cannot be read.
    #[error("cannot read `{}`", path.display())]
    ReadScript {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A file with sequences cannot be understood.
    #[error("`{}`, {source}", path.display())]
    ParseScript {
        /// The file.
        path: PathBuf,
        /// Why.
        source: ScriptError,
    },
    /// The record of another run cannot be read.
    #[error("cannot read `{}`", path.display())]
    ReadRecord {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The record of another run cannot be understood.
    #[error("`{}` is no record of a run", path.display())]
    ParseRecord {
        /// The file.
        path: PathBuf,
        /// Why.
        source: serde_json::Error,
    },
    /// The settings of a package cannot be understood.
    #[error("`{}` cannot be used: {source}", path.display())]
    ParseProviders {
        /// The file.
        path: PathBuf,
        /// Why.
        source: toml::de::Error,
    },
    /// The settings of a package, or the file that they name, cannot be read.
    #[error("cannot read `{}`", path.display())]
    ReadProviders {
        /// The file.
        path: PathBuf,
        /// The settings.
        settings: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A file cannot be written, made, replaced or removed.
    #[error("cannot {action} `{}`", path.display())]
    File {
        /// As in "cannot write".
        action: FileAction,
        /// The file or directory.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The program that is running, which confines workers, cannot be found.
    #[error("cannot find this program itself")]
    NoLauncher {
        /// Why.
        source: io::Error,
    },
    /// A build was not made in time.
    #[error("it was not ready in time; `--profile {build}` waits")]
    BuildNotReady {
        /// Which.
        build: Build,
    },
    /// A build has other operations than the ordinary one, so its results cannot be compared.
    #[error("it offers other operations than the ordinary one")]
    OtherOperations {
        /// Which.
        build: Build,
    },
}

/// Things that could not be done to a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileAction {
    /// Reading.
    Read,
    /// Writing.
    Write,
    /// Making a directory.
    Make,
    /// Making it empty.
    Replace,
    /// Removing.
    Remove,
}

/// The part of the last run that is gone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Lost {
    /// There is no store.
    #[error("the calls of the last run are not there any more")]
    Calls,
    /// The store is about other operations.
    #[error("the crate has changed since the last run")]
    Operations,
}

impl EngineError {
    /// True if the subject does not compile as it was asked for.
    pub fn is_build_failure(&self) -> bool {
        match self {
            EngineError::Discover(error) => error.kind() == ErrorKind::DoesNotBuild,
            EngineError::Harness(error) => {
                matches!(error, HarnessError::SubjectDoesNotBuild { .. })
            }
            _ => false,
        }
    }

    /// Turns an error of the file system into this one.
    pub(crate) fn of_file(
        action: FileAction,
        path: impl Into<PathBuf>,
    ) -> impl FnOnce(io::Error) -> EngineError {
        let path = path.into();
        move |source| EngineError::File { action, path, source }
    }
}

impl std::fmt::Display for FileAction {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            FileAction::Read => "read",
            FileAction::Write => "write",
            FileAction::Make => "make",
            FileAction::Replace => "replace",
            FileAction::Remove => "remove",
        })
    }
}
