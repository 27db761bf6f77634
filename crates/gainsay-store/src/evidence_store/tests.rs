//! The contract of [`EvidenceStore`]: tests that any engine passes. Each engine is one line at the end.

use gainsay_model::{
    contract::Via,
    skip::{Skip, SkipReason},
};
use gainsay_wire::{EdgeCount, ObjRef};

use super::*;
use crate::{Provenance, Spread, Store, testkit::*};

/// Makes empty stores of an engine.
type Make<'a> = &'a dyn Fn() -> Box<dyn EvidenceStore>;

const PATIENCE: u64 = 10_000_000;

/// All that is demanded of an engine.
fn check_engine(make: Make<'_>) {
    what_is_recorded_is_found(make);
    samples_are_read_once_and_lead_to_their_recipes(make);
    edges_add_up(make);
    builds_do_not_touch_each_other(make);
    another_build_begins_with_what_still_behaves(make);
    what_fails_leaves_no_trace(make);
    conclusions_belong_to_a_campaign(make);
}

fn begin(store: &mut dyn EvidenceStore, program: u64) {
    let (subject, manifest) = (subject(), sets());
    let begun = Begun { subject: &subject, manifest: &manifest, seed: 1, build: program };
    store.begin_with(&begun, &[]).unwrap();
}

/// Runs a sequence and records every call of it.
fn record_all(store: &mut dyn EvidenceStore, steps: &[gainsay_wire::Step]) {
    for end in 1..=steps.len() {
        let (states, call) = run(&steps[..end]);
        store.record_calls(&states, &[call]).unwrap();
    }
}

/// Two sets that are merged.
fn merged() -> Vec<gainsay_wire::Step> {
    let mut steps = set_of(0, &[1, 2]);
    steps.extend(set_of(3, &[5]));
    steps.push(step(MERGE, vec![obj(0), obj(3)]));
    steps
}

fn dump_last(store: &dyn EvidenceStore) -> String {
    store.dump_build(store.list_builds().unwrap().last().unwrap().id).unwrap()
}

fn what_is_recorded_is_found(make: Make<'_>) {
    let mut store = make();
    assert!(matches!(store.record_violations(&[]), Err(StoreError::NoCampaign)));
    begin(&mut *store, 1);
    record_all(&mut *store, &merged());
    let predicate = predicate(INSERT, "self.len() == 2");
    let (limit, patience, spread) = (9, PATIENCE, Spread::Any);
    let wanted = Wanted { op: INSERT, predicate: &predicate, limit, patience, spread };
    let found = store.find_tuples(&wanted).unwrap();
    let object = found.tuples[0].object(0).unwrap().clone();
    assert_eq!(object.recipe.steps.len(), 3);
    let views = store.read_views(&object).unwrap();
    assert_eq!(
        views.iter().map(|(query, _)| query.as_str()).collect::<Vec<_>>(),
        ["is_empty", "len", "seq"]
    );
    assert_eq!(store.find_numbers(SET, 1).unwrap()[0].query, "len");
    assert_eq!(store.find_sequences(SET).unwrap()[0].query, "seq");
    let grown = crate::testkit::predicate(INSERT, "!self.is_empty()");
    assert!(!store.find_transitions(INSERT, &grown, 9).unwrap().is_empty());
    assert!(!store.find_changes(INSERT, &grown, 9).unwrap().is_empty());
    let disjoint = crate::testkit::predicate(MERGE, "self.is_disjoint(other)");
    let wanted = Wanted { op: MERGE, predicate: &disjoint, limit, patience, spread };
    let tuple = store.find_tuples(&wanted).unwrap().tuples.remove(0);
    let [a, b] = [0, 1].map(|at| tuple.object(at).unwrap().clone());
    assert!(store.knows_relation("is_disjoint", &a.as_at(), &b.as_at()).unwrap());
    let is_empty = crate::testkit::predicate(INSERT, "self.is_empty()");
    let wanted = Wanted { op: INSERT, predicate: &is_empty, limit, patience, spread };
    let empty = store.find_tuples(&wanted).unwrap().tuples[0].object(0).unwrap().clone();
    // The two never met.
    assert!(!store.knows_relation("is_disjoint", &object.as_at(), &empty.as_at()).unwrap());
    let value = gainsay_wire::Value::Bool(true);
    let (a, b) = (object.as_at(), empty.as_at());
    store.record_relations(&[Relation { query: "is_disjoint", a, b, value: &value }]).unwrap();
    assert!(store.knows_relation("is_disjoint", &a, &b).unwrap());
    assert_eq!(store.some_objects(3).unwrap().len(), 3);
    assert!(!store.pick_furniture(5, 9).unwrap().is_empty());
    assert!(!store.passing_recipes(5, 9).unwrap().is_empty());
}

