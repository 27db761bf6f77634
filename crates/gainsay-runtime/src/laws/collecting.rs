//! Many items at once beside one after another: `from_iter`, `extend`, and a call for each. The
//! items are the object's own.

use gainsay_wire::{AddOne, LawId, Mode, OpId, Standing, TypeId, Value};

use super::{
    Law,
    scene::{Method, Scene, fits, items, methods, plain_method},
};
use crate::{
    frame::Cell,
    table::{ParamEntry, PlainEntry},
    view::state_values,
    world::World,
};

/// Commands that take one item.
const ONE: [AddOne; 3] = [AddOne::Push, AddOne::PushBack, AddOne::Insert];

pub(super) fn laws(world: &World, ty: TypeId) -> Vec<Law> {
    let Some(clear) = plain_method(world, ty, "clear", Mode::Mut) else { return Vec::new() };
    let all: Vec<Method<'_>> = methods(world, ty).filter(|m| m.mode == Mode::Mut).collect();
    let is_extend = |method: &&Method<'_>| method.name == "extend";
    let found = all.iter().filter(is_extend).find_map(|method| match method.entry.params[..] {
        [_, ParamEntry::Plain { key, .. }] => Some((method.op, key)),
        _ => None,
    });
    let Some((extend, key)) = found else { return Vec::new() };
    let mut laws = Vec::new();
    let makers = world.type_plan(ty).makers.iter().copied();
    if let Some(collect) = makers.clone().find(|op| collects(world, *op, (ty, key))) {
        let rule = move |scene: &Scene<'_>| is_collected(scene, [clear, extend, collect], key);
        let law = Law::one(LawId::FromIterAgreesWithExtend, Standing::Guess, rule);
        laws.push(law.costly().blaming(collect));
    }
    for command in ONE {
        let takes = |method: &&Method<'_>| {
            let params = &method.entry.params[1..];
            method.name == command.word()
                && (1..=2).contains(&params.len())
                && params.iter().all(is_plain)
        };
        let Some(one) = all.iter().find(takes) else { continue };
        let (op, parts) = (one.op, one.entry.params.len() - 1);
        let rule = move |scene: &Scene<'_>| is_one_by_one(scene, [clear, extend, op], (key, parts));
        let law = Law::one(LawId::ExtendAgreesWith { one: command }, Standing::Guess, rule);
        laws.push(law.costly().blaming(extend));
        break;
    }
    laws
}

fn is_plain(param: &ParamEntry) -> bool {
    matches!(param, ParamEntry::Plain { .. })
}

/// Whether an operation makes the type of the same items that `extend` takes.
fn collects(world: &World, op: OpId, (ty, key): (TypeId, PlainEntry)) -> bool {
    let entry = world.op(op);
    let takes = matches!(entry.params[..], [ParamEntry::Plain { key: own, .. }] if own == key);
    takes && entry.function() == "from_iter" && entry.makes == [ty]
}

/// The items as an argument, if they can be one.
fn argument(scene: &Scene<'_>, key: PlainEntry) -> Option<Value> {
    let items = scene.bag().filter(|items| !items.is_empty())?;
    let all = Value::Seq(items.to_vec());
    fits(&all, key).then_some(all)
}

fn is_collected(
    scene: &Scene<'_>,
    [clear, extend, collect]: [OpId; 3],
    key: PlainEntry,
) -> Option<bool> {
    let all = [argument(scene, key)?];
    let copy = scene.copy()?;
    scene.call(clear, &copy, &[])?;
    scene.call(extend, &copy, &all)?;
    let outcome = scene.call_free(collect, &all)?;
    let [(_, made)] = &outcome.made[..] else { return None };
    Some(held(scene, &state_values(scene.world, scene.ty, &**made))? == held_by(scene, &copy)?)
}

/// Begins with what is there, and with nothing.
fn is_one_by_one(
    scene: &Scene<'_>,
    [clear, extend, one]: [OpId; 3],
    (key, parts): (PlainEntry, usize),
) -> Option<bool> {
    let all = argument(scene, key)?;
    for is_cleared in [true, false] {
        let (many, few) = (scene.copy()?, scene.copy()?);
        if is_cleared {
            scene.call(clear, &many, &[])?;
            scene.call(clear, &few, &[])?;
        }
        scene.call(extend, &many, std::slice::from_ref(&all))?;
        for item in items(&all)? {
            let args = match (item, parts) {
                (Value::Tuple(parts), 2) => parts.clone(),
                (item, 1) => vec![item.clone()],
                _ => return None,
            };
            // What has no room says so in its own way.
            let told = scene.call(one, &few, &args)?.value;
            (!matches!(told, Value::Res(false, _))).then_some(())?;
        }
        if held_by(scene, &many)? != held_by(scene, &few)? {
            return Some(false);
        }
    }
    Some(true)
}

fn held_by(scene: &Scene<'_>, object: &Cell) -> Option<Vec<Value>> {
    held(scene, &scene.look(object)?)
}

/// The items among what is seen of an object.
fn held(scene: &Scene<'_>, seen: &[Value]) -> Option<Vec<Value>> {
    let queries = scene.world.type_plan(scene.ty).state.iter();
    let at = queries.clone().position(|query| ["seq", "bag"].contains(&query.name))?;
    items(seen.get(at)?).map(<[Value]>::to_vec)
}
