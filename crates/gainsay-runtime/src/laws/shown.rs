//! What is a slice behind a pointer is mostly shown as the slice is, and what holds a text as the
//! text is.

use gainsay_wire::{LawId, OpId, Standing, TypeId};

use super::{Law, scene::Scene};
use crate::world::World;

pub(super) fn laws(world: &World, ty: TypeId) -> Vec<Law> {
    let laws = of_slices(world, ty).into_iter().chain(of_texts(world, ty));
    match shows(world, ty) {
        Some(debug) => laws.map(|law| law.blaming(debug)).collect(),
        None => laws.collect(),
    }
}

/// The operation that shows an object, or what is behind the reference that the object is.
fn shows(world: &World, ty: TypeId) -> Option<OpId> {
    let is_debug = |op: &OpId| world.op(*op).name.contains("as Debug::fmt");
    let of = |ty: TypeId| world.type_plan(ty).users.iter().copied().find(is_debug);
    let referent = |ty: TypeId| {
        let name = world.type_entry(ty).name;
        name.trim_start_matches('&').trim_start_matches("mut ")
    };
    let all = (0..).map(TypeId).take(world.types.len());
    of(ty).or_else(|| all.filter(|other| referent(*other) == referent(ty)).find_map(of))
}

/// Where nothing has to be escaped: what is, everybody writes as they like.
fn of_texts(world: &World, ty: TypeId) -> Option<Law> {
    let text = world.type_entry(ty).lawful.text?;
    let rule = move |scene: &Scene<'_>| {
        let (own, text) = scene.with(text)?;
        let plain = format!("\"{text}\"");
        (format!("{text:?}") == plain).then(|| own == plain)
    };
    Some(Law::one(LawId::DebugIsAsOfAText, Standing::Guess, rule))
}

fn of_slices(world: &World, ty: TypeId) -> Vec<Law> {
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
    vec![
        Law::one(LawId::DebugIsAsOfASlice, Standing::Guess, plain).costly(),
        Law::one(LawId::PrettyDebugIsAsOfASlice, Standing::Convention, pretty).costly(),
    ]
}
