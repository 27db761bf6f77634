//! Whole inference on tables that are simulated: lists, stacks, sets and noise.

mod few;
mod invariants;
mod models;
mod noise;
mod world;

use gainsay_wire::{
    ManifestParam, Mode, Outcome, PanicPlace, Point, TypeId, Value, expr_text, parse_expr,
};

use self::world::{Random, World};
use crate::{Options, implied_text, infer, preconditions_where, sentinels, text};

const GIVEN: Options = Options { min_distinct: 1, max_per_op: 12, jobs: None };

/// Checks that all these clauses are among the contracts of the world's only sampled operation, or
/// follow from them.
fn check(world: &World, options: &Options, expected: &[&str]) {
    let inferred = infer(&world.manifest, &world.samples, options);
    let all = text(&inferred, &world.manifest);
    let implied = implied_text(&inferred, &world.manifest);
    for clause in expected {
        let said = all.lines().any(|line| line.trim().starts_with(&format!("{clause}  [")));
        let follows = implied.lines().any(|line| line.ends_with(&format!(": {clause}")));
        assert!(said || follows, "no `{clause}` among\n{all}nor among\n{implied}");
    }
}

fn check_absent(world: &World, options: &Options, unwanted: &[&str]) {
    let all = text(&infer(&world.manifest, &world.samples, options), &world.manifest);
    for part in unwanted {
        assert!(!all.contains(part), "`{part}` is among\n{all}");
    }
}

fn pushes() -> World {
    pushes_in(World::new())
}

fn pushes_in(mut world: World) -> World {
    let mut random = Random(1);
    for _ in 0..60 {
        let (list, value) = (random.list(5), random.below(4));
        let mut after = list.clone();
        after.push(value);
        world.command("push", &list, Some(value), &after, Value::Unit);
    }
    world
}

fn pops() -> World {
    pops_in(World::new())
}

fn pops_in(mut world: World) -> World {
    let mut random = Random(2);
    world.command("pop", &[], None, &[], Value::none());
    for _ in 0..200 {
        let list = random.list(4);
        let mut after = list.clone();
        let result = after.pop().map_or(Value::none(), |key| Value::some(Value::Elem(key)));
        world.command("pop", &list, None, &after, result);
    }
    world
}

#[test]
fn a_push_makes_the_list_longer_by_one_and_appends() {
    check(
        &pushes(),
        &Options::default(),
        &[
            "ensures self.len() == old(self.len()) + 1",
            "ensures self.seq() == old(self.seq()) ++ [value]",
            "ensures !self.is_empty()",
            "ensures self.contains(value)",
        ],
    );
    check_absent(&pushes(), &Options::default(), &["requires", "self.len() >= 1", "==>", "<=>"]);
}

#[test]
fn a_pop_gives_none_exactly_when_the_list_was_empty() {
    let expected = [
        "ensures result.is_none() <=> old(self.is_empty())",
        "ensures self.len() == old(self.len()) - 1 <=> !old(self.is_empty())",
    ];
    check(&pops(), &Options::default(), &expected);
    check_absent(&pops(), &Options::default(), &["requires", "old(self.len()) == 0"]);
}

#[test]
fn a_query_is_explained_by_the_view_it_returns() {
    let mut world = World::new();
    let mut random = Random(3);
    for _ in 0..40 {
        let list = random.list(5);
        let len = Value::Int(list.len() as i128);
        world.query("count", &list, len);
    }
    let all = text(&infer(&world.manifest, &world.samples, &Options::default()), &world.manifest);
    assert_eq!(all.lines().count(), 2, "{all}");
    check(&world, &Options::default(), &["ensures result == self.len()"]);
}

#[test]
fn what_changes_behind_a_shared_reference_is_told_apart_in_time() {
    let mut world = pops();
    let pop = world.manifest.ops.iter_mut().find(|op| op.name == "List::pop").unwrap();
    pop.params = vec![ManifestParam::Object(TypeId(0), Mode::Ref)];
    let all = text(&infer(&world.manifest, &world.samples, &Options::default()), &world.manifest);
    assert!(all.contains("old(self.seq())"), "{all}");
    assert!(!all.contains("self.seq() == self.seq()"), "{all}");
}

