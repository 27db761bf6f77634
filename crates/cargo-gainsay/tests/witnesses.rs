//! Emitted tests: clean Rust that fails on the faulty fixture for the stated reason, and passes
//! on its fixed twin.

#![allow(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

mod support;

use std::{
    fs,
    path::Path,
    process::Command,
    sync::{LazyLock, Mutex, PoisonError},
};

use support::{Outcome, Place, gainsay, take_sources};

/// One directory, hence one compilation of the runtime, and one run at a time.
static PLACE: LazyLock<Mutex<Place>> = LazyLock::new(|| Mutex::new(Place::lasting("witnesses")));

const RUN: &[&str] = &["--calls", "3000", "--target-dir", "../target"];
const EMIT: &[&str] = &["emit", "--target-dir", "../target"];

/// An emitted test and what it must say when it fails.
struct Expected {
    test: &'static str,
    words: &'static [&'static str],
}

/// Emits the witnesses of a fixture's faults: exactly those expected, each fails with its words;
/// with the sources of the fixed twin, all pass.
fn check(fixture: &str, expected: &[Expected], twin: Option<&str>) {
    check_after(RUN, fixture, expected, twin);
}

fn check_after(run: &[&str], fixture: &str, expected: &[Expected], twin: Option<&str>) {
    let place = PLACE.lock().unwrap_or_else(PoisonError::into_inner);
    let root = place.copy_of(fixture);
    let outcome = gainsay(&root, run);
    assert_eq!(outcome.code, 2, "{}", outcome.text());
    let outcome = gainsay(&root, EMIT);
    assert_eq!(outcome.code, 0, "{}", outcome.text());
    let files = fs::read_dir(root.join("tests")).unwrap().count();
    assert_eq!(files, expected.len(), "{}", outcome.stdout);
    let told = outcome.stdout.matches(": compiles, fails as stated").count();
    assert_eq!(told, expected.len(), "{}", outcome.stdout);
    let faulty = cargo_test(&root);
    assert_ne!(faulty.code, 0, "{}", faulty.text());
    assert!(!faulty.text().contains("could not compile"), "{}", faulty.text());
    for Expected { test, words } in expected {
        assert!(!faulty.text().contains(&format!("{test} ... ok")), "{}", faulty.text());
        for words in *words {
            assert!(faulty.text().contains(words), "{words}: {}", faulty.text());
        }
    }
    let Some(twin) = twin else { return };
    take_sources(twin, &root);
    let fixed = cargo_test(&root);
    assert_eq!(fixed.code, 0, "{}", fixed.text());
    for Expected { test, .. } in expected {
        assert!(fixed.text().contains(&format!("{test} ... ok")), "{test}: {}", fixed.text());
    }
}

/// A test that was written as if the fault were still there is not written once it is not.
#[test]
fn are_left_out_when_they_do_not_fail() {
    let place = PLACE.lock().unwrap_or_else(PoisonError::into_inner);
    let root = place.copy_of("aborts");
    let outcome = gainsay(&root, RUN);
    assert_eq!(outcome.code, 2, "{}", outcome.text());
    take_sources("aborts_fixed", &root);
    let outcome = gainsay(&root, EMIT);
    assert_eq!(outcome.code, 0, "{}", outcome.text());
    let why = "Left out Gauge::raise (";
    assert!(outcome.stdout.contains(why), "{}", outcome.stdout);
    assert!(outcome.stdout.contains("the test compiles and passes"), "{}", outcome.stdout);
    assert!(outcome.stdout.contains("0 tests for 1 fault: 1 compile, 0 fail as stated"));
    assert_eq!(fs::read_dir(root.join("tests")).unwrap().count(), 0);
    // Unless nobody is to look.
    let outcome = gainsay(&root, &[EMIT, &["--no-check"]].concat());
    assert!(outcome.stdout.contains(": not checked"), "{}", outcome.stdout);
    assert_eq!(fs::read_dir(root.join("tests")).unwrap().count(), 1);
}

/// One that rustc rejects is told with rustc's words.
#[test]
fn are_left_out_when_they_do_not_compile() {
    let place = PLACE.lock().unwrap_or_else(PoisonError::into_inner);
    let root = place.copy_of("aborts");
    let outcome = gainsay(&root, RUN);
    assert_eq!(outcome.code, 2, "{}", outcome.text());
    let lib = root.join("src/lib.rs");
    let text = fs::read_to_string(&lib).unwrap();
    fs::write(&lib, text.replace("fn raise", "fn lift")).unwrap();
    let outcome = gainsay(&root, EMIT);
    assert_eq!(outcome.code, 0, "{}", outcome.text());
    let why = "the test does not compile: E0599: no method named `raise`";
    assert!(outcome.stdout.contains(why), "{}", outcome.stdout);
}

