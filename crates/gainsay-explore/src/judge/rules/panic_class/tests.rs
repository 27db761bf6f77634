//! Which panics are the caller's business and which are faults.

use gainsay_model::api::{Lending, OpKind, Param, Span};
use gainsay_wire::{CallableId, Manifest};

use super::*;

const FILE: &str = "/s/src/lib.rs";

fn operation(params: &[Ty]) -> Operation {
    let param = |ty: &Ty| Param { name: "x".to_owned(), ty: ty.clone() };
    Operation {
        path: "Stack::at".to_owned(),
        callable: CallableId::method("stack::Stack", "at"),
        callee: Callee::Inherent {
            ty: Ty::named("stack::Stack"),
            name: "at".to_owned(),
            generics: Vec::new(),
        },
        kind: OpKind::Query,
        params: params.iter().map(param).collect(),
        result: Ty::Unit,
        lending: Lending::Inherited,
        counted: true,
        documented_panics: None,
        conditions: Vec::new(),
        ways: Vec::new(),
        written: Vec::new(),
        span: Some(Span { file: FILE.to_owned(), first: 10, last: 20 }),
    }
}

fn place(file: &str, line: u32, message: &str) -> PanicPlace {
    PanicPlace { file: file.to_owned(), line, message: message.to_owned(), changed: false }
}

fn class(place: &PanicPlace, op: &Operation) -> PanicClass {
    classify(&SubjectModel::new(Manifest::default(), Vec::new(), "/s"), place, Some(op))
}

#[test]
fn an_assertion_is_the_operations_own_inside_its_lines_or_at_its_caller() {
    let check = |file: &str, line, expected| {
        let place = place(file, line, "assertion failed: n < 3");
        assert_eq!(class(&place, &operation(&[])), expected, "{file}:{line}");
    };
    check(FILE, 10, PanicClass::OwnAssertion);
    check(FILE, 20, PanicClass::OwnAssertion);
    check("src/main.rs", 999, PanicClass::OwnAssertion);
    check(FILE, 9, PanicClass::Undeclared);
    check(FILE, 21, PanicClass::Undeclared);
    check("/s/src/other.rs", 15, PanicClass::Undeclared);
    check("/deps/dep-1.0.0/src/lib.rs", 15, PanicClass::Undeclared);
}

#[test]
fn a_maker_of_a_dependency_that_panics_is_not_the_subjects_fault() {
    let subject = SubjectModel::new(Manifest::default(), Vec::new(), "/s");
    let maker = Operation { counted: false, ..operation(&[]) };
    let check = |file: &str, op: &Operation, expected| {
        let place = place(file, 15, "attempt to add with overflow");
        assert_eq!(is_a_dependencys(&subject, &place, Some(op)), expected, "{file}");
    };
    check("/deps/dep-1.0.0/src/lib.rs", &maker, true);
    check("/deps/dep-1.0.0/src/lib.rs", &operation(&[]), false);
    check(FILE, &maker, false);
}

#[test]
fn numbers_of_the_language_overflow_whatever_trait_they_are_given() {
    let of = |ty: Ty| Operation {
        callee: Callee::Trait {
            ty,
            path: "stack::Power".to_owned(),
            args: Vec::new(),
            name: "power".to_owned(),
            generics: Vec::new(),
        },
        ..operation(&[])
    };
    let check = |ty: Ty, message: &str, expected| {
        assert_eq!(class(&place(FILE, 90, message), &of(ty)), expected, "{message}");
    };
    let overflow = "attempt to multiply with overflow";
    check(Ty::prim("u8"), overflow, PanicClass::Documented);
    check(Ty::prim("u8").shared(), overflow, PanicClass::Documented);
    check(Ty::prim("u8"), "index out of bounds: the len is 1", PanicClass::Undeclared);
    check(Ty::named("stack::Stack"), overflow, PanicClass::Undeclared);
}

#[test]
fn what_is_checked_by_name_tells_by_its_result_and_does_not_panic() {
    let named = |name: &str, result: Ty| {
        let (ty, name) = (Ty::named("stack::Stack"), name.to_owned());
        let callee = Callee::Inherent { ty, name, generics: Vec::new() };
        Operation { callee, result, ..operation(&[Ty::prim("usize")]) }
    };
    let place = place(FILE, 12, "assertion failed: n < 3");
    let option = Ty::named("std::option::Option");
    assert_eq!(class(&place, &named("checked_sub", option.clone())), PanicClass::Undeclared);
    assert_eq!(class(&place, &named("try_push", option.clone())), PanicClass::Undeclared);
    assert_eq!(class(&place, &named("try_push", Ty::Unit)), PanicClass::OwnAssertion);
    assert_eq!(class(&place, &named("sub", option.clone())), PanicClass::OwnAssertion);
    let documented = Some("Panics if n is too large.".to_owned());
    let declared = Operation { documented_panics: documented, ..named("checked_sub", option) };
    assert_eq!(class(&place, &declared), PanicClass::Documented);
}

