//! Epochs of exploration, in this process.
#![allow(clippy::unwrap_used)] // A test may fail by panicking.

mod harness;

use std::collections::BTreeSet;

use gainsay_runtime::{Value, Worker};
use gainsay_wire::{
    Check, ContractId, Edge, EdgeEnd, EpochReport, EpochTask, Finding, KeptCall, Names, ObjRef,
    Oracle, Outcome, OutcomeClass, Point, Request, Response, RunTask, Sequence, Settings, StateId,
    Step, parse_expr,
};
use harness::{MOODY, SHARED, op};

fn task(seed: u64) -> EpochTask {
    EpochTask { seed, calls: 1500, ..EpochTask::default() }
}

fn worker(settings: Settings) -> Worker {
    let mut worker = Worker::new(harness::tables());
    assert_eq!(worker.handle(Request::Configure(settings)), Some(Response::Configured));
    worker
}

fn epoch(worker: &mut Worker, task: EpochTask) -> EpochReport {
    match worker.handle(Request::Epoch(task)) {
        Some(Response::Epoch(report)) => report,
        other => panic!("{other:?}"),
    }
}

/// `Moody` changes when looked at, so its view is switched off as a driver would do.
fn calm() -> Settings {
    let demoted = vec![(MOODY, "look".to_owned())];
    Settings { demoted, sharing: vec![SHARED], ..Settings::default() }
}

fn find<'a>(report: &'a EpochReport, name: &str, want: fn(&Oracle) -> bool) -> Option<&'a Finding> {
    report.findings.iter().find(|finding| finding.op == op(name) && want(&finding.oracle))
}

#[test]
fn the_same_epochs_give_the_same_reports_and_nothing_is_told_twice() {
    let reports = || {
        let mut worker = worker(calm());
        [7, 8, 7].map(|seed| epoch(&mut worker, task(seed)))
    };
    let [first, second, again] = reports();
    assert_eq!([first.clone(), second.clone(), again.clone()], reports());
    assert_ne!(first, second);
    assert!(!first.new_states.is_empty() && !first.new_transitions.is_empty());
    let told_before =
        |state: &&StateId| first.new_states.contains(state) || second.new_states.contains(state);
    assert_eq!(again.new_states.iter().find(told_before), None);
    let told_before = |transition: &&u64| {
        first.new_transitions.contains(transition) || second.new_transitions.contains(transition)
    };
    assert_eq!(again.new_transitions.iter().find(told_before), None);
}

fn counted_calls(report: &EpochReport) -> u64 {
    report.edges.iter().map(|counted| counted.count).sum()
}

#[test]
fn every_observed_call_has_one_edge() {
    let mut worker = worker(calm());
    for seed in 0..4 {
        let report = epoch(&mut worker, task(seed));
        assert!(report.observed > 1000, "{}", report.observed);
        assert_eq!(counted_calls(&report), report.observed);
        let edges: BTreeSet<Edge> = report.edges.iter().map(|counted| counted.edge).collect();
        assert_eq!(edges.len(), report.edges.len(), "each edge is told once");
        for kept in &report.kept {
            let edge = Edge::of(&kept.observation).unwrap();
            assert!(edges.iter().any(|counted| counted.op == edge.op && counted.ty == edge.ty));
        }
    }
}

#[test]
fn edges_tell_of_failing_calls_and_of_calls_that_change_nothing() {
    let mut worker = worker(calm());
    let report = epoch(&mut worker, task(1));
    let of = |name: &str| {
        let wanted = op(name);
        report.edges.iter().map(|counted| counted.edge).filter(move |edge| edge.op == wanted)
    };
    assert!(of("Pile::remove").any(|edge| edge.outcome == OutcomeClass::Panicked));
    let is_loop = |edge: &Edge| edge.before == edge.after && edge.before.state().is_some();
    assert!(of("Pile::get").any(|edge| is_loop(&edge)));
    assert!(of("Pile::new").all(|edge| edge.operand.is_none() && edge.before == EdgeEnd::Absent));
    let told: BTreeSet<StateId> = report.states.iter().map(|record| record.state).collect();
    let mut ends = report.edges.iter().flat_map(|it| [it.edge.before, it.edge.after]);
    assert!(ends.all(|end| end.state().is_none_or(|state| told.contains(&state))));
}

