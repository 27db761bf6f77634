//! `cargo evaluation driver-time`: processor time of the driver against that of its workers while it
//! explores and records, over the first ten seconds and over the whole time.
//!
//! Both are read from `/proc` while a run goes on: what a run says of itself at its end cannot tell
//! the beginning, when nearly all is new, from the rest.

use std::{
    collections::BTreeMap,
    fs,
    io::Write as _,
    path::Path,
    process::{Child, ExitCode, Stdio},
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context as _, bail};
use serde_json::json;

use super::explore;
use crate::{options::Options, product};

/// For the usage line.
pub(crate) const USAGE: &str = "driver-time [--time 60s] [--seed 0] [--json FILE] [NAME@VERSION..]";

/// The crates that the bar of recording speaks of, in the versions of `docs/store.md`.
const DEFAULT: [&str; 5] =
    ["smallvec@1.15.1", "arrayvec@0.7.6", "semver@1.0.28", "hashlink@0.10.0", "slab@0.4.11"];

/// The beginning, when most of what workers see is new.
const BEGINNING: Duration = Duration::from_secs(10);

/// Between two looks. A worker that dies takes with it what it used since the last one.
const LOOK_EVERY: Duration = Duration::from_millis(50);

/// The kernel counts processor time in hundredths of a second on all machines that we know.
const TICKS_PER_SECOND: f64 = 100.0;

/// Begins the name of every worker's process.
const WORKER: &str = "gainsay-harness";

const HEAD: &str = "\
| crate                        | driver s | workers s | first 10 s | driver s | workers s | whole time |\n\
|------------------------------|---------:|----------:|-----------:|---------:|----------:|-----------:|\n";

/// Processor time in seconds.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Used {
    driver: f64,
    workers: f64,
}

impl Used {
    /// The driver's time as a share of the workers'.
    fn share(self) -> f64 {
        self.driver / self.workers.max(f64::MIN_POSITIVE)
    }
}

/// The beginning and the whole of a run.
#[derive(Clone, Copy, Debug, Default)]
struct Measured {
    beginning: Used,
    whole: Used,
}

