//! What is put in is what comes out: `put_x` and `get_x`, `write_x` and `read_x`, `push_x` and
//! `pop_x`, on a copy that holds nothing.

use gainsay_wire::{LawId, Mode, OpId, Standing, TypeId, Value};

use super::{
    Law,
    scene::{Method, POSITION, Scene, fits, methods, plain_method},
};
use crate::table::PlainEntry;
use crate::{table::ParamEntry, world::World};

const PAIRS: [(&str, &str); 3] = [("put_", "get_"), ("write_", "read_"), ("push_", "pop_")];
const VALUES: [i128; 5] = [0, 1, -1, 100, -100];
/// In how many bytes a number is put that is told so.
const WIDTHS: [i128; 4] = [1, 2, 4, 8];

pub(super) fn laws(world: &World, ty: TypeId) -> Vec<Law> {
    let Some(clear) = plain_method(world, ty, "clear", Mode::Mut) else { return Vec::new() };
    let all: Vec<Method<'_>> = methods(world, ty).filter(|m| m.mode == Mode::Mut).collect();
    let mut laws: Vec<Law> = Vec::new();
    for put in &all {
        for (into, out) in PAIRS {
            let Some(what) = put.name.strip_prefix(into) else { continue };
            let is_back = |m: &&Method<'_>| m.name.strip_prefix(out) == Some(what);
            let Some(get) = all.iter().find(is_back) else { continue };
            let Some(width) = shape(put, get) else { continue };
            let (get_name, put_name) = (get.name.to_owned(), put.name.to_owned());
            let id = LawId::GivesWhatWasTaken { get: get_name, put: put_name };
            if laws.iter().any(|known| known.id == id) {
                continue;
            }
            let (put, get) = (put.op, get.op);
            let rule = move |scene: &Scene<'_>| gives_back(scene, [clear, put, get], width);
            laws.push(Law::one(id, Standing::Trait, rule).costly().blaming(get));
        }
    }
    laws
}

/// Whether a number is told how wide it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Width {
    Fixed,
    Given,
}

fn shape(put: &Method<'_>, get: &Method<'_>) -> Option<Width> {
    match (&put.entry.params[1..], &get.entry.params[1..]) {
        ([ParamEntry::Plain { .. }], []) => Some(Width::Fixed),
        (
            [ParamEntry::Plain { .. }, ParamEntry::Plain { key: POSITION, .. }],
            [ParamEntry::Plain { key: POSITION, .. }],
        ) => Some(Width::Given),
        _ => None,
    }
}

fn gives_back(scene: &Scene<'_>, ops: [OpId; 3], width: Width) -> Option<bool> {
    let ParamEntry::Plain { key, .. } = scene.world.op(ops[1]).params.get(1)? else { return None };
    let (mut given, mut lost) = (0, 0);
    let is_signed = matches!(key, PlainEntry::Integer(ty) if ty.is_signed());
    for value in VALUES.into_iter().filter(|value| *value >= 0 || is_signed) {
        let value = Value::Int(value);
        if !fits(&value, *key) {
            return None;
        }
        let widths: &[i128] = if width == Width::Given { &WIDTHS } else { &WIDTHS[..1] };
        for bytes in widths {
            let told = (width == Width::Given).then_some(Value::Int(*bytes));
            match once(scene, ops, &value, told) {
                Some(true) => given += 1,
                Some(false) => lost += 1,
                None => {}
            }
        }
    }
    // Where most come back the names mean what they say.
    (given > lost).then_some(lost == 0)
}

fn once(
    scene: &Scene<'_>,
    [clear, put, get]: [OpId; 3],
    value: &Value,
    told: Option<Value>,
) -> Option<bool> {
    let copy = scene.copy()?;
    scene.call(clear, &copy, &[])?;
    let given: Vec<Value> = std::iter::once(value.clone()).chain(told.clone()).collect();
    let put = scene.call(put, &copy, &given)?.value;
    if matches!(put, Value::Res(false, _) | Value::Bool(false) | Value::Opt(None)) {
        return None;
    }
    let asked: Vec<Value> = told.into_iter().collect();
    match scene.call(get, &copy, &asked)?.value {
        Value::Int(got) => Some(Value::Int(got) == *value),
        Value::Opt(Some(got)) | Value::Res(true, got) => {
            matches!(*got, Value::Int(_)).then(|| *got == *value)
        }
        _ => None,
    }
}
