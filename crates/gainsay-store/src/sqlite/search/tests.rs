//! Searches on a store of sets.

mod plans;

use gainsay_wire::{Arg, Value, truth};

use super::*;
use crate::{Bound, testkit::*};

fn wanted(op: OpId, predicate: &Expr) -> Wanted<'_> {
    Wanted { op, predicate, limit: 45, patience: u64::MAX, spread: Spread::Any }
}

/// Sets {}, {1}, {1, 2}, {5} and a call of merge on {1} and {1, 2} made by one recipe.
fn filled() -> Store {
    let mut store = begun();
    record(&mut store, &set_of(0, &[1, 2]));
    record(&mut store, &set_of(0, &[5]));
    let mut pair = set_of(0, &[1]);
    pair.extend(set_of(2, &[1, 2]));
    pair.push(step(MERGE, vec![obj(0), obj(2)]));
    let (states, call) = run(&pair);
    store.record_calls(&states, &[call]).unwrap();
    store
}

/// Every tuple found really satisfies the predicate when it is built; returns how many.
fn check(store: &Store, op: OpId, text: &str) -> usize {
    let predicate = predicate(op, text);
    let found = store.find_tuples(&wanted(op, &predicate)).unwrap();
    assert_eq!(found.unsearchable, [], "{text}");
    for tuple in &found.tuples {
        let (_, call) = run(&tuple.call(op).steps);
        let vocabulary = sets().vocabulary(op);
        assert_eq!(truth(&predicate, &(&vocabulary, &call.observation)), Truth::True, "{text}");
    }
    found.tuples.len()
}

#[test]
fn conditions_on_one_operand_are_found_among_states() {
    let store = filled();
    // Four states; the two of the pair have a second object each: {1, 2} also as made by merge.
    assert_eq!(check(&store, INSERT, "self.is_empty()"), 1);
    assert!(check(&store, INSERT, "!self.is_empty()") >= 3);
    assert!(check(&store, INSERT, "self.len() == 2") >= 1);
    assert!(check(&store, INSERT, "self.len() != 1 && self.len() > 0") >= 1);
    assert!(check(&store, INSERT, "self.seq() == [5]") >= 1);
    assert!(check(&store, INSERT, "self.seq() != [5] && len(self.seq()) >= 1") >= 2);
    assert!(check(&store, INSERT, "self.is_empty() || self.len() + 1 == 3") >= 2);
    assert_eq!(check(&store, INSERT, "self.len() > 2"), 0);
}

#[test]
fn two_operands_are_compared_with_each_other() {
    let store = filled();
    assert!(check(&store, MERGE, "self.len() < other.len()") >= 4);
    assert!(check(&store, MERGE, "self.is_empty() && !other.is_empty()") >= 3);
    assert!(check(&store, MERGE, "self.seq() == other.seq() && !self.is_empty()") >= 3);
}

#[test]
fn relations_are_found_among_pairs_and_objects_of_one_recipe_stay_joint() {
    let store = filled();
    assert!(check(&store, MERGE, "!self.is_disjoint(other)") >= 1);
    let predicate = predicate(MERGE, "!self.is_disjoint(other) && self.len() == 1");
    let found = store.find_tuples(&wanted(MERGE, &predicate)).unwrap();
    let (sequence, args) = found.tuples[0].build();
    assert_eq!(sequence.steps.len(), 5, "one recipe made both");
    assert_eq!(args, [obj(0), obj(2)]);
    assert_eq!(check(&store, MERGE, "self.is_disjoint(other)"), 0);
}

#[test]
fn one_object_that_stands_for_two_operands_is_made_twice() {
    let mut store = begun();
    record(&mut store, &set_of(0, &[1]));
    let predicate = predicate(MERGE, "!self.is_empty() && !other.is_empty()");
    let found = store.find_tuples(&wanted(MERGE, &predicate)).unwrap();
    let (sequence, args) = found.tuples[0].build();
    assert_eq!((sequence.steps.len(), args), (4, vec![obj(0), obj(2)]));
}

