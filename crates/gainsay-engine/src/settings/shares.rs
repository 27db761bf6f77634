//! Division of a budget among builds and phases.

use gainsay_explore::Budget;
use gainsay_model::build::Build;

use super::{Refute, RunSettings};

/// Parts into which the budget is divided among builds: twentieths, so that every share below is
/// a whole number.
pub(crate) const PARTS: u32 = 20;

impl RunSettings {
    /// Returns the parts of the budget, out of [`PARTS`], that a build gets.
    // The sanitized build runs several times slower and finds most of what the others miss, so it
    // has the largest share; unchecked code differs from ordinary code in few crates.
    pub(crate) fn part_of_build(&self, build: Build) -> u32 {
        match build {
            Build::Debug => {
                let others = self.others.builds.iter();
                PARTS - others.map(|other| self.part_of_build(*other)).sum::<u32>()
            }
            Build::Asan => 5,
            Build::Release => 3,
            Build::Unchecked => 2,
        }
    }

    /// Returns the budget of the first phase: half of it when contracts are attacked afterwards.
    pub fn first_budget(&self) -> Budget {
        match self.refute {
            Refute::Skip => self.ordinary_share(1, 1),
            Refute::Search => self.ordinary_share(1, 2),
        }
    }

    /// Returns a share of the budget that the ordinary build has.
    pub fn ordinary_share(&self, part: u32, of: u32) -> Budget {
        self.fraction_of_budget(part * self.part_of_build(Build::Debug), of * PARTS)
    }

    /// Returns a fraction of the whole budget.
    pub(crate) fn fraction_of_budget(&self, part: u32, of: u32) -> Budget {
        let time = self.budget.time.map(|time| time * part / of);
        let calls = self.budget.calls.map(|calls| calls * u64::from(part) / u64::from(of));
        Budget { calls, time }
    }

    /// Returns the whole budget.
    pub(crate) fn whole_budget(&self) -> Budget {
        self.fraction_of_budget(1, 1)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::settings::Others;

    #[test]
    fn builds_share_the_budget_and_the_ordinary_one_has_the_rest() {
        let seconds = Duration::from_secs;
        let settings = RunSettings {
            budget: Budget { time: Some(seconds(40)), calls: Some(400) },
            others: Others { builds: vec![Build::Asan, Build::Release], asked: false },
            ..RunSettings::default()
        };
        assert_eq!(settings.part_of_build(Build::Debug), 12);
        let first = Budget { time: Some(seconds(12)), calls: Some(120) };
        assert_eq!(settings.first_budget(), first);
        let alone = RunSettings { others: Others::default(), ..settings };
        assert_eq!(alone.ordinary_share(1, 1), alone.budget);
    }
}
