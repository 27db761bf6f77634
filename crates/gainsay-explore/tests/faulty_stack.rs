//! Campaigns with real workers on a small subject with known faults.
#![allow(clippy::unwrap_used, reason = "helpers of tests may fail as tests do")]

use std::path::PathBuf;

use gainsay_explore::{
    Budget, Campaign, Effort, Findings, Judged, Listeners, Plan, SubjectModel, judge,
};
use gainsay_model::{
    api::{Callee, Lending, OpKind, Operation, Param, Span},
    event::StopReason,
    fault::{Confirmation, Fault, PanicClass},
    ty::Ty,
};
use gainsay_wire::{
    Arg, CallableId, EpochReport, ObjRef, OpId, Oracle, RunTask, Sequence, Settings, Step, Value,
};
use gainsay_workers::{Cancel, Confinement, Fleet, Program, Runner};

const NEW: OpId = OpId(0);
const PUSH: OpId = OpId(1);
const SHRINK: OpId = OpId(3);
const CRUSH: OpId = OpId(4);
const SPIN: OpId = OpId(6);

fn fleet(jobs: usize) -> (Fleet, tempfile::TempDir) {
    let scratch = tempfile::tempdir().unwrap();
    let test = std::env::current_exe().unwrap();
    let examples: PathBuf = test.parent().unwrap().parent().unwrap().join("examples");
    let program = Program {
        path: examples.join("faulty_stack"),
        scratch: scratch.path().to_owned(),
        confinement: Confinement::Off,
        environment: vec![],
    };
    let settings = Settings { step_millis: 200, memory_bytes: 512 << 20, ..Settings::default() };
    (Fleet::start(&program, jobs, settings).unwrap(), scratch)
}

/// The example is the subject, and every operation is somewhere in its file.
fn ground(fleet: &Fleet) -> SubjectModel {
    let file = "crates/gainsay-explore/examples/faulty_stack.rs";
    let operation = |path: &String| Operation {
        path: path.clone(),
        callable: CallableId::default(),
        callee: Callee::Inherent {
            ty: Ty::named("Stack"),
            name: String::new(),
            generics: Vec::new(),
        },
        kind: OpKind::Command,
        params: vec![Param { name: "self".to_owned(), ty: Ty::named("Stack").exclusive() }],
        result: Ty::Unit,
        lending: Lending::Inherited,
        counted: true,
        documented_panics: None,
        conditions: Vec::new(),
        ways: Vec::new(),
        written: Vec::new(),
        span: Some(Span { file: file.to_owned(), first: 1, last: 200 }),
    };
    let names = fleet.manifest().ops.iter().map(|op| &op.name);
    let operations = names.map(|name| Some(operation(name))).collect();
    SubjectModel::new(fleet.manifest().clone(), operations, "crates/gainsay-explore")
}

fn explore(fleet: &mut Fleet, calls: u64) -> (Campaign, Vec<EpochReport>) {
    let mut campaign = Campaign::new(11, ground(fleet), Plan::default());
    let mut reports = Vec::new();
    let mut report = |report: EpochReport| reports.push(report);
    let mut listeners = Listeners { report: &mut report, event: &mut |_| {} };
    let budget = Budget { calls: Some(calls), time: None };
    let end = campaign.run(fleet, budget, &Cancel::new(), &mut listeners).unwrap();
    assert_eq!(end.stop, StopReason::Calls);
    assert!(end.calls >= calls && end.calls < calls + calls / 4, "{end:?}");
    (campaign, reports)
}

fn judged(fleet: &mut Fleet, findings: &Findings, ground: &SubjectModel) -> Judged {
    let cancel = Cancel::new();
    judge(
        fleet,
        findings,
        &gainsay_explore::LawTotals::new(),
        gainsay_explore::Hearing {
            subject: ground,
            effort: Effort::default(),
            cancel: &cancel,
            event: &mut |_| {},
        },
    )
    .unwrap()
}