fn samples_are_read_once_and_lead_to_their_recipes(make: Make<'_>) {
    let mut store = make();
    begin(&mut *store, 1);
    record_all(&mut *store, &set_of(0, &[1]));
    let mut samples = Samples::default();
    store.update_samples(&mut samples).unwrap();
    let first = samples.of(INSERT).next().unwrap().clone();
    assert_eq!(store.recipe_of(first.id).unwrap(), Some(sequence(set_of(0, &[1]))));
    record_all(&mut *store, &set_of(0, &[1, 2]));
    let (states, call) = run(&set_of(0, &[3]));
    let test = "sets::grow".to_owned();
    let seen = TestCall { observation: call.observation, test };
    store.record_test_calls(&states, &[seen]).unwrap();
    store.update_samples(&mut samples).unwrap();
    let ids: Vec<ObservationId> = samples.of(INSERT).map(|sample| sample.id).collect();
    assert_eq!((ids.len(), ids[0]), (3, first.id));
    assert_eq!(store.recipe_of(ids[2]).unwrap(), None, "what a test did is last");
    let mut whole = Samples::default();
    store.update_samples(&mut whole).unwrap();
    assert_eq!(whole, samples);
    assert_eq!(store.recipe_of(ObservationId(1_000)).unwrap(), None);
}

fn edges_add_up(make: Make<'_>) {
    let mut store = make();
    begin(&mut *store, 1);
    let mut observed = 0;
    for item in 0..10 {
        let report = epoch(item);
        let edges = EdgeCount::of_all(report.kept.iter().map(|call| &call.observation));
        let report = EpochReport { edges, observed: 2, ..report };
        store.record_epochs(std::slice::from_ref(&report)).unwrap();
        store.record_script(&report).unwrap();
        store.record_violations(&report.kept).unwrap();
        store.record_calls(&report.states, &report.kept).unwrap();
        observed += 2 * report.observed + report.kept.len() as u64;
    }
    let edges = store.list_edges().unwrap();
    assert_eq!(edges.iter().map(|edge| edge.count).sum::<u64>(), observed);
    assert!(edges.iter().all(|edge| (1..=3).contains(&edge.examples.len())), "{edges:?}");
}

fn builds_do_not_touch_each_other(make: Make<'_>) {
    let mut store = make();
    begin(&mut *store, 1);
    record_all(&mut *store, &merged());
    let first = store.list_builds().unwrap()[0].id;
    let before = store.dump_build(first).unwrap();
    begin(&mut *store, 2);
    assert_eq!(store.count_evidence().unwrap(), Counts::default());
    record_all(&mut *store, &merged());
    assert_eq!(store.dump_build(first).unwrap(), before);
    assert_eq!(dump_last(&*store), before, "equal campaigns are equal, whatever else is there");
    store.resume_campaign_of(&subject(), 1).unwrap();
    record_all(&mut *store, &set_of(0, &[7]));
    assert_ne!(store.dump_build(first).unwrap(), before);
    assert_eq!(dump_last(&*store), before);
    assert_eq!(store.keep_builds(1).unwrap(), 1);
    assert_eq!(store.list_builds().unwrap().len(), 1);
    assert_eq!(dump_last(&*store), before);
}