#[test]
fn a_clone_has_the_same_elements_and_nothing_more_is_said() {
    let mut world = World::new();
    let mut random = Random(4);
    for _ in 0..40 {
        let list = random.list(5);
        world.add("clone", (&[&list], &[]), &[&list], (Value::Object, &[&list]), Outcome::Returned);
    }
    let all = text(&infer(&world.manifest, &world.samples, &Options::default()), &world.manifest);
    assert_eq!(all.lines().count(), 2, "{all}");
    check(&world, &Options::default(), &["ensures result.seq() == self.seq()"]);
}

#[test]
fn a_call_without_operands_needs_no_more_than_one_observation() {
    let mut world = World::new();
    world.add("new", (&[], &[]), &[], (Value::Object, &[&[]]), Outcome::Returned);
    check(&world, &Options::default(), &["ensures result.is_empty()"]);
}

#[test]
fn one_wipe_out_of_an_empty_list_suggests_that_it_must_be_empty() {
    let mut world = World::new();
    world.command("wipe_out", &[], None, &[], Value::Unit);
    check(&world, &GIVEN, &["requires self.is_empty()"]);
    check_absent(&world, &GIVEN, &["self.len() == 0"]);
    check_absent(&world, &Options::default(), &["requires"]);
}

#[test]
fn one_append_to_an_empty_list_gives_the_contracts_of_the_paper() {
    let mut world = World::new();
    world.binary("append", (&[], &[]), (&[], &[]));
    let expected =
        ["ensures old(self.is_empty()) ==> self.is_empty()", "requires other.is_empty()"];
    check(&world, &GIVEN, &expected);
}

#[test]
fn merges_of_disjoint_sets_only_suggest_that_they_must_be() {
    let mut world = World::new();
    let mut random = Random(5);
    for _ in 0..60 {
        let left = random.list(3);
        let right: Vec<i64> = random.list(3).into_iter().map(|key| key + 100).collect();
        let joined = [left.clone(), right.clone()].concat();
        world.binary("append", (&left, &right), (&joined, &right));
    }
    let expected = [
        "requires self.is_disjoint(other)",
        "ensures self.seq() == old(self.seq()) ++ other.seq()",
    ];
    check(&world, &Options::default(), &expected);
}

fn removals() -> World {
    let mut world = World::new();
    let mut random = Random(6);
    for _ in 0..120 {
        let list = random.list(4);
        let index = random.below(6);
        let mut after = list.clone();
        let place = usize::try_from(index).unwrap();
        let outcome = if place < list.len() {
            after.remove(place);
            Outcome::Returned
        } else {
            Outcome::Panicked(PanicPlace {
                file: "src/lib.rs".into(),
                line: 7,
                message: String::new(),
                changed: false,
            })
        };
        let index = Value::Int(i128::from(index));
        world.add("remove", (&[&list], &[index]), &[&after], (Value::Unit, &[]), outcome);
    }
    world
}

#[test]
fn a_removal_panics_exactly_when_the_index_is_too_great() {
    let expected = [
        "panics when index >= self.len()",
        "requires index < self.len()",
        "ensures self.len() == old(self.len()) - 1",
    ];
    check(&removals(), &Options::default(), &expected);
    check_absent(&removals(), &Options::default(), &["is_empty"]);
}

#[test]
fn a_set_tells_whether_an_insertion_was_new() {
    let mut world = World::new();
    let mut random = Random(7);
    for _ in 0..150 {
        let mut list = random.list(4);
        list.sort_unstable();
        list.dedup();
        let value = random.below(5);
        let mut after = list.clone();
        let fresh = !list.contains(&value);
        if fresh {
            after.push(value);
        }
        world.command("push", &list, Some(value), &after, Value::Bool(fresh));
    }
    let expected = [
        "ensures result <=> !old(self.contains(value))",
        "ensures self.len() == old(self.len()) + 1 <=> !old(self.contains(value))",
        "ensures self.contains(value)",
    ];
    check(&world, &Options::default(), &expected);
    check_absent(&world, &Options::default(), &["self.len() == old(self.len()) <=>"]);
}

fn tops() -> World {
    let mut world = World::new();
    let mut random = Random(8);
    for _ in 0..40 {
        let list: Vec<i64> = random.list(4).into_iter().map(|key| key - 2).collect();
        let top = list.last().copied().unwrap_or(-1);
        world.query("top", &list, Value::Int(i128::from(top)));
    }
    world.query("top", &[], Value::Int(-1));
    world.query("top", &[3, -1], Value::Int(-1));
    world
}

