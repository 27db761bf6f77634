//! Several builds of one crate: each finds what only it can see, and all are silent where nothing is
//! wrong.

#![allow(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

mod support;

use std::fs;

use support::{Outcome, Place, gainsay, take_sources};

const RUN: &[&str] = &["--profile", "all", "--no-refute", "--target-dir", "../target"];
/// A number of calls, not a time: the same on every machine.
const ENOUGH: &[&str] = &["--calls", "8000"];

/// Operations with faults, each with the build that it needs.
const PLANTED: [(&str, &str); 3] =
    [("Bytes::has", "asan"), ("Countdown::run", "release"), ("Slot::take", "release")];

fn summary(place: &Place) -> serde_json::Value {
    let text = fs::read_to_string(place.shared_results().join("summary.json")).unwrap();
    serde_json::from_str(&text).unwrap()
}

/// Operation and build of each fault.
fn faults(place: &Place) -> Vec<(String, String)> {
    let summary = summary(place);
    let text = |value: &serde_json::Value| value.as_str().unwrap().to_owned();
    let faults = summary["faults"].as_array().unwrap().iter();
    faults.map(|fault| (text(&fault["operation"]), text(&fault["build"]))).collect()
}

fn assert_planted_are_found(place: &Place, outcome: &Outcome) {
    assert_eq!(outcome.code, 2, "{}", outcome.text());
    let found = faults(place);
    for (operation, build) in PLANTED {
        let planted = (operation.to_owned(), build.to_owned());
        assert!(found.contains(&planted), "{operation}: {found:?}\n{}", outcome.text());
    }
}

#[test]
fn each_build_finds_what_only_it_can_see_and_says_when_that_is_gone() {
    let place = Place::lasting("portfolio");
    let root = place.copy_of("unseen");
    let outcome = gainsay(&root, &[RUN, ENOUGH].concat());
    assert_planted_are_found(&place, &outcome);

    // What was found is made again first, in the build that it needs: no exploration is needed.
    let again = [RUN, &["--calls", "20"]].concat();
    let outcome = gainsay(&root, &again);
    assert_planted_are_found(&place, &outcome);

    // Put right, all builds are silent, however much is tried.
    take_sources("unseen_fixed", &root);
    let outcome = gainsay(&root, &[RUN, ENOUGH].concat());
    assert_eq!(outcome.code, 0, "{}", outcome.text());
    assert!(faults(&place).is_empty(), "{}", outcome.text());
    let gone = summary(&place)["gone"].clone();
    for (operation, _) in PLANTED {
        let is_gone = gone.as_array().unwrap().iter().any(|it| it["operation"] == operation);
        assert!(is_gone, "{operation}: {gone}");
    }
}
