//! Findings judged with fake workers: which become faults, which are illegal use.

use gainsay_model::{
    api::{Callee, Lending, OpKind, Operation, Param},
    build::Build,
    fault::{Confirmation, Moment, PanicClass},
    ty::Ty,
};
use gainsay_wire::{
    Arg, CallableId, Finding, OpId, Oracle, Outcome, PanicPlace, RunReport, RunTask, Sequence,
    Value,
};
use gainsay_workers::Answer;

use super::{
    settle_finding::{asked_again, at_odds},
    trial::{Target, Trial},
    *,
};
use crate::{
    fake::{
        FROM, Fake, NEW, NOISE, POP, PUSH, died, int, interpret, obj, report, sequence, subject,
    },
    findings::identity::sightings,
    sequences::{Views, handles::Oddity, task},
};

fn found(oracle: &Oracle, op: OpId, recipe: &Sequence) -> Findings {
    let mut findings = Findings::default();
    let (oracle, recipe) = (oracle.clone(), recipe.clone());
    findings.note(&subject(), &Finding { oracle, op, about: None, message: String::new(), recipe });
    findings
}

fn judged(findings: &Findings, run: impl Fn(&RunTask) -> Answer<RunReport>) -> Judged {
    let mut events = Vec::new();
    let mut listen = |event| events.push(event);
    let cancel = Cancel::new();
    let effort = Effort::default();
    let judged = judge(
        &mut Fake::running(run),
        findings,
        &LawTotals::new(),
        Hearing { subject: &subject(), effort, cancel: &cancel, event: &mut listen },
    )
    .unwrap();
    let confirmed = |fault: &&Fault| fault.confirmation == Confirmation::Confirmed;
    assert_eq!(events.len(), judged.faults.iter().filter(confirmed).count());
    judged
}

fn overflow(changed: bool) -> Oracle {
    Oracle::Panic(PanicPlace {
        file: "/s/src/lib.rs".to_owned(),
        line: 9,
        message: "attempt to subtract with overflow".to_owned(),
        changed,
    })
}

fn long() -> Sequence {
    sequence(&[
        (NEW, &[]),
        (NOISE, &[int(8)]),
        (PUSH, &[obj(0), int(40)]),
        (POP, &[obj(0)]),
        (POP, &[obj(0)]),
    ])
}

/// Pop panics on an empty stack.
fn pop_panics(task: &RunTask) -> Answer<RunReport> {
    let pops = task.sequence.steps.iter().enumerate().filter(|(_, step)| step.op == POP);
    let on_empty = pops
        .map(|(at, _)| task.sequence.keep_steps(|i| i < at))
        .any(|before| interpret(&before).iter().all(Vec::is_empty));
    report(on_empty.then(|| (overflow(false), POP)))
}

#[test]
fn a_panic_nobody_declared_is_shrunk_and_confirmed() {
    let judged = judged(&found(&overflow(false), POP, &long()), pop_panics);
    let [fault] = &judged.faults[..] else { panic!("{judged:?}") };
    assert_eq!(fault.sequence, sequence(&[(NEW, &[]), (POP, &[obj(0)])]));
    assert_eq!(fault.confirmation, Confirmation::Confirmed);
    assert_eq!(fault.operation, "Stack::pop");
    assert_eq!(fault.message, "panicked at src/lib.rs:9: attempt to subtract with overflow");
}

#[test]
fn what_does_not_repeat_is_flaky_with_what_is_known() {
    let judged = judged(&found(&overflow(false), POP, &long()), |_| report(None));
    let [fault] = &judged.faults[..] else { panic!("{judged:?}") };
    assert_eq!(fault.confirmation, Confirmation::Flaky);
    assert_eq!(fault.sequence, long());
}

#[test]
fn what_shows_only_without_views_is_flaky() {
    let unseen = |task: &RunTask| if task.views { report(None) } else { pop_panics(task) };
    let judged = judged(&found(&overflow(false), POP, &long()), unseen);
    assert_eq!(judged.faults[0].confirmation, Confirmation::Flaky);
}

#[test]
fn a_law_that_needs_views_is_confirmed_with_views() {
    let law = Oracle::Law("is_empty-agrees-with-len".parse().unwrap());
    let seen = |task: &RunTask| report(task.views.then(|| (law.clone(), POP)));
    let judged = judged(&found(&law, POP, &long()), seen);
    assert_eq!(judged.faults[0].confirmation, Confirmation::Confirmed);
    assert_eq!(judged.faults[0].sequence.steps.len(), 1);
}

#[test]
fn a_declared_panic_is_illegal_use_and_is_not_run() {
    let capacity = Oracle::Panic(PanicPlace {
        file: "library/alloc/src/raw_vec.rs".to_owned(),
        line: 1,
        message: "capacity overflow".to_owned(),
        changed: true,
    });
    let judged = judged(&found(&capacity, POP, &long()), |_| panic!("no run is needed"));
    assert!(judged.faults.is_empty());
    assert_eq!(judged.illegal[0].class, PanicClass::ResourceLimit);
    assert_eq!(judged.illegal[0].count, 1);
}

