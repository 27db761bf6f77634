//! Which panics hang on the numbers of the last call.

use gainsay_model::{
    api::{Callee, Lending, OpKind, Operation, Param, Span},
    ty::Ty,
};
use gainsay_wire::{CallableId, Finding, OpId, RunReport, RunTask};
use gainsay_workers::{Answer, Cancel};

use super::*;
use crate::{
    fake::{Fake, NEW, NOISE, POP, PUSH, int, manifest, obj, report, sequence},
    findings::Findings,
    judge::{Effort, Hearing, Judged, judge},
};

/// A stack whose `push` takes a number of this name and has this result.
fn subject(param: &str, result: &Ty) -> SubjectModel {
    subject_of(Param { name: param.to_owned(), ty: Ty::prim("usize") }, result)
}

/// A stack whose `push` takes this.
fn subject_of(param: Param, result: &Ty) -> SubjectModel {
    let operation = Operation {
        path: "Stack::push".to_owned(),
        callable: CallableId::method("stack::Stack", "push"),
        callee: Callee::Inherent {
            ty: Ty::named("Stack"),
            name: "push".to_owned(),
            generics: Vec::new(),
        },
        kind: OpKind::Command,
        params: vec![Param { name: "self".to_owned(), ty: Ty::named("Stack").exclusive() }, param],
        result: result.clone(),
        lending: Lending::Inherited,
        counted: true,
        documented_panics: None,
        conditions: Vec::new(),
        ways: Vec::new(),
        written: Vec::new(),
        span: None,
    };
    let mut operations = vec![None; 6];
    operations[PUSH.0 as usize] = Some(operation);
    SubjectModel::new(manifest(), operations, "/s")
}

/// Each kind of panic has its own place.
fn panic(message: &str) -> Oracle {
    let (file, line) = ("/s/src/deep.rs".to_owned(), u32::from(message.as_bytes()[0]));
    Oracle::Panic(PanicPlace { file, line, message: message.to_owned(), changed: false })
}

/// Judges a panic of `push(n)`; `outcome` tells what `push` of another number does.
fn judged(subject: &SubjectModel, n: i128, outcome: impl Fn(i128) -> Option<Oracle>) -> Judged {
    let recipe = sequence(&[(NEW, &[]), (POP, &[obj(0)]), (PUSH, &[obj(0), int(n)])]);
    let run = |task: &RunTask| -> Answer<RunReport> {
        let last = task.sequence.steps.last().filter(|step| step.op == PUSH);
        let number = last.and_then(|step| match step.args[..] {
            [_, Arg::Plain(Value::Int(n))] => Some(n),
            _ => None,
        });
        report(number.and_then(&outcome).map(|oracle| (oracle, PUSH)))
    };
    let oracle = outcome(n).expect("the recipe shows something");
    let (op, message): (OpId, String) = (PUSH, String::new());
    let mut findings = Findings::default();
    findings.note(subject, &Finding { oracle, op, about: None, message, recipe });
    let mut runner = Fake::running(run);
    judge(
        &mut runner,
        &findings,
        &crate::LawTotals::new(),
        Hearing { subject, effort: Effort::default(), cancel: &Cancel::new(), event: &mut |_| () },
    )
    .expect("the fake never fails")
}

fn class(judged: &Judged) -> Option<PanicClass> {
    assert_eq!(judged.faults.len() + judged.illegal.len(), 1, "{judged:?}");
    judged.illegal.first().map(|illegal| illegal.class)
}

fn beyond(n: i128, limit: i128) -> Option<Oracle> {
    let message = format!("index out of bounds: the len is {limit} but the index is {n}");
    (n >= limit).then(|| panic(&message))
}

#[test]
fn an_index_that_the_caller_gave_is_illegal_use_however_deep_it_fails() {
    let subject = subject("at", &Ty::Unit);
    assert_eq!(class(&judged(&subject, 7, |n| beyond(n, 3))), Some(PanicClass::OwnAssertion));
    assert_eq!(class(&judged(&subject, 7, |n| beyond(n, 0))), Some(PanicClass::OwnAssertion));
}

#[test]
fn an_index_error_that_is_the_same_for_every_number_is_a_fault() {
    let same = |_| Some(panic("index out of bounds: the len is 3 but the index is 4"));
    assert_eq!(class(&judged(&subject("at", &Ty::Unit), 7, same)), None);
}

#[test]
fn who_can_refuse_otherwise_must_not_panic() {
    let option = Ty::Path { path: "std::option::Option".to_owned(), args: Vec::new() };
    assert_eq!(class(&judged(&subject("at", &option), 7, |n| beyond(n, 3))), None);
}

#[test]
fn an_assertion_that_names_the_number_is_illegal_use_also_when_no_number_would_do() {
    let same = |_| Some(panic("assertion failed: at < self.len()"));
    let class_of = |param: &str| class(&judged(&subject(param, &Ty::Unit), 7, same));
    assert_eq!(class_of("at"), Some(PanicClass::OwnAssertion));
    assert_eq!(class_of("row"), None);
}

#[test]
fn an_overflow_is_another_face_of_what_is_rejected_anyway() {
    let overflow = |n: i128| (n > 1 << 40).then(|| panic("attempt to add with overflow"));
    let index = subject("at", &Ty::Unit);
    assert_eq!(class(&judged(&index, 1 << 62, overflow)), None);
    let rejected = |n| overflow(n).or_else(|| beyond(n, 3));
    assert_eq!(class(&judged(&index, 1 << 62, rejected)), Some(PanicClass::OwnAssertion));
    let limited = |n: i128| {
        let runs_out = (n > 1 << 30).then(|| panic("capacity overflow"));
        (n > 1 << 62).then(|| panic("attempt to add with overflow")).or(runs_out)
    };
    let limited = judged(&index, (1 << 63) - 1, limited);
    assert_eq!(class(&limited), Some(PanicClass::ResourceLimit));
}

