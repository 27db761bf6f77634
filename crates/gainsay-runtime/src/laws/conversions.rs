//! What is turned into another type keeps what it holds.

use gainsay_wire::{Mode, OpId, Standing, TypeId, Value};

use super::{
    Law,
    scene::{Looked, Scene, items, op_of_one},
};
use crate::world::World;

/// Names that promise to change nothing but the type.
const SAME: [&str; 4] = ["freeze", "thaw", "to_owned", "into_owned"];
/// What stands after `into_`, `to_` and `as_` where the items are to be the same.
const TARGETS: [&str; 20] = [
    "vec",
    "bytes",
    "slice",
    "mut_slice",
    "boxed_slice",
    "boxed",
    "string",
    "str",
    "mut",
    "static",
    "view",
    "ref",
    "shared",
    "array",
    "list",
    "set",
    "map",
    "box",
    "rc",
    "arc",
];

/// What is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum What {
    Items,
    Text,
}

pub(super) fn laws(world: &World, ty: TypeId) -> Vec<Law> {
    let mut laws: Vec<Law> = Vec::new();
    for op in &world.type_plan(ty).users {
        let Some(mode) = op_of_one(world, *op, ty) else { continue };
        let Some((name, standing)) = converts(world, *op, ty) else { continue };
        for (what, word) in [(What::Items, "items"), (What::Text, "text")] {
            let name = format!("{name}-keeps-the-{word}");
            if laws.iter().any(|known| known.name == name) {
                continue;
            }
            let op = *op;
            let rule = move |scene: &Scene<'_>| keeps(scene, (op, mode), what);
            laws.push(Law::one(name, standing, rule).costly().blaming(op));
        }
    }
    laws
}

/// The name of a conversion, and how much it promises.
fn converts(world: &World, op: OpId, ty: TypeId) -> Option<(String, Standing)> {
    let entry = world.op(op);
    let name = entry.function();
    let target = match entry.makes[..] {
        [] => None,
        [target] if target != ty => Some(world.type_entry(target).base_name()),
        _ => return None,
    };
    if SAME.contains(&name) {
        return Some((name.to_owned(), Standing::Convention));
    }
    // A set of what a list holds has fewer items: only objects can tell.
    if let ("from" | "into", Some(target)) = (name, target) {
        return Some((format!("into-{target}"), Standing::Guess));
    }
    let stem = ["into_", "to_", "as_"].iter().find_map(|prefix| name.strip_prefix(prefix))?;
    TARGETS.contains(&stem).then(|| (name.to_owned(), Standing::Guess))
}

fn keeps(scene: &Scene<'_>, (op, mode): (OpId, Mode), what: What) -> Option<bool> {
    let is_known = match what {
        What::Items => scene.bag().is_some(),
        What::Text => scene.text().is_some(),
    };
    if !is_known {
        return None;
    }
    let copy = if mode == Mode::Ref { None } else { Some(scene.copy()?) };
    let outcome = scene.call(op, copy.as_ref().unwrap_or(scene.cell), &[])?;
    if let [(_, made)] = &outcome.made[..] {
        let target = *scene.world.op(op).makes.first()?;
        let turned = Looked::at(scene.world, target, &**made);
        return match what {
            What::Items => is_same_items(scene, turned.seq(), turned.bag()?),
            What::Text => Some(turned.text()? == scene.text()?),
        };
    }
    match (what, &outcome.value) {
        (What::Items, value @ Value::Seq(_)) => is_same_items(scene, items(value), items(value)?),
        (What::Text, Value::Str(text)) => Some(text == scene.text()?),
        _ => None,
    }
}

/// Whether items are those of the object: in their order, if both have one.
fn is_same_items(scene: &Scene<'_>, seq: Option<&[Value]>, bag: &[Value]) -> Option<bool> {
    let comparable = |a: &[Value], b: &[Value]| a.iter().zip(b).all(|(a, b)| a.kind() == b.kind());
    let own = scene.bag()?;
    if own.len() != bag.len() {
        return comparable(own, bag).then_some(false);
    }
    if !comparable(own, bag) {
        return None;
    }
    if let (Some(own), Some(seq)) = (scene.seq(), seq) {
        return Some(own == seq);
    }
    let sorted = |items: &[Value]| {
        let mut items = items.to_vec();
        items.sort();
        items
    };
    Some(sorted(own) == sorted(bag))
}
