//! Opening, closing, killing and refilling stores.

mod killed;

use gainsay_wire::{KeptCall, Mode, ObjectState, Outcome, Root, StateRecord, Term, Value, When};

use super::*;
use crate::{ObjectAt, Relation, testkit::*};

#[test]
fn what_is_recorded_is_there_when_the_store_is_opened_again() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("store.sqlite");
    let mut store = Store::open(&path).unwrap();
    store.begin_campaign(&subject(), &sets(), 7).unwrap();
    record(&mut store, &set_of(0, &[1, 2]));
    let (counts, dump) = (store.count_evidence().unwrap(), store.dump().unwrap());
    assert_eq!((counts.states, counts.objects, counts.transitions, counts.calls), (3, 3, 2, 3));
    drop(store);
    let mut store = Store::open(&path).unwrap();
    assert_eq!(store.dump().unwrap(), dump);
    store.begin_campaign(&subject(), &sets(), 8).unwrap();
    assert_eq!(store.read_samples().unwrap().of(INSERT).len(), 2);
}

#[test]
fn the_last_campaign_can_be_taken_up_again_without_a_new_one() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("store.sqlite");
    let mut store = Store::open(&path).unwrap();
    assert!(matches!(store.resume_campaign(), Err(StoreError::NoCampaign)));
    let begun = store.begin_campaign(&subject(), &sets(), 7).unwrap();
    record(&mut store, &set_of(0, &[1]));
    let (facts, dump) = (store.export_facts().unwrap(), store.dump().unwrap());
    drop(store);
    let mut store = Store::open(&path).unwrap();
    assert_eq!(store.resume_campaign().unwrap(), begun);
    assert_eq!((store.export_facts().unwrap(), store.dump().unwrap()), (facts, dump));
}

#[test]
fn numbers_of_another_harness_are_translated_by_name() {
    let mut store = begun();
    record(&mut store, &set_of(0, &[1]));
    let mut other = sets();
    other.ops.reverse();
    store.begin_campaign(&subject(), &other, 1).unwrap();
    let samples = store.read_samples().unwrap();
    let insert = other.ops.iter().position(|op| op.name == "Set::insert").unwrap();
    let insert = gainsay_wire::OpId(u32::try_from(insert).unwrap());
    assert_eq!(samples.of(insert).next().unwrap().observation.op, insert);
}

#[test]
fn equal_campaigns_have_equal_dumps_and_different_ones_differ() {
    let dump = |items: &[i64]| {
        let mut store = begun();
        record(&mut store, &set_of(0, items));
        store.dump().unwrap()
    };
    assert_eq!(dump(&[1, 2]), dump(&[1, 2]));
    assert_ne!(dump(&[1, 2]), dump(&[1, 3]));
}

#[test]
fn a_batch_that_was_not_finished_leaves_no_trace() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("store.sqlite");
    let mut store = Store::open(&path).unwrap();
    store.begin_campaign(&subject(), &sets(), 7).unwrap();
    record(&mut store, &set_of(0, &[1]));
    let dump = store.dump().unwrap();
    store.connection.execute_batch("BEGIN; DELETE FROM operand; DELETE FROM call;").unwrap();
    // What a killed process leaves behind is its files, as they are in the middle of a batch.
    let after = tempfile::tempdir().unwrap();
    for name in ["store.sqlite", "store.sqlite-wal"] {
        std::fs::copy(directory.path().join(name), after.path().join(name)).unwrap();
    }
    let revived = Store::open(&after.path().join("store.sqlite")).unwrap();
    assert_eq!(revived.dump().unwrap(), dump);
}

#[test]
fn a_batch_that_fails_is_rolled_back_whole() {
    let mut store = begun();
    let (states, good) = run(&set_of(0, &[1]));
    let mut bad = good.clone();
    bad.observation.op = gainsay_wire::OpId(99);
    let before = store.dump().unwrap();
    assert!(store.record_calls(&states, &[good, bad]).is_err());
    assert_eq!(store.dump().unwrap(), before);
}

#[test]
fn two_runs_on_one_store_wait_for_each_other() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("store.sqlite");
    let fill = |first: i64| {
        let mut store = Store::open(&path).unwrap();
        store.begin_campaign(&subject(), &sets(), 1).unwrap();
        (first..first + 20).for_each(|item| record(&mut store, &set_of(0, &[item])));
    };
    std::thread::scope(|scope| {
        for first in [100, 200, 300] {
            scope.spawn(move || fill(first));
        }
    });
    // The empty set and sixty others, each made by one call.
    assert_eq!(Store::open(&path).unwrap().count_evidence().unwrap().states, 61);
}

