//! Operations that show the same in different ways: `iter` and `into_iter`, `keys`, `values`,
//! `drain`, and any `…_mut` beside its twin.

use gainsay_wire::{ItemCount, ItemPart, LawId, Listing, Mode, OpId, Standing, TypeId, Value};

use super::{
    Law,
    iterators::{is_honest, meets},
    scene::{Method, Scene, Takes, fits, key_of, methods, yields},
};
use crate::table::PlainEntry;
use crate::world::World;

/// How names begin of operations that show items. Others may mean something else by `…_mut`: room
/// that is left to be written to, say.
const SHOW: [&str; 11] =
    ["iter", "get", "values", "range", "first", "last", "front", "back", "peek", "split", "chunks"];

/// Arguments that are tried.
const MOST_ARGUMENTS: usize = 12;

pub(super) fn laws(world: &World, ty: TypeId) -> Vec<Law> {
    let all: Vec<Method<'_>> = methods(world, ty).collect();
    let mut laws = Vec::new();
    for method in &all {
        if let (Some(listing), Takes::Nothing) = (Listing::of_word(method.name), method.takes) {
            laws.extend(lists(method, listing));
        }
        if method.takes == Takes::Nothing && is_walked_once(world, method) {
            laws.extend(walks(world, method));
        }
        let twin = method.name.strip_suffix("_mut").and_then(|name| {
            all.iter().find(|other| {
                other.name == name && other.mode == Mode::Ref && other.takes == method.takes
            })
        });
        let is_shown = SHOW.iter().any(|stem| method.name.starts_with(stem));
        if let (Some(twin), Mode::Mut, true) = (twin, method.mode, is_shown) {
            laws.push(twins(method, twin));
        }
    }
    let mut names = std::collections::BTreeSet::new();
    laws.retain(|law| names.insert(law.id.clone()));
    laws
}

/// Whether an operation makes an iterator that cannot be copied: then only a fresh one can be
/// walked through without harm.
fn is_walked_once(world: &World, method: &Method<'_>) -> bool {
    let copied = |ty: &TypeId| world.type_entry(*ty).clone.is_some();
    yields(world, method.op).is_some() && !method.entry.makes.iter().any(copied)
}

/// What an operation lists are the items, and mostly in the same order.
fn lists(method: &Method<'_>, listing: Listing) -> [Law; 2] {
    let (op, mode, part) = (method.op, method.mode, listing.part());
    let all = move |scene: &Scene<'_>| {
        let (expected, found) = listed(scene, (op, mode), part)?;
        is_same(expected, found, Order::Any)
    };
    let ordered = move |scene: &Scene<'_>| {
        scene.seq().filter(|items| items.len() > 1)?;
        let (expected, found) = listed(scene, (op, mode), part)?;
        is_same(expected, found, Order::Kept)
    };
    [
        Law::one(LawId::GivesEveryItem { listing }, Standing::Convention, all),
        Law::one(LawId::KeepsTheOrder { listing }, Standing::Guess, ordered),
    ]
    .map(|law| law.costly().blaming(op))
}