/// A warning in a test would be an error.
fn cargo_test(root: &Path) -> Outcome {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command.args(["test", "--tests", "--no-fail-fast", "--target-dir", "../target"]);
    command.current_dir(root).env("RUSTFLAGS", "-Dwarnings").env("RUST_BACKTRACE", "0");
    Outcome::of(&mut command)
}

#[test]
fn of_undeclared_panics() {
    let expected = [
        Expected {
            test: "bounded_stack_equals_panics",
            words: &[
                "equals_panics ... FAILED",
                "panicked at src/lib.rs:71",
                "called `Option::unwrap()` on a `None` value",
            ],
        },
        Expected {
            test: "bounded_stack_push_panics",
            words: &["push_panics ... FAILED", "panicked at src/lib.rs:51", "TryFromIntError(())"],
        },
        Expected {
            test: "bounded_stack_top_panics",
            words: &["top_panics ... FAILED", "panicked at src/lib.rs:61"],
        },
    ];
    check("bounded_stack", &expected, Some("bounded_stack_fixed"));
}

/// The fixed twin returns another type, so that the test does not even compile there.
#[test]
fn of_a_failure_value_that_collides() {
    let expected = [Expected {
        test: "unique_bounded_stack_top_returns_its_failure_value_for_a_success",
        words: &["for_a_success ... FAILED", "an ordinary result looks like a failure"],
    }];
    check("unique_bounded_stack", &expected, None);
}

#[test]
fn of_laws_between_operations() {
    let run = &["--calls", "60000", "--no-refute", "--no-inject", "--target-dir", "../target"];
    let breaks = |test, words| Expected { test, words };
    let expected = [
        breaks(
            "heap_change_breaks_peek_shows_the_greatest",
            &["assertion `left == right` failed"][..],
        ),
        breaks("table_truncate_breaks_get_finds_every_key", &["assertion `left == right` failed"]),
        breaks(
            "steps_next_back_breaks_both_ends_meet",
            &["every item comes once, whichever end it is taken from"],
        ),
        breaks(
            "loose_partial_cmp_breaks_partial_cmp_both_ways_with_str",
            &["order must go both ways"],
        ),
        breaks("draft_freeze_breaks_freeze_keeps_the_items", &["keeps what is there"]),
        breaks("height_from_str_breaks_from_str_of_to_string_equals", &["what was told"]),
        breaks("store_get_int_breaks_get_int_gives_what_put_int_took", &["put in comes out"]),
        breaks("top_drop_breaks_peek_shows_the_greatest", &["assertion `left == right` failed"]),
        breaks(
            "line_extend_from_slice_breaks_extend_from_slice_does_as_on_a_list",
            &["what it does on any list"],
        ),
        breaks("shelf_reserve_breaks_reserve_makes_room", &["must be room"]),
        breaks("label_eq_breaks_eq_goes_both_ways_with_title", &["must go both ways"]),
        breaks("checksum_reset_breaks_sum_after_reset_is_as_of_new", &["as good as new"]),
    ];
    check_after(run, "lawless", &expected, Some("lawless_fixed"));
}

#[test]
fn of_laws_of_numbers_and_of_lists_with_room() {
    let run = &["--calls", "60000", "--no-refute", "--no-inject", "--target-dir", "../target"];
    let breaks = |test, words| Expected { test, words };
    let expected = [
        breaks("amount_sub_breaks_add_of_neg_is_sub", &["adding the negative"][..]),
        breaks("depth_abs_sub_breaks_abs_sub_is_sub_or_zero", &["the difference, or zero"]),
        breaks(
            "length_is_integer_breaks_is_integer_agrees_with_fract",
            &["an integer has no fraction"],
        ),
        breaks("mark_middle_breaks_eq_transitive", &["equality carries over"]),
        breaks("row_fmt_breaks_pretty_debug_is_as_of_a_slice", &["shown as a list is"]),
        breaks("row_remove_breaks_remove_takes_nothing_beyond_the_end", &["nothing stands at "]),
        breaks("share_cmp_breaks_zeros_are_equal", &["there is one zero"]),
        breaks("word_fmt_breaks_debug_is_as_of_a_text", &["shown as a text is"]),
        breaks("word_letters_breaks_letters_comes_to_an_end", &["it comes to an end"]),
    ];
    check_after(run, "reckoning", &expected, Some("reckoning_fixed"));
    let place = PLACE.lock().unwrap_or_else(PoisonError::into_inner);
    let outcome = gainsay(&place.copy_of("reckoning_fixed"), run);
    assert_eq!(outcome.code, 0, "{}", outcome.text());
}

#[test]
fn of_laws_of_many_items_and_of_texts() {
    let run = &["--calls", "300000", "--no-refute", "--no-inject", "--target-dir", "../target"];
    let breaks = |test, words| Expected { test, words };
    let expected = [
        breaks("scrap_cut_text_that_is_not_utf_8", &["a text must be UTF-8"][..]),
        breaks("chain_append_breaks_append_empties_the_other", &["is there no more"]),
        breaks("kinds_extend_breaks_extend_agrees_with_insert", &["both are given the same"]),
        breaks("shelf_range_breaks_range_shows_what_lies_between", &["no more, no less"]),
    ];
    check_after(run, "gathering", &expected, Some("gathering_fixed"));
    let place = PLACE.lock().unwrap_or_else(PoisonError::into_inner);
    let outcome = gainsay(&place.copy_of("gathering_fixed"), run);
    assert_eq!(outcome.code, 0, "{}", outcome.text());
}