#[test]
fn conclusions_are_kept_and_later_ones_take_the_place_of_earlier_ones() {
    use gainsay_model::{
        build::Build,
        contract::{Attacks, Contract, ContractKind, Evidence, Unsettled, Verdict, Via},
        fault::{Confirmation, Fault},
        skip::{Skip, SkipReason},
    };
    let mut store = begun();
    let id = gainsay_wire::ContractId(4);
    let expr = predicate(AT, "index < self.len()");
    let kind = ContractKind::Precondition;
    let contract = Contract { id, op: AT, kind, expr, evidence: Evidence::default() };
    store.record_contracts(std::slice::from_ref(&contract)).unwrap();
    let by = sequence(set_of(0, &[1]));
    let attacks = Attacks::default();
    let unsettled = Verdict::Unsettled { reason: Unsettled::NothingToTry, attacks };
    let refuted = Verdict::Refuted { by: by.clone(), via: Via::Transition };
    store.record_verdicts(&[(id, unsettled)]).unwrap();
    store.record_verdicts(&[(id, refuted)]).unwrap();
    let fault = Fault {
        id: "f1".into(),
        oracle: gainsay_wire::Oracle::Hang,
        op: AT,
        operation: "Set::at".into(),
        message: "no end".into(),
        moment: gainsay_model::fault::Moment::Call,
        parties: Vec::new(),
        sequence: by,
        confirmation: Confirmation::Confirmed,
        seen: None,
        build: Build::Debug,
    };
    store.record_faults(&[fault]).unwrap();
    let reason = SkipReason::Unsafe;
    let skip = Skip { operation: "Set::raw".into(), reason, detail: String::new() };
    store.record_skips(&[skip]).unwrap();
    let dump = store.dump().unwrap();
    let lines = |title: &str| dump.lines().filter(|l| l.starts_with(title)).collect::<Vec<_>>();
    assert_eq!(
        lines("contract"),
        ["contract 4 | Set::at | precondition | index < self.len() | 0 | 0 | 0"]
    );
    assert_eq!(lines("verdict").len(), 1);
    assert!(lines("verdict")[0].starts_with("verdict 4 | refuted | - | - | transition | "));
    assert!(lines("fault")[0].starts_with("fault f1 | hang | Set::at | no end | "));
    assert_eq!(lines("skip"), ["skip Set::raw | unsafe function | "]);
}

#[test]
fn a_newer_schema_can_be_read_and_not_written() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("store.sqlite");
    let mut store = Store::open(&path).unwrap();
    store.begin_campaign(&subject(), &sets(), 7).unwrap();
    record(&mut store, &set_of(0, &[1]));
    let counts = store.count_evidence().unwrap();
    store.connection.pragma_update(None, "user_version", 1_000).unwrap();
    drop(store);
    let mut store = Store::open(&path).unwrap();
    assert_eq!(store.count_evidence().unwrap(), counts);
    let refused = store.begin_campaign(&subject(), &sets(), 8);
    assert!(matches!(refused, Err(StoreError::NewerSchema { found: 1_000, .. })), "{refused:?}");
}

#[test]
fn a_full_disk_is_told_and_what_was_recorded_before_stays() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("store.sqlite");
    let mut store = filled(&path);
    let pages: i64 = store.connection.query_row("PRAGMA page_count", [], |r| r.get(0)).unwrap();
    store.connection.pragma_update(None, "max_page_count", pages + 2).unwrap();
    let mut before = store.dump().unwrap();
    let told = (100..1_000).find_map(|item| {
        let (states, call) = run(&set_of(0, &[item]));
        let told = store.record_calls(&states, &[call]).err();
        if told.is_none() {
            before = store.dump().unwrap();
        }
        told
    });
    assert!(matches!(told, Some(StoreError::DiskFull)), "{told:?}");
    drop(store);
    crate::Export::open(&path).unwrap();
    let mut again = Store::open(&path).unwrap();
    assert_eq!(again.dump().unwrap(), before);
    // When there is room again, it goes on.
    again.resume_campaign().unwrap();
    again.record_epochs(&[epoch(5_000)]).unwrap();
    assert_ne!(again.dump().unwrap(), before);
}

#[test]
fn a_file_that_is_no_database_is_a_typed_error() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("store.sqlite");
    std::fs::write(&path, "no database at all, but long enough to have a header ".repeat(50))
        .unwrap();
    let opened = Store::open(&path);
    assert!(matches!(opened, Err(StoreError::NotAStore { .. })), "{opened:?}");
}

#[test]
fn asking_before_a_campaign_is_a_typed_error() {
    let store = Store::in_memory().unwrap();
    assert!(matches!(store.read_samples(), Err(StoreError::NoCampaign)));
}