#[test]
fn values_at_borders_are_proposed_for_plain_operands() {
    let store = filled();
    assert!(check(&store, AT, "index < self.len()") >= 3);
    assert!(check(&store, AT, "index >= self.len()") >= 4);
    assert!(check(&store, AT, "index == 0 && !self.is_empty()") >= 3);
    assert!(check(&store, AT, "index == self.len() + 3") >= 4);
    assert_eq!(check(&store, AT, "index < 0"), 0);
}

#[test]
fn elements_are_proposed_where_a_query_takes_one() {
    let store = filled();
    let predicate = predicate(INSERT, "self.contains(value)");
    let found = store.find_tuples(&wanted(INSERT, &predicate)).unwrap();
    let holds = found.tuples.iter().filter(|tuple| {
        let (_, call) = run(&tuple.call(INSERT).steps);
        let vocabulary = sets().vocabulary(INSERT);
        truth(&predicate, &(&vocabulary, &call.observation)) == Truth::True
    });
    assert!(holds.count() >= 3);
}

#[test]
fn distinct_states_come_before_repeats() {
    let mut store = filled();
    record(&mut store, &set_of(0, &[2, 1]));
    let predicate = predicate(INSERT, "!self.is_empty()");
    let found = store.find_tuples(&wanted(INSERT, &predicate)).unwrap();
    let states: Vec<_> = found.tuples.iter().map(|tuple| tuple.object(0).unwrap().state).collect();
    let distinct: BTreeSet<_> = states.iter().collect();
    let first: BTreeSet<_> = states[..distinct.len()].iter().collect();
    assert_eq!(first, distinct);
    assert!(states.len() > distinct.len(), "repeats follow");
}

#[test]
fn states_in_which_the_operation_was_called_can_be_left_out() {
    let store = filled();
    let predicate = predicate(MERGE, "!self.is_empty() && !other.is_empty()");
    let all = store.find_tuples(&wanted(MERGE, &predicate)).unwrap().tuples;
    let fresh = Wanted { spread: Spread::NeverCalled, ..wanted(MERGE, &predicate) };
    let fresh = store.find_tuples(&fresh).unwrap().tuples;
    let called = |tuple: &&Tuple| {
        let lens = [0, 1].map(|i| run(&tuple.call(MERGE).steps).1.observation.objects[i].before);
        lens == [state_of(&view(&[1].into())), state_of(&view(&[1, 2].into()))]
    };
    assert!(all.iter().any(|tuple| called(&tuple)));
    assert!(!fresh.is_empty() && !fresh.iter().any(|tuple| called(&tuple)));
}

#[test]
fn what_sql_cannot_say_is_reported_and_the_rest_is_used() {
    let store = filled();
    let after = Expr::term(Term::query(gainsay_wire::When::After, 0, "is_empty"));
    let both = Expr::And(vec![after.clone(), predicate(INSERT, "self.is_empty()")]);
    let found = store.find_tuples(&wanted(INSERT, &both)).unwrap();
    assert_eq!(found.unsearchable, [after]);
    let empty = state_of(&view(&BTreeSet::new()));
    assert!(!found.tuples.is_empty());
    assert!(found.tuples.iter().all(|tuple| tuple.object(0).unwrap().state == empty));
}

#[test]
fn transitions_that_make_a_clause_true_are_bound_to_its_operands() {
    let store = filled();
    let uses = store.find_transitions(MERGE, &predicate(MERGE, "!other.is_empty()"), 9).unwrap();
    assert_eq!(uses.len(), 1);
    assert_eq!(uses[0].op, INSERT);
    assert_eq!(uses[0].args, [Bound::Variable(1), Bound::Plain(Value::Int(1))]);
    let uses = store.find_transitions(MERGE, &predicate(MERGE, "self.len() > 1"), 9).unwrap();
    let ops: BTreeSet<OpId> = uses.iter().map(|found| found.op).collect();
    assert_eq!(ops, [INSERT, MERGE].into());
    assert_eq!(store.find_transitions(MERGE, &predicate(MERGE, "self.is_empty()"), 9).unwrap(), []);
    let contains = predicate(INSERT, "self.contains(value)");
    let uses = store.find_transitions(INSERT, &contains, 9).unwrap();
    assert_eq!(uses[0].args, [Bound::Variable(0), Bound::Variable(1)]);
}

