//! A small binary codec: little-endian fixed-width numbers, length-prefixed lists, one tag byte
//! per enum. Reading never panics and never trusts a length.
// By hand and not by a crate: this is compiled inside strangers' builds, where each dependency may
// collide with one of theirs.

use std::{collections::BTreeMap, fmt};

/// A type that can be written to and read from bytes.
pub trait Wire: Sized {
    /// Appends the value.
    fn write_to(&self, out: &mut Vec<u8>);
    /// Reads a value back.
    fn read_from(from: &mut Reader<'_>) -> Result<Self, Corrupt>;
}

/// The bytes are not what they should be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Corrupt {
    /// The input ended inside a value.
    Truncated,
    /// A tag byte names no variant.
    UnknownTag(u8),
    /// Text that is not UTF-8, or a number that is no character.
    BadText,
    /// Bytes are left over after the value.
    TrailingBytes,
    /// Values are nested deeper than any honest writer nests them.
    TooDeep,
    /// There are more values than any honest writer writes.
    TooMany,
}

impl fmt::Display for Corrupt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Corrupt::Truncated => f.write_str("input ends inside a value"),
            Corrupt::UnknownTag(tag) => write!(f, "unknown tag {tag}"),
            Corrupt::BadText => f.write_str("text is not valid"),
            Corrupt::TrailingBytes => f.write_str("bytes left over after the value"),
            Corrupt::TooDeep => f.write_str("values nested too deeply"),
            Corrupt::TooMany => f.write_str("too many values"),
        }
    }
}

impl std::error::Error for Corrupt {}

/// A cursor over received bytes.
#[derive(Debug)]
pub struct Reader<'a> {
    bytes: &'a [u8],
    depth: u32,
    /// Items of lists that may still come: each takes more memory than it had bytes.
    items: u32,
}

// Honest values nest as deep as types do, which is far less. A worker's memory may be overwritten by
// its subject, so what it sends is as hostile as any input.
const MAX_DEPTH: u32 = 200;
// An item takes more memory than it has bytes: this bounds what a lying length can make the driver
// allocate.
const MAX_ITEMS: u32 = 1 << 25;

impl<'a> Reader<'a> {
    /// Starts at the first byte.
    pub fn new(bytes: &'a [u8]) -> Reader<'a> {
        Reader { bytes, depth: 0, items: MAX_ITEMS }
    }

    fn take_bytes(&mut self, count: usize) -> Result<&'a [u8], Corrupt> {
        let (head, tail) = self.bytes.split_at_checked(count).ok_or(Corrupt::Truncated)?;
        self.bytes = tail;
        Ok(head)
    }

    /// Reads one level deeper, so that hostile nesting cannot exhaust the stack.
    pub(crate) fn read_nested<T>(
        &mut self,
        read: impl FnOnce(&mut Self) -> Result<T, Corrupt>,
    ) -> Result<T, Corrupt> {
        if self.depth == MAX_DEPTH {
            return Err(Corrupt::TooDeep);
        }
        self.depth += 1;
        let result = read(self);
        self.depth -= 1;
        result
    }

    /// True if everything was read.
    pub fn is_done(&self) -> bool {
        self.bytes.is_empty()
    }
}

/// The bytes of a value.
pub fn to_bytes<T: Wire>(value: &T) -> Vec<u8> {
    let mut out = Vec::new();
    value.write_to(&mut out);
    out
}

/// A value from exactly these bytes.
pub fn from_bytes<T: Wire>(bytes: &[u8]) -> Result<T, Corrupt> {
    let mut reader = Reader::new(bytes);
    let value = T::read_from(&mut reader)?;
    // Bytes left over mean that the writer knows fields which this reader does not.
    if reader.is_done() { Ok(value) } else { Err(Corrupt::TrailingBytes) }
}

