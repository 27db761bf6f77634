//! What stands at the ends of the sequence: `first`, `last`, `front`, `back`.

use gainsay_wire::TypeId;
use gainsay_wire::{Mode, OpId, Standing, Value};

use super::{
    Law,
    scene::{Scene, plain_method},
};
use crate::world::World;

/// Which end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    First,
    Last,
}

const QUERIES: [(&str, End); 6] = [
    ("first", End::First),
    ("front", End::First),
    ("first_key_value", End::First),
    ("last", End::Last),
    ("back", End::Last),
    ("last_key_value", End::Last),
];

pub(super) fn laws(world: &World, ty: TypeId) -> Vec<Law> {
    let queries = QUERIES.iter().filter_map(|(name, end)| {
        let query = plain_method(world, ty, name, Mode::Ref)?;
        let law = match end {
            End::First => format!("{name}-is-the-first-of-seq"),
            End::Last => format!("{name}-is-the-last-of-seq"),
        };
        Some(Law::one(law, Standing::Convention, move |scene| stands_at(scene, query, *end)))
    });
    queries.collect()
}

fn stands_at(scene: &Scene<'_>, query: OpId, end: End) -> Option<bool> {
    let items = scene.seq()?;
    let item = match end {
        End::First => items.first(),
        End::Last => items.last(),
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