#[test]
fn running_out_of_memory_is_a_fault_only_with_modest_numbers() {
    let hungry = |threshold: i128| {
        move |task: &RunTask| {
            let asks = |step: &gainsay_wire::Step| match &step.args[..] {
                [Arg::Plain(Value::Int(n))] => *n >= threshold,
                _ => false,
            };
            if task.sequence.steps.iter().any(asks) {
                Answer::Died(died(&task.sequence, Outcome::OutOfMemory))
            } else {
                report(None)
            }
        }
    };
    let mut findings = Findings::default();
    let steps = sequence(&[(NEW, &[]), (NOISE, &[int(1 << 60)])]);
    findings.note_death(&subject(), &died(&steps, Outcome::OutOfMemory));
    let absurd = judged(&findings, hungry(1 << 40));
    assert_eq!(absurd.illegal[0].class, PanicClass::ResourceLimit);
    assert!(absurd.faults.is_empty());
    let modest = judged(&findings, hungry(100));
    assert!(modest.illegal.is_empty());
    assert_eq!(modest.faults[0].sequence, sequence(&[(NOISE, &[int(100)])]));
}

#[test]
fn what_does_not_repeat_is_no_fault_if_it_was_late_or_short_of_memory() {
    let judged_death = |number: i128, outcome: Outcome| {
        let mut findings = Findings::default();
        let steps = sequence(&[(NOISE, &[int(number)])]);
        findings.note_death(&subject(), &died(&steps, outcome));
        judged(&findings, |_| report(None))
    };
    assert_eq!(judged_death(3, Outcome::TimedOut), Judged::default());
    let absurd = judged_death(1 << 40, Outcome::OutOfMemory);
    assert_eq!((absurd.faults.len(), absurd.illegal.len()), (0, 1));
    assert_eq!(judged_death(3, Outcome::OutOfMemory), Judged::default());
}

#[test]
fn what_dies_of_a_known_killer_is_not_told_again() {
    let fault_of = |op: OpId, confirmation: Confirmation, how: &str| Fault {
        id: String::new(),
        oracle: Oracle::Death(how.parse().unwrap()),
        op,
        operation: String::new(),
        message: String::new(),
        moment: Moment::Call,
        parties: Vec::new(),
        sequence: sequence(&[(FROM, &[int(1)]), (op, &[obj(0)])]),
        confirmation,
        seen: None,
        build: Build::Debug,
    };
    let victim = || fault_of(POP, Confirmation::Flaky, "SIGSEGV");
    let killer = fault_of(FROM, Confirmation::Confirmed, "SIGSEGV");
    let stranger = fault_of(NOISE, Confirmation::Confirmed, "SIGSEGV");
    let check = |faults: &[Fault], left: usize| {
        let mut faults = faults.to_vec();
        leave_out_victims(&mut faults);
        assert_eq!(faults.len(), left, "{faults:?}");
    };
    check(&[killer.clone(), victim()], 1);
    check(&[stranger.clone(), victim()], 2);
    check(&[killer, fault_of(POP, Confirmation::Confirmed, "SIGSEGV")], 2);
}

#[test]
fn a_victim_is_not_blamed_when_the_crash_needs_a_stranger() {
    // Noise corrupts; whatever comes after it dies.
    let corrupt = |task: &RunTask| {
        let steps = &task.sequence.steps;
        let noise = steps.iter().position(|step| step.op == NOISE);
        match noise.filter(|noise| noise + 1 < steps.len()) {
            Some(noise) => {
                let until = task.sequence.keep_steps(|i| i <= noise + 1);
                Answer::Died(died(&until, Outcome::Aborted("SIGSEGV".parse().unwrap())))
            }
            None => report(None),
        }
    };
    let recipe =
        sequence(&[(NOISE, &[int(3)]), (NEW, &[]), (PUSH, &[obj(1), int(4)]), (POP, &[obj(1)])]);
    let mut findings = Findings::default();
    findings.note_death(&subject(), &died(&recipe, Outcome::Aborted("SIGABRT".parse().unwrap())));
    let judged = judged(&findings, corrupt);
    let [fault] = &judged.faults[..] else { panic!("{judged:?}") };
    assert_eq!(fault.sequence, sequence(&[(NOISE, &[int(0)]), (NEW, &[])]));
    assert_eq!(fault.confirmation, Confirmation::Confirmed);
}

#[test]
fn a_cancelled_judgement_counts_what_it_left_open() {
    let cancel = Cancel::new();
    cancel.cancel();
    let findings = found(&overflow(false), POP, &long());
    let mut fake = Fake::running(|_| Answer::Cancelled);
    let effort = Effort::default();
    let judged = judge(
        &mut fake,
        &findings,
        &LawTotals::new(),
        Hearing { subject: &subject(), effort, cancel: &cancel, event: &mut |_| {} },
    )
    .unwrap();
    assert_eq!((judged.unsettled, judged.faults.len()), (1, 0));
}

