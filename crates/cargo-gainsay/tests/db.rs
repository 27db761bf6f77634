//! The store of a run, looked at and copied. The stores are made here: no crate is tested.
//!
//! Statements are in small letters: those of gainsay itself are in another crate.

#![allow(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

mod support;

use std::{
    fs,
    path::{Path, PathBuf},
};

use gainsay_model::{
    api::{Source, Subject},
    features::Features,
    skip::{Skip, SkipReason},
};
use gainsay_store::Store;
use gainsay_wire::Manifest;
use support::{Outcome, Place, gainsay};

const STACK: &str = "pub struct Stack(Vec<i64>);\n\
    impl Stack { pub fn new() -> Stack { Stack(Vec::new()) } }\n";

/// A package, and a store as if it had been tested.
struct Tested {
    /// Removed in the end.
    _place: Place,
    root: PathBuf,
}

impl Tested {
    fn new() -> Tested {
        let place = Place::new();
        let root = place.library("subject", STACK);
        let tested = Tested { _place: place, root };
        tested.store(&tested.path(), "0.1.0");
        tested
    }

    fn path(&self) -> PathBuf {
        self.root.join("target/gainsay/store.sqlite")
    }

    /// Makes a store with a campaign and three skips.
    fn store(&self, path: &Path, version: &str) {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        let mut store = Store::open(path).unwrap();
        let subject = Subject {
            name: "subject".into(),
            version: version.into(),
            lib_name: "subject".into(),
            root: self.root.clone(),
            out_dir: self.root.join("target/gainsay"),
            source: Source::Path,
            features: Features::default(),
        };
        let manifest = Manifest { types: vec![], ops: vec![] };
        store.begin_campaign(&subject, &manifest, 1).unwrap();
        let skip = |operation: &str| Skip {
            operation: operation.into(),
            reason: SkipReason::Unsafe,
            detail: String::new(),
        };
        store.record_skips(&["a", "b", "long::c"].map(skip)).unwrap();
    }

    /// Runs `cargo gainsay db ..`.
    fn db(&self, args: &[&str]) -> Outcome {
        gainsay(&self.root, &[&["db"], args].concat())
    }

    /// What a command that succeeds prints.
    fn printed(&self, args: &[&str]) -> String {
        let outcome = self.db(args);
        assert_eq!(outcome.code, 0, "{args:?}: {}", outcome.text());
        outcome.stdout
    }

    fn skips(&self) -> String {
        self.printed(&["sql", "select group_concat(operation) as all_of_them from skip"])
    }
}

#[test]
fn every_command_explains_itself_with_an_example() {
    let place = Place::new();
    for command in ["path", "stats", "sql", "export", "import", "vacuum"] {
        let outcome = gainsay(place.path(), &["db", command, "--help"]);
        assert_eq!(outcome.code, 0, "{command}");
        for words in ["Example", &format!("cargo gainsay db {command}"), "--target-dir"] {
            assert!(outcome.stdout.contains(words), "{command}: {}", outcome.stdout);
        }
    }
}

#[test]
fn the_path_and_the_size_of_every_table_are_told() {
    let tested = Tested::new();
    let path = fs::canonicalize(tested.path()).unwrap();
    assert_eq!(tested.printed(&["path"]).trim_end(), path.to_str().unwrap());
    let stats = tested.printed(&["stats"]);
    for words in ["schema    3\n", "subjects  subject 0.1.0\n", "\ntable ", "bytes of indexes\n"] {
        assert!(stats.contains(words), "{words}: {stats}");
    }
    let rows = |table: &str| {
        let line = stats.lines().find(|line| line.split_whitespace().next() == Some(table));
        line.and_then(|line| line.split_whitespace().nth(1)).unwrap_or_default().to_owned()
    };
    let counts = [("subject", "1"), ("campaign", "1"), ("skip", "3"), ("fault", "0")];
    for (table, count) in counts {
        assert_eq!(rows(table), count, "{table}: {stats}");
    }
    for table in ["state", "object", "call", "transition", "relation", "contract"] {
        assert_eq!(rows(table), "0", "{table}: {stats}");
    }
}

#[test]
fn rows_are_a_table_or_lines_of_json() {
    let tested = Tested::new();
    let statement = "select operation, length(operation) as n, x'01ff' as b from skip order by 1";
    let table = "operation  n  b\n---------  -  -------\n";
    let lines = "a          1  x'01ff'\nb          1  x'01ff'\nlong::c    7  x'01ff'\n";
    assert_eq!(tested.printed(&["sql", statement]), format!("{table}{lines}"));
    let json = tested.printed(&["sql", statement, "--json"]);
    assert_eq!(json.lines().count(), 3);
    assert_eq!(json.lines().last(), Some("{\"operation\":\"long::c\",\"n\":7,\"b\":\"x'01ff'\"}"));
}

#[test]
fn rows_beyond_the_limit_are_counted() {
    let tested = Tested::new();
    let cut = tested.db(&["sql", "select operation from skip", "--limit", "1"]);
    assert_eq!((cut.code, cut.stdout.lines().count()), (0, 3), "{}", cut.text());
    assert_eq!(cut.stderr, "note: there are 2 more rows; `--limit 3` shows all\n");
    assert!(tested.db(&["sql", "select operation from skip"]).stderr.is_empty());
    assert_eq!(tested.db(&["sql", "select 1", "--limit", "0"]).code, 1);
}

