//! What is said when a command cannot do its work: an `error:` line, a `hint:` line where there
//! is one, and the exit code that goes with it.

use std::fmt::{self, Write as _};

use gainsay_discover::{DiscoverError, ErrorKind};
use gainsay_harness::HarnessError;
use gainsay_report::{Paint, RecordError, Tone};
use gainsay_store::{LIST_TABLES, StoreError};
use gainsay_workers::WorkerError;

use crate::exit::Exit;

/// A failure that knows its exit code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Failure {
    /// How the process ends.
    pub(crate) exit: Exit,
    message: String,
    hint: Option<String>,
}

impl Failure {
    /// A failure without a hint.
    pub(crate) fn new(exit: Exit, message: impl Into<String>) -> Failure {
        Failure { exit, message: message.into(), hint: None }
    }

    /// What the user can do about it.
    pub(crate) fn hint(self, hint: impl Into<String>) -> Failure {
        Failure { hint: Some(hint.into()), ..self }
    }

    /// The failure of a run that ended before it had results.
    pub(crate) fn interrupted() -> Failure {
        Failure::new(Exit::Interrupted, "interrupted before there was anything to report")
    }

    /// The failure that an error of a command amounts to.
    pub(crate) fn of(error: &anyhow::Error) -> Failure {
        if let Some(failure) = error.downcast_ref::<Failure>() {
            return failure.clone();
        }
        let known = error.chain().find_map(meaning);
        let Meaning { exit, hint } = known.unwrap_or(Meaning::of(Exit::Usage));
        Failure { exit, message: chain(error), hint }
    }

