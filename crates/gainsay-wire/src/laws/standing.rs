//! How laws fare on the objects of a type, and what that makes of them.

use crate::{LawId, TypeId};

/// How a law fared on the objects of a type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LawCount {
    /// The type.
    pub ty: TypeId,
    /// The law.
    pub law: LawId,
    /// What it rests on.
    pub standing: Standing,
    /// Times that it applied.
    pub checked: u64,
    /// Times that it did not hold.
    pub broken: u64,
}
wire_struct!(LawCount { ty, law, standing, checked, broken });

/// What a law rests on: how many exceptions it takes until it is none for a type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Standing {
    /// A trait's documentation demands it: it holds without exception.
    Trait,
    /// The operation's own name promises it: it is none where nearly everything breaks it.
    Name,
    /// Everybody means the same by the names that it speaks of.
    Convention,
    /// The names suggest it, and the objects of the type must confirm it.
    Guess,
}
wire_enum!(Standing { 0 = Trait, 1 = Convention, 2 = Guess, 3 = Name });

/// A guess that was checked more rarely is not believed.
const LEAST_CHECKS: u64 = 40;
/// A guess may fail once in so many times.
const RARE: u64 = 20;

impl Standing {
    /// Whether a law is one for a type on whose objects it fared like this. What most objects break
    /// is no law of theirs, unless a trait says so.
    pub fn is_law(self, checked: u64, broken: u64) -> bool {
        match self {
            Standing::Trait => true,
            Standing::Name => broken * 10 <= checked * 9,
            Standing::Convention => broken * 2 <= checked,
            Standing::Guess => checked >= LEAST_CHECKS && broken * RARE <= checked,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_most_objects_break_is_no_convention_of_theirs_but_a_trait_allows_no_exception() {
        assert!(Standing::Convention.is_law(10, 5));
        assert!(!Standing::Convention.is_law(10, 6));
        assert!(Standing::Name.is_law(10, 9));
        assert!(!Standing::Name.is_law(10, 10));
        assert!(Standing::Trait.is_law(10, 10));
    }

    #[test]
    fn a_guess_must_have_been_confirmed_often() {
        assert!(Standing::Guess.is_law(100, 5));
        assert!(!Standing::Guess.is_law(100, 6));
        assert!(!Standing::Guess.is_law(20, 0));
    }
}
