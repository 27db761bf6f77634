//! `PartialOrd` and `Ord`: with each other, with `==`, and both ways.

use std::{any::Any, cmp::Ordering};

use gainsay_wire::{LawId, Standing, TypeId};

use super::Law;
use crate::{table::TypeEntry, world::World};

pub(super) fn laws(world: &World, ty: TypeId) -> Vec<Law> {
    let entry = world.type_entry(ty);
    let mut laws = Vec::new();
    if entry.cmp.is_some() {
        laws.push(Law::two(ty, LawId::PartialCmpBothWays, both_ways));
        laws.push(Law::three(LawId::PartialCmpTransitive, transitive));
    }
    if entry.cmp.is_some() && entry.eq.is_some() {
        laws.push(Law::two(ty, LawId::CmpAgreesWithEq, agrees_with_eq));
    }
    if let Some(ord) = entry.lawful.ord {
        laws.push(Law::one(LawId::CmpReflexive, Standing::Trait, move |scene| {
            scene.with(|x| Some(ord(x, x) == Ordering::Equal))
        }));
        laws.push(Law::two(ty, LawId::CmpBothWays, total_both_ways));
        laws.push(Law::two(ty, LawId::PartialCmpAgreesWithCmp, agrees_with_cmp));
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

/// What is not greater than what is not greater than a third is not greater than that.
fn transitive(ty: &TypeEntry, objects: [&dyn Any; 3]) -> Option<bool> {
    let cmp = ty.cmp?;
    let at_most = |a: usize, b: usize| {
        matches!(cmp(objects[a], objects[b]), Some(Ordering::Less | Ordering::Equal))
    };
    let ways = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];
    Some(ways.iter().all(|&[a, b, c]| !(at_most(a, b) && at_most(b, c)) || at_most(a, c)))
}
