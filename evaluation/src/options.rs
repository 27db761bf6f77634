//! What can be typed after the name of an evaluation.

use std::{fs, path::PathBuf, time::Duration};

use anyhow::{Context as _, bail};
use serde_json::Value;

use super::{crates, product};

/// What was typed.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Options {
    pub(super) crates: Option<PathBuf>,
    pub(super) named: Vec<String>,
    pub(super) time: String,
    pub(super) seeds: u64,
    pub(super) limit: Duration,
    pub(super) json: Option<PathBuf>,
    /// Where it stands what should be found.
    pub(super) truth: Option<PathBuf>,
    /// The table of known faults.
    pub(super) corpus: Option<PathBuf>,
    /// The rows of it; all if none are named.
    pub(super) only: Vec<String>,
    pub(super) seed: u64,
    /// How many objects a pool that is made up has.
    pub(super) objects: Option<u64>,
    /// How many mutants of each type there are at most.
    pub(super) mutants: Option<usize>,
    /// How many calls each run makes at least.
    pub(super) calls: Option<u64>,
    /// How many processes are killed.
    pub(super) kills: Option<u64>,
    /// The builds that the product is to use instead of its own choice.
    pub(super) profile: Option<String>,
    /// The program under evaluation instead of the product as it is built from here.
    pub(super) program: Option<PathBuf>,
    /// How the product is to choose calls instead of its own way.
    pub(super) strategy: Option<String>,
    /// Whether results of an earlier evaluation are taken as they are.
    pub(super) reuse: bool,
    pub(super) verbose: bool,
}

impl Options {
    /// Reads the command line of an evaluation. It takes what its `usage` names, which is said when
    /// something else is typed.
    pub(super) fn parse(args: &[String], seeds: u64, usage: &str) -> anyhow::Result<Options> {
        let mut options = Options {
            crates: None,
            named: Vec::new(),
            time: default_time(usage).to_owned(),
            seeds,
            limit: default_limit(usage),
            json: None,
            truth: None,
            corpus: None,
            only: Vec::new(),
            seed: 0,
            objects: None,
            kills: None,
            mutants: None,
            calls: None,
            profile: None,
            strategy: None,
            reuse: false,
            verbose: false,
            program: None,
        };
        let mut args = args.iter();
        while let Some(arg) = args.next() {
            let mut value = || args.next().with_context(|| format!("`{arg}` needs a value"));
            match arg.as_str() {
                flag if flag.starts_with('-') && !takes(usage, flag) => {
                    bail!("`{flag}`? usage: cargo evaluation {usage}");
                }
                "--crates" => options.crates = Some(value()?.into()),
                "--time" => options.time.clone_from(value()?),
                "--seeds" => options.seeds = value()?.parse()?,
                "--limit" => options.limit = Duration::from_secs(value()?.parse()?),
                "--json" => options.json = Some(value()?.into()),
                "--truth" => options.truth = Some(value()?.into()),
                "--corpus" => options.corpus = Some(value()?.into()),
                "--only" => options.only.push(value()?.clone()),
                "--objects" => options.objects = Some(value()?.parse()?),
                "--mutants" => options.mutants = Some(value()?.parse()?),
                "--calls" => options.calls = Some(value()?.parse()?),
                "--kills" => options.kills = Some(value()?.parse()?),
                "--seed" => options.seed = value()?.parse()?,
                "--profile" => options.profile = Some(value()?.clone()),
                "--program" => options.program = Some(product::absolute(value()?)?),
                "--strategy" => options.strategy = Some(value()?.clone()),
                "--reuse" => options.reuse = true,
                "--verbose" => options.verbose = true,
                name if name.contains('@') => options.named.push(name.to_owned()),
                other => bail!("`{other}`? usage: cargo evaluation {usage}"),
            }
        }
        if options.seeds == 0 {
            bail!("at least one seed is needed");
        }
        Ok(options)
    }

