//! Values near others: a call that reached new code is made again with something changed.

use gainsay_wire::Value;

use super::Gen;

/// Lists do not grow beyond this by doubling.
const MOST_ITEMS: usize = 512;

impl Gen<'_> {
    /// A value near a given one; `fresh` makes up another one of its type.
    pub(crate) fn near(&mut self, value: &Value, fresh: fn(&mut Gen<'_>) -> Value) -> Value {
        if self.random.one_in(4) {
            return fresh(self);
        }
        match value {
            Value::Str(text) => Value::Str(self.changed(text.clone())),
            Value::Int(number) => Value::Int(self.near_int(*number)),
            Value::Seq(items) => self.near_items(items.clone(), fresh),
            _ => fresh(self),
        }
    }

    fn near_int(&mut self, number: i128) -> i128 {
        match self.random.below(6) {
            0 => number.saturating_add(1),
            1 => number.saturating_sub(1),
            2 => number.saturating_neg(),
            3 => number.saturating_mul(2),
            4 => number / 2,
            _ => number ^ (1_i128 << self.random.below(32)),
        }
    }

    /// What replaces or joins items is taken from another list of the same type.
    fn near_items(&mut self, mut items: Vec<Value>, fresh: fn(&mut Gen<'_>) -> Value) -> Value {
        let at = self.random.below(items.len() + 1);
        let Value::Seq(other) = fresh(self) else { return Value::Seq(items) };
        let is_end = at == items.len();
        match self.random.below(7) {
            0 if !is_end => drop(items.remove(at)),
            1 => items.truncate(at),
            2 => drop(items.drain(..at)),
            3 if !is_end => items[at] = other.first().cloned().unwrap_or(Value::Int(0)),
            4 if !is_end && items.len() * 2 <= MOST_ITEMS => {
                let again = items[at..].to_vec();
                items.extend(again);
            }
            5 if !is_end => {
                if let Value::Int(number) = items[at] {
                    items[at] = Value::Int(number ^ (1 << self.random.below(8)));
                }
            }
            _ => drop(items.splice(at..at, other)),
        }
        Value::Seq(items)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::{Random, generate::Hints, plain::Plain};

    fn near(value: &Value, fresh: fn(&mut Gen<'_>) -> Value) -> BTreeSet<String> {
        let mut random = Random::new(5);
        let mut source = Gen::new(&mut random, Hints::default());
        (0..5_000).map(|_| source.near(value, fresh).to_string()).collect()
    }

    #[test]
    fn numbers_move_a_little_change_their_sign_and_double() {
        let seen = near(&Value::Int(100), i64::generate);
        for wanted in ["101", "99", "-100", "200", "50"] {
            assert!(seen.contains(wanted), "{wanted} never came");
        }
    }

    #[test]
    fn lists_lose_gain_and_repeat_items() {
        let list = Value::Seq([1, 2, 3].map(Value::Int).to_vec());
        let seen = near(&list, Vec::<i64>::generate);
        for wanted in ["[1, 3]", "[1, 2]", "[2, 3]", "[1, 2, 3, 2, 3]", "[1, 6, 3]"] {
            assert!(seen.contains(wanted), "{wanted} never came");
        }
    }
}
