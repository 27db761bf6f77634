//! What is said when a command cannot do its work: an `error:` line, a `hint:` line where there
//! is one, and the exit code that goes with it.

use std::{
    fmt::{self, Write as _},
    io,
};

use gainsay_engine::{
    DiscoverError, EngineError, ErrorKind, HarnessError, WorkerError,
    store::{LIST_TABLES, StoreError},
};
use gainsay_report::{Paint, RecordError, Tone};

use crate::exit::Exit;

/// A failure that knows its exit code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Failure {
    /// The end of the process.
    pub(crate) exit: Exit,
    message: String,
    hint: Option<String>,
}

impl Failure {
    /// A failure without a hint.
    pub(crate) fn new(exit: Exit, message: impl Into<String>) -> Failure {
        Failure { exit, message: message.into(), hint: None }
    }

    /// Adds advice for the user.
    pub(crate) fn with_hint(self, hint: impl Into<String>) -> Failure {
        Failure { hint: Some(hint.into()), ..self }
    }

    /// The failure of a run that ended before it had results.
    pub(crate) fn interrupted() -> Failure {
        Failure::new(Exit::Interrupted, "interrupted before there was anything to report")
    }

    /// The failure that an error of a command amounts to.
    pub(crate) fn of(error: &anyhow::Error) -> Failure {
        // A failure of ours carries its code and its hint already.
        if let Some(failure) = error.downcast_ref::<Failure>() {
            return failure.clone();
        }
        // The outermost error that means something: its causes know less of what the user did.
        let known = error.chain().find_map(find_meaning);
        let Meaning { exit, hint } = known.unwrap_or(Meaning::of(Exit::Usage));
        Failure { exit, message: chain_text(error), hint }
    }

    /// The lines for the user.
    pub(crate) fn message_text(&self, paint: Paint) -> String {
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

/// The meaning of an error for the user.
struct Meaning {
    exit: Exit,
    hint: Option<String>,
}

impl Meaning {
    fn of(exit: Exit) -> Meaning {
        // Nothing the user does mends a bug of ours.
        let hint = (exit == Exit::OurBug).then(|| REPORT_IT.to_owned());
        Meaning { exit, hint }
    }

    fn with_hint(self, hint: impl Into<String>) -> Meaning {
        Meaning { hint: Some(hint.into()), ..self }
    }
}

/// Advice about a defect of gainsay.
pub(crate) const REPORT_IT: &str =
    "this is a bug of gainsay; report it with the command line and the crate's name and version";
const PROVIDERS_HINT: &str = "`[providers]` with `path = \"gainsay/providers.rs\"` is all that it \
    may hold; docs/providers.md shows an example";
const CHOOSE_DIR: &str = "choose a writable directory with `--target-dir DIR`";

/// Finds the meaning of one error of a chain, if it is an error of a stage.
fn find_meaning(error: &(dyn std::error::Error + 'static)) -> Option<Meaning> {
    let of = |exit| Some(Meaning::of(exit));
    if let Some(error) = error.downcast_ref() {
        return of_engine(error);
    }
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
        RecordError::File { .. } => Some(Meaning::of(Exit::Usage).with_hint(CHOOSE_DIR)),
    }
}

/// Finds the meaning of a failure of the engine; `None` where its causes know better.
fn of_engine(error: &EngineError) -> Option<Meaning> {
    let usage = Meaning::of(Exit::Usage);
    Some(match error {
        EngineError::Discover(error) => of_discovery(error),
        EngineError::Harness(error) => of_harness(error),
        EngineError::Workers(error) => of_workers(error),
        EngineError::Store(error) => of_store(error),
        EngineError::NothingToTest { .. } => Meaning::of(Exit::NothingToTest)
            .with_hint("`cargo gainsay list` shows what was skipped"),
        EngineError::Interrupted => Meaning::of(Exit::Interrupted),
        EngineError::LastRunLost(_) => {
            usage.with_hint("test the crate again with `cargo gainsay run`")
        }
        EngineError::ReadScript { .. } => {
            usage.with_hint("`--from` takes a file of sequences, one step a line")
        }
        EngineError::ParseScript { .. } => {
            usage.with_hint("`cargo gainsay list` shows the names of operations")
        }
        EngineError::ReadProviders { settings, source, .. }
            if source.kind() == io::ErrorKind::NotFound =>
        {
            let settings = settings.display();
            usage.with_hint(format!("`{settings}` names it; the path begins at its directory"))
        }
        EngineError::ParseProviders { .. } | EngineError::ReadProviders { .. } => {
            usage.with_hint(PROVIDERS_HINT)
        }
        EngineError::Refute(_)
        | EngineError::Search(_)
        | EngineError::ReadRecord { .. }
        | EngineError::ParseRecord { .. }
        | EngineError::File { .. }
        | EngineError::NoLauncher { .. }
        | EngineError::BuildNotReady { .. }
        | EngineError::OtherOperations { .. } => return None,
    })
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
            Meaning::of(Exit::DoesNotBuild).with_hint("`cargo build --lib` shows the same errors")
        }
        HarnessError::ProvidersDoNotBuild { .. } => usage
            .with_hint("`gainsay.toml` names the file; docs/providers.md tells what it may use"),
        HarnessError::RuntimeDoesNotBuild { .. }
        | HarnessError::DoesNotSettle { .. }
        | HarnessError::NoWrapper { .. } => Meaning::of(Exit::OurBug),
        HarnessError::Cargo { .. } => {
            usage.with_hint("`cargo build --lib` tells whether cargo can build the crate at all")
        }
        HarnessError::Start { .. } => usage
            .with_hint("`cargo --version` and `rustc --version` tell whether Rust is installed"),
        HarnessError::File { .. } => usage.with_hint(CHOOSE_DIR),
        HarnessError::Interrupted => Meaning::of(Exit::Interrupted),
    }
}

