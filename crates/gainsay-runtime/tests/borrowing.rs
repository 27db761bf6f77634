//! Objects that borrow: the pool does what the compiler would have checked.
#![allow(clippy::unwrap_used)] // A test may fail by panicking.

mod harness;

use gainsay_runtime::{Value, Worker};
use gainsay_wire::{
    Arg, EpochReport, EpochTask, ManifestOp, ManifestParam, ObjRef, Observation, OpId, Outcome,
    Request, Response, Role, RunReport, RunTask, Sequence, Settings, StateId, Step, Term, TypeId,
    When,
};
use harness::borrowing::{LOOK, WALK};

fn object(step: u32) -> Arg {
    Arg::Object(ObjRef { step, out: 0 })
}

fn elem(key: i64) -> Arg {
    Arg::Plain(Value::Elem(key))
}

fn op(name: &str) -> OpId {
    let at = harness::borrowing_tables().ops.iter().position(|op| op.name == name);
    OpId(u32::try_from(at.expect("a known operation")).unwrap())
}

fn step(name: &str, args: &[Arg]) -> Step {
    Step::new(op(name), args.to_vec())
}

fn worker() -> Worker {
    let mut worker = Worker::new(harness::borrowing_tables());
    worker.handle(Request::Configure(Settings::default()));
    worker
}

fn run(steps: &[Step]) -> RunReport {
    let sequence = Sequence { steps: steps.to_vec() };
    match worker().handle(Request::Run(RunTask {
        sequence,
        views: true,
        laws: false,
        asks: vec![],
    })) {
        Some(Response::Run(report)) => report,
        other => panic!("{other:?}"),
    }
}

fn returned(report: &RunReport) -> Vec<bool> {
    report.steps.iter().map(|step| step.outcome == Outcome::Returned).collect()
}

fn length(report: &RunReport, at: usize, when: When) -> Value {
    let observation = report.steps[at].observation.as_ref().unwrap();
    let vocabulary = worker().manifest().vocabulary(observation.op);
    let term = Term::query(when, 0, "len");
    observation.values[vocabulary.position(&term).expect("a term of the vocabulary")].clone()
}

#[test]
fn what_happens_inside_a_borrow_shows_once_it_has_ended() {
    let report = run(&[
        step("Pile::new", &[]),
        step("Pile::walk", &[object(0)]),
        step("Walk::push", &[object(1), elem(7)]),
        step("Walk::turn", &[object(1)]),
        step("Walk::push", &[object(3), elem(8)]),
        step("Pile::pop", &[object(0)]),
    ]);
    assert_eq!(returned(&report), [true; 6]);
    assert_eq!(length(&report, 1, When::After), Value::Undefined);
    assert_eq!(length(&report, 4, When::After), Value::Int(2));
    // The walk ended before the pile was used: two elements, and one that its drop pushed.
    assert_eq!(length(&report, 5, When::Before), Value::Int(3));
    assert!(report.findings.is_empty(), "{:?}", report.findings);
}

/// The drop of an object of a type.
fn drop_of(ty: TypeId, args: &[Arg]) -> Step {
    let ops = worker().manifest().ops;
    let drops = |op: &ManifestOp| match op.params[..] {
        [ManifestParam::Object(dropped, _)] => op.role == Role::Drop && dropped == ty,
        _ => false,
    };
    let at = ops.iter().position(drops).expect("each type has a drop");
    Step::new(OpId(u32::try_from(at).unwrap()), args.to_vec())
}

fn observed(report: &RunReport, at: usize) -> &Observation {
    report.steps[at].observation.as_ref().unwrap()
}

fn values(report: &RunReport, state: Option<StateId>) -> &[Value] {
    let state = state.expect("a state that was seen");
    &report.states.iter().find(|record| record.state == state).expect("it is told").values
}

#[test]
fn the_call_that_ends_a_loan_tells_what_became_of_the_lender() {
    let report = run(&[
        step("Pile::new", &[]),
        step("Pile::push", &[object(0), elem(1)]),
        step("Pile::walk", &[object(0)]),
        step("Walk::push", &[object(2), elem(7)]),
        drop_of(WALK, &[object(2)]),
    ]);
    assert_eq!(returned(&report), [true; 5]);
    assert!((0..4).all(|at| observed(&report, at).freed.is_empty()));
    let [freed] = observed(&report, 4).freed[..] else { panic!("{:?}", report.steps[4]) };
    assert_eq!(freed.ty, harness::PILE);
    assert_eq!(freed.lent, observed(&report, 1).objects[0].after, "as it was when it was lent");
    // One that the walk pushed, and one that its drop pushed.
    let lengths = [freed.lent, freed.after].map(|state| values(&report, state)[0].clone());
    assert_eq!(lengths, [Value::Int(1), Value::Int(3)]);
}

