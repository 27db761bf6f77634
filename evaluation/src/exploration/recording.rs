//! `cargo evaluation recording`: how much recording to the store slows exploration. As many calls are
//! made with and without it, in turns, of the same crate with the same seed. Without it workers tell
//! of no calls at all, so that choosing, sending and writing count alike.

use std::{io::Write as _, path::Path, process::ExitCode};

use serde_json::json;

use super::{Figures, explore, median};
use crate::{options::Options, product};

/// For the usage line.
pub(crate) const USAGE: &str =
    "recording [--calls 4000000] [--seeds 2] [--crates FILE] [--json FILE] [NAME@VERSION..]";

/// So many calls of each run if nothing else is said: about those of the exploration of a default run.
const CALLS: u64 = 4_000_000;

const DEFAULT: [&str; 6] = [
    "arrayvec@0.7.6",
    "slab@0.4.11",
    "smallvec@1.15.1",
    "hashlink@0.10.0",
    "indexmap@2.7.0",
    "petgraph@0.6.5",
];

const HEAD: &str = "\
| crate                        | recorded k/s | not recorded k/s | slower | workers alone |\n\
|------------------------------|-------------:|-----------------:|-------:|--------------:|\n";

/// Explores both ways in turn and prints as it goes.
pub(crate) fn run(args: &[String]) -> anyhow::Result<ExitCode> {
    let options = Options::parse(args, 2, USAGE)?;
    let root = crate::root();
    let mut out = std::io::stdout();
    out.write_all(HEAD.as_bytes())?;
    let (mut rows, mut all) = (Vec::new(), Vec::new());
    for spec in options.specs(&DEFAULT.map(str::to_owned))? {
        let dir = product::target(root).join("evaluation/explore").join(spec.replace('@', "-"));
        match measure((&spec, &dir), &options) {
            Ok(pair) => {
                out.write_all(line(&spec, &pair).as_bytes())?;
                rows.push(json!({
                    "crate": spec, "recorded_per_second": pair.recorded,
                    "not_recorded_per_second": pair.not_recorded, "slower": pair.slower(),
                }));
                all.push(pair.slower());
            }
            Err(why) => writeln!(out, "| {spec:<28} | failed: {why:#}")?,
        }
        options.save(&json!({"calls": options.calls.unwrap_or(CALLS), "seeds": options.seeds, "crates": rows}))?;
    }
    let mean = all.iter().sum::<f64>() / all.len().max(1) as f64;
    writeln!(out, "mean {:.1} %, median {:.1} %", mean * 100.0, median(all) * 100.0)?;
    Ok(ExitCode::SUCCESS)
}

/// Calls a second, each the median of all runs.
#[derive(Clone, Copy, Debug, Default)]
struct Pair {
    recorded: f64,
    not_recorded: f64,
    /// Of processor time of workers.
    recorded_cpu: f64,
    not_recorded_cpu: f64,
}

impl Pair {
    /// How many calls fewer there are in the same time, as a share.
    fn slower(&self) -> f64 {
        1.0 - self.recorded / self.not_recorded.max(1.0)
    }

    fn slower_workers(&self) -> f64 {
        1.0 - self.recorded_cpu / self.not_recorded_cpu.max(1.0)
    }
}

fn measure(subject: (&str, &Path), options: &Options) -> anyhow::Result<Pair> {
    let calls = options.calls.unwrap_or(CALLS).to_string();
    // The first run may have to build.
    explore(subject, ["--calls", "1000"], &[])?;
    let mut runs = [Vec::new(), Vec::new()];
    for seed in 0..options.seeds {
        let number = seed.to_string();
        let ways = [&["--seed", &number][..], &["--seed", &number, "--no-record"]];
        // Whoever comes first differs, lest what changes meanwhile favours one.
        for way in if seed % 2 == 0 { [0, 1] } else { [1, 0] } {
            runs[way].push(explore(subject, ["--calls", &calls], ways[way])?);
        }
    }
    let [with, without] = runs;
    let of =
        |runs: &[Figures], figure: fn(&Figures) -> f64| median(runs.iter().map(figure).collect());
    let speed = |run: &Figures| run.calls / run.seconds.max(f64::MIN_POSITIVE);
    Ok(Pair {
        recorded: of(&with, speed),
        not_recorded: of(&without, speed),
        recorded_cpu: of(&with, |run| run.calls_per_cpu_second),
        not_recorded_cpu: of(&without, |run| run.calls_per_cpu_second),
    })
}

fn line(spec: &str, pair: &Pair) -> String {
    format!(
        "| {spec:<28} | {:>12.1} | {:>16.1} | {:>4.1} % | {:>11.1} % |\n",
        pair.recorded / 1000.0,
        pair.not_recorded / 1000.0,
        pair.slower() * 100.0,
        pair.slower_workers() * 100.0,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_as_wide_as_the_head_and_tell_how_much_slower_it_is() {
        let pair = Pair {
            recorded: 90_000.0,
            not_recorded: 100_000.0,
            recorded_cpu: 95_000.0,
            not_recorded_cpu: 100_000.0,
        };
        let line = line("a@1", &pair);
        let widths: Vec<usize> = HEAD.lines().map(str::len).collect();
        assert_eq!(widths, vec![line.trim_end().len(); 2]);
        assert!(line.ends_with(" 10.0 % |         5.0 % |\n"), "{line}");
    }
}
