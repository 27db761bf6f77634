//! What the functions of the language compute. An argument of another kind than a function is
//! made for, or an undefined one, makes the result undefined.

use std::collections::BTreeSet;

use super::as_position;
use crate::{Function, Value};

/// A function of one argument.
pub(super) fn of_one(function: Function, a: &Value) -> Value {
    let on_items = |compute: fn(&[Value]) -> Value| match a {
        Value::Seq(items) => compute(items),
        _ => Value::Undefined,
    };
    match (function, a) {
        (Function::Abs, Value::Int(a)) => a.checked_abs().map_or(Value::Undefined, Value::Int),
        (Function::Chars, Value::Str(text)) => Value::Seq(text.chars().map(Value::Char).collect()),
        (Function::First, _) => on_items(|items| as_option(items.first())),
        (Function::Last, _) => on_items(|items| as_option(items.last())),
        (Function::Reverse, _) => {
            on_items(|items| Value::Seq(items.iter().rev().cloned().collect()))
        }
        (Function::Sort, _) => on_items(|items| Value::Seq(sorted_items(items))),
        (Function::Sorted, _) => on_items(|items| Value::Bool(items.is_sorted())),
        (Function::Distinct, _) => on_items(|items| Value::Bool(are_distinct(items))),
        (Function::Dedup, _) => on_items(|items| {
            let mut items = items.to_vec();
            items.dedup();
            Value::Seq(items)
        }),
        (Function::Least, _) => on_items(|items| as_option(items.iter().min())),
        (Function::Greatest, _) => on_items(|items| as_option(items.iter().max())),
        (Function::Sum, _) => on_items(sum_integers),
        (Function::Set, _) => on_items(|items| as_set(items.iter())),
        (Function::Keys, _) => on_items(|items| each_pair(items, |[key, _]| key)),
        (Function::Values, _) => on_items(|items| each_pair(items, |[_, value]| value)),
        _ => Value::Undefined,
    }
}

/// A function of two arguments.
pub(super) fn of_two(function: Function, a: &Value, b: &Value) -> Value {
    if a.is_undefined() || b.is_undefined() {
        return Value::Undefined;
    }
    match (function, a, b) {
        (Function::Repeat, a, b) => repeat_item(a, b),
        (Function::Min | Function::Max | Function::Cmp, a, b) => of_order(function, a, b),
        (_, Value::Seq(s), Value::Seq(t)) => {
            // A sequence can also be the element that is asked for.
            let joint = of_sequences(function, s, t);
            if joint.is_undefined() { of_element(function, s, b) } else { joint }
        }
        (_, Value::Seq(items), b) => of_element(function, items, b),
        (_, Value::Str(text), b) => of_text(function, text, b),
        _ => Value::Undefined,
    }
}

/// A function of three arguments.
pub(super) fn of_three(function: Function, [a, b, c]: [&Value; 3]) -> Value {
    let Value::Seq(items) = a else { return Value::Undefined };
    if b.is_undefined() || c.is_undefined() {
        return Value::Undefined;
    }
    let changed = match function {
        Function::Swap => swap_items(items, b, c),
        // One past the end is a place to insert at, but not to put at.
        Function::Insert => as_position(b).filter(|at| *at <= items.len()).map(|at| {
            let mut items = items.clone();
            items.insert(at, c.clone());
            items
        }),
        Function::Put => as_position(b).filter(|at| *at < items.len()).map(|at| {
            let mut items = items.clone();
            items[at] = c.clone();
            items
        }),
        Function::With => Some(with_entry(items, b, c)),
        _ => None,
    };
    changed.map_or(Value::Undefined, Value::Seq)
}

fn of_order(function: Function, a: &Value, b: &Value) -> Value {
    // A token is a digest: its order is not the order of what it stands for.
    if a.kind() != b.kind() || matches!(a, Value::Token(_)) {
        return Value::Undefined;
    }
    match function {
        Function::Min => a.min(b).clone(),
        Function::Max => a.max(b).clone(),
        _ => Value::Order(a.cmp(b)),
    }
}

fn of_sequences(function: Function, s: &[Value], t: &[Value]) -> Value {
    match function {
        Function::Permutation => Value::Bool(is_permutation(s, t)),
        Function::Subset => Value::Bool(s.iter().all(|item| t.contains(item))),
        Function::Prefix => Value::Bool(t.starts_with(s)),
        Function::Suffix => Value::Bool(t.ends_with(s)),
        Function::Subsequence => Value::Bool(is_subsequence(s, t)),
        Function::Merge => merge_maps(s, t),
        Function::Union => as_set(s.iter().chain(t)),
        Function::Intersection => as_set(s.iter().filter(|item| t.contains(item))),
        Function::Difference => as_set(s.iter().filter(|item| !t.contains(item))),
        Function::Symmetric => {
            let ours = s.iter().filter(|item| !t.contains(item));
            as_set(ours.chain(t.iter().filter(|item| !s.contains(item))))
        }
        _ => Value::Undefined,
    }
}

