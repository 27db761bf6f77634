//! Subjects that cannot be tested: each ends with its exit code, an error and a hint, never with
//! a panic.

mod support;

use std::{
    fs,
    io::{BufRead as _, BufReader},
    process::Stdio,
};

use support::{Place, command, gainsay, gainsay_in};

const STACK: &str = "#[derive(Default)]\npub struct Stack(Vec<i64>);\n\
    impl Stack {\n    pub fn new() -> Stack { Stack(Vec::new()) }\n    \
    pub fn push(&mut self, value: i64) { self.0.push(value); }\n    \
    pub fn len(&self) -> usize { self.0.len() }\n}\n";

const SHORT: &[&str] = &["run", "--calls", "2000", "--jobs", "1"];

/// What a rustdoc of the future writes: a description with another number.
const FUTURE_RUSTDOC: &str = r#"#!/bin/sh
rustdoc "$@" || exit $?
out=
while [ $# -gt 0 ]; do
    case "$1" in -o | --out-dir) out=$2 ;; esac
    shift
done
[ -z "$out" ] || sed -i 's/"format_version":[0-9]*/"format_version":9999/' "$out"/*.json
"#;

#[test]
fn a_directory_without_a_manifest() {
    let place = Place::new();
    gainsay(place.path(), SHORT).fails_with(1, "no Cargo.toml", "--manifest-path");
}

#[test]
fn a_package_with_only_a_binary() {
    let place = Place::new();
    let root = place.package("binary", "", &[("src/main.rs", "fn main() {}\n")]);
    gainsay(&root, SHORT).fails_with(1, "no library", "src/lib.rs");
}

#[test]
fn a_procedural_macro() {
    let place = Place::new();
    let manifest = "\n[lib]\nproc-macro = true\n";
    let root = place.package("macro", manifest, &[("src/lib.rs", "\n")]);
    gainsay(&root, SHORT).fails_with(1, "`subject` is a procedural macro", "-p NAME");
}

#[test]
fn a_crate_that_does_not_compile() {
    let place = Place::new();
    // rustdoc stumbles over the signature, but only rustc looks into the body.
    for lib in ["pub fn f() -> Missing {}\n", "pub fn f() -> usize { \"no\" }\n"] {
        let root = place.library("broken", lib);
        let outcome = gainsay(&root, SHORT);
        assert_eq!(outcome.code, 3, "{}", outcome.stderr);
        let rustc =
            if lib.contains("Missing") { "cannot find type `Missing`" } else { "mismatched types" };
        for words in [rustc, "src/lib.rs:1:"] {
            assert!(outcome.stderr.contains(words), "{words}: {}", outcome.stderr);
        }
        outcome.fails_with(3, "not", "shows the same errors");
    }
}

#[test]
fn a_description_that_is_too_new() {
    let place = Place::new();
    let root = place.library("future", STACK);
    let rustdoc = place.script("rustdoc", FUTURE_RUSTDOC);
    let outcome = gainsay_in(&[("RUSTDOC", &rustdoc)], &root, SHORT);
    outcome.fails_with(1, "JSON format 9999, which is not supported", "use rustc 1.95");
}

#[test]
fn a_feature_that_is_not_there() {
    let place = Place::new();
    let manifest = "\n[features]\nfast = []\n";
    let root = place.package("features", manifest, &[("src/lib.rs", STACK)]);
    let args = [SHORT, &["--features", "fats"]].concat();
    gainsay(&root, &args).fails_with(1, "no feature `fats`", "`fast`");
}

#[test]
fn a_member_that_is_not_there() {
    let place = Place::new();
    let root = place.library("alone", STACK);
    let args = [SHORT, &["-p", "other"]].concat();
    gainsay(&root, &args).fails_with(1, "no package `other`", "`subject`");
}

#[test]
fn a_crate_with_nothing_public() {
    let place = Place::new();
    let root = place.library("private", "fn hidden() {}\npub(crate) fn f() { hidden() }\n");
    gainsay(&root, SHORT).fails_with(4, "no public operation", "cargo gainsay list");
}

#[test]
fn a_published_crate_or_version_that_is_not_there() {
    let place = Place::new();
    let of = |spec: &str| gainsay(place.path(), &[SHORT, &["--crate", spec]].concat());
    of("no-such-crate-under-this-name-gainsay").fails_with(1, "no published crate", "spelling");
    of("cfg-if@999.0.0").fails_with(1, "no version `999.0.0`", "");
}

#[test]
fn a_target_directory_that_cannot_be_made() {
    let place = Place::new();
    let root = place.library("blocked", STACK);
    // A file in the way stops every user, root included; missing permissions would not.
    fs::write(place.path().join("in-the-way"), "").unwrap();
    let args = [SHORT, &["--target-dir", "../in-the-way"]].concat();
    gainsay(&root, &args).fails_with(1, "cannot write", "--target-dir");
    // The kernel lets nobody make directories there.
    let args = [SHORT, &["--target-dir", "/sys/gainsay"]].concat();
    gainsay(&root, &args).fails_with(1, "cannot write", "--target-dir");
}

#[test]
fn a_script_that_cannot_be_read() {
    let place = Place::new();
    let root = place.library("scripted", STACK);
    let args = [SHORT, &["--from", "missing.txt"]].concat();
    gainsay(&root, &args).fails_with(1, "missing.txt", "--from");
}

#[test]
fn a_path_with_spaces_and_other_letters_is_no_obstacle() {
    let place = Place::new();
    let root = place.library("ein Stück Käse 積み", STACK);
    let outcome = gainsay(&root, SHORT);
    assert_eq!(outcome.code, 0, "{}\n{}", outcome.stdout, outcome.stderr);
    assert!(root.join("target/gainsay/summary.json").is_file());
}

#[test]
fn a_results_directory_that_another_run_is_using_is_waited_for() {
    let place = Place::new();
    let root = place.library("busy", STACK);
    let results = root.join("target/gainsay");
    fs::create_dir_all(&results).unwrap();
    let other = fs::File::create(results.join("run.lock")).unwrap();
    other.lock().unwrap();
    let mut waiting =
        command(&[], &root, SHORT).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let mut told = BufReader::new(waiting.stderr.take().unwrap()).lines().map_while(Result::ok);
    assert!(told.any(|line| line.contains("Waiting for another run that is using")));
    other.unlock().unwrap();
    assert!(told.any(|line| line.contains("Exploring")), "it goes on");
    drop(told);
    assert!(waiting.wait().unwrap().code().is_some());
}
