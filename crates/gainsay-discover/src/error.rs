//! What can go wrong before there is an Api. Every variant knows a hint where there is one.

use std::{io, path::PathBuf};

/// Which family an error belongs to; the command line makes exit codes of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorKind {
    /// The request names something that is not there.
    Usage,
    /// The subject does not compile.
    DoesNotBuild,
    /// The user ended it.
    Interrupted,
    /// Anything else: the machine, the toolchain, cargo itself.
    Other,
}

/// Why there is no Api.
#[derive(Debug, thiserror::Error)]
pub enum DiscoverError {
    /// Neither the directory nor one above it holds a manifest.
    #[error("no Cargo.toml found in `{}` or any directory above it", .dir.display())]
    NoManifest {
        /// Where the search began.
        dir: PathBuf,
    },
    /// `--manifest-path` names no file.
    #[error("manifest `{}` does not exist", .path.display())]
    NoSuchManifest {
        /// The path as given.
        path: PathBuf,
    },
    /// `-p` names no member.
    #[error("no package `{name}` in this workspace")]
    NoSuchPackage {
        /// The name as given.
        name: String,
        /// The members there are.
        members: Vec<String>,
    },
    /// A virtual workspace with nothing chosen.
    #[error("this workspace has several packages and none was chosen")]
    SeveralPackages {
        /// The members there are.
        members: Vec<String>,
    },
    /// Only binaries, examples or tests.
    #[error("package `{package}` has no library, so it offers nothing to call")]
    NoLibrary {
        /// Name of the package.
        package: String,
    },
    /// A procedural macro crate.
    #[error("package `{package}` is a procedural macro, which can only be called by the compiler")]
    ProcMacro {
        /// Name of the package.
        package: String,
    },
    /// `--features` names one that is not declared.
    #[error("package `{package}` has no feature `{feature}`")]
    NoSuchFeature {
        /// Name of the package.
        package: String,
        /// The feature as given.
        feature: String,
        /// The features there are.
        available: Vec<String>,
    },
    /// The registry does not know the name.
    #[error("no published crate is named `{name}`")]
    NoSuchCrate {
        /// The name as given.
        name: String,
    },
    /// The registry knows the name, not the version.
    #[error("crate `{name}` has no version `{version}`")]
    NoSuchVersion {
        /// Name of the crate.
        name: String,
        /// The version as given.
        version: String,
        /// Cargo's line about the versions there are.
        available: Option<String>,
    },
    /// Cargo may not or cannot ask the registry, and has not fetched the crate before.
    #[error("crate `{name}` is not at hand and the registry cannot be reached\n\n{stderr}")]
    Unreachable {
        /// Name of the crate.
        name: String,
        /// What cargo wrote.
        stderr: String,
    },
    /// The results directory cannot be made or written.
    #[error("cannot write to `{}`", .dir.display())]
    ReadOnlyTarget {
        /// The results directory.
        dir: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The compiler rejected the subject.
    #[error("package `{package}` does not compile as rustdoc reads it\n\n{rendered}")]
    DoesNotCompile {
        /// Name of the package.
        package: String,
        /// The compiler's own words.
        rendered: String,
    },
    /// rustdoc wrote a format that this version cannot read.
    #[error("rustdoc of {toolchain} writes JSON format {found}, which is not supported")]
    UnsupportedFormat {
        /// The format's number.
        found: u64,
        /// `rustc --version`
        toolchain: String,
    },
    /// rustdoc's output is missing or is not what it should be.
    #[error("cannot read rustdoc's description of `{package}`: {reason}")]
    UnreadableDescription {
        /// Name of the package.
        package: String,
        /// The particular.
        reason: String,
    },
    /// A provider cannot be used.
    #[error("{}:{line}: {reason}", .path.display())]
    Providers {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// The particular.
        reason: String,
    },
    /// Cargo failed for a reason that is not the subject's code.
    #[error("cargo failed\n\n{stderr}")]
    Cargo {
        /// What cargo wrote.
        stderr: String,
    },
    /// A command could not be started at all.
    #[error("cannot run `{program}`")]
    CannotRun {
        /// The program.
        program: String,
        /// What the system said.
        source: io::Error,
    },
    /// Cargo or the compiler was ended from outside.
    #[error("interrupted")]
    Interrupted,
    /// A file could not be read or written.
    #[error("cannot access `{}`", .path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

impl DiscoverError {
    /// The family of this error.
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::NoManifest { .. }
            | Self::NoSuchManifest { .. }
            | Self::NoSuchPackage { .. }
            | Self::SeveralPackages { .. }
            | Self::NoLibrary { .. }
            | Self::ProcMacro { .. }
            | Self::NoSuchFeature { .. }
            | Self::NoSuchCrate { .. }
            | Self::NoSuchVersion { .. }
            | Self::ReadOnlyTarget { .. }
            | Self::Providers { .. } => ErrorKind::Usage,
            Self::DoesNotCompile { .. } => ErrorKind::DoesNotBuild,
            Self::Interrupted => ErrorKind::Interrupted,
            Self::UnsupportedFormat { .. }
            | Self::UnreadableDescription { .. }
            | Self::Cargo { .. }
            | Self::Unreachable { .. }
            | Self::CannotRun { .. }
            | Self::File { .. } => ErrorKind::Other,
        }
    }

    /// What the user can do about it.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::NoManifest { .. } => Some(
                "run it inside a package, or name one with `--manifest-path PATH` or `--crate NAME@VERSION`".into(),
            ),
            Self::NoSuchPackage { members, .. } => Some(format!("members: {}", list(members))),
            Self::SeveralPackages { members } => {
                Some(format!("choose one with `-p NAME`: {}", list(members)))
            }
            Self::NoLibrary { .. } => {
                Some("move the code to test into `src/lib.rs`, or choose another package with `-p NAME`".into())
            }
            Self::ProcMacro { .. } => Some("choose another package with `-p NAME`".into()),
            Self::NoSuchFeature { available, .. } if available.is_empty() => {
                Some("this package declares no features".into())
            }
            Self::NoSuchFeature { available, .. } => {
                Some(format!("available features: {}", list(available)))
            }
            Self::NoSuchCrate { .. } => Some("check the spelling of the name in `--crate NAME@VERSION`".into()),
            Self::NoSuchVersion { available, name, .. } => Some(available.clone().unwrap_or_else(|| {
                format!("leave the version out for the newest: `--crate {name}`")
            })),
            Self::ReadOnlyTarget { .. } => {
                Some("choose a writable directory with `--target-dir DIR`".into())
            }
            Self::UnsupportedFormat { .. } => {
                Some(format!("use {SUPPORTED_RUSTC}, for example with `cargo +1.95 gainsay`"))
            }
            Self::Providers { .. } => Some(
                "a provider is a `pub fn` without type parameters; types are written with their whole path, or with a `use` at the top of the file (docs/providers.md)".into(),
            ),
            Self::DoesNotCompile { .. } => {
                Some("`cargo check --lib` or `cargo doc --lib --no-deps` shows the same errors".into())
            }
            Self::Unreachable { .. } => Some(
                "check the network and `CARGO_NET_OFFLINE`; what cargo has fetched before can be tested without".into(),
            ),
            _ => None,
        }
    }
}

/// The toolchains whose rustdoc output can be read.
const SUPPORTED_RUSTC: &str = "rustc 1.95 to 1.97 (rustdoc JSON formats 57 to 61)";

fn list(names: &[String]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}
