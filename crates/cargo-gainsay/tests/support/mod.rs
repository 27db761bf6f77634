//! Runs the binary on small crates that are written to temporary directories.

#![allow(dead_code, reason = "each test file uses its own part")]
#![allow(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use tempfile::TempDir;

/// A directory for one test, or for the tests of one file.
pub(crate) enum Place {
    /// Removed in the end.
    Fleeting(TempDir),
    /// Kept, so that the next time the runtime need not be compiled again.
    Lasting(PathBuf),
}

/// What came of a command.
pub(crate) struct Outcome {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Place {
    pub(crate) fn new() -> Place {
        Place::Fleeting(TempDir::new().unwrap())
    }

    /// Of this name, without anything from before but what cargo has compiled.
    pub(crate) fn lasting(name: &str) -> Place {
        let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        for entry in fs::read_dir(&dir).into_iter().flatten() {
            let path = entry.unwrap().path();
            if path.is_file() {
                fs::remove_file(path).unwrap();
            } else if path != dir.join("target") {
                fs::remove_dir_all(path).unwrap();
            }
        }
        for entry in fs::read_dir(dir.join("target/gainsay")).into_iter().flatten() {
            let path = entry.unwrap().path();
            if path.is_file() {
                fs::remove_file(path).unwrap();
            } else if !path.ends_with("build") && !path.ends_with("runtime") {
                fs::remove_dir_all(path).unwrap();
            }
        }
        fs::create_dir_all(&dir).unwrap();
        Place::Lasting(dir)
    }

    pub(crate) fn path(&self) -> &Path {
        match self {
            Place::Fleeting(dir) => dir.path(),
            Place::Lasting(dir) => dir,
        }
    }

    /// The results directory of subjects that are tested with `--target-dir ../target`.
    pub(crate) fn shared_results(&self) -> PathBuf {
        self.path().join("target/gainsay")
    }

    /// A program of this text; its path.
    pub(crate) fn script(&self, name: &str, text: &str) -> String {
        use std::os::unix::fs::PermissionsExt as _;
        let path = self.path().join("bin").join(name);
        write(&path, text);
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        path.to_str().unwrap().to_owned()
    }

    /// A copy of a fixture.
    pub(crate) fn copy_of(&self, fixture: &str) -> PathBuf {
        let root = self.path().join(fixture);
        let original = fixtures().join(fixture);
        let manifest = fs::read_to_string(original.join("Cargo.toml")).unwrap();
        write(&root.join("Cargo.toml"), &manifest);
        take_sources(fixture, &root);
        root
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

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures")
}

/// Puts the sources of a fixture in the place of those that are there.
pub(crate) fn take_sources(fixture: &str, root: &Path) {
    for entry in fs::read_dir(fixtures().join(fixture).join("src")).unwrap() {
        let path = entry.unwrap().path();
        let text = fs::read_to_string(&path).unwrap();
        write(&root.join("src").join(path.file_name().unwrap()), &text);
    }
}

fn write(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

/// Runs `cargo-gainsay gainsay ..` in a directory, as cargo would.
pub(crate) fn gainsay(dir: &Path, args: &[&str]) -> Outcome {
    gainsay_in(&[], dir, args)
}

/// A run that starts from what earlier ones left.
pub(crate) fn gainsay_going_on(dir: &Path, args: &[&str]) -> Outcome {
    let mut command = command(&[], dir, &[]);
    Outcome::of(command.args(args))
}

/// The same with more variables in its environment.
pub(crate) fn gainsay_in(variables: &[(&str, &str)], dir: &Path, args: &[&str]) -> Outcome {
    Outcome::of(&mut command(variables, dir, args))
}

/// `cargo-gainsay gainsay ..`, not yet started. A run of so many calls begins anew, so that tests
/// that share a directory do not depend on each other.
pub(crate) fn command(variables: &[(&str, &str)], dir: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_cargo-gainsay"));
    command.current_dir(dir).arg("gainsay").args(args);
    if args.contains(&"--calls") {
        command.arg("--fresh");
    }
    for variable in ["CARGO_TARGET_DIR", "CARGO_TERM_COLOR", "NO_COLOR"] {
        command.env_remove(variable);
    }
    command.envs(variables.iter().copied());
    command
}

impl Outcome {
    /// Runs a command to its end.
    pub(crate) fn of(command: &mut Command) -> Outcome {
        let output = command.output().unwrap();
        Outcome {
            code: output.status.code().unwrap_or(-1),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }

    /// All that was said.
    pub(crate) fn text(&self) -> String {
        format!("{}\n{}", self.stdout, self.stderr)
    }

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
