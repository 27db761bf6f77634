//! Queues: what `peek` shows is an extreme of all items, `pop` takes what `peek` shows, and pops
//! come in order. Which extreme, and of which part of the items, is for the objects to confirm.

use std::cmp::Ordering;

use gainsay_wire::{LawId, Mode, OpId, Standing, TypeId, Value};

use super::{
    Law,
    ends::is_shown,
    scene::{Scene, order, plain_method},
};
use crate::world::World;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Extreme {
    Greatest,
    Least,
}

/// By what items are compared: as a whole, or by the second part of a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum By {
    Whole,
    Second,
}

const BOTH: &[Extreme] = &[Extreme::Greatest, Extreme::Least];
const GREATEST: &[Extreme] = &[Extreme::Greatest];
const LEAST: &[Extreme] = &[Extreme::Least];

const PEEKS: [(&str, &[Extreme]); 5] = [
    ("peek", BOTH),
    ("peek_max", GREATEST),
    ("peek_min", LEAST),
    ("max", GREATEST),
    ("min", LEAST),
];
/// Taking, and showing what would be taken.
const POPS: [(&str, &str, &[Extreme]); 7] = [
    ("pop", "peek", BOTH),
    ("pop_max", "peek_max", GREATEST),
    ("pop_min", "peek_min", LEAST),
    ("pop_front", "front", &[]),
    ("pop_back", "back", &[]),
    ("pop_first", "first", &[]),
    ("pop_last", "last", &[]),
];

pub(super) fn laws(world: &World, ty: TypeId) -> Vec<Law> {
    let mut laws = Vec::new();
    for (name, extremes) in PEEKS {
        let Some(peek) = plain_method(world, ty, name, Mode::Ref) else { continue };
        for (extreme, by) in choices(extremes) {
            let id = LawId::ShowsExtreme { query: name.to_owned(), extreme: spelt(extreme, by) };
            laws.push(Law::one(id, Standing::Guess, move |scene| {
                shows_extreme(scene, peek, extreme, by)
            }));
        }
    }
    for (name, peek, extremes) in POPS {
        let Some(pop) = plain_method(world, ty, name, Mode::Mut) else { continue };
        if let Some(op) = plain_method(world, ty, peek, Mode::Ref) {
            let id = LawId::TakesWhatIsShown { pop: name.to_owned(), peek: peek.to_owned() };
            let rule = move |scene: &Scene<'_>| takes_shown(scene, pop, op);
            laws.push(Law::one(id, Standing::Convention, rule).costly());
        }
        let law = LawId::TakesEveryItem { pop: name.to_owned() };
        let rule = move |scene: &Scene<'_>| takes_all(scene, pop);
        laws.push(Law::one(law, Standing::Convention, rule).costly());
        for (extreme, by) in choices(extremes) {
            let law = LawId::TakesExtreme { pop: name.to_owned(), extreme: spelt(extreme, by) };
            let rule = move |scene: &Scene<'_>| takes_in_order(scene, pop, extreme, by);
            laws.push(Law::one(law, Standing::Guess, rule).costly());
        }
    }
    laws
}

fn choices(extremes: &[Extreme]) -> impl Iterator<Item = (Extreme, By)> {
    extremes.iter().flat_map(|extreme| [By::Whole, By::Second].map(|by| (*extreme, by)))
}

fn spelt(extreme: Extreme, by: By) -> gainsay_wire::Extreme {
    use gainsay_wire::Extreme as Told;

    match (extreme, by) {
        (Extreme::Greatest, By::Whole) => Told::Greatest,
        (Extreme::Least, By::Whole) => Told::Least,
        (Extreme::Greatest, By::Second) => Told::GreatestBySecond,
        (Extreme::Least, By::Second) => Told::LeastBySecond,
    }
}

fn rank(item: &Value, by: By) -> Option<&Value> {
    match (item, by) {
        (Value::Tuple(parts), By::Second) if parts.len() == 2 => Some(&parts[1]),
        (Value::Tuple(_), By::Whole) | (_, By::Second) => None,
        (item, By::Whole) => Some(item),
    }
}

/// The extreme among the ranks of items; `None` for fewer than two, which say nothing.
fn extreme_of(items: &[Value], extreme: Extreme, by: By) -> Option<&Value> {
    let ranks: Vec<&Value> = items.iter().map(|item| rank(item, by)).collect::<Option<_>>()?;
    let (first, others) = ranks.split_first().filter(|(_, others)| !others.is_empty())?;
    let mut best = *first;
    for other in others {
        if is_before(other, best, extreme)? {
            best = other;
        }
    }
    Some(best)
}

/// Whether an item comes strictly before another.
fn is_before(a: &Value, b: &Value, extreme: Extreme) -> Option<bool> {
    let wanted = match extreme {
        Extreme::Greatest => Ordering::Greater,
        Extreme::Least => Ordering::Less,
    };
    Some(order(a, b)? == wanted)
}

fn shows_extreme(scene: &Scene<'_>, peek: OpId, extreme: Extreme, by: By) -> Option<bool> {
    let best = extreme_of(scene.bag()?, extreme, by)?;
    match scene.call(peek, scene.cell, &[])?.value {
        Value::Opt(None) => Some(false),
        Value::Opt(Some(shown)) => Some(rank(&shown, by)? == best),
        _ => None,
    }
}

fn takes_shown(scene: &Scene<'_>, pop: OpId, peek: OpId) -> Option<bool> {
    let shown = scene.call(peek, scene.cell, &[])?.value;
    let copy = scene.copy()?;
    let taken = scene.call(pop, &copy, &[])?.value;
    match (shown, taken) {
        (Value::Opt(None), Value::Opt(None)) => Some(true),
        (Value::Opt(None), Value::Opt(Some(_))) | (Value::Opt(Some(_)), Value::Opt(None)) => {
            Some(false)
        }
        (Value::Opt(Some(shown)), Value::Opt(Some(taken))) => {
            is_shown(&taken, &shown).or_else(|| is_shown(&shown, &taken))
        }
        _ => None,
    }
}

/// All that taking gives until there is nothing left.
fn taken(scene: &Scene<'_>, pop: OpId) -> Option<Vec<Value>> {
    let most = scene.bag()?.len() + 1;
    let copy = scene.copy()?;
    let mut taken = Vec::new();
    while taken.len() < most {
        match scene.call(pop, &copy, &[])?.value {
            Value::Opt(Some(item)) => taken.push(*item),
            Value::Opt(None) => return Some(taken),
            _ => return None,
        }
    }
    Some(taken)
}

fn takes_all(scene: &Scene<'_>, pop: OpId) -> Option<bool> {
    let mut taken = taken(scene, pop)?;
    let mut items = scene.bag()?.to_vec();
    if taken.len() != items.len() {
        return Some(false);
    }
    let alike =
        taken.iter().zip(&items).all(|(a, b)| is_shown(b, a).is_some() && a.kind() == b.kind());
    if !alike {
        return None;
    }
    taken.sort();
    items.sort();
    Some(taken == items)
}

fn takes_in_order(scene: &Scene<'_>, pop: OpId, extreme: Extreme, by: By) -> Option<bool> {
    let taken = taken(scene, pop)?;
    let ranks: Vec<&Value> = taken.iter().map(|item| rank(item, by)).collect::<Option<_>>()?;
    if ranks.windows(2).all(|pair| pair[0] == pair[1]) {
        return None;
    }
    for pair in ranks.windows(2) {
        if is_before(pair[1], pair[0], extreme)? {
            return Some(false);
        }
    }
    Some(true)
}
