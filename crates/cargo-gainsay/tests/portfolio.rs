//! Builds besides the ordinary one: what each of them shows, and that none objects to what is in
//! order.

#![allow(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

mod support;

use std::fs;

use serde_json::Value;
use support::{Place, gainsay};

const RUN: &[&str] = &["--calls", "8000", "--profile", "all", "--target-dir", "../target"];

/// Operation, oracle and build of each fault.
fn faults(place: &Place) -> Vec<[String; 3]> {
    let text = fs::read_to_string(place.shared_results().join("summary.json")).unwrap();
    let summary: Value = serde_json::from_str(&text).unwrap();
    let word = |fault: &Value, key: &str| fault[key].as_str().unwrap().to_owned();
    let faults = summary["faults"].as_array().unwrap().iter();
    faults.map(|fault| ["operation", "oracle", "build"].map(|key| word(fault, key))).collect()
}

fn id_of(place: &Place, operation: &str) -> String {
    let text = fs::read_to_string(place.shared_results().join("summary.json")).unwrap();
    let summary: Value = serde_json::from_str(&text).unwrap();
    let mut faults = summary["faults"].as_array().unwrap().iter();
    let fault = faults.find(|fault| fault["operation"] == operation).unwrap();
    fault["id"].as_str().unwrap().to_owned()
}

#[test]
fn each_build_shows_what_the_others_do_not() {
    let place = Place::lasting("portfolio");
    let root = place.copy_of("unseen");
    let outcome = gainsay(&root, RUN);
    assert_eq!(outcome.code, 2, "{}", outcome.text());
    let mut found = faults(&place);
    found.sort();
    let expected = [
        ["Bytes::has", "death", "asan"],
        ["Countdown::run", "hang", "release"],
        ["Slot::new", "death", "debug"],
        ["Slot::take", "death", "asan"],
    ];
    assert_eq!(found, expected, "{}", outcome.text());
    let read = id_of(&place, "Bytes::has");
    let again = gainsay(&root, &["replay", &read, "--target-dir", "../target"]);
    assert_eq!(again.code, 2, "{}", again.text());
    assert!(again.stdout.contains("heap-buffer-overflow"), "{}", again.text());
    let root = place.copy_of("unseen_fixed");
    let outcome = gainsay(&root, RUN);
    assert_eq!(outcome.code, 0, "{}", outcome.text());
    assert!(!outcome.stderr.contains("no asan build"), "{}", outcome.text());
}
