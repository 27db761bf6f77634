//! `Clone`: a copy is like its original and has a life of its own.

use std::any::Any;

use gainsay_wire::{LawId, Mode, OpId, Standing, TypeId};

use super::{
    Law,
    scene::{Scene, plain_method},
};
use crate::{table::TypeEntry, world::World};

/// Queries whose values a copy shares; others (room, addresses, counts of owners) are its own.
const SHARED: [&str; 4] = ["seq", "bag", "len", "is_empty"];

/// Commands without arguments that change most objects.
const CHANGES: [&str; 6] = ["clear", "pop", "pop_front", "pop_back", "pop_first", "reset"];

pub(super) fn laws(world: &World, ty: TypeId) -> Vec<Law> {
    let entry = world.type_entry(ty);
    let Some(clone) = entry.clone else { return Vec::new() };
    let blamed = world.type_plan(ty).clone_op;
    let by_clone = |law: Law| match blamed {
        Some(op) => law.costly().blaming(op),
        None => law.costly(),
    };
    let mut laws = Vec::new();
    if let Some(eq) = entry.eq {
        laws.push(by_clone(Law::one(LawId::CloneEquals, Standing::Trait, move |scene| {
            scene.with(|x| eq(x, x).then(|| eq(x, &*clone(x))))
        })));
        if entry.lawful.clone_from.is_some() {
            laws.push(Law::two(ty, LawId::CloneFromEquals, clone_from_equals));
        }
    }
    laws.push(by_clone(Law::one(LawId::CloneHoldsTheSame, Standing::Convention, holds_the_same)));
    let change =
        CHANGES.iter().find_map(|name| Some((name, plain_method(world, ty, name, Mode::Mut)?)));
    laws.extend(change.map(|(name, change)| {
        let rule = move |scene: &Scene<'_>| is_independent(scene, change);
        let id = LawId::LeavesTheOriginal { change: (*name).to_owned() };
        by_clone(Law::one(id, Standing::Convention, rule))
    }));
    laws
}

fn clone_from_equals(ty: &TypeEntry, x: &dyn Any, y: &dyn Any) -> Option<bool> {
    let (clone, clone_from, eq) = (ty.clone?, ty.lawful.clone_from?, ty.eq?);
    if !eq(x, x) || !eq(x, &*clone(x)) {
        return None;
    }
    let mut copy = clone(y);
    clone_from(&mut *copy, x);
    Some(eq(x, &*copy))
}

fn holds_the_same(scene: &Scene<'_>) -> Option<bool> {
    let copy = scene.copy()?;
    let seen = scene.look(&copy)?;
    let queries = scene.world.type_plan(scene.ty).state.iter();
    let pairs = queries.zip(scene.state.values.iter().zip(&seen));
    let mut shared = pairs.filter(|(query, _)| SHARED.contains(&query.name)).peekable();
    shared.peek()?;
    Some(shared.all(|(_, (own, copied))| own == copied))
}

/// Changes a copy and looks at the original again.
fn is_independent(scene: &Scene<'_>, change: OpId) -> Option<bool> {
    let copy = scene.copy()?;
    scene.call(change, &copy, &[])?;
    let changed = scene.look(&copy)? != scene.state.values;
    changed.then_some(scene.look(scene.cell)? == scene.state.values)
}