#[test]
fn an_error_value_that_is_also_an_element_is_a_sentinel() {
    let world = tops();
    let found = sentinels(&world.manifest, &world.samples);
    assert_eq!(found.len(), 1);
    let names = world.manifest.ops[found[0].op.0 as usize].operand_names();
    let contract = expr_text(&found[0].contract, &names, Point::Exit);
    assert_eq!(contract, "result == -1 <=> old(self.is_empty())");
    let witness = &world.samples[&found[0].op][found[0].witness];
    assert!(
        witness.values.contains(&Value::Int(-1)) && witness.values.contains(&Value::Bool(false))
    );
}

#[test]
fn an_honest_top_has_no_sentinel() {
    let mut world = tops();
    for observations in world.samples.values_mut() {
        observations.retain(|seen| {
            seen.values.last() != Some(&Value::Int(-1)) || seen.values.contains(&Value::Bool(true))
        });
    }
    assert_eq!(sentinels(&world.manifest, &world.samples), []);
}

#[test]
fn preconditions_of_a_slice_hold_where_its_condition_does() {
    let mut world = World::new();
    let mut random = Random(9);
    for _ in 0..80 {
        let left = random.list(3);
        let right = if left.is_empty() { Vec::new() } else { random.list(3) };
        let joined = [left.clone(), right.clone()].concat();
        world.binary("append", (&left, &right), (&joined, &right));
    }
    let op = world.op("append");
    let names = world.manifest.ops[op.0 as usize].operand_names();
    let condition = parse_expr("self.is_empty()", &names, Point::Entry).unwrap();
    let found = preconditions_where(&world.manifest, &world.samples, op, &condition, &GIVEN);
    let texts: Vec<String> =
        found.iter().map(|expr| expr_text(expr, &names, Point::Entry)).collect();
    assert!(texts.contains(&"other.is_empty()".to_owned()), "{texts:?}");
    assert!(!texts.contains(&"self.is_empty()".to_owned()), "{texts:?}");
}

#[test]
fn contracts_read_back_as_they_were_printed() {
    for world in [pushes(), pops(), removals()] {
        let inferred = infer(&world.manifest, &world.samples, &Options::default());
        for contract in &inferred.contracts {
            let names = world.manifest.ops[contract.op.0 as usize].operand_names();
            let text = expr_text(&contract.expr, &names, contract.kind.point());
            assert_eq!(
                parse_expr(&text, &names, contract.kind.point()).as_ref(),
                Ok(&contract.expr)
            );
        }
    }
}

#[test]
fn repeats_are_no_evidence() {
    let mut world = World::new();
    for _ in 0..100 {
        world.command("push", &[1], Some(2), &[1, 2], Value::Unit);
    }
    let inferred = infer(&world.manifest, &world.samples, &Options::default());
    assert_eq!(inferred.contracts, []);
    assert_eq!(inferred.tallies[&world.op("push")].distinct, 1);
}

#[test]
fn no_operation_gets_more_contracts_than_allowed() {
    let options = Options { max_per_op: 2, ..Options::default() };
    let world = pops();
    let inferred = infer(&world.manifest, &world.samples, &options);
    assert_eq!(inferred.contracts.len(), 2);
    assert!(inferred.tallies[&world.op("pop")].capped > 0);
    let ids: Vec<u32> = inferred.contracts.iter().map(|contract| contract.id.0).collect();
    assert_eq!(ids, [1, 2]);
}

#[test]
fn a_term_that_is_missing_too_often_is_not_spoken_of() {
    let mut world = pushes();
    let op = world.op("push");
    let vocabulary = world.manifest.vocabulary(op);
    let place = |text: &str| {
        let names = world.manifest.ops[op.0 as usize].operand_names();
        match parse_expr(text, &names, Point::Exit).unwrap() {
            gainsay_wire::Expr::Term(term) => vocabulary.position(&term).unwrap(),
            other => panic!("{other:?} is no term"),
        }
    };
    let (len, contains) = (place("self.len()"), place("self.contains(value)"));
    for (i, seen) in world.samples.get_mut(&op).unwrap().iter_mut().enumerate() {
        if i % 10 == 0 {
            seen.values[len] = Value::Undefined;
        }
        if i % 2 == 0 {
            seen.values[contains] = Value::Undefined;
        }
    }
    check(&world, &Options::default(), &["ensures self.len() == old(self.len()) + 1"]);
    check_absent(&world, &Options::default(), &["ensures self.contains(value)"]);
}
