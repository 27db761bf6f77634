//! Tests that contradict what was inferred, and the modes that say which inputs may.

#![allow(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

mod support;

use std::{
    fs,
    path::Path,
    sync::{LazyLock, Mutex, PoisonError},
};

use serde_json::Value;
use support::{Outcome, Place, gainsay};

/// One directory, hence one compilation of the runtime, and one run at a time.
static PLACE: LazyLock<Mutex<Place>> = LazyLock::new(|| Mutex::new(Place::lasting("select")));

fn run(root: &Path, more: &[&str]) -> Outcome {
    let words = ["run", "--no-inject", "--no-regressions", "--target-dir", "../target"];
    gainsay(root, &[&words[..], more].concat())
}

fn told(path: &Path) -> Value {
    serde_json::from_slice(&fs::read(path).unwrap()).unwrap()
}

#[test]
fn the_most_telling_tests_are_written_and_the_command_names_their_files() {
    let place = PLACE.lock().unwrap_or_else(PoisonError::into_inner);
    let root = place.copy_of("bounded_stack_fixed");
    let outcome = run(&root, &["--calls", "3000"]);
    assert_eq!(outcome.code, 0, "{}", outcome.text());
    let words = ["select", "--most", "2", "--out", "picked", "--target-dir", "../target"];
    let outcome = gainsay(&root, &words);
    assert_eq!(outcome.code, 0, "{}", outcome.text());
    let selected = told(&place.shared_results().join("selected.json"));
    let files = selected["files"].as_array().unwrap();
    let tests = selected["tests"].as_array().unwrap();
    assert!(!files.is_empty() && (1..=2).contains(&tests.len()), "{selected}");
    assert!(selected["refuted"].as_u64().unwrap() >= tests.len() as u64, "{selected}");
    let command = selected["command"].as_str().unwrap();
    assert!(command.starts_with("cargo test"), "{command}");
    let mut text = String::new();
    for file in files {
        let path = Path::new(file.as_str().unwrap());
        let stem = path.file_stem().unwrap().to_str().unwrap();
        assert!(path.starts_with("picked") || path.starts_with(root.join("picked")), "{path:?}");
        assert!(command.contains(&format!("--test {stem}")), "{command}");
        text += &fs::read_to_string(root.join(path)).unwrap();
    }
    for test in tests {
        let name = format!("fn {}()", test["name"].as_str().unwrap());
        assert!(text.contains(&name), "{name}: {text}");
        assert!(!test["contradicts"].as_array().unwrap().is_empty(), "{test}");
    }
    assert!(text.contains("Contradicts what had been inferred of `"), "{text}");
}

#[test]
fn preconditions_are_granted_in_basic_mode_and_attacked_otherwise() {
    let place = PLACE.lock().unwrap_or_else(PoisonError::into_inner);
    let root = place.copy_of("bounded_stack_fixed");
    let reasons = |mode: &str| -> Vec<Value> {
        let outcome = run(&root, &["--calls", "2000", "--mode", mode]);
        assert_eq!(outcome.code, 0, "{}", outcome.text());
        let words = ["contracts", "--format", "json", "--target-dir", "../target"];
        let shown: Value = serde_json::from_str(&gainsay(&root, &words).stdout).unwrap();
        let contracts = shown["contracts"].as_array().unwrap();
        assert!(!contracts.is_empty(), "{mode}");
        let preconditions = contracts.iter().filter(|it| it["kind"] == "precondition");
        preconditions.map(|it| it["verdict"]["reason"].clone()).collect()
    };
    let basic = reasons("basic");
    assert!(!basic.is_empty() && basic.iter().all(|reason| reason == "granted"), "{basic:?}");
    let reduced = reasons("reduce");
    assert!(reduced.iter().all(|reason| reason != "granted"), "{reduced:?}");
}
