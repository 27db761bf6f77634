//! Chooses passing sequences that show most of the subject with few calls.

use std::collections::BTreeSet;

use gainsay_wire::{OpId, RunReport, RunTask, Sequence, Twist};
use gainsay_workers::{Cancel, Runner, WorkerError};

/// A new operation weighs as much as so many transitions or places in the code.
// A user misses an operation without a test at once, and a transition never.
const OPERATION: usize = 16;
/// Sequences that are run at a time.
// Cancellation is noticed between batches.
const BATCH: usize = 64;

/// Sequences that pass, those that add most first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cover {
    /// The sequences with what was seen of each call.
    pub chosen: Vec<(Sequence, RunReport)>,
    /// The operations of all candidates that pass.
    pub operations: BTreeSet<OpId>,
}

/// The operations, transitions and counters that a sequence reaches.
#[derive(Clone, Debug, Default)]
struct Reach {
    operations: BTreeSet<OpId>,
    transitions: BTreeSet<u64>,
    counters: BTreeSet<u32>,
}

/// Runs all candidates and takes at most `most` of them, each time the one that adds most; of
/// equals the shorter.
pub fn cover(
    runner: &mut dyn Runner,
    candidates: &[Sequence],
    most: usize,
    cancel: &Cancel,
) -> Result<Cover, WorkerError> {
    let mut passing: Vec<(Sequence, RunReport, Reach)> = Vec::new();
    for batch in candidates.chunks(BATCH) {
        let tasks: Vec<RunTask> = batch.iter().map(task_with_views).collect();
        for (sequence, answer) in batch.iter().zip(runner.run(&tasks, cancel)?) {
            if let Some(report) = answer.done().filter(|report| passes_quietly(sequence, report)) {
                passing.push((sequence.clone(), report.clone(), Reach::of(report)));
            }
        }
    }
    let (mut found, mut reached) = (Cover::default(), Reach::default());
    found.operations = passing.iter().flat_map(|(_, _, reach)| reach.operations.clone()).collect();
    while found.chosen.len() < most {
        let gain = |at: &usize| reached.count_news(&passing[*at].2);
        let worth = |at: &usize| (gain(at), std::cmp::Reverse((passing[*at].0.steps.len(), *at)));
        let best = (0..passing.len()).max_by_key(worth).filter(|at| gain(at) > 0);
        // Greedy choice: a smallest cover is hard to find, and nobody would see the difference.
        let Some(best) = best else { break };
        let (sequence, report, reach) = passing.swap_remove(best);
        reached.add(&reach);
        found.chosen.push((sequence, report));
    }
    Ok(found)
}

/// A run with views.
pub(crate) fn task_with_views(sequence: &Sequence) -> RunTask {
    RunTask { sequence: sequence.clone(), views: true, laws: true, asks: Vec::new() }
}

/// True if every call came back, no oracle objected, and the caller behaved.
pub(crate) fn passes_quietly(sequence: &Sequence, report: &RunReport) -> bool {
    let is_plain = sequence.steps.iter().all(|step| step.twist == Twist::None);
    let all_made = report.steps.len() == sequence.steps.len();
    let returned = report.steps.iter().all(|step| step.outcome.returned());
    is_plain && all_made && returned && report.findings.is_empty()
}

impl Reach {
    fn of(report: &RunReport) -> Reach {
        let observations = report.steps.iter().filter_map(|step| step.observation.as_ref());
        Reach {
            operations: observations.clone().map(|seen| seen.op).collect(),
            transitions: observations.map(gainsay_wire::Observation::transition_digest).collect(),
            counters: report.covered.iter().copied().collect(),
        }
    }

    fn add(&mut self, other: &Reach) {
        self.operations.extend(&other.operations);
        self.transitions.extend(&other.transitions);
        self.counters.extend(&other.counters);
    }

    /// Counts the news in another.
    fn count_news(&self, other: &Reach) -> usize {
        let operations = other.operations.difference(&self.operations).count();
        let transitions = other.transitions.difference(&self.transitions).count();
        let counters = other.counters.difference(&self.counters).count();
        OPERATION * operations + transitions + counters
    }
}

#[cfg(test)]
mod tests {
    use gainsay_wire::{Finding, Observation, Oracle, Outcome, StepReport};
    use gainsay_workers::Answer;

    use super::*;
    use crate::fake::{CLONE, Fake, NEW, NOISE, POP, PUSH, int, obj, sequence};

    /// Each operation covers a place of its own.
    fn pass_each_step(task: &RunTask) -> Answer<RunReport> {
        let step = |op: OpId| StepReport {
            outcome: Outcome::Returned,
            observation: Some(Observation {
                op,
                outcome: Outcome::Returned,
                values: vec![],
                objects: vec![],
                made: vec![],
                freed: Vec::new(),
            }),
        };
        let ops = task.sequence.steps.iter().map(|step| step.op);
        let covered = ops.clone().map(|op| op.0).collect();
        Answer::Done(RunReport { steps: ops.map(step).collect(), covered, ..RunReport::default() })
    }

    fn candidates() -> Vec<Sequence> {
        vec![
            sequence(&[(NEW, &[])]),
            sequence(&[(NEW, &[]), (PUSH, &[obj(0), int(1)]), (POP, &[obj(0)])]),
            sequence(&[(NEW, &[]), (CLONE, &[obj(0)])]),
            sequence(&[(NEW, &[]), (PUSH, &[obj(0), int(1)])]),
        ]
    }

    #[test]
    fn what_adds_most_comes_first_and_what_adds_nothing_is_left() {
        let found =
            cover(&mut Fake::running(pass_each_step), &candidates(), 9, &Cancel::new()).unwrap();
        let chosen: Vec<&Sequence> = found.chosen.iter().map(|(sequence, _)| sequence).collect();
        assert_eq!(chosen, [&candidates()[1], &candidates()[2]]);
        assert_eq!(found.operations.len(), 4);
    }

    #[test]
    fn no_more_are_taken_than_asked_for() {
        let found =
            cover(&mut Fake::running(pass_each_step), &candidates(), 1, &Cancel::new()).unwrap();
        assert_eq!(found.chosen.len(), 1);
        assert_eq!(found.operations.len(), 4);
    }

    #[test]
    fn what_an_oracle_objects_to_does_not_count_as_passing() {
        let objected = |task: &RunTask| {
            let Answer::Done(mut report) = pass_each_step(task) else { return Answer::Cancelled };
            report.findings.push(Finding {
                oracle: Oracle::Law("seq-is-sorted".parse().unwrap()),
                op: NOISE,
                about: None,
                message: String::new(),
                recipe: Sequence::default(),
            });
            Answer::Done(report)
        };
        let found = cover(&mut Fake::running(objected), &candidates(), 9, &Cancel::new()).unwrap();
        assert_eq!(found, Cover::default());
    }
}