    /// The lines for the user.
    pub(crate) fn text(&self, paint: Paint) -> String {
        let mut text = format!("{}: {}\n", paint.tone(Tone::Bad, "error"), self.message.trim_end());
        if let Some(hint) = &self.hint {
            let label = paint.tone(Tone::Notable, "hint");
            writeln!(text, "{label}: {hint}").expect("writing to a string");
        }
        text
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Failure {}

/// What an error means to the user.
struct Meaning {
    exit: Exit,
    hint: Option<String>,
}

impl Meaning {
    fn of(exit: Exit) -> Meaning {
        let hint = (exit == Exit::OurBug).then(|| REPORT_IT.to_owned());
        Meaning { exit, hint }
    }

    fn hint(self, hint: impl Into<String>) -> Meaning {
        Meaning { hint: Some(hint.into()), ..self }
    }
}

/// What to do about a defect of gainsay.
pub(crate) const REPORT_IT: &str =
    "this is a bug of gainsay; report it with the command line and the crate's name and version";
const CHOOSE_DIR: &str = "choose a writable directory with `--target-dir DIR`";

/// What one error of a chain means, if it is an error of a stage.
fn meaning(error: &(dyn std::error::Error + 'static)) -> Option<Meaning> {
    let of = |exit| Some(Meaning::of(exit));
    if let Some(error) = error.downcast_ref() {
        return Some(of_discovery(error));
    }
    if let Some(error) = error.downcast_ref() {
        return Some(of_harness(error));
    }
    if let Some(error) = error.downcast_ref() {
        return Some(of_workers(error));
    }
    if let Some(error) = error.downcast_ref() {
        return Some(of_store(error));
    }
    match error.downcast_ref()? {
        RecordError::NoRun { .. } | RecordError::Unreadable { .. } => of(Exit::Usage),
        RecordError::File { .. } => Some(Meaning::of(Exit::Usage).hint(CHOOSE_DIR)),
    }
}

fn of_discovery(error: &DiscoverError) -> Meaning {
    let exit = match error.kind() {
        ErrorKind::DoesNotBuild => Exit::DoesNotBuild,
        ErrorKind::Interrupted => Exit::Interrupted,
        ErrorKind::Usage | ErrorKind::Other => Exit::Usage,
    };
    Meaning { exit, hint: error.hint() }
}

fn of_harness(error: &HarnessError) -> Meaning {
    let usage = Meaning::of(Exit::Usage);
    match error {
        HarnessError::SubjectDoesNotBuild { .. } => {
            Meaning::of(Exit::DoesNotBuild).hint("`cargo build --lib` shows the same errors")
        }
        HarnessError::ProvidersDoNotBuild { .. } => {
            usage.hint("`gainsay.toml` names the file; docs/providers.md tells what it may use")
        }
        HarnessError::RuntimeDoesNotBuild { .. }
        | HarnessError::DoesNotSettle { .. }
        | HarnessError::NoWrapper { .. } => Meaning::of(Exit::OurBug),
        HarnessError::Cargo { .. } => {
            usage.hint("`cargo build --lib` tells whether cargo can build the crate at all")
        }
        HarnessError::Start { .. } => {
            usage.hint("`cargo --version` and `rustc --version` tell whether Rust is installed")
        }
        HarnessError::File { .. } => usage.hint(CHOOSE_DIR),
        HarnessError::Interrupted => Meaning::of(Exit::Interrupted),
    }
}

fn of_workers(error: &WorkerError) -> Meaning {
    let usage = Meaning::of(Exit::Usage);
    match error {
        WorkerError::Scratch { .. } => usage.hint(CHOOSE_DIR),
        WorkerError::Spawn { .. } => {
            usage.hint("choose a directory that allows programs with `--target-dir DIR`")
        }
        WorkerError::NotReady { .. } => Meaning::of(Exit::OurBug),
        WorkerError::Changed { .. } => {
            usage.hint("another run may use the same directory: choose one with `--target-dir DIR`")
        }
        WorkerError::NoSandbox | WorkerError::Launcher { .. } => usage.hint(
            "`--no-sandbox` calls the crate's functions all the same; they can then do all that \
             you can: docs/sandbox.md",
        ),
        WorkerError::Cancelled => Meaning::of(Exit::Interrupted),
    }
}

fn of_store(error: &StoreError) -> Meaning {
    let usage = Meaning::of(Exit::Usage);
    match error {
        StoreError::NotAStore { .. } => {
            usage.hint("`cargo gainsay run --fresh` removes the file and begins a new one")
        }
        StoreError::NewerSchema { .. } => usage.hint(
            "a later version of gainsay made it: use that one, choose another place with \
             `--target-dir DIR`, or begin anew with `cargo gainsay run --fresh`",
        ),
        StoreError::DiskFull => {
            usage.hint("make room, or choose another place with `--target-dir DIR`; then run again")
        }
        StoreError::Open { .. } => usage.hint(CHOOSE_DIR),
        StoreError::Sql(_) => {
            usage.hint("another program may use the same file, or the disk may be failing")
        }
        StoreError::NoStore { .. } => usage.hint("`cargo gainsay` tests the crate and makes one"),
        StoreError::Statement { .. } => {
            usage.hint(format!("`cargo gainsay db sql \"{LIST_TABLES}\"` lists the tables"))
        }
        StoreError::NotAQuery => {
            usage.hint("`cargo gainsay db export FILE` makes a copy that you can change")
        }
        StoreError::Exists { .. } => usage.hint("choose another name, or remove the file first"),
        StoreError::Unfit { .. } => {
            usage.hint("`cargo gainsay db export FILE` makes a copy that can")
        }
        StoreError::File { .. } => usage.hint("check the path and its permissions"),
        StoreError::NoCampaign | StoreError::Unknown { .. } | StoreError::Blob(_) => {
            Meaning::of(Exit::OurBug)
        }
    }
}

/// The error and its causes; a cause whose words are already there is not repeated.
fn chain(error: &anyhow::Error) -> String {
    let mut text = error.to_string();
    for cause in error.chain().skip(1).map(ToString::to_string) {
        if !text.contains(&cause) {
            write!(text, ": {cause}").expect("writing to a string");
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use gainsay_refute::RefuteError;

    use super::*;

    fn check(error: impl Into<anyhow::Error>, code: u8, words: &str) {
        let failure = Failure::of(&error.into());
        assert_eq!(failure.exit.code(), code, "{failure}");
        let hint = failure.hint.clone().unwrap_or_default();
        assert!(hint.contains(words), "{failure}: {hint}");
        assert_eq!(hint.is_empty(), words.is_empty(), "{failure}: {hint}");
    }

    #[test]
    fn a_hint_has_its_own_line() {
        let failure = Failure::new(Exit::Usage, "no run yet").hint("`cargo gainsay run`");
        assert_eq!(failure.text(Paint::Plain), "error: no run yet\nhint: `cargo gainsay run`\n");
    }

    #[test]
    fn causes_are_told_once() {
        let error = anyhow::anyhow!("disk full").context("cannot write: disk full");
        assert_eq!(Failure::of(&error).to_string(), "cannot write: disk full");
        let error = anyhow::anyhow!("disk full").context("cannot write");
        assert_eq!(Failure::of(&error).to_string(), "cannot write: disk full");
    }

    #[test]
    fn every_family_of_errors_has_its_code_and_its_hint() {
        let message = || "E0308".to_owned();
        let io = || std::io::Error::other("no");
        check(HarnessError::SubjectDoesNotBuild { message: message() }, 3, "cargo build");
        check(HarnessError::ProvidersDoNotBuild { message: message() }, 1, "gainsay.toml");
        check(HarnessError::RuntimeDoesNotBuild { message: message() }, 70, "bug of gainsay");
        check(HarnessError::DoesNotSettle { rounds: 9, message: message() }, 70, "bug of gainsay");
        check(HarnessError::Cargo { message: message() }, 1, "cargo build");
        check(HarnessError::Start { program: "cargo".into(), source: io() }, 1, "--version");
        check(HarnessError::File { path: "a".into(), source: io() }, 1, "--target-dir");
        check(HarnessError::Interrupted, 130, "");
        check(WorkerError::Scratch { path: "a".into(), source: io() }, 1, "--target-dir");
        check(WorkerError::Changed { path: "a".into() }, 1, "--target-dir");
        check(WorkerError::NoSandbox, 1, "--no-sandbox");
        check(WorkerError::Cancelled, 130, "");
        check(StoreError::NotAStore { path: "a".into() }, 1, "--fresh");
        check(StoreError::NewerSchema { found: 9, supported: 1 }, 1, "--fresh");
        check(StoreError::DiskFull, 1, "--target-dir");
        check(StoreError::NoStore { path: "a".into() }, 1, "`cargo gainsay`");
        check(StoreError::Statement { message: message(), at: None }, 1, "sqlite_schema");
        check(StoreError::NotAQuery, 1, "db export");
        check(StoreError::Exists { path: "a".into() }, 1, "another name");
        let why = gainsay_store::Unfit::NotADatabase;
        check(StoreError::Unfit { path: "a".into(), why }, 1, "db export");
        check(StoreError::File { path: "a".into(), source: io() }, 1, "path");
        check(StoreError::NoCampaign, 70, "bug of gainsay");
        check(RefuteError::Store(StoreError::NoCampaign), 70, "bug of gainsay");
        check(RefuteError::Workers(WorkerError::Cancelled), 130, "");
        check(RecordError::File { path: "a".into(), source: io() }, 1, "--target-dir");
    }

    #[test]
    fn the_words_of_the_compiler_are_passed_on() {
        let error = HarnessError::SubjectDoesNotBuild { message: "error[E0308]: no".into() };
        let text = Failure::of(&error.into()).text(Paint::Plain);
        assert!(text.contains("error[E0308]: no\nhint: "), "{text}");
    }

    #[test]
    fn an_error_of_discovery_keeps_its_hint_and_its_code() {
        let error = DiscoverError::NoManifest { dir: "here".into() };
        let hint = error.hint();
        let failure = Failure::of(&anyhow::Error::from(error));
        assert_eq!((failure.exit, failure.hint), (Exit::Usage, hint));
        let error = DiscoverError::DoesNotCompile { package: "p".into(), rendered: String::new() };
        assert_eq!(Failure::of(&error.into()).exit, Exit::DoesNotBuild);
    }
}
