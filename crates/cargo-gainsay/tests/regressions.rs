//! Faults of earlier runs: kept beside the manifest, replayed first, said to be gone when they are.

#![allow(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

mod support;

use std::{
    fs,
    path::{Path, PathBuf},
    sync::{LazyLock, Mutex, PoisonError},
};

use support::{Outcome, Place, gainsay, take_sources};

/// One directory, hence one compilation of the runtime, and one run at a time.
static PLACE: LazyLock<Mutex<Place>> = LazyLock::new(|| Mutex::new(Place::lasting("regressions")));

fn run(root: &Path, more: &[&str]) -> Outcome {
    let words = ["run", "--no-refute", "--no-inject", "--target-dir", "../target"];
    gainsay(root, &[&words[..], more].concat())
}

fn kept(root: &Path) -> Vec<PathBuf> {
    let files = fs::read_dir(root.join("gainsay/regressions")).into_iter().flatten();
    let mut files: Vec<PathBuf> = files.map(|file| file.unwrap().path()).collect();
    files.sort();
    files
}

#[test]
fn are_replayed_first_until_they_are_gone() {
    let place = PLACE.lock().unwrap_or_else(PoisonError::into_inner);
    let root = place.copy_of("bounded_stack");
    let first = run(&root, &["--calls", "3000"]);
    assert_eq!(first.code, 2, "{}", first.text());
    let files = kept(&root);
    assert_eq!(files.len(), 3, "{files:?}");
    let text = fs::read_to_string(&files[0]).unwrap();
    for words in ["# id ", "# operation BoundedStack::equals\n", "BoundedStack::equals(v0, None)\n"]
    {
        assert!(text.contains(words), "{words}: {text}");
    }
    // So few calls find nothing by themselves.
    let none = run(&root, &["--calls", "1", "--no-regressions"]);
    assert_eq!(none.code, 0, "{}", none.text());
    let again = run(&root, &["--calls", "1"]);
    assert_eq!(again.code, 2, "{}", again.text());
    assert!(again.stderr.contains("Replaying 3 faults of earlier runs"), "{}", again.stderr);
    assert_eq!(again.stdout.matches("fault in BoundedStack::").count(), 3, "{}", again.stdout);
    assert_eq!(kept(&root), files);
    take_sources("bounded_stack_fixed", &root);
    let fixed = run(&root, &["--calls", "300"]);
    assert_eq!(fixed.code, 0, "{}", fixed.text());
    assert!(fixed.stdout.contains("Gone: faults of earlier runs that no longer show"));
    for operation in ["equals", "push", "top"] {
        let line = format!("  BoundedStack::{operation}: panicked at ");
        assert!(fixed.stdout.contains(&line), "{line}: {}", fixed.stdout);
    }
    assert_eq!(kept(&root), files, "they stay, in case a fault comes back");
}

#[test]
fn are_known_again_when_their_line_moved() {
    let place = PLACE.lock().unwrap_or_else(PoisonError::into_inner);
    let moved = place.copy_of("bounded_stack");
    fs::remove_dir_all(moved.join("gainsay")).ok();
    let outcome = run(&moved, &["--calls", "3000"]);
    assert_eq!(outcome.code, 2, "{}", outcome.text());
    let before = kept(&moved);
    let lib = moved.join("src/lib.rs");
    let text = fs::read_to_string(&lib).unwrap();
    let (head, rest) = text.split_once("\n\n").unwrap();
    fs::write(&lib, format!("{head}\n\n\n\n{rest}")).unwrap();
    let outcome = run(&moved, &["--calls", "1"]);
    assert_eq!(outcome.code, 2, "{}", outcome.text());
    assert!(!outcome.stdout.contains("Gone:"), "{}", outcome.stdout);
    let after = kept(&moved);
    assert_eq!((before.len(), after.len()), (3, 3));
    assert_ne!(before, after, "each has the id of its new place");
}

#[test]
fn that_cannot_be_used_are_told_and_passed_over() {
    let place = PLACE.lock().unwrap_or_else(PoisonError::into_inner);
    let root = place.copy_of("bounded_stack_fixed");
    let dir = root.join("gainsay/regressions");
    fs::create_dir_all(&dir).unwrap();
    let head = "# id 1\n# operation Lost::call\n# message m\n# oracle {\"kind\":\"hang\"}\n";
    fs::write(dir.join("lost.txt"), format!("{head}Lost::call()\n")).unwrap();
    fs::write(dir.join("damaged.txt"), "no header\n").unwrap();
    fs::write(dir.join("README.md"), "not one of them\n").unwrap();
    let outcome = run(&root, &["--calls", "100"]);
    assert_eq!(outcome.code, 0, "{}", outcome.text());
    let told = |words: &str| assert!(outcome.stderr.contains(words), "{}", outcome.stderr);
    told("damaged.txt` is passed over: there is no line that begins with `# oracle`");
    told("lost.txt` cannot be replayed: line 1: no operation `Lost::call`");
    assert!(!outcome.text().contains("README.md"), "{}", outcome.text());
}

#[test]
fn the_exit_code_tells_of_what_it_is_asked_for() {
    let place = PLACE.lock().unwrap_or_else(PoisonError::into_inner);
    let root = place.copy_of("aborts");
    let code = |kind: &str| run(&root, &["--calls", "3000", "--fail-on", kind]).code;
    assert_eq!(["memory", "law", "panic", "all"].map(code), [2; 4]);
    let root = place.copy_of("wrong_len");
    let code = |kind: &str| run(&root, &["--calls", "3000", "--fail-on", kind]).code;
    assert_eq!(["memory", "law", "panic", "all"].map(code), [0, 2, 2, 2]);
    let bad = run(&root, &["--fail-on", "everything"]);
    assert_eq!(bad.code, 1, "{}", bad.text());
    assert!(bad.stderr.contains("memory, law, panic, all"), "{}", bad.stderr);
}
