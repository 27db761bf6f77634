//! There and back again: a text that is parsed, bytes that are read, a type that is turned into
//! another and back. Only objects can tell whether a type means it so.

use gainsay_wire::{LawId, Mode, OpId, Standing, TypeId, TypeWord, Value};

use super::{
    Effort, Law,
    scene::{Method, Scene, Takes, fits, methods, op_of_one},
};
use crate::{
    table::{OpEntry, ParamEntry, PlainEntry, QueryArg},
    world::World,
};

/// Functions that read what one of [`TELLS`] says.
const READS: [&str; 6] = ["from_str", "parse", "try_from", "from", "from_string", "decode"];
/// Queries that say everything in words.
const TELLS: [&str; 3] = ["as_str", "to_string", "encode"];
/// Numbers of fewer digits lose some on the way.
const NUMBERS: [&str; 15] = [
    "u8", "u16", "u32", "u64", "u128", "usize", "i8", "i16", "i32", "i64", "i128", "isize", "f32",
    "f64", "digits",
];

pub(super) fn laws(world: &World, ty: TypeId) -> Vec<Law> {
    if world.type_entry(ty).eq.is_none() {
        return Vec::new();
    }
    let mut laws = texts(world, ty);
    laws.extend(parts(world, ty));
    laws.extend(there_and_back(world, ty));
    let mut names = std::collections::BTreeSet::new();
    laws.retain(|law| names.insert(law.id.clone()));
    laws
}

/// Functions that make the type from one plain value.
fn readers(world: &World, ty: TypeId) -> impl Iterator<Item = (OpId, &OpEntry, PlainEntry)> {
    world.type_plan(ty).makers.iter().filter_map(move |op| {
        let entry = world.op(*op);
        match entry.params[..] {
            [ParamEntry::Plain { key, .. }] if entry.makes == [ty] => Some((*op, entry, key)),
            _ => None,
        }
    })
}

/// What is told in words is read from them.
fn texts(world: &World, ty: TypeId) -> Vec<Law> {
    let mut laws = Vec::new();
    for (read, entry, key) in readers(world, ty) {
        let reader = entry.function();
        if !READS.contains(&reader) || key != PlainEntry::Text {
            continue;
        }
        let queries = world.type_entry(ty).queries.iter();
        for query in queries.filter(|q| q.param.is_none() && TELLS.contains(&q.name)) {
            let (read_name, tell) = (reader.to_owned(), query.name.to_owned());
            let id = LawId::ReadEquals { read: read_name, tell };
            let eval = query.eval;
            let law = trip(id, read, move |scene| {
                scene.with(|x| Some(eval(x, QueryArg::None))).filter(is_text)
            });
            laws.push(Law { effort: Effort::Little, ..law });
        }
        laws.extend(printed(world, ty, read, reader));
    }
    laws
}

/// What is printed is read as the same, and is printed alike once more.
fn printed(world: &World, ty: TypeId, read: OpId, reader: &str) -> Vec<Law> {
    let Some(display) = world.type_entry(ty).lawful.display else { return Vec::new() };
    let again = move |scene: &Scene<'_>| {
        let text = scene.with(|x| Some(display(x)))?;
        let outcome = scene.call_free(read, &[Value::Str(text.clone())])?;
        let [(_, made)] = &outcome.made[..] else { return None };
        Some(display(&**made) == text)
    };
    let read_name = reader.to_owned();
    let alike = LawId::ReadIsPrintedAlike { read: read_name.clone() };
    let equals = LawId::ReadEquals { read: read_name, tell: "to_string".to_owned() };
    vec![
        trip(equals, read, move |scene| scene.with(|x| Some(Value::Str(display(x))))),
        Law::one(alike, Standing::Guess, again).costly().blaming(read),
    ]
}

fn is_text(value: &Value) -> bool {
    matches!(value, Value::Str(_))
}

/// `from_x` of `to_x`, `as_x` or `x`.
fn parts(world: &World, ty: TypeId) -> Vec<Law> {
    let mut laws = Vec::new();
    let tells: Vec<Method<'_>> = methods(world, ty)
        .filter(|method| method.mode == Mode::Ref && method.takes == Takes::Nothing)
        .collect();
    for (read, entry, key) in readers(world, ty) {
        let Some(part) = entry.function().strip_prefix("from_") else { continue };
        if NUMBERS.contains(&part) {
            continue;
        }
        for tell in &tells {
            let stem = ["to_", "as_", "into_"].iter().find_map(|way| tell.name.strip_prefix(way));
            if stem.unwrap_or(tell.name) != part || !tell.entry.makes.is_empty() {
                continue;
            }
            let (read_name, op) = (entry.function().to_owned(), tell.op);
            let id = LawId::ReadEquals { read: read_name, tell: tell.name.to_owned() };
            laws.push(trip(id, read, move |scene| {
                let told = scene.call(op, scene.cell, &[])?.value;
                fits(&told, key).then_some(told)
            }));
        }
    }
    laws
}

fn trip(
    id: LawId,
    read: OpId,
    tell: impl Fn(&Scene<'_>) -> Option<Value> + Send + Sync + 'static,
) -> Law {
    let rule = move |scene: &Scene<'_>| {
        let outcome = scene.call_free(read, &[tell(scene)?])?;
        let [(_, made)] = &outcome.made[..] else { return None };
        equals(scene, &**made)
    };
    Law::one(id, Standing::Guess, rule).costly().blaming(read)
}

fn equals(scene: &Scene<'_>, other: &dyn std::any::Any) -> Option<bool> {
    let eq = scene.entry().eq?;
    scene.with(|x| eq(x, x).then(|| eq(x, other)))
}

/// `T::from(U::from(x))`.
fn there_and_back(world: &World, ty: TypeId) -> Vec<Law> {
    let turns = |op: &OpId, from: TypeId, to: TypeId| {
        let entry = world.op(*op);
        let is_from = entry.function() == "from" && entry.makes == [to];
        is_from.then(|| op_of_one(world, *op, from)).flatten()
    };
    let mut laws = Vec::new();
    for there in &world.type_plan(ty).users {
        let [other] = world.op(*there).makes[..] else { continue };
        if other == ty || turns(there, ty, other).is_none() {
            continue;
        }
        let users = world.type_plan(other).users.iter();
        let Some(back) = users.copied().find(|op| turns(op, other, ty).is_some()) else { continue };
        let other_name = TypeWord(world.type_entry(other).base_name().to_owned());
        let id = LawId::FromAndBackEquals { other: other_name };
        let there = *there;
        let rule = move |scene: &Scene<'_>| {
            let copy = scene.copy()?;
            let mut outcome = scene.call(there, &copy, &[])?;
            let (_, made) = outcome.made.pop()?;
            let made = std::cell::RefCell::new(Some(made));
            let outcome = scene.call(back, &made, &[])?;
            equals(scene, &*outcome.made.first()?.1)
        };
        laws.push(Law::one(id, Standing::Guess, rule).costly().blaming(there));
    }
    laws
}
