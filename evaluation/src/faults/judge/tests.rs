//! Which rows a report fits, and which it does not.

use super::*;

fn known(category: &str, entry_points: &str, observable: &str) -> Known {
    Known {
        id: "a-1".into(),
        name: "a".into(),
        version: "1.0.0".into(),
        fixed: None,
        category: category.into(),
        entry_points: entry_points.into(),
        observable: observable.into(),
    }
}

fn reported(oracle: &str, operation: &str, steps: &[&str]) -> Reported {
    let steps = steps.iter().map(|step| (*step).to_owned()).collect();
    Reported { oracle: oracle.into(), operation: operation.into(), steps, ..Reported::default() }
}

fn check(known: &Known, reported: &Reported, expected: bool) {
    let is_query = |operation: &str| operation == "Row::get";
    assert_eq!(is_known(known, reported, &is_query), expected, "{known:?} {reported:?}");
}

#[test]
fn operation_and_kind_must_both_fit() {
    let row =
        known("double-free/panic-safety", "Row::clear", "double drop (probe), ASan double-free");
    check(&row, &reported("probe", "Row::clear", &[]), true);
    check(&row, &reported("death", "Row::clear", &[]), true);
    check(&row, &reported("panic", "Row::clear", &[]), false);
    check(&row, &reported("law", "Row::clear", &[]), false);
    check(&row, &reported("probe", "Row::push", &[]), false);
    check(&row, &reported("probe", "Other::clear", &[]), false);
}

#[test]
fn the_query_that_a_law_is_about_counts_as_well() {
    let row = known("wrong result", "Row::grow, first", "relation: first = first of iter");
    let broken = |law: &str| Reported {
        message: format!("does not hold for `self`: {law}"),
        ..reported("law", "Row::push", &[])
    };
    check(&row, &broken("first-is-the-first-item"), true);
    check(&row, &broken("last-is-the-last-item"), false);
    check(&row, &Reported { oracle: "panic".into(), ..broken("first-is-the-first-item") }, false);
}

#[test]
fn a_description_may_name_other_kinds() {
    let row = known("wrong result", "Map::remove", "panic subtract overflow (debug)");
    check(&row, &reported("panic", "Map::remove", &[]), true);
    check(&row, &reported("law", "Map::remove", &[]), true);
    check(&row, &reported("probe", "Map::remove", &[]), false);
    let row = known("infinite loop", "Id::children().rev()", "law: rev of iterator; never ends");
    check(&row, &reported("law", "Id::children", &[]), true);
    check(&row, &reported("hang", "Id::children", &[]), true);
}

#[test]
fn recursion_without_end_may_show_as_a_loop() {
    let row = known("stack overflow", "Text::eq", "stack overflow (abort)");
    check(&row, &reported("hang", "Text::eq", &[]), true);
    let crash = |message: &str| Reported {
        message: message.to_owned(),
        ..reported("death", "Text::eq", &[])
    };
    check(&row, &crash("stack overflow"), true);
    check(&row, &crash("SIGSEGV"), false);
}

#[test]
fn a_stack_overflow_is_a_kind_of_its_own() {
    let row = known("stack overflow", "lex", "stack overflow (abort)");
    let mut death = reported("death", "lex", &[]);
    check(&row, &death, false);
    death.message = "ended the process: stack overflow".into();
    check(&row, &death, true);
}

#[test]
fn broken_memory_may_show_in_a_later_look_or_drop_and_nothing_else() {
    let row = known("double-free/panic-safety", "Row::split", "double drop (probe)");
    let late = |operation: &str, steps: &[&str]| reported("probe", operation, steps);
    let drop = "Row as Drop::drop";
    check(&row, &late(drop, &["Row::new", "Row::split", drop]), true);
    check(&row, &late("Row::get", &["Row::new", "Row::split", "Row::get", "Row::get"]), true);
    check(&row, &late(drop, &["Row::new", "Row::split", "Row::push", drop]), false);
    check(&row, &late("Row::push", &["Row::new", "Row::split", "Row::push"]), false);
    check(&row, &late(drop, &["Row::new", drop]), false);
    // What is broken otherwise shows where it happens.
    let row = known("wrong result", "Row::split", "relation");
    check(&row, &reported("law", drop, &["Row::new", "Row::split", drop]), false);
}

#[test]
fn a_method_of_an_iterator_counts_if_the_rows_operation_made_it() {
    let row = known("unexpected panic", "Itertools::duplicates, size_hint", "panic");
    let made = &["Vec as Itertools::duplicates", "Duplicates as Iterator::size_hint"];
    check(&row, &reported("panic", "Duplicates as Iterator::size_hint", made), true);
    let other = &["Vec as Itertools::unique", "Unique as Iterator::size_hint"];
    check(&row, &reported("panic", "Unique as Iterator::size_hint", other), false);
}

#[test]
fn the_operation_of_a_line_ends_where_its_arguments_begin() {
    let check = |line: &str, expected: &str| assert_eq!(step(line), expected);
    check("v0 = Row::new()", "Row::new");
    check("(v1, v1_1) = Row::split for Row<Probe>(v0, 1)", "Row::split for Row<Probe>");
    check(
        "Map<K, V> as Extend<(K, V)>::extend(v0, [(1, 2)])",
        "Map<K, V> as Extend<(K, V)>::extend",
    );
    check("Row::each for Row<fn(u8) -> u8>(v0) !drop@0", "Row::each for Row<fn(u8) -> u8>");
}

#[test]
fn what_is_done_to_an_iterator_counts_for_the_operation_that_gave_it_out() {
    let row = known("use-after-free", "Row::into_iter", "ASan heap-use-after-free");
    let script = "v0 = Row::new()\nv1 = Row::into_iter for Row<T>(v0)\n\
                  v2 = Arena::reset(v3)\nIntoIter as Iterator::next(v1)";
    assert_eq!(giver(script).as_deref(), Some("Row::into_iter for Row<T>"));
    let of = |operation: &str, giver: &str| Reported {
        giver: Some(giver.to_owned()),
        ..reported("death", operation, &["Row::new", "Row::into_iter", "Arena::reset"])
    };
    check(&row, &of("IntoIter as Iterator::next", "Row::into_iter"), true);
    check(&row, &of("IntoIter as Drop::drop", "Row::into_iter"), true);
    check(&row, &of("IntoIter as Iterator::next", "Row::drain"), false);
    check(&row, &of("IntoIter::as_slice", "Row::into_iter"), false);
    let law =
        Reported { oracle: "law".into(), ..of("IntoIter as Iterator::next", "Row::into_iter") };
    check(&row, &law, false);
}