    /// The crates to be tested: those that are named or listed, else those of `default`.
    pub(super) fn specs(&self, default: &[String]) -> anyhow::Result<Vec<String>> {
        match (&self.crates, &self.named[..]) {
            (_, [_, ..]) => Ok(self.named.clone()),
            (Some(path), []) => crates::read(path),
            (None, []) => Ok(default.to_vec()),
        }
    }

    /// The program under evaluation; without one that is named, the product is built.
    pub(super) fn find_program(&self) -> anyhow::Result<PathBuf> {
        self.program.clone().map_or_else(|| product::build(crate::root()), Ok)
    }

    /// The directory of an evaluation. Programs do not share one: a cache of one may mean something
    /// else to the other.
    pub(super) fn place(&self, evaluation: &str) -> PathBuf {
        let place = product::target(crate::root()).join("evaluation").join(evaluation);
        self.program
            .as_ref()
            .map_or_else(|| place.clone(), |named| place.join(product::label(named)))
    }

    /// Writes the figures where they are wanted.
    pub(super) fn save(&self, value: &Value) -> anyhow::Result<()> {
        let Some(path) = &self.json else { return Ok(()) };
        let text = serde_json::to_string_pretty(value)? + "\n";
        fs::write(path, text).with_context(|| format!("cannot write `{}`", path.display()))
    }
}

fn takes(usage: &str, flag: &str) -> bool {
    let needed = usage.contains(&format!(" {flag} "));
    needed || [" ", "]"].iter().any(|end| usage.contains(&format!("[{flag}{end}")))
}

/// The limit that a usage names in seconds.
fn default_limit(usage: &str) -> Duration {
    let rest = usage.split("[--limit ").nth(1).and_then(|rest| rest.split(']').next());
    let seconds = rest.and_then(|seconds| seconds.parse().ok());
    seconds.map_or(Duration::from_mins(15), Duration::from_secs)
}

/// The time that a usage names.
fn default_time(usage: &str) -> &str {
    let rest = usage.split("[--time ").nth(1);
    rest.and_then(|rest| rest.split(']').next()).unwrap_or("10s")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str, usage: &str) -> anyhow::Result<Options> {
        let words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        Options::parse(&words, 5, usage)
    }

    #[test]
    fn options_are_read_and_mistakes_refused() {
        let usage = "x [--crates FILE] [--time 10s] [--seeds 5] [--json FILE] [NAME@VERSION..]";
        let options = parse("--time 5s --seeds 3 a@1 --json out.json", usage).unwrap();
        assert_eq!((options.time.as_str(), options.seeds), ("5s", 3));
        assert_eq!(options.json, Some("out.json".into()));
        let default = ["b@2".to_owned()];
        assert_eq!(options.specs(&default).unwrap(), ["a@1"]);
        assert_eq!(parse("--crates l.txt", usage).unwrap().crates, Some("l.txt".into()));
        assert_eq!(parse("", usage).unwrap().specs(&default).unwrap(), default);
        for wrong in ["--seeds 0", "--seeds", "--crates", "--dance", "slab", "--limit 3"] {
            assert!(parse(wrong, usage).is_err(), "{wrong}");
        }
    }

    #[test]
    fn an_evaluation_takes_what_its_usage_names() {
        let usage = "x [--limit SECONDS]";
        assert_eq!(parse("--limit 3", usage).unwrap().limit, Duration::from_secs(3));
        assert!(parse("--limit soon", usage).is_err() && parse("--seeds 3", usage).is_err());
        assert_eq!(parse("", usage).unwrap().limit, Duration::from_mins(15));
        assert_eq!(parse("", "x [--limit 2]").unwrap().limit, Duration::from_secs(2));
        assert_eq!(parse("--objects 7", "x [--objects N]").unwrap().objects, Some(7));
        let usage = "x [--time 60s] [--verbose]";
        assert_eq!(parse("--verbose", usage).unwrap().time, "60s");
        assert!(parse("--reuse", usage).is_err());
        let usage = "x --corpus FILE [--only ID]";
        let options = parse("--only a --corpus f.tsv --only b", usage).unwrap();
        assert_eq!(
            (options.only, options.corpus),
            (vec!["a".into(), "b".into()], Some("f.tsv".into()))
        );
    }
}
