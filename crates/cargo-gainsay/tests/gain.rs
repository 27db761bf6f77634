//! What attacks add to random testing, on the command line: a crate is held to what an earlier run
//! learnt of it.

#![allow(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

mod support;

use std::{fs, path::Path};

use serde_json::Value;
use support::{Outcome, Place, gainsay};

/// Counts in ones, or in twos if the environment says so.
const COUNTER: &str = r#"
//! Counts.

/// A counter.
#[derive(Clone, Debug, Default)]
pub struct Counter {
    count: u32,
}

impl Counter {
    /// How often it was raised.
    pub fn count(&self) -> u32 {
        self.count
    }

    /// Raises it.
    pub fn raise(&mut self) {
        let step = if std::env::var_os("IN_TWOS").is_some() { 2 } else { 1 };
        self.count = self.count.wrapping_add(step);
    }
}
"#;

fn run(root: &Path, more: &[&str]) -> Outcome {
    let words = ["run", "--no-inject", "--no-regressions", "--target-dir", "../target"];
    gainsay(root, &[&words[..], more].concat())
}

fn gain(results: &Path) -> Value {
    let text = fs::read(results.join("run.json")).unwrap();
    let record: Value = serde_json::from_slice(&text).unwrap();
    record["summary"]["gain"].clone()
}

#[test]
fn a_call_that_breaks_what_was_promised_is_a_fault_of_that_variant_alone() {
    let place = Place::lasting("gain");
    let root = place.library("counter", COUNTER);
    let results = place.shared_results();
    let outcome = run(&root, &["--calls", "3000"]);
    assert_eq!(outcome.code, 0, "{}", outcome.text());
    let promises = place.path().join("promises.json");
    fs::copy(results.join("run.json"), &promises).unwrap();
    let (promises, known) = (promises.to_str().unwrap(), place.path().join("known.txt"));
    fs::write(&known, "").unwrap();
    let words = ["--calls", "2000", "--gain", "--expected", promises, "--known"];
    let words = [&words[..], &[known.to_str().unwrap()]].concat();

    let outcome = run(&root, &words);
    assert_eq!(outcome.code, 0, "{}", outcome.text());
    assert_eq!(gain(&results)["random"]["faults"], Value::Array(Vec::new()));

    let outcome = run(&root, &[&words[..], &["--worker-env", "IN_TWOS=1"]].concat());
    assert_eq!(outcome.code, 2, "{}", outcome.text());
    let faults = gain(&results)["random"]["faults"].as_array().unwrap().clone();
    assert!(!faults.is_empty());
    assert!(outcome.stdout.contains("Counter::raise"), "{}", outcome.stdout);
    let id = faults[0].as_str().unwrap();
    let again = gainsay(&root, &["replay", id, "--target-dir", "../target"]);
    assert_eq!(again.code, 0, "{}", again.text());
}
