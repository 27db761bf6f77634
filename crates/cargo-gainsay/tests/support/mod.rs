//! Runs the binary on small crates that are written to temporary directories.

#![allow(dead_code, reason = "each test file uses its own part")]
#![allow(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

use std::{
    fs,
    path::{Path, PathBuf},
};

use assert_cmd::Command;
use tempfile::TempDir;

/// A directory for one test.
pub(crate) struct Place {
    dir: TempDir,
}

/// What came of a command.
pub(crate) struct Outcome {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Place {
    pub(crate) fn new() -> Place {
        Place { dir: TempDir::new().unwrap() }
    }

    pub(crate) fn path(&self) -> &Path {
        self.dir.path()
    }

    /// A package with a library of this text.
    pub(crate) fn library(&self, name: &str, lib: &str) -> PathBuf {
        self.package(name, "", &[("src/lib.rs", lib)])
    }

    /// A package in a directory of its name, with more lines in its manifest and these files.
    pub(crate) fn package(&self, name: &str, manifest: &str, files: &[(&str, &str)]) -> PathBuf {
        let root = self.path().join(name);
        let head = "[package]\nname = \"subject\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n[workspace]\n";
        write(&root.join("Cargo.toml"), &format!("{head}{manifest}"));
        for (path, text) in files {
            write(&root.join(path), text);
        }
        root
    }
}

fn write(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

/// Runs `cargo-gainsay gainsay ..` in a directory, as cargo would.
pub(crate) fn gainsay(dir: &Path, args: &[&str]) -> Outcome {
    let output = Command::cargo_bin("cargo-gainsay")
        .unwrap()
        .current_dir(dir)
        .env_remove("CARGO_TARGET_DIR")
        .env_remove("CARGO_TERM_COLOR")
        .env_remove("NO_COLOR")
        .arg("gainsay")
        .args(args)
        .output()
        .unwrap();
    Outcome {
        code: output.status.code().unwrap_or(-1),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

impl Outcome {
    /// The exit code and some words of the error and the hint.
    pub(crate) fn fails_with(&self, code: i32, error: &str, hint: &str) {
        assert_eq!(self.code, code, "stderr: {}", self.stderr);
        let has = |label: &str, words: &str| {
            let at = self.stderr.find(&format!("{label}: "));
            at.is_some_and(|at| self.stderr[at..].contains(words))
        };
        assert!(has("error", error), "no `{error}` in: {}", self.stderr);
        assert!(has("hint", hint), "no `{hint}` in: {}", self.stderr);
        assert!(!self.stderr.contains("panicked"), "{}", self.stderr);
    }
}
