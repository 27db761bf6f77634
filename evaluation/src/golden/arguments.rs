//! The arguments of `golden`.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};

use super::{USAGE, origin::Sample};
use crate::{crates, product::absolute};

/// The seed of the record that is kept with the code.
const RECORDED_SEED: u64 = 7;

/// Calls of a run: enough for contracts to be attacked in two rounds on every crate of the list,
/// few enough for the whole list to take minutes.
const CALLS: u64 = 200_000;

/// What is to be done with the crates.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Task {
    /// Write their records.
    Write,
    /// Compare them with their records, line by line.
    Check,
    /// Compare them with another program or another directory of records, over all seeds.
    Against(PathBuf),
}

/// What was typed.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Arguments {
    pub(super) task: Task,
    pub(super) specs: Vec<String>,
    pub(super) seeds: Vec<u64>,
    pub(super) calls: u64,
    /// The program under evaluation; without it the product is built.
    pub(super) program: Option<PathBuf>,
    /// Directories `CRATE@VERSION-SEED` with the `run.json` of runs that were made already.
    pub(super) run_files: Option<PathBuf>,
    /// The directory of the records.
    pub(super) records: PathBuf,
    /// The directory of the list of crates and of the renamed identities.
    pub(super) directory: PathBuf,
}

impl Arguments {
    /// Reads the arguments behind `golden`.
    pub(super) fn parse(args: &[String]) -> anyhow::Result<Arguments> {
        let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("golden");
        let mut arguments = Arguments {
            task: Task::Write,
            specs: Vec::new(),
            seeds: vec![RECORDED_SEED],
            calls: CALLS,
            program: None,
            run_files: None,
            records: directory.join("records"),
            directory,
        };
        let mut list = arguments.directory.join("crates.txt");
        let mut args = args.iter();
        while let Some(arg) = args.next() {
            let mut value = || args.next().with_context(|| format!("`{arg}` needs a value"));
            match arg.as_str() {
                "--check" => arguments.task = Task::Check,
                "--against" => arguments.task = Task::Against(absolute(value()?)?),
                "--seeds" | "--seed" => arguments.seeds = parse_seeds(value()?)?,
                "--calls" => arguments.calls = value()?.parse()?,
                "--program" => arguments.program = Some(absolute(value()?)?),
                "--from" => arguments.run_files = Some(value()?.into()),
                "--records" => arguments.records = value()?.into(),
                "--crates" => list = value()?.into(),
                spec if spec.contains('@') => arguments.specs.push(spec.to_owned()),
                other => bail!("`{other}`? usage: cargo evaluation {USAGE}"),
            }
        }
        if arguments.specs.is_empty() {
            arguments.specs = crates::read(&list)?;
        }
        Ok(arguments)
    }

    /// Each crate with each seed.
    pub(super) fn samples(&self) -> impl Iterator<Item = Sample> {
        self.specs.iter().flat_map(|spec| {
            let sample = |seed: &u64| Sample { spec: spec.clone(), seed: *seed, calls: self.calls };
            self.seeds.iter().map(sample)
        })
    }
}

fn parse_seeds(text: &str) -> anyhow::Result<Vec<u64>> {
    let seeds: Result<Vec<u64>, _> = text.split(',').map(str::parse).collect();
    seeds.with_context(|| format!("`{text}` is no list of seeds such as `1,2,3`"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> anyhow::Result<Arguments> {
        let words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        Arguments::parse(&words)
    }

    #[test]
    fn each_crate_comes_with_each_seed() {
        let arguments = parse("--seeds 1,2 --calls 9 a@1 b@2").unwrap();
        let samples: Vec<String> = arguments.samples().map(|sample| sample.to_string()).collect();
        assert_eq!(samples, ["a@1-1", "a@1-2", "b@2-1", "b@2-2"]);
        assert!(arguments.samples().all(|sample| sample.calls == 9));
    }

    #[test]
    fn without_names_the_list_is_taken() {
        let arguments = parse("--check").unwrap();
        assert_eq!(arguments.task, Task::Check);
        assert_eq!((arguments.specs.len(), arguments.seeds), (12, vec![7]));
    }

    #[test]
    fn mistakes_are_refused() {
        for wrong in ["--seeds", "--seeds 1,x", "--against", "--dance", "slab", "--calls many"] {
            assert!(parse(wrong).is_err(), "{wrong}");
        }
    }
}
