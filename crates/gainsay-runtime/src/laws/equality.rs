//! `==` and `Hash`.

use std::any::Any;

use gainsay_wire::{LawId, Standing, TypeId};

use super::Law;
use crate::{table::TypeEntry, world::World};

pub(super) fn laws(world: &World, ty: TypeId) -> Vec<Law> {
    let entry = world.type_entry(ty);
    let mut laws = Vec::new();
    if entry.eq.is_some() {
        laws.push(Law::two(ty, LawId::EqSymmetric, symmetric));
        laws.push(Law::three(LawId::EqTransitive, transitive));
    }
    if let (Some(eq), Some(_)) = (entry.eq, entry.hash) {
        // Types without `Hash` may hold floats, whose `==` is not reflexive by design.
        laws.push(Law::one(LawId::EqReflexive, Standing::Trait, move |scene| {
            scene.with(|x| Some(eq(x, x)))
        }));
        laws.push(Law::two(ty, LawId::HashAgreesWithEq, hash_agrees));
    }
    laws
}

fn symmetric(ty: &TypeEntry, x: &dyn Any, y: &dyn Any) -> Option<bool> {
    let eq = ty.eq?;
    Some(eq(x, y) == eq(y, x))
}

fn hash_agrees(ty: &TypeEntry, x: &dyn Any, y: &dyn Any) -> Option<bool> {
    let (eq, hash) = (ty.eq?, ty.hash?);
    Some(!eq(x, y) || hash(x) == hash(y))
}

/// Of three objects not two pairs alone are equal, whichever they are.
fn transitive(ty: &TypeEntry, [x, y, z]: [&dyn Any; 3]) -> Option<bool> {
    let eq = ty.eq?;
    let equal = [eq(x, y), eq(y, z), eq(x, z)];
    Some(equal.iter().filter(|equal| **equal).count() != 2)
}