#[test]
fn few_objects_per_state_are_kept_and_the_shortest_recipes_win() {
    let mut store = begun();
    for extra in (0..6).rev() {
        let mut steps = set_of(0, &[1]);
        steps.extend((0..extra).map(|_| step(INSERT, vec![obj(0), int(1)])));
        steps.push(step(INSERT, vec![obj(0), int(2)]));
        let (states, call) = run(&steps);
        store.record_calls(&states, &[call]).unwrap();
    }
    let steps = "SELECT group_concat(steps, ' ') FROM (SELECT o.steps FROM object o
         JOIN state_value v ON v.state = o.state JOIN query q ON q.id = v.query
         WHERE q.name = 'len' AND v.int_value = 2 ORDER BY o.steps)";
    let steps: String = store.connection.query_row(steps, [], |row| row.get(0)).unwrap();
    assert_eq!(steps, "3 4 5 6");
}

#[test]
fn few_calls_that_look_alike_are_kept_but_all_are_counted() {
    let mut store = begun();
    for extra in 0..12 {
        let mut steps = set_of(0, &[]);
        steps.extend((0..extra).map(|_| step(NEW, vec![])));
        steps.push(step(INSERT, vec![obj(0), int(1)]));
        let (states, call) = run(&steps);
        store.record_calls(&states, &[call]).unwrap();
    }
    assert_eq!(store.count_evidence().unwrap().calls, 3);
    let count = "SELECT count FROM transition";
    let count: i64 = store.connection.query_row(count, [], |row| row.get(0)).unwrap();
    assert_eq!(count, 12);
}

#[test]
fn an_epoch_keeps_few_calls_alike_from_afar_and_attacks_keep_more() {
    let sent = |how: fn(&mut Store, Vec<StateRecord>, Vec<KeptCall>)| {
        let mut store = begun();
        let runs: Vec<_> = (0..40).map(|item| run(&set_of(0, &[item]))).collect();
        let states = runs.iter().flat_map(|(states, _)| states.clone()).collect();
        how(&mut store, states, runs.into_iter().map(|(_, call)| call).collect());
        store.count_evidence().unwrap()
    };
    let explored = sent(|store, states, kept| {
        let report = gainsay_wire::EpochReport { states, kept, ..Default::default() };
        store.record_epochs(std::slice::from_ref(&report)).unwrap();
    });
    let sought = sent(|store, states, calls| store.record_calls(&states, &calls).unwrap());
    assert_eq!((explored.calls, sought.calls), (12, 40));
    // The empty set, and one set for each call that is kept.
    assert_eq!((explored.states, sought.states), (13, 41));
}

