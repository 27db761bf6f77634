//! One run of the product on one mutant, and what it says.

use std::{
    collections::BTreeSet,
    fs::{self, File},
    path::{Path, PathBuf},
    time::Duration,
};

use anyhow::{Context as _, bail};
use gainsay_report::{Gain, RunRecord};

use super::{
    super::{
        product,
        subject::{complaint, within},
    },
    schemata::VARIABLE,
    table::{Found, Row},
};

/// Calls that are too few to measure with: what they kill is no mutant here.
const FIRST_CALLS: u64 = 1_000;
/// So many calls are made without a mutant to learn what the crate promises.
const PROMISE_CALLS: u64 = 400_000;
/// Where that is kept.
const PROMISES: &str = "promises.json";
/// Faults that show without the mutant, too, are taken out at most so often.
const TRIES: usize = 4;

/// Where and how a type is tested.
pub(super) struct Testing<'a> {
    pub(super) program: &'a Path,
    /// The crate with mutants.
    pub(super) source: &'a Path,
    /// Where results go.
    pub(super) results: PathBuf,
    pub(super) calls: u64,
    pub(super) strategy: String,
    pub(super) limit: Duration,
    /// Findings that show without any mutant.
    pub(super) known: BTreeSet<String>,
}

/// What a run left.
struct Outcome {
    gain: Gain,
    record: RunRecord,
}

impl Testing<'_> {
    /// Learns what the crate promises when no mutant is on, unless an earlier evaluation did: what
    /// stands for the contracts that a programmer would have written.
    pub(super) fn learn_promises(&self) -> anyhow::Result<()> {
        let promises = self.results.join(PROMISES);
        if promises.exists() {
            return Ok(());
        }
        self.execute(0, (PROMISE_CALLS, 0), &[])?;
        let about = || format!("cannot write `{}`", promises.display());
        fs::copy(self.results.join("gainsay/run.json"), &promises).with_context(about)?;
        Ok(())
    }

    /// Without a mutant: its findings are known from now on. All faults count.
    pub(super) fn base(&mut self, seed: u64) -> anyhow::Result<Row> {
        let Outcome { gain, record } = self.run(0, seed, &[])?;
        self.known.extend(gain.seen.iter().cloned());
        let mut row = row(&record, &gain, (0, seed));
        row.found = Found {
            random: gain.random.faults.len(),
            reduction: gain.reduction.faults.len(),
            control: gain.control.faults.len(),
        };
        Ok(row)
    }

    /// With a mutant on: whether a fault shows that does not without it.
    pub(super) fn mutant(&mut self, number: u32, seed: u64) -> anyhow::Result<Row> {
        for _ in 0..TRIES {
            let list = self.results.join("known.txt");
            let known: Vec<&str> = self.known.iter().map(String::as_str).collect();
            fs::write(&list, known.join("\n"))
                .with_context(|| format!("cannot write `{}`", list.display()))?;
            let list = list.to_string_lossy().into_owned();
            let Outcome { gain, record } = self.run(number, seed, &["--known", &list])?;
            let phases = [&gain.random, &gain.reduction, &gain.control];
            let all: BTreeSet<&String> = phases.iter().flat_map(|phase| &phase.faults).collect();
            let mut others = Vec::new();
            for id in all {
                if self.shows_without(id)? {
                    others.push(format!("fault {id}"));
                }
            }
            if !others.is_empty() {
                self.known.extend(others);
                continue;
            }
            let mut row = row(&record, &gain, (number, seed));
            let one = |phase: &gainsay_report::Phase| usize::from(!phase.faults.is_empty());
            row.found = Found {
                random: one(&gain.random),
                reduction: one(&gain.reduction),
                control: one(&gain.control),
            };
            row.early = is_early(&record, &gain.random.faults);
            row.fault = phases.iter().find_map(|phase| phase.faults.first()).cloned();
            return Ok(row);
        }
        bail!("faults show that are there without the mutant, too")
    }

    fn run(&self, number: u32, seed: u64, more: &[&str]) -> anyhow::Result<Outcome> {
        let promises = self.results.join(PROMISES).to_string_lossy().into_owned();
        let own = ["--gain", "--strategy", &self.strategy, "--expected", &promises];
        let record = self.execute(number, (self.calls, seed), &[&own[..], more].concat())?;
        let gain = record.summary.gain.clone().context("the run measured nothing")?;
        Ok(Outcome { gain, record })
    }

    fn execute(
        &self,
        number: u32,
        (calls, seed): (u64, u64),
        more: &[&str],
    ) -> anyhow::Result<RunRecord> {
        let (calls, seed) = (calls.to_string(), seed.to_string());
        let variable = format!("{VARIABLE}={number}");
        let args = ["--default-features", "--profile", "debug", "--no-regressions", "--no-inject"];
        let numbers = ["--jobs", "1", "--calls", &calls, "--seed", &seed];
        let args = [&args[..], &numbers, &["--worker-env", &variable], more].concat();
        let results = self.results.join("gainsay");
        // What an earlier run left is not taken for the result of this one.
        let _ = fs::remove_file(results.join("run.json"));
        let log = self.results.join("log.txt");
        let out = File::create(&log)?;
        let mut command = product::command(self.program, (self.source, &self.results), &args);
        command.stdout(out.try_clone()?).stderr(out);
        let Some(status) = within(&mut command, self.limit)? else {
            bail!("not done after {} s", self.limit.as_secs());
        };
        let Ok(record) = RunRecord::load(&results) else {
            bail!("exit code {}: {}", status.code().unwrap_or(-1), complaint(&log));
        };
        Ok(record)
    }

    /// Whether a fault of the last run shows with no mutant on.
    fn shows_without(&self, id: &str) -> anyhow::Result<bool> {
        let output = std::process::Command::new(self.program)
            .args(["gainsay", "replay", id, "--quiet", "--color", "never", "--default-features"])
            .arg("--target-dir")
            .arg(&self.results)
            .current_dir(self.source)
            .env_remove("CARGO_TARGET_DIR")
            .output()
            .context("cannot run the product")?;
        Ok(output.status.code() == Some(2))
    }
}

fn row(record: &RunRecord, gain: &Gain, (mutant, seed): (u32, u64)) -> Row {
    Row {
        mutant,
        seed,
        routines: record.summary.operations.harnessed,
        objects: gain.objects,
        transitions: gain.transitions,
        contracts: gain.contracts,
        refuted: gain.refuted,
        random: (&gain.random).into(),
        reduction: (&gain.reduction).into(),
        control: (&gain.control).into(),
        ..Row::default()
    }
}

/// Whether one of the faults was seen within the first calls.
fn is_early(record: &RunRecord, faults: &[String]) -> bool {
    let own = record.faults.iter().filter(|fault| faults.contains(&fault.id));
    own.filter_map(|fault| fault.seen).any(|seen| seen.calls < FIRST_CALLS)
}
