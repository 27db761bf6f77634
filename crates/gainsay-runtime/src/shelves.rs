//! The objects that may be chosen, by type and state. Selection is by state first, object second,
//! so that many alike do not drown the one that differs.

use gainsay_wire::{StateId, TypeId};

use crate::Random;

/// Objects by type and state.
pub(crate) struct Shelves {
    types: Vec<Shelf>,
    /// Where each object of the pool stands.
    places: Vec<Option<(TypeId, StateId)>>,
}

#[derive(Default)]
struct Shelf {
    buckets: Vec<Bucket>,
    count: usize,
}

struct Bucket {
    state: StateId,
    /// Oldest first.
    objects: Vec<u32>,
}

/// More objects of a type are not kept.
const MOST_OBJECTS: usize = 64;

impl Shelves {
    pub(crate) fn new(types: usize) -> Shelves {
        Shelves { types: (0..types).map(|_| Shelf::default()).collect(), places: Vec::new() }
    }

    /// Puts an object where its state belongs.
    pub(crate) fn place(&mut self, object: u32, ty: TypeId, state: StateId) {
        let at = object as usize;
        if self.places.len() <= at {
            self.places.resize(at + 1, None);
        }
        if self.places[at] == Some((ty, state)) {
            return;
        }
        self.remove(object);
        self.places[at] = Some((ty, state));
        let row = &mut self.types[ty.0 as usize];
        row.insert(object, state);
        if row.count > MOST_OBJECTS
            && let Some(old) = row.most_crowded()
        {
            self.remove(old);
        }
    }

    /// Takes an object away.
    pub(crate) fn remove(&mut self, object: u32) {
        let place = self.places.get_mut(object as usize).and_then(Option::take);
        if let Some((ty, state)) = place {
            self.types[ty.0 as usize].remove(object, state);
        }
    }

    /// Some object in some state.
    pub(crate) fn pick(&self, ty: TypeId, random: &mut Random) -> Option<u32> {
        let bucket = random.pick(&self.types[ty.0 as usize].buckets)?;
        random.pick(&bucket.objects).copied()
    }
}

impl Shelf {
    fn insert(&mut self, object: u32, state: StateId) {
        self.count += 1;
        match self.buckets.iter_mut().find(|bucket| bucket.state == state) {
            Some(bucket) => bucket.objects.push(object),
            None => self.buckets.push(Bucket { state, objects: vec![object] }),
        }
    }

    fn remove(&mut self, object: u32, state: StateId) {
        let Some(at) = self.buckets.iter().position(|bucket| bucket.state == state) else { return };
        let objects = &mut self.buckets[at].objects;
        let before = objects.len();
        objects.retain(|other| *other != object);
        self.count -= before - objects.len();
        if objects.is_empty() {
            self.buckets.remove(at);
        }
    }

    /// The oldest object of the most crowded state; of the oldest state where none is crowded.
    fn most_crowded(&self) -> Option<u32> {
        let most = self.buckets.iter().map(|bucket| bucket.objects.len()).max()?;
        let bucket = self.buckets.iter().find(|bucket| bucket.objects.len() == most)?;
        bucket.objects.first().copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TY: TypeId = TypeId(0);

    #[test]
    fn the_one_that_differs_is_chosen_as_often_as_the_many_alike() {
        let mut shelves = Shelves::new(1);
        (0..40).for_each(|object| shelves.place(object, TY, StateId(1)));
        shelves.place(40, TY, StateId(2));
        let mut random = Random::new(1);
        let hits = (0..1000).filter(|_| shelves.pick(TY, &mut random) == Some(40)).count();
        assert!((400..600).contains(&hits), "{hits}");
    }

    #[test]
    fn a_full_shelf_gives_up_the_oldest_of_the_most_crowded_state() {
        let mut shelves = Shelves::new(1);
        shelves.place(0, TY, StateId(9));
        (1..=64).for_each(|object| shelves.place(object, TY, StateId(1)));
        let mut random = Random::new(1);
        let seen: std::collections::BTreeSet<u32> =
            (0..5000).filter_map(|_| shelves.pick(TY, &mut random)).collect();
        assert!(seen.contains(&0) && !seen.contains(&1) && seen.contains(&2));
        assert_eq!(seen.len(), MOST_OBJECTS);
    }

    #[test]
    fn an_object_that_changed_or_left_is_not_found_in_its_old_place() {
        let mut shelves = Shelves::new(1);
        shelves.place(3, TY, StateId(1));
        shelves.place(3, TY, StateId(2));
        shelves.remove(3);
        assert_eq!(shelves.pick(TY, &mut Random::new(1)), None);
    }
}
