//! The commands that show what a run left, and that a run leaves the same every time.

#![allow(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

mod support;

use std::{fs, path::PathBuf, sync::LazyLock};

use serde_json::Value;
use support::{Outcome, Place, gainsay, gainsay_in};

/// One subject that was tested twice: by one worker, then by two.
struct Tested {
    root: PathBuf,
    summaries: [Value; 2],
}

static TESTED: LazyLock<Tested> = LazyLock::new(|| {
    let place = Place::lasting("results");
    let root = place.copy_of("bounded_stack");
    let summary = |jobs: &str| {
        let run = ["run", "--calls", "5000", "--seed", "7", "--jobs", jobs];
        let outcome = gainsay(&root, &[&run[..], &["--target-dir", "../target"]].concat());
        assert_eq!(outcome.code, 2, "{}", outcome.text());
        let text = fs::read_to_string(place.shared_results().join("summary.json")).unwrap();
        serde_json::from_str(&text).unwrap()
    };
    Tested { summaries: [summary("1"), summary("2")], root: root.clone() }
});

fn show(args: &[&str]) -> Outcome {
    gainsay(&TESTED.root, &[args, &["--target-dir", "../target"]].concat())
}

fn ids() -> Vec<String> {
    let faults = TESTED.summaries[1]["faults"].as_array().unwrap();
    faults.iter().map(|fault| fault["id"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn the_number_of_workers_changes_nothing() {
    let [one, two] = &TESTED.summaries;
    for (name, value) in one.as_object().unwrap() {
        if !["cpu_seconds", "calls_per_cpu_second", "stages"].contains(&name.as_str()) {
            assert_eq!(value, &two[name], "{name}");
        }
    }
    assert_eq!(one["faults"].as_array().unwrap().len(), 3);
}

#[test]
fn faults_are_shown_all_or_one() {
    let ids = ids();
    let all = show(&["faults"]);
    assert_eq!(all.code, 2, "{}", all.stderr);
    assert!(ids.iter().all(|id| all.stdout.contains(id.as_str())), "{}", all.stdout);
    let one = show(&["faults", &ids[0][..6]]);
    assert_eq!(one.code, 2, "{}", one.stderr);
    assert!(one.stdout.contains(&ids[0]), "{}", one.stdout);
    assert!(!one.stdout.contains(&ids[1]), "{}", one.stdout);
    show(&["faults", "zzz"]).fails_with(1, "no fault has the id `zzz`", "cargo gainsay faults");
    show(&["faults", ""]).fails_with(1, "several faults", "more digits");
}

#[test]
fn a_replay_shows_the_fault_again() {
    for id in ids() {
        let outcome = show(&["replay", &id[..8]]);
        assert_eq!(outcome.code, 2, "{}", outcome.text());
        assert!(outcome.stdout.contains("Shown"), "{}", outcome.stdout);
        assert!(!outcome.stdout.contains("Not shown"), "{}", outcome.stdout);
    }
}

#[test]
fn contracts_are_shown_all_or_of_some_operations() {
    let all = show(&["contracts"]);
    assert_eq!(all.code, 0, "{}", all.stderr);
    assert!(all.stdout.contains("BoundedStack::push"), "{}", all.stdout);
    assert!(all.stdout.contains("BoundedStack::pop"), "{}", all.stdout);
    let some = show(&["contracts", "Stack::pop"]);
    assert_eq!(some.code, 0, "{}", some.stderr);
    assert!(some.stdout.contains("BoundedStack::pop"), "{}", some.stdout);
    assert!(!some.stdout.contains("BoundedStack::push"), "{}", some.stdout);
    assert!(show(&["contracts", "no_such"]).stdout.contains("no contract fits"));
}

#[test]
fn the_list_names_every_operation() {
    let outcome = show(&["list"]);
    assert_eq!(outcome.code, 0, "{}", outcome.stderr);
    for operation in ["new", "push", "pop", "top", "equals", "is_member"] {
        let path = format!("BoundedStack::{operation}");
        assert!(outcome.stdout.contains(&path), "{path}: {}", outcome.stdout);
    }
}

#[test]
fn results_of_another_version_are_not_shown() {
    let place = Place::new();
    let root = place.copy_of("bounded_stack");
    let manifest = root.join("Cargo.toml");
    let text = fs::read_to_string(&manifest).unwrap();
    fs::write(&manifest, text.replace("\"0.1.0\"", "\"0.2.0\"")).unwrap();
    let results = TESTED.root.join("../target");
    let target = ["--target-dir", results.to_str().unwrap()];
    for command in [&["faults"][..], &["contracts"], &["emit"], &["replay", "a"]] {
        gainsay(&root, &[command, &target].concat()).fails_with(
            1,
            "the last run was of `bounded_stack` 0.1.0, not `bounded_stack` 0.2.0",
            "cargo gainsay run",
        );
    }
}

/// Only a debug build of gainsay knows how to fail on purpose.
#[cfg(debug_assertions)]
#[test]
fn a_bug_of_gainsay_is_told_as_one() {
    let place = Place::new();
    let root = place.copy_of("bounded_stack");
    let outcome = gainsay_in(&[("GAINSAY_FAIL_ON_PURPOSE", "1")], &root, &["run"]);
    assert_eq!(outcome.code, 70, "{}", outcome.stderr);
    for words in ["error: a bug on purpose", "a bug of gainsay", "results so far", "hint: report"] {
        assert!(outcome.stderr.contains(words), "{words}: {}", outcome.stderr);
    }
}