#[test]
fn calls_amid_injected_misbehaviour_are_not_observed() {
    let mut worker = worker(calm());
    let report = epoch(&mut worker, EpochTask { inject: true, ..task(1) });
    assert!(report.calls > 1000);
    assert_eq!((report.observed, report.edges), (0, Vec::new()));
}

#[test]
fn every_operation_is_called_again_and_again() {
    let mut worker = worker(calm());
    let mut tried = vec![0; harness::tables().ops.len()];
    for seed in 0..4 {
        let report = epoch(&mut worker, EpochTask { tried: tried.clone(), ..task(seed) });
        assert!(report.calls >= 1500);
        for (tried, count) in tried.iter_mut().zip(&report.ops) {
            assert_eq!(count.called, count.returned + count.panicked);
            *tried += count.called;
        }
    }
    let tables = harness::tables();
    let ordinary = tables.ops.iter().zip(&tried).filter(|(op, _)| op.name != "drop");
    for (op, tried) in ordinary {
        assert!(*tried > 60, "{} was called {tried} times", op.name);
    }
}

#[test]
fn a_second_drop_is_found_with_a_short_recipe() {
    let mut worker = worker(calm());
    let report = epoch(&mut worker, task(1));
    let second_drop = Oracle::Probe(gainsay_wire::Misuse::DoubleDrop);
    let finding = report.findings.iter().find(|finding| finding.oracle == second_drop);
    let finding = finding.expect("the planted fault");
    assert!(finding.recipe.steps.len() <= 4, "{finding:?}");
    let blamed = harness::tables().ops[finding.op.0 as usize].name;
    assert!(["Faulty::take_first", "drop"].contains(&blamed), "{blamed}");
    let honest = report.findings.iter().filter(|finding| {
        let name = harness::tables().ops[finding.op.0 as usize].name;
        name.starts_with("Pile") && !matches!(finding.oracle, Oracle::Panic(_))
    });
    assert_eq!(honest.count(), 0);
}

#[test]
fn a_panic_is_told_with_place_words_and_whether_anything_changed() {
    let mut worker = worker(calm());
    let report = epoch(&mut worker, task(2));
    let finding = find(&report, "Pile::remove", |oracle| matches!(oracle, Oracle::Panic(_)));
    let Oracle::Panic(place) = &finding.expect("removing out of bounds").oracle else { panic!() };
    assert!(place.file.ends_with("subject.rs"), "{place:?}");
    assert!(place.message.starts_with("no element "), "{place:?}");
    assert!(!place.changed);
    let panicked = |call: &&KeptCall| matches!(call.observation.outcome, Outcome::Panicked(_));
    let kept = report.kept.iter().filter(panicked).count();
    assert!((1..=64).contains(&kept), "{kept}");
}

#[test]
fn recipes_replay_to_the_observation_they_were_kept_with() {
    let mut worker = worker(calm());
    let mut replayed = 0;
    for seed in 0..8 {
        for kept in epoch(&mut worker, task(seed)).kept {
            let task = RunTask { sequence: kept.recipe, views: true, laws: false, asks: vec![] };
            let Some(Response::Run(run)) = worker.handle(Request::Run(task)) else { panic!() };
            let last = run.steps.last().unwrap().observation.as_ref();
            assert_eq!(last, Some(&kept.observation));
            replayed += 1;
        }
    }
    assert!(replayed > 300, "{replayed}");
}

#[test]
fn every_state_that_is_spoken_of_is_told() {
    let report = epoch(&mut worker(calm()), task(3));
    let told: BTreeSet<_> = report.states.iter().map(|record| record.state).collect();
    for kept in &report.kept {
        for object in &kept.observation.objects {
            assert!(told.contains(&object.before));
            assert!(object.after.is_none_or(|after| told.contains(&after)));
        }
        assert!(kept.observation.made.iter().all(|(_, state)| told.contains(state)));
    }
    assert!(told.len() > 20);
}

fn check(id: u32, name: &str, text: &str, point: Point) -> Check {
    let tables = harness::tables();
    let names = tables.ops[op(name).0 as usize].names;
    let names = Names::new(names.iter().map(|name| ((*name).to_owned(), *name == "self")));
    let expr = parse_expr(text, &names, point).unwrap();
    Check { contract: ContractId(id), op: op(name), expr }
}

