//! What the subject's documentation and tests do is done first.

mod support;

use std::{fs, path::Path};

use serde_json::Value;
use support::{Place, gainsay};

/// Doors that no made-up arguments open: the key has too many parts.
const SUBJECT: &str = r#"/// A door.
///
/// ```
/// # use subject::Door;
/// let mut door = Door::open("xyzzy", 4711, &[3, 1, 4], 'q', (-8, true)).unwrap();
/// assert_eq!(door.enter(1), 1);
/// ```
pub struct Door(u32);

impl Door {
    pub fn open(word: &str, pin: u32, code: &[u8], key: char, turn: (i8, bool)) -> Option<Door> {
        let fits = (word, pin, code, key, turn) == ("xyzzy", 4711, &[3, 1, 4], 'q', (-8, true));
        fits.then_some(Door(0))
    }
    pub fn enter(&mut self, visitors: u32) -> u32 {
        self.0 = self.0.wrapping_add(visitors);
        self.0
    }
}

pub struct Hatch(());

impl Hatch {
    pub fn open(words: [&str; 4], code: u64) -> Result<Hatch, String> {
        let fits = words == ["up", "down", "left", "right"] && code == 987_654_321;
        if fits { Ok(Hatch(())) } else { Err(words.concat()) }
    }
    pub fn is_open(&self) -> bool {
        true
    }
}
"#;

/// The test abbreviates how it opens the hatch.
const TEST: &str = r#"use subject::Hatch;

fn hatch(code: u64) -> Hatch {
    Hatch::open(["up", "down", "left", "right"], code).unwrap()
}

#[test]
fn it_opens() {
    assert!(hatch(987654321).is_open());
}
"#;

/// The summary's operations, and what went to standard error.
fn run(root: &Path, jobs: &str) -> (Value, String) {
    let args = ["run", "--calls", "3000", "--jobs", jobs, "--target-dir", "../target"];
    let outcome = gainsay(root, &args);
    assert!([0, 2].contains(&outcome.code), "{}", outcome.text());
    let text = fs::read_to_string(root.join("../target/gainsay/summary.json"));
    let text = text.expect("a run writes a summary");
    let summary: Value = serde_json::from_str(&text).expect("a summary is JSON");
    (summary["operations"].clone(), outcome.stderr)
}

#[test]
fn operations_that_only_an_example_reaches_return() {
    let place = Place::lasting("examples");
    let root = place.package("subject", "", &[("src/lib.rs", SUBJECT), ("tests/it.rs", TEST)]);
    let (operations, stderr) = run(&root, "1");
    assert!(stderr.contains("Furnished with 2 examples"), "{stderr}");
    assert_eq!(operations["returned"], operations["public"], "{operations:#}");
    let (again, _) = run(&root, "2");
    assert_eq!(operations, again, "the number of jobs decides nothing");
}
