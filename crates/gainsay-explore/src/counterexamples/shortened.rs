//! Counterexamples with fewer and simpler calls: what contradicted a claim first is seldom what a
//! person wants to read.

use std::collections::BTreeMap;

use gainsay_wire::{RunReport, Sequence};
use gainsay_workers::{Cancel, Runner, WorkerError};

use crate::{
    characterize::covering_set::{passes_quietly, task_with_views},
    counterexamples::{Contradicted, is_contradicted},
    judge::{
        Effort,
        broken_contracts::{Broken, shrink_broken},
    },
    subject_model::SubjectModel,
};

/// Runs for one claim.
// One stubborn claim must not use up the budget of the others.
const RUNS_EACH: u64 = 200;
/// With fewer nothing can be tried: one to see what is there, and one to see what became of it.
const LEAST: u64 = 3;

/// Shorter calls that contradict claims, by the numbers of the claims; the longest are made shorter
/// first. At most so many runs. What is found for one claim is told of all claims of its
/// operation that it contradicts, too.
pub fn shorten(
    runner: &mut dyn Runner,
    subject: &SubjectModel,
    claims: &[Contradicted],
    runs: u64,
    cancel: &Cancel,
) -> Result<BTreeMap<usize, Sequence>, WorkerError> {
    let mut order: Vec<usize> = (0..claims.len()).collect();
    order.sort_by_key(|at| std::cmp::Reverse(claims[*at].by.steps.len()));
    let mut found: BTreeMap<usize, Sequence> = BTreeMap::new();
    let mut left = runs;
    for at in order.iter().copied() {
        if left < LEAST || cancel.is_cancelled() {
            break;
        }
        if found.contains_key(&at) {
            continue;
        }
        let Some((shorter, report)) = shorten_one(runner, subject, &claims[at], &mut left, cancel)?
        else {
            continue;
        };
        let length = shorter.steps.len();
        let is_told = |other: &usize| {
            let claim = &claims[*other];
            claim.by.steps.len() >= length && is_contradicted(subject, claim, &report)
        };
        let told: Vec<usize> = order.iter().copied().filter(is_told).collect();
        // One short sequence for several claims spares their runs, and the reader a sequence.
        for other in told {
            found.entry(other).or_insert_with(|| shorter.clone());
        }
    }
    Ok(found)
}

/// Fewer or simpler calls, which pass and contradict the claim when they are made again.
fn shorten_one(
    runner: &mut dyn Runner,
    subject: &SubjectModel,
    claim: &Contradicted,
    left: &mut u64,
    cancel: &Cancel,
) -> Result<Option<(Sequence, RunReport)>, WorkerError> {
    let most = (*left).min(RUNS_EACH);
    let broken = Broken::new(claim.op, claim.claim.clone(), claim.by.clone());
    let runs = u32::try_from(most.saturating_sub(2)).unwrap_or(u32::MAX);
    let effort = Effort { runs, ..Effort::default() };
    let (shorter, used) = shrink_broken(runner, &broken, subject, effort, cancel)?;
    // One more for the run below.
    *left = left.saturating_sub(u64::from(used) + 1);
    let Some(shorter) = shorter.filter(|it| *it != claim.by) else { return Ok(None) };
    let answers = runner.run(&[task_with_views(&shorter)], cancel)?;
    let report = answers.first().and_then(|answer| answer.done());
    let shows = |report: &&RunReport| {
        passes_quietly(&shorter, report) && is_contradicted(subject, claim, report)
    };
    let report = report.filter(shows).cloned();
    Ok(report.map(|report| (shorter, report)))
}

#[cfg(test)]
mod tests {
    use gainsay_wire::{
        Arg, Comparison, Expr, Observation, Outcome, PanicPlace, RunTask, StepReport, Term, Value,
    };
    use gainsay_workers::Answer;

    use super::*;
    use crate::fake::{Fake, NEW, POP, PUSH, int, obj, sequence, subject};

    /// Calls return, with the number that was given as what is seen; popping panics.
    fn run_fake(task: &RunTask) -> Answer<RunReport> {
        let step = |step: &gainsay_wire::Step| {
            let place = || PanicPlace {
                file: "lib.rs".into(),
                line: 1,
                message: String::new(),
                changed: false,
            };
            let outcome =
                if step.op == POP { Outcome::Panicked(place()) } else { Outcome::Returned };
            let given = step.args.iter().filter_map(|arg| match arg {
                Arg::Plain(value) => Some(value.clone()),
                Arg::Object(_) => None,
            });
            let values = given.chain([Value::Unit]).collect();
            let (objects, made) = (Vec::new(), Vec::new());
            let seen = Observation {
                op: step.op,
                outcome: outcome.clone(),
                values,
                objects,
                made,
                freed: Vec::new(),
            };
            StepReport { outcome, observation: Some(seen) }
        };
        let steps = task.sequence.steps.iter().map(step).collect();
        Answer::Done(RunReport { steps, ..RunReport::default() })
    }

    fn below(limit: i128, by: Sequence) -> Contradicted {
        let claim = Expr::term(Term::operand(1)).compare(Comparison::Lt, Expr::int(limit));
        Contradicted { op: PUSH, claim, by }
    }

    fn pushing(numbers: &[i128]) -> Sequence {
        let mut steps = vec![(NEW, vec![])];
        steps.extend(numbers.iter().map(|number| (PUSH, vec![obj(0), int(*number)])));
        let steps: Vec<_> = steps.iter().map(|(op, args)| (*op, &args[..])).collect();
        sequence(&steps)
    }

    #[test]
    fn a_counterexample_has_the_calls_and_values_that_it_takes() {
        let claims = [below(3, pushing(&[1, 70, 2, 9]))];
        let mut fake = Fake::running(run_fake);
        let found = shorten(&mut fake, &subject(), &claims, 1_000, &Cancel::new()).unwrap();
        assert_eq!(found.into_iter().collect::<Vec<_>>(), [(0, pushing(&[3]))]);
    }

    #[test]
    fn what_was_found_for_one_claim_serves_others_and_the_budget_is_kept() {
        let long = pushing(&[1, 70, 2, 9]);
        let claims = [below(3, long.clone()), below(2, pushing(&[4])), below(30, pushing(&[40]))];
        let mut fake = Fake::running(run_fake);
        let found = shorten(&mut fake, &subject(), &claims, 30, &Cancel::new()).unwrap();
        assert_eq!(found[&0], pushing(&[3]));
        assert_eq!(found[&1], pushing(&[3]), "not looked for by itself");
        assert!(fake.runs <= 30, "{}", fake.runs);
        let none = shorten(&mut fake, &subject(), &claims, 2, &Cancel::new()).unwrap();
        assert!(none.is_empty());
    }

    #[test]
    fn what_does_not_show_again_stays_as_it_was() {
        let mut panicking = pushing(&[9]);
        panicking.steps.insert(1, sequence(&[(POP, &[obj(0)])]).steps.remove(0));
        let claims = [below(30, pushing(&[9])), below(3, panicking)];
        let mut fake = Fake::running(run_fake);
        let found = shorten(&mut fake, &subject(), &claims, 1_000, &Cancel::new()).unwrap();
        assert!(found.is_empty(), "{found:?}");
    }
}
