//! Self-tests of the specialisation: one `&` too many would silently pick the last choice.

use std::{
    borrow::Cow, cmp::Ordering, collections::HashSet, fmt, num::NonZero, rc::Rc, time::Duration,
};

use super::*;
use crate::Probe;

#[derive(Hash, Debug)]
struct Hashed(u8);
#[derive(Debug)]
struct Printed(#[allow(dead_code, reason = "read by Debug")] u8);
struct Opaque;
struct Addressed;
impl fmt::Debug for Addressed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Addressed(0x7f12ab34)")
    }
}
struct Throwing;
impl fmt::Debug for Throwing {
    fn fmt(&self, _: &mut fmt::Formatter<'_>) -> fmt::Result {
        std::panic::resume_unwind(Box::new("no text"))
    }
}

fn int(value: i128) -> Value {
    Value::Int(value)
}

#[test]
fn known_types_are_seen_exactly() {
    let _alone = crate::worker::alone();
    let seen = [
        (value!(&3_u8), int(3)),
        (value!(&-3_i64), int(-3)),
        (value!(&()), Value::Unit),
        (value!(&true), Value::Bool(true)),
        (value!(&'x'), Value::Char('x')),
        (value!("text"), Value::Str("text".into())),
        (value!(&String::from("text")), Value::Str("text".into())),
        (value!(&Cow::Borrowed("text")), Value::Str("text".into())),
        (value!(&1.5_f32), Value::Float(1.5)),
        (value!(&Probe::new(7)), Value::Elem(7)),
        (value!(&Ordering::Less), Value::Order(Ordering::Less)),
        (value!(&Some(&mut 4_u8)), Value::some(int(4))),
        (value!(&None::<u8>), Value::none()),
        (value!(&Err::<(), u8>(1)), Value::err(int(1))),
        (value!(&(1_u8, Box::new(2_i8))), Value::Tuple(vec![int(1), int(2)])),
        (value!(&[1_u8, 2][..]), Value::Seq(vec![int(1), int(2)])),
        (value!(&vec![Rc::new(1_u8)]), Value::Seq(vec![int(1)])),
        (value!(&(0..3_usize)), Value::Tuple(vec![int(0), int(3)])),
        (value!(&NonZero::new(3_u8)), Value::some(int(3))),
        (value!(&Duration::from_nanos(9)), int(9)),
        (value!(&HashSet::from([2_u8, 1])), Value::Seq(vec![int(1), int(2)])),
    ];
    for (seen, expected) in seen {
        assert_eq!(seen, expected);
    }
}

#[test]
fn a_reference_to_a_reference_is_seen_through() {
    let text = "text";
    assert_eq!(value!(&text), Value::Str("text".into()));
    assert_eq!(value!(&&&text), Value::Str("text".into()));
}

#[test]
fn unknown_types_are_seen_by_hash_then_by_debug_then_not_at_all() {
    assert_eq!(value!(&Hashed(1)), Value::Token(hash_digest(&Hashed(1))));
    assert_ne!(value!(&Hashed(1)), value!(&Hashed(2)));
    assert_eq!(value!(&Printed(1)), Value::Token(Mix::of_bytes(b"Printed(1)")));
    assert_eq!(value!(&Opaque), Value::Object);
    assert_eq!(value!(&Some(Hashed(1))), Value::Token(hash_digest(&Some(Hashed(1)))));
    assert_eq!(value!(&Some(Opaque)), Value::Object);
}

#[test]
fn what_means_nothing_elsewhere_is_undefined() {
    assert_eq!(value!(&Addressed), Value::Undefined);
    assert_eq!(value!(&Throwing), Value::Undefined);
    let number = 7_u8;
    assert_eq!(value!(&std::ptr::from_ref(&number)), Value::Undefined);
    assert_eq!(value!(&Some(std::ptr::NonNull::from(&number))), Value::some(Value::Undefined));
    assert!(!has_address("0xff and 0x12"));
}

#[test]
fn iterators_are_drained_by_what_their_items_allow() {
    assert_eq!(drain!([1_u8, 2].iter()), Value::Seq(vec![int(1), int(2)]));
    assert_eq!(drain!([Hashed(1)].iter()), Value::Seq(vec![value!(&Hashed(1))]));
    assert_eq!(drain!([Printed(1)].into_iter()), Value::Seq(vec![value!(&Printed(1))]));
    assert_eq!(drain!([Opaque].iter()), Value::Seq(vec![Value::Object]));
    assert!(matches!(drain!(0..1000_u32), Value::Token(_)));
    let view = super::sequence((0..100_u32).map(|item| item.see()));
    assert_eq!(drain!(0..100_u32), view, "a long result is seen as a view of it would be");
    assert_eq!(drain!(0_u32..), Value::Undefined);
}

#[test]
fn what_is_no_iterator_is_seen_as_it_is() {
    assert_eq!(drain!(Some(1_u8)), Value::some(int(1)));
    assert_eq!(drain!(Hashed(1)), value!(&Hashed(1)));
    assert_eq!(drain!(Printed(1)), value!(&Printed(1)));
    assert_eq!(drain!(Opaque), Value::Object);
}

#[test]
fn a_long_sequence_is_told_from_another_by_its_digest() {
    let seen = |len: usize| sequence((0..len).map(|i| int(i128::try_from(i).unwrap())));
    assert!(matches!(seen(MOST_ITEMS), Value::Seq(items) if items.len() == MOST_ITEMS));
    assert!(matches!(seen(MOST_ITEMS + 1), Value::Token(_)));
    assert_ne!(seen(MOST_ITEMS + 1), seen(MOST_ITEMS + 2));
}
