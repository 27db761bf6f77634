//! What is true of every object is told once.

use gainsay_wire::Value;

use super::world::{Random, World};
use crate::{invariants, invariants_text};

fn check(world: &World, expected: &[&str], unwanted: &[&str]) {
    let all = invariants_text(&invariants(&world.manifest, &world.samples), &world.manifest);
    for fact in expected {
        assert!(all.contains(&format!("List: invariant {fact}  [")), "no `{fact}` among\n{all}");
    }
    for part in unwanted {
        assert!(!all.contains(part), "`{part}` is among\n{all}");
    }
}

/// Calls on lists that were brought into this form.
fn lists(form: impl Fn(&mut Vec<i64>)) -> World {
    let mut world = World::with_last();
    let mut random = Random(41);
    for _ in 0..200 {
        let mut list = random.list(5);
        form(&mut list);
        world.command("wipe_out", &list, None, &[], Value::Unit);
    }
    world
}

#[test]
fn what_is_left_of_a_constant_is_told() {
    let exprs = ["len", "rest"].map(|name| {
        gainsay_wire::Expr::term(gainsay_wire::Term::query(gainsay_wire::When::Before, 0, name))
    });
    let text = |terms: &[(usize, i64)], constant| {
        let names = gainsay_wire::Names::new([("self".to_owned(), true)]);
        let sum = crate::linear::sum_of(terms, constant, &exprs)?;
        Some(gainsay_wire::expr_text(&sum, &names, gainsay_wire::Point::Entry))
    };
    assert_eq!(text(&[(0, 1)], -4).as_deref(), Some("4 - self.len()"));
    assert_eq!(text(&[(0, -1), (1, 1)], 3).as_deref(), Some("self.len() - self.rest() - 3"));
    assert_eq!(text(&[(0, 1)], 4), None, "nobody writes a negative sum");
}

#[test]
fn views_of_the_elements_are_told_by_the_elements() {
    let expected = [
        "self.len() == len(self.seq())",
        "self.is_empty() <=> self.len() == 0",
        "self.last() == last(self.seq())",
    ];
    check(&lists(|_| ()), &expected, &["sorted", "distinct"]);
}

#[test]
fn order_and_uniqueness_are_told_where_they_could_have_failed() {
    let sorted = lists(|list| list.sort_unstable());
    check(&sorted, &["sorted(self.seq())"], &["distinct"]);
    let set = lists(|list| {
        list.sort_unstable();
        list.dedup();
    });
    check(&set, &["sorted(self.seq())", "distinct(self.seq())"], &[]);
    check(&lists(|list| list.truncate(1)), &[], &["sorted", "distinct"]);
}
