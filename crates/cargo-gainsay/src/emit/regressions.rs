//! `cargo gainsay emit --regressions`: passing calls of the last run as tests. Each is compiled and
//! run; what the compiler or the run does not bear out is left out of it.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

use anyhow::Context as _;
use gainsay_engine::{
    Ctx, Passing, Suite, Target,
    emit::{
        CheckSettings, CheckedRegressions, Files, LeftOut, RegressionChecker, TIMES, command,
        formatted,
    },
    find_passing, find_providers,
};
use gainsay_model::{
    api::Subject,
    build::Build,
    event::{About, Event, Stage},
};
use gainsay_report::{Purpose, RegressionFile, RegressionTest, Tone, counted};
use serde::Serialize;

use super::out_dir;
use crate::{
    commands::{last_run, print_result},
    console::Console,
    exit::Exit,
    interrupt::Interrupt,
    settings::Settings,
};

/// Results for programs, in the results directory.
const REGRESSIONS: &str = "regressions.json";

/// Contents of `regressions.json`.
#[derive(Debug, Serialize)]
struct Told {
    /// Files that were written.
    files: Vec<PathBuf>,
    /// The command that runs them.
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

/// Writes passing tests.
pub(super) fn emit_regressions(
    settings: &Settings,
    out: Option<&Path>,
    most: usize,
) -> anyhow::Result<Exit> {
    let (subject, record) = last_run(settings)?;
    let providers = find_providers(&subject, &settings.request.current_dir)?;
    let target = Target { subject: subject.clone(), providers, sandbox: settings.sandbox };
    let Interrupt { cancel, .. } = Interrupt::listen(settings.stderr)?;
    let mut console = Console::new(settings.stderr, settings.verbosity);
    let mut listen = |event| console.show_event(&event);
    let passing = find_passing(&target, most, &mut Ctx::new(&cancel, &mut listen))?;
    console.show_event(&Event::StageBegan(Stage::Check, About::Tests(passing.regressions.len())));
    let suite = Suite::new(&subject, &record.dependencies)?;
    let (sandbox, purpose) = (settings.sandbox, Purpose::Regressions);
    let how = CheckSettings { sandbox, suite, purpose, cancel };
    let checker = RegressionChecker::new(&subject, &passing, how)?;
    let tests = RegressionTest::all(passing.regressions.clone());
    let sorted = checker.check(tests)?;
    // Its lines would stand between those of the results.
    drop(console);
    let files = checker.files(&sorted.passed)?;
    let dir = out_dir(settings, &subject, out);
    let told = write_tests(&dir, &subject, &passing, files, sorted)?;
    for left in &told.left_out {
        let about = format!("{}: {}", left.name, left.reason);
        print_result(&settings.stdout.line(Tone::Notable, "Left out", &about))?;
    }
    for file in &told.files {
        let about = format!("{}: compiles, passes {TIMES} times", file.display());
        print_result(&settings.stdout.line(Tone::Good, "Wrote", &about))?;
    }
    print_result(&settings.stdout.line(Tone::Good, "Emitted", &sum_up(&told)))?;
    Ok(Exit::NothingFound)
}

/// Returns the command that runs all tests of some files.
// By name, so that a person's own tests do not run along.
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
        // Where there is no rustfmt, tests are as good unformatted.
        let text = formatted(&text, &subject.root).unwrap_or(text);
        fs::write(&path, text).with_context(|| format!("cannot write `{}`", path.display()))?;
        paths.push(path);
    }
    Ok(paths)
}

fn write_tests(
    dir: &Path,
    subject: &Subject,
    passing: &Passing,
    files: Files,
    checked: CheckedRegressions,
) -> anyhow::Result<Told> {
    let mut told = Told {
        command: how_to_run(&files, subject),
        files: write_all(files, dir, subject)?,
        operations: passing.operations,
        called: count_called(&checked.passed),
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

/// Counts the operations that the tests call.
fn count_called(passed: &[(RegressionTest, RegressionFile)]) -> usize {
    let steps = passed.iter().flat_map(|(test, _)| &test.regression.sequence.steps);
    steps.map(|step| step.op).collect::<BTreeSet<_>>().len()
}

fn sum_up(told: &Told) -> String {
    let assertions: usize = told.tests.iter().map(|test| test.assertions).sum();
    format!(
        "{} with {}, which call {} of {} operations that passed in the run",
        counted(told.tests.len() as u64, "test"),
        counted(assertions as u64, "assertion"),
        told.called,
        told.operations,
    )
}
