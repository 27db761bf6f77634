//! Going on from what earlier runs left.

use super::*;
use crate::testkit::*;

fn at<'a>(subject: &'a Subject, manifest: &'a Manifest, build: u64) -> Begun<'a> {
    Begun { subject, manifest, seed: 1, build }
}

fn with_sets() -> Store {
    let mut store = Store::in_memory().unwrap();
    store.begin_with(&at(&subject(), &sets(), 1), &[]).unwrap();
    record(&mut store, &set_of(0, &[1, 2]));
    store
}

#[test]
fn a_store_knows_whether_it_is_of_the_same_build() {
    let empty = Store::in_memory().unwrap();
    let (subject, manifest) = (subject(), sets());
    assert_eq!(empty.find_former(&at(&subject, &manifest, 1)).unwrap(), Former::Nothing);
    let store = with_sets();
    let check = |subject: &Subject, manifest: &Manifest, build, expected| {
        assert_eq!(store.find_former(&at(subject, manifest, build)).unwrap(), expected);
    };
    check(&subject, &manifest, 1, Former::Same);
    check(&subject, &manifest, 2, Former::Changed);
    let mut otherwise = sets();
    otherwise.types[0].queries[1].active = false;
    check(&subject, &otherwise, 1, Former::Changed);
    let newer = Subject { version: "1.0.1".into(), ..subject.clone() };
    check(&newer, &manifest, 1, Former::Changed);
    let other = Subject { name: "maps".into(), ..subject.clone() };
    check(&other, &manifest, 1, Former::Nothing);
}

#[test]
fn a_campaign_of_the_same_build_goes_on_with_all_but_the_conclusions() {
    let mut store = with_sets();
    let reason = gainsay_model::skip::SkipReason::Unsafe;
    let skip = gainsay_model::skip::Skip { operation: "x".into(), reason, detail: String::new() };
    store.record_skips(&[skip]).unwrap();
    let counts = store.count_evidence().unwrap();
    store.go_on(&at(&subject(), &sets(), 1)).unwrap();
    assert_eq!(store.count_evidence().unwrap(), counts);
    assert!(!store.dump().unwrap().contains("skip"));
    assert_eq!(store.read_samples().unwrap().of(INSERT).len(), 2);
    // The same again adds nothing.
    record(&mut store, &set_of(0, &[1, 2]));
    assert_eq!(store.count_evidence().unwrap(), counts);
    assert_eq!(store.pick_furniture(2, 9).unwrap().iter().map(|it| it.steps.len()).max(), Some(3));
    assert_eq!(store.pick_furniture(9, 2).unwrap().len(), 2);
}

#[test]
fn room_that_earlier_campaigns_took_is_not_there_again() {
    let mut store = with_sets();
    for item in 0..2_100 {
        let (states, call) = run(&set_of(0, &[item]));
        store.record_calls(&states, &[call]).unwrap();
    }
    store.go_on(&at(&subject(), &sets(), 1)).unwrap();
    let calls = store.count_evidence().unwrap().calls;
    store.record_epochs(&(5_000..5_020).map(epoch).collect::<Vec<_>>()).unwrap();
    assert_eq!(store.count_evidence().unwrap().calls, calls);
}

#[test]
fn objects_of_another_build_come_in_its_numbers_and_without_what_it_lacks() {
    let store = with_sets();
    let mut other = sets();
    other.ops.reverse();
    let subject = subject();
    let former =
        |manifest: &Manifest, most| store.former_objects(&at(&subject, manifest, 2), most).unwrap();
    let (objects, lost) = former(&other, 9);
    let lengths: Vec<usize> = objects.iter().map(|it| it.recipe.steps.len()).collect();
    assert_eq!((lengths, lost), (vec![1, 2, 3], 0));
    let insert = objects[1].recipe.steps[1].op;
    assert_eq!(other.ops[insert.0 as usize].name, "Set::insert");
    other.ops.retain(|op| op.name != "Set::insert");
    let (objects, lost) = former(&other, 9);
    assert_eq!((objects.len(), lost), (1, 2));
    let (objects, lost) = former(&sets(), 2);
    assert_eq!((objects.len(), lost), (2, 1));
}

