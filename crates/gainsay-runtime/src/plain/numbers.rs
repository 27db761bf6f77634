//! Integers, floats, truth values and orderings.

use std::{
    cmp::Ordering,
    num::{NonZero, Saturating, Wrapping},
};

use gainsay_wire::Value;

use super::Plain;
use crate::Gen;

macro_rules! plain_int {
    ($($ty:ident by $method:ident;)*) => {$(
        impl Plain for $ty {
            fn generate(source: &mut Gen<'_>) -> Value {
                let min = i128::try_from(<$ty>::MIN).unwrap_or(i128::MIN);
                let max = i128::try_from(<$ty>::MAX).unwrap_or(i128::MAX);
                Value::Int(source.$method(min, max))
            }
            fn make(value: &Value) -> $ty {
                value.as_int().and_then(|value| <$ty>::try_from(value).ok()).unwrap_or(0)
            }
        }
        impl Plain for NonZero<$ty> {
            fn generate(source: &mut Gen<'_>) -> Value {
                match <$ty as Plain>::generate(source) {
                    Value::Int(0) => Value::Int(1),
                    other => other,
                }
            }
            fn make(value: &Value) -> NonZero<$ty> {
                NonZero::new(<$ty as Plain>::make(value)).unwrap_or(NonZero::<$ty>::MAX)
            }
        }
        impl Plain for Saturating<$ty> {
            fn generate(source: &mut Gen<'_>) -> Value {
                <$ty as Plain>::generate(source)
            }
            fn make(value: &Value) -> Saturating<$ty> {
                Saturating(<$ty as Plain>::make(value))
            }
        }
        impl Plain for Wrapping<$ty> {
            fn generate(source: &mut Gen<'_>) -> Value {
                <$ty as Plain>::generate(source)
            }
            fn make(value: &Value) -> Wrapping<$ty> {
                Wrapping(<$ty as Plain>::make(value))
            }
        }
    )*};
}
plain_int! {
    u8 by int;
    u16 by int;
    u32 by int;
    u64 by int;
    u128 by int;
    usize by size;
    i8 by int;
    i16 by int;
    i32 by int;
    i64 by int;
    i128 by int;
    isize by int;
}

impl Plain for f64 {
    fn generate(source: &mut Gen<'_>) -> Value {
        const EDGES: &[f64] = &[
            0.0,
            -0.0,
            1.0,
            -1.0,
            0.5,
            1.5,
            f64::NAN,
            f64::INFINITY,
            f64::NEG_INFINITY,
            f64::MAX,
            f64::MIN_POSITIVE,
            f64::EPSILON,
            // Smaller than any number with all its digits.
            5e-324,
            -1e-310,
        ];
        if let Some(known) = source.literal_float() {
            return known;
        }
        if source.random().one_in(2) {
            return Value::Float(*source.random().pick(EDGES).expect("there are edges"));
        }
        let whole = i32::try_from(source.int(-1000, 1000)).unwrap_or(0);
        Value::Float(f64::from(whole) / 4.0)
    }
    fn make(value: &Value) -> f64 {
        match value {
            Value::Float(value) => *value,
            Value::Int(value) => i32::try_from(*value).map_or(0.0, f64::from),
            _ => 0.0,
        }
    }
}

impl Plain for f32 {
    fn generate(source: &mut Gen<'_>) -> Value {
        f64::generate(source)
    }
    #[expect(clippy::cast_possible_truncation, reason = "the nearest f32 is as good a value")]
    fn make(value: &Value) -> f32 {
        f64::make(value) as f32
    }
}

impl Plain for bool {
    fn generate(source: &mut Gen<'_>) -> Value {
        Value::Bool(source.random().one_in(2))
    }
    fn make(value: &Value) -> bool {
        value.as_bool().unwrap_or(false)
    }
}

impl Plain for () {
    fn generate(_: &mut Gen<'_>) -> Value {
        Value::Unit
    }
    fn make(_: &Value) {}
}

impl Plain for Ordering {
    fn generate(source: &mut Gen<'_>) -> Value {
        let all = [Ordering::Less, Ordering::Equal, Ordering::Greater];
        Value::Order(all[source.random().below(3)])
    }
    fn make(value: &Value) -> Ordering {
        match value {
            Value::Order(order) => *order,
            _ => Ordering::Equal,
        }
    }
}
