//! Types whose values are seen exactly.

use std::{
    borrow::Cow,
    cmp::Ordering,
    collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque},
    convert::Infallible,
    num::{NonZero, Wrapping},
    ops::{Bound, Range, RangeFrom, RangeInclusive, RangeTo},
    ptr::NonNull,
    rc::Rc,
    sync::Arc,
    time::{Duration, Instant},
};

use gainsay_wire::Value;

use super::{See, bag, character, sequence, text};
use crate::Probe;

macro_rules! see_int {
    ($($ty:ident),*) => {$(
        impl See for $ty {
            fn see(&self) -> Value {
                // Only `u128` has values that do not fit; they are told apart.
                i128::try_from(*self).map_or_else(|_| super::hash_token(self), Value::Int)
            }
        }
        impl See for NonZero<$ty> {
            fn see(&self) -> Value {
                self.get().see()
            }
        }
        impl See for Wrapping<$ty> {
            fn see(&self) -> Value {
                self.0.see()
            }
        }
    )*};
}
see_int!(u8, u16, u32, u64, u128, usize, i8, i16, i32, i64, i128, isize);

macro_rules! see_by {
    ($($ty:ty: |$value:ident| $see:expr;)*) => {$(
        impl See for $ty {
            fn see(&self) -> Value {
                let $value = self;
                $see
            }
        }
    )*};
}
see_by! {
    (): |_unit| Value::Unit;
    bool: |value| Value::Bool(*value);
    f32: |value| Value::Float(f64::from(*value));
    f64: |value| Value::Float(*value);
    char: |value| character(*value);
    str: |value| text(value);
    String: |value| text(value);
    Probe: |value| Value::Elem(value.key());
    Ordering: |value| Value::Order(*value);
    // It differs from one process to the next.
    Instant: |_moment| Value::Undefined;
    Duration: |value| Value::Int(i128::try_from(value.as_nanos()).unwrap_or(i128::MAX));
    Infallible: |value| match *value {};
}

macro_rules! see_through {
    ($($ty:ty),*) => {$(
        impl<T: See + ?Sized> See for $ty {
            fn see(&self) -> Value {
                (**self).see()
            }
        }
    )*};
}
see_through!(&T, &mut T, Box<T>, Rc<T>, Arc<T>);

macro_rules! see_address {
    ($($ty:ty),*) => {$(
        impl<T: ?Sized> See for $ty {
            /// An address means something else in each process.
            fn see(&self) -> Value {
                Value::Undefined
            }
        }
    )*};
}
see_address!(*const T, *mut T, NonNull<T>);

impl<T: See + ToOwned + ?Sized> See for Cow<'_, T> {
    fn see(&self) -> Value {
        (**self).see()
    }
}

impl<T: See> See for Option<T> {
    fn see(&self) -> Value {
        Value::Opt(self.as_ref().map(|value| Box::new(value.see())))
    }
}

impl<T: See, E: See> See for Result<T, E> {
    fn see(&self) -> Value {
        match self {
            Ok(value) => Value::ok(value.see()),
            Err(error) => Value::err(error.see()),
        }
    }
}

macro_rules! see_items {
    ($($ty:ty),*) => {$(
        impl<T: See> See for $ty {
            fn see(&self) -> Value {
                sequence(self.iter().map(See::see))
            }
        }
    )*};
}
see_items!([T], Vec<T>, VecDeque<T>, BTreeSet<T>);

impl<T: See, const N: usize> See for [T; N] {
    fn see(&self) -> Value {
        self[..].see()
    }
}

impl<K: See, V: See> See for BTreeMap<K, V> {
    fn see(&self) -> Value {
        sequence(self.iter().map(|pair| pair.see()))
    }
}

/// Hashed collections have no order of their own: they are seen sorted.
impl<T: See, S> See for HashSet<T, S> {
    fn see(&self) -> Value {
        bag(self.iter().map(See::see))
    }
}

impl<K: See, V: See, S> See for HashMap<K, V, S> {
    fn see(&self) -> Value {
        bag(self.iter().map(|pair| pair.see()))
    }
}

macro_rules! see_tuple {
    ($($name:ident $at:tt),+) => {
        impl<$($name: See),+> See for ($($name,)+) {
            fn see(&self) -> Value {
                Value::Tuple(vec![$(self.$at.see()),+])
            }
        }
    };
}
see_tuple!(A 0);
see_tuple!(A 0, B 1);
see_tuple!(A 0, B 1, C 2);
see_tuple!(A 0, B 1, C 2, D 3);
see_tuple!(A 0, B 1, C 2, D 3, E 4);
see_tuple!(A 0, B 1, C 2, D 3, E 4, F 5);

impl<T: See> See for Range<T> {
    fn see(&self) -> Value {
        Value::Tuple(vec![self.start.see(), self.end.see()])
    }
}

impl<T: See> See for RangeInclusive<T> {
    fn see(&self) -> Value {
        Value::Tuple(vec![self.start().see(), self.end().see()])
    }
}

impl<T: See> See for RangeFrom<T> {
    fn see(&self) -> Value {
        Value::Tuple(vec![self.start.see()])
    }
}

impl<T: See> See for RangeTo<T> {
    fn see(&self) -> Value {
        Value::Tuple(vec![self.end.see()])
    }
}

impl<T: See> See for Bound<T> {
    fn see(&self) -> Value {
        match self {
            Bound::Included(value) => Value::ok(value.see()),
            Bound::Excluded(value) => Value::err(value.see()),
            Bound::Unbounded => Value::Unit,
        }
    }
}
