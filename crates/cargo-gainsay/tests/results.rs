//! The commands that show what a run left, and that a run leaves the same every time.

#![allow(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

mod support;

use std::{
    fs,
    path::{Path, PathBuf},
    sync::LazyLock,
};

use gainsay_store::Store;
use serde_json::Value;
use support::{Outcome, Place, gainsay, gainsay_in};

/// Two subjects that were tested twice: by one worker at a time, then by two.
struct Tested {
    root: PathBuf,
    summaries: [Value; 2],
    dumps: [String; 2],
    /// The same of the other subject.
    tickets: [(Value, String); 2],
}

static TESTED: LazyLock<Tested> = LazyLock::new(|| {
    let place = Place::lasting("results");
    // One place for both, hence one compilation of the runtime; the second one's results stay.
    let tickets = place.library("tickets", TICKETS);
    let tickets = ["1", "2"].map(|jobs| left_by(&place, &tickets, jobs));
    let root = place.copy_of("bounded_stack");
    let [(first, dump), (second, other)] = ["1", "2"].map(|jobs| left_by(&place, &root, jobs));
    Tested { summaries: [first, second], dumps: [dump, other], root, tickets }
});

/// The summary and the store's contents after a run.
fn left_by(place: &Place, root: &Path, jobs: &str) -> (Value, String) {
    // The second run is to find what the first one found, not to be told.
    let run = ["run", "--calls", "5000", "--seed", "7", "--jobs", jobs, "--no-regressions"];
    let outcome = gainsay(root, &[&run[..], &["--target-dir", "../target"]].concat());
    assert!([0, 2].contains(&outcome.code), "{}", outcome.text());
    let text = fs::read_to_string(place.shared_results().join("summary.json")).unwrap();
    let store = Store::open(&place.shared_results().join("store.sqlite")).unwrap();
    (serde_json::from_str(&text).unwrap(), store.dump().unwrap())
}

/// What differs from one run to the next for other reasons than the number of jobs.
const TIMES: [&str; 3] = ["cpu_seconds", "calls_per_cpu_second", "stages"];

fn without_times(summary: &Value) -> Value {
    let mut summary = summary.clone();
    summary.as_object_mut().unwrap().retain(|name, _| !TIMES.contains(&name.as_str()));
    summary["reduction"].as_object_mut().unwrap().retain(|name, _| name == "runs");
    for fault in summary["faults"].as_array_mut().unwrap() {
        if let Some(seen) = fault.get_mut("seen") {
            seen.as_object_mut().unwrap().remove("millis").unwrap();
        }
    }
    summary
}

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
    assert_eq!(without_times(one), without_times(two));
    assert_eq!(one["faults"].as_array().unwrap().len(), 3);
    let [one, two] = &TESTED.dumps;
    assert!(one.lines().count() > 100, "{one}");
    assert!(one == two, "the stores differ");
}

/// Each value is told apart by how many its process has made before.
const TICKETS: &str = "use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
static NEXT: AtomicU32 = AtomicU32::new(0);
/// A number of its own.
#[derive(Debug)]
pub struct Ticket { number: u32 }
impl Ticket {
    /// The next.
    pub fn draw() -> Ticket { Ticket { number: NEXT.fetch_add(1, Relaxed) % 5000 } }
    /// Its number.
    pub fn number(&self) -> u32 { self.number }
    /// Half of it; some break.
    pub fn tear(&mut self) { assert_ne!(self.number % 100, 99, \"torn\"); self.number /= 2 }
}
";

#[test]
fn nor_does_it_where_the_subject_remembers_what_its_process_did() {
    let [(one, dump), (two, other)] = &TESTED.tickets;
    // Which tickets break depends on all that the process did before.
    let records = one["operations"]["records"].as_array().unwrap();
    let torn = records.iter().find(|record| record["path"] == "Ticket::tear").unwrap();
    assert!(torn["panicked"].as_u64().unwrap() > 0, "{torn}");
    assert_eq!(without_times(one), without_times(two));
    assert!(dump == other, "the stores differ");
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
    // Two digits swapped, one forgotten.
    let digits: Vec<char> = ids[0].chars().collect();
    let swapped: String = [digits[1], digits[0]].iter().chain(&digits[2..8]).collect();
    let short: String = digits[1..8].iter().collect();
    for wrong in [swapped, short] {
        show(&["replay", &wrong]).fails_with(1, "no fault has the id", &ids[0]);
    }
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
    let slip = show(&["contracts", "Stack::psuh"]);
    assert_eq!(slip.code, 1);
    assert!(slip.stderr.contains("hint: did you mean `BoundedStack::push`"), "{}", slip.text());
    let unknown = show(&["contracts", "no_such_thing"]);
    assert!(unknown.stderr.contains("hint: `cargo gainsay list`"), "{}", unknown.text());
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
fn contracts_come_in_other_forms() {
    let form = |format: &str| show(&["contracts", "--format", format]).stdout;
    assert!(form("markdown").contains("\n## `BoundedStack::push`\n"));
    let json: Value = serde_json::from_str(&form("json")).unwrap();
    assert_eq!(json["subject"]["name"], "bounded_stack");
    assert!(!json["contracts"].as_array().unwrap().is_empty());
    assert!(form("attributes").contains("#[ensures("), "{}", form("attributes"));
    let anodized = show(&["contracts", "--format", "attributes", "--for", "anodized"]).stdout;
    assert!(anodized.contains("#[spec("), "{anodized}");
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
