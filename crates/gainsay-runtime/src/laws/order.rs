//! `PartialOrd` and `Ord`: with each other, with `==`, and both ways.

use std::{any::Any, cmp::Ordering};

use gainsay_wire::{Standing, TypeId};

use super::Law;
use crate::{table::TypeEntry, world::World};

pub(super) fn laws(world: &World, ty: TypeId) -> Vec<Law> {
    let entry = world.type_entry(ty);
    let mut laws = Vec::new();
    if entry.cmp.is_some() {
        laws.push(Law::two("partial_cmp-both-ways", both_ways));
    }
    if entry.cmp.is_some() && entry.eq.is_some() {
        laws.push(Law::two("cmp-agrees-with-eq", agrees_with_eq));
    }
    if let Some(ord) = entry.lawful.ord {
        laws.push(Law::one("cmp-reflexive", Standing::Trait, move |scene| {
            scene.with(|x| Some(ord(x, x) == Ordering::Equal))
        }));
        laws.push(Law::two("cmp-both-ways", total_both_ways));
        laws.push(Law::two("partial_cmp-agrees-with-cmp", agrees_with_cmp));
    }
    laws
}

fn both_ways(ty: &TypeEntry, x: &dyn Any, y: &dyn Any) -> Option<bool> {
    let cmp = ty.cmp?;
    Some(cmp(x, y) == cmp(y, x).map(Ordering::reverse))
}

fn agrees_with_eq(ty: &TypeEntry, x: &dyn Any, y: &dyn Any) -> Option<bool> {
    let (eq, cmp) = (ty.eq?, ty.cmp?);
    Some(eq(x, y) == (cmp(x, y) == Some(Ordering::Equal)))
}

fn total_both_ways(ty: &TypeEntry, x: &dyn Any, y: &dyn Any) -> Option<bool> {
    let ord = ty.lawful.ord?;
    Some(ord(x, y) == ord(y, x).reverse())
}

fn agrees_with_cmp(ty: &TypeEntry, x: &dyn Any, y: &dyn Any) -> Option<bool> {
    let (cmp, ord) = (ty.cmp?, ty.lawful.ord?);
    Some(cmp(x, y) == Some(ord(x, y)))
}
