//! What is known of the states of a type from those that were really seen: which views only
//! repeat the sequence of elements, and whether all sequences are sorted. A made-up state in which
//! a view does not go with the elements would be contradicted by them, not by a postcondition.

use std::collections::{BTreeMap, BTreeSet};

use gainsay_wire::{Manifest, Observation, OpId, Root, Term, TypeId, Value, Vocabulary, When};

use super::evidence::Evidence;

/// So many states of a type are kept.
const MOST_STATES: usize = 2_000;

/// The states of one type.
#[derive(Default)]
pub(super) struct Kind {
    /// Values of the views without argument, in the manifest's order.
    pub(super) states: Vec<Vec<Value>>,
    /// Where the elements are.
    pub(super) seq: Option<usize>,
    rules: Vec<Rule>,
    /// Whether the elements are sorted in every state.
    sorted: bool,
}

/// What a view is, given the elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Rule {
    /// It is on its own.
    Free,
    /// Always the same.
    Constant,
    Len,
    /// `n - len`
    Rest(i128),
    IsEmpty,
    /// `len == n`
    IsFull(i128),
    First,
    Last,
    Least,
    Greatest,
}

/// Positions of an object's views in the observations of an operation.
pub(super) struct Slot {
    pub(super) ty: TypeId,
    pub(super) root: Root,
    pub(super) positions: Vec<usize>,
}

/// Where the views of a type stand, for one object of a call.
pub(super) fn slot(
    manifest: &Manifest,
    vocabulary: &Vocabulary,
    (ty, root, when): (TypeId, Root, When),
) -> Option<Slot> {
    let term = |name: &str| Term { when, root, query: Some(name.to_owned()), with: None };
    let positions: Option<Vec<usize>> =
        manifest.unary(ty).map(|query| vocabulary.position(&term(&query.name))).collect();
    positions.filter(|p| !p.is_empty()).map(|positions| Slot { ty, root, positions })
}

/// All types that were seen.
pub(super) fn kinds(evidence: &Evidence) -> BTreeMap<TypeId, Kind> {
    let mut states: BTreeMap<TypeId, BTreeSet<Vec<Value>>> = BTreeMap::new();
    for (op, seen) in &evidence.samples {
        for slot in slots(&evidence.manifest, *op) {
            let known = states.entry(slot.ty).or_default();
            let whole = seen.iter().filter_map(|call| state(call, &slot));
            let room = MOST_STATES.saturating_sub(known.len());
            known.extend(whole.take(room));
        }
    }
    let kind = |(ty, states): (TypeId, BTreeSet<Vec<Value>>)| {
        let names: Vec<&str> = evidence.manifest.unary(ty).map(|q| q.name.as_str()).collect();
        (ty, Kind::new(&names, states.into_iter().collect()))
    };
    states.into_iter().map(kind).collect()
}

/// All objects of a call, before and after it.
fn slots(manifest: &Manifest, op: OpId) -> Vec<Slot> {
    let vocabulary = manifest.vocabulary(op);
    let objects = objects(manifest, op);
    let each = objects.iter().flat_map(|(ty, root)| {
        [When::Before, When::After].map(|when| slot(manifest, &vocabulary, (*ty, *root, when)))
    });
    each.flatten().collect()
}

/// The objects of a call: operands and what it makes.
pub(super) fn objects(manifest: &Manifest, op: OpId) -> Vec<(TypeId, Root)> {
    let Some(known) = manifest.ops.get(op.0 as usize) else { return Vec::new() };
    let operands = (0..).zip(&known.params).filter_map(|(i, param)| match param {
        gainsay_wire::ManifestParam::Object(ty, _) => Some((*ty, Root::Operand(i))),
        gainsay_wire::ManifestParam::Plain(_) => None,
    });
    let made = (0..).zip(&known.makes).map(|(i, ty)| (*ty, Root::Made(i)));
    operands.chain(made).collect()
}

fn state(call: &Observation, slot: &Slot) -> Option<Vec<Value>> {
    let values: Option<Vec<Value>> =
        slot.positions.iter().map(|at| call.values.get(*at).cloned()).collect();
    values.filter(|values| values.iter().all(|value| !value.is_undefined()))
}

impl Kind {
    /// Learns what is common to all states.
    pub(super) fn new(names: &[&str], states: Vec<Vec<Value>>) -> Kind {
        let seq = names.iter().position(|name| *name == "seq" || *name == "bag");
        let sequences: Vec<&[Value]> =
            states.iter().filter_map(|state| items(state.get(seq?)?)).collect();
        let rules = (0..names.len()).map(|view| rule(&states, seq, view)).collect();
        let sorted = sequences.iter().all(|items| items.is_sorted());
        Kind { states, seq, rules, sorted }
    }

