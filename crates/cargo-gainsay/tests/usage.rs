//! What can be typed: help, mistakes, commands without a run.

mod support;

use support::{Place, gainsay};

const STACK: &str = "pub struct Stack(Vec<i64>);\n\
    impl Stack { pub fn new() -> Stack { Stack(Vec::new()) } }\n";

#[test]
fn help_is_complete_and_shows_an_example_for_every_command() {
    let place = Place::new();
    let commands: [&[&str]; 9] = [
        &[],
        &["run"],
        &["list"],
        &["contracts"],
        &["faults"],
        &["replay"],
        &["emit"],
        &["infer"],
        &["db"],
    ];
    for command in commands {
        let outcome = gainsay(place.path(), &[command, &["--help"]].concat());
        assert_eq!(outcome.code, 0, "{command:?}");
        assert!(outcome.stdout.contains("Example"), "{command:?}: {}", outcome.stdout);
        assert!(outcome.stdout.contains("cargo gainsay"), "{command:?}");
        assert!(outcome.stdout.contains("--manifest-path"), "{command:?}");
    }
}

#[test]
fn the_help_names_the_exit_codes() {
    let outcome = gainsay(Place::new().path(), &["--help"]);
    for words in ["0 nothing found", "2 faults found", "70 a bug"] {
        assert!(outcome.stdout.contains(words), "{words}");
    }
}

#[test]
fn mistakes_end_with_exit_code_one() {
    let place = Place::new();
    let check = |args: &[&str], words: &str| {
        let outcome = gainsay(place.path(), args);
        assert_eq!(outcome.code, 1, "{args:?}: {}", outcome.stderr);
        assert!(outcome.stderr.contains(words), "{args:?}: {}", outcome.stderr);
    };
    check(&["dance"], "dance");
    check(&["--time", "soon"], "60s");
    check(&["--calls", "0"], "--calls");
    check(&["--jobs", "0"], "--jobs");
    check(&["replay"], "<ID>");
    check(&["--crate", "a@1", "-p", "b"], "cannot be used with");
    check(&["--crate", "@1"], "hint: ");
    check(&["--default-features", "-F", "a"], "cannot be used with");
    check(&["--seed", "1", "list"], "only `run` takes options");
    check(&["-q", "-v"], "cannot be used with");
}

#[test]
fn commands_that_show_results_say_that_there_is_no_run_yet() {
    let place = Place::new();
    let root = place.library("subject", STACK);
    let commands: [&[&str]; 4] = [&["contracts"], &["faults"], &["replay", "3f9c"], &["emit"]];
    for command in commands {
        gainsay(&root, command).fails_with(1, "no results of a run", "cargo gainsay run");
    }
}

#[test]
fn a_damaged_record_is_told_from_a_missing_one() {
    let place = Place::new();
    let root = place.package(
        "subject",
        "",
        &[("src/lib.rs", STACK), ("target/gainsay/run.json", "{ not json")],
    );
    gainsay(&root, &["faults"]).fails_with(1, "damaged", "cargo gainsay run");
}

#[test]
fn colours_come_only_when_asked_for() {
    let place = Place::new();
    let root = place.library("subject", STACK);
    let stderr = |args: &[&str]| gainsay(&root, args).stderr;
    assert!(!stderr(&["faults"]).contains('\u{1b}'));
    assert!(stderr(&["faults", "--color", "always"]).contains('\u{1b}'));
}