#[test]
fn an_assertion_about_the_insides_alone_is_no_precondition() {
    let mut get = operation(&[Ty::named("stack::Stack").shared()]);
    get.params[0].name = "self".to_owned();
    let with_argument = operation(&[Ty::named("stack::Stack").shared(), Ty::prim("u8")]);
    let callable = CallableId::method("stack::Stack", "len");
    let len = Operation { callable, ..operation(&[]) };
    let subject = SubjectModel::new(Manifest::default(), vec![Some(len)], "/s");
    let check = |op: &Operation, message: &str, expected| {
        let place = place(FILE, 12, message);
        assert_eq!(classify(&subject, &place, Some(op)), expected, "{message}");
    };
    check(&get, "assertion failed: self.mark == self.end - 1", PanicClass::Undeclared);
    check(&get, "assertion failed: self.len() > self.mark", PanicClass::OwnAssertion);
    check(&get, "assertion failed: !self.is_empty()", PanicClass::OwnAssertion);
    check(&get, "stack is empty", PanicClass::OwnAssertion);
    check(&with_argument, "assertion failed: self.mark == n", PanicClass::OwnAssertion);
}

#[test]
fn an_assertion_after_a_change_is_a_fault() {
    let changed = PanicPlace { changed: true, ..place(FILE, 12, "assertion failed") };
    assert_eq!(class(&changed, &operation(&[])), PanicClass::Undeclared);
}

#[test]
fn what_the_language_objects_to_is_a_fault_even_in_the_operation_itself() {
    for message in [
        "attempt to subtract with overflow",
        "attempt to divide by zero",
        "called `Option::unwrap()` on a `None` value",
        "called `Result::unwrap()` on an `Err` value: Full",
        "already borrowed: BorrowMutError",
        "RefCell already mutably borrowed",
        "internal error: entered unreachable code: never",
        "writing to a string should never fail: Error",
    ] {
        let class = class(&place(FILE, 12, message), &operation(&[Ty::prim("usize")]));
        assert_eq!(class, PanicClass::Undeclared, "{message}");
    }
}

#[test]
fn what_is_not_finished_says_so_itself() {
    for message in ["not implemented", "not yet implemented: later"] {
        let class = class(&place(FILE, 12, message), &operation(&[]));
        assert_eq!(class, PanicClass::OwnAssertion, "{message}");
    }
}

#[test]
fn an_index_error_is_the_callers_only_if_the_caller_gave_an_index() {
    let check = |params: &[Ty], expected| {
        let place = place(FILE, 12, "index out of bounds: the len is 1 but the index is 4");
        assert_eq!(class(&place, &operation(params)), expected, "{params:?}");
    };
    check(&[], PanicClass::Undeclared);
    check(&[Ty::Str.shared()], PanicClass::Undeclared);
    check(&[Ty::prim("bool")], PanicClass::Undeclared);
    check(&[Ty::prim("usize")], PanicClass::OwnAssertion);
    check(&[Ty::prim("u8").shared()], PanicClass::OwnAssertion);
    check(&[Ty::named("std::ops::RangeInclusive")], PanicClass::OwnAssertion);
}

#[test]
fn words_about_one_index_or_several_are_about_indices() {
    let check = |message: &str, expected| {
        assert_eq!(is_about_indices(&place(FILE, 12, message)), expected, "{message}");
    };
    check("node index 1 is not a node in the graph", true);
    check("add_edge: node indices out of bounds", true);
    check("byte index 3 is out of bounds", true);
    check("no room for another edge", false);
}

#[test]
fn a_range_that_ends_before_it_begins_is_the_callers_only_if_the_caller_gave_one() {
    let check = |params: &[Ty], expected| {
        let message = "range start is greater than range end in BTreeMap";
        let place = place("library/alloc/src/collections/btree/search.rs", 121, message);
        assert_eq!(class(&place, &operation(params)), expected, "{params:?}");
    };
    check(&[Ty::named("std::ops::Range")], PanicClass::OwnAssertion);
    check(&[Ty::Probe.shared()], PanicClass::Undeclared);
    check(&[], PanicClass::Undeclared);
}

#[test]
fn absurd_sizes_are_resource_limits_wherever_they_surface() {
    for message in ["capacity overflow", "Hash table capacity overflow", "memory allocation of 9"] {
        let class = class(&place("library/alloc/src/raw_vec.rs", 1, message), &operation(&[]));
        assert_eq!(class, PanicClass::ResourceLimit, "{message}");
    }
}

