//! `gainsay.toml`: values that only the user knows how to make.

mod support;

use std::{fs, path::Path};

use serde_json::Value;
use support::{Place, gainsay};

/// Nothing public makes a `Ticket`, but for a function that no generated argument satisfies.
const SUBJECT: &str = "pub struct Ticket(u32);\n\
    impl Ticket {\n    \
    pub fn number(&self) -> u32 { self.0 }\n    \
    pub fn next(&mut self) { self.0 = self.0.wrapping_add(1); }\n}\n\
    pub struct Sealed(());\n\
    pub struct Office(());\n\
    impl Office {\n    pub fn open(_: Sealed) -> Office { Office(()) }\n}\n\
    pub mod secret {\n    \
    #[doc(hidden)] pub fn ticket(number: u32) -> super::Ticket { super::Ticket(number) }\n    \
    #[doc(hidden)] pub fn seal() -> super::Sealed { super::Sealed(()) }\n}\n";

const PROVIDERS: &str = "use subject::Ticket;\n\
    pub fn ticket(seed: u32) -> Option<Ticket> {\n    \
    (seed % 2 == 0).then(|| subject::secret::ticket(seed))\n}\n\
    pub fn sealed() -> subject::Sealed { subject::secret::seal() }\n";

const SETTINGS: &str = "[providers]\npath = \"gainsay/providers.rs\"\n";

fn subject(place: &Place, settings: &str, providers: &str) -> std::path::PathBuf {
    let files =
        [("src/lib.rs", SUBJECT), ("gainsay.toml", settings), ("gainsay/providers.rs", providers)];
    place.package("subject", "", &files)
}

fn operations(root: &Path) -> Value {
    let args = ["run", "--calls", "3000", "--jobs", "1", "--target-dir", "../target"];
    let outcome = gainsay(root, &args);
    assert!([0, 2, 4].contains(&outcome.code), "{}", outcome.text());
    let summary = fs::read_to_string(root.join("../target/gainsay/summary.json"));
    summary.map_or(Value::Null, |text| {
        let mut summary: Value = serde_json::from_str(&text).expect("a summary is JSON");
        summary["operations"].take()
    })
}

#[test]
fn provided_values_make_operations_callable_and_count_for_nothing_themselves() {
    let place = Place::lasting("providers");
    let root = subject(&place, SETTINGS, PROVIDERS);
    fs::remove_file(root.join("gainsay.toml")).unwrap();
    let list = gainsay(&root, &["list", "--no-build", "--target-dir", "../target"]);
    assert_eq!(list.code, 4, "{}", list.text());
    assert!(list.stdout.contains("docs/providers.md"), "{}", list.stdout);
    fs::write(root.join("gainsay.toml"), SETTINGS).unwrap();
    let with = operations(&root);
    for count in ["public", "harnessed", "returned"] {
        assert_eq!(with[count], 3, "{count}: {with:#}");
    }
    let list = gainsay(&root, &["list", "-v", "--target-dir", "../target"]);
    assert_eq!(list.code, 0, "{}", list.text());
    assert!(list.stdout.contains("providers::ticket(seed: u32)"), "{}", list.stdout);
}

#[test]
fn mistakes_in_settings_and_providers_are_told_with_their_place() {
    let place = Place::new();
    let check = |settings: &str, providers: &str, error: &str, hint: &str| {
        let root = subject(&place, settings, providers);
        gainsay(&root, &["list", "--no-build"]).fails_with(1, error, hint);
    };
    check("[provider]\npath = \"a.rs\"\n", PROVIDERS, "unknown field `provider`", "[providers]");
    check("[providers]\npath = \"a.rs\"\n", PROVIDERS, "a.rs", "gainsay.toml");
    let generic = "pub fn f<T>(x: T) -> u8 { 1 }\n";
    check(SETTINGS, generic, "providers.rs:1: `f` has type", "docs/providers.md");
    let unknown = "\npub fn f(x: Ticket) -> u8 { 1 }\n";
    check(SETTINGS, unknown, "providers.rs:2: `f`: `Ticket` is not known here", "a `use`");
}

#[test]
fn providers_that_do_not_compile_are_told_from_the_crate() {
    let place = Place::lasting("providers_broken");
    let root = subject(&place, SETTINGS, "pub fn f() -> subject::Ticket { 3 }\n");
    let outcome = gainsay(&root, &["run", "--calls", "100", "--target-dir", "../target"]);
    outcome.fails_with(1, "the providers do not compile", "gainsay.toml");
    assert!(outcome.stderr.contains("mismatched types"), "{}", outcome.stderr);
}
