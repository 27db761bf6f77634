//! A package of test files for the subject: built as the subject's own tests would be, not run.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    process::Output,
};

use gainsay_model::{
    api::{Dependency, Subject},
    build::Build,
};

use crate::{
    cargo::{self, Diagnostic, Message, cargo, messages, output},
    error::HarnessError,
    layout::{dependency, start_lock, subject_dependency, write},
};

/// A package that only has tests.
#[derive(Clone, Debug)]
pub struct Suite<'a> {
    subject: &'a Subject,
    dependencies: &'a [Dependency],
    edition: Edition,
    features: Vec<String>,
}

/// A file of the package.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TestFile {
    /// Without `.rs`; unique, and such as a crate can have.
    pub name: String,
    /// The source.
    pub text: String,
}

/// What became of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Compiled {
    /// A program that runs its tests.
    Program(PathBuf),
    /// rustc has something against it.
    Rejected {
        /// What, in a line.
        headline: String,
        /// All of it, as rustc would print it.
        rendered: String,
    },
}

/// The edition that a package is written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Edition(pub u16);

/// The flag that a build takes besides what cargo offers.
fn unstable_flag(how: Build) -> Option<&'static str> {
    match how {
        Build::Debug | Build::Release => None,
        Build::Unchecked => Some("-Zub-checks=no"),
        Build::Asan => Some("-Zsanitizer=address"),
    }
}

/// What this machine is, as compilers name it. Where flags are set, it is named as the
/// target: only then do they spare build scripts.
pub fn host() -> String {
    let version = cargo::rustc_version(Path::new(".")).unwrap_or_default();
    let host = version.lines().find_map(|line| line.strip_prefix("host: "));
    host.unwrap_or("x86_64-unknown-linux-gnu").to_owned()
}

impl<'a> Suite<'a> {
    /// A package of tests for `subject`, which may name these crates.
    pub fn new(
        subject: &'a Subject,
        dependencies: &'a [Dependency],
    ) -> Result<Suite<'a>, HarnessError> {
        let edition = edition(subject)?;
        Ok(Suite { subject, dependencies, edition, features: cargo::features(subject)? })
    }

    /// The subject's edition, in which its tests are compiled, too.
    pub fn edition(&self) -> Edition {
        self.edition
    }

    /// Compiles the files, each on its own, in their order.
    pub fn build(&self, files: &[TestFile], how: Build) -> Result<Vec<Compiled>, HarnessError> {
        let dir = self.dir();
        write(&dir.join("Cargo.toml"), &self.manifest(files))?;
        write(&dir.join("src/lib.rs"), "//! Nothing: all that matters are the tests.\n")?;
        for file in files {
            write(&file.path(&dir), &file.text)?;
        }
        start_lock(self.subject, &dir)?;
        match self.attempt(files, how, Some("--offline"))? {
            Ok(compiled) => Ok(compiled),
            Err(_) => self.attempt(files, how, None)?.map_err(|text| cargo::failure(&text)),
        }
    }

    /// `Err` inside is cargo's standard error when it failed before any test was compiled.
    fn attempt(
        &self,
        files: &[TestFile],
        how: Build,
        offline: Option<&str>,
    ) -> Result<Result<Vec<Compiled>, String>, HarnessError> {
        let (dir, mut command) = (self.dir(), cargo());
        command.args(["build", "--tests", "--keep-going", "--message-format=json"]);
        command.arg("--manifest-path").arg(dir.join("Cargo.toml")).args(offline);
        // Flags differ, and cargo would build everything anew each time they do.
        command.arg("--target-dir").arg(self.target().join(how.name()));
        command.current_dir(&dir).env_remove("RUSTFLAGS").env_remove("CARGO_ENCODED_RUSTFLAGS");
        if let Build::Release | Build::Asan = how {
            command.arg("--release");
        }
        if let Some(flag) = unstable_flag(how) {
            command.env("RUSTC_BOOTSTRAP", "1").env("RUSTFLAGS", flag).args(["--target", &host()]);
        }
        let output = output(&mut command, "cargo")?;
        cargo::interrupted(output.status)?;
        sort(files, &output)
    }

    fn dir(&self) -> PathBuf {
        let Subject { name, version, .. } = self.subject;
        self.subject.out_dir.join("suite").join(format!("{name}-{version}"))
    }

    fn target(&self) -> PathBuf {
        self.subject.out_dir.join("suite").join("build")
    }

    fn manifest(&self, files: &[TestFile]) -> String {
        let Subject { name, version, .. } = self.subject;
        let others: String = self.dependencies.iter().map(dependency).collect();
        let others = if others.is_empty() { others } else { format!("[dependencies]\n{others}\n") };
        let subject = subject_dependency(self.subject, &self.features);
        let mut targets = String::new();
        for TestFile { name, .. } in files {
            let path = format!("tests/{name}.rs");
            targets.extend(["[[test]]\nname = \"", name, "\"\npath = \"", &path, "\"\n\n"]);
        }
        format!(
            "# Written by gainsay: tests of {name} {version} that are being checked.\n\
             [package]\nname = \"gainsay-suite\"\nversion = \"0.0.0\"\nedition = \"{}\"\n\
             publish = false\nautotests = false\n\n[workspace]\n\n{others}{subject}\n{targets}\
             [profile.dev]\ndebug = false\nincremental = false\n",
            self.edition.0,
        )
    }
}

impl TestFile {
    fn path(&self, dir: &Path) -> PathBuf {
        dir.join("tests").join(&self.name).with_extension("rs")
    }
}

/// Which programs there are, and why others are not.
fn sort(
    files: &[TestFile],
    output: &Output,
) -> Result<Result<Vec<Compiled>, String>, HarnessError> {
    let mut programs: BTreeMap<String, PathBuf> = BTreeMap::new();
    let mut rejected: BTreeMap<String, Vec<Diagnostic>> = BTreeMap::new();
    let is_ours = |name: &str| files.iter().any(|file| file.name == name);
    for message in messages(&output.stdout) {
        match message {
            Message::Artifact { target, executable: Some(program) } if is_ours(&target.name) => {
                programs.insert(target.name, program);
            }
            Message::Complaint { target, message } if message.is_error() => {
                if !is_ours(&target.name) {
                    return Err(cargo::foreign(&target.name, &message));
                }
                rejected.entry(target.name).or_default().push(message);
            }
            _ => {}
        }
    }
    let result = |file: &TestFile| match programs.remove(&file.name) {
        Some(program) => Some(Compiled::Program(program)),
        None => rejected.get(&file.name).map(|why| rejection(why)),
    };
    let compiled: Option<Vec<Compiled>> = files.iter().map(result).collect();
    Ok(compiled.ok_or_else(|| String::from_utf8_lossy(&output.stderr).into_owned()))
}

fn rejection(complaints: &[Diagnostic]) -> Compiled {
    let rendered = complaints.iter().filter_map(|complaint| complaint.rendered.as_deref());
    Compiled::Rejected {
        headline: complaints.first().map(Diagnostic::headline).unwrap_or_default(),
        rendered: rendered.collect(),
    }
}

/// The edition of the subject.
fn edition(subject: &Subject) -> Result<Edition, HarnessError> {
    let package = cargo::package(subject)?;
    let year = package.and_then(|package| package.edition.parse().ok());
    Ok(Edition(year.unwrap_or(Edition::default().0)))
}

impl Default for Edition {
    /// Before there were editions.
    fn default() -> Edition {
        Edition(2015)
    }
}
