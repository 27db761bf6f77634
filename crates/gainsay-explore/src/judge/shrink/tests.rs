//! Shrinking with fake workers: what goes, what stays.

use gainsay_model::fault::Moment;
use gainsay_wire::{OpId, Oracle, Outcome, RunReport, RunTask};
use gainsay_workers::{Answer, Cancel};

use super::*;
use crate::{
    fake::{
        CLONE, FROM, Fake, NEW, NOISE, POP, PUSH, died, int, interpret, obj, report, sequence,
        subject,
    },
    findings::identity::Identity,
    judge::trial::Target,
    sequences::Views,
};

/// Shrinks with a subject that hangs in the last step when `wrong`.
fn shrunk(start: &Sequence, left: u32, wrong: impl Fn(&Sequence) -> bool) -> (Sequence, u64) {
    shrunk_by(&Cancel::new(), start, left, wrong)
}

fn shrunk_by(
    cancel: &Cancel,
    start: &Sequence,
    left: u32,
    wrong: impl Fn(&Sequence) -> bool,
) -> (Sequence, u64) {
    let subject = subject();
    let op = start.steps.last().unwrap().op;
    let run = |task: &RunTask| -> Answer<RunReport> {
        let last = task.sequence.steps.last().map(|step| step.op);
        report((last == Some(op) && wrong(&task.sequence)).then_some((Oracle::Hang, op)))
    };
    let mut fake = Fake::running(run);
    let identity = Identity::of(&subject, &Oracle::Hang, op);
    let seen = Sighting {
        identity: identity.clone(),
        oracle: Oracle::Hang,
        op,
        about: None,
        moment: Moment::Call,
        message: String::new(),
    };
    let mut trial = Trial::new(&mut fake, &subject, cancel, Target::Exact(identity));
    trial.left = left;
    let (sequence, _) = shrink(&mut trial, (start.clone(), seen)).unwrap();
    assert_eq!(u64::from(left - trial.left), fake.runs, "what was not used is left");
    (sequence, fake.runs)
}

/// True if some object holds at least `n` elements.
fn holds(n: usize) -> impl Fn(&Sequence) -> bool {
    move |sequence| interpret(sequence).iter().any(|object| object.len() >= n)
}

fn noisy() -> Sequence {
    let mut steps = Vec::new();
    for i in 0..40 {
        steps.push(Step::new(NOISE, vec![int(i)]));
    }
    let mut all = Sequence { steps };
    all.append(&sequence(&[
        (FROM, &[int(500)]),
        (CLONE, &[obj(0)]),
        (PUSH, &[obj(1), int(77)]),
        (NOISE, &[int(3)]),
        (POP, &[obj(0)]),
        (PUSH, &[obj(1), int(-4)]),
    ]));
    all
}

#[test]
fn noise_detours_and_large_values_go() {
    let (small, _) = shrunk(&noisy(), 400, holds(2));
    assert_eq!(small, sequence(&[(FROM, &[int(0)]), (PUSH, &[obj(0), int(0)])]));
}

#[test]
fn values_that_matter_because_they_are_equal_shrink_together() {
    let start = sequence(&[
        (NEW, &[]),
        (PUSH, &[obj(0), int(731)]),
        (PUSH, &[obj(0), int(12)]),
        (PUSH, &[obj(0), int(731)]),
    ]);
    let twice = |sequence: &Sequence| {
        interpret(sequence)
            .iter()
            .any(|o| o.iter().any(|n| *n != 0 && o.iter().filter(|m| *m == n).count() > 1))
    };
    let (small, _) = shrunk(&start, 400, twice);
    let (push, one) = (PUSH, int(1));
    assert_eq!(
        small,
        sequence(&[(NEW, &[]), (push, &[obj(0), one.clone()]), (push, &[obj(0), one])])
    );
}

#[test]
fn an_object_is_made_the_plainest_way_that_still_does() {
    let start = sequence(&[(FROM, &[int(9)]), (POP, &[obj(0)])]);
    let (small, _) = shrunk(&start, 400, |sequence| sequence.steps.len() == 2);
    assert_eq!(small, sequence(&[(NEW, &[]), (POP, &[obj(0)])]));
}

#[test]
fn the_budget_of_runs_is_kept_and_what_was_reached_is_returned() {
    let (small, runs) = shrunk(&noisy(), 5, holds(2));
    assert_eq!(runs, 5);
    assert!(small.steps.len() < 46 && holds(2)(&small));
}

#[test]
fn shrinking_is_repeatable() {
    assert_eq!(shrunk(&noisy(), 60, holds(2)), shrunk(&noisy(), 60, holds(2)));
}

#[test]
fn a_death_with_a_loose_target_may_move_to_another_operation() {
    let subject = subject();
    let crash = |task: &RunTask| {
        let at = task.sequence.steps.iter().position(|step| step.op == NOISE);
        match at.map(|at| task.sequence.keep_steps(|i| i <= at)) {
            Some(until) => Answer::Died(died(&until, Outcome::Aborted("SIGSEGV".parse().unwrap()))),
            None => report(None),
        }
    };
    let mut fake = Fake::running(crash);
    let cancel = Cancel::new();
    let oracle = Oracle::Death("SIGABRT".parse().unwrap());
    let identity = Identity::of(&subject, &oracle, POP);
    let target = Target::Clause(identity.clause.clone());
    let seen = Sighting {
        identity,
        oracle,
        op: POP,
        about: None,
        moment: Moment::Call,
        message: String::new(),
    };
    let mut trial = Trial::new(&mut fake, &subject, &cancel, target);
    (trial.left, trial.views) = (100, Views::Off);
    let start = sequence(&[(NEW, &[]), (NOISE, &[int(1)]), (POP, &[obj(0)])]);
    let (small, seen) = shrink(&mut trial, (start, seen)).unwrap();
    assert_eq!(small, sequence(&[(NOISE, &[int(0)])]));
    assert_eq!((seen.op, seen.identity.operation.as_str()), (OpId(5), "noise"));
}

#[test]
fn of_a_long_sequence_candidates_are_made_one_at_a_time() {
    // All at once they would take gigabytes.
    let mut steps: Vec<Step> = (0..600).map(|_| Step::new(NEW, vec![])).collect();
    steps.extend((0..600).map(|at| Step::new(PUSH, vec![obj(at), int(1)])));
    let long = Sequence { steps };
    let (kept, runs) = shrunk(&long, 4, |_| false);
    assert_eq!((kept, runs), (long, 4));
}

#[test]
fn a_run_whose_time_is_up_shrinks_briefly() {
    let hasty = Cancel::new().hasty_from(std::time::Instant::now());
    let (sequence, runs) = shrunk_by(&hasty, &noisy(), 200, holds(2));
    assert!(runs <= 25, "{runs}");
    assert!(sequence.steps.len() < noisy().steps.len());
}
