//! `cargo gainsay infer`: the reader of traces is run where it is installed.

#![allow(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

mod support;

use std::{fs, path::Path, process::Command};

use support::{Outcome, Place};

/// A place with the program in a directory of its own: beside the one that cargo built there may be
/// a reader that cargo built, too.
fn installed(name: &str) -> Place {
    let place = Place::lasting(name);
    let bin = place.path().join("bin");
    fs::create_dir_all(&bin).unwrap();
    fs::hard_link(env!("CARGO_BIN_EXE_cargo-gainsay"), bin.join("cargo-gainsay")).unwrap();
    place
}

fn infer(place: &Place, search: &Path, options: &[&str]) -> Outcome {
    let mut command = Command::new(place.path().join("bin/cargo-gainsay"));
    command.args(["gainsay", "infer", "--dtrace", "t.dtrace"]).args(options);
    Outcome::of(command.current_dir(place.path()).env("PATH", search))
}

#[test]
fn without_the_reader_it_is_said_how_to_install_it() {
    let place = installed("infer_without_reader");
    let missing = infer(&place, Path::new(""), &[]);
    let message = "`gainsay-traces`, which is not installed";
    missing.fails_with(1, message, "cargo install --path traces");
    let help = infer(&place, Path::new(""), &["--help"]);
    assert!(help.stdout.contains("cargo install --path traces"), "{}", help.stdout);
}

#[test]
fn the_reader_beside_the_program_gets_the_arguments_and_its_code_is_passed_on() {
    let place = installed("infer_beside");
    place.script("gainsay-traces", "#!/bin/sh\necho \"$@\"\necho 'error: no' >&2\nexit 1\n");
    let options = ["--format", "json", "--color", "never", "--all"];
    let outcome = infer(&place, Path::new(""), &options);
    let expected = "--dtrace t.dtrace --format json --color never --all\n";
    assert_eq!((outcome.code, &outcome.stdout[..]), (1, expected));
    assert_eq!(outcome.stderr, "error: no\n");
}

#[test]
fn a_reader_on_the_search_path_that_panics_is_a_bug_of_ours() {
    let place = installed("infer_on_path");
    let elsewhere = Place::lasting("infer_reader");
    elsewhere.script("gainsay-traces", "#!/bin/sh\nexit 101\n");
    assert_eq!(infer(&place, &elsewhere.path().join("bin"), &[]).code, 70);
}
