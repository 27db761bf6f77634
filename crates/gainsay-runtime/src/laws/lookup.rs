//! Every item that iterating shows is found by asking for it.

use gainsay_wire::{LawId, LookUp, Mode, OpId, Sought, Standing, TypeId, Value};

use super::{
    Law,
    ends::is_shown,
    scene::{POSITION, Scene, Takes, fits, methods},
};
use crate::table::PlainEntry;
use crate::world::World;

/// What a query that finds things is asked, and what it must say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Finds {
    /// A key or an item: yes.
    Yes,
    /// A key: its value; an item: itself.
    Value,
}

const QUERIES: [(LookUp, Finds); 5] = [
    (LookUp::Contains, Finds::Yes),
    (LookUp::ContainsKey, Finds::Yes),
    (LookUp::Get, Finds::Value),
    (LookUp::GetKeyValue, Finds::Value),
    (LookUp::Index, Finds::Value),
];

/// What iterating gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Items {
    Pairs,
    Single,
}

pub(super) fn laws(world: &World, ty: TypeId) -> Vec<Law> {
    let mut laws: Vec<Law> = Vec::new();
    for method in methods(world, ty).filter(|method| method.mode == Mode::Ref) {
        let Takes::Plain(key) = method.takes else { continue };
        let known = QUERIES.iter().copied().find(|(query, _)| query.word() == method.name);
        let Some((query, finds)) = known else { continue };
        let op = method.op;
        // A number may be a key or a position.
        let standing = if key == POSITION { Standing::Guess } else { Standing::Convention };
        let by_key = move |scene: &Scene<'_>| finds_all(scene, op, (finds, Items::Pairs));
        laws.push(Law::one(LawId::FindsEvery { query, what: Sought::Key }, standing, by_key));
        let by_item = move |scene: &Scene<'_>| finds_all(scene, op, (finds, Items::Single));
        laws.push(Law::one(LawId::FindsEvery { query, what: Sought::Item }, standing, by_item));
        if key == POSITION && finds == Finds::Value {
            let law = LawId::ShowsSeqByPosition { query };
            laws.push(Law::one(law, standing, move |scene| shows_all(scene, op)));
        }
    }
    let mut names = std::collections::BTreeSet::new();
    laws.retain(|law| names.insert(law.id.clone()));
    laws
}

fn finds_all(scene: &Scene<'_>, op: OpId, (finds, kind): (Finds, Items)) -> Option<bool> {
    let key_type = key_type(scene, op)?;
    let items = scene.bag().filter(|items| !items.is_empty())?;
    let keys: Vec<&Value> = items.iter().map(|item| key(item, kind)).collect::<Option<_>>()?;
    if !keys.iter().all(|key| fits(key, key_type)) {
        return None;
    }
    for (item, key) in items.iter().zip(&keys) {
        let found = scene.call(op, scene.cell, std::slice::from_ref(*key))?.value;
        let is_single = keys.iter().filter(|other| *other == key).count() == 1;
        if !is_found(item, found, finds, is_single)? {
            return Some(false);
        }
    }
    Some(true)
}

/// Whether an answer is right; of several equal keys any may be found.
fn is_found(item: &Value, found: Value, finds: Finds, is_single: bool) -> Option<bool> {
    match (found, finds) {
        (Value::Bool(found), Finds::Yes) => Some(found),
        (Value::Opt(None), Finds::Value) => Some(false),
        (_, Finds::Value) if !is_single => Some(true),
        (Value::Opt(Some(found)), Finds::Value) => Some(is_shown(item, &found).unwrap_or(true)),
        (found, Finds::Value) => Some(is_shown(item, &found).unwrap_or(true)),
        (_, Finds::Yes) => None,
    }
}

fn shows_all(scene: &Scene<'_>, op: OpId) -> Option<bool> {
    let items = scene.seq().filter(|items| !items.is_empty())?;
    if items.iter().any(|item| matches!(item, Value::Tuple(_))) {
        return None;
    }
    for (at, item) in (0..).zip(items) {
        let holds = match scene.call(op, scene.cell, &[Value::Int(at)])?.value {
            Value::Opt(None) => false,
            Value::Opt(Some(shown)) => is_shown(item, &shown)?,
            shown => is_shown(item, &shown)?,
        };
        if !holds {
            return Some(false);
        }
    }
    let behind = i128::try_from(items.len()).ok()?;
    let behind = scene.call(op, scene.cell, &[Value::Int(behind)]);
    Some(behind.is_none_or(|behind| !matches!(behind.value, Value::Opt(Some(_)))))
}

fn key_type(scene: &Scene<'_>, op: OpId) -> Option<PlainEntry> {
    match scene.world.op(op).params.get(1)? {
        crate::table::ParamEntry::Plain { key, .. } => Some(*key),
        crate::table::ParamEntry::Object { .. } => None,
    }
}

/// The key of an entry, or the item.
fn key(item: &Value, kind: Items) -> Option<&Value> {
    match (item, kind) {
        (Value::Tuple(parts), Items::Pairs) if parts.len() == 2 => Some(&parts[0]),
        (Value::Tuple(_), Items::Single) | (_, Items::Pairs) => None,
        (item, Items::Single) => Some(item),
    }
}
