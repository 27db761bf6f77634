//! What the code of a caller may do wrong while an operation runs.

use std::{fmt, str::FromStr};

/// Misbehaviour of the code that a caller hands to an operation: elements, closures, iterators,
/// and what becomes of a guard. All of it is safe code, so memory must survive it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Twist {
    /// All is well behaved.
    #[default]
    None,
    /// This number of callbacks of a kind go well, the next one panics.
    Fuse(Callback, u32),
    /// Iterators say that they know nothing about their length, which is allowed.
    Shy,
    /// Iterators claim to be so many items longer (or shorter) than they are.
    Lie(i32),
    /// In place of being dropped, the object is forgotten.
    Forget,
}
wire_enum!(Twist { 0 = None, 1 = Fuse(callback, after), 2 = Shy, 3 = Lie(by), 4 = Forget });

/// The places at which an operation runs code of its caller.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Callback {
    /// `Clone::clone` of an element.
    Clone,
    /// `Drop::drop` of an element.
    Drop,
    /// `PartialEq::eq` of an element.
    Eq,
    /// `Ord::cmp` or `PartialOrd::partial_cmp` of an element.
    Ord,
    /// `Hash::hash` of an element.
    Hash,
    /// `Default::default` of an element.
    Default,
    /// A call of a closure.
    Closure,
    /// `Iterator::next` of an argument.
    Next,
    // Where nobody knows which callbacks an operation makes, this finds one soonest.
    /// Whichever of them comes next.
    Any,
}
wire_enum!(Callback {
    0 = Clone,
    1 = Drop,
    2 = Eq,
    3 = Ord,
    4 = Hash,
    5 = Default,
    6 = Closure,
    7 = Next,
    8 = Any,
});

impl Callback {
    /// All kinds, in order.
    pub const ALL: [Callback; 9] = [
        Callback::Clone,
        Callback::Drop,
        Callback::Eq,
        Callback::Ord,
        Callback::Hash,
        Callback::Default,
        Callback::Closure,
        Callback::Next,
        Callback::Any,
    ];

    /// The word for it in texts of sequences.
    pub fn word(self) -> &'static str {
        match self {
            Callback::Clone => "clone",
            Callback::Drop => "drop",
            Callback::Eq => "eq",
            Callback::Ord => "ord",
            Callback::Hash => "hash",
            Callback::Default => "default",
            Callback::Closure => "closure",
            Callback::Next => "next",
            Callback::Any => "any",
        }
    }
}

/// As texts of sequences have it: `drop@2`, `shy`, `lie@-1`, `forget`; nothing for nothing.
impl fmt::Display for Twist {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Twist::None => Ok(()),
            Twist::Fuse(callback, after) => write!(f, "{}@{after}", callback.word()),
            Twist::Shy => f.write_str("shy"),
            Twist::Lie(by) => write!(f, "lie@{by}"),
            Twist::Forget => f.write_str("forget"),
        }
    }
}

impl FromStr for Twist {
    type Err = NoTwist;

    // The texts stand in files of known faults that users keep: none of them may change.
    fn from_str(text: &str) -> Result<Twist, NoTwist> {
        match text.split_once('@') {
            None if text == "shy" => Ok(Twist::Shy),
            None if text == "forget" => Ok(Twist::Forget),
            None => Err(NoTwist),
            Some(("lie", by)) => by.parse().map(Twist::Lie).map_err(|_| NoTwist),
            Some((word, after)) => {
                let callback = Callback::ALL.into_iter().find(|callback| callback.word() == word);
                let after = after.parse().map_err(|_| NoTwist)?;
                callback.map(|callback| Twist::Fuse(callback, after)).ok_or(NoTwist)
            }
        }
    }
}

/// A text that is no twist.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoTwist;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_printed_is_read_back() {
        let fuses = Callback::ALL.map(|callback| Twist::Fuse(callback, 3));
        for twist in fuses.into_iter().chain([Twist::Shy, Twist::Lie(-2), Twist::Forget]) {
            assert_eq!(twist.to_string().parse(), Ok(twist));
        }
        for text in ["", "drop", "drop@", "drop@-1", "lie@x", "panic@0"] {
            assert_eq!(text.parse::<Twist>(), Err(NoTwist), "{text}");
        }
    }
}
