//! Values of the wire in files on disk: written in the words that people know them by, and read back
//! by the type itself.

use std::{fmt::Display, str::FromStr};

use serde::{Deserialize as _, Deserializer, Serializer, de::Error as _};

pub(crate) fn serialize<T: Display, S: Serializer>(value: &T, to: S) -> Result<S::Ok, S::Error> {
    to.collect_str(value)
}

pub(crate) fn deserialize<'de, T, D>(from: D) -> Result<T, D::Error>
where
    T: FromStr<Err: Display>,
    D: Deserializer<'de>,
{
    String::deserialize(from)?.parse().map_err(D::Error::custom)
}

/// The same for several values.
pub(crate) mod list {
    use super::{Deserializer, Display, FromStr, Serializer};
    use serde::{Deserialize as _, de::Error as _};

    pub(crate) fn serialize<T: Display, S: Serializer>(
        values: &[T],
        to: S,
    ) -> Result<S::Ok, S::Error> {
        to.collect_seq(values.iter().map(ToString::to_string))
    }

    pub(crate) fn deserialize<'de, T, D>(from: D) -> Result<Vec<T>, D::Error>
    where
        T: FromStr<Err: Display>,
        D: Deserializer<'de>,
    {
        let words = Vec::<String>::deserialize(from)?;
        words.iter().map(|word| word.parse().map_err(D::Error::custom)).collect()
    }
}