fn sequence(steps: &[(OpId, &[i128])]) -> Sequence {
    let step = |(i, (op, numbers)): (usize, &(OpId, &[i128]))| {
        let object = (i > 0).then_some(Arg::Object(ObjRef { step: 0, out: 0 }));
        let numbers = numbers.iter().map(|n| Arg::Plain(Value::Int(*n)));
        Step::new(*op, object.into_iter().chain(numbers).collect())
    };
    Sequence { steps: steps.iter().enumerate().map(step).collect() }
}

#[test]
fn known_faults_are_found_shrunk_and_confirmed_and_nothing_else() {
    let (mut fleet, _scratch) = fleet(2);
    let (campaign, _) = explore(&mut fleet, 4_000);
    let judged = judged(&mut fleet, campaign.findings(), campaign.ground());
    let brief = |fault: &Fault| (fault.operation.clone(), fault.message.clone());
    let briefs: Vec<_> = judged.faults.iter().map(brief).collect();
    let [crush, shrink] = &judged.faults[..] else { panic!("{briefs:?}") };

    assert_eq!((crush.op, &crush.oracle), (CRUSH, &Oracle::Death("SIGABRT".parse().unwrap())));
    let push: (OpId, &[i128]) = (PUSH, &[0]);
    assert_eq!(crush.sequence, sequence(&[(NEW, &[]), push, push, push, (CRUSH, &[])]));
    assert_eq!(crush.confirmation, Confirmation::Confirmed);

    assert_eq!(shrink.sequence, sequence(&[(NEW, &[]), (SHRINK, &[])]));
    assert!(shrink.message.ends_with(": attempt to subtract with overflow"), "{briefs:?}");
    assert!(shrink.message.starts_with("panicked at examples/faulty_stack.rs:"), "{briefs:?}");
    assert_eq!(shrink.confirmation, Confirmation::Confirmed);

    let [at] = &judged.illegal[..] else { panic!("{:?}", judged.illegal) };
    assert_eq!((at.operation.as_str(), at.class), ("Stack::at", PanicClass::OwnAssertion));
    assert!(campaign.demotions().is_empty());
    assert!(campaign.totals().ops.iter().all(|op| op.called > 0));
}

#[test]
fn the_number_of_jobs_changes_nothing() {
    let run = |jobs| {
        let (mut fleet, _scratch) = fleet(jobs);
        let (campaign, reports) = explore(&mut fleet, 3_000);
        let judged = judged(&mut fleet, campaign.findings(), campaign.ground());
        (reports, campaign.findings().clone(), judged)
    };
    let (one, two) = (run(1), run(2));
    assert_eq!(one.0.len(), two.0.len());
    for (i, (a, b)) in one.0.iter().zip(&two.0).enumerate() {
        assert!(a == b, "epoch {i} differs");
    }
    assert_eq!(one.1, two.1);
    assert_eq!(one.2, two.2);
}

#[test]
fn a_hang_is_ended_by_the_workers_own_watchdog_and_a_fault_when_one_number_alone_does_it() {
    let (mut fleet, _scratch) = fleet(1);
    let ground = ground(&fleet);
    let hang = sequence(&[(NEW, &[]), (PUSH, &[5]), (SPIN, &[7_654_321])]);
    let task = RunTask { sequence: hang.clone(), views: false, laws: false, asks: Vec::new() };
    let answers = fleet.run(&[task], &Cancel::new()).unwrap();
    let mut findings = Findings::default();
    findings.note_run(&ground, &hang, &answers[0]);
    let raw = findings.iter().next().unwrap();
    assert_eq!((raw.sighting.op, &raw.sighting.oracle), (SPIN, &Oracle::Hang));
    let judged = judged(&mut fleet, &findings, &ground);
    let [fault] = &judged.faults[..] else { panic!("{judged:?}") };
    assert_eq!(fault.sequence, sequence(&[(NEW, &[]), (SPIN, &[7_654_321])]));
    assert_eq!(fault.confirmation, Confirmation::Confirmed);
}
