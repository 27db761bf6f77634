//! `cargo evaluation speed`: observed calls per CPU second against bare ones (no views, no states),
//! with what has to be known to read the figures: how much is looked at, and how diverse it is.

use std::{io::Write as _, path::Path, process::ExitCode};

use serde_json::json;

use super::{Figures, explore, median};
use crate::{options::Options, product};

/// For the usage line.
pub(crate) const USAGE: &str =
    "speed [--crates FILE] [--time 10s] [--seeds 1] [--json FILE] [NAME@VERSION..]";

/// The crates that the bars of speed speak of.
const DEFAULT: [&str; 6] = [
    "smallvec@1.6.0",
    "slab@0.4.12",
    "bit-set@0.8.0",
    "indexmap@2.14.2",
    "petgraph@0.6.5",
    "roaring@0.10.12",
];

const HEAD: &str = "\
| crate                        | types | queries | bytes a view |   states | observed k/CPU-s | bare k/CPU-s | share |\n\
|------------------------------|------:|--------:|-------------:|---------:|-----------------:|-------------:|------:|\n";

/// Runs both ways in turn, seed by seed, and prints as it goes.
pub(crate) fn run(args: &[String]) -> anyhow::Result<ExitCode> {
    let options = Options::parse(args, 1, USAGE)?;
    let root = crate::root();
    let mut out = std::io::stdout();
    out.write_all(HEAD.as_bytes())?;
    let mut rows = Vec::new();
    for spec in options.specs(&DEFAULT.map(str::to_owned))? {
        let dir = product::target(root).join("evaluation/explore").join(spec.replace('@', "-"));
        match measure((&spec, &dir), &options) {
            Ok((seen, bare)) => {
                out.write_all(line(&spec, &seen, &bare).as_bytes())?;
                rows.push(json!({
                    "crate": spec, "types": seen.types, "queries": seen.queries,
                    "mean_state_bytes": seen.mean_state_bytes, "states": seen.states,
                    "observed_per_cpu_second": seen.calls_per_cpu_second,
                    "bare_per_cpu_second": bare.calls_per_cpu_second,
                }));
            }
            Err(why) => writeln!(out, "| {spec:<28} | failed: {why:#}")?,
        }
        options.save(&json!({"time": options.time, "seeds": options.seeds, "crates": rows}))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Observed and bare, each the median of all seeds.
fn measure(subject: (&str, &Path), options: &Options) -> anyhow::Result<(Figures, Figures)> {
    let (mut observed, mut bare) = (Vec::new(), Vec::new());
    for seed in 0..options.seeds {
        let number = seed.to_string();
        let budget = ["--time", &options.time];
        observed.push(explore(subject, budget, &["--seed", &number])?);
        bare.push(explore(subject, budget, &["--seed", &number, "--bare"])?);
    }
    Ok((middle(&observed), middle(&bare)))
}

fn middle(runs: &[Figures]) -> Figures {
    let of = |figure: fn(&Figures) -> f64| median(runs.iter().map(figure).collect());
    let first = runs.first().copied().unwrap_or_default();
    Figures {
        calls_per_cpu_second: of(|run| run.calls_per_cpu_second),
        mean_state_bytes: of(|run| run.mean_state_bytes),
        states: of(|run| run.states),
        ..first
    }
}

fn line(spec: &str, seen: &Figures, bare: &Figures) -> String {
    let share = seen.calls_per_cpu_second / bare.calls_per_cpu_second.max(1.0);
    format!(
        "| {spec:<28} | {:>5} | {:>7} | {:>12.0} | {:>8.0} | {:>16.1} | {:>12.1} | {share:>5.2} |\n",
        seen.types,
        seen.queries,
        seen.mean_state_bytes,
        seen.states,
        seen.calls_per_cpu_second / 1000.0,
        bare.calls_per_cpu_second / 1000.0,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_as_wide_as_the_head_and_tell_the_share() {
        let run = |speed| Figures { calls_per_cpu_second: speed, ..Figures::default() };
        let line = line("a@1", &run(500_000.0), &run(1_000_000.0));
        let widths: Vec<usize> = HEAD.lines().map(str::len).collect();
        assert_eq!(widths, vec![line.trim_end().len(); 2]);
        assert!(line.ends_with(" 0.50 |\n"), "{line}");
    }
}
