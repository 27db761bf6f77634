//! Runs that start from what earlier ones left in the store.

mod support;

use std::{fs, path::Path};

use support::{Outcome, Place, gainsay, gainsay_going_on};

const RUN: &[&str] = &["run", "--calls", "3000", "--jobs", "1", "--no-regressions"];

const STACK: &str = "#[derive(Default)]\npub struct Stack(Vec<i64>);\n\
    impl Stack {\n    pub fn new() -> Stack { Stack(Vec::new()) }\n    \
    pub fn push(&mut self, value: i64) { self.0.push(value); }\n    \
    pub fn pop(&mut self) -> Option<i64> { self.0.pop() }\n    \
    pub fn len(&self) -> usize { self.0.len() }\n    \
    pub fn is_empty(&self) -> bool { self.0.is_empty() }\n}\n";

/// The line that tells of earlier runs.
fn taken_up(outcome: &Outcome) -> Option<&str> {
    assert_eq!(outcome.code, 0, "{}\n{}", outcome.stdout, outcome.stderr);
    outcome.stderr.lines().find(|line| line.contains("Taken up"))
}

fn count(root: &Path, what: &str) -> u64 {
    let outcome = gainsay(root, &["db", "sql", "--json", &format!("select {what} AS n")]);
    let row: serde_json::Value = serde_json::from_str(&outcome.stdout).expect("a row of JSON");
    row["n"].as_u64().expect("a count")
}

#[test]
fn a_run_starts_from_the_store_of_the_last_one_and_a_fresh_one_does_not() {
    let place = Place::new();
    let root = place.library("stack", STACK);
    assert_eq!(taken_up(&gainsay(&root, RUN)), None);
    let store = fs::read(root.join("target/gainsay/summary.json")).unwrap();
    let states = count(&root, "(select count(*) FROM state)");
    let again = gainsay_going_on(&root, &[RUN, &["--seed", "5"]].concat());
    let line = taken_up(&again).unwrap();
    assert!(line.contains("objects of earlier runs") && !line.contains("left out"), "{line}");
    assert!(count(&root, "(select count(*) FROM state)") >= states);
    assert_eq!(count(&root, "(select count(*) FROM campaign)"), 2);
    // What is concluded is that of the last run.
    assert_eq!(count(&root, "(select count(DISTINCT campaign) FROM contract)"), 1);
    assert_eq!(taken_up(&gainsay(&root, RUN)), None);
    assert_eq!(count(&root, "(select count(*) FROM campaign)"), 1);
    let fresh = fs::read_to_string(root.join("target/gainsay/summary.json")).unwrap();
    let first: serde_json::Value = serde_json::from_slice(&store).unwrap();
    let fresh: serde_json::Value = serde_json::from_str(&fresh).unwrap();
    assert_eq!(first["states"], fresh["states"], "a fresh run is as the first");
}

#[test]
fn a_changed_crate_begins_with_what_still_behaves_and_its_past_stays() {
    let place = Place::new();
    let root = place.library("stack", STACK);
    gainsay(&root, RUN);
    let long = "(select count(*) FROM state_value v JOIN query q ON q.id = v.query
        WHERE q.name = 'len' AND v.int_value > 2)";
    let long_before = count(&root, long);
    // A query more, and long stacks lose an element.
    let changed = STACK
        .replace("self.0.push(value);", "if self.0.len() < 2 { self.0.push(value); }")
        .replace(
            "    pub fn len",
            "    pub fn first(&self) -> Option<i64> { self.0.first().copied() }\n    pub fn len",
        );
    fs::write(root.join("src/lib.rs"), changed).unwrap();
    let outcome = gainsay_going_on(&root, RUN);
    let line = taken_up(&outcome).unwrap();
    assert!(line.contains("are not what they were and are left out"), "{line}");
    assert!(!line.contains("Taken up 0 objects"), "{line}");
    // Nothing that the old build showed is evidence of the new one, and all of it is still there.
    let long = |build: &str| {
        let of_build = format!(
            "(select count(*) FROM state_value v JOIN query q ON q.id = v.query
            JOIN type t ON t.id = q.type
            WHERE q.name = 'len' AND v.int_value > 2 AND t.build = (select {build}(id) FROM build))"
        );
        count(&root, &of_build)
    };
    assert_eq!(long("max"), 0);
    assert_eq!(long("min"), long_before);
    assert!(long_before > 0);
    assert_eq!(count(&root, "(select count(*) FROM campaign)"), 2);
    assert_eq!(count(&root, "(select count(*) FROM build)"), 2);
}

#[test]
fn a_store_of_a_later_version_is_read_and_no_run_writes_to_it() {
    let place = Place::new();
    let root = place.library("stack", STACK);
    gainsay(&root, RUN);
    let path = root.join("target/gainsay/store.sqlite");
    let mut bytes = fs::read(&path).unwrap();
    // The schema's number in the header of the file.
    bytes[60..64].copy_from_slice(&1_000u32.to_be_bytes());
    fs::write(&path, &bytes).unwrap();
    assert!(count(&root, "(select count(*) FROM state)") > 0);
    gainsay_going_on(&root, RUN).fails_with(1, "the store has schema 1000", "--fresh");
    assert_eq!(fs::read(&path).unwrap(), bytes, "nothing was written");
    assert_eq!(taken_up(&gainsay(&root, RUN)), None);
}
