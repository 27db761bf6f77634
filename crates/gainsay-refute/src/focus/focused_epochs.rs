//! Focused epochs. An operation is called many times in a row, at the full speed of a worker, on the
//! objects that searches found for attacks on its contracts and on those that come of them. A single
//! attack makes one call on each object; the right argument, or an object with a certain past, is
//! likelier to come of many calls. Workers make focused epochs while other attacks are planned.

use std::{
    collections::{BTreeMap, BTreeSet},
    hash::Hasher as _,
};

use gainsay_model::contract::{Attacks, Contract, ContractKind, Verdict, Via};
use gainsay_search::Search;
use gainsay_store::Tuple;
use gainsay_wire::{
    ContractId, Digest, Edge, EdgeCount, EpochReport, EpochTask, Observation, OpCount, OpId,
    Sequence, Settings, StateId, Violation,
};
use gainsay_workers::{PLACES, PlacedEpoch};

use crate::round::Pass;

/// The way focused epochs are made.
#[derive(Clone, Debug)]
pub struct FocusSettings {
    /// Settings of the workers meanwhile: the contracts are among the checks.
    pub settings: Settings,
    /// Decides what is random.
    pub seed: u64,
    /// Calls of one epoch, besides those that make its objects.
    pub calls: u32,
    /// Operations that are only called where an epoch is about them: they killed workers.
    pub barred: Vec<OpId>,
    /// Use of workers that have no other work.
    pub idle: IdleWorkers,
}

/// Use of workers that have nothing to do while attacks are planned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IdleWorkers {
    /// They wait: the result must not depend on the time that planning takes.
    Wait,
    /// They make more focused epochs.
    Explore,
}

/// Focused epochs of one operation in a round of attacks, each with other objects. Three times
/// [`TUPLES`] is half of the tuples that a search gives: those whose recipes are shortest.
pub(crate) const MOST_EPOCHS: usize = 3;
/// Of these, the epochs of the first pass. That pass is short, so that most contracts have an answer
/// early: one epoch of each operation keeps workers busy while it is planned.
const MOST_IN_FIRST_PASS: usize = 1;
/// Tuples of objects that an epoch begins with: a few hundred calls leave each some tens.
const TUPLES: usize = 8;
/// Calls that an epoch may report. Recording all of them would take longer than making them.
const KEPT: u32 = 24;

/// Focused epochs and their results.
#[derive(Debug, Default)]
pub(crate) struct FocusedEpochs {
    /// None where there are no focused epochs.
    how: Option<FocusSettings>,
    contracts: BTreeMap<ContractId, Contract>,
    /// Epochs planned for each operation.
    planned: BTreeMap<OpId, usize>,
    /// Epochs planned for all operations: decides the place of the next.
    placed: usize,
    /// Calls on which each contract could have failed and did not.
    survived: BTreeMap<ContractId, u64>,
    /// The shortest way to a violation of each contract under attack.
    refuting: BTreeMap<ContractId, Sequence>,
    reports: Vec<EpochReport>,
    /// Reports that the store has seen.
    recorded: usize,
    // By edge: most epochs of an operation count the same ones again.
    /// Edges of epochs that the last report speaks for, apart from its own.
    added_edges: BTreeMap<Edge, u64>,
    /// For each check besides the contracts under attack, its shortest violation.
    other_violations: BTreeMap<ContractId, Violation>,
}

impl FocusedEpochs {
    pub(crate) fn new(how: &FocusSettings, contracts: &[Contract]) -> FocusedEpochs {
        let contracts = contracts.iter().map(|contract| (contract.id, contract.clone())).collect();
        FocusedEpochs { how: Some(how.clone()), contracts, ..FocusedEpochs::default() }
    }

    /// True if an operation had fewer epochs than this pass grants.
    pub(crate) fn wants_more(&self, op: OpId, pass: Pass) -> bool {
        let most = if pass == Pass::Near { MOST_IN_FIRST_PASS } else { MOST_EPOCHS };
        self.how.is_some() && self.planned.get(&op).is_none_or(|planned| *planned < most)
    }

    /// The next epoch of an operation, from these objects.
    pub(crate) fn plan_next(&mut self, op: OpId, origins: &[Sequence]) -> Option<PlacedEpoch> {
        let how = self.how.as_ref()?;
        let planned = self.planned.entry(op).or_default();
        let number = *planned;
        *planned += 1;
        // Places take turns whatever the operation: no worker must get all the epochs.
        let place = self.placed % PLACES as usize;
        self.placed += 1;
        let task = EpochTask { keep: Some(KEPT), ..plan_epoch(how, op, number, origins) };
        Some(PlacedEpoch { place, task })
    }