/// Explores each crate once and prints as it goes.
pub(crate) fn run(args: &[String]) -> anyhow::Result<ExitCode> {
    let options = Options::parse(args, 1, USAGE)?;
    let mut out = std::io::stdout();
    out.write_all(HEAD.as_bytes())?;
    let mut rows = Vec::new();
    for spec in options.specs(&DEFAULT.map(str::to_owned))? {
        let dir = options.place("explore").join(spec.replace('@', "-"));
        match measure(&spec, &dir, &options) {
            Ok(measured) => {
                out.write_all(line(&spec, measured).as_bytes())?;
                let row = |used: Used| json!({"driver": used.driver, "workers": used.workers});
                let (beginning, whole) = (row(measured.beginning), row(measured.whole));
                rows.push(json!({"crate": spec, "beginning": beginning, "whole": whole}));
            }
            Err(why) => writeln!(out, "| {spec:<28} | failed: {why:#}")?,
        }
        options.save(&json!({"time": options.time, "seed": options.seed, "crates": rows}))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn measure(spec: &str, dir: &Path, options: &Options) -> anyhow::Result<Measured> {
    // The first run may have to build.
    explore((spec, dir), ["--calls", "1000"], &[])?;
    let seed = options.seed.to_string();
    let args = ["explore", "--crate", spec, "--time", &options.time, "--seed", &seed];
    let mut driver = product::drive(dir, dir, &args)?
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .context("cannot explore")?;
    let measured = watch_run(&mut driver)?;
    let status = driver.wait()?;
    if !status.success() {
        bail!("the run ended with {status}");
    }
    Ok(measured)
}

/// Looks at a run until it ends; time counts from its first worker on.
fn watch_run(driver: &mut Child) -> anyhow::Result<Measured> {
    let mut workers: BTreeMap<u32, f64> = BTreeMap::new();
    let (mut began, mut before) = (None, 0.0);
    let mut measured = Measured::default();
    while driver.try_wait()?.is_none() {
        let Some(own) = Process::read(driver.id()) else { break };
        for (id, process) in workers_below(driver.id()) {
            workers.insert(id, process.seconds);
        }
        if began.is_none() && !workers.is_empty() {
            (began, before) = (Some(Instant::now()), own.seconds);
        }
        if let Some(began) = began {
            let used = Used { driver: own.seconds - before, workers: workers.values().sum() };
            if began.elapsed() <= BEGINNING {
                measured.beginning = used;
            }
            measured.whole = used;
        }
        thread::sleep(LOOK_EVERY);
    }
    began.map(|_| measured).context("no worker was seen")
}

/// A process as the kernel shows it.
#[derive(Clone, Debug, PartialEq)]
struct Process {
    name: String,
    parent: u32,
    seconds: f64,
}

impl Process {
    fn read(id: u32) -> Option<Process> {
        Process::parse(&fs::read_to_string(format!("/proc/{id}/stat")).ok()?)
    }

    /// Reads a line of `/proc/ID/stat`. The name stands in parentheses and may hold any character.
    fn parse(stat: &str) -> Option<Process> {
        let (head, tail) = stat.rsplit_once(')')?;
        let (_, name) = head.split_once('(')?;
        let fields: Vec<&str> = tail.split_whitespace().collect();
        let ticks = |at: usize| fields.get(at)?.parse::<f64>().ok();
        Some(Process {
            name: name.to_owned(),
            parent: fields.get(1)?.parse().ok()?,
            seconds: (ticks(11)? + ticks(12)?) / TICKS_PER_SECOND,
        })
    }
}

/// The workers among the descendants of a process.
fn workers_below(driver: u32) -> Vec<(u32, Process)> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    let ids = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    let all: BTreeMap<u32, Process> = ids.filter_map(|id| Some((id, Process::read(id)?))).collect();
    let descends = |id: u32| {
        let parents = std::iter::successors(Some(id), |id| Some(all.get(id)?.parent));
        parents.skip(1).any(|parent| parent == driver)
    };
    let is_worker =
        |(id, process): &(&u32, &Process)| process.name.starts_with(WORKER) && descends(**id);
    let found = all.iter().filter(is_worker);
    found.map(|(id, process)| (*id, process.clone())).collect()
}

fn line(spec: &str, Measured { beginning, whole }: Measured) -> String {
    format!(
        "| {spec:<28} | {:>8.1} | {:>9.1} | {:>8.1} % | {:>8.1} | {:>9.1} | {:>8.1} % |\n",
        beginning.driver,
        beginning.workers,
        beginning.share() * 100.0,
        whole.driver,
        whole.workers,
        whole.share() * 100.0,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_is_read_whatever_its_name() {
        let stat = "17 (gainsay) (x y) S 4 17 17 0 -1 4194304 100 0 0 0 250 50 7 8 20 0 3 0 99";
        let expected = Process { name: "gainsay) (x y".to_owned(), parent: 4, seconds: 3.0 };
        assert_eq!(Process::parse(stat), Some(expected));
        assert_eq!(Process::parse("17 (gainsay) S 4"), None);
    }

    #[test]
    fn lines_are_as_wide_as_the_head_and_tell_the_shares() {
        let measured = Measured {
            beginning: Used { driver: 1.0, workers: 10.0 },
            whole: Used { driver: 3.0, workers: 100.0 },
        };
        let line = line("a@1", measured);
        let widths: Vec<usize> = HEAD.lines().map(str::len).collect();
        assert_eq!(widths, vec![line.trim_end().len(); 2]);
        assert!(line.contains(" 10.0 % |") && line.ends_with(" 3.0 % |\n"), "{line}");
    }
}
