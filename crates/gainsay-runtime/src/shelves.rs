//! The objects that may be chosen, by type and state. Selection is by state first, object second,
//! so that many alike do not drown the one that differs; states that were rarely chosen come
//! before others. Every move takes the same short time, however many objects there are.

use std::{collections::HashMap, hash::BuildHasherDefault};

use gainsay_wire::{Digest, StateId, TypeId};

use crate::Random;

/// Objects by type and state.
pub(crate) struct Shelves {
    types: Vec<Shelf>,
    /// Where each object of the pool stands.
    places: Vec<Option<Place>>,
}

#[derive(Clone, Copy)]
struct Place {
    ty: TypeId,
    state: StateId,
    /// Position in its bucket.
    nth: u32,
    /// Position among all of its type.
    overall: u32,
}

#[derive(Default)]
struct Shelf {
    buckets: Vec<Bucket>,
    /// Which bucket a state has. Only looked up, never walked through.
    by_state: HashMap<StateId, u32, BuildHasherDefault<Digest>>,
    objects: Vec<u32>,
}

struct Bucket {
    state: StateId,
    objects: Vec<u32>,
    /// How often an object in this state was chosen.
    chosen: u32,
}

/// More objects of a type are not kept.
const MOST_OBJECTS: usize = 64;
/// So many states are compared when one must go.
const COMPARED: usize = 8;

impl Shelves {
    pub(crate) fn new(types: usize) -> Shelves {
        Shelves { types: (0..types).map(|_| Shelf::default()).collect(), places: Vec::new() }
    }

    /// Puts an object where its state belongs; another one may have to go.
    pub(crate) fn place(&mut self, object: u32, ty: TypeId, state: StateId, random: &mut Random) {
        let at = object as usize;
        if self.places.len() <= at {
            self.places.resize(at + 1, None);
        }
        if self.places[at].is_some_and(|place| (place.ty, place.state) == (ty, state)) {
            return;
        }
        self.remove(object);
        let row = &self.types[ty.0 as usize];
        if row.objects.len() >= MOST_OBJECTS
            && let Some(spare) = row.spare(random)
        {
            self.remove(spare);
        }
        let (nth, overall) = self.types[ty.0 as usize].insert(object, state);
        self.places[at] = Some(Place { ty, state, nth, overall });
    }

    /// Takes an object away.
    pub(crate) fn remove(&mut self, object: u32) {
        let Some(place) = self.places.get_mut(object as usize).and_then(Option::take) else {
            return;
        };
        let (neighbour, last) = self.types[place.ty.0 as usize].remove(place);
        if let Some(moved) = neighbour.and_then(|moved| self.places[moved as usize].as_mut()) {
            moved.nth = place.nth;
        }
        if let Some(moved) = last.and_then(|moved| self.places[moved as usize].as_mut()) {
            moved.overall = place.overall;
        }
    }

    /// Some object in some state, of two states the one that was chosen less often.
    pub(crate) fn pick(&mut self, ty: TypeId, random: &mut Random) -> Option<u32> {
        let buckets = &mut self.types[ty.0 as usize].buckets;
        if buckets.is_empty() {
            return None;
        }
        let [a, b] = [random.below(buckets.len()), random.below(buckets.len())];
        let at = if buckets[b].chosen < buckets[a].chosen { b } else { a };
        let bucket = &mut buckets[at];
        bucket.chosen += 1;
        random.pick(&bucket.objects).copied()
    }

    /// Any object of the type.
    pub(crate) fn pick_any(&self, ty: TypeId, random: &mut Random) -> Option<u32> {
        random.pick(&self.types[ty.0 as usize].objects).copied()
    }
}

impl Shelf {
    /// The object's positions.
    fn insert(&mut self, object: u32, state: StateId) -> (u32, u32) {
        let end = position(self.buckets.len());
        let at = *self.by_state.entry(state).or_insert(end);
        if at == end {
            self.buckets.push(Bucket { state, objects: Vec::new(), chosen: 0 });
        }
        let bucket = &mut self.buckets[at as usize].objects;
        bucket.push(object);
        self.objects.push(object);
        (position(bucket.len() - 1), position(self.objects.len() - 1))
    }

