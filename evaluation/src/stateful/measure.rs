//! One run of the product on one version, and what it says.

use std::{
    collections::BTreeSet,
    fs::{self, File},
    path::{Path, PathBuf},
    process::Command,
    time::Duration,
};

use anyhow::{Context as _, bail};
use gainsay_harness::patch::SWITCHED_ON;
use gainsay_report::RunRecord;

use super::{
    table::{Found, Row, Told, Took},
    versions::{Blame, blame},
};
use crate::{
    drive::{GAIN, Gain, Phase},
    product::{
        self,
        timed_run::{complaint, within},
    },
};

/// Calls that are too few to measure with: what they kill is no mutant here.
const FIRST_CALLS: u64 = 1_000;
/// So many calls are made without a mutant to learn what the crate promises.
const PROMISE_CALLS: u64 = 400_000;
/// Where that is kept.
const PROMISES: &str = "promises.json";
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

/// Random testing begins anew at most so often for faults that no mutant is to blame for.
const MOST_OTHERS: usize = 8;

/// What some calls with one mutant tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Trial {
    /// No fault of its own.
    NotTold,
    /// A fault, among the first calls.
    Early,
    /// A fault, later.
    Told,
    /// The run came to no end.
    Failed,
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
        let args = ["--default-features", "--profile", "debug", "--no-regressions"];
        let command = product::command(self.program, (self.source, &self.results), &args);
        self.execute(command, &[], (PROMISE_CALLS, 0))?;
        let about = || format!("cannot write `{}`", promises.display());
        fs::copy(self.results.join("gainsay/run.json"), &promises).with_context(about)?;
        Ok(())
    }

    /// Without a mutant: its findings are known from now on. All faults count.
    pub(super) fn base(&mut self, seed: u64) -> anyhow::Result<Row> {
        let Outcome { gain, record } = self.run((&[], seed), self.calls, &[])?;
        self.known.extend(gain.seen.iter().cloned());
        let mut row = row(&record, &gain, seed);
        row.found = Found {
            random: gain.random.faults.len(),
            reduction: gain.reduction.faults.len(),
            control: gain.control.faults.len(),
        };
        Ok(row)
    }

    /// A few calls with one mutant on.
    pub(super) fn trial(&mut self, number: u32, calls: u64) -> anyhow::Result<Trial> {
        let list = self.write_known(&BTreeSet::new())?;
        let Ok(Outcome { gain, record }) = self.run((&[number], 0), calls, &["--known", &list])
        else {
            return Ok(Trial::Failed);
        };
        for id in &gain.random.faults {
            if !self.shows(id, &[])? {
                let early = is_early(&record, id);
                return Ok(if early { Trial::Early } else { Trial::Told });
            }
            self.known.insert(format!("fault {id}"));
        }
        Ok(Trial::NotTold)
    }

    /// Whether the first calls kill a mutant, or there is no measuring with it.
    pub(super) fn is_early(&mut self, number: u32) -> anyhow::Result<bool> {
        Ok(self.trial(number, FIRST_CALLS)? != Trial::NotTold)
    }

    /// With mutants on: which of them random testing tells, and which of the others attacks and the
    /// control do. What random testing tells is mended, as a programmer would, and it begins anew: a
    /// fault hides others that break the same.
    pub(super) fn version(&mut self, mutants: &[u32], seed: u64) -> anyhow::Result<Row> {
        let (mut on, mut mended) = (mutants.to_vec(), Told::default());
        let mut earlier = Took::default();
        let mut nobodys = BTreeSet::new();
        for _ in 0..mutants.len() + MOST_OTHERS {
            let list = self.write_known(&nobodys)?;
            let run = self.run((&on, seed), self.calls, &["--known", &list])?;
            let random = self.blamed(&run.gain.random, &on, &mut nobodys)?;
            if !run.gain.random.faults.is_empty() {
                on.retain(|number| !random.contains(number));
                mended.random.extend(random);
                earlier.add(&run.gain.random);
                continue;
            }
            let mut told = mended;
            told.reduction = self.blamed(&run.gain.reduction, &on, &mut nobodys)?;
            told.control = self.blamed(&run.gain.control, &on, &mut nobodys)?;
            told.several = nobodys.len();
            let mut row = row(&run.record, &run.gain, seed);
            row.found = Found {
                random: told.random.len(),
                reduction: told.reduction.len(),
                control: told.control.len(),
            };
            (row.told, row.earlier) = (told, earlier);
            return Ok(row);
        }
        bail!("random testing does not come to an end")
    }

    /// The mutants that the faults of a part of the last run are to be blamed on. What is the crate's
    /// is known from now on, and what is nobody's in this version.
    fn blamed(
        &mut self,
        phase: &Phase,
        on: &[u32],
        nobodys: &mut BTreeSet<String>,
    ) -> anyhow::Result<BTreeSet<u32>> {
        let mut found = BTreeSet::new();
        for id in &phase.faults {
            match blame(on, &mut |some| self.shows(id, some))? {
                Blame::Mutant(number) => drop(found.insert(number)),
                Blame::Crate => drop(self.known.insert(format!("fault {id}"))),
                Blame::Several => drop(nobodys.insert(format!("fault {id}"))),
            }
        }
        Ok(found)
    }

    fn write_known(&self, more: &BTreeSet<String>) -> anyhow::Result<String> {
        let list = self.results.join("known.txt");
        let known: Vec<&str> = self.known.iter().chain(more).map(String::as_str).collect();
        fs::write(&list, known.join("\n"))
            .with_context(|| format!("cannot write `{}`", list.display()))?;
        Ok(list.to_string_lossy().into_owned())
    }

    fn run(
        &self,
        (mutants, seed): (&[u32], u64),
        calls: u64,
        more: &[&str],
    ) -> anyhow::Result<Outcome> {
        let promises = self.results.join(PROMISES).to_string_lossy().into_owned();
        let own = ["gain", "--strategy", &self.strategy, "--expected", &promises];
        let path = self.results.join("gainsay").join(GAIN);
        // What an earlier run left is not taken for the result of this one.
        let _ = fs::remove_file(&path);
        let args = [&own[..], &["--default-features"], more].concat();
        let command = product::drive(self.source, &self.results, &args)?;
        let record = self.execute(command, mutants, (calls, seed))?;
        let text = fs::read(&path).context("the run measured nothing")?;
        let gain = serde_json::from_slice(&text).context("in the figures of the run")?;
        Ok(Outcome { gain, record })
    }

    /// Runs a command of the product or of a measurement of it.
    fn execute(
        &self,
        mut command: Command,
        mutants: &[u32],
        (calls, seed): (u64, u64),
    ) -> anyhow::Result<RunRecord> {
        let (calls, seed) = (calls.to_string(), seed.to_string());
        let results = self.results.join("gainsay");
        let _ = fs::remove_file(results.join("run.json"));
        let log = self.results.join("log.txt");
        let out = File::create(&log)?;
        command
            .args(["--no-inject", "--jobs", "1", "--calls", &calls, "--seed", &seed])
            .args(["--worker-env", &variable(mutants)])
            .stdout(out.try_clone()?)
            .stderr(out);
        let Some(status) = within(&mut command, self.limit)? else {
            bail!("not done after {} s", self.limit.as_secs());
        };
        let Ok(record) = RunRecord::load(&results) else {
            bail!("exit code {}: {}", status.code().unwrap_or(-1), complaint(&log));
        };
        Ok(record)
    }

    /// Whether a fault of the last run shows with these mutants on.
    fn shows(&self, id: &str, mutants: &[u32]) -> anyhow::Result<bool> {
        let output = Command::new(self.program)
            .args(["gainsay", "replay", id, "--quiet", "--color", "never", "--default-features"])
            .args(["--worker-env", &variable(mutants)])
            .arg("--target-dir")
            .arg(&self.results)
            .current_dir(self.source)
            .env_remove("CARGO_TARGET_DIR")
            .output()
            .context("cannot run the product")?;
        match output.status.code() {
            Some(2) => Ok(true),
            Some(0) => Ok(false),
            other => {
                let text = String::from_utf8_lossy(&output.stderr);
                bail!("exit code {} of a replay: {}", other.unwrap_or(-1), text.trim())
            }
        }
    }
}

/// What switches mutants on.
fn variable(mutants: &[u32]) -> String {
    let numbers: Vec<String> = mutants.iter().map(u32::to_string).collect();
    format!("{SWITCHED_ON}={}", numbers.join(","))
}

fn row(record: &RunRecord, gain: &Gain, seed: u64) -> Row {
    Row {
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

/// Whether a fault was seen within the first calls.
fn is_early(record: &RunRecord, id: &str) -> bool {
    let own = record.faults.iter().filter(|fault| fault.id == id);
    own.filter_map(|fault| fault.seen).any(|seen| seen.calls < FIRST_CALLS)
}
