//! `cargo gainsay infer`: the reader of traces is run where it is installed.

mod support;

use support::{Place, gainsay, gainsay_in};

#[test]
fn without_the_reader_it_is_said_how_to_install_it() {
    let place = Place::new();
    gainsay_in(&[("PATH", "")], place.path(), &["infer", "--dtrace", "t.dtrace"]).fails_with(
        1,
        "`gainsay-traces`, which is not installed",
        "cargo install --path traces",
    );
    let help = gainsay(place.path(), &["infer", "--help"]);
    assert!(help.stdout.contains("cargo install --path traces"), "{}", help.stdout);
}

#[test]
fn the_reader_on_the_path_gets_the_arguments_and_its_code_is_passed_on() {
    let place = Place::new();
    place.script("gainsay-traces", "#!/bin/sh\necho \"$@\"\necho 'error: no' >&2\nexit 1\n");
    let bin = place.path().join("bin");
    let path = [("PATH", bin.to_str().unwrap())];
    let args = ["infer", "--dtrace", "t.dtrace", "--format", "json", "--color", "never", "--all"];
    let outcome = gainsay_in(&path, place.path(), &args);
    let expected = "--dtrace t.dtrace --format json --color never --all\n";
    assert_eq!((outcome.code, &outcome.stdout[..]), (1, expected));
    assert_eq!(outcome.stderr, "error: no\n");
}

#[test]
fn a_reader_that_panics_is_a_bug_of_ours() {
    let place = Place::new();
    place.script("gainsay-traces", "#!/bin/sh\nexit 101\n");
    let bin = place.path().join("bin");
    let path = [("PATH", bin.to_str().unwrap())];
    assert_eq!(gainsay_in(&path, place.path(), &["infer", "--dtrace", "t.dtrace"]).code, 70);
}
