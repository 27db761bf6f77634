//! Queries that are views: each that is not is demoted for its own reason.

#![allow(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

mod support;

use std::{fs, path::Path, sync::LazyLock};

use serde_json::Value;
use support::{Place, gainsay};

/// The summary of a run on a subject with good and bad queries.
static SUMMARY: LazyLock<Value> = LazyLock::new(|| {
    let place = Place::lasting("views");
    let root = place.copy_of("odd_views");
    tested(&place, &root)
});

fn tested(place: &Place, root: &Path) -> Value {
    let run = ["run", "--calls", "6000", "--seed", "3", "--no-refute"];
    let outcome = gainsay(root, &[&run[..], &["--target-dir", "../target"]].concat());
    assert!([0, 2].contains(&outcome.code), "{}", outcome.text());
    let text = fs::read_to_string(place.shared_results().join("summary.json")).unwrap();
    serde_json::from_str(&text).unwrap()
}

fn views(ty: &str) -> &'static Value {
    let all = SUMMARY["types"].as_array().unwrap();
    let name = format!("odd_views::{ty}");
    all.iter().find(|views| views["type"] == name.as_str()).unwrap()
}

fn names<'a>(views: &'a Value, list: &str) -> Vec<&'a str> {
    views[list].as_array().unwrap().iter().map(|name| name.as_str().unwrap()).collect()
}

/// The queries of a type's state, and those that are not, each with its reason.
fn check(ty: &str, state: &[&str], demoted: &[(&str, &str)]) {
    let views = views(ty);
    assert_eq!(names(views, "state"), state, "{ty}");
    let found = views["demoted"].as_array().unwrap();
    let mut found: Vec<(&str, &str)> = found
        .iter()
        .map(|view| (view["query"].as_str().unwrap(), view["reason"].as_str().unwrap()))
        .collect();
    found.sort_unstable();
    assert_eq!(found, demoted, "{ty}");
}

#[test]
fn a_query_that_counts_looks_is_impure_and_the_others_stay() {
    check("Curious", &["value", "asked"], &[("ask", "impure")]);
}

#[test]
fn what_depends_on_the_process_or_the_time_is_random() {
    check("Restless", &["content"], &[("address", "random"), ("born", "random")]);
}

#[test]
fn what_panics_takes_long_repeats_another_or_tells_nothing_is_demoted_for_that() {
    check(
        "Touchy",
        &["len", "is_empty", "newest", "as_text"],
        &[("as_words", "repeats"), ("forbidden", "panics"), ("hidden", "blank"), ("sum", "slow")],
    );
}

#[test]
fn a_handle_is_known_to_share_its_state_and_others_are_not() {
    assert_eq!(views("Handle")["shares"], true);
    assert_eq!(views("Touchy")["shares"], false);
    check("Handle", &["len", "is_empty"], &[("pop", "impure")]);
}

#[test]
fn a_sequence_in_random_order_gives_way_to_the_bag_of_its_pairs() {
    check("Ledger", &["len", "is_empty", "bag"], &[("seq", "random")]);
}

#[test]
fn fields_variants_and_inner_objects_are_seen() {
    check("Point", &["is_origin", ".x", ".y"], &[]);
    assert!(names(views("Figure"), "state").contains(&"variant"));
    assert!(names(views("Canvas"), "state").contains(&".last()?.is_origin()"));
}
