//! `cargo gainsay emit --regressions`: passing calls of the last run as tests. Each is compiled and
//! run; what the compiler or the run does not bear out is left out of it.

mod mend;

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
    time::Duration,
};

use anyhow::Context as _;
use gainsay_harness::{Compiled, Suite, TestFile};
use gainsay_model::{
    api::Subject,
    build::Build,
    event::{Event, Stage},
};
use gainsay_report::{
    Book, Old, Purpose, RegressionFile, RegressionSetting, RegressionTest, Tone, counted,
    regression_file,
};
use gainsay_workers::{Cancel, End, Sight, Tried, Tryout};
use serde::Serialize;

use super::{command, formatted, out_dir};
use crate::{
    commands::{last_run, say},
    console::Console,
    exit::Exit,
    failure::Failure,
    interrupt::Interrupt,
    pipeline::{self, Passing, Target},
    providers,
    session::confinement,
    settings::Settings,
};
use mend::{mended, quarrelling};

/// The file that all tests go into.
const FILE_STEM: &str = "gainsay_regressions";
/// Results for programs, in the results directory.
const REGRESSIONS: &str = "regressions.json";
/// How often a test must pass in a row.
const TIMES: usize = 10;
/// So often a test is mended before it is given up.
const ROUNDS: usize = 12;
/// A test may take this long.
const PATIENCE: Duration = Duration::from_secs(20);
/// Address space of a test.
const ADDRESS_SPACE: u64 = 4 << 30;

/// What `regressions.json` tells.
#[derive(Debug, Serialize)]
struct Told {
    /// Files that were written.
    files: Vec<PathBuf>,
    /// How they are run.
    command: String,
    /// Operations that passed in the run, and how many of them the tests call.
    operations: usize,
    called: usize,
    tests: Vec<ToldTest>,
    left_out: Vec<LeftOut>,
}

/// A test that was written.
#[derive(Debug, Serialize)]
struct ToldTest {
    name: String,
    operations: Vec<String>,
    assertions: usize,
    statements: usize,
}

/// A test that was not.
#[derive(Debug, Serialize)]
pub(super) struct LeftOut {
    pub(super) name: String,
    pub(super) reason: String,
}

/// Writes passing tests.
pub(super) fn emit(settings: &Settings, out: Option<&Path>, most: usize) -> anyhow::Result<Exit> {
    let (subject, record) = last_run(settings)?;
    let providers = providers::find(&subject, &settings.request.current_dir)?;
    let target = Target { subject: subject.clone(), providers, sandbox: settings.sandbox };
    let Interrupt { cancel, .. } = Interrupt::listen(settings.stderr)?;
    let mut console = Console::new(settings.stderr, settings.verbosity);
    let passing = pipeline::passing(&target, most, &cancel, &mut |event| console.on(&event))?;
    let about = counted(passing.regressions.len() as u64, "test");
    console.on(&Event::StageBegan(Stage::Check, about));
    let suite = Suite::new(&subject, &record.dependencies)?;
    let checker =
        Checker::new(settings, &subject, &passing, (suite, Purpose::Regressions), cancel)?;
    let tests = RegressionTest::all(passing.regressions.clone());
    let sorted = checker.check(tests)?;
    drop(console);
    let files = checker.files(&sorted.passed)?;
    let dir = out_dir(settings, &subject, out);
    let told = write(&dir, &subject, &passing, (files, sorted))?;
    for left in &told.left_out {
        let about = format!("{}: {}", left.name, left.reason);
        say(&settings.stdout.line(Tone::Notable, "Left out", &about))?;
    }
    for file in &told.files {
        let about = format!("{}: compiles, passes {TIMES} times", file.display());
        say(&settings.stdout.line(Tone::Good, "Wrote", &about))?;
    }
    say(&settings.stdout.line(Tone::Good, "Emitted", &sum(&told)))?;
    Ok(Exit::NothingFound)
}

/// Tests that pass as they are, and why others do not.
pub(super) struct Checked {
    pub(super) passed: Vec<(RegressionTest, RegressionFile)>,
    pub(super) left_out: Vec<LeftOut>,
}

/// All that checking takes.
pub(super) struct Checker<'a> {
    suite: Suite<'a>,
    book: Book<'a>,
    setting: RegressionSetting<'a>,
    /// The name of the file that all tests go into.
    stem: &'static str,
    tryout: Tryout,
    cancel: Cancel,
}

