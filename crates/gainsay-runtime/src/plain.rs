//! Plain values: what can be made on the spot from a literal, with no pool. Making one never
//! panics: a literal of the wrong kind gives a default, so that shrinking may try anything.

use std::any::TypeId;

use gainsay_wire::Value;

use crate::{Gen, Probe};

/// Types that hold one value and have a `new`.
macro_rules! plain_wrapper {
    ($($ty:ident),*) => {$(
        impl<P: Plain> Plain for $ty<P> {
            fn generate(source: &mut Gen<'_>) -> Value {
                P::generate(source)
            }
            fn make(value: &Value) -> Self {
                $ty::new(P::make(value))
            }
        }
    )*};
}

/// Types of which one value is as good as any other.
macro_rules! plain_unit {
    ($([$($param:tt)*] $ty:ty = $new:expr;)*) => {$(
        impl<$($param)*> Plain for $ty {
            fn generate(_: &mut Gen<'_>) -> Value {
                Value::Unit
            }
            fn make(_: &Value) -> Self {
                $new
            }
        }
    )*};
}

mod collections;
mod errors;
mod io;
mod net;
mod numbers;
mod ranges;
mod shared;
mod text;
mod wrappers;

/// A type whose values are made from literals.
pub trait Plain: Sized + 'static {
    /// Makes up a literal.
    fn generate(source: &mut Gen<'_>) -> Value;
    /// The value that a literal stands for.
    fn make(value: &Value) -> Self;
}

impl Plain for Probe {
    fn generate(source: &mut Gen<'_>) -> Value {
        Value::Elem(source.key())
    }
    fn make(value: &Value) -> Probe {
        Probe::new(match value {
            Value::Elem(key) => *key,
            Value::Int(key) => i64::try_from(*key).unwrap_or(0),
            _ => 0,
        })
    }
}

/// The items of a sequence literal; none for any other.
fn items(value: &Value) -> &[Value] {
    match value {
        Value::Seq(items) | Value::Tuple(items) => items,
        _ => &[],
    }
}

/// A literal of some items; of bytes, often those of a text: parsers take them.
fn generate_many<P: Plain>(source: &mut Gen<'_>) -> Value {
    if TypeId::of::<P>() == TypeId::of::<u8>() && source.random().one_in(2) {
        let mut bytes = source.text().into_bytes();
        if source.random().one_in(BROKEN_EVERY) {
            break_text(&mut bytes, source);
        }
        return Value::Seq(bytes.into_iter().map(|byte| Value::Int(byte.into())).collect());
    }
    generate_items(source, P::generate)
}

/// One text in so many that comes as bytes is none.
const BROKEN_EVERY: usize = 6;

/// Puts a byte somewhere that is no character.
fn break_text(bytes: &mut Vec<u8>, source: &mut Gen<'_>) {
    const BROKEN: [u8; 6] = [0xff, 0x80, 0xc0, 0xed, 0xf0, 0xbf];
    let at = source.random().below(bytes.len() + 1);
    let byte = BROKEN[source.random().below(BROKEN.len())];
    match bytes.get_mut(at) {
        Some(place) if source.random().one_in(2) => *place = byte,
        _ => bytes.insert(at, byte),
    }
}

/// A literal of some items.
fn generate_items(source: &mut Gen<'_>, item: fn(&mut Gen<'_>) -> Value) -> Value {
    let len = source.item_count();
    Value::Seq((0..len).map(|_| source.nested(item)).collect())
}

/// The literal of one of several things: its number.
fn generate_choice<T>(source: &mut Gen<'_>, from: &[T]) -> Value {
    Value::Int(i128::try_from(source.random().below(from.len())).unwrap_or(0))
}

/// What a number chooses; the first for any other literal.
fn choice<'t, T>(value: &Value, from: &'t [T]) -> &'t T {
    let number = value.as_int().and_then(|number| usize::try_from(number).ok());
    number.and_then(|number| from.get(number)).unwrap_or(&from[0])
}

#[cfg(test)]
mod tests;
