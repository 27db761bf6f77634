//! Ways in which memory was misused, as probe elements and texts see it.

use std::{fmt, str::FromStr};

use super::death_cause::UnknownWords;

/// A misuse of memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Misuse {
    /// An element was dropped twice.
    DoubleDrop,
    /// An element was used after its drop.
    UseAfterDrop,
    /// An element was used that was never made.
    Uninitialised,
    /// An element lies where none can lie.
    Misaligned,
    /// A text or a character that there cannot be.
    BadText,
    /// So many elements were never dropped.
    Leak(u32),
}
wire_enum!(Misuse {
    0 = DoubleDrop,
    1 = UseAfterDrop,
    2 = Uninitialised,
    3 = Misaligned,
    4 = BadText,
    5 = Leak(elements),
});

/// The misuses that are said in the same words each time.
const FIXED: [(Misuse, &str); 5] = [
    (Misuse::DoubleDrop, "double drop"),
    (Misuse::UseAfterDrop, "use after drop"),
    (Misuse::Uninitialised, "uninitialised"),
    (Misuse::Misaligned, "misaligned"),
    (Misuse::BadText, "text that is not UTF-8"),
];
const LEAK: &str = "leak of ";

/// The words are part of faults' identities: none of them may change.
impl fmt::Display for Misuse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self, FIXED.iter().find(|(known, _)| known == self)) {
            (_, Some((_, words))) => f.write_str(words),
            (Misuse::Leak(1), None) => write!(f, "{LEAK}1 element"),
            (Misuse::Leak(elements), None) => write!(f, "{LEAK}{elements} elements"),
            (other, None) => write!(f, "{other:?}"),
        }
    }
}

impl FromStr for Misuse {
    type Err = UnknownWords;

    fn from_str(words: &str) -> Result<Misuse, UnknownWords> {
        let leak = || {
            let (count, _) = words.strip_prefix(LEAK)?.split_once(' ')?;
            count.parse().ok().map(Misuse::Leak)
        };
        let fixed = FIXED.iter().find(|(_, known)| *known == words).map(|(misuse, _)| *misuse);
        fixed.or_else(leak).ok_or_else(|| UnknownWords(words.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_misuse_is_read_from_its_words() {
        let leaks = [Misuse::Leak(1), Misuse::Leak(12)];
        for misuse in FIXED.iter().map(|(misuse, _)| *misuse).chain(leaks) {
            assert_eq!(misuse.to_string().parse(), Ok(misuse));
        }
        assert_eq!(Misuse::Leak(1).to_string(), "leak of 1 element");
        assert!("magic".parse::<Misuse>().is_err());
    }
}
