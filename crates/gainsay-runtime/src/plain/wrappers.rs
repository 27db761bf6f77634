//! Options, results, pointers, cells, durations, hashers.

use std::{
    cell::{Cell, RefCell},
    hash::{BuildHasherDefault, DefaultHasher, Hasher, RandomState},
    marker::PhantomData,
    rc::Rc,
    sync::Arc,
    time::Duration,
};

use gainsay_wire::Value;

use super::Plain;
use crate::Gen;

impl<P: Plain> Plain for Option<P> {
    fn generate(source: &mut Gen<'_>) -> Value {
        if source.random().one_in(3) {
            Value::none()
        } else {
            Value::some(source.nested(P::generate))
        }
    }
    fn make(value: &Value) -> Self {
        match value {
            Value::Opt(Some(inner)) => Some(P::make(inner)),
            _ => None,
        }
    }
}

impl<P: Plain, E: Plain> Plain for Result<P, E> {
    fn generate(source: &mut Gen<'_>) -> Value {
        if source.random().one_in(3) {
            Value::err(source.nested(E::generate))
        } else {
            Value::ok(source.nested(P::generate))
        }
    }
    fn make(value: &Value) -> Self {
        match value {
            Value::Res(true, inner) => Ok(P::make(inner)),
            Value::Res(false, inner) => Err(E::make(inner)),
            other => Ok(P::make(other)),
        }
    }
}

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
plain_wrapper!(Box, Rc, Arc, Cell, RefCell);

/// The literal is the number of nanoseconds.
impl Plain for Duration {
    fn generate(source: &mut Gen<'_>) -> Value {
        let unit = [1, 1_000, 1_000_000, 1_000_000_000][source.random().below(4)];
        Value::Int(source.int(0, 10_000) * unit)
    }
    fn make(value: &Value) -> Self {
        let nanos = value.as_int().unwrap_or(0);
        Duration::from_nanos(u64::try_from(nanos).unwrap_or(0))
    }
}

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
plain_unit! {
    [] RandomState = RandomState::new();
    [] DefaultHasher = DefaultHasher::new();
    [H: Default + Hasher + 'static] BuildHasherDefault<H> = BuildHasherDefault::default();
    [T: ?Sized + 'static] PhantomData<T> = PhantomData;
}
