//! Raids: an operation is called many times in a row, at the full speed of a worker, on the objects
//! that searches found for attacks on its contracts and on what becomes of them. An attack by itself
//! makes one call on each; what takes the right argument, or an object with a certain past, is
//! likelier to come of many.

use std::{
    collections::{BTreeMap, BTreeSet},
    hash::Hasher as _,
    time::Instant,
};

use gainsay_model::contract::{Attacks, Contract, ContractKind, Verdict, Via};
use gainsay_wire::{
    ContractId, Digest, EpochReport, EpochTask, OpId, Sequence, Settings, Violation,
};
use gainsay_workers::{Answer, Cancel, PLACES, PlacedEpoch};

use crate::{Context, RefuteError, range::Range, vigilance::contradicts};

/// How raids are made.
#[derive(Clone, Debug)]
pub struct Raid {
    /// What holds for workers meanwhile: the contracts are among the checks.
    pub settings: Settings,
    /// Decides what is random.
    pub seed: u64,
    /// Calls of one raid, besides those that make its objects.
    pub calls: u32,
}

/// Every operation is raided so often, each time with other objects.
const SWEEPS: usize = 3;
/// Tuples of objects that a raid begins with.
const TUPLES: usize = 8;

type Verdicts = BTreeMap<ContractId, Verdict>;

/// Raids every operation that has contracts which stand, those that were tried least first. Takes
/// at most half of the time that is left.
pub(crate) fn sweep_all(
    context: &mut Context<'_>,
    range: &mut Range,
    contracts: &[Contract],
    verdicts: &mut Verdicts,
) -> Result<(), RefuteError> {
    let Some(raid) = context.raid.clone() else { return Ok(()) };
    let half = context.cancel.left().map(|left| context.cancel.until(Instant::now() + left / 2));
    let cancel = half.as_ref().unwrap_or(context.cancel).clone();
    let usual = context.runner.settings().clone();
    context.runner.configure(raid.settings.clone())?;
    let mut result = Ok(());
    for number in 0..SWEEPS {
        let sweep = Sweep { raid: &raid, contracts, number, cancel: &cancel };
        result = sweep.make(context, range, verdicts);
        if result.is_err() || cancel.is_cancelled() {
            break;
        }
    }
    context.runner.configure(usual)?;
    result
}

/// One raid on each operation.
struct Sweep<'a> {
    raid: &'a Raid,
    contracts: &'a [Contract],
    number: usize,
    cancel: &'a Cancel,
}

