//! Ctrl-C: what was found so far is reported and saved.

#![allow(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

mod support;

use std::{
    io::{BufRead as _, BufReader, Read as _},
    os::unix::process::CommandExt as _,
    path::Path,
    process::{Child, Command, Stdio},
    sync::{LazyLock, Mutex, PoisonError},
};

use support::{Outcome, Place, command};

/// One directory, hence one compilation of the runtime, and one run at a time.
static PLACE: LazyLock<Mutex<Place>> = LazyLock::new(|| Mutex::new(Place::lasting("interrupt")));

/// Longer than any test may take: the runs below end by Ctrl-C or not at all.
const ENDLESS: &[&str] = &["run", "--time", "1h", "--jobs", "1", "-v", "--target-dir", "../target"];

/// Starts a run and presses Ctrl-C as soon as a line on standard error fits.
fn interrupted_at(root: &Path, args: &[&str], fits: fn(&str) -> bool) -> Outcome {
    let mut command = command(&[], root, args);
    // A group of its own, as a shell gives to every command.
    command.process_group(0).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap());
    let mut stderr = String::new();
    loop {
        let mut line = String::new();
        assert_ne!(lines.read_line(&mut line).unwrap(), 0, "ended by itself: {stderr}");
        stderr += &line;
        if fits(&line) {
            break;
        }
    }
    press_ctrl_c(&child);
    lines.read_to_string(&mut stderr).unwrap();
    let output = child.wait_with_output().unwrap();
    let stdout = String::from_utf8(output.stdout).unwrap();
    Outcome { code: output.status.code().unwrap_or(-1), stdout, stderr }
}

/// The terminal sends the signal to the whole group.
fn press_ctrl_c(child: &Child) {
    let kill = format!("kill -INT -{}", child.id());
    assert!(Command::new("sh").args(["-c", &kill]).status().unwrap().success());
}

fn stop_reason(root: &Path) -> String {
    let text = std::fs::read_to_string(root.join("../target/gainsay/summary.json")).unwrap();
    let summary: serde_json::Value = serde_json::from_str(&text).unwrap();
    summary["stop_reason"].as_str().unwrap().to_owned()
}

#[test]
fn during_the_build_nothing_is_left() {
    let place = Place::new();
    let root = place.copy_of("bounded_stack");
    let outcome = interrupted_at(&root, ENDLESS, |line| line.contains("Building"));
    assert_eq!(outcome.code, 130, "{}", outcome.stderr);
    assert!(outcome.stderr.contains("error: interrupted"), "{}", outcome.stderr);
    assert!(!outcome.stderr.contains("panicked"), "{}", outcome.stderr);
    assert!(!root.join("../target/gainsay/summary.json").exists());
}

#[test]
fn during_the_run_faults_found_so_far_are_reported_and_saved() {
    let place = PLACE.lock().unwrap_or_else(PoisonError::into_inner);
    let root = place.copy_of("bounded_stack");
    let has_findings = |line: &str| {
        line.contains(" findings") && !line.contains(" 0 findings") || line.contains(" 1 finding\n")
    };
    let outcome = interrupted_at(&root, ENDLESS, has_findings);
    assert_eq!(outcome.code, 2, "{}", outcome.text());
    assert!(outcome.stdout.contains("fault in BoundedStack::"), "{}", outcome.stdout);
    assert!(outcome.stdout.contains("because it was interrupted"), "{}", outcome.stdout);
    assert_eq!(stop_reason(&root), "interrupted");
}

#[test]
fn during_a_run_without_faults_the_code_says_that_it_was_interrupted() {
    let place = PLACE.lock().unwrap_or_else(PoisonError::into_inner);
    let root = place.copy_of("bounded_stack_fixed");
    let outcome = interrupted_at(&root, ENDLESS, |line| line.contains(" states, "));
    assert_eq!(outcome.code, 130, "{}", outcome.text());
    assert!(outcome.stdout.contains("because it was interrupted"), "{}", outcome.stdout);
    assert_eq!(stop_reason(&root), "interrupted");
}