/// Tables that the database is asked about while `record` goes on. A statement is looked at when it is
/// prepared, which it is anew for this.
fn tables_asked_while(store: &mut Store, record: impl FnOnce(&mut Store)) -> Vec<String> {
    use rusqlite::hooks::{AuthAction, AuthContext, Authorization};
    let (sender, asked) = std::sync::mpsc::channel();
    store.connection.flush_prepared_statement_cache();
    let note = move |context: AuthContext<'_>| {
        if matches!(context.action, AuthAction::Select) {
            sender.send(context.accessor.unwrap_or("a statement").to_owned()).unwrap();
        }
        Authorization::Allow
    };
    store.connection.authorizer(Some(note));
    record(store);
    store.connection.authorizer(None::<fn(AuthContext<'_>) -> Authorization>);
    asked.try_iter().collect()
}

#[test]
fn the_first_campaign_of_a_build_asks_the_database_nothing_while_it_records() {
    let record = |store: &mut Store| {
        store.record_epochs(&(0..20).map(epoch).collect::<Vec<_>>()).unwrap();
        let mut steps = set_of(0, &[1, 2]);
        steps.extend(set_of(3, &[5]));
        steps.push(step(MERGE, vec![obj(0), obj(3)]));
        let (states, call) = run(&steps);
        store.record_calls(&states, &[call]).unwrap();
    };
    let mut store = begun();
    assert_eq!(tables_asked_while(&mut store, record), Vec::<String>::new());
    assert!(store.count_evidence().unwrap().relations > 0);
    // Where another campaign has been, what is not in memory is looked up.
    store.begin_campaign(&subject(), &sets(), 2).unwrap();
    assert!(!tables_asked_while(&mut store, record).is_empty());
}

#[test]
fn a_call_that_is_not_kept_still_gives_a_state_its_shortest_recipe() {
    let mut store = begun();
    let calls = (0..5).rev().map(|extra| {
        let mut steps = set_of(0, &[]);
        steps.extend((0..extra).map(|_| step(NEW, vec![])));
        steps.push(step(INSERT, vec![obj(0), int(1)]));
        run(&steps)
    });
    for (states, call) in calls {
        let kept = vec![call];
        let report = gainsay_wire::EpochReport { states, kept, ..Default::default() };
        store.record_epochs(std::slice::from_ref(&report)).unwrap();
    }
    assert_eq!(store.count_evidence().unwrap().calls, 3);
    let steps = "SELECT s.steps FROM state s JOIN state_value v ON v.state = s.id
         JOIN query q ON q.id = v.query WHERE q.name = 'len' AND v.int_value = 1";
    let steps: i64 = store.connection.query_row(steps, [], |row| row.get(0)).unwrap();
    assert_eq!(steps, 2);
}

/// The running example of the first paper: lists that can hold lists, and its six test cases.
mod running_example {
    use gainsay_wire::{Manifest, ManifestType, Observation, OpId, Sequence};

    use super::*;

    fn lists() -> Manifest {
        let target = || ("self", object(Mode::Mut));
        Manifest {
            types: vec![ManifestType {
                name: "List".into(),
                queries: vec![query("is_empty", None), query("has", Some(object(Mode::Ref)))],
                can_clone: false,
                borrows: false,
                locks: false,
            }],
            ops: vec![
                op("List::make", vec![], vec![SET]),
                op("List::wipe_out", vec![target()], vec![]),
                op("List::append", vec![target(), ("other", object(Mode::Ref))], vec![]),
                op("List::extend", vec![target(), ("v", object(Mode::Ref))], vec![]),
                op("List::is_empty", vec![("self", object(Mode::Ref))], vec![]),
            ],
        }
    }

    fn state(is_empty: bool) -> gainsay_wire::StateId {
        state_of(&[Value::Bool(is_empty)])
    }

    /// A call on one list, in all its operands, that was empty before.
    fn call(steps: Vec<gainsay_wire::Step>, empty_after: bool) -> KeptCall {
        let last = steps.last().unwrap().clone();
        let empty = |when| when == When::Before || empty_after;
        let value = |term: &Term| match (term.root, term.query.as_deref()) {
            (Root::Result, _) => Value::Unit,
            // A list that is not empty contains itself.
            (_, Some("has")) => Value::Bool(!empty(term.when)),
            (Root::Made(_), _) => Value::Bool(true),
            _ => Value::Bool(empty(term.when)),
        };
        let values = lists().vocabulary(last.op).terms().iter().map(value).collect();
        let objects = last.objects().map(|(i, _)| ObjectState {
            operand: u32::try_from(i).unwrap(),
            ty: SET,
            before: state(true),
            after: Some(state(empty_after)),
        });
        let makes = &lists().ops[last.op.0 as usize].makes;
        let observation = Observation {
            op: last.op,
            outcome: Outcome::Returned,
            values,
            objects: objects.collect(),
            made: makes.iter().map(|ty| (*ty, state(true))).collect(),
            freed: Vec::new(),
        };
        KeptCall { observation, recipe: Sequence { steps } }
    }

    #[test]
    fn the_store_holds_exactly_the_facts_of_the_paper() {
        let mut store = Store::in_memory().unwrap();
        store.begin_campaign(&subject(), &lists(), 1).unwrap();
        for is_empty in [true, false] {
            let values = vec![Value::Bool(is_empty)];
            let record = StateRecord { state: state(is_empty), ty: SET, values };
            store.record_states(&[record]).unwrap();
        }
        let make = || step(OpId(0), vec![]);
        let on = |op: u32, count: usize| step(OpId(op), vec![obj(0); count]);
        for (steps, stays_empty) in [
            (vec![make()], true),
            (vec![make(), on(1, 1)], true),
            (vec![make(), on(2, 2)], true),
            (vec![make(), on(3, 2)], false),
            (vec![make(), on(4, 1)], true),
            (vec![make(), make()], true),
        ] {
            store.record_call(&call(steps, stays_empty)).unwrap();
        }
        let (fresh, extended) = (sequence(vec![make()]), sequence(vec![make(), on(3, 2)]));
        let at = gainsay_wire::ObjRef { step: 0, out: 0 };
        let l1 = ObjectAt { ty: SET, state: state(true), recipe: &fresh, at };
        let l2 = ObjectAt { ty: SET, state: state(false), recipe: &extended, at };
        let relation = |a, b| Relation { query: "has", a, b, value: &Value::Bool(false) };
        store.record_relations(&[relation(l1, l2), relation(l2, l1)]).unwrap();
        let facts = [
            "List::extend: self.has(v) false -> true",
            "List::extend: self.is_empty() true -> false",
            "List{is_empty=false}.has(List{is_empty=false}) = true",
            "List{is_empty=false}.has(List{is_empty=true}) = false",
            "List{is_empty=false}.is_empty() = false",
            "List{is_empty=true}.has(List{is_empty=false}) = false",
            "List{is_empty=true}.has(List{is_empty=true}) = false",
            "List{is_empty=true}.is_empty() = true",
        ];
        assert_eq!(store.export_facts().unwrap(), facts);
        assert_eq!(store.count_evidence().unwrap().transitions, 1);
    }
}
