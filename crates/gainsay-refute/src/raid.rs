//! Raids: an operation is called many times in a row, at the full speed of a worker, on the objects
//! that searches found for attacks on its contracts and on what becomes of them. An attack by itself
//! makes one call on each; what takes the right argument, or an object with a certain past, is
//! likelier to come of many. Workers raid while other attacks are planned.

use std::{
    collections::{BTreeMap, BTreeSet},
    hash::Hasher as _,
    rc::Rc,
};

use gainsay_model::contract::{Attacks, Contract, ContractKind, Verdict, Via};
use gainsay_store::{Found, Spread};
use gainsay_wire::{
    ContractId, Digest, EpochReport, EpochTask, Expr, Observation, OpCount, OpId, Sequence,
    Settings, StateId, Violation,
};
use gainsay_workers::{PLACES, PlacedEpoch};

use crate::range::Reach;

/// How raids are made.
#[derive(Clone, Debug)]
pub struct Raid {
    /// What holds for workers meanwhile: the contracts are among the checks.
    pub settings: Settings,
    /// Decides what is random.
    pub seed: u64,
    /// Calls of one raid, besides those that make its objects.
    pub calls: u32,
    /// Operations that are not called by the way: they killed workers.
    pub barred: Vec<OpId>,
    /// What workers do that would have nothing to do.
    pub idleness: Idleness,
}

/// What workers do that would have nothing to do while attacks are planned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Idleness {
    /// Nothing: what is done must not depend on the time it takes.
    Waits,
    /// They raid on.
    Raids,
}

/// An operation is raided so often, each time with other objects.
pub(crate) const MOST: usize = 3;
/// Of these while only what is nearest is attacked.
const MOST_FROM_NEAR: usize = 1;
/// Tuples of objects that a raid begins with.
const TUPLES: usize = 8;

/// Calls that a raid may tell of: recording them all would take longer than making them.
const KEPT: u32 = 24;

/// What searches found, by operation, predicate, spread and limit.
type Searches = BTreeMap<(OpId, Expr, Spread, usize), Rc<Found>>;

/// Raids and what came of them.
#[derive(Debug, Default)]
pub(crate) struct Raids {
    /// None where nothing is raided.
    how: Option<Raid>,
    contracts: BTreeMap<ContractId, Contract>,
    /// How often each operation was raided.
    made: BTreeMap<OpId, usize>,
    ordered: usize,
    /// On how many calls each contract could have failed and did not.
    survived: BTreeMap<ContractId, u64>,
    /// The shortest way to a violation.
    refuted: BTreeMap<ContractId, Sequence>,
    /// What was seen apart from that.
    pub(crate) reports: Vec<EpochReport>,
    recorded: usize,
    /// Of what workers watched and nobody here asked about, the shortest for each.
    violations: BTreeMap<ContractId, Violation>,
}

impl Raids {
    pub(crate) fn new(raid: &Raid, contracts: &[Contract]) -> Raids {
        let contracts = contracts.iter().map(|contract| (contract.id, contract.clone()));
        Raids { how: Some(raid.clone()), contracts: contracts.collect(), ..Raids::default() }
    }

    /// Whether an operation was raided less often than attacks reach.
    pub(crate) fn are_wanted(&self, op: OpId, reach: Reach) -> bool {
        let most = if reach == Reach::Near { MOST_FROM_NEAR } else { MOST };
        self.how.is_some() && self.made.get(&op).is_none_or(|made| *made < most)
    }

    /// The next raid on an operation, on what was found for it.
    pub(crate) fn next(&mut self, op: OpId, searches: &Searches) -> Option<PlacedEpoch> {
        let raid = self.how.as_ref()?;
        let made = self.made.entry(op).or_default();
        let number = *made;
        *made += 1;
        let place = self.ordered % PLACES as usize;
        self.ordered += 1;
        let heads = bridgeheads(searches, op);
        let task = EpochTask { keep: Some(KEPT), ..task(raid, (op, number), &heads) };
        Some(PlacedEpoch { place, task })
    }

    /// A contract that is under attack.
    pub(crate) fn contract(&self, id: ContractId) -> Option<&Contract> {
        self.contracts.get(&id)
    }

    /// Takes in a violation. Returns whether it is the first of its contract, or shorter: every raid
    /// tells the same again.
    pub(crate) fn refute(&mut self, violation: &Violation) -> bool {
        let (id, by) = (violation.contract, &violation.call.recipe);
        let is_news = self.refuted.get(&id).is_none_or(|known| by.steps.len() < known.steps.len());
        if is_news {
            self.refuted.insert(id, by.clone());
        }
        is_news
    }

    /// Takes in a violation of what nobody here asked about.
    pub(crate) fn note(&mut self, violation: Violation) {
        let length = |it: &Violation| it.call.recipe.steps.len();
        let known = self.violations.get(&violation.contract);
        if known.is_none_or(|known| length(&violation) < length(known)) {
            self.violations.insert(violation.contract, violation);
        }
    }