#[test]
fn most_calls_keep_what_is_known_to_be_required_and_some_defy_it() {
    let remove = |requires| {
        let mut worker = worker(Settings { requires, ..calm() });
        let reports = (0..18).map(|seed| epoch(&mut worker, task(seed)));
        let counts = reports.map(|report| report.ops[op("Pile::remove").0 as usize]);
        counts.fold((0, 0), |(good, bad), count| (good + count.returned, bad + count.panicked))
    };
    let (_, refused) = remove(Vec::new());
    let in_range = check(1, "Pile::remove", "index < self.len()", Point::Entry);
    let (returned, defiant) = remove(vec![in_range]);
    assert!(returned > 100 && defiant > 0, "{returned} {defiant}");
    assert!(defiant * 4 < refused, "{defiant} of {refused}");
}

#[test]
fn watched_contracts_are_attacked_and_the_wrong_one_is_violated() {
    let check = |id, text: &str| check(id, "Pile::push", text, Point::Exit);
    let checks = vec![
        check(1, "self.seq() == old(self.seq()) ++ [value]"),
        check(2, "old(self.len()) < 2"),
        check(3, "old(self.is_empty()) ==> self.contains(value)"),
    ];
    let report = epoch(&mut worker(Settings { checks, ..calm() }), task(4));
    let violated: Vec<u32> = report.violations.iter().map(|v| v.contract.0).collect();
    assert_eq!(violated, [2]);
    let attacks = |id| report.attacks.iter().find(|(c, _)| c.0 == id).unwrap().1;
    assert!(attacks(1) > 50);
    assert!(attacks(3) > 0 && attacks(3) < attacks(1));
    let len = &report.violations[0].call.observation.values;
    assert!(len.contains(&Value::Int(2)), "{len:?}");
}

#[test]
fn a_call_that_does_not_keep_what_is_required_says_nothing_but_of_that() {
    let long = |id| check(id, "Pile::push", "self.len() > 2", Point::Entry);
    let wrong = check(2, "Pile::push", "old(self.len()) > 2", Point::Exit);
    let violated = |requires: Check| {
        let (checks, requires) = (vec![wrong.clone()], vec![requires]);
        let report = epoch(&mut worker(Settings { checks, requires, ..calm() }), task(4));
        report.violations.iter().map(|it| it.contract.0).collect::<Vec<_>>()
    };
    assert_eq!(violated(long(1)), [] as [u32; 0]);
    assert_eq!(violated(long(2)), [2]);
}

#[test]
fn calibration_finds_the_impure_query_and_the_sharing_type() {
    let task = EpochTask { calibrate: true, calls: 600, ..task(5) };
    let report = epoch(&mut worker(Settings::default()), task);
    let impure: Vec<&str> =
        report.queries.iter().filter(|q| q.impure > 0).map(|q| q.name.as_str()).collect();
    assert_eq!(impure, ["look"]);
    assert_eq!(report.sharing, [SHARED]);
    let contains = report.queries.iter().find(|q| q.name == "contains").unwrap();
    assert!(contains.evaluated > 0);
}

#[test]
fn furniture_is_made_first_and_used() {
    let origin = Step::new(op("Pile::new"), vec![]);
    let push = |key| {
        Step::new(
            op("Pile::push"),
            vec![
                gainsay_wire::Arg::Object(ObjRef { step: 0, out: 0 }),
                gainsay_wire::Arg::Plain(Value::Elem(key)),
            ],
        )
    };
    let furniture = vec![Sequence { steps: vec![origin, push(111), push(222)] }];
    let report = epoch(&mut worker(calm()), EpochTask { furniture, calls: 400, ..task(6) });
    let wanted = Value::Seq(vec![Value::Elem(111), Value::Elem(222)]);
    assert!(report.states.iter().any(|state| state.values.contains(&wanted)));
    let spread = |kept: &&KeptCall| format!("{:?}", kept.observation.values).contains("Elem(111)");
    let used = report.kept.iter().filter(spread).count();
    // Two of them are the furniture's own pushes; such a key is never made up otherwise.
    assert!(used > 2, "{used}");
    let bare = epoch(&mut worker(calm()), EpochTask { calls: 400, ..task(6) });
    assert_eq!(bare.kept.iter().filter(spread).count(), 0);
}

