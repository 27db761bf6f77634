//! Tests that are worth a person's look: those that contradict what was inferred without them.

pub(crate) mod shortened;

use std::collections::{BTreeMap, BTreeSet};

use gainsay_wire::{Expr, OpId, RunReport, Sequence, Truth, truth};
use gainsay_workers::{Cancel, Runner, WorkerError};

use crate::{
    characterize::covering_set::{passes_quietly, task_with_views},
    judge::{
        Effort,
        broken_contracts::{Broken, shrink_broken},
    },
    subject_model::SubjectModel,
};

/// A claim that was inferred, and the calls that contradicted it first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Contradicted {
    /// Of this operation.
    pub op: OpId,
    /// The claim that should have held on its passing calls.
    pub claim: Expr,
    /// The calls; the operation is the last.
    pub by: Sequence,
}

/// A test that contradicts claims.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Selected {
    /// The calls.
    pub sequence: Sequence,
    /// The report of their run.
    pub report: RunReport,
    /// The claims that it contradicts and no test before it does, by their numbers.
    pub contradicts: BTreeSet<usize>,
}

/// Tests that contradict claims, each claim by one of them: those that contradict most first, among
/// equals the shortest. Each is made as short as it can be.
pub fn select(
    runner: &mut dyn Runner,
    subject: &SubjectModel,
    claims: &[Contradicted],
    most: usize,
    cancel: &Cancel,
) -> Result<Vec<Selected>, WorkerError> {
    let mut open = contradicting_sequences(runner, subject, claims, cancel)?;
    let mut selected: Vec<Selected> = Vec::new();
    while selected.len() < most && !cancel.is_cancelled() {
        let worth = |found: &Selected| {
            (found.contradicts.len(), std::cmp::Reverse(found.sequence.steps.len()))
        };
        // Of equals the first that was met.
        let best = (0..open.len()).rev().max_by_key(|at| worth(&open[*at]));
        let Some(best) = best.filter(|at| !open[*at].contradicts.is_empty()) else { break };
        let best = open.remove(best);
        for other in &mut open {
            other.contradicts.retain(|claim| !best.contradicts.contains(claim));
        }
        selected.push(shorten_test(runner, subject, claims, best, cancel)?);
    }
    Ok(selected)
}

/// Each sequence that passes with all claims that it contradicts.
fn contradicting_sequences(
    runner: &mut dyn Runner,
    subject: &SubjectModel,
    claims: &[Contradicted],
    cancel: &Cancel,
) -> Result<Vec<Selected>, WorkerError> {
    let mut order: BTreeMap<&Sequence, usize> = BTreeMap::new();
    for (at, claim) in claims.iter().enumerate() {
        order.entry(&claim.by).or_insert(at);
    }
    let mut sequences: Vec<&Sequence> = order.keys().copied().collect();
    sequences.sort_by_key(|sequence| order[sequence]);
    let tasks: Vec<_> = sequences.iter().map(|sequence| task_with_views(sequence)).collect();
    let mut found = Vec::new();
    for (sequence, answer) in sequences.into_iter().zip(runner.run(&tasks, cancel)?) {
        let Some(report) = answer.done().filter(|report| passes_quietly(sequence, report)) else {
            continue;
        };
        let contradicts = claims_contradicted_by(subject, claims, report);
        found.push(Selected { sequence: sequence.clone(), report: report.clone(), contradicts });
    }
    Ok(found)
}

/// The claims that are false on the last call.
fn claims_contradicted_by(
    subject: &SubjectModel,
    claims: &[Contradicted],
    report: &RunReport,
) -> BTreeSet<usize> {
    let numbered = claims.iter().enumerate();
    let contradicted = numbered.filter(|(_, claim)| is_contradicted(subject, claim, report));
    contradicted.map(|(at, _)| at).collect()
}

/// True if a claim is false on the last call.
pub(crate) fn is_contradicted(
    subject: &SubjectModel,
    claim: &Contradicted,
    report: &RunReport,
) -> bool {
    let last = report.steps.last().and_then(|step| step.observation.as_ref());
    let Some(call) = last.filter(|call| call.op == claim.op) else { return false };
    let vocabulary = subject.manifest().vocabulary(call.op);
    truth(&claim.claim, &(&vocabulary, call)) == Truth::False
}

/// The test with fewer and simpler calls that contradict the same claims.
fn shorten_test(
    runner: &mut dyn Runner,
    subject: &SubjectModel,
    claims: &[Contradicted],
    test: Selected,
    cancel: &Cancel,
) -> Result<Selected, WorkerError> {
    let Some(op) = test.sequence.steps.last().map(|step| step.op) else { return Ok(test) };
    // False exactly when all of them are.
    let contract = Expr::Or(test.contradicts.iter().map(|at| claims[*at].claim.clone()).collect());
    let broken = Broken::new(op, contract, test.sequence.clone());
    let (shortest, _) = shrink_broken(runner, &broken, subject, Effort::default(), cancel)?;
    let Some(sequence) = shortest else { return Ok(test) };
    let answers = runner.run(&[task_with_views(&sequence)], cancel)?;
    let report = answers.first().and_then(|answer| answer.done());
    Ok(match report.filter(|report| passes_quietly(&sequence, report)) {
        Some(report) => Selected { sequence, report: report.clone(), ..test },
        None => test,
    })
}
