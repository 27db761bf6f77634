//! What lists the parts of something comes to an end. Where it says how many there are at most,
//! there is nothing to find out; else the same item over and over tells that it makes no progress.

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use gainsay_wire::{LawId, Mode, OpId, Standing, TypeId};

use super::{
    Law,
    scene::{Method, Scene, Takes, methods, yields},
};
use crate::world::World;

/// So many equal items in a row are no accident: nothing that is made up is so long.
const MOST_IN_A_ROW: usize = 100_000;
/// Whoever lists more different items may go on for long.
const MOST_ITEMS: usize = 2 * MOST_IN_A_ROW;
/// A type of which so many objects have no end is not looked at any more.
const MOST_BREACHES: usize = 16;

pub(super) fn laws(world: &World, ty: TypeId) -> Vec<Law> {
    let lists = |method: &Method<'_>| {
        let is_asked = method.mode == Mode::Ref && method.takes == Takes::Nothing;
        is_asked && yields(world, method.op).is_some()
    };
    methods(world, ty).filter(lists).map(|method| ends(&method)).collect()
}

fn ends(method: &Method<'_>) -> Law {
    let (op, breaches) = (method.op, AtomicUsize::new(0));
    let rule = move |scene: &Scene<'_>| {
        let ends = (breaches.load(Relaxed) < MOST_BREACHES).then(|| is_ending(scene, op))?;
        breaches.fetch_add(usize::from(ends == Some(false)), Relaxed);
        ends
    };
    let id = LawId::ComesToAnEnd { listing: method.name.to_owned() };
    Law::one(id, Standing::Convention, rule).costly().blaming(op)
}

fn is_ending(scene: &Scene<'_>, op: OpId) -> Option<bool> {
    let iteration = scene.yields(op)?;
    let mut outcome = scene.call(op, scene.cell, &[])?;
    let iterator = &mut *outcome.made.first_mut()?.1;
    let (_, most) = (iteration.size_hint)(iterator);
    most.is_none().then_some(())?;
    let (mut last, mut row) = (None, 0);
    for _ in 0..MOST_ITEMS {
        let item = (iteration.next)(iterator);
        if item.is_none() {
            return Some(true);
        }
        row = if item == last { row + 1 } else { 0 };
        if row > MOST_IN_A_ROW {
            return Some(false);
        }
        last = item;
    }
    None
}
