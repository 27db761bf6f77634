//! The ways in which a subject is built: each sees faults that the others do not.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The way in which the worker program, and with it the subject, is compiled.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(rename_all = "lowercase")]
pub enum Build {
    /// With all checks that the compiler and the standard library can add.
    #[default]
    Debug,
    /// The same without the standard library's checks of unsafe preconditions: the first of them
    /// that fails ends the process and hides what is behind it.
    Unchecked,
    /// Optimised, without debug assertions; arithmetic wraps around.
    Release,
    /// Like `Release`, watched by `AddressSanitizer`.
    Asan,
}

impl Build {
    /// All there are, those with most checks first.
    // This order: a fault that several builds show is told of the first, which says most about it.
    pub const ALL: [Build; 4] = [Build::Debug, Build::Unchecked, Build::Release, Build::Asan];

    /// As typed on the command line and written in results.
    pub fn name(self) -> &'static str {
        match self {
            Build::Debug => "debug",
            Build::Unchecked => "unchecked",
            Build::Release => "release",
            Build::Asan => "asan",
        }
    }

    /// Describes the build that a fault needs to show itself; `None` for the ordinary one.
    pub fn special_need(self) -> Option<&'static str> {
        match self {
            Build::Debug => None,
            Build::Unchecked => {
                Some("a build without the standard library's checks of unsafe preconditions")
            }
            Build::Release => Some("a release build (arithmetic wraps, no debug assertions)"),
            Build::Asan => Some("AddressSanitizer to be seen"),
        }
    }

    /// Returns the command that runs tests in such a build. `host` is the compiler's own target.
    pub fn test_command(self, host: &str) -> String {
        match self {
            Build::Debug => "cargo test".to_owned(),
            // The switch is unstable, and a test has to run with the compiler that the user has.
            Build::Unchecked => {
                format!("RUSTC_BOOTSTRAP=1 RUSTFLAGS=-Zub-checks=no cargo test --target {host}")
            }
            Build::Release => "cargo test --release".to_owned(),
            // `--target` even for the host: build scripts and macros must not get the sanitizer.
            Build::Asan => format!(
                "RUSTC_BOOTSTRAP=1 RUSTFLAGS=-Zsanitizer=address cargo test --release \
                 --target {host}"
            ),
        }
    }
}

impl fmt::Display for Build {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