fn of_workers(error: &WorkerError) -> Meaning {
    let usage = Meaning::of(Exit::Usage);
    match error {
        WorkerError::Scratch { .. } => usage.with_hint(CHOOSE_DIR),
        WorkerError::Spawn { .. } => {
            usage.with_hint("choose a directory that allows programs with `--target-dir DIR`")
        }
        WorkerError::NotReady { .. } => Meaning::of(Exit::OurBug),
        WorkerError::Changed { .. } => usage.with_hint(
            "another run may use the same directory: choose one with `--target-dir DIR`",
        ),
        WorkerError::NoSandbox | WorkerError::Launcher { .. } => usage.with_hint(
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
            usage.with_hint("`cargo gainsay run --fresh` removes the file and begins a new one")
        }
        StoreError::NewerSchema { .. } => usage.with_hint(
            "a later version of gainsay made it: use that one, choose another place with \
             `--target-dir DIR`, or begin anew with `cargo gainsay run --fresh`",
        ),
        StoreError::DiskFull => usage.with_hint(
            "make room, or choose another place with `--target-dir DIR`; then run again",
        ),
        StoreError::Open { .. } => usage.with_hint(CHOOSE_DIR),
        StoreError::Database(_) => {
            usage.with_hint("another program may use the same file, or the disk may be failing")
        }
        StoreError::NoStore { .. } => {
            usage.with_hint("`cargo gainsay` tests the crate and makes one")
        }
        StoreError::Statement { .. } => {
            usage.with_hint(format!("`cargo gainsay db sql \"{LIST_TABLES}\"` lists the tables"))
        }
        StoreError::NotAQuery => {
            usage.with_hint("`cargo gainsay db export FILE` makes a copy that you can change")
        }
        StoreError::Exists { .. } => {
            usage.with_hint("choose another name, or remove the file first")
        }
        StoreError::Unfit { .. } => {
            usage.with_hint("`cargo gainsay db export FILE` makes a copy that can")
        }
        StoreError::File { .. } => usage.with_hint("check the path and its permissions"),
        StoreError::NoCampaign
        | StoreError::Unknown { .. }
        | StoreError::OutOfPatience
        | StoreError::Blob(_) => Meaning::of(Exit::OurBug),
    }
}