#[test]
fn an_overflow_of_a_number_that_such_objects_give_out_is_about_a_made_up_one() {
    let overflow = |n: i128| (n > 1 << 40).then(|| panic("attempt to add with overflow"));
    let check = |takes: Ty, gives: &str, result: &Ty, expected| {
        let subject = subject("at", result);
        let push = subject.operation(PUSH).unwrap();
        let add = Operation {
            path: "Stack::add".to_owned(),
            callable: CallableId::method("stack::Stack", "add"),
            result: Ty::prim(gives),
            params: vec![push.params[0].clone(), Param { name: "it".to_owned(), ty: takes }],
            ..push.clone()
        };
        let mut manifest = subject.manifest().clone();
        manifest.ops.push(manifest.ops[PUSH.0 as usize].clone());
        let mut operations = vec![None; 7];
        operations[PUSH.0 as usize] = Some(push.clone());
        operations[6] = Some(add);
        let subject = SubjectModel::new(manifest, operations, "/s");
        assert_eq!(class(&judged(&subject, 1 << 62, overflow)), expected, "{gives} {result}");
    };
    let bool = &Ty::prim("bool");
    check(Ty::Probe, "usize", bool, Some(PanicClass::Stranger));
    check(Ty::Probe, "u8", bool, None);
    check(Ty::prim("usize"), "usize", bool, None);
    check(Ty::Probe, "usize", &Ty::named("std::option::Option"), None);
}

#[test]
fn a_helper_that_reckons_with_one_number_may_reject_zero() {
    let run = |op: &Operation, least: i128| {
        let mut operations = vec![None; 6];
        operations[NOISE.0 as usize] = Some(op.clone());
        let subject = SubjectModel::new(manifest(), operations, "/s");
        let (file, message) =
            ("/s/src/lib.rs".to_owned(), "attempt to subtract with overflow".to_owned());
        let place = PanicPlace { file, line: 15, message, changed: false };
        let oracle = Oracle::Panic(place.clone());
        let mut fake = Fake::running(|task| match task.sequence.steps[0].args[..] {
            [Arg::Plain(Value::Int(n))] => report((n < least).then(|| (oracle.clone(), NOISE))),
            _ => report(None),
        });
        let identity = crate::findings::identity::Identity::of(&subject, &oracle, NOISE);
        let cancel = Cancel::new();
        let target = crate::judge::trial::Target::Exact(identity);
        let mut trial = Trial::new(&mut fake, &subject, &cancel, target);
        excuse_zero(&mut trial, &sequence(&[(NOISE, &[int(0)])]), &place, NOISE).unwrap()
    };
    let push = subject("n", &Ty::Unit).operation(PUSH).unwrap().clone();
    let span = Some(Span { file: "/s/src/lib.rs".to_owned(), first: 10, last: 20 });
    let helper = Operation { params: push.params[1..].to_vec(), span, ..push };
    assert_eq!(run(&helper, 1), Some(PanicClass::OwnAssertion));
    assert_eq!(run(&helper, 2), None, "one is rejected as well");
    let (path, generics) = ("stack::root".to_owned(), Vec::new());
    let function = Operation { callee: Callee::Function { path, generics }, ..helper.clone() };
    assert_eq!(run(&function, 1), None);
    let refusing = Operation { result: Ty::named("std::option::Option"), ..helper.clone() };
    assert_eq!(run(&refusing, 1), None);
    assert_eq!(run(&Operation { span: None, ..helper }, 1), None, "it was raised deeper");
}

#[test]
fn an_overflow_over_the_room_asked_for_is_a_limit() {
    let overflow = |n: i128| (n > 1 << 40).then(|| panic("attempt to multiply with overflow"));
    let capacity = subject("min_capacity", &Ty::Unit);
    assert_eq!(class(&judged(&capacity, 1 << 62, overflow)), Some(PanicClass::ResourceLimit));
}

#[test]
fn room_that_no_integer_counts_squared_is_much_room() {
    let capacity = subject("min_capacity", &Ty::Unit);
    for number in [i128::MAX, i128::MIN, 1 << 64] {
        let runs_out = |n: i128| (n == number).then_some(Oracle::Memory);
        let judged = judged(&capacity, number, runs_out);
        assert_eq!(class(&judged), Some(PanicClass::ResourceLimit), "{number}");
    }
}

#[test]
fn lists_that_a_call_writes_into_are_made_longer() {
    let check = |ty: Ty, expected: Option<usize>| {
        let subject = subject_of(Param { name: "out".to_owned(), ty }, &Ty::Unit);
        let list = Arg::Plain(Value::Seq(vec![Value::Int(7)]));
        let written = sequence(&[(NEW, &[]), (PUSH, &[obj(0), list])]);
        let longer = roomier(&subject, &written, 16);
        let len = longer.map(|longer| match &longer.steps[1].args[1] {
            Arg::Plain(Value::Seq(items)) => items.len(),
            other => panic!("{other:?}"),
        });
        assert_eq!(len, expected);
    };
    let bytes = || Ty::Slice(Box::new(Ty::prim("u8")));
    check(bytes().exclusive(), Some(16));
    check(bytes().shared(), None);
    check(Ty::Slice(Box::new(Ty::Probe)).exclusive(), None);
}