#[test]
fn furniture_that_cannot_be_made_is_left_out_and_the_rest_is_not_confused() {
    let object = |step| gainsay_wire::Arg::Object(ObjRef { step, out: 0 });
    let push = |step, key| {
        Step::new(op("Pile::push"), vec![object(step), gainsay_wire::Arg::Plain(Value::Elem(key))])
    };
    let origin = Step::new(op("Pile::new"), vec![]);
    // The first step has nothing to push to, the fourth pushes to what no step made.
    let steps = vec![push(7, 111), origin, push(1, 222), push(0, 333), push(1, 444)];
    let furniture = vec![Sequence { steps }];
    let report = epoch(&mut worker(calm()), EpochTask { furniture, calls: 2, ..task(6) });
    let holds = |keys: &[i64]| {
        let wanted = Value::Seq(keys.iter().copied().map(Value::Elem).collect());
        report.states.iter().any(|state| state.values.contains(&wanted))
    };
    assert!(holds(&[222]) && !holds(&[222, 333]) && !holds(&[111]));
    assert!(!holds(&[222, 444]), "an epoch makes no more calls than it may");
}

#[test]
fn an_epoch_that_is_about_an_operation_calls_it_most() {
    let aim = op("Pile::push");
    let called = |aim| {
        let report = epoch(&mut worker(calm()), EpochTask { aim, calls: 600, ..task(8) });
        (report.ops[op("Pile::push").0 as usize].called, report.calls)
    };
    let (pushed, calls) = called(Some(aim));
    assert!(2 * pushed > calls, "{pushed} of {calls}");
    let (pushed, calls) = called(None);
    assert!(2 * pushed < calls, "{pushed} of {calls}");
}

#[test]
fn what_a_limit_kept_back_is_told_by_the_next_epoch() {
    let mut free = worker(calm());
    let all = epoch(&mut free, EpochTask { calls: 600, ..task(8) }).kept.len();
    let again = epoch(&mut free, EpochTask { calls: 600, ..task(8) }).kept.len();
    let mut bound = worker(calm());
    let told = |keep, worker: &mut _| epoch(worker, EpochTask { keep, calls: 600, ..task(8) }).kept;
    assert_eq!(told(Some(0), &mut bound), []);
    assert_eq!(told(Some(5), &mut bound).len(), 5);
    let late = told(None, &mut bound).len();
    assert!(late > again && late + 5 >= all / 2, "{late} of {all}, {again}");
}

#[test]
fn what_takes_its_callers_word_is_called_and_nothing_it_touched_is_an_example() {
    let trusting = vec![op("Pile::push")];
    let report = epoch(&mut worker(Settings { trusting, ..calm() }), task(9));
    assert!(report.ops[op("Pile::push").0 as usize].returned > 10);
    let pushes = |kept: &&KeptCall| kept.recipe.steps.iter().any(|it| it.op == op("Pile::push"));
    assert_eq!(report.kept.iter().filter(pushes).count(), 0);
    let report = epoch(&mut worker(calm()), task(9));
    assert!(report.kept.iter().filter(pushes).count() > 10);
}

#[test]
fn an_epoch_amid_misbehaviour_tells_findings_about_memory_and_nothing_else() {
    let mut worker = worker(calm());
    for seed in 0..8 {
        let report = epoch(&mut worker, EpochTask { inject: true, ..task(seed) });
        assert!(report.calls >= 1500);
        assert!(report.kept.is_empty() && report.states.is_empty());
        assert!(report.new_states.is_empty() && report.new_transitions.is_empty());
        assert!(report.violations.is_empty());
        let about_memory = |finding: &Finding| matches!(finding.oracle, Oracle::Probe(_));
        assert!(report.findings.iter().all(about_memory), "{:?}", report.findings);
    }
}

#[test]
fn misbehaviour_is_decided_by_the_seed() {
    let report = |seed| {
        let task = EpochTask { inject: true, ..task(seed) };
        epoch(&mut worker(calm()), task)
    };
    assert_eq!(report(3), report(3));
    assert_ne!(report(3), report(4));
}