fn another_build_begins_with_what_still_behaves(make: Make<'_>) {
    let mut store = make();
    let (subject, manifest) = (subject(), sets());
    let begun = |build| Begun { subject: &subject, manifest: &manifest, seed: 1, build };
    assert_eq!(store.find_former(&begun(1)).unwrap(), Former::Nothing);
    begin(&mut *store, 1);
    record_all(&mut *store, &set_of(0, &[1, 2]));
    assert_eq!(store.find_former(&begun(1)).unwrap(), Former::Same);
    assert_eq!(store.find_former(&begun(2)).unwrap(), Former::Changed);
    let (former, lost) = store.former_objects(&begun(2), 9).unwrap();
    assert_eq!((former.len(), lost), (3, 0));
    let values = view(&[1].into_iter().collect());
    let state = StateRecord { state: state_of(&values), ty: SET, values };
    assert!(former[1].looks_like(&manifest, &state) && !former[2].looks_like(&manifest, &state));
    let recipe = former[1].recipe.clone();
    let at = ObjRef { step: 0, out: 0 };
    let object = StoredObject { ty: SET, state: state.state, recipe: recipe.clone(), at };
    store.begin_with(&begun(2), &[(object, state)]).unwrap();
    assert_eq!(store.pick_furniture(9, 9).unwrap(), [recipe]);
    assert_eq!(store.manifest().unwrap(), &manifest);
    store.go_on(&begun(1)).unwrap();
    assert_eq!(store.count_evidence().unwrap().objects, 3);
}

fn what_fails_leaves_no_trace(make: Make<'_>) {
    let mut store = make();
    begin(&mut *store, 1);
    record_all(&mut *store, &set_of(0, &[1]));
    let before = dump_last(&*store);
    let (states, good) = run(&set_of(0, &[1, 2]));
    let mut bad = good.clone();
    bad.observation.op = OpId(99);
    assert!(store.record_calls(&states, &[good.clone(), bad]).is_err());
    assert_eq!(dump_last(&*store), before);
    store.record_calls(&states, &[good]).unwrap();
    assert_ne!(dump_last(&*store), before);
}

fn conclusions_belong_to_a_campaign(make: Make<'_>) {
    let mut store = make();
    begin(&mut *store, 1);
    let skip = |operation: &str| {
        let (reason, detail) = (SkipReason::Unsafe, String::new());
        [Skip { operation: operation.into(), reason, detail }]
    };
    store.record_skips(&skip("Set::first")).unwrap();
    let by = sequence(set_of(0, &[1]));
    let refuted = Verdict::Refuted { by, via: Via::Objects };
    store.record_verdicts(&[(ContractId(4), refuted)]).unwrap();
    let first = store.list_builds().unwrap()[0].id;
    let before = store.dump_build(first).unwrap();
    assert!(before.contains("skip Set::first") && before.contains("verdict 4 | refuted"));
    begin(&mut *store, 2);
    store.record_skips(&skip("Set::second")).unwrap();
    store.record_contracts(&[]).unwrap();
    store.record_faults(&[]).unwrap();
    assert_eq!(store.dump_build(first).unwrap(), before);
    assert!(!dump_last(&*store).contains("Set::first"));
    let (subject, manifest) = (subject(), sets());
    store.go_on(&Begun { subject: &subject, manifest: &manifest, seed: 2, build: 1 }).unwrap();
    assert!(!store.dump_build(first).unwrap().contains("skip"), "they are judged anew");
}

#[test]
fn a_store_in_a_file_keeps_the_contract() {
    let directory = tempfile::tempdir().unwrap();
    let number = std::cell::Cell::new(0);
    check_engine(&|| {
        number.set(number.get() + 1);
        Box::new(Store::open(&directory.path().join(format!("{}.sqlite", number.get()))).unwrap())
    });
}

#[test]
fn a_store_in_memory_keeps_the_contract() {
    check_engine(&|| Box::new(Store::in_memory().unwrap()));
}

#[test]
fn provenances_have_words_of_their_own() {
    use Provenance::{Attacked, Example, Explored, Observed, Script};
    let all = [Explored, Attacked, Observed, Example, Script].map(Provenance::as_word);
    assert_eq!(all, ["explored", "attacked", "observed", "example", "script"]);
}
