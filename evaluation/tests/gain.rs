//! The gain of attacks over random testing: a crate is held to what an earlier run learnt of it.

#![allow(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

mod support;

use std::{fs, path::Path, process::Output};

use serde_json::Value;
use support::{Place, drive, text};

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

fn measure(root: &Path, words: &[&str]) -> Output {
    drive(root, &[words, &["--no-inject"]].concat())
}

#[test]
fn a_call_that_breaks_what_was_promised_is_a_fault_of_that_variant_alone() {
    let place = Place::new("gain");
    let root = place.library("counter", COUNTER);
    let output = measure(&root, &["run", "--calls", "3000"]);
    assert!(output.status.success(), "{}", text(&output));
    let promises = place.path().join("promises.json");
    fs::copy(place.path().join("target/gainsay/run.json"), &promises).unwrap();
    let (promises, known) = (promises.to_str().unwrap(), place.path().join("known.txt"));
    fs::write(&known, "").unwrap();
    let words = ["gain", "--calls", "2000", "--expected", promises, "--known"];
    let words = [&words[..], &[known.to_str().unwrap()]].concat();

    let output = measure(&root, &words);
    assert!(output.status.success(), "{}", text(&output));
    assert_eq!(place.result("gain.json")["random"]["faults"], Value::Array(Vec::new()));
    assert_eq!(place.result("summary.json")["faults"], Value::Array(Vec::new()));

    let output = measure(&root, &[&words[..], &["--worker-env", "IN_TWOS=1"]].concat());
    assert!(output.status.success(), "{}", text(&output));
    let faults = place.result("gain.json")["random"]["faults"].as_array().unwrap().clone();
    assert!(!faults.is_empty());
    let told = place.result("summary.json")["faults"].to_string();
    assert!(told.contains("Counter::raise"), "{told}");
    let id = faults[0].as_str().unwrap();
    let in_twos = drive(&root, &["replay", id, "--worker-env", "IN_TWOS=1"]);
    assert_eq!(in_twos.status.code(), Some(2), "{}", text(&in_twos));
    let in_ones = drive(&root, &["replay", id]);
    assert_eq!(in_ones.status.code(), Some(0), "{}", text(&in_ones));
}
