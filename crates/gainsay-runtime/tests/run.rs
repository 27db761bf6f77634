//! Runs of given sequences, in this process.
#![allow(clippy::unwrap_used)] // A test may fail by panicking.

mod harness;

use gainsay_runtime::{Value, Worker};
use gainsay_wire::{
    Arg, Ask, ObjRef, OpId, Oracle, Outcome, Request, Response, RunReport, RunTask, Sequence,
    Settings, Step, Term, When,
};
use harness::op;

fn object(step: u32) -> Arg {
    Arg::Object(ObjRef { step, out: 0 })
}

fn int(value: i128) -> Arg {
    Arg::Plain(Value::Int(value))
}

fn elem(key: i64) -> Arg {
    Arg::Plain(Value::Elem(key))
}

fn step(name: &str, args: &[Arg]) -> Step {
    Step::new(op(name), args.to_vec())
}

fn run_with(steps: &[Step], views: bool, asks: Vec<Ask>) -> RunReport {
    let mut worker = Worker::new(harness::tables());
    worker.handle(Request::Configure(Settings::default()));
    let sequence = Sequence { steps: steps.to_vec() };
    match worker.handle(Request::Run(RunTask { sequence, views, laws: true, asks })) {
        Some(Response::Run(report)) => report,
        other => panic!("{other:?}"),
    }
}

fn run(steps: &[Step]) -> RunReport {
    run_with(steps, true, vec![])
}

fn outcomes(report: &RunReport) -> String {
    let name = |outcome: &Outcome| match outcome {
        Outcome::Returned => "ok",
        Outcome::ReturnedErr => "err",
        Outcome::Panicked(_) => "panic",
        Outcome::NotReady => "-",
        other => panic!("{other:?}"),
    };
    let names: Vec<&str> = report.steps.iter().map(|step| name(&step.outcome)).collect();
    names.join(" ")
}

/// The value of a term in a step's observation.
fn seen(report: &RunReport, at: usize, term: &Term) -> Value {
    let observation = report.steps[at].observation.as_ref().unwrap();
    let vocabulary = Worker::new(harness::tables()).manifest().vocabulary(observation.op);
    assert_eq!(vocabulary.terms().len(), observation.values.len());
    observation.values[vocabulary.position(term).expect("a term of the vocabulary")].clone()
}

#[test]
fn an_observation_has_the_value_of_each_term() {
    let report = run(&[step("Pile::new", &[]), step("Pile::push", &[object(0), elem(5)])]);
    assert_eq!(outcomes(&report), "ok ok");
    let len = |when| seen(&report, 1, &Term::query(when, 0, "len"));
    assert_eq!((len(When::Before), len(When::After)), (Value::Int(0), Value::Int(1)));
    let contains = |when| seen(&report, 1, &Term::relation(when, 0, "contains", 1));
    assert_eq!(contains(When::Before), Value::Bool(false));
    assert_eq!(contains(When::After), Value::Bool(true));
    assert_eq!(seen(&report, 1, &Term::operand(1)), Value::Elem(5));
    assert_eq!(seen(&report, 1, &Term::result()), Value::Unit);
    let made =
        Term { root: gainsay_wire::Root::Made(0), ..Term::query(When::After, 0, "is_empty") };
    assert_eq!(seen(&report, 0, &made), Value::Bool(true));
}

#[test]
fn outcomes_are_told_apart_and_a_panic_leaves_its_operands_usable() {
    let report = run(&[
        step("Pile::new", &[]),
        step("Pile::remove", &[object(0), int(3)]),
        step("Pile::push", &[object(0), elem(1)]),
        step("Pile::parse", &[Arg::Plain(Value::Str("x".into()))]),
        step("Pile::pop", &[object(3)]),
        step("Pile::into_vec", &[object(0)]),
        step("Pile::pop", &[object(0)]),
    ]);
    assert_eq!(outcomes(&report), "ok panic ok err - ok -");
    assert_eq!(seen(&report, 1, &Term::query(When::After, 0, "len")), Value::Undefined);
    assert_eq!(seen(&report, 1, &Term::query(When::Before, 0, "len")), Value::Int(0));
    assert_eq!(seen(&report, 5, &Term::result()), Value::Seq(vec![Value::Elem(1)]));
    assert!(matches!(report.findings[..], [ref only] if matches!(only.oracle, Oracle::Panic(_))));
}

#[test]
fn a_sequence_that_makes_no_sense_is_not_ready_but_does_no_harm() {
    let new = step("Pile::new", &[]);
    let senseless = [
        Step::new(OpId(999), vec![]),
        step("Pile::push", &[object(0)]),
        step("Pile::push", &[elem(1), object(0)]),
        step("Pile::append", &[object(0), object(0)]),
        step("Pile::pop", &[object(7)]),
        step("Faulty::take_first", &[object(0)]),
    ];
    for bad in senseless {
        assert_eq!(outcomes(&run(&[new.clone(), bad.clone()])), "ok -", "{bad:?}");
    }
}

#[test]
fn one_object_twice_by_shared_reference_and_an_absent_one_both_work() {
    let report = run(&[
        step("Pile::new", &[]),
        step("Pile::eq", &[object(0), object(0)]),
        step("Pile::eq", &[object(0), Arg::Plain(Value::none())]),
    ]);
    assert_eq!(outcomes(&report), "ok ok ok");
    assert_eq!(seen(&report, 1, &Term::result()), Value::Bool(true));
    assert_eq!(seen(&report, 1, &Term::relation(When::Before, 0, "==", 1)), Value::Bool(true));
    assert_eq!(seen(&report, 2, &Term::result()), Value::Bool(false));
    assert_eq!(seen(&report, 2, &Term::query(When::Before, 1, "len")), Value::Undefined);
    assert_eq!(report.steps[2].observation.as_ref().unwrap().objects.len(), 1);
}

#[test]
fn a_fault_is_found_with_and_without_views() {
    let two = Arg::Plain(Value::Seq(vec![Value::Elem(1), Value::Elem(2)]));
    let steps = [step("Faulty::new", &[two]), step("Faulty::take_first", &[object(0)])];
    for views in [true, false] {
        let report = run_with(&steps, views, vec![]);
        assert_eq!(outcomes(&report), "ok ok");
        let oracles: Vec<_> = report.findings.iter().map(|finding| &finding.oracle).collect();
        assert_eq!(oracles, [&Oracle::Probe(gainsay_wire::Misuse::DoubleDrop)], "views {views}");
        assert_eq!(report.steps[0].observation.is_some(), views);
    }
}

#[test]
fn questions_are_answered_when_all_is_done() {
    let at = |step| ObjRef { step, out: 0 };
    let ask = |on, query: &str, with| Ask { on: at(on), query: query.to_owned(), with: at(with) };
    let steps =
        [step("Pile::new", &[]), step("Pile::new", &[]), step("Pile::push", &[object(1), elem(4)])];
    let asks = vec![
        ask(0, "==", 1),
        ask(0, "==", 0),
        ask(1, "starts_with", 0),
        ask(0, "starts_with", 1),
        ask(0, "==", 9),
        ask(0, "nonsense", 1),
    ];
    let report = run_with(&steps, true, asks);
    let expected = [
        Value::Bool(false),
        Value::Bool(true),
        Value::Bool(true),
        Value::Bool(false),
        Value::Undefined,
        Value::Undefined,
    ];
    assert_eq!(report.answers, expected);
}
