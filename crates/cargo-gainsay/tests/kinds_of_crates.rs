//! Crates that are unlike the usual one, all of them testable. They share one directory, so that
//! the runtime is compiled once.

#![allow(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

mod support;

use std::{
    fs,
    path::{Path, PathBuf},
    sync::{LazyLock, Mutex, PoisonError},
};

use serde_json::Value;
use support::{Outcome, Place, gainsay, gainsay_in};

const STACK: &str = "#[derive(Default)]\npub struct Stack(Vec<i64>);\n\
    impl Stack {\n    pub fn new() -> Stack { Stack(Vec::new()) }\n    \
    pub fn push(&mut self, value: i64) { self.0.push(value); }\n    \
    pub fn len(&self) -> usize { self.0.len() }\n}\n";

static PLACE: LazyLock<Place> = LazyLock::new(|| Place::lasting("kinds"));

/// One subject at a time in the shared directory.
static TURN: Mutex<()> = Mutex::new(());

const TARGET: &[&str] = &["--calls", "1000", "--jobs", "1", "--no-refute"];

/// Writes a package with a manifest of its own and tells where it is.
fn package(dir: &str, manifest: &str, files: &[(&str, &str)]) -> PathBuf {
    let root = PLACE.path().join(dir);
    let manifest = ["Cargo.toml", manifest];
    for (path, text) in std::iter::once((manifest[0], manifest[1])).chain(files.iter().copied()) {
        let path = root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    root
}

fn manifest(name: &str, edition: &str, more: &str) -> String {
    format!(
        "[package]\nname = \"{name}\"\nversion = \"0.1.0\"\nedition = \"{edition}\"\n{more}\n[workspace]\n"
    )
}

/// Runs it; the paths of the operations that returned.
fn returned(root: &Path, args: &[&str]) -> Vec<String> {
    returned_in(&[], root, args)
}

fn returned_in(variables: &[(&str, &str)], root: &Path, args: &[&str]) -> Vec<String> {
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    let target = PLACE.path().join("target");
    let target = ["--target-dir", target.to_str().unwrap()];
    let outcome = gainsay_in(variables, root, &[&["run"], TARGET, &target, args].concat());
    assert_eq!(outcome.code, 0, "{}", outcome.text());
    let text = fs::read_to_string(PLACE.shared_results().join("summary.json")).unwrap();
    let summary: Value = serde_json::from_str(&text).unwrap();
    adds_up(&summary["operations"]);
    let records = summary["operations"]["records"].as_array().unwrap().iter();
    let records = records.filter(|record| record["returned"].as_u64() > Some(0));
    records.map(|record| record["path"].as_str().unwrap().to_owned()).collect()
}

/// Every public callable is there once: harnessed, or skipped with a reason.
fn adds_up(operations: &Value) {
    let records = operations["records"].as_array().unwrap();
    let mut paths: Vec<&str> = records.iter().map(|r| r["path"].as_str().unwrap()).collect();
    paths.dedup();
    assert_eq!(paths.len(), records.len(), "a path occurs twice: {operations:#}");
    let of_reason = |wanted: &str| operations["skipped"][wanted].as_u64().unwrap_or(0);
    let skipped = operations["skipped"].as_object().unwrap().values();
    let skipped: u64 = skipped.map(|count| count.as_u64().unwrap()).sum();
    let left_out = skipped - of_reason("unsafe") - of_reason("never-ready");
    let number = |name: &str| operations[name].as_u64().unwrap();
    assert_eq!(number("harnessed") + left_out, number("public"), "{operations:#}");
    assert_eq!(of_reason("unsafe"), number("unsafe"), "{operations:#}");
    assert!(!operations.to_string().contains("no reason was given"), "{operations:#}");
}

fn has(paths: &[String], wanted: &[&str]) {
    for path in wanted {
        assert!(paths.iter().any(|known| known == path), "{path} did not return: {paths:?}");
    }
}

#[test]
fn editions_from_2015_to_2024() {
    for edition in ["2015", "2018", "2021", "2024"] {
        let lib = [("src/lib.rs", STACK)];
        let root = package(&format!("e{edition}"), &manifest("edition", edition, ""), &lib);
        has(&returned(&root, &[]), &["Stack::new", "Stack::push", "Stack::len"]);
    }
}

#[test]
fn a_member_of_a_workspace() {
    let files = [
        ("a/Cargo.toml", "[package]\nname = \"a\"\nversion = \"0.1.0\"\n"),
        ("a/src/lib.rs", "pub fn one() -> u8 { 1 }\n"),
        (
            "b/Cargo.toml",
            "[package]\nname = \"b\"\nversion = \"0.1.0\"\n[dependencies]\na = { path = \"../a\" }\n",
        ),
        ("b/src/lib.rs", "pub fn two() -> u8 { a::one() + 1 }\n"),
    ];
    let root =
        package("workspace", "[workspace]\nmembers = [\"a\", \"b\"]\nresolver = \"2\"\n", &files);
    has(&returned(&root, &["-p", "b"]), &["two"]);
    has(&returned(&root.join("a"), &[]), &["one"]);
    gainsay(&root, &["list"]).fails_with(1, "several packages", "-p NAME");
}

#[test]
fn no_std_and_denied_warnings_are_no_obstacle() {
    let lib = "#![no_std]\n#![deny(warnings, missing_docs)]\n//! Nothing of std.\n\
        extern crate alloc;\n/// A number.\npub struct N(u8);\n\
        impl N {\n    /// New.\n    pub const fn new(n: u8) -> N { N(n) }\n    \
        /// All.\n    pub fn all(&self) -> alloc::vec::Vec<u8> { alloc::vec![self.0] }\n}\n";
    let root = package("bare", &manifest("bare", "2021", ""), &[("src/lib.rs", lib)]);
    has(&returned(&root, &[]), &["N::new", "N::all"]);
}

#[test]
fn a_library_with_another_name_than_its_package() {
    let more = "[lib]\nname = \"other_name\"\npath = \"code/main.rs\"\n";
    let root = package("named", &manifest("one-name", "2021", more), &[("code/main.rs", STACK)]);
    has(&returned(&root, &[]), &["Stack::new", "Stack::push"]);
}

#[test]
fn crates_named_like_ours_like_core_or_like_a_keyword() {
    for name in ["gainsay-runtime", "gainsay-wire", "rt", "core", "async"] {
        let root =
            package(&format!("n-{name}"), &manifest(name, "2021", ""), &[("src/lib.rs", STACK)]);
        has(&returned(&root, &[]), &["Stack::new", "Stack::push"]);
    }
}

#[test]
fn items_with_raw_names() {
    let lib = "#[allow(non_camel_case_types)]\n#[derive(Clone)]\npub struct r#type { pub r#fn: u8 }\n\
        impl r#type {\n    pub fn r#match(&self, r#in: u8) -> bool { self.r#fn == r#in }\n    \
        pub fn new(r#loop: u8) -> Self { r#type { r#fn: r#loop } }\n}\n\
        pub mod r#mod { pub fn r#move() -> u8 { 1 } }\n";
    let root = package("raw", &manifest("raw", "2021", ""), &[("src/lib.rs", lib)]);
    let paths = returned(&root, &[]);
    for name in ["match", "new", "move"] {
        assert!(paths.iter().any(|path| path.ends_with(name)), "{name}: {paths:?}");
    }
}

#[test]
fn features_decide_what_there_is() {
    let lib = "#[cfg(feature = \"plain\")]\npub fn plain() -> u8 { 1 }\n\
        #[cfg(feature = \"extra\")]\npub fn extra() -> u8 { 2 }\npub fn always() -> u8 { 3 }\n";
    let more = "[features]\ndefault = [\"plain\"]\nplain = []\nextra = []\n";
    let root = package("features", &manifest("features", "2021", more), &[("src/lib.rs", lib)]);
    let check = |args: &[&str], expected: &[&str]| assert_eq!(returned(&root, args), expected);
    check(&[], &["always", "extra", "plain"]);
    check(&["--default-features"], &["always", "plain"]);
    check(&["--features", "extra"], &["always", "extra", "plain"]);
    check(&["--all-features"], &["always", "extra", "plain"]);
    check(&["--no-default-features"], &["always"]);
    check(&["--no-default-features", "-F", "extra"], &["always", "extra"]);
}

#[test]
fn a_crate_whose_documentation_fails_says_why() {
    let lib = format!("#[cfg(doc)]\ncompile_error!(\"no docs today\");\n{STACK}");
    let root = package("docless", &manifest("docless", "2021", ""), &[("src/lib.rs", &lib)]);
    let outcome = gainsay(&root, &["run", "--calls", "10"]);
    assert_eq!(outcome.code, 3, "{}", outcome.text());
    assert!(outcome.stderr.contains("no docs today"), "{}", outcome.stderr);
    assert!(outcome.stderr.contains("cargo doc"), "{}", outcome.stderr);
}

#[test]
fn an_unreachable_registry_is_no_obstacle_when_everything_is_cached() {
    let offline = ("CARGO_NET_OFFLINE", "true");
    let list = |variables: &[(&str, &str)], spec: &str| -> Outcome {
        let target = PLACE.path().join("registry");
        let target = ["--target-dir", target.to_str().unwrap()];
        let args = [&["list", "--no-build", "--crate", spec], &target[..]].concat();
        gainsay_in(variables, PLACE.path(), &args)
    };
    assert_eq!(list(&[], "itoa@1.0.15").code, 0);
    let cached = list(&[offline], "itoa@1.0.15");
    assert_eq!(cached.code, 0, "{}", cached.text());
    let empty = PLACE.path().join("empty-home");
    let home = ("CARGO_HOME", empty.to_str().unwrap());
    list(&[offline, home], "itoa@1.0.14").fails_with(1, "itoa", "network");
}
