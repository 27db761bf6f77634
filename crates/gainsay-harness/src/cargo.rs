//! Runs cargo on the harness and sorts what it says.

use std::{
    ffi::OsString,
    io,
    path::{Path, PathBuf},
    process::{Command, ExitStatus, Output},
};

use gainsay_model::{
    api::{PROVIDERS_CRATE, Subject},
    build::Build,
};
use serde::Deserialize;

use crate::{
    BuildOptions, error::HarnessError, layout::Layout, variant::Variant, wrapper,
    yielding::Background,
};

/// How far cargo is to go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stage {
    /// Types and borrows only.
    Check,
    /// A program.
    Build,
}

/// What came of a run.
pub(crate) enum Built {
    /// All is well; the program, after a build.
    Done(Option<PathBuf>),
    /// rustc rejects generated code.
    Rejected(Vec<Diagnostic>),
}

/// rustc's complaint.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Diagnostic {
    /// In one line.
    pub(crate) message: String,
    /// `E0277` and the like.
    pub(crate) code: Option<Code>,
    /// `error`, `warning`, ..
    pub(crate) level: String,
    /// Places in the source.
    pub(crate) spans: Vec<Place>,
    /// Notes.
    pub(crate) children: Vec<Diagnostic>,
    /// As rustc would print it.
    pub(crate) rendered: Option<String>,
}

/// An error code.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Code {
    /// `E0277`
    pub(crate) code: String,
}

/// A place in the source.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Place {
    /// As rustc names it.
    pub(crate) file_name: String,
    /// From 1.
    pub(crate) line_start: usize,
    /// In the file, in bytes.
    pub(crate) byte_start: usize,
    /// The end, in bytes.
    pub(crate) byte_end: usize,
    /// Where the error is, not what explains it.
    pub(crate) is_primary: bool,
    /// The macro call that led there.
    pub(crate) expansion: Option<Box<Expansion>>,
}

/// A macro call.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Expansion {
    /// Where it is called.
    pub(crate) span: Place,
}

/// A line of what cargo tells programs.
#[derive(Deserialize)]
#[serde(tag = "reason")]
pub(crate) enum Message {
    /// A compiler has something to say.
    #[serde(rename = "compiler-message")]
    Complaint { target: Target, message: Diagnostic },
    /// Something is made.
    #[serde(rename = "compiler-artifact")]
    Artifact { target: Target, executable: Option<PathBuf> },
    #[serde(other)]
    Other,
}

#[derive(Deserialize)]
pub(crate) struct Target {
    pub(crate) name: String,
}

/// cargo, ready to work on one harness.
pub(crate) struct Cargo<'a> {
    pub(crate) layout: &'a Layout<'a>,
    wrapper: Option<&'a Path>,
    background: Option<&'a Background>,
    variant: Variant,
    /// The compiler's own target.
    host: String,
}

impl<'a> Cargo<'a> {
    /// For a build by the compiler of this version text.
    pub(crate) fn new(
        layout: &'a Layout<'a>,
        options: &'a BuildOptions,
        compiler: &str,
        build: Build,
    ) -> Cargo<'a> {
        let host = compiler.lines().find_map(|line| line.strip_prefix("host: "));
        Cargo {
            layout,
            wrapper: options.wrapper.as_deref(),
            background: options.background.as_ref(),
            variant: Variant::of(build),
            host: host.unwrap_or_default().to_owned(),
        }
    }

    /// Builds code that is known to compile in another way.
    pub(crate) fn build_once(&self) -> Result<PathBuf, HarnessError> {
        match self.run(Stage::Build)? {
            Built::Done(Some(program)) => Ok(program),
            Built::Done(None) => {
                Err(HarnessError::Cargo { message: "cargo built no program".to_owned() })
            }
            Built::Rejected(complaints) => {
                let message = complaints.first().map(Diagnostic::headline).unwrap_or_default();
                Err(HarnessError::Cargo { message })
            }
        }
    }

    /// Checks or builds the harness. Without network first: what discovery has fetched is there.
    pub(crate) fn run(&self, stage: Stage) -> Result<Built, HarnessError> {
        match self.attempt(stage, Some("--offline"))? {
            Ok(built) => Ok(built),
            Err(_) => self.attempt(stage, None)?.map_err(|stderr| failure(&stderr)),
        }
    }

    /// `Err` inside is cargo's standard error when it failed before any rustc did.
    fn attempt(
        &self,
        stage: Stage,
        offline: Option<&str>,
    ) -> Result<Result<Built, String>, HarnessError> {
        let mut command = match self.background {
            Some(background) => background.command(&cargo_program()),
            None => Command::new(cargo_program()),
        };
        command.arg(if stage == Stage::Check { "check" } else { "build" });
        command.args(["--message-format=json", "--manifest-path"]);
        command.arg(self.layout.dir.join("Cargo.toml"));
        command.arg("--target-dir").arg(self.layout.target()).args(offline);
        command.args(["--profile", self.variant.profile]);
        if let Some(probe) = self.variant.probe {
            command.args(["--features", probe]);
        }
        if self.variant.is_apart() {
            command.args(["--target", &self.host]);
        }
        command.current_dir(&self.layout.dir);
        if let Some(wrapper) = self.wrapper {
            wrapper::wrap(&mut command, wrapper, &self.layout.covered(), self.variant.flags);
        }
        let output = match self.background {
            Some(background) => background.output(&mut command).map_err(start("cargo"))?,
            None => output(&mut command, "cargo")?,
        };
        interrupted(output.status)?;
        self.sort(&output)
    }

    fn sort(&self, output: &Output) -> Result<Result<Built, String>, HarnessError> {
        let ours = self.layout.package();
        let mut program = None;
        let mut rejected = Vec::new();
        for message in messages(&output.stdout) {
            match message {
                Message::Artifact { target, executable } if target.name == ours => {
                    program = executable.or(program);
                }
                Message::Complaint { target, message } if message.is_error() => {
                    if target.name != ours {
                        return Err(foreign(&target.name, &message));
                    }
                    rejected.push(message);
                }
                _ => {}
            }
        }
        if output.status.success() {
            return Ok(Ok(Built::Done(program)));
        }
        if rejected.is_empty() {
            return Ok(Err(String::from_utf8_lossy(&output.stderr).into_owned()));
        }
        Ok(Ok(Built::Rejected(rejected)))
    }
}

