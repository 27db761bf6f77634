//! Tests of what works: they pass as long as the crate does what it did, and fail when it does not.

#![allow(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

mod support;

use std::{fs, path::Path, process::Command};

use support::{Outcome, Place, gainsay, take_sources};

const RUN: &[&str] = &["--calls", "3000", "--target-dir", "../target"];
const EMIT: &[&str] = &["emit", "--regressions", "--most", "6", "--target-dir", "../target"];

/// A warning in a test would be an error.
fn cargo_test(root: &Path) -> Outcome {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command.args(["test", "--tests", "--no-fail-fast", "--target-dir", "../target"]);
    command.current_dir(root).env("RUSTFLAGS", "-Dwarnings").env("RUST_BACKTRACE", "0");
    Outcome::of(&mut command)
}

#[test]
fn they_pass_until_the_crate_does_something_else() {
    let place = Place::lasting("passing");
    let root = place.copy_of("wrong_len_fixed");
    let outcome = gainsay(&root, RUN);
    assert_eq!(outcome.code, 0, "{}", outcome.text());
    let outcome = gainsay(&root, EMIT);
    assert_eq!(outcome.code, 0, "{}", outcome.text());
    assert!(outcome.stdout.contains("compiles, passes 10 times"), "{}", outcome.text());
    let file = root.join("tests/gainsay_regressions.rs");
    let text = fs::read_to_string(&file).unwrap();
    let tests = text.matches("#[test]").count();
    assert!((1..=6).contains(&tests), "{text}");
    assert!(text.contains("assert_eq!(queue.len(), 1);"), "{text}");
    // The same again.
    let outcome = gainsay(&root, EMIT);
    assert_eq!(outcome.code, 0, "{}", outcome.text());
    assert_eq!(fs::read_to_string(&file).unwrap(), text);

    let passing = cargo_test(&root);
    assert_eq!(passing.code, 0, "{}", passing.text());
    assert_eq!(passing.text().matches(" ... ok").count(), tests, "{}", passing.text());
    take_sources("wrong_len", &root);
    let changed = cargo_test(&root);
    assert_ne!(changed.code, 0, "{}", changed.text());
    assert!(changed.text().contains("queue.is_empty()"), "{}", changed.text());
}

#[test]
fn without_a_run_there_are_none() {
    let place = Place::new();
    let root = place.library("untested", "pub fn one() -> u8 { 1 }\n");
    let outcome = gainsay(&root, &["emit", "--regressions"]);
    assert_eq!(outcome.code, 1, "{}", outcome.text());
    assert!(outcome.stderr.contains("test the crate first"), "{}", outcome.text());
    let outcome = gainsay(&root, &["emit", "--most", "3"]);
    assert_eq!(outcome.code, 1, "{}", outcome.text());
    assert!(outcome.stderr.contains("--regressions"), "{}", outcome.text());
}
