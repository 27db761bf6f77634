//! Calls that did not happen: real ones with another result, or with an operand left in another
//! state. Results and states are those that were really seen elsewhere, and such as differ from
//! the real one in a single thing.

use std::collections::{BTreeMap, BTreeSet};

use gainsay_wire::{
    Manifest, ManifestParam, Mode, Observation, Root, Term, TypeId, Value, Vocabulary, When,
};

use super::{
    evidence::Case,
    kinds::{Kind, Slot, items, slot},
};

/// So many calls are varied.
const MOST_BASES: usize = 300;
/// So many states, and as many results, of other calls are tried on each.
const MOST_OTHERS: usize = 16;
/// So many elements are tried in the place of others.
const MOST_ELEMENTS: usize = 3;

/// All that is needed to vary the calls of one operation.
pub(super) struct Variants<'a> {
    case: &'a Case<'a>,
    kinds: &'a BTreeMap<TypeId, Kind>,
    slots: Vec<Slot>,
    result: Option<usize>,
    /// Where the result stands as a view of the receiver: what a query returns is what is seen.
    views: Vec<usize>,
    results: Vec<Value>,
    elements: Vec<Value>,
}

impl<'a> Variants<'a> {
    /// Of the calls of an operation.
    pub(super) fn new(
        manifest: &Manifest,
        kinds: &'a BTreeMap<TypeId, Kind>,
        case: &'a Case<'a>,
    ) -> Variants<'a> {
        let result = case.vocabulary.position(&Term::result());
        let passing = case.seen.iter().filter(|call| call.outcome.returned());
        let seen = passing.filter_map(|call| call.values.get(result?));
        let results: BTreeSet<Value> =
            seen.filter(|value| !value.is_undefined()).cloned().collect();
        let mut elements = BTreeSet::new();
        for value in case.seen.iter().flat_map(|call| &call.values) {
            collect_elements(value, &mut elements);
        }
        Variants {
            case,
            kinds,
            slots: changing(manifest, case),
            result,
            views: own_views(manifest, case),
            results: results.into_iter().collect(),
            elements: elements.into_iter().collect(),
        }
    }

    /// Shows each variant of the passing calls, with the number of the call that it varies.
    pub(super) fn each(&self, see: &mut dyn FnMut(usize, &[Value])) {
        let passing: Vec<&Observation> =
            self.case.seen.iter().filter(|call| call.outcome.returned()).collect();
        let step = passing.len().div_ceil(MOST_BASES).max(1);
        for (base, call) in passing.into_iter().step_by(step).enumerate() {
            self.results_of(base, call, see);
            for slot in &self.slots {
                self.states_of(base, call, slot, see);
            }
        }
    }

    fn results_of(&self, base: usize, call: &Observation, see: &mut dyn FnMut(usize, &[Value])) {
        let Some(at) = self.result else { return };
        let Some(real) = call.values.get(at).filter(|value| !value.is_undefined()) else { return };
        let mut others: BTreeSet<Value> = spread(&self.results, base).cloned().collect();
        others.extend(self.nearby(real, base));
        others.remove(real);
        for other in others {
            let mut values = call.values.clone();
            for view in self.views.iter().filter(|view| call.values.get(**view) == Some(real)) {
                values[*view] = other.clone();
            }
            values[at] = other;
            see(base, &values);
        }
    }

    fn states_of(
        &self,
        base: usize,
        call: &Observation,
        slot: &Slot,
        see: &mut dyn FnMut(usize, &[Value]),
    ) {
        let real: Option<Vec<Value>> =
            slot.positions.iter().map(|at| call.values.get(*at).cloned()).collect();
        let Some(real) = real.filter(|real| real.iter().any(|value| !value.is_undefined())) else {
            return;
        };
        let Some(kind) = self.kinds.get(&slot.ty) else { return };
        let mut others: BTreeSet<Vec<Value>> = spread(&kind.states, base).cloned().collect();
        let alike: Vec<Vec<Value>> =
            kind.states.iter().filter(|state| same_len(kind, state, &real)).cloned().collect();
        others.extend(spread(&alike, base).cloned());
        others.extend(self.states_nearby(kind, &real, base));
        others.remove(&real);
        for other in others {
            see(base, &self.placed(call, slot, other));
        }
    }

    /// The call with a state put in its place. What its queries say of other operands is not
    /// known then.
    fn placed(&self, call: &Observation, slot: &Slot, state: Vec<Value>) -> Vec<Value> {
        let mut values = call.values.clone();
        for (at, value) in slot.positions.iter().zip(state) {
            values[*at] = value;
        }
        for (at, term) in self.case.vocabulary.terms().iter().enumerate() {
            let with = term.with.map(Root::Operand);
            if term.when == When::After
                && with.is_some()
                && [Some(term.root), with].contains(&Some(slot.root))
            {
                values[at] = Value::Undefined;
            }
        }
        values
    }

    /// States that differ in one element, or in one view that is on its own.
    fn states_nearby(&self, kind: &Kind, real: &[Value], base: usize) -> Vec<Vec<Value>> {
        let mut states = Vec::new();
        if let Some(elements) = kind.seq.and_then(|seq| items(real.get(seq)?)) {
            let others = self.sequences_nearby(elements, base);
            states.extend(others.into_iter().flat_map(|items| kind.with_items(real, items)));
        }
        for view in kind.free() {
            for other in self.nearby(&real[view], base) {
                let mut state = real.to_vec();
                state[view] = other;
                states.push(state);
            }
        }
        states
    }

    /// Values that differ in one thing.
    fn nearby(&self, value: &Value, base: usize) -> Vec<Value> {
        let inside = |value: &Value| self.nearby(value, base);
        match value {
            Value::Bool(value) => vec![Value::Bool(!value)],
            Value::Int(value) => [-1, 1].iter().map(|by| Value::Int(value + by)).collect(),
            Value::Order(_) => {
                use std::cmp::Ordering::{Equal, Greater, Less};
                [Less, Equal, Greater].map(Value::Order).to_vec()
            }
            Value::Elem(_) | Value::Char(_) => self.elements_like(value, base),
            Value::Opt(Some(of)) => {
                let changed = inside(of).into_iter().map(Value::some);
                changed.chain([Value::none()]).collect()
            }
            Value::Res(is_ok, of) => {
                inside(of).into_iter().map(|of| Value::Res(*is_ok, Box::new(of))).collect()
            }
            Value::Tuple(parts) => {
                let mut tuples = Vec::new();
                for (at, part) in parts.iter().enumerate() {
                    for other in inside(part) {
                        let mut parts = parts.clone();
                        parts[at] = other;
                        tuples.push(Value::Tuple(parts));
                    }
                }
                tuples
            }
            Value::Seq(items) => {
                self.sequences_nearby(items, base).into_iter().map(Value::Seq).collect()
            }
            _ => Vec::new(),
        }
    }

    /// Sequences with one element less, more, elsewhere or other.
    fn sequences_nearby(&self, items: &[Value], base: usize) -> Vec<Vec<Value>> {
        let mut others = Vec::new();
        let len = items.len();
        for at in ends(len) {
            let mut shorter = items.to_vec();
            let taken = shorter.remove(at);
            others.push(shorter);
            for other in self.nearby(&taken, base) {
                let mut changed = items.to_vec();
                changed[at] = other;
                others.push(changed);
            }
            let mut swapped = items.to_vec();
            swapped.swap(at, (at + 1) % len);
            others.push(swapped);
        }
        let sample = items.first().cloned().or_else(|| self.elements.first().cloned());
        for element in sample.iter().flat_map(|sample| self.elements_like(sample, base)) {
            others.push([items, std::slice::from_ref(&element)].concat());
            others.push([std::slice::from_ref(&element), items].concat());
        }
        others.push(items.iter().rev().cloned().collect());
        others
    }

    fn elements_like(&self, value: &Value, base: usize) -> Vec<Value> {
        let alike: Vec<&Value> =
            self.elements.iter().filter(|other| other.kind() == value.kind()).collect();
        let from = if alike.is_empty() { 0 } else { base % alike.len() };
        alike.into_iter().cycle().skip(from).take(MOST_ELEMENTS).cloned().collect()
    }
}

