//! Branches of an operation's own code: conditions that it decides on, their opposites, the borders
//! between the two, and the ways through several of them. They are given: nothing here reads code.

use std::collections::BTreeSet;

use gainsay_wire::{Expr, Value};

/// Conditions that an operation decides on, as far as they can be told before its call.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Branches {
    /// Conditions by themselves.
    pub conditions: Vec<Expr>,
    /// Conditions that hold together on a way through the operation.
    pub ways: Vec<Expr>,
}

// Each target is a search and some dozen calls, for which all contracts of the operation wait. Most
// functions decide on fewer conditions than these; of generated or unrolled code the first are taken.
/// Conditions and their opposites that an operation is called in.
const MOST_SIDES: usize = 10;
/// Borders, besides: two comparisons with three each.
const MOST_BORDERS: usize = 6;
/// Ways, besides.
const MOST_WAYS: usize = 6;

impl Branches {
    /// Conditions on the operands, each a place where the operation's code may do something else.
    pub(crate) fn list_targets(&self) -> Vec<Expr> {
        let sides = self.conditions.iter().flat_map(|it| [it.clone(), it.negated()]);
        let borders = self.conditions.iter().flat_map(list_borders);
        let mut known = BTreeSet::new();
        let mut targets = Vec::new();
        let mut add = |some: &mut dyn Iterator<Item = Expr>, most: usize| {
            let new = some.filter(|it| known.insert(it.normal_form()));
            targets.extend(new.take(most));
        };
        add(&mut sides.into_iter(), MOST_SIDES);
        add(&mut borders.into_iter(), MOST_BORDERS);
        add(&mut self.ways.iter().cloned(), MOST_WAYS);
        targets
    }
}

/// Conditions that the sides of a comparison meet, or are one apart.
fn list_borders(condition: &Expr) -> Vec<Expr> {
    match condition {
        Expr::Compare(_, a, b) if may_be_number(a) && may_be_number(b) => {
            let (a, b) = order_sides(a, b);
            [0, -1, 1].map(|by| a.clone().equals(add_offset(b, by))).to_vec()
        }
        Expr::Not(of) => list_borders(of),
        Expr::And(parts) | Expr::Or(parts) => parts.iter().flat_map(list_borders).collect(),
        Expr::Implies(a, b) | Expr::Iff(a, b) => [list_borders(a), list_borders(b)].concat(),
        _ => Vec::new(),
    }
}

/// A value that is given comes first, a constant last, so that a border is written in one way.
fn order_sides<'e>(a: &'e Expr, b: &'e Expr) -> (&'e Expr, &'e Expr) {
    let rank = |side: &Expr| match side {
        Expr::Term(term) => u8::from(term.query.is_some()),
        Expr::Const(_) => 3,
        _ => 2,
    };
    if (rank(a), a) <= (rank(b), b) { (a, b) } else { (b, a) }
}

fn add_offset(side: &Expr, by: i128) -> Expr {
    match side {
        Expr::Const(Value::Int(number)) => Expr::int(number.saturating_add(by)),
        other => other.clone().plus(by),
    }
}

fn may_be_number(side: &Expr) -> bool {
    match side {
        Expr::Const(value) => matches!(value, Value::Int(_)),
        Expr::Term(_) | Expr::Len(_) => true,
        Expr::Arithmetic(_, a, b) => may_be_number(a) && may_be_number(b),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use gainsay_wire::{Names, Point, expr_text, parse_expr};

    use super::*;

    fn check(conditions: &[&str], ways: &[&str], expected: &[&str]) {
        let names = Names::new([("self".to_owned(), true), ("n".to_owned(), false)]);
        let read = |texts: &[&str]| {
            texts.iter().map(|it| parse_expr(it, &names, Point::Entry).unwrap()).collect()
        };
        let branches = Branches { conditions: read(conditions), ways: read(ways) };
        let targets = branches.list_targets();
        let told: Vec<String> =
            targets.iter().map(|it| expr_text(it, &names, Point::Entry)).collect();
        assert_eq!(told, expected);
    }

    #[test]
    fn a_condition_has_two_sides_and_a_comparison_borders() {
        check(&["self.is_empty()"], &[], &["self.is_empty()", "!self.is_empty()"]);
        let expected = [
            "n < self.len()",
            "n >= self.len()",
            "n == self.len()",
            "n == self.len() - 1",
            "n == self.len() + 1",
        ];
        check(&["n < self.len()"], &[], &expected);
        check(&["n < self.len()", "self.len() > n"], &[], &expected);
    }

    #[test]
    fn ways_are_gone_as_they_are_and_nothing_is_tried_without_end() {
        let way = "self.is_empty() && n == 0";
        check(&["n == 0"], &[way], &["n == 0", "n != 0", "n == -1", "n == 1", way]);
        let many: Vec<String> = (0..40).map(|i| format!("n < self.len() + {i}")).collect();
        let many: Vec<&str> = many.iter().map(String::as_str).collect();
        let names = Names::new([("self".to_owned(), true), ("n".to_owned(), false)]);
        let read = |it: &&str| parse_expr(it, &names, Point::Entry).unwrap();
        let all: Vec<Expr> = many.iter().map(read).collect();
        let branches = Branches { conditions: all.clone(), ways: all };
        let most = MOST_SIDES + MOST_BORDERS + MOST_WAYS;
        assert_eq!(branches.list_targets().len(), most);
    }
}
