//! What sequences and results are made from, always or in cases.

use gainsay_wire::{Outcome, PanicPlace, Value};

use super::{
    check, check_absent,
    world::{Random, World},
};
use crate::Options;

fn panicked() -> Outcome {
    let (file, message) = ("src/lib.rs".to_owned(), String::new());
    Outcome::Panicked(PanicPlace { file, line: 3, message, changed: false })
}

/// A world in which `remove(self, index)` does this to a list, or panics.
fn at_index(act: impl Fn(&mut Vec<i64>, usize) -> Option<Value>) -> World {
    let mut world = World::new();
    let mut random = Random(31);
    for _ in 0..200 {
        let (list, index) = (random.list(6), random.below(7));
        let mut after = list.clone();
        let result = act(&mut after, usize::try_from(index).unwrap());
        let outcome = if result.is_some() { Outcome::Returned } else { panicked() };
        let (given, result) = ([Value::Int(index.into())], result.unwrap_or(Value::Undefined));
        world.add("remove", (&[&list], &given), &[&after], (result, &[]), outcome);
    }
    world
}

#[test]
fn a_removal_at_an_index_returns_what_stood_there() {
    let world =
        at_index(|list, index| (index < list.len()).then(|| Value::Elem(list.remove(index))));
    let expected = [
        "ensures result == old(self.seq())[index]",
        "ensures self.seq() == remove(old(self.seq()), index)",
    ];
    check(&world, &Options::default(), &expected);
}

#[test]
fn a_removal_that_moves_the_last_is_told_from_one_that_moves_all() {
    let world =
        at_index(|list, index| (index < list.len()).then(|| Value::Elem(list.swap_remove(index))));
    let expected = "ensures self.seq() == swap_remove(old(self.seq()), index)";
    check(&world, &Options::default(), &[expected]);
}

#[test]
fn what_is_cut_off_depends_on_the_length() {
    let world = at_index(|list, len| {
        list.truncate(len);
        Some(Value::Unit)
    });
    let expected = [
        "ensures index < old(self.len()) ==> self.seq() == old(self.seq())[..index]",
        "ensures index >= old(self.len()) ==> self.seq() == old(self.seq())",
    ];
    check(&world, &Options::default(), &expected);
}

#[test]
fn of_what_has_no_room_the_oldest_goes() {
    // As many of the last as the index says.
    let world = at_index(|list, most| {
        list.drain(..list.len().saturating_sub(most));
        Some(Value::Unit)
    });
    let expected = "ensures self.seq() == old(self.seq()[max(0, len(self.seq()) - index)..])";
    check(&world, &Options::default(), &[expected]);
}

#[test]
fn a_result_can_be_the_lesser_of_two_numbers() {
    let world = at_index(|list, most| {
        let taken = most.min(list.len());
        list.drain(..taken);
        Some(Value::Res(true, Box::new(Value::Int(taken.try_into().ok()?))))
    });
    let expected = "ensures result == Ok(min(len(old(self.seq())), index))";
    check(&world, &Options::default(), &[expected]);
}

#[test]
fn what_is_put_in_can_be_taken_at_once() {
    let mut world = World::new();
    let mut random = Random(33);
    for _ in 0..200 {
        let (list, value) = (random.list(5), random.below(9));
        let mut after = [&list[..], &[value]].concat();
        after.sort_unstable();
        let result = Value::Elem(after.remove(0));
        after.reverse();
        world.command("push", &list, Some(value), &after, result);
    }
    let expected = [
        "ensures result == least(old(self.seq()) ++ [value]).unwrap()",
        "ensures permutation(old(self.seq()) ++ [value], self.seq() ++ [result])",
    ];
    check(&world, &Options::default(), &expected);
}

#[test]
fn what_is_taken_anywhere_leaves_the_rest_in_any_order() {
    let mut world = World::new();
    let mut random = Random(32);
    for _ in 0..200 {
        let list = random.list(5);
        let mut after = list.clone();
        after.sort_unstable();
        let result = after.pop().map_or(Value::none(), |key| Value::some(Value::Elem(key)));
        after.reverse();
        world.command("pop", &list, None, &after, result);
    }
    let expected = [
        "ensures result == greatest(old(self.seq()))",
        "ensures result.is_some() ==> permutation(old(self.seq()), self.seq() ++ [result.unwrap()])",
        "ensures result.is_none() ==> self.seq() == old(self.seq())",
    ];
    check(&world, &Options::default(), &expected);
}

