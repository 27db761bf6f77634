//! Every item that iterating shows is found by asking for it.

use gainsay_wire::{Mode, OpId, Standing, TypeId, Value};

use super::{
    Law,
    ends::is_shown,
    scene::{POSITION, Scene, Takes, fits, methods},
};
use crate::world::World;

/// What a query that finds things is asked, and what it must say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Finds {
    /// A key or an item: yes.
    Yes,
    /// A key: its value; an item: itself.
    Value,
    /// A position: the item there, and none behind the last.
    Place,
}

const QUERIES: [(&str, Finds); 7] = [
    ("contains", Finds::Yes),
    ("contains_key", Finds::Yes),
    ("get", Finds::Value),
    ("get_key_value", Finds::Value),
    ("index", Finds::Value),
    ("get", Finds::Place),
    ("index", Finds::Place),
];

pub(super) fn laws(world: &World, ty: TypeId) -> Vec<Law> {
    let mut laws = Vec::new();
    for method in methods(world, ty).filter(|method| method.mode == Mode::Ref) {
        let Takes::Plain(key) = method.takes else { continue };
        for (_, finds) in QUERIES.iter().filter(|(name, _)| *name == method.name) {
            let name = match finds {
                Finds::Place if key != POSITION => continue,
                Finds::Place => format!("{}-shows-seq-by-position", method.name),
                Finds::Yes | Finds::Value => format!("{}-finds-every-item", method.name),
            };
            let (op, finds) = (method.op, *finds);
            // A number may be a key or a position.
            let standing = if key == POSITION { Standing::Guess } else { Standing::Convention };
            laws.push(Law::one(name, standing, move |scene| match finds {
                Finds::Yes | Finds::Value => finds_all(scene, op, finds),
                Finds::Place => shows_all(scene, op),
            }));
        }
    }
    laws.dedup_by(|a, b| a.name == b.name);
    laws
}

fn finds_all(scene: &Scene<'_>, op: OpId, finds: Finds) -> Option<bool> {
    let key_type = key_type(scene, op)?;
    let items = scene.bag().filter(|items| !items.is_empty())?;
    let keys: Vec<&Value> = items.iter().map(key).collect();
    if !keys.iter().all(|key| fits(key, key_type)) {
        return None;
    }
    for (item, key) in items.iter().zip(&keys) {
        let found = scene.call(op, scene.cell, std::slice::from_ref(*key))?.value;
        let is_single = || keys.iter().filter(|other| *other == key).count() == 1;
        let is_found = match (found, finds) {
            (Value::Bool(found), Finds::Yes) => found,
            (Value::Opt(None), Finds::Value) => false,
            (Value::Opt(Some(found)), Finds::Value) if is_single() => {
                is_shown(item, &found).unwrap_or(true)
            }
            (Value::Opt(_), Finds::Value) => true,
            (found, Finds::Value) if is_single() => is_shown(item, &found).unwrap_or(true),
            _ => return None,
        };
        if !is_found {
            return Some(false);
        }
    }
    Some(true)
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

fn key_type(scene: &Scene<'_>, op: OpId) -> Option<&'static str> {
    match scene.world.op(op).params.get(1)? {
        crate::table::ParamEntry::Plain { key, .. } => Some(key),
        crate::table::ParamEntry::Object { .. } => None,
    }
}

/// The key of an entry, or the item.
fn key(item: &Value) -> &Value {
    match item {
        Value::Tuple(parts) if parts.len() == 2 => &parts[0],
        _ => item,
    }
}