#[test]
fn documentation_and_convention_declare_a_panic() {
    let deep = place("/deps/dep-1.0.0/src/lib.rs", 1, "index out of bounds");
    let documented = Operation { documented_panics: Some("if empty".to_owned()), ..operation(&[]) };
    assert_eq!(class(&deep, &documented), PanicClass::Documented);
    let path = "std::ops::IndexMut".to_owned();
    let (ty, args, name) = (Ty::Unit, Vec::new(), "index_mut".to_owned());
    let indexing = Operation {
        callee: Callee::Trait { ty, path, args, name, generics: Vec::new() },
        ..operation(&[])
    };
    assert_eq!(class(&deep, &indexing), PanicClass::Documented);
    let (ty, args, name) = (Ty::Unit, Vec::new(), "consume".to_owned());
    let path = "std::io::BufRead".to_owned();
    let consuming = Operation {
        callee: Callee::Trait { ty, path, args, name, generics: Vec::new() },
        ..operation(&[])
    };
    assert_eq!(class(&deep, &consuming), PanicClass::Documented);
}

#[test]
fn what_an_operation_announces_of_an_item_goes_for_lists_that_are_handed_on_to_it() {
    let insert = |text: Option<&str>| Operation {
        documented_panics: text.map(str::to_owned),
        ..operation(&[Ty::Probe])
    };
    let gathering = |name: &str, param: Ty| Operation {
        callee: operator(name, &Ty::named("Rows")).callee,
        span: None,
        ..operation(&[param])
    };
    let check = |told: Option<&str>, op: &Operation, line, expected| {
        let subject = SubjectModel::new(Manifest::default(), vec![Some(insert(told))], "/s");
        let place = place(FILE, line, "assertion failed: start < end");
        assert_eq!(classify(&subject, &place, Some(op)), expected, "{told:?} {line} {op:?}");
    };
    let (extend, told) = (gathering("Extend", Ty::Probe), Some("if start >= end"));
    check(told, &extend, 12, PanicClass::Documented);
    check(None, &extend, 12, PanicClass::Undeclared);
    check(told, &extend, 30, PanicClass::Undeclared);
    let three = Ty::Array(Ty::Probe.into(), 3);
    check(told, &gathering("From", three), 12, PanicClass::Documented);
    check(told, &gathering("From", Ty::Probe), 12, PanicClass::Undeclared);
    check(told, &gathering("Clone", Ty::Probe), 12, PanicClass::Undeclared);
}

#[test]
fn documentation_declares_an_overflow_only_if_it_speaks_of_numbers() {
    let overflow = place(FILE, 300, "attempt to shift right with overflow");
    let documented = |text: &str| {
        let documented_panics = Some(text.to_owned());
        class(&overflow, &Operation { documented_panics, ..operation(&[Ty::prim("u8")]) })
    };
    assert_eq!(documented("Panics if there is nothing left."), PanicClass::Undeclared);
    assert_eq!(documented("Panics if `at > len`."), PanicClass::Documented);
    assert_eq!(documented("May panic on overflow."), PanicClass::Documented);
}

#[test]
fn documentation_of_one_condition_does_not_declare_an_index_error_half_way_through_another() {
    let check = |text: &str, changed: bool, expected| {
        let message = "index out of bounds: the len is 1 but the index is 4";
        let place = PanicPlace { changed, ..place(FILE, 12, message) };
        let documented_panics = Some(text.to_owned());
        let op = Operation { documented_panics, ..operation(&[]) };
        assert_eq!(class(&place, &op), expected, "{text}");
    };
    check("Panics if the capacity overflows.", true, PanicClass::Undeclared);
    check("Panics if the new capacity exceeds `isize::MAX` bytes.", true, PanicClass::Undeclared);
    check("Panics if the capacity overflows.", false, PanicClass::Documented);
    check(
        "Panics if `at` is out of bounds or the capacity overflows.",
        true,
        PanicClass::Documented,
    );
    check("Panics if it is full.", true, PanicClass::Documented);
    check("May panic.", true, PanicClass::Documented);
}

fn operator(name: &str, ty: &Ty) -> Operation {
    let (path, name) = (format!("std::ops::{name}"), "op".to_owned());
    let callee =
        Callee::Trait { ty: ty.clone(), path, args: Vec::new(), name, generics: Vec::new() };
    Operation { callee, ..operation(&[]) }
}

