//! Ranges and bounds of plain values. The literal of a range is the tuple of its ends.

use std::ops::{Bound, Range, RangeFrom, RangeFull, RangeInclusive, RangeTo, RangeToInclusive};

use gainsay_wire::Value;

use super::Plain;
use crate::Gen;

/// Two values, mostly in order.
fn generate_ends<P: Plain>(source: &mut Gen<'_>) -> Value {
    let (a, b) = (P::generate(source), P::generate(source));
    let ordered = a <= b || source.random().one_in(8);
    let (a, b) = if ordered { (a, b) } else { (b, a) };
    let b = match (&a, b) {
        (Value::Int(start), Value::Int(end)) => Value::Int(source.limit_width(*start, end)),
        (_, b) => b,
    };
    Value::Tuple(vec![a, b])
}

fn make_ends<P: Plain>(value: &Value) -> (P, P) {
    <(P, P)>::make(value)
}

impl<P: Plain> Plain for Range<P> {
    fn generate(source: &mut Gen<'_>) -> Value {
        generate_ends::<P>(source)
    }
    fn make(value: &Value) -> Self {
        let (start, end) = make_ends(value);
        start..end
    }
}

impl<P: Plain> Plain for RangeInclusive<P> {
    fn generate(source: &mut Gen<'_>) -> Value {
        generate_ends::<P>(source)
    }
    fn make(value: &Value) -> Self {
        let (start, end) = make_ends(value);
        start..=end
    }
}

macro_rules! plain_half_range {
    ($($ty:ident $field:ident),*) => {$(
        impl<P: Plain> Plain for $ty<P> {
            fn generate(source: &mut Gen<'_>) -> Value {
                Value::Tuple(vec![P::generate(source)])
            }
            fn make(value: &Value) -> Self {
                let ($field,) = <(P,)>::make(value);
                $ty { $field }
            }
        }
    )*};
}
plain_half_range!(RangeFrom start, RangeTo end, RangeToInclusive end);

impl Plain for RangeFull {
    fn generate(_: &mut Gen<'_>) -> Value {
        Value::Unit
    }
    fn make(_: &Value) -> Self {
        ..
    }
}

/// `Ok` is included, `Err` excluded, anything else unbounded.
impl<P: Plain> Plain for Bound<P> {
    fn generate(source: &mut Gen<'_>) -> Value {
        match source.random().below(3) {
            0 => Value::ok(P::generate(source)),
            1 => Value::err(P::generate(source)),
            _ => Value::Unit,
        }
    }
    fn make(value: &Value) -> Self {
        match value {
            Value::Res(true, inner) => Bound::Included(P::make(inner)),
            Value::Res(false, inner) => Bound::Excluded(P::make(inner)),
            _ => Bound::Unbounded,
        }
    }
}
