//! Patches that rustc rejects go, the others stay and can be switched on.

use std::process::Command;

use super::*;
use crate::patch::{Guard, Place as Form, SWITCHED_ON, isolate_library};

const LIBRARY: &str = "#![deny(warnings)]\n\
    pub fn larger(a: u8, b: u8) -> u8 {\n    if a < b { b } else { a } // why\n}\n";

fn package(dir: &Path) -> PatchedPackage {
    fs::create_dir_all(dir.join("src")).unwrap();
    let manifest = "[package]\nname = \"subject\"\nversion = \"0.1.0\"\nedition = \"2024\"\n";
    fs::write(dir.join("Cargo.toml"), manifest).unwrap();
    fs::write(dir.join("src/lib.rs"), LIBRARY).unwrap();
    isolate_library(dir).unwrap();
    PatchedPackage::open(dir).unwrap()
}

/// A patch of the expression before the brace, where there is one.
fn expression(piece: &str, text: &str) -> Patch {
    let at = LIBRARY.find(piece).unwrap();
    let at = at..at + piece.trim_end_matches(" }").len();
    Patch { place: Form::Expression, at, text: text.to_owned(), guard: None }
}

#[test]
fn what_rustc_rejects_is_taken_out_with_its_message() {
    let dir = tempfile::tempdir().unwrap();
    let mut package = package(dir.path());
    let sound = package.add_patch(0, expression("a < b", "a > b"));
    let wrong = package.add_patch(0, expression("a }", "missing"));
    let rejected = package.prune_patches(&dir.path().join("target")).unwrap();
    assert_eq!(rejected.len(), 1, "{rejected:?}");
    assert_eq!(rejected[0].number, wrong);
    assert!(rejected[0].message.contains("`missing`"), "{rejected:?}");
    assert!(package.has_patch(sound) && !package.has_patch(wrong));
    let text = fs::read_to_string(dir.path().join("src/lib.rs")).unwrap();
    assert!(text.lines().nth(2).unwrap().ends_with("// why"), "{text}");
}

#[test]
fn an_error_that_no_patch_is_near_to_ends_it() {
    let dir = tempfile::tempdir().unwrap();
    let mut package = package(dir.path());
    package.originals[0].1.push_str("const WRONG: u8 = missing();\n");
    let error = package.prune_patches(&dir.path().join("target")).unwrap_err();
    assert!(matches!(error, HarnessError::DoesNotSettle { rounds: 1, .. }), "{error}");
}

#[test]
fn patches_are_on_when_their_numbers_are_in_the_environment_and_their_guards_hold() {
    let dir = tempfile::tempdir().unwrap();
    let mut package = package(dir.path());
    package.add_items("pub(crate) fn is_seven(a: u8) -> bool { a == 7 }\n");
    let plain = package.add_patch(0, expression("a < b", "a > b"));
    let at = LIBRARY.find("u8 {").unwrap() + "u8 {".len();
    let guard = Some(Guard { at, text: "crate::__gainsay_patches::is_seven(a)".to_owned() });
    let guarded = package.add_patch(0, Patch { guard, ..expression("b }", "a") });
    let target = dir.path().join("target");
    assert_eq!(package.prune_patches(&target).unwrap(), []);
    let main = "fn main() { print!(\"{} {}\", subject::larger(1, 9), subject::larger(7, 9)); }\n";
    fs::write(dir.path().join("src/main.rs"), main).unwrap();
    let larger = |numbers: &str| {
        let mut command = Command::new(std::env::var_os("CARGO").unwrap());
        command.args(["run", "--quiet"]).current_dir(dir.path());
        command.env("CARGO_TARGET_DIR", &target).env(SWITCHED_ON, numbers);
        String::from_utf8(command.output().unwrap().stdout).unwrap()
    };
    assert_eq!(larger(""), "9 9");
    assert_eq!(larger(&plain.to_string()), "1 7");
    assert_eq!(larger(&guarded.to_string()), "9 7");
}
