//! Features that are off by default: those that only add are tested, and those that do not build
//! cost nobody a run.

#![allow(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

mod support;

use std::{
    fs,
    sync::{LazyLock, Mutex, PoisonError},
};

use serde_json::{Value, json};
use support::{Place, gainsay};

/// One directory, hence one compilation of the runtime, and one run at a time.
static PLACE: LazyLock<Mutex<Place>> = LazyLock::new(|| Mutex::new(Place::lasting("features")));

const TARGET: &[&str] = &["--target-dir", "../target"];
const RUN: &[&str] = &["--calls", "1000", "--jobs", "1", "--no-refute", "--no-regressions"];

fn summary(place: &Place) -> Value {
    let text = fs::read_to_string(place.shared_results().join("summary.json")).unwrap();
    serde_json::from_str(&text).unwrap()
}

fn features(place: &Place) -> Value {
    summary(place)["features"].clone()
}

#[test]
fn what_only_adds_is_tested_replayed_and_emitted_with_its_feature() {
    let place = PLACE.lock().unwrap_or_else(PoisonError::into_inner);
    let root = place.copy_of("hidden_module");
    let outcome = gainsay(&root, &[RUN, TARGET].concat());
    assert_eq!(outcome.code, 2, "{}", outcome.text());
    assert!(outcome.stderr.contains("hidden_module 0.1.0 with queue"), "{}", outcome.stderr);
    assert!(outcome.stdout.contains("Features the default ones and `queue`"), "{}", outcome.stdout);
    assert!(!outcome.stdout.contains("only_for_tests"), "{}", outcome.stdout);
    assert_eq!(features(&place), json!({ "on": ["queue"], "off": { "testing": "purpose" } }));
    let id = summary(&place)["faults"][0]["id"].as_str().unwrap().to_owned();
    let outcome = gainsay(&root, &[&["replay", &id], TARGET].concat());
    assert_eq!(outcome.code, 2, "{}", outcome.text());
    let outcome = gainsay(&root, &[&["emit"], TARGET].concat());
    assert!(outcome.stdout.contains("compiles, fails as stated"), "{}", outcome.text());
    let file = fs::read_dir(root.join("tests")).unwrap().next().unwrap().unwrap().path();
    let test = fs::read_to_string(file).unwrap();
    assert!(test.contains("cargo test --features queue --test"), "{test}");
    // Without it there is nothing wrong.
    let outcome = gainsay(&root, &[RUN, TARGET, &["--default-features"]].concat());
    assert_eq!(outcome.code, 0, "{}", outcome.text());
    assert_eq!(features(&place), json!({ "on": [], "off": {} }));
}

#[test]
fn what_does_not_build_is_left_off_and_remembered() {
    let place = PLACE.lock().unwrap_or_else(PoisonError::into_inner);
    let root = place.copy_of("broken_feature");
    let warning = "it does not build with features that are off by default";
    let told = "the default ones alone; it does not build with `broken` and `fine`: error[E0";
    let outcome = gainsay(&root, &[RUN, TARGET].concat());
    assert_eq!(outcome.code, 0, "{}", outcome.text());
    assert!(outcome.stderr.contains(warning), "{}", outcome.stderr);
    assert!(outcome.stdout.contains(told), "{}", outcome.stdout);
    let off = json!({ "broken": "does-not-build", "fine": "does-not-build" });
    assert_eq!(features(&place)["off"], off);
    // Again, at once.
    let outcome = gainsay(&root, &[RUN, TARGET].concat());
    assert_eq!(outcome.code, 0, "{}", outcome.text());
    assert!(!outcome.stderr.contains(warning), "{}", outcome.stderr);
    assert!(outcome.stdout.contains(told), "{}", outcome.stdout);
    let outcome = gainsay(&root, &[&["list"], TARGET].concat());
    assert!(outcome.stdout.contains(told), "{}", outcome.stdout);
    // As soon as it is mended, it is on.
    let lib = fs::read_to_string(root.join("src/lib.rs")).unwrap().replace("NoSuchType", "u8");
    fs::write(root.join("src/lib.rs"), lib).unwrap();
    let outcome = gainsay(&root, &[&["list"], TARGET].concat());
    assert!(outcome.stdout.contains("and `broken` and `fine`"), "{}", outcome.text());
}

#[test]
fn what_does_not_build_either_way_is_told_without_the_features() {
    let place = PLACE.lock().unwrap_or_else(PoisonError::into_inner);
    let lib = "pub fn wrong() -> u8 { \"x\" }\n#[cfg(feature = \"a\")] pub fn a(x: None) {}\n";
    let root = place.package("unbuildable", "\n[features]\na = []\n", &[("src/lib.rs", lib)]);
    let outcome = gainsay(&root, &[RUN, TARGET].concat());
    assert_eq!(outcome.code, 3, "{}", outcome.text());
    assert!(outcome.stderr.contains("mismatched types"), "{}", outcome.stderr);
    assert!(!place.shared_results().join("features/subject-0.1.0.json").exists());
}
