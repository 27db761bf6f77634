//! `cargo evaluation kills`: processes that record are killed at random instants; what they leave
//! must open, be intact, and hold all that was acknowledged.

use std::{
    fs,
    io::{BufRead as _, BufReader, Write as _},
    path::Path,
    process::{Command, ExitCode, Stdio},
    thread,
    time::Duration,
};

use anyhow::{Context as _, bail};
use gainsay_store::{Export, Store};
use gainsay_wire::Random;
use serde_json::json;

use super::{Recording, fresh};
use crate::{options::Options, product};

/// For the usage line.
pub(crate) const USAGE: &str = "kills [--kills 200] [--seed 0] [--json FILE]";

/// Written behind the name of the evaluation by the evaluation itself.
const RECORD: &str = "record";
/// No process lives longer.
const LONGEST: Duration = Duration::from_millis(400);

/// What became of all kills.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Tally {
    kills: u64,
    opened: u64,
    intact: u64,
    /// All acknowledged batches are there and no part of another one.
    whole: u64,
    /// As that, with one more that was not acknowledged yet.
    one_more: u64,
    batches: u64,
}

/// Kills and looks, again and again.
pub(crate) fn run(args: &[String]) -> anyhow::Result<ExitCode> {
    if let [what, path, seed] = args
        && what == RECORD
    {
        return record(Path::new(path), seed.parse()?);
    }
    let options = Options::parse(args, 1, USAGE)?;
    let dir = product::target(crate::root()).join("evaluation/kills");
    fs::create_dir_all(&dir).with_context(|| format!("cannot make `{}`", dir.display()))?;
    let mut random = Random::new(options.seed);
    let mut tally = Tally::default();
    for kill in 0..options.kills.unwrap_or(200) {
        let life = LONGEST.mul_f64((random.bits() >> 11) as f64 / (1u64 << 53) as f64);
        let path = fresh(&dir, "killed.sqlite")?;
        let acknowledged = record_and_die(&path, kill, life)?;
        tally.look(&dir, &path, (kill, acknowledged))?;
    }
    let Tally { kills, opened, intact, whole, one_more, batches } = tally;
    let text = format!(
        "{kills} processes killed, none older than {} ms, {batches} batches acknowledged: \
         {opened} stores open, {intact} are intact, {whole} hold what was acknowledged and nothing \
         else, {one_more} the last batch as well\n",
        LONGEST.as_millis()
    );
    std::io::stdout().write_all(text.as_bytes())?;
    options.save(&json!({
        "kills": kills, "opened": opened, "intact": intact, "acknowledged_only": whole,
        "one_batch_more": one_more, "acknowledged_batches": batches,
    }))?;
    let is_fine = (opened, intact, whole + one_more) == (kills, kills, kills);
    Ok(if is_fine { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Records batches for ever and tells of each.
fn record(path: &Path, seed: u64) -> anyhow::Result<ExitCode> {
    let mut recording = Recording::begin(path, seed)?;
    let mut out = std::io::stdout();
    loop {
        recording.batch()?;
        out.write_all(b"recorded\n")?;
        out.flush()?;
    }
}

/// Starts a process that records and kills it; returns how many batches it told of.
fn record_and_die(path: &Path, seed: u64, life: Duration) -> anyhow::Result<u64> {
    let program = std::env::current_exe().context("cannot find this program itself")?;
    let mut child = Command::new(program)
        .args(["kills", RECORD])
        .arg(path)
        .arg(seed.to_string())
        .stdout(Stdio::piped())
        .spawn()
        .context("cannot start a process")?;
    let Some(told) = child.stdout.take() else { bail!("a process has no output") };
    let count = thread::spawn(move || BufReader::new(told).lines().map_while(Result::ok).count());
    thread::sleep(life);
    child.kill().context("cannot kill a process")?;
    child.wait()?;
    match count.join() {
        Ok(count) => Ok(count as u64),
        Err(_) => bail!("the output of a process could not be read"),
    }
}

impl Tally {
    /// Looks at what a killed process left.
    fn look(&mut self, dir: &Path, path: &Path, (seed, told): (u64, u64)) -> anyhow::Result<()> {
        self.kills += 1;
        self.batches += told;
        let Ok(store) = Store::open(path) else { return Ok(()) };
        self.opened += 1;
        let left = store.dump()?;
        drop(store);
        self.intact += u64::from(Export::open(path).is_ok());
        let mut expected = Recording::begin(&fresh(dir, "expected.sqlite")?, seed)?;
        for _ in 0..told {
            expected.batch()?;
        }
        if expected.dump()? == left {
            self.whole += 1;
            return Ok(());
        }
        expected.batch()?;
        self.one_more += u64::from(expected.dump()? == left);
        Ok(())
    }
}
