//! Command line of a driven measurement, and the settings of the engine that it stands for.

use std::{path::PathBuf, thread, time::Duration};

use anyhow::{Context as _, bail};
use gainsay_engine::{Budget, ExplorePlan, Inject, Refute, RunSettings, StoredPool};
use gainsay_explore::Telling;
use gainsay_wire::{Observing, Strategy};

use crate::product::parse_millis;

/// Exploration time when nothing else limits a measurement, as in the product.
const DEFAULT_TIME: Duration = Duration::from_secs(30);

/// One measurement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Measurement {
    /// A whole test, as the product makes it.
    Run,
    /// Exploration alone.
    Explore,
    /// Attacks on the contracts of this record.
    Audit(PathBuf),
    /// The gain of attacks over random testing.
    Gain {
        /// A list of findings that do not count.
        known: Option<PathBuf>,
        /// A record whose contracts every call has to keep.
        expected: Option<PathBuf>,
    },
    /// Exploration, and at most so many stored objects made again.
    Remake(usize),
    /// The fault of this id again.
    Replay(String),
}

/// Arguments of a measurement.
#[derive(Debug)]
pub(super) struct Arguments {
    pub(super) measurement: Measurement,
    /// A published crate instead of the package of the current directory.
    pub(super) published: Option<String>,
    pub(super) target_dir: PathBuf,
    /// True if no other features than the default ones are on.
    pub(super) default_features: bool,
    pub(super) settings: RunSettings,
    observing: Observing,
    telling: Telling,
}

/// Words of a command line, read one after the other.
struct Words<'a>(std::slice::Iter<'a, String>);

impl Words<'_> {
    fn next(&mut self, of: &str) -> anyhow::Result<String> {
        self.0.next().cloned().with_context(|| format!("{of} is missing; {}", usage()))
    }
}

fn usage() -> String {
    format!("usage: cargo evaluation {}", super::USAGE)
}

impl Measurement {
    fn parse(words: &mut Words<'_>) -> anyhow::Result<Measurement> {
        Ok(match words.next("the measurement")?.as_str() {
            "run" => Measurement::Run,
            "explore" => Measurement::Explore,
            "audit" => Measurement::Audit(words.next("the record")?.into()),
            "gain" => Measurement::Gain { known: None, expected: None },
            "remake" => Measurement::Remake(words.next("the number of objects")?.parse()?),
            "replay" => Measurement::Replay(words.next("the id")?),
            other => bail!("`{other}`? {}", usage()),
        })
    }
}

impl Arguments {
    /// Reads the command line.
    pub(super) fn parse(args: &[String]) -> anyhow::Result<Arguments> {
        let mut words = Words(args.iter());
        let mut read = Arguments {
            measurement: Measurement::parse(&mut words)?,
            published: None,
            target_dir: PathBuf::new(),
            default_features: false,
            settings: RunSettings {
                budget: Budget::default(),
                jobs: thread::available_parallelism().map_or(1, usize::from),
                pool: StoredPool::Dropped,
                ..RunSettings::default()
            },
            observing: Observing::Full,
            telling: Telling::News,
        };
        while let Ok(word) = words.next("an option") {
            read.read_option(&word, &mut words)?;
        }
        if read.target_dir.as_os_str().is_empty() {
            bail!("--target-dir is missing; {}", usage());
        }
        let settings = &mut read.settings;
        if settings.budget == Budget::default() {
            settings.budget.time = Some(DEFAULT_TIME);
        }
        if let Measurement::Explore = read.measurement {
            // Calls of a caller that misbehaves cost more: they would blur what is measured.
            settings.inject = Inject::Never;
        }
        if let Measurement::Explore | Measurement::Remake(_) = read.measurement {
            settings.refute = Refute::Skip;
        }
        Ok(read)
    }

    fn read_option(&mut self, word: &str, words: &mut Words<'_>) -> anyhow::Result<()> {
        let settings = &mut self.settings;
        let mut value = || words.next(word);
        match (word, &mut self.measurement) {
            ("--bare", Measurement::Explore) => self.observing = Observing::Bare,
            ("--no-record", Measurement::Explore) => self.telling = Telling::Nothing,
            ("--known", Measurement::Gain { known, .. }) => *known = Some(value()?.into()),
            ("--expected", Measurement::Gain { expected, .. }) => {
                *expected = Some(value()?.into());
            }
            ("--crate", _) => self.published = Some(value()?),
            ("--target-dir", _) => self.target_dir = value()?.into(),
            ("--default-features", _) => self.default_features = true,
            ("--time", _) => {
                settings.budget.time = Some(Duration::from_millis(parse_millis(&value()?)?));
            }
            ("--calls", _) => settings.budget.calls = Some(value()?.parse()?),
            ("--seed", _) => settings.seed = value()?.parse()?,
            ("--jobs", _) => settings.jobs = value()?.parse()?,
            ("--strategy", _) => settings.strategy = parse_strategy(&value()?)?,
            ("--no-inject", _) => settings.inject = Inject::Never,
            ("--worker-env", _) => settings.environment.push(parse_variable(&value()?)?),
            _ => bail!("`{word}`? {}", usage()),
        }
        Ok(())
    }

    /// The way in which calls are drawn, seen and recorded.
    pub(super) fn explore_plan(&self) -> ExplorePlan {
        let Arguments { observing, telling, .. } = *self;
        ExplorePlan { observing, telling, ..ExplorePlan::of(&self.settings) }
    }
}

fn parse_strategy(name: &str) -> anyhow::Result<Strategy> {
    Ok(match name {
        "guided" => Strategy::Guided,
        "uniform" => Strategy::Uniform,
        _ => bail!("`{name}` is no strategy"),
    })
}

fn parse_variable(text: &str) -> anyhow::Result<(String, String)> {
    let (name, value) = text.split_once('=').with_context(|| format!("`{text}` is no variable"))?;
    Ok((name.to_owned(), value.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> anyhow::Result<Arguments> {
        let words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        Arguments::parse(&words)
    }

    #[test]
    fn exploration_alone_is_explored_as_it_is_asked_for_and_nobody_misbehaves() {
        let bare = parse("explore --bare --no-record --calls 9 --target-dir t").unwrap();
        let plan = bare.explore_plan();
        assert_eq!((plan.observing, plan.telling), (Observing::Bare, Telling::Nothing));
        assert_eq!(bare.settings.inject, Inject::Never);
        assert_eq!(bare.settings.budget, Budget { calls: Some(9), time: None });
        let usual = parse("explore --target-dir t --strategy uniform").unwrap();
        let plan = usual.explore_plan();
        assert_eq!((plan.observing, plan.telling), (Observing::Full, Telling::News));
        assert_eq!(plan.strategy, Strategy::Uniform);
        assert_eq!(usual.settings.budget.time, Some(DEFAULT_TIME));
    }

    #[test]
    fn lists_belong_to_the_gain_and_a_directory_to_all() {
        let gain = parse("gain --known k --expected e --target-dir t").unwrap().measurement;
        let (known, expected) = (Some("k".into()), Some("e".into()));
        assert_eq!(gain, Measurement::Gain { known, expected });
        for wrong in ["run --known k --target-dir t", "gain", "dance --target-dir t", "audit"] {
            assert!(parse(wrong).is_err(), "{wrong}");
        }
    }
}