#[test]
fn an_object_is_compared_by_the_queries_that_both_builds_have() {
    let store = with_sets();
    let (objects, _) = store.former_objects(&at(&subject(), &sets(), 2), 9).unwrap();
    let two = &objects[2];
    let see = |items: &[i64]| {
        let values = view(&items.iter().copied().collect());
        StateRecord { state: state_of(&values), ty: SET, values }
    };
    assert!(two.looks_like(&sets(), &see(&[1, 2])));
    assert!(!two.looks_like(&sets(), &see(&[1, 3])));
    let mut fewer = sets();
    fewer.types[0].queries.retain(|query| query.name != "seq");
    let mut now = see(&[1, 3]);
    now.values.truncate(2);
    assert!(two.looks_like(&fewer, &now), "`is_empty` and `len` say the same");
}

/// A set with one element as another build sees it.
fn still_alike() -> (StoredObject, StateRecord) {
    let (_, call) = run(&set_of(0, &[1]));
    let values = view(&[1].into_iter().collect());
    let state = StateRecord { state: state_of(&values), ty: SET, values };
    let at_first = ObjRef { step: 0, out: 0 };
    let object =
        StoredObject { ty: SET, state: state.state, recipe: call.recipe.clone(), at: at_first };
    (object, state)
}

#[test]
fn a_changed_crate_begins_with_what_still_behaves_and_the_old_evidence_stays() {
    let mut store = with_sets();
    let old = store.list_builds().unwrap()[0].id;
    let before = store.dump_build(old).unwrap();
    let (object, state) = still_alike();
    let recipe = object.recipe.clone();
    let (subject, manifest) = (subject(), sets());
    store.begin_with(&at(&subject, &manifest, 2), &[(object, state)]).unwrap();
    let counts = store.count_evidence().unwrap();
    assert_eq!((counts.objects, counts.states, counts.calls, counts.transitions), (1, 1, 0, 0));
    assert_eq!(store.pick_furniture(9, 9).unwrap(), [recipe]);
    assert_eq!(store.find_former(&at(&subject, &manifest, 2)).unwrap(), Former::Same);
    assert_eq!(store.find_former(&at(&subject, &manifest, 1)).unwrap(), Former::Same);
    assert_eq!(store.dump_build(old).unwrap(), before);
    assert!(store.read_samples().unwrap().iter().next().is_none());
}

#[test]
fn room_that_one_build_took_is_there_for_another() {
    let mut store = with_sets();
    for item in 0..2_100 {
        let (states, call) = run(&set_of(0, &[item]));
        store.record_calls(&states, &[call]).unwrap();
    }
    store.begin_with(&at(&subject(), &sets(), 2), &[]).unwrap();
    store.record_epochs(&(0..20).map(epoch).collect::<Vec<_>>()).unwrap();
    assert!(store.count_evidence().unwrap().calls > 10);
}

#[test]
fn the_last_campaign_of_a_program_is_taken_up_again_and_not_that_of_another() {
    let mut store = with_sets();
    let first = store.campaign().unwrap().id;
    let second = store.begin_with(&at(&subject(), &sets(), 2), &[]).unwrap();
    assert_eq!(store.resume_campaign_of(&subject(), 1).unwrap(), first);
    assert_eq!(store.read_samples().unwrap().of(INSERT).len(), 2);
    assert_eq!(store.resume_campaign_of(&subject(), 2).unwrap(), second);
    assert!(store.read_samples().unwrap().iter().next().is_none());
    // Of a program that never ran there is none: the last one on the crate is the nearest.
    assert_eq!(store.resume_campaign_of(&subject(), 3).unwrap(), second);
    let other = Subject { version: "2.0.0".into(), ..subject() };
    assert!(matches!(store.resume_campaign_of(&other, 1), Err(StoreError::NoCampaign)));
}
