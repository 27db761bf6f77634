//! Planted faults, found with several seeds, are shrunk to the same few calls, and have the same
//! identities.

#![allow(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

mod support;

use std::{fmt::Write as _, fs, path::Path};

use serde_json::Value;
use support::{Place, gainsay};

const SEEDS: [&str; 3] = ["1", "2", "3"];

/// The identities of the faults, and each with its operation and calls.
fn found(place: &Place, root: &Path, seed: &str) -> (Vec<String>, String) {
    let words = ["run", "--calls", "20000", "--no-refute", "--no-inject", "--no-regressions"];
    let more = ["--profile", "debug", "--seed", seed, "--target-dir", "../target"];
    let outcome = gainsay(root, &[&words[..], &more].concat());
    assert_eq!(outcome.code, 2, "{}", outcome.text());
    let text = fs::read_to_string(place.shared_results().join("summary.json")).unwrap();
    let summary: Value = serde_json::from_str(&text).unwrap();
    let faults = summary["faults"].as_array().unwrap();
    let (mut ids, mut blocks) = (Vec::new(), String::new());
    for fault in faults {
        assert_eq!(fault["confirmed"], true, "{fault}");
        ids.push(fault["id"].as_str().unwrap().to_owned());
        writeln!(blocks, "{}", fault["operation"].as_str().unwrap()).unwrap();
        for step in fault["steps"].as_array().unwrap() {
            writeln!(blocks, "    {}", step.as_str().unwrap()).unwrap();
        }
    }
    (ids, blocks)
}

#[test]
fn every_seed_comes_to_the_same_faults_and_to_few_calls() {
    let place = Place::lasting("shrinking");
    let root = place.copy_of("planted");
    let all = SEEDS.map(|seed| found(&place, &root, seed));
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../quality/shrinking/planted.txt");
    let mut shrunk = String::new();
    for (seed, (ids, blocks)) in SEEDS.iter().zip(&all) {
        assert_eq!(ids, &all[0].0, "seed {seed} has other identities");
        writeln!(shrunk, "# seed {seed}\n{blocks}").unwrap();
    }
    // `GAINSAY_BLESS=1 cargo test -p cargo-gainsay --test shrinking` writes the file anew.
    if std::env::var_os("GAINSAY_BLESS").is_some() {
        fs::write(&file, &shrunk).unwrap();
    }
    let pinned = fs::read_to_string(&file).unwrap_or_default();
    assert_eq!(shrunk, pinned, "against {}", file.display());
}