macro_rules! wire_number {
    ($($ty:ty),*) => {$(
        impl Wire for $ty {
            fn write_to(&self, out: &mut Vec<u8>) {
                out.extend_from_slice(&self.to_le_bytes());
            }
            fn read_from(from: &mut Reader<'_>) -> Result<Self, Corrupt> {
                let bytes = from.take_bytes(size_of::<$ty>())?;
                bytes.try_into().map(<$ty>::from_le_bytes).map_err(|_| Corrupt::Truncated)
            }
        }
    )*};
}
wire_number!(u8, u16, u32, u64, u128, i8, i32, i64, i128);

impl Wire for bool {
    fn write_to(&self, out: &mut Vec<u8>) {
        out.push(u8::from(*self));
    }
    fn read_from(from: &mut Reader<'_>) -> Result<Self, Corrupt> {
        // Any other byte is damage, not `true`.
        match u8::read_from(from)? {
            0 => Ok(false),
            1 => Ok(true),
            tag => Err(Corrupt::UnknownTag(tag)),
        }
    }
}

impl Wire for usize {
    fn write_to(&self, out: &mut Vec<u8>) {
        // Driver and worker may be built for different pointer widths.
        (*self as u64).write_to(out);
    }
    fn read_from(from: &mut Reader<'_>) -> Result<Self, Corrupt> {
        u64::read_from(from)?.try_into().map_err(|_| Corrupt::Truncated)
    }
}

impl Wire for char {
    fn write_to(&self, out: &mut Vec<u8>) {
        u32::from(*self).write_to(out);
    }
    fn read_from(from: &mut Reader<'_>) -> Result<Self, Corrupt> {
        char::from_u32(u32::read_from(from)?).ok_or(Corrupt::BadText)
    }
}

impl Wire for String {
    fn write_to(&self, out: &mut Vec<u8>) {
        self.len().write_to(out);
        out.extend_from_slice(self.as_bytes());
    }
    fn read_from(from: &mut Reader<'_>) -> Result<Self, Corrupt> {
        let len = usize::read_from(from)?;
        let bytes = from.take_bytes(len)?;
        std::str::from_utf8(bytes).map(str::to_owned).map_err(|_| Corrupt::BadText)
    }
}

impl<T: Wire> Wire for Vec<T> {
    fn write_to(&self, out: &mut Vec<u8>) {
        self.len().write_to(out);
        for item in self {
            item.write_to(out);
        }
    }
    fn read_from(from: &mut Reader<'_>) -> Result<Self, Corrupt> {
        from.read_nested(|from| {
            let len = usize::read_from(from)?;
            // A length is a claim: memory is taken only as items really arrive.
            let mut items = Vec::with_capacity(len.min(1024));
            for _ in 0..len {
                from.items = from.items.checked_sub(1).ok_or(Corrupt::TooMany)?;
                items.push(T::read_from(from)?);
            }
            Ok(items)
        })
    }
}

impl<T: Wire> Wire for Option<T> {
    fn write_to(&self, out: &mut Vec<u8>) {
        match self {
            None => out.push(0),
            Some(value) => {
                out.push(1);
                value.write_to(out);
            }
        }
    }
    fn read_from(from: &mut Reader<'_>) -> Result<Self, Corrupt> {
        match u8::read_from(from)? {
            0 => Ok(None),
            1 => from.read_nested(T::read_from).map(Some),
            tag => Err(Corrupt::UnknownTag(tag)),
        }
    }
}

impl<T: Wire> Wire for Box<T> {
    fn write_to(&self, out: &mut Vec<u8>) {
        (**self).write_to(out);
    }
    fn read_from(from: &mut Reader<'_>) -> Result<Self, Corrupt> {
        from.read_nested(T::read_from).map(Box::new)
    }
}

impl<A: Wire, B: Wire> Wire for (A, B) {
    fn write_to(&self, out: &mut Vec<u8>) {
        self.0.write_to(out);
        self.1.write_to(out);
    }
    fn read_from(from: &mut Reader<'_>) -> Result<Self, Corrupt> {
        Ok((A::read_from(from)?, B::read_from(from)?))
    }
}