impl Diagnostic {
    /// Whether compilation fails because of it.
    pub(crate) fn is_error(&self) -> bool {
        self.level.starts_with("error")
    }

    /// In one line, with the code.
    pub(crate) fn headline(&self) -> String {
        let line = self.message.lines().next().unwrap_or_default();
        match &self.code {
            Some(code) => format!("{}: {line}", code.code),
            None => line.to_owned(),
        }
    }
}

/// The features of the subject to switch on, all named.
pub(crate) fn features(subject: &Subject) -> Result<Vec<String>, HarnessError> {
    let mut features = subject.features.all_named();
    if subject.features.all {
        features.extend(all_features(subject)?);
        features.sort();
        features.dedup();
    }
    Ok(features)
}

/// The version text of the compiler that cargo will use in `dir`.
pub(crate) fn rustc_version(dir: &Path) -> Result<String, HarnessError> {
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let output = output(Command::new(rustc).arg("-vV").current_dir(dir), "rustc")?;
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

fn all_features(subject: &Subject) -> Result<Vec<String>, HarnessError> {
    let package = package(subject)?;
    Ok(package.map(|package| package.features.into_keys().collect()).unwrap_or_default())
}

/// What cargo says of a package.
#[derive(Deserialize)]
pub(crate) struct Package {
    name: String,
    pub(crate) edition: String,
    features: std::collections::BTreeMap<String, Vec<String>>,
}

/// The subject's package, if cargo knows it by that name.
pub(crate) fn package(subject: &Subject) -> Result<Option<Package>, HarnessError> {
    #[derive(Deserialize)]
    struct Metadata {
        packages: Vec<Package>,
    }
    let mut command = cargo();
    command.args(["metadata", "--no-deps", "--format-version", "1", "--manifest-path"]);
    command.arg(subject.root.join("Cargo.toml"));
    let output = output(&mut command, "cargo")?;
    let metadata: Metadata = serde_json::from_slice(&output.stdout)
        .map_err(|_| failure(&String::from_utf8_lossy(&output.stderr)))?;
    Ok(metadata.packages.into_iter().find(|package| package.name == subject.name))
}

pub(crate) fn cargo() -> Command {
    Command::new(cargo_program())
}

fn cargo_program() -> OsString {
    std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into())
}

pub(crate) fn output(command: &mut Command, program: &str) -> Result<Output, HarnessError> {
    command.output().map_err(start(program))
}

fn start(program: &str) -> impl FnOnce(io::Error) -> HarnessError {
    let program = program.to_owned();
    move |source| HarnessError::Start { program, source }
}

pub(crate) fn messages(stdout: &[u8]) -> impl Iterator<Item = Message> + '_ {
    let lines = stdout.split(|byte| *byte == b'\n');
    lines.filter_map(|line| serde_json::from_slice(line).ok())
}

/// An error in a package that is not the generated one.
pub(crate) fn foreign(target: &str, message: &Diagnostic) -> HarnessError {
    let text = message.rendered.clone().unwrap_or_else(|| message.headline());
    match target {
        "gainsay_own_runtime" | "gainsay_own_wire" => {
            HarnessError::RuntimeDoesNotBuild { message: text }
        }
        PROVIDERS_CRATE => HarnessError::ProvidersDoNotBuild { message: text },
        _ => HarnessError::SubjectDoesNotBuild { message: text },
    }
}

pub(crate) fn failure(stderr: &str) -> HarnessError {
    let text = stderr.find("error").map_or(stderr, |at| &stderr[at..]).trim().to_owned();
    if text.contains("failed to run custom build command") || text.contains("could not compile") {
        return HarnessError::SubjectDoesNotBuild { message: text };
    }
    HarnessError::Cargo { message: text }
}

#[cfg(unix)]
pub(crate) fn interrupted(status: ExitStatus) -> Result<(), HarnessError> {
    use std::os::unix::process::ExitStatusExt as _;
    const INTERRUPT: i32 = 2;
    const TERMINATE: i32 = 15;
    if matches!(status.signal(), Some(INTERRUPT | TERMINATE)) || status.code() == Some(130) {
        return Err(HarnessError::Interrupted);
    }
    Ok(())
}

#[cfg(not(unix))]
pub(crate) fn interrupted(_status: ExitStatus) -> Result<(), HarnessError> {
    Ok(())
}
