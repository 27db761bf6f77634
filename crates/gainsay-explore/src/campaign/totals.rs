//! Sums over a campaign.

use std::{
    collections::{BTreeMap, HashSet},
    hash::BuildHasherDefault,
};

use gainsay_model::event::Progress;
use gainsay_wire::{AsIs, ContractId, EpochReport, LawCount, OpCount};

use crate::findings::LawTotals;

/// Totals of a campaign so far. The sets are only counted, never walked through.
#[derive(Clone, Debug, Default)]
pub struct Totals {
    /// Calls made.
    pub calls: u64,
    /// Those of them that were made while the caller's code misbehaved; but for coverage
    /// they count for nothing else.
    pub injected: u64,
    /// Calls that were observed: each has one edge among the reports.
    pub observed: u64,
    /// Epochs merged.
    pub epochs: u64,
    /// Per operation, by its number.
    pub ops: Vec<OpCount>,
    /// Counts of laws, by type.
    pub laws: LawTotals,
    /// Counts of calls at which each watched contract was at risk and held.
    pub attacks: BTreeMap<ContractId, u64>,
    states: Digests,
    transitions: Digests,
    covered: HashSet<u32>,
    /// The counters that count, where that is known; otherwise all do.
    coverable: Option<HashSet<u32>>,
}

type Digests = HashSet<u64, BuildHasherDefault<AsIs>>;

impl Totals {
    /// Takes in an epoch; tells whether it brought anything new.
    pub fn add(&mut self, report: &EpochReport) -> bool {
        let before = self.news();
        self.calls += report.calls;
        self.observed += report.observed;
        self.epochs += 1;
        OpCount::add_all(&mut self.ops, &report.ops);
        self.add_laws(&report.laws);
        for (contract, count) in &report.attacks {
            *self.attacks.entry(*contract).or_default() += count;
        }
        self.states.extend(report.new_states.iter().map(|state| state.0));
        self.states.extend(report.states.iter().map(|record| record.state.0));
        self.cover(&report.covered);
        let passing = report.kept.iter().filter(|kept| kept.observation.outcome.returned());
        self.transitions.extend(passing.map(|kept| kept.observation.transition_digest()));
        self.transitions.extend(&report.new_transitions);
        self.news() != before
    }

    fn add_laws(&mut self, laws: &[LawCount]) {
        for count in laws {
            let key = (count.ty, count.law.clone());
            let (_, checked, broken) = self.laws.entry(key).or_insert((count.standing, 0, 0));
            *checked += count.checked;
            *broken += count.broken;
        }
    }

    /// From the beginning only these coverage counters count: those of the subject's own code.
    pub fn count_only(&mut self, counters: &[u32]) {
        self.coverable = Some(counters.iter().copied().collect());
    }

    /// Takes in an epoch in which the caller's code misbehaved.
    pub fn add_injected(&mut self, report: &EpochReport) {
        self.calls += report.calls;
        self.injected += report.calls;
        self.epochs += 1;
        // Workers tell of a counter once, and what was run was run.
        self.cover(&report.covered);
    }

    fn cover(&mut self, counters: &[u32]) {
        let counts = |counter: &&u32| match &self.coverable {
            Some(coverable) => coverable.contains(counter),
            None => true,
        };
        self.covered.extend(counters.iter().filter(counts));
    }

    /// Distinct states.
    pub fn states(&self) -> u64 {
        self.states.len() as u64
    }

    /// Distinct transitions.
    pub fn transitions(&self) -> u64 {
        self.transitions.len() as u64
    }

    /// Coverage counters hit.
    pub fn covered(&self) -> u64 {
        self.covered.len() as u64
    }

    /// Coverage counters that there are to hit, where it is known which count.
    pub fn coverable(&self) -> Option<u64> {
        self.coverable.as_ref().map(|counters| counters.len() as u64)
    }

    /// As live counters.
    pub fn progress(&self, findings: usize) -> Progress {
        Progress {
            calls: self.calls,
            states: self.states(),
            transitions: self.transitions(),
            findings: findings as u64,
        }
    }

    fn news(&self) -> [usize; 3] {
        [self.states.len(), self.transitions.len(), self.covered.len()]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn covering(covered: &[u32]) -> EpochReport {
        EpochReport { calls: 1, covered: covered.to_vec(), ..EpochReport::default() }
    }

    #[test]
    fn only_counters_of_the_subject_count_where_they_are_known() {
        let mut totals = Totals::default();
        totals.add(&covering(&[1, 2, 3]));
        assert_eq!((totals.covered(), totals.coverable()), (3, None));

        let mut totals = Totals::default();
        totals.count_only(&[2, 3, 9, 10]);
        assert!(totals.add(&covering(&[1, 2])), "2 is new");
        assert!(!totals.add(&covering(&[1, 4])), "neither counts");
        assert_eq!((totals.covered(), totals.coverable()), (1, Some(4)));
    }

    #[test]
    fn what_ran_while_the_caller_misbehaved_was_covered() {
        let mut totals = Totals::default();
        totals.add_injected(&covering(&[5]));
        assert_eq!((totals.covered(), totals.injected), (1, 1));
    }
}