fn some_fault() -> Fault {
    Fault {
        id: String::new(),
        operation: String::new(),
        op: PUSH,
        oracle: Oracle::Hang,
        message: String::new(),
        moment: Moment::Call,
        parties: Vec::new(),
        sequence: Sequence::default(),
        confirmation: Confirmation::Confirmed,
        seen: None,
        build: Build::Debug,
    }
}

#[test]
fn what_several_builds_show_is_told_once() {
    let of = |id: &str, build: Build, confirmation: Confirmation| Fault {
        id: id.to_owned(),
        confirmation,
        build,
        ..some_fault()
    };
    let asan = of("a", Build::Asan, Confirmation::Confirmed);
    let debug = of("a", Build::Debug, Confirmation::Confirmed);
    let flaky = of("a", Build::Debug, Confirmation::Flaky);
    let other = of("b", Build::Release, Confirmation::Flaky);
    let told = told_once(vec![flaky, asan, other.clone(), debug.clone()]);
    assert_eq!(told, [debug, other]);
}

#[test]
fn of_texts_that_are_broken_a_few_are_told() {
    let of = |id: &str, oracle: Oracle| Fault { id: id.to_owned(), oracle, ..some_fault() };
    let bad = |id: &str| of(id, Oracle::Probe("text that is not UTF-8".parse().unwrap()));
    let mut faults = vec![bad("a"), bad("b"), of("c", Oracle::Hang), bad("d"), bad("e")];
    leave_out_bad_texts(&mut faults);
    let texts = faults.iter().filter(|fault| fault.oracle != Oracle::Hang).count();
    assert_eq!((faults.len(), texts), (4, 3));
}

/// What an odd use of handles excuses, by what is seen of it.
#[test]
fn odd_handles_excuse_panics_but_never_broken_memory() {
    let panic = |message: &str| {
        let Oracle::Panic(place) = overflow(false) else { unreachable!() };
        Oracle::Panic(PanicPlace { message: message.to_owned(), ..place })
    };
    let check = |oracle: &Oracle, excused: [bool; 5]| {
        let findings = found(oracle, POP, &long());
        let raw = findings.iter().next().unwrap();
        let odd = [Oddity::None, Oddity::Stale, Oddity::Foreign, Oddity::MadeUp, Oddity::Stranger];
        let told = odd.map(|oddity| at_odds(oddity, &subject(), raw, &raw.sighting).is_some());
        assert_eq!(told, excused, "{oracle:?}");
    };
    let index = "index out of bounds: the len is 0 but the index is 7";
    check(&panic(index), [false, true, true, true, true]);
    check(&overflow(false), [false, false, false, true, true]);
    check(&panic("internal error: entered unreachable code"), [false, false, false, false, true]);
    check(
        &Oracle::Law("is_empty-agrees-with-len".parse().unwrap()),
        [false, false, false, true, true],
    );
    check(&Oracle::Death("SIGSEGV".parse().unwrap()), [false; 5]);
}

/// `noise`, which takes a number and looks it up in an empty list.
fn looks_up() -> Operation {
    Operation {
        path: "noise".to_owned(),
        callable: CallableId::function("stack", "noise"),
        callee: Callee::Function { path: "stack::noise".to_owned(), generics: Vec::new() },
        kind: OpKind::Origin,
        params: vec![Param { name: "at".to_owned(), ty: Ty::prim("usize") }],
        result: Ty::Unit,
        lending: Lending::Inherited,
        counted: true,
        documented_panics: None,
        conditions: Vec::new(),
        ways: Vec::new(),
        written: Vec::new(),
        span: None,
    }
}

#[test]
fn an_index_that_shrinking_made_a_plain_number_is_the_callers() {
    let panic = |task: &RunTask| {
        let Some(Arg::Plain(Value::Int(at))) = task.sequence.steps[0].args.first() else {
            return report(None);
        };
        let message = format!("index out of bounds: the len is 0 but the index is {at}");
        let Oracle::Panic(place) = overflow(false) else { unreachable!() };
        report(Some((Oracle::Panic(PanicPlace { message, ..place }), NOISE)))
    };
    let calls = sequence(&[(NOISE, &[int(0)])]);
    for (operation, class) in [(None, None), (Some(looks_up()), Some(PanicClass::OwnAssertion))] {
        let operations = vec![None, None, None, None, None, operation];
        let subject = SubjectModel::new(subject().manifest().clone(), operations, "/s");
        let mut fake = Fake::running(panic);
        let answer = panic(&task(&calls, Views::Off));
        let seen = sightings(&subject, &answer).remove(0);
        let cancel = Cancel::new();
        let target = Target::Exact(seen.identity.clone());
        let mut trial = Trial::new(&mut fake, &subject, &cancel, target);
        trial.left = 100;
        assert_eq!(asked_again(&mut trial, &calls, &seen).unwrap(), class);
    }
}