fn of_element(function: Function, items: &[Value], b: &Value) -> Value {
    match function {
        Function::Contains => Value::Bool(items.contains(b)),
        Function::Count => as_count(items.iter().filter(|item| *item == b).count()),
        Function::IndexOf => match items.iter().position(|item| item == b) {
            Some(at) => Value::some(as_count(at)),
            None => Value::none(),
        },
        Function::Get if b.as_int().is_some() => {
            as_option(as_position(b).and_then(|at| items.get(at)))
        }
        // In a sequence that is no map a missing key would be an answer about nothing.
        Function::Lookup if items.iter().all(|item| as_pair(item).is_some()) => {
            let found = items.iter().filter_map(as_pair).find(|[key, _]| *key == b);
            as_option(found.map(|[_, value]| value))
        }
        Function::Without => {
            // One function serves sets and maps, so that a contract reads alike for both.
            let kept = items.iter().filter(|item| *item != b && !has_key(item, b));
            Value::Seq(kept.cloned().collect())
        }
        Function::Remove => match as_position(b).filter(|at| *at < items.len()) {
            Some(at) => Value::Seq([&items[..at], &items[at + 1..]].concat()),
            None => Value::Undefined,
        },
        Function::SwapRemove => match as_position(b).filter(|at| *at < items.len()) {
            Some(at) => {
                let mut items = items.to_vec();
                items.swap_remove(at);
                Value::Seq(items)
            }
            None => Value::Undefined,
        },
        Function::Rotate => rotate_items(items, b).map_or(Value::Undefined, Value::Seq),
        _ => Value::Undefined,
    }
}

fn of_text(function: Function, text: &str, b: &Value) -> Value {
    match (function, b) {
        (Function::Contains, Value::Str(part)) => Value::Bool(text.contains(part.as_str())),
        (Function::Contains, Value::Char(part)) => Value::Bool(text.contains(*part)),
        (Function::Prefix, Value::Str(whole)) => Value::Bool(whole.starts_with(text)),
        (Function::Suffix, Value::Str(whole)) => Value::Bool(whole.ends_with(text)),
        (Function::Count, Value::Char(part)) => {
            as_count(text.chars().filter(|c| c == part).count())
        }
        _ => Value::Undefined,
    }
}

fn as_option(found: Option<&Value>) -> Value {
    Value::Opt(found.map(|value| Box::new(value.clone())))
}

fn as_count(number: usize) -> Value {
    i128::try_from(number).map_or(Value::Undefined, Value::Int)
}

fn sorted_items(items: &[Value]) -> Vec<Value> {
    let mut items = items.to_vec();
    items.sort();
    items
}

fn are_distinct(items: &[Value]) -> bool {
    let mut seen = BTreeSet::new();
    items.iter().all(|item| seen.insert(item))
}

fn is_permutation(s: &[Value], t: &[Value]) -> bool {
    s.len() == t.len() && in_order(s) == in_order(t)
}

fn in_order(items: &[Value]) -> Vec<&Value> {
    // References are sorted: elements may be long sequences themselves.
    let mut items: Vec<&Value> = items.iter().collect();
    items.sort();
    items
}

fn is_subsequence(s: &[Value], t: &[Value]) -> bool {
    let mut rest = t.iter();
    s.iter().all(|item| rest.any(|other| other == item))
}

fn sum_integers(items: &[Value]) -> Value {
    // A sum that overflows is undefined; a wrapped one would refute true contracts.
    let total = items.iter().try_fold(0_i128, |sum, item| sum.checked_add(item.as_int()?));
    total.map_or(Value::Undefined, Value::Int)
}

fn as_set<'a>(items: impl Iterator<Item = &'a Value>) -> Value {
    Value::Seq(items.collect::<BTreeSet<_>>().into_iter().cloned().collect())
}

fn as_pair(item: &Value) -> Option<[&Value; 2]> {
    match item {
        Value::Tuple(parts) => match &parts[..] {
            [first, second] => Some([first, second]),
            _ => None,
        },
        _ => None,
    }
}

fn has_key(item: &Value, key: &Value) -> bool {
    as_pair(item).is_some_and(|[first, _]| first == key)
}

fn each_pair(items: &[Value], choose: fn([&Value; 2]) -> &Value) -> Value {
    let chosen = items.iter().map(|item| as_pair(item).map(|pair| choose(pair).clone()));
    chosen.collect::<Option<_>>().map_or(Value::Undefined, Value::Seq)
}

fn with_entry(items: &[Value], key: &Value, value: &Value) -> Vec<Value> {
    let mut items = items.to_vec();
    let new = Value::Tuple(vec![key.clone(), value.clone()]);
    match items.iter_mut().find(|item| has_key(item, key)) {
        Some(old) => *old = new,
        None => items.push(new),
    }
    items
}

fn merge_maps(items: &[Value], more: &[Value]) -> Value {
    let mut merged = items.to_vec();
    for item in more {
        let Some([key, value]) = as_pair(item) else { return Value::Undefined };
        merged = with_entry(&merged, key, value);
    }
    Value::Seq(merged)
}

fn repeat_item(item: &Value, times: &Value) -> Value {
    match as_position(times) {
        // The same limit as for ranges: an argument of a subject must not decide how much memory the
        // driver takes.
        Some(times) if times <= 1 << 16 => Value::Seq(vec![item.clone(); times]),
        _ => Value::Undefined,
    }
}

fn swap_items(items: &[Value], a: &Value, b: &Value) -> Option<Vec<Value>> {
    let (a, b) = (as_position(a)?, as_position(b)?);
    let mut items = (a.max(b) < items.len()).then(|| items.to_vec())?;
    items.swap(a, b);
    Some(items)
}

fn rotate_items(items: &[Value], by: &Value) -> Option<Vec<Value>> {
    let by = by.as_int()?;
    // `unsigned_abs`, because the least integer has no positive counterpart.
    let distance = usize::try_from(by.unsigned_abs()).ok()?;
    let mut items = (distance <= items.len()).then(|| items.to_vec())?;
    if by < 0 {
        items.rotate_right(distance);
    } else {
        items.rotate_left(distance);
    }
    Some(items)
}