    /// A contract that is under attack.
    pub(crate) fn find_contract(&self, id: ContractId) -> Option<&Contract> {
        self.contracts.get(&id)
    }

    /// Takes in a violation of a contract under attack. Returns true if it is the first, or shorter:
    /// every epoch reports the same again.
    pub(crate) fn take_violation(&mut self, violation: &Violation) -> bool {
        let (id, by) = (violation.contract, &violation.call.recipe);
        let known = self.refuting.get(&id);
        let is_news = known.is_none_or(|known| by.steps.len() < known.steps.len());
        if is_news {
            self.refuting.insert(id, by.clone());
        }
        is_news
    }

    /// Takes in a violation of another check.
    pub(crate) fn take_other_violation(&mut self, violation: Violation) {
        let length = |it: &Violation| it.call.recipe.steps.len();
        let known = self.other_violations.get(&violation.contract);
        if known.is_none_or(|known| length(&violation) < length(known)) {
            self.other_violations.insert(violation.contract, violation);
        }
    }

    /// All reports, and violations of other checks than the contracts under attack.
    pub(crate) fn into_parts(mut self) -> (Vec<EpochReport>, Vec<Violation>) {
        self.settle_edges();
        (self.reports, self.other_violations.into_values().collect())
    }

    /// The verdict on a contract that an epoch contradicted.
    pub(crate) fn find_refutation(&self, id: ContractId) -> Option<Verdict> {
        let by = self.refuting.get(&id)?.clone();
        Some(Verdict::Refuted { by, via: Via::Raid })
    }

    /// Takes in the report of an epoch, except for its violations.
    pub(crate) fn take_report(&mut self, mut report: EpochReport) {
        for (id, count) in std::mem::take(&mut report.attacks) {
            // Of a precondition only calls that violate it say anything, and of a claim about panics
            // those that panic: these counts are of calls that passed.
            if self.find_contract(id).is_some_and(|it| it.kind == ContractKind::Postcondition) {
                *self.survived.entry(id).or_default() += count;
            }
        }
        // One that the store has seen is closed: it would never learn what is added.
        let open = self.reports[self.recorded..].last_mut();
        match open {
            // Epochs of idle workers are many and keep no calls: one report speaks for all of them.
            Some(last) if last.kept.is_empty() && report.kept.is_empty() => {
                for EdgeCount { edge, count } in std::mem::take(&mut report.edges) {
                    *self.added_edges.entry(edge).or_default() += count;
                }
                add_report(last, report);
            }
            _ => {
                self.settle_edges();
                self.reports.push(report);
            }
        }
    }

    /// Gives the last report the edges of the epochs that it speaks for.
    fn settle_edges(&mut self) {
        let added = std::mem::take(&mut self.added_edges).into_iter();
        if let Some(last) = self.reports.last_mut() {
            last.edges.extend(added.map(|(edge, count)| EdgeCount { edge, count }));
        }
    }

    /// Calls on which a contract could have failed and did not.
    pub(crate) fn count_survived(&self, id: ContractId) -> u64 {
        self.survived.get(&id).copied().unwrap_or(0)
    }

    /// The reports that the store has not seen; from now on it has.
    pub(crate) fn take_unrecorded(&mut self) -> &[EpochReport] {
        self.settle_edges();
        let from = std::mem::replace(&mut self.recorded, self.reports.len());
        &self.reports[from..]
    }

    /// The calls that the store has not seen.
    pub(crate) fn count_unrecorded(&self) -> usize {
        self.reports[self.recorded..].iter().map(|report| report.kept.len()).sum()
    }

    /// Adds to verdicts what epochs say of the contracts.
    pub(crate) fn settle_verdicts(&self, verdicts: &mut BTreeMap<ContractId, Verdict>) {
        for (id, count) in self.survived.iter().filter(|(_, count)| **count > 0) {
            add_survived(verdicts.entry(*id).or_insert_with(Verdict::out_of_budget), *count);
        }
        for id in self.refuting.keys() {
            let known = verdicts.get(id);
            if !matches!(known, Some(Verdict::Refuted { .. })) {
                verdicts.extend(self.find_refutation(*id).map(|verdict| (*id, verdict)));
            }
        }
    }
}

/// Adds one report to another; neither has calls, and the second no edges.
fn add_report(sum: &mut EpochReport, more: EpochReport) {
    sum.calls += more.calls;
    sum.observed += more.observed;
    OpCount::add_all(&mut sum.ops, &more.ops);
    for law in more.laws {
        match sum.laws.iter_mut().find(|it| (it.ty, &it.law) == (law.ty, &law.law)) {
            Some(known) => {
                known.checked += law.checked;
                known.broken += law.broken;
            }
            None => sum.laws.push(law),
        }
    }
    sum.states.extend(more.states);
    sum.new_states.extend(more.new_states);
    sum.new_transitions.extend(more.new_transitions);
    sum.covered.extend(more.covered);
}