impl Sweep<'_> {
    fn make(
        &self,
        context: &mut Context<'_>,
        range: &mut Range,
        verdicts: &mut Verdicts,
    ) -> Result<(), RefuteError> {
        let ops = self.targets(range, verdicts);
        let task = |(i, op): (usize, &OpId)| PlacedEpoch {
            place: i % PLACES as usize,
            task: self.task(*op, &bridgeheads(range, *op)),
        };
        let tasks: Vec<PlacedEpoch> = ops.iter().enumerate().map(task).collect();
        let began = Instant::now();
        let answers = context.runner.epochs(&tasks, self.cancel)?;
        range.effort.running += began.elapsed();
        let mut reports = Vec::new();
        for answer in answers {
            match answer {
                Answer::Done(report) => reports.push(report),
                Answer::Died(death) => range.mourn(death),
                Answer::Cancelled => {}
            }
        }
        for report in &mut reports {
            self.judge(context, range, report, verdicts);
        }
        range.take_raids(&mut context.apart().1, reports)
    }

    /// Operations with contracts that stand, those whose contracts were tried least first.
    fn targets(&self, range: &Range, verdicts: &Verdicts) -> Vec<OpId> {
        let mut least: BTreeMap<OpId, u64> = BTreeMap::new();
        for contract in self.contracts {
            if !matches!(verdicts.get(&contract.id), Some(Verdict::Refuted { .. })) {
                let tried = crate::tried(contract, range, verdicts);
                let known = least.entry(contract.op).or_insert(tried);
                *known = tried.min(*known);
            }
        }
        let mut ops: Vec<(u64, OpId)> = least.into_iter().map(|(op, tried)| (tried, op)).collect();
        ops.sort_unstable();
        ops.into_iter().map(|(_, op)| op).collect()
    }

    fn task(&self, op: OpId, heads: &[Sequence]) -> EpochTask {
        let mut seed = Digest::new();
        seed.write_u64(self.raid.seed);
        seed.write_u64(u64::from(op.0));
        seed.write_u64(self.number as u64);
        // Where there are few, each sweep has them all.
        let from = if heads.len() > TUPLES { self.number * TUPLES } else { 0 };
        let heads = heads.iter().cycle().skip(from).take(heads.len().min(TUPLES));
        let furniture: Vec<Sequence> = heads.cloned().collect();
        let steps: usize = furniture.iter().map(|sequence| sequence.steps.len()).sum();
        let steps = u32::try_from(steps).unwrap_or(u32::MAX);
        let calls = self.raid.calls.saturating_add(steps);
        EpochTask { seed: seed.finish(), calls, furniture, aim: Some(op), ..EpochTask::default() }
    }

    /// What a raid says of contracts: violations refute, calls that could have are attacks.
    fn judge(
        &self,
        context: &mut Context<'_>,
        range: &mut Range,
        report: &mut EpochReport,
        verdicts: &mut Verdicts,
    ) {
        let own: BTreeMap<ContractId, &Contract> =
            self.contracts.iter().map(|contract| (contract.id, contract)).collect();
        let desk = context.apart().1;
        for violation in std::mem::take(&mut report.violations) {
            match own.get(&violation.contract) {
                Some(contract) if contradicts(&desk, range, contract, &violation.call) => {
                    refute(verdicts, &violation);
                }
                Some(_) => {}
                None => range.violations.push(violation),
            }
        }
        for (id, count) in std::mem::take(&mut report.attacks) {
            if own.get(&id).is_some_and(|it| it.kind != ContractKind::Precondition) {
                *range.raided.entry(id).or_default() += count;
            }
        }
    }
}

/// The shortest way to a violation is kept.
fn refute(verdicts: &mut Verdicts, violation: &Violation) {
    let by = &violation.call.recipe;
    let is_shorter = match verdicts.get(&violation.contract) {
        Some(Verdict::Refuted { by: known, .. }) => by.steps.len() < known.steps.len(),
        _ => true,
    };
    if is_shorter {
        let refuted = Verdict::Refuted { by: by.clone(), via: Via::Raid };
        verdicts.insert(violation.contract, refuted);
    }
}

/// Adds to verdicts what raids came to: so many calls could have contradicted and did not.
pub(crate) fn add_survived(range: &Range, verdicts: &mut Verdicts) {
    for (id, count) in range.raided.iter().filter(|(_, count)| **count > 0) {
        survive(verdicts.entry(*id).or_insert_with(Verdict::out_of_budget), *count);
    }
}

fn survive(verdict: &mut Verdict, count: u64) {
    let ways = [(Via::Raid, count)].into();
    let more = Attacks { made: count, at_risk: count, ways, closest: None };
    match verdict {
        Verdict::Refuted { .. } => {}
        Verdict::Upheld { attacks } | Verdict::RealPrecondition { attacks } => attacks.add(&more),
        Verdict::Unsettled { attacks, .. } => {
            let mut attacks = std::mem::take(attacks);
            attacks.add(&more);
            *verdict = Verdict::Upheld { attacks };
        }
    }
}

/// Ways to the objects that searches found for an operation, of each search some.
fn bridgeheads(range: &Range, op: OpId) -> Vec<Sequence> {
    let of_op = range.searches.iter().filter(|((of, ..), _)| *of == op);
    let found: Vec<_> = of_op.map(|(_, found)| &found.tuples).collect();
    let longest = found.iter().map(|tuples| tuples.len()).max().unwrap_or(0);
    let (mut heads, mut known) = (Vec::new(), BTreeSet::new());
    for nth in 0..longest {
        for tuple in found.iter().filter_map(|tuples| tuples.get(nth)) {
            let (sequence, _) = tuple.build();
            if !sequence.steps.is_empty() && known.insert(sequence.clone()) {
                heads.push(sequence);
            }
            if heads.len() == SWEEPS * TUPLES {
                return heads;
            }
        }
    }
    heads
}