#[test]
fn a_search_that_takes_too_long_says_so() {
    let mut store = begun();
    for item in 0..200 {
        let (states, call) = run(&set_of(0, &[item]));
        store.record_calls(&states, &[call]).unwrap();
    }
    let predicate = predicate(MERGE, "self.len() + other.len() == 7");
    let mut hurried = wanted(MERGE, &predicate);
    hurried.patience = 0;
    assert!(store.find_tuples(&hurried).unwrap().gave_up);
    assert!(!store.find_tuples(&wanted(MERGE, &predicate)).unwrap().gave_up);
}

#[test]
fn plain_arguments_alone_need_no_objects() {
    let tuple = Tuple { operands: vec![Operand::Plain(Value::Int(3))] };
    assert_eq!(tuple.build().1, [Arg::Plain(Value::Int(3))]);
    assert_eq!(diverse(&[], 9), [Vec::<usize>::new()]);
    assert_eq!(diverse(&[2, 3], 9)[..3], [vec![0, 0], vec![1, 1], vec![0, 2]]);
    assert_eq!(diverse(&[2, 3], 9).len(), 6);
    assert_eq!(diverse(&[2, 3], 4).len(), 4);
}

#[test]
fn what_is_recorded_between_two_equal_searches_is_found_by_the_second() {
    let mut store = filled();
    let predicate = predicate(MERGE, "self.len() == 3");
    assert!(store.find_tuples(&wanted(MERGE, &predicate)).unwrap().tuples.is_empty());
    record(&mut store, &set_of(0, &[7, 8, 9]));
    assert!(!store.find_tuples(&wanted(MERGE, &predicate)).unwrap().tuples.is_empty());
}

/// The values that are proposed for a plain operand, with the elements of the object before the call.
fn proposed(store: &Store, op: OpId, text: &str) -> Vec<(Vec<i128>, i128)> {
    let predicate = predicate(op, text);
    let found = store.find_tuples(&wanted(op, &predicate)).unwrap();
    assert_eq!(found.unsearchable, [], "{text}");
    let pair = |tuple: &Tuple| {
        let views = store.read_views(tuple.object(0).unwrap()).unwrap();
        let seq = views.iter().find(|(query, _)| query == "seq").unwrap();
        let Value::Seq(items) = &seq.1 else { panic!("{seq:?}") };
        let Operand::Plain(value) = &tuple.operands[1] else { panic!("{tuple:?}") };
        (items.iter().map(|it| it.as_int().unwrap()).collect(), value.as_int().unwrap())
    };
    found.tuples.iter().map(pair).collect()
}

#[test]
fn values_inside_at_the_ends_and_outside_of_an_object_are_solved_for() {
    let mut store = begun();
    record(&mut store, &set_of(0, &[10, 20, 30, 40, 50, 60]));
    let check = |text: &str, holds: fn(&[i128], i128) -> bool| {
        let found = proposed(&store, INSERT, text);
        assert!(found.iter().any(|(items, _)| items.len() == 6), "{text}: {found:?}");
        assert!(found.iter().all(|(items, value)| holds(items, *value)), "{text}: {found:?}");
    };
    check("contains(self.seq(), value)", |items, value| items.contains(&value));
    check("!contains(self.seq(), value)", |items, value| !items.contains(&value));
    check("first(self.seq()) == Some(value)", |items, value| items.first() == Some(&value));
    check("last(self.seq()) == Some(value)", |items, value| items.last() == Some(&value));
}

#[test]
fn numbers_of_two_objects_meet_or_are_one_apart() {
    let store = filled();
    assert!(check(&store, MERGE, "self.len() == other.len() && !self.is_empty()") >= 2);
    assert!(check(&store, MERGE, "self.len() == other.len() + 1") >= 2);
    assert!(check(&store, MERGE, "self.len() == other.len() - 1") >= 2);
}

#[test]
fn a_sequence_of_a_type_is_told_with_an_element() {
    let mut store = begun();
    record(&mut store, &set_of(0, &[]));
    assert_eq!(store.find_sequences(SET).unwrap(), []);
    record(&mut store, &set_of(0, &[7]));
    let seq = SequenceView { query: "seq".into(), element: Value::Int(7) };
    assert_eq!(store.find_sequences(SET).unwrap(), [seq]);
}
