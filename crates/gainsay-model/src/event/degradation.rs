//! Reasons why a run goes on with less than was hoped for. Each is a value, so that listeners can
//! count and sort them; the sentences for people are made here and nowhere else.

use std::{fmt, path::PathBuf};

use crate::build::Build;

/// Something that a run has to do without.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Degradation {
    /// The user switched the sandbox off.
    NoSandbox,
    /// The system lacks a part of the sandbox.
    SandboxIncomplete {
        /// The missing part and its consequence, in the sandbox's words.
        absence: &'static str,
    },
    /// The crate builds only without the extra features that gainsay had switched on.
    ExtraFeaturesDropped,
    /// One of the other builds cannot be tested.
    BuildMissing {
        /// The build.
        build: Build,
        /// The first line of the reason.
        why: String,
    },
    /// The file of a known fault cannot be read.
    FaultFileUnreadable {
        /// The file.
        path: PathBuf,
        /// The reason.
        why: String,
    },
    /// The calls of a known fault do not fit the crate any more.
    FaultNotReplayable {
        /// The file.
        path: PathBuf,
        /// The reason.
        why: String,
    },
    /// A search of the store took too long.
    SearchGivenUp,
}

impl fmt::Display for Degradation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Degradation::NoSandbox => {
                f.write_str("no sandbox: functions of the crate can do all that you can")
            }
            Degradation::SandboxIncomplete { absence } => write!(f, "the sandbox has {absence}"),
            Degradation::ExtraFeaturesDropped => f.write_str(
                "it does not build with features that are off by default; without them again",
            ),
            Degradation::BuildMissing { build, why } => write!(f, "no {build} build: {why}"),
            Degradation::FaultFileUnreadable { path, why } => {
                write!(f, "`{}` is passed over: {why}", path.display())
            }
            Degradation::FaultNotReplayable { path, why } => {
                write!(f, "`{}` cannot be replayed: {why}", path.display())
            }
            Degradation::SearchGivenUp => f.write_str("a search took too long and was given up"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_degradation_is_a_sentence_that_names_its_matter() {
        let check = |degradation: Degradation, expected: &str| {
            assert_eq!(degradation.to_string(), expected);
        };
        let why = || "gone".to_owned();
        check(Degradation::NoSandbox, "no sandbox: functions of the crate can do all that you can");
        check(
            Degradation::SandboxIncomplete { absence: "no Landlock: files are open" },
            "the sandbox has no Landlock: files are open",
        );
        check(Degradation::BuildMissing { build: Build::Asan, why: why() }, "no asan build: gone");
        check(
            Degradation::FaultFileUnreadable { path: "a.txt".into(), why: why() },
            "`a.txt` is passed over: gone",
        );
        check(
            Degradation::FaultNotReplayable { path: "a.txt".into(), why: why() },
            "`a.txt` cannot be replayed: gone",
        );
        check(Degradation::SearchGivenUp, "a search took too long and was given up");
    }
}
