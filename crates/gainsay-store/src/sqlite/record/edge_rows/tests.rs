//! Counting observed calls.

use gainsay_wire::{EpochReport, KeptCall, StateRecord, TypeId};

use EdgeEnd::{Absent, State};
use OutcomeClass::{Panicked, Returned};

use super::*;
use crate::{TestCall, testkit::*};

fn sum(store: &Store) -> u64 {
    store.list_edges().unwrap().iter().map(|edge| edge.count).sum()
}

/// The first calls of a sequence, each observed once.
fn runs(steps: &[gainsay_wire::Step]) -> (Vec<StateRecord>, Vec<KeptCall>) {
    let (states, calls): (Vec<_>, Vec<_>) = (1..=steps.len()).map(|end| run(&steps[..end])).unzip();
    (states.concat(), calls)
}

fn report(steps: &[gainsay_wire::Step], times: u64) -> EpochReport {
    let (states, kept) = runs(steps);
    let mut edges = EdgeCount::of_all(kept.iter().map(|call| &call.observation));
    for edge in &mut edges {
        edge.count *= times;
    }
    let observed = times * kept.len() as u64;
    EpochReport { states, kept, edges, observed, ..EpochReport::default() }
}

/// A set that is grown, looked at without change, and asked for what it lacks.
fn steps(item: i64) -> Vec<gainsay_wire::Step> {
    let mut steps = set_of(0, &[item]);
    steps.push(step(INSERT, vec![obj(0), int(i128::from(item))]));
    steps.push(step(AT, vec![obj(0), int(0)]));
    steps.push(step(AT, vec![obj(0), int(7)]));
    steps
}

#[test]
fn the_sum_of_edge_counts_is_the_number_of_observed_calls() {
    let mut store = begun();
    let mut observed = 0;
    for item in 0..30 {
        let report = report(&steps(item), 100);
        observed += report.observed;
        store.record_epochs(std::slice::from_ref(&report)).unwrap();
    }
    // An epoch that tells of no call, as most do after a while.
    let silent = EpochReport { kept: Vec::new(), states: Vec::new(), ..report(&steps(3), 7) };
    observed += silent.observed;
    store.record_epochs(&[silent]).unwrap();
    let (states, calls) = runs(&steps(50));
    observed += calls.len() as u64;
    store.record_calls(&states, &calls).unwrap();
    let seen = calls
        .iter()
        .map(|call| TestCall { observation: call.observation.clone(), test: "sets::grow".into() });
    let seen: Vec<TestCall> = seen.collect();
    observed += seen.len() as u64;
    store.record_test_calls(&states, &seen).unwrap();
    assert_eq!(sum(&store), observed);
    // Violations were counted by the epoch that saw them.
    store.record_violations(&calls).unwrap();
    assert_eq!(sum(&store), observed);
}

#[test]
fn failing_calls_and_those_that_change_nothing_are_edges_with_examples() {
    let mut store = begun();
    store.record_epochs(&[report(&steps(5), 10)]).unwrap();
    let empty = state_of(&view(&[].into_iter().collect()));
    let full = state_of(&view(&[5].into_iter().collect()));
    let edges = store.list_edges().unwrap();
    let check = |op, before, outcome, after, count| {
        let of = |found: &&EdgeRecord| {
            let edge = found.edge;
            (edge.op, edge.before, edge.outcome, edge.after) == (op, before, outcome, after)
        };
        let found = edges.iter().find(of).unwrap();
        assert_eq!((found.edge.ty, found.count, found.examples.len()), (Some(SET), count, 1));
        assert_eq!(found.edge.operand, (op != NEW).then_some(0));
        assert!(store.recipe_of(found.examples[0]).unwrap().is_some());
    };
    check(NEW, Absent, Returned, State(empty), 10);
    check(INSERT, State(empty), Returned, State(full), 10);
    check(INSERT, State(full), Returned, State(full), 10);
    check(AT, State(full), Returned, State(full), 10);
    check(AT, State(full), Panicked, Absent, 10);
    assert_eq!(edges.len(), 5);
}

#[test]
fn an_edge_between_states_that_nobody_described_is_kept() {
    let mut store = begun();
    let end = |number| EdgeEnd::State(StateId(number));
    let (operand, ty, outcome) = (Some(0), Some(SET), OutcomeClass::Returned);
    let edge = Edge { op: INSERT, operand, ty, before: end(1), outcome, after: end(u64::MAX) };
    let nothing =
        Edge { ty: None, operand: None, before: EdgeEnd::Absent, after: EdgeEnd::Absent, ..edge };
    let unseen = Edge { before: EdgeEnd::Unseen, after: EdgeEnd::Absent, ..edge };
    let unchanged = Edge { before: EdgeEnd::Rest, after: EdgeEnd::RestUnchanged, ..edge };
    let all = [edge, nothing, unseen, unchanged];
    let edges = all.map(|edge| EdgeCount { edge, count: 3 }).to_vec();
    store.record_epochs(&[EpochReport { edges, ..EpochReport::default() }]).unwrap();
    assert_eq!(store.count_evidence().unwrap().states, 0);
    let mut found: Vec<Edge> = store.list_edges().unwrap().iter().map(|it| it.edge).collect();
    let mut expected = all.to_vec();
    found.sort();
    expected.sort();
    assert_eq!(found, expected);
    let unknown = EdgeCount { edge: Edge { ty: Some(TypeId(9)), ..edge }, count: 1 };
    let told =
        store.record_epochs(&[EpochReport { edges: vec![unknown], ..EpochReport::default() }]);
    assert!(matches!(told, Err(StoreError::Unknown { what: "type", .. })), "{told:?}");
}

#[test]
fn edges_beyond_the_limit_are_counted_among_the_rest_also_in_later_campaigns() {
    let (operand, ty, outcome) = (Some(0), Some(SET), OutcomeClass::Returned);
    let edges = |numbers: std::ops::Range<u64>| -> Vec<EdgeCount> {
        let end = |number| EdgeEnd::State(StateId(number));
        let edge = |number| {
            let (before, after) = (end(number), end(number + 1));
            EdgeCount { edge: Edge { op: INSERT, operand, ty, before, outcome, after }, count: 2 }
        };
        numbers.map(edge).collect()
    };
    let mut store = Store::in_memory().unwrap();
    let (subject, manifest) = (subject(), sets());
    let begun = crate::Begun { subject: &subject, manifest: &manifest, seed: 1, build: 5 };
    store.begin_with(&begun, &[]).unwrap();
    let report = |numbers| EpochReport { edges: edges(numbers), ..EpochReport::default() };
    store.record_epochs(&[report(0..2_500)]).unwrap();
    assert_eq!((sum(&store), store.list_edges().unwrap().len()), (5_000, 2_001));
    store.go_on(&begun).unwrap();
    store.record_epochs(&[report(0..10), report(3_000..3_010)]).unwrap();
    assert_eq!((sum(&store), store.list_edges().unwrap().len()), (5_040, 2_001));
}
