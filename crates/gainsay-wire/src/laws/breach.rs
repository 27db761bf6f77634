//! A broken law as a finding tells it: of which type, by what right, and which objects broke it.

use std::{fmt, str::FromStr};

use crate::{Standing, TypeId, UnknownWords};

/// A law that the last call of a sequence breaks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LawBreach {
    /// The type whose law it is.
    pub ty: TypeId,
    /// What the law rests on.
    pub standing: Standing,
    /// The object that broke it, and for a law about several objects the others.
    pub parties: Vec<LawParty>,
}
wire_struct!(LawBreach { ty, standing, parties });

/// What an object is to the call after which a law does not hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LawParty {
    /// The operand at this place.
    Operand(u32),
    /// The object that the call made at this place.
    Made(u32),
    /// What an operand borrowed from until the call ended the loan.
    Lender,
}
wire_enum!(LawParty { 0 = Operand(at), 1 = Made(out), 2 = Lender });

const OPERAND: &str = "operand ";
const MADE: &str = "made ";
const LENDER: &str = "lender";

/// As records on disk hold it.
impl fmt::Display for LawParty {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LawParty::Operand(at) => write!(f, "{OPERAND}{at}"),
            LawParty::Made(out) => write!(f, "{MADE}{out}"),
            LawParty::Lender => f.write_str(LENDER),
        }
    }
}

impl FromStr for LawParty {
    type Err = UnknownWords;

    fn from_str(words: &str) -> Result<LawParty, UnknownWords> {
        let number = |prefix: &str| words.strip_prefix(prefix)?.parse().ok();
        let lender = || (words == LENDER).then_some(LawParty::Lender);
        let numbered = number(OPERAND).map(LawParty::Operand);
        let found = numbered.or_else(|| number(MADE).map(LawParty::Made)).or_else(lender);
        found.ok_or_else(|| UnknownWords(words.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_party_is_read_from_its_words() {
        for party in [LawParty::Operand(2), LawParty::Made(0), LawParty::Lender] {
            assert_eq!(party.to_string().parse(), Ok(party));
        }
        assert!("other".parse::<LawParty>().is_err());
    }
}
