//! Few and strong: what goes without saying is not said.

use gainsay_wire::{Outcome, PanicPlace, Value};

use super::{
    check, check_absent, pops_in, pushes_in,
    world::{Random, World},
};
use crate::{Options, infer, text};

/// The clauses of one operation, without their evidence.
fn clauses(world: &World, op: &str) -> Vec<String> {
    let mut only = infer(&world.manifest, &world.samples, &Options::default());
    only.contracts.retain(|contract| contract.op == world.op(op));
    let all = text(&only, &world.manifest);
    all.lines()
        .filter_map(|line| Some(line.strip_prefix("  ")?.split_once("  [")?.0.to_owned()))
        .collect()
}

fn some_or_none(key: Option<i64>) -> Value {
    key.map_or(Value::none(), |key| Value::some(Value::Elem(key)))
}

#[test]
fn a_query_does_not_say_that_it_returns_its_own_view() {
    let mut world = World::new();
    let mut random = Random(21);
    for _ in 0..60 {
        let (list, value) = (random.list(4), random.below(6));
        world.query("len", &list, Value::Int(list.len() as i128));
        world.query("is_empty", &list, Value::Bool(list.is_empty()));
        let found = Value::Bool(list.contains(&value));
        let given = [Value::Elem(value)];
        world.add("contains", (&[&list], &given), &[&list], (found, &[]), Outcome::Returned);
    }
    assert_eq!(clauses(&world, "len"), ["ensures result == len(self.seq())"]);
    assert_eq!(clauses(&world, "is_empty"), ["ensures result <=> self.len() == 0"]);
    let among = "ensures result <=> contains(self.seq(), value)";
    assert_eq!(clauses(&world, "contains"), [among]);
}

#[test]
fn a_clone_repeats_no_more_than_two_views() {
    let mut world = World::with_last();
    for query in &mut world.manifest.types[0].queries {
        query.active = query.name != "seq";
    }
    let mut random = Random(22);
    for _ in 0..80 {
        let list = random.list(5);
        world.add("clone", (&[&list], &[]), &[&list], (Value::Object, &[&list]), Outcome::Returned);
    }
    let expected = ["ensures result.last() == self.last()", "ensures result.len() == self.len()"];
    let mut found = clauses(&world, "clone");
    found.sort();
    assert_eq!(found, expected);
}

#[test]
fn what_was_pushed_is_last() {
    check(
        &pushes_in(World::with_last()),
        &Options::default(),
        &["ensures self.last() == Some(value)"],
    );
}

#[test]
fn what_was_popped_stood_at_the_end() {
    let expected = [
        "ensures result == old(self.last())",
        "ensures result.is_some() ==> old(self.seq()) == self.seq() ++ [result.unwrap()]",
    ];
    check(&pops_in(World::with_last()), &Options::default(), &expected);
    let repeated = ["<=> old(self.is_empty())\n", "==> self.is_empty()", "self.last().is_none()"];
    check_absent(&pops_in(World::with_last()), &Options::default(), &repeated);
}

#[test]
fn what_is_taken_from_the_front_is_told_from_what_is_taken_from_the_back() {
    let mut world = World::new();
    let mut random = Random(23);
    for _ in 0..100 {
        let list = random.list(4);
        let mut after = list.clone();
        let result = (!after.is_empty()).then(|| after.remove(0));
        world.command("pop", &list, None, &after, some_or_none(result));
    }
    let model = "ensures result.is_some() ==> old(self.seq()) == [result.unwrap()] ++ self.seq()";
    check(&world, &Options::default(), &[model]);
    check_absent(&world, &Options::default(), &["++ [result.unwrap()]"]);
}

#[test]
fn an_empty_list_needs_no_other_word_for_empty() {
    let mut world = pops_in(World::with_last());
    world.add("new", (&[], &[]), &[], (Value::Object, &[&[]]), Outcome::Returned);
    assert_eq!(clauses(&world, "new"), ["ensures result.is_empty()"]);
}

#[test]
fn a_list_that_is_wiped_out_is_empty_and_no_more() {
    let mut world = pops_in(World::with_last());
    let mut random = Random(24);
    for _ in 0..60 {
        world.command("wipe_out", &random.list(4), None, &[], Value::Unit);
    }
    assert_eq!(clauses(&world, "wipe_out"), ["ensures self.is_empty()"]);
}

#[test]
fn a_jump_under_a_condition_is_an_accident() {
    let mut world = World::new();
    let mut random = Random(25);
    for _ in 0..120 {
        let (list, value) = (random.list(3), random.below(4));
        let after =
            if list.contains(&value) { list.clone() } else { [&list[..], &[7; 3]].concat() };
        world.command("push", &list, Some(value), &after, Value::Unit);
    }
    check_absent(&world, &Options::default(), &["+ 3"]);
    let stays = "ensures self.seq() == old(self.seq()) <=> old(self.contains(value))";
    check(&world, &Options::default(), &[stays]);
}

#[test]
fn what_never_grows_stays_empty_without_a_word() {
    let mut world = World::new();
    let mut random = Random(26);
    for _ in 0..120 {
        let list = random.list(4);
        let mut after = list.clone();
        after.retain(|key| *key != 0);
        world.command("wipe_out", &list, None, &after, Value::Unit);
    }
    check(&world, &Options::default(), &["ensures self.len() <= old(self.len())"]);
    check_absent(&world, &Options::default(), &["==> self.is_empty()", "==> self.len()"]);
}

#[test]
fn a_panic_that_is_told_needs_one_requirement() {
    let mut world = World::new();
    let mut random = Random(27);
    for _ in 0..150 {
        let (list, value) = (random.list(4), random.below(6));
        let mut after = list.clone();
        let outcome = if let Some(at) = list.iter().position(|key| *key == value) {
            after.remove(at);
            Outcome::Returned
        } else {
            let (file, message) = ("src/lib.rs".to_owned(), String::new());
            Outcome::Panicked(PanicPlace { file, line: 3, message, changed: false })
        };
        let given = [Value::Elem(value)];
        world.add("take", (&[&list], &given), &[&after], (Value::Unit, &[]), outcome);
    }
    let found = clauses(&world, "take");
    let requires: Vec<&String> =
        found.iter().filter(|clause| clause.starts_with("requires")).collect();
    assert_eq!(requires, ["requires self.contains(value)"]);
    assert_eq!(found[0], "panics when !self.contains(value)");
}
