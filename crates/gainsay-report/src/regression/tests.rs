//! What tests of passing calls look like, and how their lines are found again.

use gainsay_model::api::Shape;
use gainsay_wire::Value;

use super::*;
use crate::samples::*;

fn types() -> Vec<ApiType> {
    let (ty, name, elements) = (stack(), "BoundedStack".to_owned(), Some(Elements::Iter));
    vec![ApiType { ty, name, elements, shape: Shape::Closed }]
}

fn claim(step: usize, about: About, value: Value) -> StepClaim {
    StepClaim { step, about, value }
}

/// A stack that is made, pushed to and popped from, with questions in between.
fn pushed_and_popped() -> RegressionTest {
    let stack = ObjRef { step: 0, out: 0 };
    let steps = vec![
        (NEW, vec![]),
        (LEN, vec![object(0)]),
        (PUSH, vec![object(0), elem(3)]),
        (LEN, vec![object(0)]),
        (POSITION, vec![object(0), elem(3)]),
        (POP, vec![object(0)]),
        (POP, vec![object(0)]),
    ];
    let path = |method: &str| format!("BoundedStack::{method}");
    let calls = vec![(0, path("new")), (2, path("push")), (5, path("pop")), (6, path("pop"))];
    let claims = vec![
        claim(0, About::Elements(stack), Value::Seq(vec![])),
        claim(1, About::Result, Value::Int(0)),
        claim(2, About::Elements(stack), Value::Seq(vec![Value::Elem(3)])),
        claim(3, About::Result, Value::Int(1)),
        claim(4, About::Result, Value::Int(0)),
        claim(5, About::Result, Value::some(Value::Elem(3))),
        claim(6, About::Result, Value::none()),
    ];
    RegressionTest::all(vec![Regression { sequence: sequence(steps), calls, claims }]).remove(0)
}

fn file(tests: &[&RegressionTest]) -> RegressionFile {
    let (spellings, types) = (spellings(), types());
    let setting = RegressionSetting {
        lib_name: "stacks",
        subject: "stacks 1.2.3".to_owned(),
        old: Old::No,
        types: &types,
        command: "cargo test".to_owned(),
        purpose: Purpose::Regressions,
    };
    regression_file(tests, Book(&spellings), &setting, "gainsay_regressions").unwrap()
}

#[test]
fn what_was_seen_is_asserted_after_each_call() {
    insta::assert_snapshot!(file(&[&pushed_and_popped()]).text);
}

#[test]
fn elements_can_be_of_a_type_of_their_own() {
    let test = RegressionTest { form: Form::OwnElements, ..pushed_and_popped() };
    let written = file(&[&test]).text;
    assert!(written.contains("struct Probe(i64);"), "{written}");
    assert!(written.contains("assert_eq!(stack.pop(), Some(Probe(3)));"), "{written}");
}

#[test]
fn a_claim_is_found_by_the_line_of_its_assertion() {
    let (one, mut two) = (pushed_and_popped(), pushed_and_popped());
    two.name.push_str("_2");
    two.items[1] = None;
    let file = file(&[&one, &two]);
    let line_of = |words: &str, nth: usize| {
        let lines = (1..).zip(file.text.lines()).filter(|(_, line)| line.contains(words));
        lines.map(|(number, _)| number).nth(nth).unwrap()
    };
    assert_eq!(file.claim_at(line_of("stack.len(), 1", 0)), Some((0, 3)));
    assert_eq!(file.claim_at(line_of("stack.len(), 1", 1)), Some((1, 3)));
    assert_eq!(file.claim_at(line_of("stack.push(3)", 1)), None);
    assert_eq!(file.claim_at(line_of("use stacks", 0)), None);
}

#[test]
fn a_question_whose_answer_is_left_out_is_not_asked() {
    let mut test = pushed_and_popped();
    test.items[4] = None;
    assert!(!file(&[&test]).text.contains("position"));
    // What is more than a question stays.
    test.items[5] = None;
    assert!(file(&[&test]).text.contains("stack.pop();"));
}

#[test]
fn a_test_can_end_before_a_call() {
    let until = pushed_and_popped().until(5).unwrap();
    assert_eq!(until.regression.sequence.steps.len(), 5);
    assert_eq!(until.regression.claims.len(), 5);
    assert_eq!(until.items.len(), 5);
    assert!(pushed_and_popped().until(1).is_none());
}

#[test]
fn a_name_has_the_last_operations_and_each_type_once() {
    let check = |operations: &[&str], expected: &str| {
        let calls: Vec<(usize, String)> =
            operations.iter().map(|path| (*path).to_owned()).enumerate().collect();
        assert_eq!(name(&calls), expected);
    };
    check(&["Slab::new", "Slab::insert", "Slab as Drop::drop"], "slab_new_insert");
    check(&["Slab::drain", "&mut Slab as IntoIterator::into_iter"], "slab_drain_into_iter");
    check(&["Slab::iter", "Iter<T> as Iterator::next"], "slab_iter_iter_next");
    check(&["parse"], "parse");
}
