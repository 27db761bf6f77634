//! `cargo gainsay select`: the tests that contradict what the last run had inferred, the most
//! telling first.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

use anyhow::Context as _;
use gainsay_engine::{
    Contradicting, Ctx, Suite, Target,
    emit::{CheckSettings, CheckedRegressions, Files, LeftOut, RegressionChecker},
    find_contradicting, find_providers,
};
use gainsay_model::{
    api::Subject,
    event::{About, Event, Stage},
};
use gainsay_report::{
    ContractRecord, Purpose, RegressionTest, RunRecord, Tone, VerdictRecord, counted,
};
use serde::Serialize;

use super::{
    out_dir,
    regressions::{how_to_run, write_all},
};
use crate::{
    commands::{last_run, print_result},
    console::Console,
    exit::Exit,
    interrupt::Interrupt,
    settings::{SelectSettings, Settings},
};

/// Results for programs, in the results directory.
const SELECTED: &str = "selected.json";

/// Contents of `selected.json`.
#[derive(Debug, Serialize)]
struct Told {
    /// Files that were written.
    files: Vec<PathBuf>,
    /// The command that runs them.
    command: String,
    /// Contracts that the run refuted.
    refuted: usize,
    tests: Vec<ToldTest>,
    left_out: Vec<LeftOut>,
}

/// A test that was written, in the order of its rank.
#[derive(Debug, Serialize)]
struct ToldTest {
    name: String,
    /// The last operation.
    operation: String,
    /// Contracts that it contradicts and no test before it does.
    contradicts: Vec<String>,
    statements: usize,
}

/// Writes the tests.
pub(crate) fn emit_selected(settings: &Settings, how: &SelectSettings) -> anyhow::Result<Exit> {
    let (subject, record) = last_run(settings)?;
    let refuted = refuted_contracts(&record);
    if refuted.is_empty() {
        // What an earlier run led to is no longer so.
        let _ = fs::remove_file(subject.out_dir.join(SELECTED));
        let about = "the last run refuted no contract";
        print_result(&settings.stdout.line(Tone::Notable, "Nothing", about))?;
        return Ok(Exit::NothingFound);
    }
    let providers = find_providers(&subject, &settings.request.current_dir)?;
    let target = Target { subject: subject.clone(), providers, sandbox: settings.sandbox };
    let Interrupt { cancel, .. } = Interrupt::listen(settings.stderr)?;
    let mut console = Console::new(settings.stderr, settings.verbosity);
    let mut listen = |event| console.show_event(&event);
    let Contradicting { passing, contradicted, untold } =
        find_contradicting(&target, &refuted, how.most, &mut Ctx::new(&cancel, &mut listen))?;
    console.show_event(&Event::StageBegan(Stage::Check, About::Tests(passing.regressions.len())));
    let suite = Suite::new(&subject, &record.dependencies)?;
    let (sandbox, purpose) = (settings.sandbox, Purpose::Selected);
    let check = CheckSettings { sandbox, suite, purpose, cancel };
    let checker = RegressionChecker::new(&subject, &passing, check)?;
    let tests = RegressionTest::all(passing.regressions.clone());
    let noted = tests.into_iter().zip(&contradicted);
    let tests: Vec<RegressionTest> =
        noted.map(|(test, which)| with_notes(test, &refuted, which)).collect();
    let order: Vec<String> = tests.iter().map(|test| test.name.clone()).collect();
    let mut sorted = checker.check(tests)?;
    let rank = |name: &str| order.iter().position(|known| known == name);
    // Checking mends tests in rounds and returns them in the order in which they passed.
    sorted.passed.sort_by_key(|(test, _)| rank(&test.name));
    sorted.left_out.extend(untold.iter().filter_map(|which| left_out(&refuted, which)));
    drop(console);
    let files = checker.files(&sorted.passed)?;
    let dir = out_dir(settings, &subject, how.out.as_deref());
    let told = write_selected(&dir, &subject, refuted.len(), files, sorted)?;
    tell_outcome(settings, &told)
}

/// Returns the contracts that a passing call contradicts, in the order of the run.
// Their numbers in this list are those of the claims in the engine's answer.
fn refuted_contracts(record: &RunRecord) -> Vec<&ContractRecord> {
    let is_refuted =
        |contract: &&ContractRecord| matches!(contract.verdict, VerdictRecord::Refuted { .. });
    record.contracts.iter().filter(is_refuted).collect()
}

/// Returns the reason why a test is left out that could not be told.
fn left_out(refuted: &[&ContractRecord], which: &BTreeSet<usize>) -> Option<LeftOut> {
    let first = refuted[*which.first()?];
    let name = format!("{}: {} {}", first.operation, first.kind.keyword(), first.text);
    let reason = "what it shows is not the same each time, or nothing that a test can say";
    Some(LeftOut { name, reason: reason.to_owned() })
}

/// Says above a test what it contradicts.
fn with_notes(
    test: RegressionTest,
    refuted: &[&ContractRecord],
    which: &BTreeSet<usize>,
) -> RegressionTest {
    let contracts: Vec<&&ContractRecord> = which.iter().map(|at| &refuted[*at]).collect();
    let mut notes = Vec::new();
    if let Some(first) = contracts.first() {
        notes.push(format!("Contradicts what had been inferred of `{}`:", first.operation));
        notes.push(String::new());
        notes.extend(contracts.iter().map(|it| {
            let keyword = it.kind.keyword();
            format!("- {keyword} `{}`", it.text)
        }));
    }
    RegressionTest { notes, ..test }
}

fn write_selected(
    dir: &Path,
    subject: &Subject,
    refuted: usize,
    files: Files,
    checked: CheckedRegressions,
) -> anyhow::Result<Told> {
    let mut told = Told {
        command: how_to_run(&files, subject),
        files: write_all(files, dir, subject)?,
        refuted,
        tests: Vec::new(),
        left_out: checked.left_out,
    };
    for (test, file) in checked.passed {
        let operation = test.regression.calls.last().map(|(_, path)| path.clone());
        told.tests.push(ToldTest {
            name: test.name,
            operation: operation.unwrap_or_default(),
            contradicts: test
                .notes
                .iter()
                // Notes say above a test what it contradicts; only their list is wanted.
                .filter_map(|it| it.strip_prefix("- "))
                .map(str::to_owned)
                .collect(),
            statements: file.statements,
        });
    }
    let path = subject.out_dir.join(SELECTED);
    fs::write(&path, serde_json::to_string_pretty(&told)? + "\n")
        .with_context(|| format!("cannot write `{}`", path.display()))?;
    Ok(told)
}

fn tell_outcome(settings: &Settings, told: &Told) -> anyhow::Result<Exit> {
    let paint = settings.stdout;
    for left in &told.left_out {
        let about = format!("{}: {}", left.name, left.reason);
        print_result(&paint.line(Tone::Notable, "Left out", &about))?;
    }
    for test in &told.tests {
        let contracts = counted(test.contradicts.len() as u64, "contract");
        print_result(&paint.line(Tone::Good, "Selected", &format!("{}: {contracts}", test.name)))?;
    }
    for file in &told.files {
        print_result(&paint.line(Tone::Good, "Wrote", &file.display().to_string()))?;
    }
    let shown: usize = told.tests.iter().map(|test| test.contradicts.len()).sum();
    let about = format!(
        "{} against {shown} of {} refuted contracts",
        counted(told.tests.len() as u64, "test"),
        told.refuted
    );
    print_result(&paint.line(Tone::Good, "Selected", &about))?;
    Ok(Exit::NothingFound)
}