    /// A state with other elements, all that depends on them with it. Where all elements are
    /// sorted, also one with these elements in their order.
    pub(super) fn with_items(&self, state: &[Value], items: Vec<Value>) -> Vec<Vec<Value>> {
        let mut orders = vec![items];
        if self.sorted && !orders[0].is_sorted() {
            let mut items = orders[0].clone();
            items.sort();
            orders.push(items);
        }
        orders.into_iter().filter_map(|items| self.with_just(state, items)).collect()
    }

    fn with_just(&self, state: &[Value], items: Vec<Value>) -> Option<Vec<Value>> {
        let mut made = state.to_vec();
        for (value, rule) in made.iter_mut().zip(&self.rules) {
            if let Some(derived) = derived(*rule, &items) {
                *value = derived;
            }
        }
        *made.get_mut(self.seq?)? = Value::Seq(items);
        Some(made)
    }

    /// Views that say something of their own, other than the elements.
    pub(super) fn free(&self) -> impl Iterator<Item = usize> {
        let views = self.rules.iter().enumerate();
        views.filter(|(at, rule)| **rule == Rule::Free && Some(*at) != self.seq).map(|(at, _)| at)
    }
}

pub(super) fn items(value: &Value) -> Option<&[Value]> {
    match value {
        Value::Seq(items) => Some(items),
        _ => None,
    }
}

fn rule(states: &[Vec<Value>], seq: Option<usize>, view: usize) -> Rule {
    let value = |state: &[Value]| state.get(view).cloned().unwrap_or(Value::Undefined);
    let Some(first) = states.first() else { return Rule::Free };
    let mut rules = Vec::new();
    if let Some(elements) = seq.and_then(|seq| items(first.get(seq)?)) {
        let len = len(elements);
        let whole = value(first).as_int().map(|value| value + len);
        let full = states.iter().find(|state| value(state) == Value::Bool(true));
        let full = full.and_then(|state| items(state.get(seq?)?)).map(self::len);
        rules.extend([Rule::Len, Rule::IsEmpty, Rule::First, Rule::Last]);
        rules.extend([Rule::Least, Rule::Greatest]);
        rules.extend(whole.map(Rule::Rest));
        rules.extend(full.map(Rule::IsFull));
    }
    if states.iter().all(|state| value(state) == value(first)) {
        return Rule::Constant;
    }
    let holds = |rule: &Rule| {
        states.iter().all(|state| {
            let elements = seq.and_then(|seq| items(state.get(seq)?));
            elements.and_then(|items| derived(*rule, items)) == Some(value(state))
        })
    };
    rules.into_iter().find(holds).unwrap_or(Rule::Free)
}

fn derived(rule: Rule, items: &[Value]) -> Option<Value> {
    let option = |item: Option<&Value>| Value::Opt(item.cloned().map(Box::new));
    Some(match rule {
        Rule::Free | Rule::Constant => return None,
        Rule::Len => Value::Int(len(items)),
        Rule::Rest(whole) => Value::Int(whole - len(items)),
        Rule::IsEmpty => Value::Bool(items.is_empty()),
        Rule::IsFull(most) => Value::Bool(len(items) == most),
        Rule::First => option(items.first()),
        Rule::Last => option(items.last()),
        Rule::Least => option(items.iter().min()),
        Rule::Greatest => option(items.iter().max()),
    })
}

fn len(items: &[Value]) -> i128 {
    i128::try_from(items.len()).unwrap_or(i128::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn int_state(items: &[i128]) -> Vec<Value> {
        let len = i128::try_from(items.len()).unwrap();
        let elements: Vec<Value> = items.iter().copied().map(Value::Int).collect();
        let first = Value::Opt(elements.first().cloned().map(Box::new));
        vec![
            Value::Int(len),
            Value::Bool(len == 0),
            Value::Int(4 - len),
            Value::Bool(len == 4),
            first,
            Value::Int(4),
            Value::Int(items.iter().sum()),
            Value::Seq(elements),
        ]
    }

    fn kind() -> Kind {
        let names = ["len", "is_empty", "rest", "is_full", "first", "capacity", "sum", "seq"];
        let states = [&[][..], &[1], &[1, 5], &[2, 3, 4], &[1, 2, 3, 9]].map(int_state);
        Kind::new(&names, states.to_vec())
    }

    #[test]
    fn views_that_repeat_the_elements_change_with_them_in_any_order_and_in_theirs() {
        let changed = kind().with_items(&int_state(&[1]), vec![Value::Int(7), Value::Int(5)]);
        let mut expected = [int_state(&[7, 5]), int_state(&[5, 7])];
        // The sum is no view that can be told from the elements here: it stays.
        for state in &mut expected {
            state[6] = Value::Int(1);
        }
        assert_eq!(changed, expected);
        assert_eq!(kind().free().collect::<Vec<_>>(), [6]);
    }
}
