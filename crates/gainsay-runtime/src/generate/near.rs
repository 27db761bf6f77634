//! Values near others: a call that reached new code is made again with something changed.

use gainsay_wire::Value;

use super::Gen;
use crate::table::PlainEntry;

/// Lists do not grow beyond this by doubling.
const MOST_ITEMS: usize = 512;

impl Gen<'_> {
    /// A value near a given one of a type; `fresh` makes up another one. A number keeps to its
    /// type: what is written down must be what is passed.
    pub(crate) fn near(
        &mut self,
        value: &Value,
        ty: PlainEntry,
        fresh: fn(&mut Gen<'_>) -> Value,
    ) -> Value {
        if self.random.one_in(4) {
            return fresh(self);
        }
        match value {
            Value::Str(text) => Value::Str(self.changed(text.clone())),
            Value::Int(number) => {
                let near = self.near_int(*number);
                let fits = matches!(ty, PlainEntry::Integer(ty) if ty.range().contains(&near));
                if fits { Value::Int(near) } else { fresh(self) }
            }
            Value::Seq(items) if matches!(ty, PlainEntry::Array(..)) => {
                self.near_array(items.clone(), fresh)
            }
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

    /// An array keeps its length: what is missing or left over would be passed other than written.
    fn near_array(&mut self, mut items: Vec<Value>, fresh: fn(&mut Gen<'_>) -> Value) -> Value {
        let Value::Seq(other) = fresh(self) else { return Value::Seq(items) };
        let at = self.random.below(items.len().max(1));
        if let (Some(item), Some(another)) = (items.get_mut(at), other.get(at)) {
            *item = another.clone();
        }
        Value::Seq(items)
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
            3 if !is_end && !other.is_empty() => items[at] = other[0].clone(),
            4 if !is_end && items.len() * 2 <= MOST_ITEMS => {
                let again = items[at..].to_vec();
                items.extend(again);
            }
            5 if !is_end => {
                if let Value::Int(number) = items[at] {
                    // Every type of integers has a number for each pattern of these bits.
                    items[at] = Value::Int(number ^ (1 << self.random.below(7)));
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

    use gainsay_wire::IntegerType;

    use super::*;
    use crate::{Random, generate::Hints, plain::Plain};

    const I64: PlainEntry = PlainEntry::Integer(IntegerType::I64);

    fn near(value: &Value, ty: PlainEntry, fresh: fn(&mut Gen<'_>) -> Value) -> BTreeSet<String> {
        let mut random = Random::new(5);
        let mut source = Gen::new(&mut random, Hints::default());
        (0..5_000).map(|_| source.near(value, ty, fresh).to_string()).collect()
    }

    #[test]
    fn items_stay_what_they_are() {
        let elements = Value::Seq(vec![Value::Elem(1), Value::Elem(2)]);
        for seen in
            near(&elements, PlainEntry::List(&PlainEntry::Probe), Vec::<crate::Probe>::generate)
        {
            let items = seen.trim_matches(['[', ']']).split(", ").filter(|item| !item.is_empty());
            assert!(items.clone().all(|item| item.starts_with("Probe(")), "{seen}");
        }
    }

    #[test]
    fn numbers_move_a_little_change_their_sign_and_double() {
        let seen = near(&Value::Int(100), I64, i64::generate);
        for wanted in ["101", "99", "-100", "200", "50"] {
            assert!(seen.contains(wanted), "{wanted} never came");
        }
    }

    #[test]
    fn numbers_keep_to_their_types() {
        let seen = near(&Value::Int(0), PlainEntry::Integer(IntegerType::Usize), usize::generate);
        assert!(seen.contains("1") && !seen.contains("-1"), "{seen:?}");
        let seen = near(&Value::Int(200), PlainEntry::Integer(IntegerType::U8), u8::generate);
        assert!(seen.contains("201") && !seen.contains("400"), "{seen:?}");
    }

    #[test]
    fn arrays_keep_their_length() {
        let array = Value::Seq([1, 2].map(Value::Int).to_vec());
        let seen = near(&array, PlainEntry::Array(&I64, 2), <[i64; 2]>::generate);
        assert!(seen.len() > 10 && seen.iter().all(|it| it.matches(',').count() == 1), "{seen:?}");
    }

    #[test]
    fn lists_lose_gain_and_repeat_items() {
        let list = Value::Seq([1, 2, 3].map(Value::Int).to_vec());
        let seen = near(&list, PlainEntry::List(&I64), Vec::<i64>::generate);
        for wanted in ["[1, 3]", "[1, 2]", "[2, 3]", "[1, 2, 3, 2, 3]", "[1, 6, 3]"] {
            assert!(seen.contains(wanted), "{wanted} never came");
        }
    }
}