impl<'a> Checker<'a> {
    pub(super) fn new(
        settings: &Settings,
        subject: &'a Subject,
        passing: &'a Passing,
        (suite, purpose): (Suite<'a>, Purpose),
        cancel: Cancel,
    ) -> anyhow::Result<Checker<'a>> {
        let setting = RegressionSetting {
            lib_name: &subject.lib_name,
            subject: format!("{} {}", subject.name, subject.version),
            old: Old::of(suite.edition().0),
            types: &passing.types,
            command: command(subject, Build::Debug),
            purpose,
        };
        let tryout = Tryout {
            scratch: subject.out_dir.join("scratch"),
            confinement: confinement(settings.sandbox, Sight::Nothing)?,
            patience: PATIENCE,
            address_space: Some(ADDRESS_SPACE),
        };
        let stem = match purpose {
            Purpose::Regressions => FILE_STEM,
            Purpose::Selected => super::select::FILE_STEM,
        };
        Ok(Checker { suite, book: Book(&passing.spellings), setting, stem, tryout, cancel })
    }

    /// Compiles and runs each test in a file of its own, and mends it until it passes.
    pub(super) fn check(&self, mut open: Vec<RegressionTest>) -> anyhow::Result<Checked> {
        let mut checked = Checked { passed: Vec::new(), left_out: Vec::new() };
        for round in 0..ROUNDS {
            let is_last = round + 1 == ROUNDS;
            let mut written = Vec::new();
            for test in open.drain(..) {
                let stem = stem(&test);
                match regression_file(&[&test], self.book, &self.setting, &stem) {
                    Ok(file) if file.assertions.iter().all(Vec::is_empty) => {
                        checked.leave_out(test, "nothing could be asserted".to_owned());
                    }
                    Ok(file) => written.push((test, file)),
                    Err(why) => checked.leave_out(test, why.to_string()),
                }
            }
            if written.is_empty() {
                break;
            }
            for (test, file, trouble) in self.tried(written)? {
                let Some(trouble) = trouble else {
                    checked.passed.push((test, file));
                    continue;
                };
                match mended(&test, &file, &trouble).filter(|_| !is_last) {
                    Some(better) => open.push(better),
                    None => checked.leave_out(test, trouble.why()),
                }
            }
        }
        Ok(checked)
    }

    /// What is wrong with each test, if anything is.
    fn tried(
        &self,
        written: Vec<(RegressionTest, RegressionFile)>,
    ) -> anyhow::Result<Vec<(RegressionTest, RegressionFile, Option<Trouble>)>> {
        let file = |(test, file): &(RegressionTest, RegressionFile)| TestFile {
            name: stem(test),
            text: file.text.clone(),
        };
        let files: Vec<TestFile> = written.iter().map(file).collect();
        let compiled = self.suite.build(&files, Build::Debug)?;
        let mut tried = Vec::new();
        for ((test, file), compiled) in written.into_iter().zip(compiled) {
            let trouble = self.trouble(compiled)?;
            tried.push((test, file, trouble));
        }
        Ok(tried)
    }

    fn trouble(&self, compiled: Compiled) -> anyhow::Result<Option<Trouble>> {
        let program = match compiled {
            Compiled::Program(program) => program,
            Compiled::Rejected { headline, rendered } => {
                return Ok(Some(Trouble::Rejected { headline, rendered }));
            }
        };
        for _ in 0..TIMES {
            let variables = [("RUST_TEST_NOCAPTURE", "1"), ("RUST_BACKTRACE", "0")];
            let tried = self.tryout.run(&program, &variables, &self.cancel)?;
            if self.cancel.is_cancelled() || tried.end == End::Cancelled {
                return Err(Failure::interrupted().into());
            }
            if tried.end != End::Exited(0) {
                return Ok(Some(Trouble::Failed(tried)));
            }
        }
        Ok(None)
    }

