//! What stands at the ends of the sequence: `first`, `last`, `front`, `back`.

use gainsay_wire::{LawId, Mode, OpId, SeqEnd, Standing, TypeId, Value};

use super::{
    Law,
    scene::{Scene, plain_method},
};
use crate::world::World;

const QUERIES: [(&str, SeqEnd); 6] = [
    ("first", SeqEnd::First),
    ("front", SeqEnd::First),
    ("first_key_value", SeqEnd::First),
    ("last", SeqEnd::Last),
    ("back", SeqEnd::Last),
    ("last_key_value", SeqEnd::Last),
];

pub(super) fn laws(world: &World, ty: TypeId) -> Vec<Law> {
    let queries = QUERIES.iter().filter_map(|(name, end)| {
        let query = plain_method(world, ty, name, Mode::Ref)?;
        let id = LawId::ShowsEnd { query: (*name).to_owned(), end: *end };
        Some(Law::one(id, Standing::Convention, move |scene| stands_at(scene, query, *end)))
    });
    queries.collect()
}

fn stands_at(scene: &Scene<'_>, query: OpId, end: SeqEnd) -> Option<bool> {
    let items = scene.seq()?;
    let item = match end {
        SeqEnd::First => items.first(),
        SeqEnd::Last => items.last(),
    };
    let shown = scene.call(query, scene.cell, &[])?.value;
    match (item, shown) {
        (None, Value::Opt(shown)) => Some(shown.is_none()),
        (Some(_), Value::Opt(None)) => Some(false),
        (Some(item), Value::Opt(Some(shown))) => is_shown(item, &shown),
        _ => None,
    }
}

/// Whether a value is an item, its key or its value; `None` when they cannot be compared.
pub(super) fn is_shown(item: &Value, shown: &Value) -> Option<bool> {
    match item {
        _ if item.kind() == shown.kind() && is_exact(shown) => Some(item == shown),
        Value::Tuple(parts) if is_exact(shown) => {
            let mut alike = parts.iter().filter(|part| part.kind() == shown.kind()).peekable();
            alike.peek()?;
            Some(alike.any(|part| part == shown))
        }
        _ => None,
    }
}

/// Whether a value means itself: a digest may be that of a reference.
fn is_exact(value: &Value) -> bool {
    match value {
        Value::Object | Value::Undefined | Value::Token(_) => false,
        Value::Tuple(parts) => parts.iter().all(is_exact),
        _ => true,
    }
}
