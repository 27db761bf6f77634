//! The examples of the papers, end to end: each is a fixture with code of its own, run by the
//! binary with fixed seeds and a budget in calls or with given sequences.

#![allow(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

mod support;

use std::{
    fs,
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
};

use gainsay_store::Store;
use serde_json::Value;
use support::gainsay;

/// One results directory for all examples, so that the runtime is compiled once; one at a time.
static TURN: Mutex<()> = Mutex::new(());

/// What a run left behind.
struct Run {
    code: i32,
    record: Value,
    facts: Vec<String>,
}

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures").join(name)
}

fn run(name: &str, args: &str) -> Run {
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).join("papers");
    let target = target.to_str().unwrap();
    let mut words: Vec<&str> = args.split_whitespace().collect();
    words.extend(["--target-dir", target, "--no-regressions"]);
    let outcome = gainsay(&fixture(name), &words);
    let results = Path::new(target).join("gainsay");
    let text = fs::read_to_string(results.join("run.json"))
        .unwrap_or_else(|error| panic!("{error}: {}", outcome.stderr));
    let mut store = Store::open(&results.join("store.sqlite")).unwrap();
    store.resume_campaign().unwrap();
    let facts = store.export_facts().unwrap();
    Run { code: outcome.code, record: serde_json::from_str(&text).unwrap(), facts }
}

impl Run {
    fn faults(&self) -> Vec<&Value> {
        self.record["faults"].as_array().unwrap().iter().collect()
    }

    /// The calls that refute a contract.
    fn counterexample(&self, operation: &str, text: &str) -> Vec<String> {
        let contracts = self.record["contracts"].as_array().unwrap();
        let is = |c: &&Value| c["operation"] == operation && c["text"] == text;
        let steps = contracts.iter().find(is).unwrap()["verdict"]["steps"].as_array().unwrap();
        steps.iter().map(|step| step.as_str().unwrap().to_owned()).collect()
    }

    /// The verdict on a contract, with how it was refuted.
    fn verdict(&self, operation: &str, kind: &str, text: &str) -> String {
        let contracts = self.record["contracts"].as_array().unwrap();
        let is = |contract: &&Value| {
            contract["operation"] == operation
                && contract["kind"] == kind
                && contract["text"] == text
        };
        let Some(contract) = contracts.iter().find(is) else {
            let known = contracts.iter().filter(|contract| contract["operation"] == operation);
            let known: Vec<_> = known.map(|contract| contract["text"].to_string()).collect();
            panic!("{operation} has no {kind} {text}; it has {known:#?}");
        };
        let verdict = &contract["verdict"];
        let word = verdict["verdict"].as_str().unwrap();
        verdict["via"].as_str().map_or_else(|| word.to_owned(), |via| format!("{word} by {via}"))
    }

    fn number(&self, field: &str) -> u64 {
        self.record["summary"][field].as_u64().unwrap()
    }

    /// The steps of the one fault in an operation.
    fn steps(&self, operation: &str) -> Vec<String> {
        let mut faults = self.faults().into_iter().filter(|fault| fault["operation"] == operation);
        let fault = faults.next().unwrap_or_else(|| panic!("no fault in {operation}"));
        assert!(faults.next().is_none(), "several faults in {operation}");
        assert_eq!(fault["confirmation"], "confirmed");
        fault["script"].as_str().unwrap().lines().map(str::to_owned).collect()
    }
}

#[test]
fn a_pool_where_only_disjoint_sets_met_is_refuted_by_a_stored_pair_that_overlaps() {
    let run = run("sorted_sets", "--from disjoint.seq");
    let verdict = run.verdict("SortedSet::merge", "precondition", "self.is_disjoint(other)");
    assert_eq!(verdict, "refuted by objects");
    assert!(run.number("covered") > run.number("covered_by_exploration"));
    assert_eq!(run.code, 0, "there is no fault in it");
}

#[test]
fn equal_lists_that_happened_to_be_empty_are_refuted_by_equal_lists_with_elements() {
    let run = run("linked_lists", "--from equal_when_empty.seq");
    // The suite also shows the other direction, so the paper's implication comes as an equality.
    let text = "self.is_empty() == old(self == other)";
    let verdict = run.verdict("LinkedList::merge_left", "postcondition", text);
    assert_eq!(verdict, "refuted by objects");
    let steps = run.counterexample("LinkedList::merge_left", text);
    let elements = steps.iter().filter(|step| step.contains(".put_front("));
    assert!(elements.count() >= 2, "both lists have elements: {steps:?}");
    assert_eq!(run.code, 0);
}

#[test]
fn the_six_test_cases_of_the_running_example_leave_exactly_the_facts_of_the_text() {
    let run = run("running_list", "--from six_tests.seq --no-refute");
    insta::assert_snapshot!(run.facts.join("\n"));
}

#[test]
fn the_running_example_is_reduced_as_it_is_told() {
    let run = run("running_list", "--from six_tests.seq");
    let wiped = run.verdict("List::wipe_out", "precondition", "self.is_empty()");
    assert_eq!(wiped, "refuted by objects");
    let text = "old(self.is_empty()) ==> self.is_empty()";
    assert_eq!(run.verdict("List::append", "postcondition", text), "refuted by objects");
    assert_eq!(run.code, 0);
}

#[test]
fn one_transition_brings_siblings_to_a_child_and_random_testing_alone_seldom_does() {
    let (mut found, mut by_chance) = (0, 0);
    for seed in 0..10 {
        let reduced = run("sibling_trees", &format!("--calls 12000 --seed {seed}"));
        if !reduced.faults().is_empty() {
            found += 1;
            let steps = reduced.steps("Tree::merge_tree_after");
            assert!(steps.iter().any(|step| step.starts_with("Tree::start(")), "{steps:?}");
        }
        let calls = reduced.number("calls");
        let random = run("sibling_trees", &format!("--calls {calls} --seed {seed} --no-refute"));
        assert!(random.number("calls") >= calls);
        by_chance += usize::from(!random.faults().is_empty());
    }
    assert!(found >= 8, "found with {found} of ten seeds");
    assert!(by_chance <= 2, "random testing found it with {by_chance} of ten seeds");
}

#[test]
fn the_faults_of_the_bounded_stack_are_found_and_its_fixed_twin_is_silent() {
    let faulty = run("bounded_stack", "--calls 4000");
    assert_eq!(faulty.code, 2);
    let steps = faulty.steps("BoundedStack::top");
    assert_eq!(steps.len(), 3, "{steps:?}");
    assert!(steps[1].starts_with("BoundedStack::pop("), "{steps:?}");
    let steps = faulty.steps("BoundedStack::equals");
    assert!(steps.len() == 2 && steps[1].ends_with(", None)"), "{steps:?}");
    assert_silent("bounded_stack_fixed");
}

#[test]
fn an_error_value_that_is_also_an_element_is_found_and_the_fixed_twin_is_silent() {
    let faulty = run("unique_bounded_stack", "--calls 4000");
    assert_eq!(faulty.code, 2);
    let steps = faulty.steps("UniqueBoundedStack::top");
    assert_eq!(steps.len(), 3, "{steps:?}");
    assert!(steps[1].ends_with(", -1)"), "{steps:?}");
    assert_silent("unique_bounded_stack_fixed");
}

fn assert_silent(name: &str) {
    for seed in 0..3 {
        let fixed = run(name, &format!("--calls 4000 --seed {seed}"));
        assert!(fixed.faults().is_empty(), "{name}, seed {seed}: {:?}", fixed.faults());
        assert_eq!(fixed.code, 0);
    }
}
