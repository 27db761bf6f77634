//! Types that keep their items in order.

use std::cmp::Ordering;

use gainsay_wire::{LawId, Standing, TypeId, Value};

use super::{
    Law,
    scene::{Scene, key_of, order},
};
use crate::world::World;

/// Fewer items are in order by chance.
const LEAST_ITEMS: usize = 3;

pub(super) fn laws(_: &World, _: TypeId) -> Vec<Law> {
    vec![Law::one(LawId::SeqIsSorted, Standing::Guess, is_sorted)]
}

fn is_sorted(scene: &Scene<'_>) -> Option<bool> {
    let items = scene.seq().filter(|items| items.len() >= LEAST_ITEMS)?;
    let keys: Vec<&Value> = items.iter().map(key_of).collect();
    let mut orders = Vec::new();
    for pair in keys.windows(2) {
        orders.push(order(pair[0], pair[1])?);
    }
    Some(orders.iter().all(|order| *order != Ordering::Greater))
}
