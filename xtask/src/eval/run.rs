//! Runs of pure exploration in the same directory, so that builds are shared: what evaluations of
//! exploration have in common.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use anyhow::{Context as _, bail};
use serde_json::Value;

use super::crates;

/// What was typed.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Options {
    pub(super) crates: Option<PathBuf>,
    pub(super) named: Vec<String>,
    pub(super) time: String,
    pub(super) seeds: u64,
    pub(super) json: Option<PathBuf>,
}

/// One run in numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Figures {
    pub(super) calls_per_cpu_second: f64,
    pub(super) states: f64,
    pub(super) covered: f64,
    /// 0 where it is not known.
    pub(super) coverable: f64,
    pub(super) types: u64,
    pub(super) queries: u64,
    pub(super) mean_state_bytes: f64,
}

impl Options {
    /// Reads the command line of an evaluation; `usage` is said when it makes no sense.
    pub(super) fn parse(args: &[String], seeds: u64, usage: &str) -> anyhow::Result<Options> {
        let (crates, named, json, time) = (None, Vec::new(), None, "10s".to_owned());
        let mut options = Options { crates, named, time, seeds, json };
        let mut args = args.iter();
        while let Some(arg) = args.next() {
            let mut value = || args.next().with_context(|| format!("`{arg}` needs a value"));
            match arg.as_str() {
                "--crates" => options.crates = Some(value()?.into()),
                "--time" => options.time.clone_from(value()?),
                "--seeds" => options.seeds = value()?.parse()?,
                "--json" => options.json = Some(value()?.into()),
                name if !name.starts_with('-') && name.contains('@') => {
                    options.named.push(name.to_owned());
                }
                other => bail!("`{other}`? usage: cargo xtask eval {usage}"),
            }
        }
        if options.seeds == 0 {
            bail!("at least one seed is needed");
        }
        Ok(options)
    }

    /// The crates to be tested, those of `default` where none are named.
    pub(super) fn specs(&self, default: &[&str]) -> anyhow::Result<Vec<String>> {
        match (&self.crates, &self.named[..]) {
            (Some(path), _) => crates::read(path),
            (None, []) => Ok(default.iter().map(|&spec| spec.to_owned()).collect()),
            (None, named) => Ok(named.to_vec()),
        }
    }

    /// Writes the figures where they are wanted.
    pub(super) fn save(&self, value: &Value) -> anyhow::Result<()> {
        let Some(path) = &self.json else { return Ok(()) };
        let text = serde_json::to_string_pretty(value)? + "\n";
        fs::write(path, text).with_context(|| format!("cannot write `{}`", path.display()))
    }
}

/// Explores a crate and does nothing else.
pub(super) fn explore(
    program: &Path,
    (spec, dir): (&str, &Path),
    time: &str,
    more: &[&str],
) -> anyhow::Result<Figures> {
    fs::create_dir_all(dir).with_context(|| format!("cannot make `{}`", dir.display()))?;
    let output = Command::new(program)
        .args(["gainsay", "run", "--quiet", "--color", "never", "--only-explore"])
        .args(["--crate", spec, "--time", time, "--target-dir"])
        .arg(dir)
        .args(more)
        .current_dir(dir)
        .env_remove("CARGO_TARGET_DIR")
        .stdin(Stdio::null())
        .output()
        .with_context(|| format!("cannot run `{}`", program.display()))?;
    let read = fs::read(dir.join("gainsay/summary.json")).ok().filter(|_| output.status.success());
    let summary = read.and_then(|text| serde_json::from_slice(&text).ok());
    match summary.as_ref().and_then(figures) {
        Some(figures) => Ok(figures),
        None => bail!("{spec}: {}", String::from_utf8_lossy(&output.stderr).trim()),
    }
}

fn figures(summary: &Value) -> Option<Figures> {
    let views = summary.get("views")?;
    Some(Figures {
        calls_per_cpu_second: summary.get("calls_per_cpu_second")?.as_f64()?,
        states: summary.get("states")?.as_f64()?,
        covered: summary.get("covered")?.as_f64()?,
        coverable: summary.get("coverable").and_then(Value::as_f64).unwrap_or_default(),
        types: views.get("types")?.as_u64()?,
        queries: views.get("queries")?.as_u64()?,
        mean_state_bytes: views.get("mean_state_bytes")?.as_f64()?,
    })
}

/// The middle one of several runs, figure by figure.
pub(super) fn median(mut numbers: Vec<f64>) -> f64 {
    numbers.sort_by(f64::total_cmp);
    let middle = numbers.len() / 2;
    match numbers.len() {
        0 => 0.0,
        odd if odd % 2 == 1 => numbers[middle],
        _ => f64::midpoint(numbers[middle - 1], numbers[middle]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> anyhow::Result<Options> {
        let words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        Options::parse(&words, 5, "explore")
    }

    #[test]
    fn options_are_read_and_mistakes_refused() {
        let options = parse("--time 5s --seeds 3 a@1 --json out.json").unwrap();
        assert_eq!((options.time.as_str(), options.seeds), ("5s", 3));
        assert_eq!(options.specs(&["b@2"]).unwrap(), ["a@1"]);
        assert_eq!(parse("").unwrap().specs(&["b@2"]).unwrap(), ["b@2"]);
        for wrong in ["--seeds 0", "--seeds", "--dance", "slab"] {
            assert!(parse(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn the_median_of_an_even_number_lies_between_two() {
        let check = |numbers: &[f64], expected: f64| {
            assert!((median(numbers.to_vec()) - expected).abs() < 1e-9, "{numbers:?}");
        };
        check(&[3.0, 1.0, 2.0], 2.0);
        check(&[4.0, 1.0], 2.5);
        check(&[], 0.0);
    }
}