/// The first positions of a sequence, and its last.
fn ends(len: usize) -> BTreeSet<usize> {
    [0, 1, len / 2, len.wrapping_sub(1)].into_iter().filter(|at| *at < len).collect()
}

/// What a call can leave otherwise than it was: operands by `&mut`, and what it makes.
fn changing(manifest: &Manifest, case: &Case<'_>) -> Vec<Slot> {
    let Some(op) = manifest.ops.get(case.op.0 as usize) else { return Vec::new() };
    let operands = (0..).zip(&op.params).filter_map(|(i, param)| match param {
        ManifestParam::Object(ty, Mode::Mut) => Some((*ty, Root::Operand(i))),
        _ => None,
    });
    let made = (0..).zip(&op.makes).map(|(i, ty)| (*ty, Root::Made(i)));
    let vocabulary: &Vocabulary = &case.vocabulary;
    let objects = operands.chain(made);
    objects.filter_map(|(ty, root)| slot(manifest, vocabulary, (ty, root, When::After))).collect()
}

/// The terms that are the called operation itself, asked of its receiver.
fn own_views(manifest: &Manifest, case: &Case<'_>) -> Vec<usize> {
    let Some(op) = manifest.ops.get(case.op.0 as usize) else { return Vec::new() };
    let path = op.name.split(" for ").next().unwrap_or_default();
    let name = path.rsplit("::").next().filter(|_| op.params.len() == 1);
    let is_own = |term: &Term| {
        term.root == Root::Operand(0) && name.is_some() && term.query.as_deref() == name
    };
    let terms = case.vocabulary.terms().iter().enumerate();
    terms.filter(|(_, term)| is_own(term)).map(|(at, _)| at).collect()
}

/// Some of many, others for each base.
fn spread<T>(all: &[T], base: usize) -> impl Iterator<Item = &T> {
    let step = all.len().div_ceil(MOST_OTHERS).max(1);
    let from = base % step;
    all.iter().skip(from).step_by(step)
}

fn same_len(kind: &Kind, a: &[Value], b: &[Value]) -> bool {
    let len = |state: &[Value]| kind.seq.and_then(|seq| items(state.get(seq)?)).map(<[_]>::len);
    len(a).is_some() && len(a) == len(b)
}

/// Elements of sequences, and pairs of them as well as their parts.
fn collect_elements(value: &Value, into: &mut BTreeSet<Value>) {
    match value {
        Value::Elem(_) | Value::Char(_) => {
            into.insert(value.clone());
        }
        Value::Seq(items) => {
            into.extend(items.iter().cloned());
            for item in items {
                collect_elements(item, into);
            }
        }
        Value::Tuple(parts) => parts.iter().for_each(|part| collect_elements(part, into)),
        Value::Opt(Some(inside)) | Value::Res(_, inside) => collect_elements(inside, into),
        _ => {}
    }
}
