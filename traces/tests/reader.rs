//! `gainsay-traces`: traces in, facts out.

#![allow(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

use std::{fmt::Write as _, fs, path::Path, process::Command};

use tempfile::TempDir;

/// What came of the program.
struct Outcome {
    code: i32,
    stdout: String,
    stderr: String,
}

fn run(dir: &Path, args: &[&str]) -> Outcome {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gainsay-traces"));
    for variable in ["CARGO_TERM_COLOR", "NO_COLOR"] {
        command.env_remove(variable);
    }
    let output = command.current_dir(dir).args(args).output().unwrap();
    Outcome {
        code: output.status.code().unwrap(),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

impl Outcome {
    fn fails_with(&self, code: i32, message: &str, hint: &str) {
        assert_eq!(self.code, code, "{}", self.stderr);
        assert!(self.stderr.contains(message), "{message}: {}", self.stderr);
        let hints = self.stderr.lines().find(|line| line.starts_with("hint: "));
        assert!(hints.is_some_and(|line| line.contains(hint)), "{hint}: {}", self.stderr);
    }
}

const DECLS: &str = "decl-version 2.0\nvar-comparability implicit\n\n\
    ppt p:::POINT\nppt-type point\n\
    variable x\n  rep-type int\n  comparability 1\n\
    variable y\n  rep-type int\n  comparability 1\n\n";

/// `y` is always `2 * x + 1`.
fn samples() -> String {
    let mut text = String::new();
    for i in 0..200_i64 {
        let x = i * 37 % 101;
        write!(text, "p:::POINT\nx\n{x}\n1\ny\n{}\n1\n\n", 2 * x + 1).expect("writing to a string");
    }
    text
}

#[test]
fn facts_are_printed_by_point_with_their_evidence() {
    let place = TempDir::new().unwrap();
    fs::write(place.path().join("t.dtrace"), DECLS.to_owned() + &samples()).unwrap();
    let outcome = run(place.path(), &["--dtrace", "t.dtrace"]);
    assert_eq!(outcome.code, 0, "{}", outcome.stderr);
    for words in ["p:::POINT (200 samples)", "y == 2 * x + 1", "chance", "from 200 samples"] {
        assert!(outcome.stdout.contains(words), "{words}: {}", outcome.stdout);
    }
    assert!(!outcome.stdout.contains("implied by"), "{}", outcome.stdout);
}

#[test]
fn all_tells_what_is_implied_and_by_what() {
    let place = TempDir::new().unwrap();
    let mut text = DECLS.to_owned();
    for i in 0..200_i64 {
        let x = i * 37 % 101;
        write!(text, "p:::POINT\nx\n{x}\n1\ny\n{}\n1\n\n", x + 1).unwrap();
    }
    fs::write(place.path().join("t.dtrace"), text).unwrap();
    let outcome = run(place.path(), &["--dtrace", "t.dtrace", "--all"]);
    assert!(outcome.stdout.contains("implied by y == x + 1; x >= 0"), "{}", outcome.stdout);
}

#[test]
fn programs_read_json_and_declarations_may_lie_apart() {
    let place = TempDir::new().unwrap();
    fs::write(place.path().join("t.decls"), DECLS).unwrap();
    fs::write(place.path().join("t.dtrace"), samples()).unwrap();
    let args = ["--dtrace", "t.dtrace", "--decls", "t.decls", "--format", "json"];
    let outcome = run(place.path(), &args);
    let report: serde_json::Value = serde_json::from_str(&outcome.stdout).unwrap();
    assert_eq!(report["samples"], 200);
    let facts = report["points"][0]["facts"].as_array().unwrap();
    let line = facts.iter().find(|fact| fact["text"] == "y == 2 * x + 1").unwrap();
    assert_eq!((&line["family"], &line["fate"]), (&"linear".into(), &"shown".into()));
}

#[test]
fn a_malformed_trace_is_told_with_its_line_and_a_hint() {
    let place = TempDir::new().unwrap();
    let text = DECLS.to_owned() + "p:::POINT\nx\nmany\n1\n";
    fs::write(place.path().join("t.dtrace"), &text).unwrap();
    let args = ["--dtrace", "t.dtrace"];
    run(place.path(), &args).fails_with(1, "t.dtrace:15: `many` is no value", "nonsensical");
    fs::write(place.path().join("t.dtrace"), samples()).unwrap();
    run(place.path(), &args).fails_with(1, "t.dtrace:1: `p:::POINT` is not declared", "--decls");
    let args = ["--dtrace", "none.dtrace"];
    run(place.path(), &args).fails_with(1, "cannot read `none.dtrace`", "check the path");
}

#[test]
fn arguments_that_make_no_sense_end_with_the_code_for_usage() {
    let place = TempDir::new().unwrap();
    let outcome = run(place.path(), &["--dtrace"]);
    assert_eq!(outcome.code, 1, "{}", outcome.stderr);
    assert_eq!(run(place.path(), &["--help"]).code, 0);
}
