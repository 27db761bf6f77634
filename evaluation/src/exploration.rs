//! Runs of pure exploration in the same directory, so that builds are shared: what evaluations of
//! exploration have in common.

pub(crate) mod driver_time;
pub(crate) mod recording;
pub(crate) mod speed;
pub(crate) mod strategies;

use std::{fs, path::Path};

use anyhow::{Context as _, bail};
use serde_json::Value;

use crate::product;

/// One run in numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Figures {
    pub(crate) calls: f64,
    /// Wall time, until the last call was recorded.
    pub(crate) seconds: f64,
    pub(crate) calls_per_cpu_second: f64,
    pub(crate) states: f64,
    pub(crate) covered: f64,
    /// 0 where it is not known.
    pub(crate) coverable: f64,
    pub(crate) types: u64,
    pub(crate) queries: u64,
    pub(crate) mean_state_bytes: f64,
}

/// Explores a crate for as long as the budget says, such as `--time 10s`, and does nothing else.
pub(crate) fn explore(
    (spec, dir): (&str, &Path),
    budget: [&str; 2],
    more: &[&str],
) -> anyhow::Result<Figures> {
    fs::create_dir_all(dir).with_context(|| format!("cannot make `{}`", dir.display()))?;
    let args = [&["explore", "--crate", spec][..], &budget, more].concat();
    let output = product::drive(dir, dir, &args)?.output().context("cannot explore")?;
    let read = fs::read(dir.join("gainsay/summary.json")).ok().filter(|_| output.status.success());
    let summary = read.and_then(|text| serde_json::from_slice(&text).ok());
    match summary.as_ref().and_then(figures) {
        Some(figures) => Ok(figures),
        None => bail!("{spec}: {}", String::from_utf8_lossy(&output.stderr).trim()),
    }
}

fn figures(summary: &Value) -> Option<Figures> {
    let views = summary.get("views")?;
    let stages = summary.get("stages")?.as_array()?;
    let explored = stages.iter().find(|stage| stage.get("name") == Some(&"explore".into()))?;
    Some(Figures {
        calls: summary.get("calls")?.as_f64()?,
        seconds: explored.get("seconds")?.as_f64()?,
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
pub(crate) fn median(mut numbers: Vec<f64>) -> f64 {
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
