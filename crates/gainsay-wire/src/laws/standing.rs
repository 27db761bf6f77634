//! How laws fare on the objects of a type, and what that makes of them.

use crate::{LawId, TypeId};

/// The fate of a law on the objects of a type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LawCount {
    /// The type.
    pub ty: TypeId,
    /// The law.
    pub law: LawId,
    /// The ground that it rests on.
    pub standing: Standing,
    /// Times that it applied.
    pub checked: u64,
    /// Times that it did not hold.
    pub broken: u64,
}
wire_struct!(LawCount { ty, law, standing, checked, broken });

/// The ground that a law rests on: how many exceptions it takes until it is none for a type.
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
// Twice `RARE`: two exceptions can be a coincidence, and with fewer checks one would decide.
const LEAST_CHECKS: u64 = 40;
/// A guess may fail once in so many times.
// Objects that a fault spoilt break laws too: without exceptions no law would survive the fault that
// it could show.
const RARE: u64 = 20;

impl Standing {
    /// True if a law is one for a type on whose objects it fared like this. A law that most objects break
    /// is none of theirs, unless a trait says so.
    pub fn is_law(self, checked: u64, broken: u64) -> bool {
        match self {
            Standing::Trait => true,
            // Generous: a method whose own name promises it and that nearly never does it means
            // something else by the name; below that it is a fault.
            Standing::Name => broken * 10 <= checked * 9,
            // Where most objects break it, the subject means something else by the names.
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
