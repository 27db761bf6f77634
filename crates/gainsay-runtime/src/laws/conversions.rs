//! What is turned into another type keeps what it holds.

use gainsay_wire::{Kept, LawId, Mode, OpId, Standing, TypeId, TypeWord, Value};

use super::{
    Law,
    deeds::{self, Deed},
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

/// A conversion as laws name it.
#[derive(Clone)]
enum Conversion {
    Method(String),
    /// `From` for this type.
    Into(TypeWord),
}

impl Conversion {
    fn keeps(&self, what: Kept) -> LawId {
        match self.clone() {
            Conversion::Method(conversion) => LawId::ConversionKeeps { conversion, what },
            Conversion::Into(target) => LawId::IntoKeeps { target, what },
        }
    }
}

pub(super) fn laws(world: &World, ty: TypeId) -> Vec<Law> {
    let mut laws: Vec<Law> = Vec::new();
    for op in &world.type_plan(ty).users {
        let Some(mode) = op_of_one(world, *op, ty) else { continue };
        let Some((conversion, standing)) = converts(world, *op, ty) else { continue };
        for what in [Kept::Items, Kept::Text] {
            let id = conversion.keeps(what);
            if laws.iter().any(|known| known.id == id) {
                continue;
            }
            let op = *op;
            // What is used up shows itself when it is called: a copy may lack its past.
            laws.push(if mode == Mode::Own {
                deeds::law(id, standing, op, move |deed| turned(deed, what))
            } else {
                let rule = move |scene: &Scene<'_>| keeps(scene, op, what);
                Law::one(id, standing, rule).costly().blaming(op)
            });
        }
    }
    laws
}

/// The name of a conversion, and how much it promises.
fn converts(world: &World, op: OpId, ty: TypeId) -> Option<(Conversion, Standing)> {
    let entry = world.op(op);
    let name = entry.function();
    let target = match entry.makes[..] {
        [] => None,
        [target] if target != ty => Some(world.type_entry(target).base_name()),
        _ => return None,
    };
    if SAME.contains(&name) {
        return Some((Conversion::Method(name.to_owned()), Standing::Convention));
    }
    // A set of what a list holds has fewer items: only objects can tell.
    if let ("from" | "into", Some(target)) = (name, target) {
        let target = TypeWord(target.to_owned());
        return Some((Conversion::Into(target), Standing::Guess));
    }
    let stem = ["into_", "to_", "as_"].iter().find_map(|prefix| name.strip_prefix(prefix))?;
    TARGETS.contains(&stem).then(|| (Conversion::Method(name.to_owned()), Standing::Guess))
}

/// An object before it was used up, and what was made of it.
fn turned(deed: &Deed<'_>, what: Kept) -> Option<bool> {
    let (own, made) = deed.turned()?;
    match what {
        Kept::Items => is_same_items(&own, made.seq(), made.bag()?),
        Kept::Text => Some(made.text()? == own.text()?),
    }
}

fn keeps(scene: &Scene<'_>, op: OpId, what: Kept) -> Option<bool> {
    let own = Looked::of_state(scene.world, scene.state);
    let outcome = scene.call(op, scene.cell, &[])?;
    if let [(_, made)] = &outcome.made[..] {
        let target = *scene.world.op(op).makes.first()?;
        let turned = Looked::at(scene.world, target, &**made);
        return match what {
            Kept::Items => is_same_items(&own, turned.seq(), turned.bag()?),
            Kept::Text => Some(turned.text()? == own.text()?),
        };
    }
    match (what, &outcome.value) {
        (Kept::Items, value @ Value::Seq(_)) => is_same_items(&own, items(value), items(value)?),
        (Kept::Text, Value::Str(text)) => Some(text == own.text()?),
        _ => None,
    }
}

/// Whether items are those of the object: in their order, if both have one.
fn is_same_items(own: &Looked<'_>, seq: Option<&[Value]>, bag: &[Value]) -> Option<bool> {
    let held = own.bag()?;
    if held.iter().zip(bag).any(|(a, b)| a.kind() != b.kind()) {
        return None;
    }
    if let (Some(own), Some(seq)) = (own.seq(), seq) {
        return Some(own == seq);
    }
    let sorted = |items: &[Value]| {
        let mut items = items.to_vec();
        items.sort();
        items
    };
    Some(sorted(held) == sorted(bag))
}
