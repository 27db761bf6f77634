//! The stages of a run, and the matter that each is about.

use std::fmt;

use crate::{build::Build, counting::counted};

/// More features are counted, not named: before a run one line has to do.
const MOST_NAMED: usize = 4;

/// The stages in their order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Stage {
    /// Crate to Api.
    Discover,
    /// Api to worker program.
    Harness,
    /// Faults of earlier runs again.
    Replay,
    /// Random testing.
    Explore,
    /// Observations to contracts.
    Infer,
    /// Contracts to verdicts.
    Refute,
    /// Confirming and shrinking faults.
    Confirm,
    /// Compiling and running tests that are to be emitted.
    Check,
    /// Writing results.
    Report,
}

/// The matter of a stage.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum About {
    /// The crate under test.
    Crate {
        /// Its name.
        name: String,
        /// Its version.
        version: String,
        /// The features that are off by default and were switched on.
        extra_features: Vec<String>,
    },
    /// A number of operations.
    Operations(usize),
    /// One of the other builds.
    Build(Build),
    /// Faults that earlier runs found.
    KnownFaults(usize),
    /// Calls that the last run recorded.
    CallsOfLastRun,
    /// A round of inference, from 1.
    Round(u32),
    /// Contracts that are attacked.
    Contracts(usize),
    /// Contracts that random calls must keep.
    ContractsUnderWatch(usize),
    /// Contracts that the last run refuted.
    ContradictedContracts(usize),
    /// The second campaign.
    OtherSeed,
    /// Counterexamples on their way to fewer and simpler calls.
    ShorterCounterexamples(usize),
    /// Findings that wait for a verdict.
    Findings(usize),
    /// Tests that are compiled and run.
    Tests(usize),
    /// Anything else, from a program that drives the stages itself.
    Other(&'static str),
}

impl fmt::Display for About {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            About::Crate { name, version, extra_features } => {
                write!(f, "{name} {version}")?;
                match &extra_features[..] {
                    [] => Ok(()),
                    few if few.len() <= MOST_NAMED => write!(f, " with {}", few.join(", ")),
                    many => write!(f, " with {} features that are off by default", many.len()),
                }
            }
            About::Operations(count) => write!(f, "{count} operations"),
            About::Build(build) => write!(f, "{build} build"),
            About::KnownFaults(count) => {
                write!(f, "{} of earlier runs", counted(*count as u64, "fault"))
            }
            About::CallsOfLastRun => f.write_str("calls of the last run"),
            About::Round(round) => write!(f, "round {round}"),
            About::Contracts(count) => write!(f, "{count} contracts"),
            About::ContractsUnderWatch(count) => write!(f, "{count} contracts under watch"),
            About::ContradictedContracts(count) => write!(f, "{count} contradicted contracts"),
            About::OtherSeed => f.write_str("again with another seed"),
            About::ShorterCounterexamples(count) => {
                write!(f, "{} made shorter", counted(*count as u64, "counterexample"))
            }
            About::Findings(count) => write!(f, "{count} findings"),
            About::Tests(count) => f.write_str(&counted(*count as u64, "test")),
            About::Other(matter) => f.write_str(matter),
        }
    }
}

impl Stage {
    /// As in `summary.json`.
    pub fn name(self) -> &'static str {
        match self {
            Stage::Discover => "discover",
            Stage::Harness => "harness",
            Stage::Replay => "replay",
            Stage::Explore => "explore",
            Stage::Infer => "infer",
            Stage::Refute => "refute",
            Stage::Confirm => "confirm",
            Stage::Check => "check",
            Stage::Report => "report",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_features_are_named_and_many_are_counted() {
        let check = |features: &[&str], expected: &str| {
            let about = About::Crate {
                name: "a".to_owned(),
                version: "1.0.0".to_owned(),
                extra_features: features.iter().map(|name| (*name).to_owned()).collect(),
            };
            assert_eq!(about.to_string(), expected);
        };
        check(&[], "a 1.0.0");
        check(&["std", "serde"], "a 1.0.0 with std, serde");
        check(&["b", "c", "d", "e", "f"], "a 1.0.0 with 5 features that are off by default");
    }

    #[test]
    fn one_is_no_plural_where_things_are_counted_in_words() {
        assert_eq!(About::KnownFaults(1).to_string(), "1 fault of earlier runs");
        assert_eq!(About::Tests(2).to_string(), "2 tests");
    }
}
