//! Iterators as objects: what they say of their length, both ends, and that they stay at the end.

use std::any::Any;

use gainsay_wire::{LawId, Standing, TypeId, Value};

use super::{
    Law,
    scene::{MOST_ITEMS, Scene, drained, methods},
};
use crate::{capability::iterator::Iteration, world::World};

/// Ways through an iterator: which end is next, again and again.
const WAYS: [&[End]; 4] = [
    &[End::Back],
    &[End::Front, End::Back],
    &[End::Back, End::Front],
    &[End::Front, End::Front, End::Back],
];
/// An iterator that has ended is asked so often for more.
const ASKED_AGAIN: usize = 3;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    Front,
    Back,
}

pub(super) fn laws(world: &World, ty: TypeId) -> Vec<Law> {
    let entry = world.type_entry(ty);
    let (Some(iteration), Some(_)) = (entry.lawful.iteration, entry.clone) else {
        return Vec::new();
    };
    let law = |id: LawId, rule: fn(&Scene<'_>, &Iteration) -> Option<bool>| {
        Law::one(id, Standing::Trait, move |scene| rule(scene, &iteration))
    };
    let mut laws = vec![
        law(LawId::SizeHintAgreesWithItems, hint_agrees),
        law(LawId::CloneGivesTheSameItems, clones_alike).costly(),
    ];
    if iteration.len.is_some() {
        laws.push(law(LawId::LenAgreesWithItems, len_agrees));
    }
    if iteration.next_back.is_some() {
        let meet = law(LawId::BothEndsMeet, ends_meet).costly();
        // What is to blame is not what brought the iterator where it is.
        laws.push(match methods(world, ty).find(|method| method.name == "next_back") {
            Some(next_back) => meet.blaming(next_back.op),
            None => meet,
        });
        // Among equals, each end may have its own idea of which comes first.
        let rule = move |scene: &Scene<'_>| is_reversed(scene, &iteration);
        laws.push(Law::one(LawId::RevIsReverse, Standing::Guess, rule).costly());
    }
    if iteration.fused {
        laws.push(law(LawId::StaysAtItsEnd, stays).costly());
    }
    laws
}

/// What a copy of the iterator gives.
fn rest(scene: &Scene<'_>, iteration: &Iteration) -> Option<Vec<Value>> {
    let copy = scene.copy()?;
    let mut copy = copy.into_inner()?;
    drained(iteration, &mut *copy)
}

fn hint_agrees(scene: &Scene<'_>, iteration: &Iteration) -> Option<bool> {
    let hint = scene.with(|x| Some((iteration.size_hint)(x)))?;
    let follow = rest(scene, iteration)?.len();
    Some(is_within(hint, follow))
}

pub(super) fn is_within((lower, upper): (usize, Option<usize>), count: usize) -> bool {
    lower <= count && upper.is_none_or(|upper| count <= upper)
}

fn len_agrees(scene: &Scene<'_>, iteration: &Iteration) -> Option<bool> {
    let len = iteration.len?;
    let len = scene.with(|x| Some(len(x)))?;
    Some(len == rest(scene, iteration)?.len())
}

fn clones_alike(scene: &Scene<'_>, iteration: &Iteration) -> Option<bool> {
    Some(rest(scene, iteration)? == rest(scene, iteration)?)
}

/// Whichever ends items are taken from, each is given once.
fn ends_meet(scene: &Scene<'_>, iteration: &Iteration) -> Option<bool> {
    let items = rest(scene, iteration)?;
    for way in WAYS {
        let mut copy = scene.copy()?.into_inner()?;
        let (most, copy) = (items.len(), &mut *copy);
        if !is_same_bag(&by_both_ends(iteration, copy, way, most)?, &items) {
            return Some(false);
        }
    }
    Some(true)
}

fn is_reversed(scene: &Scene<'_>, iteration: &Iteration) -> Option<bool> {
    let items = rest(scene, iteration).filter(|items| items.len() > 1)?;
    let mut copy = scene.copy()?.into_inner()?;
    Some(by_both_ends(iteration, &mut *copy, WAYS[0], items.len())? == items)
}

fn is_same_bag(a: &[Value], b: &[Value]) -> bool {
    let sorted = |items: &[Value]| {
        let mut items = items.to_vec();
        items.sort();
        items
    };
    sorted(a) == sorted(b)
}

/// All items, taken from the ends in turn, in their order from the front. Where there are more than
/// the front alone gives, there may be no end to them: one more is enough.
fn by_both_ends(
    iteration: &Iteration,
    iterator: &mut dyn Any,
    way: &[End],
    most: usize,
) -> Option<Vec<Value>> {
    let next_back = iteration.next_back?;
    let (mut front, mut back) = (Vec::new(), Vec::new());
    for end in way.iter().cycle() {
        let (item, place) = match end {
            End::Front => ((iteration.next)(iterator), &mut front),
            End::Back => (next_back(iterator), &mut back),
        };
        match item {
            Some(item) => place.push(item),
            None => break,
        }
        if front.len() + back.len() > most {
            break;
        }
    }
    front.extend(back.into_iter().rev());
    Some(front)
}

fn stays(scene: &Scene<'_>, iteration: &Iteration) -> Option<bool> {
    let mut copy = scene.copy()?.into_inner()?;
    drained(iteration, &mut *copy)?;
    Some((0..ASKED_AGAIN).all(|_| (iteration.next)(&mut *copy).is_none()))
}

/// Whether an iterator says at each step how many items follow. It is used up.
pub(super) fn is_honest(iteration: &Iteration, iterator: &mut dyn Any) -> Option<bool> {
    let said = |iterator: &dyn Any| match iteration.len {
        Some(len) => (len(iterator), Some(len(iterator))),
        None => (iteration.size_hint)(iterator),
    };
    let mut hints = vec![said(iterator)];
    while (iteration.next)(iterator).is_some() {
        hints.push(said(iterator));
        if hints.len() > MOST_ITEMS {
            return None;
        }
    }
    let all = hints.len();
    Some((1..).zip(hints).all(|(taken, hint)| is_within(hint, all - taken)))
}

/// Whether an iterator gives these items when they are taken from both ends in turn.
pub(super) fn meets(
    iteration: &Iteration,
    iterator: &mut dyn Any,
    items: &[Value],
) -> Option<bool> {
    Some(is_same_bag(&by_both_ends(iteration, iterator, WAYS[3], items.len())?, items))
}