    /// The objects that moved into the gaps: in the bucket, and among all.
    fn remove(&mut self, place: Place) -> (Option<u32>, Option<u32>) {
        self.objects.swap_remove(place.overall as usize);
        let last = self.objects.get(place.overall as usize).copied();
        let Some(&at) = self.by_state.get(&place.state) else { return (None, last) };
        let objects = &mut self.buckets[at as usize].objects;
        objects.swap_remove(place.nth as usize);
        let neighbour = objects.get(place.nth as usize).copied();
        if objects.is_empty() {
            self.buckets.swap_remove(at as usize);
            self.by_state.remove(&place.state);
            if let Some(moved) = self.buckets.get(at as usize) {
                self.by_state.insert(moved.state, at);
            }
        }
        (neighbour, last)
    }

    /// The oldest object of a crowded state; of one that was chosen often where none is crowded.
    fn spare(&self, random: &mut Random) -> Option<u32> {
        let drawn = (0..COMPARED).filter_map(|_| random.pick(&self.buckets));
        let bucket = drawn.max_by_key(|bucket| (bucket.objects.len(), bucket.chosen))?;
        bucket.objects.first().copied()
    }
}

fn position(index: usize) -> u32 {
    u32::try_from(index).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    const TY: TypeId = TypeId(0);

    /// Shelves with these objects in these states.
    fn filled(objects: impl Iterator<Item = (u32, u64)>) -> Shelves {
        let (mut shelves, mut random) = (Shelves::new(1), Random::new(7));
        for (object, state) in objects {
            shelves.place(object, TY, StateId(state), &mut random);
        }
        shelves
    }

    fn picked(shelves: &mut Shelves) -> BTreeSet<u32> {
        let mut random = Random::new(1);
        (0..5000).filter_map(|_| shelves.pick(TY, &mut random)).collect()
    }

    #[test]
    fn the_one_that_differs_is_chosen_as_often_as_the_many_alike() {
        let mut shelves = filled((0..40).map(|object| (object, 1)).chain([(40, 2)]));
        let mut random = Random::new(1);
        let hits = (0..1000).filter(|_| shelves.pick(TY, &mut random) == Some(40)).count();
        assert!((400..600).contains(&hits), "{hits}");
        let hits = (0..1000).filter(|_| shelves.pick_any(TY, &mut random) == Some(40)).count();
        assert!((5..60).contains(&hits), "{hits}");
    }

    #[test]
    fn a_full_shelf_gives_up_one_of_the_most_crowded_state() {
        let most = u32::try_from(MOST_OBJECTS).unwrap();
        let mut shelves = filled((0..=most).map(|object| (object, u64::from(object > 0))));
        let seen = picked(&mut shelves);
        assert!(seen.contains(&0));
        assert_eq!(seen.len(), MOST_OBJECTS);
    }

    #[test]
    fn an_object_that_changed_or_left_is_not_found_in_its_old_place() {
        let mut shelves = filled([(3, 1), (3, 2)].into_iter());
        shelves.remove(3);
        assert_eq!(shelves.pick(TY, &mut Random::new(1)), None);
        assert_eq!(shelves.pick_any(TY, &mut Random::new(1)), None);
    }

    #[test]
    fn whatever_comes_and_goes_what_is_left_can_be_chosen() {
        let (mut shelves, mut random) = (Shelves::new(1), Random::new(3));
        let mut there = BTreeSet::new();
        for _ in 0..3000 {
            let object = u32::try_from(random.below(50)).unwrap();
            if random.one_in(3) {
                shelves.remove(object);
                there.remove(&object);
            } else {
                let state = StateId(random.below(9) as u64);
                shelves.place(object, TY, state, &mut random);
                there.insert(object);
            }
        }
        assert_eq!(picked(&mut shelves), there);
        let any = (0..5000).filter_map(|_| shelves.pick_any(TY, &mut random));
        assert_eq!(any.collect::<BTreeSet<u32>>(), there);
    }

    #[test]
    fn a_state_that_was_hardly_chosen_comes_before_one_that_was_chosen_often() {
        let mut shelves = filled([(1, 1)].into_iter());
        let mut random = Random::new(1);
        (0..100).for_each(|_| assert_eq!(shelves.pick(TY, &mut random), Some(1)));
        shelves.place(2, TY, StateId(2), &mut random);
        let hits = (0..100).filter(|_| shelves.pick(TY, &mut random) == Some(2)).count();
        assert!(hits > 65, "{hits}");
    }
}
