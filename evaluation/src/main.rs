//! How the product fares on published crates and fixtures: `cargo evaluation NAME ...`.

mod attributes;
mod audit;
mod contracts;
mod crates;
mod drive;
mod exploration;
mod faults;
mod golden;
mod options;
mod product;
mod reach;
mod silence;
mod stateful;
mod store;
mod traces;

use std::{
    path::{Path, PathBuf},
    process::ExitCode,
};

use anyhow::bail;

use exploration::{driver_time, recording, speed, strategies};
use store::kills;
use traces::noise;

/// Runs an evaluation with the arguments behind its name.
type Run = fn(&[String]) -> anyhow::Result<ExitCode>;

/// Each evaluation with its usage, which begins with its name.
const EVALUATIONS: &[(&str, Run)] = &[
    (golden::USAGE, golden::run),
    (reach::USAGE, reach::run),
    (strategies::USAGE, strategies::run),
    (speed::USAGE, speed::run),
    (recording::USAGE, recording::run),
    (driver_time::USAGE, driver_time::run),
    (contracts::USAGE, contracts::run),
    (faults::USAGE, faults::run),
    (silence::USAGE, silence::run),
    (attributes::USAGE, attributes::run),
    (audit::USAGE, audit::run),
    (traces::USAGE, traces::run),
    (noise::USAGE, noise::run),
    (store::USAGE, store::run),
    (kills::USAGE, kills::run),
    (stateful::USAGE, stateful::run),
    (drive::USAGE, drive::run),
];

fn main() -> anyhow::Result<ExitCode> {
    // Workers of `drive` are confined by this very program, started again.
    gainsay_engine::become_worker_if_asked();
    let args: Vec<String> = std::env::args().skip(1).collect();
    let found = args.split_first().and_then(|(name, rest)| Some((find_evaluation(name)?, rest)));
    let Some((run, rest)) = found else {
        let lines = EVALUATIONS.iter().map(|(usage, _)| format!("cargo evaluation {usage}"));
        bail!("usage: {}", lines.collect::<Vec<_>>().join("\n       "));
    };
    run(rest)
}

fn find_evaluation(name: &str) -> Option<Run> {
    let found = EVALUATIONS.iter().find(|(usage, _)| usage.split(' ').next() == Some(name));
    found.map(|(_, run)| *run)
}

/// The root of the repository.
fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("`evaluation` stands in the repository")
}

/// A file or directory beside the evaluations that one of them reads.
fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("data").join(name)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn each_evaluation_is_found_by_the_name_that_its_usage_begins_with() {
        let names = EVALUATIONS.iter().map(|(usage, _)| usage.split(' ').next().unwrap());
        let names: BTreeSet<&str> = names.collect();
        assert_eq!(names.len(), EVALUATIONS.len());
        assert!(names.iter().all(|name| find_evaluation(name).is_some()));
        assert!(find_evaluation("dance").is_none());
    }
}
