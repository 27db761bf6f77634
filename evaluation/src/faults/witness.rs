//! Witnesses at work: an emitted test is compiled against a version of its crate and run, as
//! anyone would who got it.

use std::{
    fs::{self, File},
    path::{Path, PathBuf},
    process::Command,
    time::Duration,
};

use anyhow::{Context as _, bail};
use gainsay_discover::{PublishedSpec, Request, Unasked, published_package, resolve};
use gainsay_model::{api::Dependency, build::Build, features::Features};

use crate::product::timed_run::{complaint, within};

/// A test that takes longer, its build included, has failed.
const LIMIT: Duration = Duration::from_mins(5);
const TEST: &str = "witness";
const TOLD: &str = "witnesses.json";

/// What a witness does on a version.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shown {
    Fails,
    Passes,
    DoesNotCompile,
}

impl Shown {
    pub(super) fn word(self) -> &'static str {
        match self {
            Shown::Fails => "fails",
            Shown::Passes => "passes",
            Shown::DoesNotCompile => "does not compile",
        }
    }
}

/// What the product tells of its tests, as far as it matters here.
#[derive(serde::Deserialize)]
struct Told {
    id: String,
    build: Option<Build>,
}

/// Has the product write a test for each fault of its last run in `target`.
pub(super) fn emit(program: &Path, spec: &str, target: &Path, dir: &Path) -> anyhow::Result<()> {
    let out = dir.join("witnesses");
    if out.exists() {
        fs::remove_dir_all(&out)?;
    }
    let log = dir.join("emit.txt");
    let mut command = Command::new(program);
    command.args(["gainsay", "emit", "--quiet", "--color", "never", "--crate", spec]);
    command.arg("--target-dir").arg(target).arg("--out").arg(&out).current_dir(dir);
    if run(&mut command, &log)? != Some(true) {
        bail!("`emit` failed: {}", complaint(&log));
    }
    fs::copy(target.join("gainsay").join(TOLD), dir.join(TOLD))?;
    Ok(())
}

/// The build in which the test of a fault was seen to fail.
pub(super) fn build_of(dir: &Path, fault: &str) -> Option<Build> {
    let told: Vec<Told> = serde_json::from_slice(&fs::read(dir.join(TOLD)).ok()?).ok()?;
    told.into_iter().find(|told| told.id == fault)?.build
}

/// The test of a fault, if it could be written.
pub(super) fn file_of(dir: &Path, fault: &str) -> Option<PathBuf> {
    let end = format!("_{}.rs", fault.get(..8)?);
    let files = fs::read_dir(dir.join("witnesses")).ok()?;
    let mut paths = files.filter_map(|file| Some(file.ok()?.path()));
    paths.find(|path| path.to_string_lossy().ends_with(&end))
}

/// A package that depends on one version of a crate and on nothing else.
pub(super) struct Package {
    root: PathBuf,
    target: PathBuf,
}

impl Package {
    /// Has cargo fetch the version, though it may be yanked. Of the features that nobody asked for,
    /// those are on that it has.
    pub(super) fn fetch(
        (name, version): (&str, &str),
        features: &Features,
        dir: &Path,
    ) -> anyhow::Result<Package> {
        let published = PublishedSpec { name: name.to_owned(), version: Some(version.to_owned()) };
        let request = Request {
            manifest_path: None,
            package: None,
            published: Some(published),
            features: features.clone(),
            unasked: Unasked::Nothing,
            current_dir: dir.to_owned(),
            target_dir: Some(dir.join("witness").join(version)),
        };
        let subject = resolve(&request)?;
        let root = published_package(&subject.out_dir, name, &subject.version);
        Ok(Package { root, target: dir.join("witness").join("target") })
    }

    /// The same with crates that the test names: the authors of the subject have them, too.
    pub(super) fn with(self, named: &[Dependency]) -> anyhow::Result<Package> {
        let path = self.root.join("Cargo.toml");
        let mut manifest = fs::read_to_string(&path)?;
        for Dependency { lib_name, package, version, .. } in named {
            let table = format!("[dependencies.{lib_name}]\n");
            if !manifest.contains(&table) {
                // The version that the subject takes, where another one fixed the fault.
                let lines = [
                    format!("package = {package:?}\nversion = {version:?}\n"),
                    "default-features = false\n".to_owned(),
                ];
                manifest.extend(["\n".to_owned(), table].into_iter().chain(lines));
            }
        }
        fs::write(&path, manifest)?;
        Ok(self)
    }

    /// Compiles and runs a test in the build that it needs.
    pub(super) fn test(&self, witness: &Path, build: Build) -> anyhow::Result<Shown> {
        let place = self.root.join("tests").join(TEST).with_extension("rs");
        fs::create_dir_all(place.parent().context("a file lies in a directory")?)?;
        fs::copy(witness, &place)?;
        let log = self.root.join("test.txt");
        if run(&mut self.cargo(build, &["--no-run"])?, &log)? != Some(true) {
            let text = fs::read_to_string(&log)?;
            if text.contains(&format!("(test \"{TEST}\")")) {
                return Ok(Shown::DoesNotCompile);
            }
            bail!("{}", complaint(&log));
        }
        let passes = run(&mut self.cargo(build, &[])?, &log)? == Some(true);
        Ok(if passes { Shown::Passes } else { Shown::Fails })
    }

    /// The command that reports name, with what this package needs.
    fn cargo(&self, build: Build, more: &[&str]) -> anyhow::Result<Command> {
        let host = host()?;
        let named = build.test_command(&host);
        let mut words = named.split_whitespace().peekable();
        let mut command = Command::new(env!("CARGO"));
        while let Some((name, value)) = words.peek().and_then(|word| word.split_once('=')) {
            command.env(name, value);
            words.next();
        }
        command.args(words.skip(1)).args(["--quiet", "--test", TEST, "--target-dir"]);
        command.arg(&self.target).args(more).current_dir(&self.root);
        command.env("RUST_BACKTRACE", "0");
        Ok(command)
    }
}

/// What the compiler calls the machine.
fn host() -> anyhow::Result<String> {
    let output = Command::new("rustc").arg("-vV").output().context("cannot run rustc")?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let host = text.lines().find_map(|line| line.strip_prefix("host: "));
    host.map(str::to_owned).context("rustc does not tell its host")
}

/// Whether a command succeeds; `None` when it takes too long.
fn run(command: &mut Command, log: &Path) -> anyhow::Result<Option<bool>> {
    let out = File::create(log).with_context(|| format!("cannot write `{}`", log.display()))?;
    command.env_remove("CARGO_TARGET_DIR").stdout(out.try_clone()?).stderr(out);
    Ok(within(command, LIMIT)?.map(|status| status.success()))
}