#[test]
fn statements_that_write_or_make_no_sense_are_refused() {
    let tested = Tested::new();
    let before = tested.skips();
    let writing = tested.db(&["sql", "delete from skip"]);
    writing.fails_with(1, "only statements that read", "db export FILE");
    assert_eq!(tested.skips(), before);
    let wrong = tested.db(&["sql", "select operatoin from skip"]);
    wrong.fails_with(1, "no such column: operatoin (line 1, column 8)", "sqlite_schema");
    wrong.fails_with(1, "\n         ^\n", "cargo gainsay db sql");
}

#[test]
fn a_copy_can_be_taken_and_put_back() {
    let tested = Tested::new();
    let before = tested.skips();
    let said = tested.printed(&["export", "copy.sqlite"]);
    assert!(said.trim_start().starts_with("Exported ") && said.contains("copy.sqlite"), "{said}");
    tested.db(&["export", "copy.sqlite"]).fails_with(1, "is there already", "another name");
    fs::remove_file(tested.path()).unwrap();
    let said = tested.printed(&["import", "copy.sqlite"]);
    assert!(said.trim_start().starts_with("Imported "), "{said}");
    assert_eq!(tested.skips(), before);
}

#[test]
fn what_cannot_be_the_store_is_refused_and_the_store_stays() {
    let tested = Tested::new();
    let before = tested.skips();
    fs::write(tested.root.join("rubbish"), "rubbish ".repeat(300)).unwrap();
    tested.db(&["import", "rubbish"]).fails_with(1, "no intact database", "db export");
    tested.db(&["import", "missing"]).fails_with(1, "cannot use `missing`", "path");
    tested.store(&tested.root.join("other.sqlite"), "9.9.9");
    let other = tested.db(&["import", "other.sqlite"]);
    other.fails_with(1, "of `subject` 9.9.9, not `subject` 0.1.0", "cargo gainsay run");
    assert_eq!(tested.skips(), before);
}

#[test]
fn nothing_is_put_in_its_place_while_a_run_uses_it() {
    let tested = Tested::new();
    tested.printed(&["export", "copy.sqlite"]);
    let run = fs::File::create(tested.path().with_file_name("run.lock")).unwrap();
    run.lock().unwrap();
    for command in [&["import", "copy.sqlite"][..], &["vacuum"]] {
        tested.db(command).fails_with(1, "another run is using", "--target-dir");
    }
    tested.printed(&["export", "meanwhile.sqlite"]);
    run.unlock().unwrap();
    tested.printed(&["import", "copy.sqlite"]);
}

#[test]
fn a_vacuum_tells_the_size_before_and_after() {
    let tested = Tested::new();
    let before = tested.skips();
    let said = tested.printed(&["vacuum"]);
    assert!(said.trim_start().starts_with("Vacuumed from ") && said.contains(" to "), "{said}");
    assert_eq!(tested.skips(), before);
}

#[test]
fn a_vacuum_drops_older_builds_when_it_is_told_so() {
    let tested = Tested::new();
    fs::remove_file(tested.path()).unwrap();
    for version in ["0.0.8", "0.0.9", "0.1.0"] {
        tested.store(&tested.path(), version);
    }
    let subjects = || tested.printed(&["sql", "select count(*) as n from build"]);
    assert_eq!(subjects().lines().last(), Some("3"));
    assert!(!tested.printed(&["vacuum"]).contains("without"));
    let said = tested.printed(&["vacuum", "--keep-builds", "1"]);
    assert!(said.contains(", without the evidence of 2 older builds"), "{said}");
    assert_eq!(subjects().lines().last(), Some("1"));
    assert!(tested.printed(&["stats"]).contains("subjects  subject 0.1.0\n"));
    assert_eq!(tested.db(&["vacuum", "--keep-builds", "0"]).code, 1);
}

#[test]
fn a_store_that_is_not_there_is_told_of_and_not_made() {
    let tested = Tested::new();
    let commands: [&[&str]; 5] =
        [&["path"], &["stats"], &["sql", "select 1"], &["export", "copy.sqlite"], &["vacuum"]];
    for command in commands {
        let elsewhere = [command, &["--target-dir", "elsewhere"]].concat();
        tested.db(&elsewhere).fails_with(1, "there is no store yet", "`cargo gainsay`");
    }
    assert!(!tested.root.join("elsewhere/gainsay/store.sqlite").exists());
    assert!(!tested.root.join("copy.sqlite").exists());
}

#[test]
fn a_store_of_another_version_is_not_taken_for_this_one() {
    let tested = Tested::new();
    fs::remove_file(tested.path()).unwrap();
    tested.store(&tested.path(), "0.0.9");
    tested.db(&["stats"]).fails_with(1, "of `subject` 0.0.9", "cargo gainsay run");
    assert_eq!(tested.db(&["path"]).code, 0);
}

#[test]
fn a_store_of_a_newer_schema_is_read_and_not_written() {
    let tested = Tested::new();
    tested.printed(&["export", "old.sqlite"]);
    let mut bytes = fs::read(tested.path()).unwrap();
    // Where a file of SQLite has its number of the schema.
    bytes[60..64].copy_from_slice(&1_000_u32.to_be_bytes());
    fs::write(tested.path(), &bytes).unwrap();
    let stats = tested.printed(&["stats"]);
    assert!(stats.contains("schema    1000, newer than this version can write\n"), "{stats}");
    assert!(tested.skips().contains("long::c"));
    tested.printed(&["path"]);
    tested.printed(&["export", "new.sqlite"]);
    for command in [&["import", "old.sqlite"][..], &["vacuum"]] {
        tested.db(command).fails_with(1, "the store has schema 1000", "--fresh");
    }
    tested.db(&["import", "new.sqlite"]).fails_with(1, "it has schema 1000", "db export");
    assert_eq!(fs::read(tested.path()).unwrap(), bytes);
}