impl<K: Wire + Ord, V: Wire> Wire for BTreeMap<K, V> {
    fn write_to(&self, out: &mut Vec<u8>) {
        self.len().write_to(out);
        for (key, value) in self {
            key.write_to(out);
            value.write_to(out);
        }
    }
    fn read_from(from: &mut Reader<'_>) -> Result<Self, Corrupt> {
        Ok(Vec::<(K, V)>::read_from(from)?.into_iter().collect())
    }
}

/// Derives [`Wire`] for a struct from its list of fields.
macro_rules! wire_struct {
    ($name:ident { $($field:ident),* $(,)? }) => {
        impl $crate::Wire for $name {
            fn write_to(&self, out: &mut Vec<u8>) {
                $( $crate::Wire::write_to(&self.$field, out); )*
            }
            fn read_from(from: &mut $crate::Reader<'_>) -> Result<Self, $crate::Corrupt> {
                Ok($name { $( $field: $crate::Wire::read_from(from)?, )* })
            }
        }
    };
}

// Tags are written out: the order of variants is for readers and may change, bytes are stored.
/// Derives [`Wire`] for an enum of tuple-like variants, each with its tag.
macro_rules! wire_enum {
    ($name:ident { $($tag:literal = $variant:ident $(($($field:ident),*))?),* $(,)? }) => {
        impl $crate::Wire for $name {
            fn write_to(&self, out: &mut Vec<u8>) {
                match self {
                    $( $name::$variant $(($($field),*))? => {
                        out.push($tag);
                        $($( $crate::Wire::write_to($field, out); )*)?
                    } )*
                }
            }
            fn read_from(from: &mut $crate::Reader<'_>) -> Result<Self, $crate::Corrupt> {
                match u8::read_from(from)? {
                    $( $tag => from.read_nested(|_from| {
                        $($( let $field = $crate::Wire::read_from(_from)?; )*)?
                        Ok($name::$variant $(($($field),*))?)
                    }), )*
                    tag => Err($crate::Corrupt::UnknownTag(tag)),
                }
            }
        }
    };
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Value;

    #[test]
    fn a_length_that_lies_is_truncation_not_a_huge_allocation() {
        let bytes = u64::MAX.to_le_bytes();
        assert_eq!(from_bytes::<Vec<u64>>(&bytes), Err(Corrupt::Truncated));
    }

    #[test]
    fn every_truncation_of_a_value_is_an_error() {
        let value = Value::Seq(vec![Value::Int(7), Value::Str("häuser".into())]);
        let bytes = to_bytes(&value);
        assert_eq!(from_bytes::<Value>(&bytes), Ok(value));
        for end in 0..bytes.len() {
            assert!(from_bytes::<Value>(&bytes[..end]).is_err(), "cut at {end}");
        }
    }

    #[test]
    fn bytes_left_over_are_an_error() {
        assert_eq!(from_bytes::<u8>(&[1, 2]), Err(Corrupt::TrailingBytes));
    }

    #[test]
    fn more_items_than_anybody_sends_are_refused() {
        let bytes = to_bytes(&vec![vec![1u8, 2], vec![3]]);
        let read = |items| Vec::<Vec<u8>>::read_from(&mut Reader { items, ..Reader::new(&bytes) });
        assert_eq!(read(4), Err(Corrupt::TooMany));
        assert!(read(5).is_ok());
    }

    #[test]
    fn hostile_nesting_is_refused() {
        let mut value = Value::Unit;
        for _ in 0..5_000 {
            value = Value::Opt(Some(Box::new(value)));
        }
        assert_eq!(from_bytes::<Value>(&to_bytes(&value)), Err(Corrupt::TooDeep));
        // Taken apart by hand: dropping it would recurse as deeply.
        while let Value::Opt(Some(inner)) = value {
            value = *inner;
        }
    }
}
