//! How laws fared so far: what most objects of a type break is no law of theirs.

use gainsay_wire::{LawCount, Standing, TypeId};

use crate::world::World;

/// However a law fares, its first breaches are told: the type may not have been seen much yet.
const FIRST_BREACHES: u64 = 6;

/// Times checked and broken, by type and law. Kept from epoch to epoch.
#[derive(Default)]
pub(crate) struct Tallies {
    counts: Vec<Vec<Count>>,
}

#[derive(Clone, Copy, Default)]
struct Count {
    checked: u64,
    broken: u64,
    /// What was told of it already.
    told: (u64, u64),
}

impl Tallies {
    /// Counts a check; whether a breach of the law is worth telling.
    pub(super) fn note(
        &mut self,
        (ty, at): (TypeId, usize),
        standing: Standing,
        holds: bool,
    ) -> bool {
        let at_type = ty.0 as usize;
        if self.counts.len() <= at_type {
            self.counts.resize_with(at_type + 1, Vec::new);
        }
        let counts = &mut self.counts[at_type];
        if counts.len() <= at {
            counts.resize(at + 1, Count::default());
        }
        let count = &mut counts[at];
        count.checked += 1;
        count.broken += u64::from(!holds);
        self.is_worth_telling((ty, at), standing)
    }

    /// Whether a breach is worth telling by what is known so far.
    pub(super) fn is_worth_telling(&self, (ty, at): (TypeId, usize), standing: Standing) -> bool {
        let counts = self.counts.get(ty.0 as usize).and_then(|counts| counts.get(at));
        let count = counts.copied().unwrap_or_default();
        let is_law = |standing: Standing| standing.is_law(count.checked, count.broken);
        match standing {
            Standing::Guess => is_law(standing),
            Standing::Name => count.broken <= FIRST_BREACHES || is_law(standing),
            Standing::Trait | Standing::Convention => {
                count.broken <= FIRST_BREACHES || is_law(Standing::Convention)
            }
        }
    }

    /// What happened since the last time.
    pub(crate) fn news(&mut self, world: &World) -> Vec<LawCount> {
        let mut news = Vec::new();
        for (ty, counts) in (0..).map(TypeId).zip(&mut self.counts) {
            for (law, count) in world.laws(ty).iter().zip(counts) {
                let (checked, broken) = (count.checked - count.told.0, count.broken - count.told.1);
                count.told = (count.checked, count.broken);
                if checked > 0 {
                    let (law, standing) = (law.id.clone(), law.standing);
                    news.push(LawCount { ty, law, standing, checked, broken });
                }
            }
        }
        news
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LAW: (TypeId, usize) = (TypeId(1), 2);

    #[test]
    fn what_nearly_all_objects_break_is_soon_told_no_more() {
        let mut tallies = Tallies::default();
        let told: Vec<bool> =
            (0..20).map(|_| tallies.note(LAW, Standing::Convention, false)).collect();
        assert_eq!((told[0], told[19]), (true, false));
    }

    #[test]
    fn a_guess_is_told_once_it_was_confirmed_often() {
        let mut tallies = Tallies::default();
        assert!(!tallies.note(LAW, Standing::Guess, false));
        for _ in 0..100 {
            tallies.note(LAW, Standing::Guess, true);
        }
        assert!(tallies.note(LAW, Standing::Guess, false));
    }
}
