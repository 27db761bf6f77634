//! The faulty version of a type, as programmers have them: many mutants at once, few in a function,
//! so that what one of them breaks is seldom broken by another already. Which of them a fault is to
//! be blamed on is found by showing it again with fewer of them.

use std::collections::BTreeMap;

use super::{
    laboratory::Listed,
    measure::{Testing, Trial},
};

/// So many mutants of a function at most.
const OF_A_FUNCTION: usize = 2;
/// So many calls tell whether a change can be told where it is on everywhere.
const PLAIN_CALLS: u64 = 20_000;

/// Chooses mutants: changes in the order of their lot; what is on everywhere must be told by some
/// calls, and neither it nor one with a guard by the first ones.
pub(super) fn choose(
    testing: &mut Testing<'_>,
    mutants: &[Listed],
    wanted: usize,
) -> anyhow::Result<Vec<u32>> {
    let mut chosen = Choice { wanted, ..Choice::default() };
    for plain in mutants.iter().filter(|it| it.guard.is_none()) {
        if chosen.is_full() {
            break;
        }
        if !chosen.has_room(&plain.function) {
            continue;
        }
        match testing.trial(plain.number, PLAIN_CALLS)? {
            Trial::NotTold | Trial::Failed => continue,
            Trial::Early => {}
            Trial::Told => chosen.take(plain),
        }
        let guarded = |it: &&Listed| it.guard.is_some() && it.plain == Some(plain.number);
        for mutant in mutants.iter().filter(guarded) {
            if chosen.has_room(&mutant.function) && !testing.is_early(mutant.number)? {
                chosen.take(mutant);
            }
        }
    }
    Ok(chosen.numbers)
}

#[derive(Default)]
struct Choice {
    wanted: usize,
    /// How many of each function.
    of: BTreeMap<String, usize>,
    numbers: Vec<u32>,
}

impl Choice {
    fn is_full(&self) -> bool {
        self.numbers.len() >= self.wanted
    }

    fn has_room(&self, function: &str) -> bool {
        !self.is_full() && self.of.get(function).is_none_or(|count| *count < OF_A_FUNCTION)
    }

    fn take(&mut self, mutant: &Listed) {
        *self.of.entry(mutant.function.clone()).or_default() += 1;
        self.numbers.push(mutant.number);
    }
}

/// The one mutant with which something shows, if it does so with one and not without any.
pub(super) fn blame(
    mutants: &[u32],
    shows: &mut dyn FnMut(&[u32]) -> anyhow::Result<bool>,
) -> anyhow::Result<Blame> {
    if shows(&[])? {
        return Ok(Blame::Crate);
    }
    if !shows(mutants)? {
        return Ok(Blame::Several);
    }
    let mut suspects = mutants;
    while suspects.len() > 1 {
        let (some, others) = suspects.split_at(suspects.len() / 2);
        suspects = match (shows(some)?, shows(others)?) {
            (true, _) => some,
            (false, true) => others,
            (false, false) => return Ok(Blame::Several),
        };
    }
    Ok(suspects.first().map_or(Blame::Several, |number| Blame::Mutant(*number)))
}

/// Who is to blame for a fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Blame {
    /// It shows without any mutant.
    Crate,
    Mutant(u32),
    /// It takes more than one, or does not show each time.
    Several,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(mutants: &[u32], shows: impl Fn(&[u32]) -> bool) -> Blame {
        blame(mutants, &mut |on| Ok(shows(on))).unwrap()
    }

    #[test]
    fn the_one_without_which_nothing_shows_is_found() {
        for guilty in 1..=7 {
            let blame = found(&[1, 2, 3, 4, 5, 6, 7], |on| on.contains(&guilty));
            assert_eq!(blame, Blame::Mutant(guilty));
        }
        assert_eq!(found(&[4], |on| on.contains(&4)), Blame::Mutant(4));
    }

    #[test]
    fn what_shows_anyway_or_takes_two_is_nobodys() {
        assert_eq!(found(&[1, 2], |_| true), Blame::Crate);
        assert_eq!(found(&[1, 2], |on| on.len() == 2), Blame::Several);
        assert_eq!(found(&[5], |_| false), Blame::Several, "it does not show again");
    }

    #[test]
    fn few_mutants_are_of_one_function() {
        let mutant = |number, function: &str| Listed {
            number,
            change: String::new(),
            function: function.to_owned(),
            file: String::new(),
            line: 1,
            text: String::new(),
            plain: None,
            guard: None,
        };
        let mut choice = Choice { wanted: 4, ..Choice::default() };
        for (number, function) in [(1, "f"), (2, "f"), (3, "g")] {
            assert!(choice.has_room(function));
            choice.take(&mutant(number, function));
        }
        assert_eq!(choice.numbers, [1, 2, 3]);
        assert!(!choice.has_room("f") && choice.has_room("g"));
        choice.take(&mutant(4, "g"));
        assert!(!choice.has_room("h"));
    }
}