#[test]
fn an_element_that_was_there_is_not_added_again() {
    let mut world = World::new();
    // Nothing but the elements tells whether it is there.
    world.manifest.types[0].queries.retain(|query| query.name != "contains");
    let mut random = Random(33);
    for _ in 0..200 {
        let (list, value) = (random.list(4), random.below(6));
        let mut after = list.clone();
        if !list.contains(&value) {
            after.push(value);
        }
        let result = Value::Bool(list.len() != after.len());
        world.command("push", &list, Some(value), &after, result);
    }
    let expected = [
        "ensures !contains(old(self.seq()), value) ==> self.seq() == old(self.seq()) ++ [value]",
        "ensures contains(old(self.seq()), value) ==> self.seq() == old(self.seq())",
        "ensures result <=> !contains(old(self.seq()), value)",
    ];
    check(&world, &Options::default(), &expected);
}

#[test]
fn elements_that_are_chosen_by_the_caller_stay_in_their_order() {
    let mut world = World::new();
    let mut random = Random(34);
    for _ in 0..150 {
        let list = random.list(6);
        let after: Vec<i64> = list.iter().copied().filter(|_| random.below(2) == 0).collect();
        world.command("wipe_out", &list, None, &after, Value::Unit);
    }
    let expected = "ensures subsequence(self.seq(), old(self.seq()))";
    check(&world, &Options::default(), &[expected]);
    check_absent(&world, &Options::default(), &["prefix", "suffix", "=="]);
}

#[test]
fn a_sequence_that_is_too_long_to_be_told_does_not_hide_what_the_others_show() {
    let mut world = World::new();
    let mut random = Random(35);
    for _ in 0..100 {
        let (list, value) = (random.list(5), random.below(4));
        world.command("push", &list, Some(value), &[&list[..], &[value]].concat(), Value::Unit);
    }
    let op = world.op("push");
    let terms = world.manifest.vocabulary(op).terms().to_vec();
    let first = world.samples.get_mut(&op).and_then(|seen| seen.first_mut()).unwrap();
    for (term, value) in terms.iter().zip(&mut first.values) {
        if term.query.as_deref() == Some("seq") {
            *value = Value::Token(7);
        }
    }
    check(&world, &Options::default(), &["ensures self.seq() == old(self.seq()) ++ [value]"]);
}

#[test]
fn a_length_grows_by_the_length_of_what_is_given_where_elements_are_hidden() {
    let mut world = World::new();
    world.manifest.types[0].queries.retain(|query| query.name == "len");
    let mut random = Random(36);
    for _ in 0..100 {
        let (list, more) = (random.list(5), random.list(5));
        let given = [Value::Seq(more.iter().copied().map(Value::Elem).collect())];
        let after = [&list[..], &more[..]].concat();
        let result = Value::Int((2 * list.len() + more.len() + 1) as i128);
        world.add("push", (&[&list], &given), &[&after], (result, &[]), Outcome::Returned);
    }
    let expected = [
        "ensures self.len() == len(value) + old(self.len())",
        "ensures result == len(value) + 2 * old(self.len()) + 1",
    ];
    check(&world, &Options::default(), &expected);
}

/// Comparisons of short lists, some of them equal.
fn compared(result: impl Fn(&[i64], &[i64]) -> Value) -> World {
    let mut world = World::new();
    let mut random = Random(36);
    for turn in 0..200 {
        let list = random.list(4);
        let other = if turn % 4 == 0 { list.clone() } else { random.list(4) };
        let both: [&[i64]; 2] = [&list, &other];
        let result = (result(&list, &other), &[][..]);
        world.add("compare", (&both, &[]), &both, result, Outcome::Returned);
    }
    world
}

#[test]
fn comparisons_of_two_objects_are_those_of_their_elements() {
    let expected = |text: &str| format!("ensures {text}");
    let only = |world: World, text: &str| {
        check(&world, &Options::default(), &[expected(text).as_str()]);
    };
    only(compared(|s, t| Value::Bool(s == t)), "result <=> self.seq() == other.seq()");
    only(compared(|s, t| Value::Bool(s <= t)), "result <=> self.seq() <= other.seq()");
    only(compared(|s, t| Value::Order(s.cmp(t))), "result == cmp(self.seq(), other.seq())");
    let partial = |s: &[i64], t: &[i64]| Value::some(Value::Order(s.cmp(t)));
    only(compared(partial), "result == Some(cmp(self.seq(), other.seq()))");
    let subset = |s: &[i64], t: &[i64]| Value::Bool(s.iter().all(|x| t.contains(x)));
    only(compared(subset), "result <=> subset(self.seq(), other.seq())");
    let chance = compared(|s, _| Value::Bool(s.first().is_some_and(|x| x % 2 == 0)));
    check_absent(&chance, &Options::default(), &["other.seq()"]);
}
