//! What a range of keys shows, by the object's own keys.

use std::cmp::Ordering;

use gainsay_wire::{LawId, Mode, OpId, Standing, TypeId, Value};

use super::{
    Law,
    scene::{Method, POSITION, Scene, Takes, fits, key_of, methods, order},
};
use crate::table::PlainEntry;
use crate::world::World;

const NAMES: [&str; 2] = ["range", "range_mut"];
/// Keys that are taken as ends.
const MOST_ENDS: usize = 5;

pub(super) fn laws(world: &World, ty: TypeId) -> Vec<Law> {
    let mut laws: Vec<Law> = Vec::new();
    for method in methods(world, ty).filter(|method| NAMES.contains(&method.name)) {
        let id = LawId::ShowsBetween { query: method.name.to_owned() };
        if laws.iter().all(|known| known.id != id) {
            laws.extend(law(id, &method));
        }
    }
    laws
}

fn law(id: LawId, method: &Method<'_>) -> Option<Law> {
    let Takes::Plain(PlainEntry::Range(&key)) = method.takes else { return None };
    let (op, mode) = (method.op, method.mode);
    // A number may be a key or a position.
    let standing = if key == POSITION { Standing::Guess } else { Standing::Convention };
    let rule = move |scene: &Scene<'_>| shows_between(scene, (op, mode), key);
    Some(Law::one(id, standing, rule).costly().blaming(op))
}

fn shows_between(scene: &Scene<'_>, (op, mode): (OpId, Mode), key: PlainEntry) -> Option<bool> {
    let items = scene.seq()?;
    let keys: Vec<&Value> = items.iter().map(key_of).collect();
    let is_sorted = keys.windows(2).all(|two| order(two[0], two[1]) == Some(Ordering::Less));
    if keys.len() < 2 || !is_sorted || !keys.iter().all(|value| fits(value, key)) {
        return None;
    }
    let mut verdict = None;
    for start in 0..keys.len().min(MOST_ENDS) {
        for end in start..keys.len().min(MOST_ENDS) {
            let range = Value::Tuple(vec![keys[start].clone(), keys[end].clone()]);
            let copy = if mode == Mode::Ref { None } else { Some(scene.copy()?) };
            let on = copy.as_ref().unwrap_or(scene.cell);
            let Some(mut outcome) = scene.call(op, on, &[range]) else { continue };
            let shown = scene.listed(op, &mut outcome)?;
            let is_seen = shown.iter().zip(items).all(|(a, b)| a.kind() == b.kind());
            if is_seen && shown != items[start..end] {
                return Some(false);
            }
            verdict = verdict.or(is_seen.then_some(true));
        }
    }
    verdict
}
