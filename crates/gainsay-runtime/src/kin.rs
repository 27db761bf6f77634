//! Which object came out of which: a key that a map gave out, an index of a node of a graph. Such a
//! value means something only to the object that it came from, so they are best chosen together.

use crate::Random;

/// Parents and offspring, by the numbers of objects.
#[derive(Default)]
pub(crate) struct Kin {
    parents: Vec<Option<u32>>,
    offspring: Vec<Vec<u32>>,
}

/// Of older offspring nothing is remembered.
const MOST_OFFSPRING: usize = 32;
/// What is farther above means nothing.
const MOST_FOREBEARS: usize = 4;

impl Kin {
    /// Notes that a call on `parent` made an object. What a borrower makes belongs to what it
    /// borrows from: `through` tells that such an object stands in between.
    pub(crate) fn note(&mut self, child: u32, parent: u32, through: bool) {
        let parent = if through { self.parent(parent).unwrap_or(parent) } else { parent };
        *slot(&mut self.parents, child) = Some(parent);
        let offspring = slot(&mut self.offspring, parent);
        if offspring.len() >= MOST_OFFSPRING {
            offspring.remove(0);
        }
        offspring.push(child);
    }

    /// What an object came out of.
    pub(crate) fn parent(&self, child: u32) -> Option<u32> {
        self.parents.get(child as usize).copied().flatten()
    }

    /// Something that came out of an object, or out of what it came out of itself: the keys of a
    /// map are those of its clone, too.
    pub(crate) fn relative(&self, object: u32, random: &mut Random) -> Option<u32> {
        let own = self.offspring_of(object);
        let siblings = self.parent(object).map_or(&[][..], |parent| self.offspring_of(parent));
        let at = random.below(own.len() + siblings.len());
        own.get(at).or_else(|| siblings.get(at - own.len())).copied()
    }

    /// What an object came out of, and that again.
    pub(crate) fn forebears(&self, object: u32) -> impl Iterator<Item = u32> + '_ {
        std::iter::successors(self.parent(object), |above| self.parent(*above)).take(MOST_FOREBEARS)
    }

    fn offspring_of(&self, object: u32) -> &[u32] {
        self.offspring.get(object as usize).map_or(&[], Vec::as_slice)
    }
}

/// The entry of an object, made when it is not there.
fn slot<T: Clone + Default>(entries: &mut Vec<T>, object: u32) -> &mut T {
    let at = object as usize;
    if entries.len() <= at {
        entries.resize(at + 1, T::default());
    }
    &mut entries[at]
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    fn relatives(kin: &Kin, object: u32) -> Vec<u32> {
        let mut random = Random::new(1);
        let drawn: BTreeSet<u32> =
            (0..1000).filter_map(|_| kin.relative(object, &mut random)).collect();
        drawn.into_iter().collect()
    }

    #[test]
    fn what_an_iterator_yields_belongs_to_what_it_walks() {
        let (map, iterator, key, clone) = (0, 1, 2, 3);
        let mut kin = Kin::default();
        kin.note(iterator, map, false);
        kin.note(key, iterator, true);
        kin.note(clone, map, false);
        for relative in [map, key, clone] {
            assert_eq!(relatives(&kin, relative), [iterator, key, clone]);
        }
        assert_eq!(relatives(&kin, 9), []);
    }

    #[test]
    fn a_handle_made_with_another_leads_to_what_gave_that_out() {
        let (tree, node, child) = (0, 1, 2);
        let mut kin = Kin::default();
        kin.note(node, tree, false);
        kin.note(child, node, false);
        assert_eq!(kin.forebears(child).collect::<Vec<_>>(), [node, tree]);
        assert_eq!(kin.forebears(tree).count(), 0);
    }

    #[test]
    fn the_oldest_offspring_is_forgotten_first() {
        let mut kin = Kin::default();
        let last = u32::try_from(MOST_OFFSPRING).unwrap() + 1;
        (1..=last).for_each(|child| kin.note(child, 0, false));
        assert_eq!(relatives(&kin, 0), (2..=last).collect::<Vec<_>>());
    }
}
