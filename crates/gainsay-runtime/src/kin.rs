//! Which object came out of which: a key that a map gave out, an index of a node of a graph. Such a
//! value means something only to the object that it came from, so they are best chosen together.

use std::collections::BTreeMap;

/// Parents and offspring.
#[derive(Default)]
pub(crate) struct Kin {
    parents: BTreeMap<u32, u32>,
    offspring: BTreeMap<u32, Vec<u32>>,
}

/// Of older offspring nothing is remembered.
const MOST_OFFSPRING: usize = 32;

impl Kin {
    /// Notes that a call on `parent` made an object. What a borrower makes belongs to what it
    /// borrows from: `through` tells that such an object stands in between.
    pub(crate) fn note(&mut self, child: u32, parent: u32, through: bool) {
        let parent = if through { self.parent(parent).unwrap_or(parent) } else { parent };
        self.parents.insert(child, parent);
        let offspring = self.offspring.entry(parent).or_default();
        if offspring.len() >= MOST_OFFSPRING {
            offspring.remove(0);
        }
        offspring.push(child);
    }

    /// What an object came out of.
    pub(crate) fn parent(&self, child: u32) -> Option<u32> {
        self.parents.get(&child).copied()
    }

    /// What came out of an object, or out of what it came out of itself: the keys of a map are
    /// those of its clone, too.
    pub(crate) fn relatives(&self, object: u32) -> impl Iterator<Item = u32> + '_ {
        let own = self.offspring.get(&object);
        let parents = self.parent(object).and_then(|parent| self.offspring.get(&parent));
        own.into_iter().chain(parents).flatten().copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_an_iterator_yields_belongs_to_what_it_walks() {
        let (map, iterator, key, clone) = (0, 1, 2, 3);
        let mut kin = Kin::default();
        kin.note(iterator, map, false);
        kin.note(key, iterator, true);
        kin.note(clone, map, false);
        assert_eq!(kin.relatives(map).collect::<Vec<_>>(), [iterator, key, clone]);
        assert!(kin.relatives(clone).any(|relative| relative == key));
        assert_eq!(kin.relatives(key).next(), Some(iterator));
    }

    #[test]
    fn the_oldest_offspring_is_forgotten_first() {
        let mut kin = Kin::default();
        let last = u32::try_from(MOST_OFFSPRING).unwrap() + 1;
        (1..=last).for_each(|child| kin.note(child, 0, false));
        assert_eq!(kin.relatives(0).next(), Some(2));
        assert_eq!(kin.relatives(0).count(), MOST_OFFSPRING);
    }
}