    /// The tests in one file, and those in files of their own that do not get along with others:
    /// traits that they import may have the same names.
    pub(super) fn files(
        &self,
        passed: &[(RegressionTest, RegressionFile)],
    ) -> anyhow::Result<Files> {
        let mut together: Vec<usize> = (0..passed.len()).collect();
        let mut alone: Vec<usize> = Vec::new();
        while !together.is_empty() {
            let tests: Vec<&RegressionTest> = together.iter().map(|at| &passed[*at].0).collect();
            let Ok(file) = regression_file(&tests, self.book, &self.setting, self.stem) else {
                break;
            };
            let test_file = TestFile { name: self.stem.to_owned(), text: file.text.clone() };
            let compiled = self.suite.build(&[test_file], Build::Debug)?.into_iter().next();
            let Some(trouble) = compiled.map(|it| self.trouble(it)).transpose()?.flatten() else {
                let mut files = vec![(self.stem.to_owned(), file.text)];
                files.extend(own_files(passed, &alone));
                return Ok(files);
            };
            let apart = quarrelling(&file, &trouble);
            if apart.is_empty() {
                break;
            }
            alone.extend(apart.iter().filter_map(|at| together.get(*at)));
            together.retain(|at| !alone.contains(at));
        }
        Ok(own_files(passed, &(0..passed.len()).collect::<Vec<_>>()))
    }
}

fn own_files(passed: &[(RegressionTest, RegressionFile)], which: &[usize]) -> Files {
    let file = |at: &usize| (stem(&passed[*at].0), passed[*at].1.text.clone());
    which.iter().map(file).collect()
}

/// Names and texts of files.
pub(super) type Files = Vec<(String, String)>;

impl Checked {
    fn leave_out(&mut self, test: RegressionTest, reason: String) {
        self.left_out.push(LeftOut { name: test.name, reason });
    }
}

/// Why a test cannot stay as it is.
enum Trouble {
    /// rustc has something against it.
    Rejected { headline: String, rendered: String },
    /// It does not pass.
    Failed(Tried),
}

impl Trouble {
    fn why(&self) -> String {
        match self {
            Trouble::Rejected { headline, .. } => format!("it does not compile: {headline}"),
            Trouble::Failed(tried) => format!("it {}", super::verdict::instead(tried)),
        }
    }
}

/// The name of a test's own file.
fn stem(test: &RegressionTest) -> String {
    format!("gainsay_{}", test.name)
}

/// The command that runs all tests of some files.
pub(super) fn how_to_run(files: &Files, subject: &Subject) -> String {
    files.iter().fold(command(subject, Build::Debug), |all, (stem, _)| all + " --test " + stem)
}

/// Writes files of tests, formatted as the subject's are; where they are.
pub(super) fn write_all(
    files: Files,
    dir: &Path,
    subject: &Subject,
) -> anyhow::Result<Vec<PathBuf>> {
    fs::create_dir_all(dir).with_context(|| format!("cannot make `{}`", dir.display()))?;
    let mut paths = Vec::new();
    for (stem, text) in files {
        let path = dir.join(stem).with_extension("rs");
        let text = formatted(&text, &subject.root).unwrap_or(text);
        fs::write(&path, text).with_context(|| format!("cannot write `{}`", path.display()))?;
        paths.push(path);
    }
    Ok(paths)
}

fn write(
    dir: &Path,
    subject: &Subject,
    passing: &Passing,
    (files, checked): (Files, Checked),
) -> anyhow::Result<Told> {
    let mut told = Told {
        command: how_to_run(&files, subject),
        files: write_all(files, dir, subject)?,
        operations: passing.operations,
        called: called(&checked.passed),
        tests: Vec::new(),
        left_out: checked.left_out,
    };
    for (test, file) in checked.passed {
        told.tests.push(ToldTest {
            name: test.name,
            operations: test.regression.calls.into_iter().map(|(_, path)| path).collect(),
            assertions: file.assertions.iter().map(Vec::len).sum(),
            statements: file.statements,
        });
    }
    let path = subject.out_dir.join(REGRESSIONS);
    fs::write(&path, serde_json::to_string_pretty(&told)? + "\n")
        .with_context(|| format!("cannot write `{}`", path.display()))?;
    Ok(told)
}

/// How many operations the tests call.
fn called(passed: &[(RegressionTest, RegressionFile)]) -> usize {
    let steps = passed.iter().flat_map(|(test, _)| &test.regression.sequence.steps);
    steps.map(|step| step.op).collect::<BTreeSet<_>>().len()
}

fn sum(told: &Told) -> String {
    let assertions: usize = told.tests.iter().map(|test| test.assertions).sum();
    format!(
        "{} with {}, which call {} of {} operations that passed in the run",
        counted(told.tests.len() as u64, "test"),
        counted(assertions as u64, "assertion"),
        told.called,
        told.operations,
    )
}