/// The epoch of a number for an operation, from some of the objects that `origins` make.
pub(crate) fn plan_epoch(
    how: &FocusSettings,
    op: OpId,
    number: usize,
    origins: &[Sequence],
) -> EpochTask {
    let mut digest = Digest::new();
    digest.write_u64(how.seed);
    digest.write_u64(u64::from(op.0));
    digest.write_u64(number as u64);
    // Where there are few, each epoch has them all.
    let from = if origins.len() > TUPLES { number * TUPLES % origins.len() } else { 0 };
    let chosen = origins.iter().cycle().skip(from).take(origins.len().min(TUPLES));
    let furniture: Vec<Sequence> = chosen.cloned().collect();
    // Making the objects takes calls, too: they must not use up those on the operation.
    let steps: usize = furniture.iter().map(|sequence| sequence.steps.len()).sum();
    let calls = how.calls.saturating_add(u32::try_from(steps).unwrap_or(u32::MAX));
    let (seed, aim) = (digest.finish(), Some(op));
    let barred = how.barred.iter().copied().filter(|barred| *barred != op).collect();
    EpochTask { seed, calls, barred, furniture, aim, ..EpochTask::default() }
}

/// The states that a call speaks of.
pub(crate) fn states_around(call: &Observation) -> impl Iterator<Item = StateId> {
    let operands = call.objects.iter().flat_map(|it| it.after.into_iter().chain([it.before]));
    operands.chain(call.made.iter().map(|(_, state)| *state))
}

/// Adds calls that could have contradicted a contract and did not.
fn add_survived(verdict: &mut Verdict, count: u64) {
    let ways = [(Via::Raid, count)].into();
    let more = Attacks { made: count, at_risk: count, ways, closest: None };
    match verdict {
        Verdict::Refuted { .. } => {}
        Verdict::Upheld { attacks } | Verdict::RealPrecondition { attacks } => {
            attacks.add_attacks(&more);
        }
        Verdict::Unsettled { attacks, .. } => {
            let mut attacks = std::mem::take(attacks);
            attacks.add_attacks(&more);
            *verdict = Verdict::Upheld { attacks };
        }
    }
}

/// Recipes of the objects that searches found for an operation: the first tuple of each search, then
/// the second of each, as many as all its epochs need.
pub(crate) fn choose_origins(search: &Search, op: OpId) -> Vec<Sequence> {
    let found: Vec<&[Tuple]> = search.list_found(op).collect();
    let longest = found.iter().map(|tuples| tuples.len()).max().unwrap_or(0);
    let (mut origins, mut known) = (Vec::new(), BTreeSet::new());
    for nth in 0..longest {
        for tuple in found.iter().filter_map(|tuples| tuples.get(nth)) {
            let (sequence, _) = tuple.build();
            if !sequence.steps.is_empty() && known.insert(sequence.clone()) {
                origins.push(sequence);
            }
            if origins.len() == MOST_EPOCHS * TUPLES {
                return origins;
            }
        }
    }
    origins
}

#[cfg(test)]
mod tests {
    use gainsay_wire::{EdgeEnd, OutcomeClass};

    use super::*;

    fn edge(op: u32) -> Edge {
        let (before, after) = (EdgeEnd::Absent, EdgeEnd::Rest);
        let outcome = OutcomeClass::Returned;
        Edge { op: OpId(op), operand: None, ty: None, before, outcome, after }
    }

    fn report(ops: &[u32]) -> EpochReport {
        let count = |op: &u32| EdgeCount { edge: edge(*op), count: 1 };
        let observed = ops.len() as u64;
        EpochReport { observed, edges: ops.iter().map(count).collect(), ..EpochReport::default() }
    }

    fn count_edges(reports: &[EpochReport]) -> u64 {
        reports.iter().flat_map(|report| &report.edges).map(|it| it.count).sum()
    }

    #[test]
    fn every_observed_call_of_an_epoch_without_calls_is_told_to_the_store_once() {
        let mut epochs = FocusedEpochs::default();
        epochs.take_report(report(&[1, 2]));
        epochs.take_report(report(&[1, 1]));
        assert_eq!(count_edges(epochs.take_unrecorded()), 4);
        assert_eq!(count_edges(epochs.take_unrecorded()), 0);
        epochs.take_report(report(&[2]));
        epochs.take_report(report(&[3]));
        assert_eq!(count_edges(epochs.take_unrecorded()), 2);
        let (reports, _) = epochs.into_parts();
        assert_eq!(reports.iter().map(|report| report.observed).sum::<u64>(), 6);
        assert_eq!((reports.len(), count_edges(&reports)), (2, 6));
    }
}