#[test]
fn a_borrower_that_becomes_another_frees_nobody_before_that_one_has_ended() {
    let report = run(&[
        step("Pile::new", &[]),
        step("Pile::walk", &[object(0)]),
        step("Walk::turn", &[object(1)]),
        drop_of(WALK, &[object(2)]),
    ]);
    assert_eq!(returned(&report), [true; 4]);
    assert!(observed(&report, 2).freed.is_empty());
    let [freed] = observed(&report, 3).freed[..] else { panic!("{:?}", report.steps[3]) };
    assert_eq!(freed.lent, Some(observed(&report, 0).made[0].1));
}

#[test]
fn calls_that_end_a_shared_loan_free_nobody() {
    let report = run(&[
        step("Pile::new", &[]),
        step("Pile::look", &[object(0)]),
        drop_of(LOOK, &[object(1)]),
    ]);
    assert_eq!(returned(&report), [true; 3]);
    assert!(observed(&report, 2).freed.is_empty());
}

#[test]
fn explored_calls_that_end_a_loan_tell_of_the_lender() {
    let report = explore(1, false);
    let freed = report.kept.iter().flat_map(|kept| &kept.observation.freed);
    let told = |state: &Option<StateId>| {
        state.is_none_or(|state| report.states.iter().any(|record| record.state == state))
    };
    let freed: Vec<_> = freed.collect();
    assert!(freed.iter().any(|freed| freed.lent.is_some() && freed.after != freed.lent));
    assert!(freed.iter().all(|freed| told(&freed.lent) && told(&freed.after)));
}

#[test]
fn a_borrower_that_stands_in_the_way_is_gone_afterwards() {
    let report = run(&[
        step("Pile::new", &[]),
        step("Pile::look", &[object(0)]),
        step("Pile::get", &[object(0), Arg::Plain(Value::Int(0))]),
        step("Look::is_true", &[object(1)]),
        step("Pile::push", &[object(0), elem(1)]),
        step("Look::is_true", &[object(1)]),
    ]);
    let outcomes: Vec<&Outcome> = report.steps.iter().map(|step| &step.outcome).collect();
    assert_eq!(outcomes[3], &Outcome::Returned);
    assert_eq!(outcomes[4], &Outcome::Returned);
    assert_eq!(outcomes[5], &Outcome::NotReady);
}

fn explore(seed: u64, calibrate: bool) -> EpochReport {
    let task = EpochTask { seed, calls: 2000, calibrate, ..EpochTask::default() };
    match worker().handle(Request::Epoch(task)) {
        Some(Response::Epoch(report)) => report,
        other => panic!("{other:?}"),
    }
}

#[test]
fn random_calls_never_break_the_rules_of_references_and_recipes_replay() {
    let mut walked = 0;
    for seed in 0..10 {
        let report = explore(seed, false);
        // The planted faults of the other types are found as ever, but `Look` finds none.
        let look = report.findings.iter().find(|finding| finding.op == op("Look::is_true"));
        assert!(look.is_none(), "{look:?}");
        for kept in report.kept.iter().filter(|kept| kept.observation.op == op("Walk::push")) {
            let again = run(&kept.recipe.steps);
            let last = again.steps.last().unwrap().observation.as_ref().unwrap();
            assert_eq!(last, &kept.observation);
            walked += 1;
        }
        let pops = report.kept.iter().filter(|kept| kept.observation.op == op("Pile::pop"));
        for kept in pops {
            let again = run(&kept.recipe.steps);
            assert_eq!(
                again.steps.last().unwrap().observation.as_ref().unwrap(),
                &kept.observation
            );
        }
    }
    assert!(walked > 20, "{walked}");
}

#[test]
fn a_borrower_does_not_count_as_sharing_state_with_what_it_borrows_from() {
    let sharing: Vec<_> = (0..5).flat_map(|seed| explore(seed, true).sharing).collect();
    assert!(sharing.contains(&harness::SHARED));
    for ty in [harness::PILE, harness::borrowing::WALK, harness::borrowing::LOOK] {
        assert!(!sharing.contains(&ty), "{ty:?}");
    }
}