/// Returns the error and its causes; a cause whose words are already there is not repeated.
fn chain_text(error: &anyhow::Error) -> String {
    let mut text = error.to_string();
    for cause in error.chain().skip(1).map(ToString::to_string) {
        // Errors of some libraries have their cause in their own text.
        if !text.contains(&cause) {
            write!(text, ": {cause}").expect("writing to a string");
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use gainsay_engine::{FileAction, Lost, RefuteError, find_providers};
    use gainsay_model::{
        api::{Source, Subject},
        features::Features,
        script::{Problem, ScriptError},
    };

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
        let failure = Failure::new(Exit::Usage, "no run yet").with_hint("`cargo gainsay run`");
        assert_eq!(
            failure.message_text(Paint::Plain),
            "error: no run yet\nhint: `cargo gainsay run`\n"
        );
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
        let why = gainsay_engine::store::Unfit::NotADatabase;
        check(StoreError::Unfit { path: "a".into(), why }, 1, "db export");
        check(StoreError::File { path: "a".into(), source: io() }, 1, "path");
        check(StoreError::NoCampaign, 70, "bug of gainsay");
        check(RefuteError::Store(StoreError::NoCampaign), 70, "bug of gainsay");
        check(RefuteError::Workers(WorkerError::Cancelled), 130, "");
        check(RecordError::File { path: "a".into(), source: io() }, 1, "--target-dir");
    }

    #[test]
    fn failures_of_the_engine_have_the_code_and_the_hint_of_their_cause() {
        let io = || std::io::Error::other("no");
        let path = || std::path::PathBuf::from("a");
        check(EngineError::from(StoreError::NoCampaign), 70, "bug of gainsay");
        check(EngineError::from(WorkerError::NoSandbox), 1, "--no-sandbox");
        check(EngineError::from(HarnessError::Interrupted), 130, "");
        let error = HarnessError::SubjectDoesNotBuild { message: "E0308".to_owned() };
        check(EngineError::from(error), 3, "cargo build");
        let error = DiscoverError::NoManifest { dir: path() };
        check(EngineError::from(error), 1, "--manifest-path");
        let error = RefuteError::Store(StoreError::NoCampaign);
        check(EngineError::from(error), 70, "bug of gainsay");
        check(EngineError::NothingToTest { subject: "a".to_owned() }, 4, "gainsay list");
        check(EngineError::Interrupted, 130, "");
        check(EngineError::LastRunLost(Lost::Calls), 1, "gainsay run");
        check(EngineError::ReadScript { path: path(), source: io() }, 1, "--from");
        let source = ScriptError { line: 1, problem: Problem::Malformed };
        check(EngineError::ParseScript { path: path(), source }, 1, "gainsay list");
        check(EngineError::ReadRecord { path: path(), source: io() }, 1, "");
        let action = FileAction::Write;
        check(EngineError::File { action, path: path(), source: io() }, 1, "");
        check(EngineError::NoLauncher { source: io() }, 1, "");
    }

    #[test]
    fn mistakes_in_the_settings_of_a_package_are_told_with_a_hint() {
        let dir = tempfile::tempdir().unwrap();
        let check = |text: &str, words: &str, hint: &str| {
            std::fs::write(dir.path().join("gainsay.toml"), text).unwrap();
            let error = find_providers(&subject(dir.path()), dir.path()).unwrap_err();
            let failure = Failure::of(&error.into());
            let text = failure.message_text(gainsay_report::Paint::Plain);
            assert_eq!(failure.exit, Exit::Usage);
            assert!(text.contains(words), "{words}: {text}");
            assert!(text.contains(&format!("hint: {hint}")), "{hint}: {text}");
        };
        check("[provider]\npath = \"p.rs\"\n", "unknown field `provider`", "`[providers]`");
        check("[providers]\nfile = \"p.rs\"\n", "unknown field `file`", "`[providers]`");
        check("[providers]\n", "missing field `path`", "`[providers]`");
        check("[providers\n", "gainsay.toml` cannot be used", "`[providers]`");
        check("[providers]\npath = \"p.rs\"\n", "cannot read", "`");
    }

    fn subject(root: &std::path::Path) -> Subject {
        Subject {
            name: "a".into(),
            version: "1.0.0".into(),
            lib_name: "a".into(),
            root: root.to_owned(),
            out_dir: root.join("target"),
            source: Source::Registry,
            features: Features::default(),
        }
    }

    #[test]
    fn the_words_of_the_compiler_are_passed_on() {
        let error = HarnessError::SubjectDoesNotBuild { message: "error[E0308]: no".into() };
        let text = Failure::of(&error.into()).message_text(Paint::Plain);
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
