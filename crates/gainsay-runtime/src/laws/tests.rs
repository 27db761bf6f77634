//! One subject that breaks the laws it is told to break.

use std::{cell::RefCell, cmp::Ordering};

use gainsay_wire::{IntegerType, Settings, Value};

use super::*;
use crate::table::PlainEntry;
use crate::{
    Lawful, Tables,
    table::{QueryEntry, TypeEntry},
};

/// A type that keeps the laws it is told to keep: `(eq, hash, cmp, clone, len, is_empty)`.
#[derive(Clone, Copy)]
struct Subject {
    key: u8,
    hash: u64,
    order: Option<Ordering>,
    clone_key: u8,
    len: i128,
    is_empty: bool,
}

const HONEST: Subject = Subject {
    key: 1,
    hash: 1,
    order: Some(Ordering::Equal),
    clone_key: 1,
    len: 1,
    is_empty: false,
};

fn of(object: &dyn Any) -> &Subject {
    object.downcast_ref().unwrap()
}

fn world() -> World {
    let query = |name, eval| QueryEntry { name, param: None, eval };
    let ty = TypeEntry {
        name: "Subject",
        clone: Some(|x| Box::new(Subject { key: of(x).clone_key, ..*of(x) })),
        eq: Some(|x, y| of(x).key == of(y).key && of(x).key < 9),
        cmp: Some(|x, _| of(x).order),
        hash: Some(|x| of(x).hash),
        borrows: false,
        debug: None,
        lawful: Lawful::default(),
        queries: vec![
            query("len", |x, _| Value::Int(of(x).len)),
            query("is_empty", |x, _| Value::Bool(of(x).is_empty)),
            query("seq", |_, _| Value::Seq(vec![Value::Unit])),
        ],
    };
    World::new(Tables { types: vec![ty], ops: vec![] }, Settings::default())
}

fn broken(subject: Subject) -> Vec<String> {
    let world = world();
    let mut laws = Laws::new(Tallies::default(), Zeal::Always);
    let values = crate::view::state_values(&world, TypeId(0), &subject);
    let state = State::of_values(values);
    let mut broken = Vec::new();
    let parties = [Party::Operand(0), Party::Operand(1)];
    let (cell, mut known) = (RefCell::new(Some(Box::new(subject) as Box<dyn Any>)), Broken::new());
    laws.of_one(&world, parties[0], (&cell, &state, &mut known), &mut broken);
    let pair: [(Party, &dyn Any); 2] = [(parties[0], &subject), (parties[1], &HONEST)];
    laws.of_two(&world, TypeId(0), pair, &mut broken);
    broken.iter().map(|breach| breach.law(&world).to_string()).collect()
}

#[test]
fn every_law_is_silent_on_an_honest_type_and_objects_to_its_breach() {
    let check = |subject: Subject, expected: &[&str]| assert_eq!(broken(subject), expected);
    check(HONEST, &[]);
    check(Subject { key: 9, clone_key: 9, ..HONEST }, &["eq-reflexive", "cmp-agrees-with-eq"]);
    check(Subject { hash: 2, ..HONEST }, &["hash-agrees-with-eq"]);
    let both = &["partial_cmp-both-ways", "cmp-agrees-with-eq"];
    check(Subject { order: None, ..HONEST }, both);
    check(Subject { clone_key: 2, ..HONEST }, &["clone-equals"]);
    check(Subject { is_empty: true, ..HONEST }, &["is_empty-agrees-with-len"]);
    check(Subject { len: 2, ..HONEST }, &["len-agrees-with-seq"]);
}

#[test]
fn a_breach_names_the_objects_as_code_calls_them() {
    let op = |makes: &[TypeId]| OpEntry {
        id: crate::InstanceEntry::method("Subject", "merge"),
        name: "merge",
        names: &["self", "other"],
        params: vec![],
        makes: makes.to_vec(),
        lending: crate::Lending::Inherited,
        role: crate::Role::Command,
        call: |_| Value::Unit,
    };
    let one = op(&[TypeId(0)]);
    let world = world();
    let at = world.laws(TypeId(0)).iter().position(|law| law.id == LawId::EqSymmetric).unwrap();
    let breach = |on| Breach { ty: TypeId(0), law: at, on };
    let pair = breach((Party::Operand(0), [Some(Party::Operand(1)), None]));
    assert_eq!(pair.message(&world, &one), "does not hold for `self` and `other`: eq-symmetric");
    let all = breach((Party::Operand(0), [Some(Party::Operand(1)), Some(Party::Made(0))]));
    let words = "does not hold for `self`, `other` and `result`: eq-symmetric";
    assert_eq!(all.message(&world, &one), words);
    let made = breach((Party::Made(0), ALONE));
    assert_eq!(made.message(&world, &one), "does not hold for `result`: eq-symmetric");
    let second = breach((Party::Made(1), ALONE));
    let two = op(&[TypeId(0), TypeId(0)]);
    assert_eq!(second.message(&world, &two), "does not hold for `result.1`: eq-symmetric");
}

#[test]
fn a_number_that_the_type_does_not_have_is_not_passed_as_it_is() {
    const BYTE: PlainEntry = PlainEntry::Integer(IntegerType::U8);
    const SIGNED: PlainEntry = PlainEntry::Integer(IntegerType::I8);
    const WIDE: PlainEntry = PlainEntry::Integer(IntegerType::I128);
    let passes = |value: &Value, key: PlainEntry| scene::is_in_range(value, key);
    assert!(passes(&Value::Int(255), BYTE) && !passes(&Value::Int(-1), BYTE));
    assert!(passes(&Value::Int(-128), SIGNED) && !passes(&Value::Int(128), SIGNED));
    let address = PlainEntry::Other("Ipv4Addr");
    assert!(passes(&Value::Int(i128::MIN), WIDE) && !passes(&Value::Int(3), address));
    let list = |items: [i128; 2]| Value::Seq(items.map(Value::Int).to_vec());
    let bytes = PlainEntry::List(&BYTE);
    assert!(passes(&list([0, 9]), bytes) && !passes(&list([0, 256]), bytes));
}
