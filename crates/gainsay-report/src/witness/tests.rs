//! One witness per oracle, as text and by its verdict on a faulty crate and its fixed twin.

use gainsay_wire::{Oracle, Sequence};

use super::*;
use crate::samples::*;

fn written(oracle: Oracle, message: &str, sequence: Sequence) -> Witness {
    let fault = fault("3f9c21d07a51b6e4", oracle, message, sequence);
    let spellings = spellings();
    witness(&FaultRecord::new(&fault, &manifest()), Book(&spellings)).unwrap()
}

fn pushed(then: Vec<(u32, Vec<Arg>)>) -> Sequence {
    let mut steps = vec![(NEW, vec![]), (PUSH, vec![object(0), elem(3)])];
    steps.extend(then);
    sequence(steps)
}

#[test]
fn a_panic_is_shown_by_the_calls_alone() {
    let spellings = spellings();
    let record = FaultRecord::new(&overflow(), &manifest());
    let witness = witness(&record, Book(&spellings)).unwrap();
    assert_eq!(witness.file_name, "gainsay_bounded_stack_pop_3f9c21d0.rs");
    insta::assert_snapshot!(witness.text);
}

#[test]
fn a_broken_law_is_asserted_on_the_object_of_the_last_call() {
    let law = |name: &str| Oracle::Law(name.into());
    let witness = written(
        law("is_empty-agrees-with-len"),
        "leaves `is_empty` and `len` in disagreement",
        pushed(vec![]),
    );
    insta::assert_snapshot!(witness.text);
    let witness = written(
        law("hash-agrees-with-eq"),
        "makes a value that hashes unlike its equal",
        pushed(vec![(CLONE, vec![object(0)])]),
    );
    insta::assert_snapshot!(witness.text);
}

#[test]
fn a_misused_element_is_shown_with_a_tracked_one() {
    let witness = written(
        Oracle::Probe("double drop".into()),
        "drops an element twice",
        pushed(vec![(POP, vec![object(0)])]),
    );
    insta::assert_snapshot!(witness.text);
}

#[test]
fn a_hang_is_shown_by_a_thread_that_does_not_answer() {
    let witness = written(Oracle::Hang, "does not come back", pushed(vec![(LEN, vec![object(0)])]));
    insta::assert_snapshot!(witness.text);
}

#[test]
fn a_failure_value_for_a_success_is_asserted_against() {
    let witness = written(
        Oracle::Sentinel("!old(self.contains(of)) ==> result == -1".into()),
        "returns -1 for an element that is there",
        pushed(vec![(POSITION, vec![object(0), elem(3)])]),
    );
    insta::assert_snapshot!(witness.text);
}

#[test]
fn an_unknown_law_has_no_witness() {
    let fault = fault("id", Oracle::Law("gravity".into()), "falls", pushed(vec![]));
    let spellings = spellings();
    let refused = witness(&FaultRecord::new(&fault, &manifest()), Book(&spellings));
    assert_eq!(refused, Err(NoWitness::NoAssertion("gravity".into())));
}

#[test]
fn the_failure_value_is_read_from_the_contract() {
    let check = |contract: &str, expected: Option<Value>| {
        assert_eq!(sentinel(contract), expected, "{contract}");
    };
    check("old(self.is_empty()) ==> result == -1", Some(Value::Int(-1)));
    check("(old(self.is_empty()) ==> result == None)", Some(Value::none()));
    check("result == \"x y\" <=> self.is_empty()", Some(Value::Str("x y".into())));
    check("result.is_none()", None);
}
