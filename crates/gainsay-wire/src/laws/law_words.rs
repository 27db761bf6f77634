//! Words of laws: how a row of the catalogue becomes a variant with a name, and how a name is read
//! back by the same row.

use std::fmt;

use crate::{Corrupt, Reader, Wire};

/// A part of a law's name that differs from law to law of one kind.
pub(super) trait LawPart: Sized {
    /// The part that is written like this, if there is one.
    fn read_part(word: &str) -> Option<Self>;
}

/// The name of a method.
impl LawPart for String {
    fn read_part(word: &str) -> Option<String> {
        // No `-`: that stands between the parts of a law's name.
        let is_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '#');
        (!word.is_empty() && word.chars().all(is_name)).then(|| word.to_owned())
    }
}

/// The name of a type without its arguments, as the harness writes it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TypeWord(pub String);

impl Wire for TypeWord {
    fn write_to(&self, out: &mut Vec<u8>) {
        self.0.write_to(out);
    }
    fn read_from(from: &mut Reader<'_>) -> Result<TypeWord, Corrupt> {
        String::read_from(from).map(TypeWord)
    }
}

impl fmt::Display for TypeWord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl LawPart for TypeWord {
    // Types that are no paths have names of all kinds: `(A, B)`, `[T]`.
    fn read_part(word: &str) -> Option<TypeWord> {
        (!word.is_empty()).then(|| TypeWord(word.to_owned()))
    }
}

/// No law of the catalogue has this name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownLaw(pub String);

impl fmt::Display for UnknownLaw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "no law is called `{}`", self.0)
    }
}

impl std::error::Error for UnknownLaw {}

/// Words that stand in the places of a pattern, by the names of the places.
pub(super) struct Captured<'w>(Vec<(&'static str, &'w str)>);

impl<'w> Captured<'w> {
    /// Lays a pattern like `{query}-finds-every-{what}` on words; `None` where it does not fit.
    pub(super) fn by_pattern(pattern: &'static str, words: &'w str) -> Option<Captured<'w>> {
        let (mut pattern, mut words, mut found) = (pattern, words, Vec::new());
        loop {
            let Some((literal, rest)) = pattern.split_once('{') else {
                return (pattern == words).then_some(Captured(found));
            };
            let (place, rest) = rest.split_once('}')?;
            words = words.strip_prefix(literal)?;
            let next = rest.find('{').map_or(rest, |at| &rest[..at]);
            let end = match (rest.is_empty(), rest.len() == next.len()) {
                (true, _) => words.len(),
                // The end of the words is that of the pattern, even if its text occurs earlier.
                (false, true) => words.len() - words.strip_suffix(next).map(|_| next.len())?,
                (false, false) => words.find(next)?,
            };
            found.push((place, &words[..end]));
            (pattern, words) = (rest, &words[end..]);
        }
    }

    /// The part at a place; `None` when its words are none, or differ where the place comes twice.
    pub(super) fn part<T: LawPart>(&self, place: &str) -> Option<T> {
        let mut words = self.0.iter().filter(|(name, _)| *name == place).map(|(_, word)| *word);
        let word = words.next()?;
        words.all(|other| other == word).then(|| T::read_part(word)).flatten()
    }

    /// Letters that the pattern leaves open. The fewer they are the better does it fit: a name such
    /// as `len-agrees-with-items` also fits a pattern with two open places.
    pub(super) fn open_letters(&self) -> usize {
        self.0.iter().map(|(_, word)| word.len()).sum()
    }
}

/// An enum of words that stand in laws' names: variants with their words.
macro_rules! law_words {
    ($(#[$doc:meta])* $name:ident { $($tag:literal = $variant:ident $word:literal,)+ }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $name {
            $(#[doc = concat!("`", $word, "`")] $variant,)+
        }
        wire_enum!($name { $($tag = $variant,)+ });

        impl $name {
            /// All of them.
            pub const ALL: &'static [$name] = &[$($name::$variant,)+];

            /// As laws write it.
            pub fn word(self) -> &'static str {
                match self { $($name::$variant => $word,)+ }
            }

            /// The one that is written like this.
            pub fn of_word(word: &str) -> Option<$name> {
                $name::ALL.iter().copied().find(|known| known.word() == word)
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.word())
            }
        }

        impl $crate::laws::law_words::LawPart for $name {
            fn read_part(word: &str) -> Option<$name> {
                $name::of_word(word)
            }
        }
    };
}

/// The catalogue: a row per law with its tag on the wire, its parts, what it speaks of, what it says
/// of that, and what it means. Rows stand under the families of `docs/laws.md`.
macro_rules! law_catalogue {
    ($($family:literal {
        $($tag:literal = $law:ident $({ $($field:ident: $ty:ty),+ $(,)? })?
            $subject:literal $predicate:literal $statement:literal;)+
    })+) => {
        /// A law, with the names that it speaks of.
        #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum LawId {
            $($(
                #[doc = $statement]
                $law $({ $(
                    #[doc = concat!("Stands for `", stringify!($field), "` in the law's name.")]
                    $field: $ty,
                )+ })?,
            )+)+
        }

        impl $crate::Wire for LawId {
            fn write_to(&self, out: &mut Vec<u8>) {
                match self {
                    $($( LawId::$law $({ $($field),+ })? => {
                        out.push($tag);
                        $($( $crate::Wire::write_to($field, out); )+)?
                    } )+)+
                }
            }
            fn read_from(from: &mut $crate::Reader<'_>) -> Result<LawId, $crate::Corrupt> {
                match u8::read_from(from)? {
                    $($( $tag => from.read_nested(|_from| {
                        Ok(LawId::$law $({ $($field: $crate::Wire::read_from(_from)?),+ })?)
                    }), )+)+
                    tag => Err($crate::Corrupt::UnknownTag(tag)),
                }
            }
        }

        impl LawId {
            /// All kinds of laws, in the order of `docs/laws.md`.
            pub const CATALOGUE: &'static [LawKind] = &[$($(LawKind {
                family: $family,
                words: concat!($subject, "-", $predicate),
                statement: $statement,
            },)+)+];

            fn write_subject(&self, out: &mut impl std::fmt::Write) -> std::fmt::Result {
                match self {
                    $($( LawId::$law $({ $($field),+ })? => {
                        $($( let _ = $field; )+)?
                        write!(out, $subject)
                    } )+)+
                }
            }

            fn write_predicate(&self, out: &mut impl std::fmt::Write) -> std::fmt::Result {
                match self {
                    $($( LawId::$law $({ $($field),+ })? => {
                        $($( let _ = $field; )+)?
                        write!(out, $predicate)
                    } )+)+
                }
            }

            /// The law of that name: what [`Display`](std::fmt::Display) wrote, of this version or an
            /// earlier one.
            pub fn read(words: &str) -> Result<LawId, UnknownLaw> {
                let mut best: Option<(usize, LawId)> = None;
                $($(
                    let pattern = concat!($subject, "-", $predicate);
                    if let Some(_parts) = Captured::by_pattern(pattern, words) {
                        let law = || {
                            Some(LawId::$law $({ $($field: _parts.part(stringify!($field))?),+ })?)
                        };
                        let letters = _parts.open_letters();
                        if let (Some(law), true) =
                            (law(), best.as_ref().is_none_or(|(least, _)| letters < *least))
                        {
                            best = Some((letters, law));
                        }
                    }
                )+)+
                best.map(|(_, law)| law).ok_or_else(|| UnknownLaw(words.to_owned()))
            }
        }
    };
}
