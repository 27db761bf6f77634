//! `cargo gainsay emit`: tests for the faults of the last run, or for what passed in it. None is
//! written that was not seen to compile and to do what it says.

mod regressions;
mod select;

use std::{
    fs,
    path::{Path, PathBuf},
};

use anyhow::Context as _;
use gainsay_engine::Suite;
use gainsay_engine::emit::{Checked, Checker, command, formatted, unchecked};
use gainsay_model::{
    api::{Source, Subject},
    build::Build,
    event::{About, Event, Stage},
};
use gainsay_report::{FaultRecord, Tone, counted};
use serde::Serialize;

use crate::{
    commands::{last_run, print_result},
    console::Console,
    exit::Exit,
    interrupt::Interrupt,
    settings::{EmitSettings, Settings, Tests, Trust},
};

pub(crate) use self::select::emit_selected;

/// Results for programs, in the results directory.
const WITNESSES: &str = "witnesses.json";

/// The test of one fault, as `witnesses.json` tells of it.
#[derive(Debug, Serialize)]
struct Entry {
    /// The fault.
    id: String,
    /// Its operation.
    operation: String,
    /// The file of the test, if it was written.
    file: Option<PathBuf>,
    /// True if it compiles; `None` when that was not tried.
    compiles: Option<bool>,
    /// True if it fails as it says, every time.
    fails_as_stated: Option<bool>,
    /// The command that shows it.
    command: Option<String>,
    /// The build that this command makes.
    build: Option<Build>,
    /// Statements of the test.
    statements: Option<usize>,
    /// Why it was not written.
    reason: Option<String>,
}

/// Writes tests of the last run.
pub(crate) fn emit_tests(settings: &Settings, how: &EmitSettings) -> anyhow::Result<Exit> {
    match how.tests {
        Tests::Faults(trust) => emit_fault_tests(settings, how.out.as_deref(), trust),
        Tests::Regressions(most) => {
            regressions::emit_regressions(settings, how.out.as_deref(), most)
        }
    }
}

/// Writes a test for each fault.
fn emit_fault_tests(settings: &Settings, out: Option<&Path>, trust: Trust) -> anyhow::Result<Exit> {
    let (subject, record) = last_run(settings)?;
    if record.faults.is_empty() {
        print_result(&settings.stdout.line(Tone::Good, "Nothing", "no faults, so no tests"))?;
        return Ok(Exit::NothingFound);
    }
    // Tests may use crates that the subject itself uses: types of them are in its signatures.
    let suite = Suite::new(&subject, &record.dependencies)?;
    let dir = out_dir(settings, &subject, out);
    let checked = match trust {
        Trust::Unseen => unchecked(&subject, &record, suite.edition()),
        Trust::Checked => {
            let Interrupt { cancel, .. } = Interrupt::listen(settings.stderr)?;
            // Checking takes a build for each form of a test: nobody should wait without a word.
            let mut console = Console::new(settings.stderr, settings.verbosity);
            console.show_event(&Event::StageBegan(Stage::Check, About::Tests(record.faults.len())));
            let scratch = subject.out_dir.join("scratch");
            let sandbox = settings.sandbox;
            Checker { suite, record: &record, subject: &subject, scratch, sandbox, cancel }
                .check()?
        }
    };
    fs::create_dir_all(&dir).with_context(|| format!("cannot make `{}`", dir.display()))?;
    let mut entries = Vec::new();
    for (fault, checked) in record.faults.iter().zip(checked) {
        let entry = write_witness(&dir, &subject, fault, checked)?;
        print_result(&entry_line(settings, &entry))?;
        entries.push(entry);
    }
    let path = subject.out_dir.join(WITNESSES);
    fs::write(&path, serde_json::to_string_pretty(&entries)? + "\n")
        .with_context(|| format!("cannot write `{}`", path.display()))?;
    print_result(&settings.stdout.line(Tone::Good, "Emitted", &sum_up_entries(&entries)))?;
    // Faults were found by the run; that tests were written for them is no failure.
    Ok(Exit::NothingFound)
}

/// Returns the directory for tests.
// A published crate has no `tests` directory that anyone could write to.
fn out_dir(settings: &Settings, subject: &Subject, out: Option<&Path>) -> PathBuf {
    match (out, &subject.source) {
        (Some(out), _) => settings.request.current_dir.join(out),
        (None, Source::Path) => subject.root.join("tests"),
        (None, Source::Registry) => subject.out_dir.join("tests"),
    }
}

fn write_witness(
    dir: &Path,
    subject: &Subject,
    fault: &FaultRecord,
    checked: Checked,
) -> anyhow::Result<Entry> {
    let mut entry = Entry {
        id: fault.id.clone(),
        operation: fault.operation.clone(),
        file: None,
        compiles: None,
        fails_as_stated: None,
        command: None,
        build: None,
        statements: None,
        reason: None,
    };
    let witness = match checked {
        Checked::NotWritten(why) => {
            entry.reason = Some(why);
            return Ok(entry);
        }
        Checked::Rejected(why) => {
            entry.compiles = Some(false);
            entry.reason = Some(format!("the test does not compile: {why}"));
            return Ok(entry);
        }
        Checked::NotShown(why) => {
            (entry.compiles, entry.fails_as_stated) = (Some(true), Some(false));
            entry.reason = Some(why);
            return Ok(entry);
        }
        Checked::Unseen(witness) => witness,
        Checked::Shown(witness, build) => {
            (entry.compiles, entry.fails_as_stated) = (Some(true), Some(true));
            let command = command(subject, build);
            entry.command = Some(format!("{command} --test {}", witness.file_stem));
            entry.build = Some(build);
            witness
        }
    };
    let path = dir.join(&witness.file_stem).with_extension("rs");
    // Not formatted is better than not written.
    let text = formatted(&witness.text, &subject.root).unwrap_or(witness.text);
    fs::write(&path, text).with_context(|| format!("cannot write `{}`", path.display()))?;
    entry.statements = Some(witness.statements);
    entry.file = Some(path);
    Ok(entry)
}

fn entry_line(settings: &Settings, entry: &Entry) -> String {
    let paint = settings.stdout;
    match (&entry.file, &entry.command, &entry.reason) {
        (Some(file), Some(_), _) => {
            let file = file.display();
            paint.line(Tone::Good, "Wrote", &format!("{file}: compiles, fails as stated"))
        }
        (Some(file), None, _) => {
            paint.line(Tone::Notable, "Wrote", &format!("{}: not checked", file.display()))
        }
        (None, _, reason) => {
            let why = reason.as_deref().unwrap_or("for no reason");
            let about = format!("{} ({}): {why}", entry.operation, entry.id);
            paint.line(Tone::Notable, "Left out", &about)
        }
    }
}

fn sum_up_entries(entries: &[Entry]) -> String {
    let is = |flag: Option<bool>| flag == Some(true);
    let compile = entries.iter().filter(|entry| is(entry.compiles)).count();
    let fail = entries.iter().filter(|entry| is(entry.fails_as_stated)).count();
    let written = entries.iter().filter(|entry| entry.file.is_some()).count();
    let mut statements: Vec<usize> = entries.iter().filter_map(|entry| entry.statements).collect();
    // The median: one test of a hundred calls says nothing of the others.
    statements.sort_unstable();
    let median = statements.get(statements.len() / 2).copied().unwrap_or(0);
    format!(
        "{} for {}: {compile} compile, {fail} fail as stated, {median} statements in the median",
        counted(written as u64, "test"),
        counted(entries.len() as u64, "fault"),
    )
}
