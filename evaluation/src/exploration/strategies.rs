//! `cargo evaluation explore`: distinct states and covered counters after the same time, guided
//! against uniform choice, seed by seed in turn.

use std::{io::Write as _, path::Path, process::ExitCode};

use serde_json::{Value, json};

use super::{Figures, explore, median};
use crate::{crates, options::Options, product};

/// For the usage line.
pub(crate) const USAGE: &str =
    "explore [--crates FILE] [--time 10s] [--seeds 5] [--json FILE] [NAME@VERSION..]";

const HEAD: &str = "\
| crate                        | states guided |  uniform | ratio | covered guided | uniform | of all | k calls/CPU-s guided | uniform |\n\
|------------------------------|--------------:|---------:|------:|---------------:|--------:|-------:|---------------------:|--------:|\n";

/// The medians of one crate.
struct Row {
    spec: String,
    states: [f64; 2],
    covered: [f64; 2],
    /// What there is to cover; the same in all runs.
    coverable: f64,
    speed: [f64; 2],
}

/// Runs both strategies in turn and prints as it goes.
pub(crate) fn run(args: &[String]) -> anyhow::Result<ExitCode> {
    let options = Options::parse(args, 5, USAGE)?;
    let root = crate::root();
    let specs = options.specs(&crates::first_table()?)?;
    let mut out = std::io::stdout();
    out.write_all(HEAD.as_bytes())?;
    let (mut rows, mut failed) = (Vec::new(), 0);
    for spec in specs {
        let dir = product::target(root).join("evaluation/explore").join(spec.replace('@', "-"));
        match measure((&spec, &dir), &options) {
            Ok(row) => {
                out.write_all(line(&row).as_bytes())?;
                rows.push(row);
            }
            Err(why) => {
                failed += 1;
                writeln!(out, "| {spec:<28} | failed: {why:#}")?;
            }
        }
        options.save(&json_of(&rows, &options))?;
    }
    out.write_all(totals(&rows, failed).as_bytes())?;
    Ok(ExitCode::SUCCESS)
}

fn measure(subject: (&str, &Path), options: &Options) -> anyhow::Result<Row> {
    let mut runs: [Vec<Figures>; 2] = [Vec::new(), Vec::new()];
    for seed in 0..options.seeds {
        for (strategy, runs) in ["guided", "uniform"].into_iter().zip(&mut runs) {
            let more = ["--seed", &seed.to_string(), "--strategy", strategy];
            runs.push(explore(subject, ["--time", &options.time], &more)?);
        }
    }
    let of = |figure: fn(&Figures) -> f64| {
        runs.each_ref().map(|runs| median(runs.iter().map(figure).collect()))
    };
    Ok(Row {
        spec: subject.0.to_owned(),
        states: of(|run| run.states),
        covered: of(|run| run.covered),
        coverable: of(|run| run.coverable)[0],
        speed: of(|run| run.calls_per_cpu_second),
    })
}

impl Row {
    fn ratio(&self) -> f64 {
        self.states[0] / self.states[1].max(1.0)
    }
}

fn line(row: &Row) -> String {
    format!(
        "| {:<28} | {:>13.0} | {:>8.0} | {:>5.2} | {:>14.0} | {:>7.0} | {:>6.0} | {:>20.1} | {:>7.1} |\n",
        row.spec,
        row.states[0],
        row.states[1],
        row.ratio(),
        row.covered[0],
        row.covered[1],
        row.coverable,
        row.speed[0] / 1000.0,
        row.speed[1] / 1000.0,
    )
}

fn totals(rows: &[Row], failed: u64) -> String {
    let twice = rows.iter().filter(|row| row.ratio() >= 2.0).count();
    let lower = rows.iter().filter(|row| row.covered[0] < row.covered[1]).count();
    format!(
        "\nAt least twice the states on {twice} of {} crates, coverage lower on {lower}, \
         {failed} failed\n",
        rows.len(),
    )
}

fn json_of(rows: &[Row], options: &Options) -> Value {
    let row = |row: &Row| {
        json!({
            "crate": row.spec, "states_guided": row.states[0], "states_uniform": row.states[1],
            "ratio": row.ratio(), "covered_guided": row.covered[0],
            "covered_uniform": row.covered[1], "coverable": row.coverable,
            "guided_per_cpu_second": row.speed[0],
            "uniform_per_cpu_second": row.speed[1],
        })
    };
    let rows: Vec<Value> = rows.iter().map(row).collect();
    json!({"time": options.time, "seeds": options.seeds, "crates": rows})
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(guided: f64, uniform: f64, covered: [f64; 2]) -> Row {
        let (states, speed) = ([guided, uniform], [1.0, 1.0]);
        Row { spec: "a@1".into(), states, covered, coverable: 9.0, speed }
    }

    #[test]
    fn a_crate_counts_with_twice_the_states_and_coverage_must_not_be_lower() {
        let rows = [row(20.0, 10.0, [5.0, 5.0]), row(19.0, 10.0, [4.0, 5.0])];
        let words = "At least twice the states on 1 of 2 crates, coverage lower on 1, 1 failed";
        assert!(totals(&rows, 1).contains(words), "{}", totals(&rows, 1));
    }

    #[test]
    fn lines_are_as_wide_as_the_head() {
        let widths: Vec<usize> = HEAD.lines().map(str::len).collect();
        assert_eq!(widths, vec![line(&row(1.0, 1.0, [1.0, 1.0])).trim_end().len(); 2]);
    }
}
