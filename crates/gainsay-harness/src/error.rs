//! Why no harness could be built.

use std::{io, path::PathBuf};

use gainsay_model::build::Build;

/// Building a harness failed.
#[derive(Debug, thiserror::Error)]
pub enum HarnessError {
    /// rustc or a build script rejects the subject or one of its dependencies.
    #[error("the crate under test does not build:\n{message}")]
    SubjectDoesNotBuild {
        /// What cargo or rustc says.
        message: String,
    },
    /// rustc rejects the file with the user's providers.
    #[error("the providers do not compile:\n{message}")]
    ProvidersDoNotBuild {
        /// What rustc says.
        message: String,
    },
    /// The code that every harness is built with does not compile: a defect of gainsay.
    #[error("gainsay's own runtime does not build:\n{message}")]
    RuntimeDoesNotBuild {
        /// What rustc says.
        message: String,
    },
    /// Generated code or a patched copy is rejected, and taking out units or patches did not help: a
    /// defect of gainsay.
    #[error("generated code does not build after {rounds} rounds of pruning:\n{message}")]
    DoesNotSettle {
        /// How often rustc was asked.
        rounds: usize,
        /// What rustc said last.
        message: String,
    },
    /// cargo failed for another reason, such as a dependency that cannot be had.
    #[error("cargo failed:\n{message}")]
    Cargo {
        /// Its standard error.
        message: String,
    },
    /// A compiler or cargo could not be started.
    #[error("cannot run `{program}`: {source}")]
    Start {
        /// Its name.
        program: String,
        /// Why.
        source: io::Error,
    },
    /// A file of the harness could not be read or written.
    #[error("cannot access {}: {source}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// Such a build takes flags that only a compiler wrapper can add, and there is none.
    #[error("a build of the kind `{build}` needs a compiler wrapper")]
    NoWrapper {
        /// Which.
        build: Build,
    },
    /// The user interrupted the build.
    #[error("interrupted")]
    Interrupted,
}