#[test]
fn arithmetic_may_overflow_by_convention_but_not_that_of_collections() {
    let (number, set) = (Ty::named("Number"), Ty::named("Set"));
    let path = "std::iter::FromIterator".to_owned();
    let (args, name) = (Vec::new(), "from_iter".to_owned());
    let made = Operation {
        callee: Callee::Trait { ty: set.clone(), path, args, name, generics: Vec::new() },
        ..operation(&[])
    };
    let subject = SubjectModel::new(Manifest::default(), vec![Some(made)], "/s");
    let check = |op: &Operation, message: &str, expected| {
        let place = place("/s/src/deep.rs", 1, message);
        assert_eq!(classify(&subject, &place, Some(op)), expected, "{message}");
    };
    let overflow = "attempt to subtract with overflow";
    check(&operator("Sub", &number), overflow, PanicClass::Documented);
    check(&operator("SubAssign", &number.clone().shared()), overflow, PanicClass::Documented);
    check(&operator("Sub", &number), "date out of range", PanicClass::Documented);
    let absent = "called `Option::unwrap()` on a `None` value";
    check(&operator("Sub", &number), absent, PanicClass::Documented);
    check(&operator("Sub", &set), absent, PanicClass::Undeclared);
    check(&operator("Sub", &number), "index out of bounds", PanicClass::Undeclared);
    check(&operator("BitAnd", &number), overflow, PanicClass::Undeclared);
    check(&operator("Sub", &set), overflow, PanicClass::Undeclared);
    let lends = |args: Vec<Ty>| {
        let (path, name, generics) = ("std::ops::BitOr".to_owned(), "op".to_owned(), Vec::new());
        let callee = Callee::Trait { ty: set.clone().shared(), path, args, name, generics };
        Operation { callee, result: Ty::Probe.shared(), ..operation(&[]) }
    };
    check(&lends(vec![Ty::Probe.shared()]), absent, PanicClass::Documented);
    check(&lends(vec![Ty::Probe.shared()]), overflow, PanicClass::Undeclared);
    check(&lends(vec![set.clone().shared()]), absent, PanicClass::Undeclared);
    check(&operator("Sub", &set.shared()), overflow, PanicClass::Undeclared);
}

#[test]
fn unwrapping_panics_by_its_name() {
    let ty = Ty::named("Maybe");
    for name in ["unwrap", "expect_left"] {
        let callee =
            Callee::Inherent { ty: ty.clone(), name: name.to_owned(), generics: Vec::new() };
        let op = Operation { callee, ..operation(&[]) };
        let deep = place("/s/src/deep.rs", 1, "called `Option::unwrap()` on a `None` value");
        assert_eq!(class(&deep, &op), PanicClass::Documented);
        let overflow = place("/s/src/deep.rs", 1, "attempt to add with overflow");
        assert_eq!(class(&overflow, &op), PanicClass::Undeclared);
    }
}

#[test]
fn an_order_that_contradicts_itself_is_ours() {
    let message = "user-provided comparison function does not correctly implement a total order";
    let place = PanicPlace { changed: true, ..place("library/core/src/slice/sort.rs", 1, message) };
    assert_eq!(class(&place, &operation(&[])), PanicClass::OwnAssertion);
}

#[test]
fn an_assertion_that_names_a_number_of_the_caller_is_told_by_its_text() {
    let names =
        |message: &str| names_a_number(&place(FILE, 1, message), &operation(&[Ty::prim("usize")]));
    assert!(names("assertion failed: x < self.len()"));
    assert!(!names("assertion failed: row < self.max()"));
    assert!(!names("x is too large"));
}

#[test]
fn a_time_that_std_cannot_tell_is_the_callers() {
    let place = place("library/core/src/time.rs", 1, "overflow when adding durations");
    assert_eq!(class(&place, &operation(&[])), PanicClass::OwnAssertion);
    let changed = PanicPlace { changed: true, ..place };
    assert_eq!(class(&changed, &operation(&[])), PanicClass::Undeclared);
}

#[test]
fn documentation_does_not_declare_what_its_author_holds_impossible() {
    let documented = Operation { documented_panics: Some("if full".to_owned()), ..operation(&[]) };
    let check = |message: &str, expected| {
        assert_eq!(class(&place(FILE, 12, message), &documented), expected, "{message}");
    };
    check("internal error: entered unreachable code", PanicClass::Undeclared);
    check("the queue should never be full here", PanicClass::Undeclared);
    check("called `Option::unwrap()` on a `None` value", PanicClass::Documented);
}

#[test]
fn a_panic_while_dropping_is_a_fault() {
    let subject = SubjectModel::new(Manifest::default(), Vec::new(), "/s");
    let class = classify(&subject, &place(FILE, 12, "assertion failed"), None);
    assert_eq!(class, PanicClass::Undeclared);
}

#[test]
fn a_relative_name_of_the_same_file_is_recognised() {
    assert!(is_same_file("/s/src/lib.rs", "src/lib.rs"));
    assert!(is_same_file("src/lib.rs", "/s/src/lib.rs"));
    assert!(!is_same_file("/s/src/mylib.rs", "lib.rs"));
}