    /// All reports, and violations of what nobody here asked about.
    pub(crate) fn into_parts(self) -> (Vec<EpochReport>, Vec<Violation>) {
        (self.reports, self.violations.into_values().collect())
    }

    /// The verdict on a contract that a raid contradicted.
    pub(crate) fn refuted(&self, id: ContractId) -> Option<Verdict> {
        let by = self.refuted.get(&id)?.clone();
        Some(Verdict::Refuted { by, via: Via::Raid })
    }

    /// Takes in what else was seen.
    pub(crate) fn take(&mut self, mut report: EpochReport) {
        for (id, count) in std::mem::take(&mut report.attacks) {
            // Of a precondition only calls that violate it say anything, and of when an operation
            // panics those that do.
            if self.contract(id).is_some_and(|it| it.kind == ContractKind::Postcondition) {
                *self.survived.entry(id).or_default() += count;
            }
        }
        match self.reports.last_mut() {
            Some(last) if last.kept.is_empty() && report.kept.is_empty() => join(last, report),
            _ => self.reports.push(report),
        }
    }

    /// On how many calls a contract could have failed and did not.
    pub(crate) fn survived(&self, id: ContractId) -> u64 {
        self.survived.get(&id).copied().unwrap_or(0)
    }

    /// What the store has not seen, once.
    pub(crate) fn unrecorded(&mut self) -> &[EpochReport] {
        let from = std::mem::replace(&mut self.recorded, self.reports.len());
        &self.reports[from..]
    }

    /// How many calls that is.
    pub(crate) fn calls_unrecorded(&self) -> usize {
        self.reports[self.recorded..].iter().map(|report| report.kept.len()).sum()
    }

    /// Adds to verdicts what raids came to.
    pub(crate) fn settle(&self, verdicts: &mut BTreeMap<ContractId, Verdict>) {
        for (id, count) in self.survived.iter().filter(|(_, count)| **count > 0) {
            survive(verdicts.entry(*id).or_insert_with(Verdict::out_of_budget), *count);
        }
        for id in self.refuted.keys() {
            let known = verdicts.get(id);
            if !matches!(known, Some(Verdict::Refuted { .. })) {
                verdicts.extend(self.refuted(*id).map(|verdict| (*id, verdict)));
            }
        }
    }
}

/// Takes one report into another; neither tells calls. There may be many of these.
fn join(sum: &mut EpochReport, more: EpochReport) {
    sum.calls += more.calls;
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

/// The raid of a number on an operation, from the objects that `heads` lead to.
pub(crate) fn task(raid: &Raid, (op, number): (OpId, usize), heads: &[Sequence]) -> EpochTask {
    let mut digest = Digest::new();
    digest.write_u64(raid.seed);
    digest.write_u64(u64::from(op.0));
    digest.write_u64(number as u64);
    // Where there are few, each raid has them all.
    let from = if heads.len() > TUPLES { number * TUPLES % heads.len() } else { 0 };
    let heads = heads.iter().cycle().skip(from).take(heads.len().min(TUPLES));
    let furniture: Vec<Sequence> = heads.cloned().collect();
    let steps: usize = furniture.iter().map(|sequence| sequence.steps.len()).sum();
    let calls = raid.calls.saturating_add(u32::try_from(steps).unwrap_or(u32::MAX));
    let (seed, aim) = (digest.finish(), Some(op));
    let barred = raid.barred.iter().copied().filter(|barred| *barred != op).collect();
    EpochTask { seed, calls, barred, furniture, aim, ..EpochTask::default() }
}

/// The states that a call speaks of.
pub(crate) fn spoken_of(call: &Observation) -> impl Iterator<Item = StateId> {
    let operands = call.objects.iter().flat_map(|it| it.after.into_iter().chain([it.before]));
    operands.chain(call.made.iter().map(|(_, state)| *state))
}

/// So many calls could have contradicted and did not.
fn survive(verdict: &mut Verdict, count: u64) {
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

/// Ways to the objects that searches found for an operation, of each search some.
pub(crate) fn bridgeheads(searches: &Searches, op: OpId) -> Vec<Sequence> {
    let of_op = searches.iter().filter(|((of, ..), _)| *of == op);
    let found: Vec<_> = of_op.map(|(_, found)| &found.tuples).collect();
    let longest = found.iter().map(|tuples| tuples.len()).max().unwrap_or(0);
    let (mut heads, mut known) = (Vec::new(), BTreeSet::new());
    for nth in 0..longest {
        for tuple in found.iter().filter_map(|tuples| tuples.get(nth)) {
            let (sequence, _) = tuple.build();
            if !sequence.steps.is_empty() && known.insert(sequence.clone()) {
                heads.push(sequence);
            }
            if heads.len() == MOST * TUPLES {
                return heads;
            }
        }
    }
    heads
}
