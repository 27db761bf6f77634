//! Broken memory judged with fake workers of two builds.

use gainsay_wire::{Outcome, RunReport, Sequence};
use gainsay_workers::{Answer, Cancel};

use super::*;
use crate::fake::{Fake, NEW, NOISE, POP, PUSH, died, int, obj, report, sequence, subject};
use crate::judge::Effort;

const OVERFLOW: &str = "AddressSanitizer: heap-buffer-overflow";

/// A push corrupts memory, and whoever makes noise afterwards crashes.
fn crashing() -> Sequence {
    sequence(&[
        (NEW, &[]),
        (NOISE, &[int(3)]),
        (PUSH, &[obj(0), int(7)]),
        (POP, &[obj(0)]),
        (NOISE, &[int(5)]),
    ])
}

fn cut_after(sequence: &Sequence, op: OpId) -> Option<Sequence> {
    let at = sequence.steps.iter().position(|step| step.op == op)?;
    Some(sequence.keep_steps(|i| i <= at))
}

/// The build that sees memory break: the push is where it ends.
fn sanitized(task: &RunTask) -> Answer<RunReport> {
    match cut_after(&task.sequence, PUSH) {
        Some(steps) => Answer::Died(died(&steps, Outcome::Aborted(OVERFLOW.parse().unwrap()))),
        None => report(None),
    }
}

/// The ordinary build: noise after a push is where it ends.
fn ordinary(task: &RunTask) -> Answer<RunReport> {
    let steps = &task.sequence.steps;
    let push = steps.iter().position(|step| step.op == PUSH).unwrap_or(steps.len());
    if steps[push..].iter().any(|step| step.op == NOISE) {
        return Answer::Died(died(&task.sequence, Outcome::Aborted("SIGSEGV".parse().unwrap())));
    }
    report(None)
}

fn crash() -> Findings {
    let mut findings = Findings::default();
    let death = died(&crashing(), Outcome::Aborted("SIGSEGV".parse().unwrap()));
    findings.note_death(&subject(), &death);
    findings
}

fn judged(
    known: &mut Vec<Fault>,
    plain: impl Fn(&RunTask) -> Answer<RunReport>,
) -> BTreeSet<Identity> {
    let mut other = Fake::running(sanitized);
    let mut plain = Fake::running(plain);
    let subject = subject().built_as(Build::Asan);
    let mut builds = Builds { other: &mut other, subject: &subject, ordinary: &mut plain };
    let (effort, cancel) = (Effort::default(), &Cancel::new());
    let hearing = Hearing { subject: &subject, effort, cancel, event: &mut |_| {} };
    judge_memory(&mut builds, &crash(), known, hearing).unwrap()
}

#[test]
fn a_crash_is_laid_on_the_operation_of_the_first_wrong_access() {
    let mut faults = Vec::new();
    let explained = judged(&mut faults, ordinary);
    assert_eq!(explained.len(), 1);
    assert_eq!(faults.len(), 1);
    assert_eq!((faults[0].op, faults[0].build), (PUSH, Build::Asan));
    assert_eq!(faults[0].oracle, Oracle::Death(OVERFLOW.parse().unwrap()));
    assert_eq!(faults[0].sequence, sequence(&[(NEW, &[]), (PUSH, &[obj(0), int(0)])]));
}

#[test]
fn what_the_ordinary_build_shows_too_needs_no_other() {
    let mut faults = Vec::new();
    judged(&mut faults, |task| match cut_after(&task.sequence, PUSH) {
        Some(_) => report(Some((Oracle::Probe("uninitialised".parse().unwrap()), PUSH))),
        None => report(None),
    });
    assert_eq!((faults[0].op, faults[0].build), (PUSH, Build::Debug));
    assert_eq!(faults[0].oracle, Oracle::Probe("uninitialised".parse().unwrap()));
}

#[test]
fn what_comes_of_a_known_fault_is_not_told_again() {
    let mut faults = Vec::new();
    judged(&mut faults, ordinary);
    let push = faults[0].clone();
    let pop = Fault {
        id: "other".to_owned(),
        op: POP,
        operation: "Stack::pop".to_owned(),
        ..push.clone()
    };
    let after =
        |ops: &[(OpId, &[_])], fault: &Fault| Fault { sequence: sequence(ops), ..fault.clone() };
    let victim = after(&[(NEW, &[]), (PUSH, &[obj(0), int(0)]), (POP, &[obj(0)])], &pop);
    let alone = after(&[(NEW, &[]), (POP, &[obj(0)])], &pop);
    let check = |found: &Fault, known: &[&Fault], expected: bool| {
        let known: Vec<Fault> = known.iter().map(|fault| (*fault).clone()).collect();
        assert_eq!(is_news(found, &known), expected, "{}", found.operation);
    };
    check(&victim, &[], true);
    check(&victim, &[&push], false);
    check(&alone, &[&push], true);
    check(&push, &[&push], false);
    // Found where the caller's code misbehaved, but it takes none of that.
    assert!(!is_untold(&victim, std::slice::from_ref(&push)));
    assert!(is_untold(&alone, std::slice::from_ref(&push)));
    let checked = Oracle::Death("unsafe precondition(s) violated: ptr::copy".parse().unwrap());
    check(&victim, &[&Fault { oracle: checked, ..push }], true);
}