/// What follows all conventions is left alone, whatever the seed.
#[test]
fn of_nothing_for_correct_containers() {
    let place = PLACE.lock().unwrap_or_else(PoisonError::into_inner);
    let root = place.copy_of("correct_containers");
    for seed in ["0", "1", "2"] {
        let run = ["--seed", seed, "--calls", "6000", "--target-dir", "../target"];
        let outcome = gainsay(&root, &run);
        assert_eq!(outcome.code, 0, "seed {seed}: {}", outcome.text());
    }
}

#[test]
fn of_a_broken_law() {
    let expected = [Expected {
        test: "queue_enqueue_breaks_is_empty_agrees_with_len",
        words: &["with_len ... FAILED", "assertion `left == right` failed"],
    }];
    check("wrong_len", &expected, Some("wrong_len_fixed"));
}

#[test]
fn of_a_misused_element() {
    let expected = [
        Expected {
            test: "pile_drop_double_drop",
            words: &["drop_double_drop ... FAILED", "an element was dropped that is not alive"],
        },
        Expected { test: "pile_take_first_use_after_drop", words: &["after_drop ... FAILED"] },
    ];
    check("double_drop", &expected, Some("double_drop_fixed"));
}

#[test]
fn of_an_abort() {
    let expected =
        [Expected { test: "gauge_raise_ends_the_process", words: &["signal: 6, SIGABRT"] }];
    check("aborts", &expected, Some("aborts_fixed"));
}

/// Iterators, drains, entries, parsers, unsized types, and objects inside of other values.
#[test]
fn of_what_borrows() {
    let expected = [
        Expected {
            test: "drain_front_drop_panics",
            words: &["drop_panics ... FAILED", "removal index (is 0) should be < len (is 0)"],
        },
        Expected {
            test: "iter_next_back_panics",
            words: &["next_back_panics ... FAILED", "the len is 1 but the index is 1"],
        },
        Expected {
            test: "breaks_len_agrees_with_seq",
            words: &["agrees_with_seq ... FAILED", "assertion `left == right` failed"],
        },
        Expected {
            test: "stretch_middle_panics",
            words: &["middle_panics ... FAILED", "panicked at src/lib.rs:159"],
        },
        Expected {
            test: "words_next_word_panics",
            words: &["next_word_panics ... FAILED", "panicked at src/words.rs:27"],
        },
        Expected {
            test: "count_panics",
            words: &["count_panics ... FAILED", "panicked at src/lib.rs:75"],
        },
        Expected {
            test: "join_panics",
            words: &["join_panics ... FAILED", "panicked at src/lib.rs:68"],
        },
    ];
    let run = &["--calls", "6000", "--target-dir", "../target"];
    check_after(run, "borrowing", &expected, Some("borrowing_fixed"));
    let place = PLACE.lock().unwrap_or_else(PoisonError::into_inner);
    let outcome = gainsay(&place.copy_of("borrowing_fixed"), RUN);
    assert_eq!(outcome.code, 0, "{}", outcome.text());
}

/// Callbacks that panic, an iterator that says nothing about its length, a guard that is forgotten:
/// the row breaks, its fixed twin stands it, and without misbehaviour there is nothing to find.
#[test]
fn of_what_misbehaving_callers_break() {
    const LONGER: &[&str] = &["--calls", "100000", "--no-refute", "--target-dir", "../target"];
    const WORDS: &str = "elements were dropped or used that are not alive";
    let expected = [
        Expected { test: "row_clear_double_drop", words: &["clear_double_drop ... FAILED", WORDS] },
        Expected { test: "row_drain_all_double_drop", words: &["all_double_drop ... FAILED"] },
        Expected { test: "row_extend_from_slice_uninitialised", words: &[WORDS] },
        Expected { test: "row_fill_with_uninitialised", words: &[WORDS] },
        // Because of an iterator that says little, and because of one that panics.
        Expected { test: "row_prepend_uninitialised", words: &[WORDS] },
        Expected { test: "row_prepend_uninitialised", words: &[WORDS] },
    ];
    check_after(LONGER, "panicky", &expected, Some("panicky_fixed"));
    let place = PLACE.lock().unwrap_or_else(PoisonError::into_inner);
    let fixed = gainsay(&place.copy_of("panicky_fixed"), LONGER);
    assert_eq!(fixed.code, 0, "{}", fixed.text());
    let spared = gainsay(&place.copy_of("panicky"), &[LONGER, &["--no-inject"]].concat());
    assert_eq!(spared.code, 0, "{}", spared.text());
}