/// What should be listed, and what is.
fn listed(
    scene: &Scene<'_>,
    (op, mode): (OpId, Mode),
    part: ItemPart,
) -> Option<(Vec<Value>, Vec<Value>)> {
    let items = scene.bag()?.iter();
    let expected = items.map(|item| part_of(item, part)).collect::<Option<Vec<_>>>()?;
    let copy = if mode == Mode::Ref { None } else { Some(scene.copy()?) };
    let mut listed = scene.call(op, copy.as_ref().unwrap_or(scene.cell), &[])?;
    let found = scene.listed(op, &mut listed)?;
    Some((expected, found))
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Order {
    Kept,
    Any,
}

/// Whether two lists are the same; `None` when their items cannot be compared.
fn is_same(mut a: Vec<Value>, mut b: Vec<Value>, order: Order) -> Option<bool> {
    if a.len() != b.len() {
        return Some(false);
    }
    if a.iter().zip(&b).any(|(a, b)| a.kind() != b.kind()) {
        return None;
    }
    if order == Order::Any {
        a.sort();
        b.sort();
    }
    Some(a == b)
}

fn part_of(item: &Value, part: ItemPart) -> Option<Value> {
    match (item, part) {
        (_, ItemPart::Whole) => Some(item.clone()),
        (Value::Tuple(parts), _) if parts.len() == 2 => {
            Some(parts[usize::from(part == ItemPart::Second)].clone())
        }
        _ => None,
    }
}

/// What iterators that cannot be copied say of their length, and both their ends.
fn walks(world: &World, method: &Method<'_>) -> Vec<Law> {
    let (op, listing) = (method.op, method.name.to_owned());
    let Some(iteration) = yields(world, op) else { return Vec::new() };
    let count = if iteration.len.is_some() { ItemCount::Len } else { ItemCount::SizeHint };
    let id = LawId::CountOf { count, listing: listing.clone() };
    let mut laws = vec![
        Law::one(id, Standing::Trait, move |scene| {
            let on = scene.copy()?;
            let mut outcome = scene.call(op, &on, &[])?;
            is_honest(&iteration, &mut *outcome.made.first_mut()?.1)
        })
        .costly()
        .blaming(op),
    ];
    if iteration.next_back.is_some() {
        let rule = move |scene: &Scene<'_>| {
            let (one, other) = (scene.copy()?, scene.copy()?);
            let mut outcome = scene.call(op, &one, &[])?;
            let items = scene.listed(op, &mut outcome)?;
            let mut outcome = scene.call(op, &other, &[])?;
            meets(&iteration, &mut *outcome.made.first_mut()?.1, &items)
        };
        let law = Law::one(LawId::BothEndsOf { listing }, Standing::Trait, rule);
        laws.push(law.costly().blaming(op));
    }
    laws
}

/// `name_mut` shows what `name` does, for any argument.
fn twins(method: &Method<'_>, twin: &Method<'_>) -> Law {
    let (mutable, shared) = (method.op, twin.op);
    let key = match method.takes {
        Takes::Nothing => None,
        Takes::Plain(key) => Some(key),
        // Nothing is of this type: there are no arguments to try.
        Takes::Other => Some(PlainEntry::Other("")),
    };
    let rule = move |scene: &Scene<'_>| {
        let arguments = match &key {
            None => vec![Vec::new()],
            Some(key) => arguments(scene, *key).into_iter().map(|arg| vec![arg]).collect(),
        };
        let mut compared = None;
        for args in arguments {
            let on = scene.copy()?;
            let Some(mut a) = scene.call(shared, scene.cell, &args) else { continue };
            let Some(mut b) = scene.call(mutable, &on, &args) else { continue };
            let same = if a.made.is_empty() && b.made.is_empty() {
                a.value == b.value
            } else {
                let (Some(a), Some(b)) =
                    (scene.listed(shared, &mut a), scene.listed(mutable, &mut b))
                else {
                    continue;
                };
                let Some(same) = is_same(a, b, Order::Kept) else { continue };
                same
            };
            if !same {
                return Some(false);
            }
            compared = Some(true);
        }
        compared
    };
    let id = LawId::MutAgreesWith { shared: twin.name.to_owned() };
    // Some argument or other shows the difference on most objects, if there is one.
    let standing =
        if method.takes == Takes::Nothing { Standing::Convention } else { Standing::Trait };
    Law::one(id, standing, rule).costly().blaming(mutable)
}

/// Arguments of a type that mean something to the object: its own keys, their beginnings, small
/// numbers.
fn arguments(scene: &Scene<'_>, key: PlainEntry) -> Vec<Value> {
    let mut found: Vec<Value> = Vec::new();
    let mut add = |value: Value| {
        if found.len() < MOST_ARGUMENTS && fits(&value, key) && !found.contains(&value) {
            found.push(value);
        }
    };
    for item in scene.bag().into_iter().flatten() {
        match key_of(item) {
            Value::Seq(parts) => {
                (0..=parts.len().min(3)).for_each(|n| add(Value::Seq(parts[..n].to_vec())));
            }
            Value::Str(text) => {
                let ends = text.char_indices().map(|(at, _)| at).chain([text.len()]).take(4);
                ends.for_each(|end| add(Value::Str(text[..end].to_owned())));
            }
            other => add(other.clone()),
        }
    }
    (0..3).for_each(|n| add(Value::Int(n)));
    found
}
