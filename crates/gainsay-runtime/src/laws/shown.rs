//! What is a slice behind a pointer is mostly shown as the slice is.

use gainsay_wire::{Standing, TypeId};

use super::{Law, scene::Scene};
use crate::world::World;

pub(super) fn laws(world: &World, ty: TypeId) -> Vec<Law> {
    let Some(shown) = world.type_entry(ty).lawful.shown else { return Vec::new() };
    let plain = move |scene: &Scene<'_>| {
        let ([own, _], [slice, _]) = scene.with(|x| Some(shown(x)))?;
        Some(own == slice)
    };
    // What is shown alike in one line is meant to be shown alike.
    let pretty = move |scene: &Scene<'_>| {
        let ([own, own_pretty], [slice, slice_pretty]) = scene.with(|x| Some(shown(x)))?;
        (own == slice).then(|| own_pretty == slice_pretty)
    };
    let laws = vec![
        Law::one("debug-is-as-of-a-slice", Standing::Guess, plain).costly(),
        Law::one("pretty-debug-is-as-of-a-slice", Standing::Convention, pretty).costly(),
    ];
    let users = world.type_plan(ty).users.iter();
    match users.copied().find(|op| world.op(*op).name.contains("as Debug::fmt")) {
        Some(debug) => laws.into_iter().map(|law| law.blaming(debug)).collect(),
        None => laws,
    }
}
