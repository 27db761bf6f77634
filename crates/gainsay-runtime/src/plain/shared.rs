//! Atomics, locks, cells that are set once, and what tasks are polled with.

use std::{
    cell::{OnceCell, UnsafeCell},
    sync::{
        Mutex, OnceLock, RwLock,
        atomic::{
            AtomicBool, AtomicI8, AtomicI16, AtomicI32, AtomicI64, AtomicIsize, AtomicU8,
            AtomicU16, AtomicU32, AtomicU64, AtomicUsize, Ordering,
        },
    },
    task::{Context, Poll, Waker},
};

use gainsay_wire::Value;

use super::{Plain, choice, generate_choice};
use crate::Gen;

macro_rules! plain_atomic {
    ($($ty:ident of $of:ty;)*) => {$(
        impl Plain for $ty {
            fn generate(source: &mut Gen<'_>) -> Value {
                <$of>::generate(source)
            }
            fn make(value: &Value) -> Self {
                $ty::new(<$of>::make(value))
            }
        }
    )*};
}
plain_atomic! {
    AtomicBool of bool;
    AtomicI8 of i8;
    AtomicI16 of i16;
    AtomicI32 of i32;
    AtomicI64 of i64;
    AtomicIsize of isize;
    AtomicU8 of u8;
    AtomicU16 of u16;
    AtomicU32 of u32;
    AtomicU64 of u64;
    AtomicUsize of usize;
}

const ORDERINGS: &[Ordering] =
    &[Ordering::SeqCst, Ordering::Relaxed, Ordering::Acquire, Ordering::Release, Ordering::AcqRel];

/// Which of the orderings, the strongest first.
impl Plain for Ordering {
    fn generate(source: &mut Gen<'_>) -> Value {
        generate_choice(source, ORDERINGS)
    }
    fn make(value: &Value) -> Self {
        *choice(value, ORDERINGS)
    }
}

plain_wrapper!(Mutex, RwLock, UnsafeCell);

macro_rules! plain_once {
    ($($ty:ident),*) => {$(
        impl<P: Plain> Plain for $ty<P> {
            fn generate(source: &mut Gen<'_>) -> Value {
                <Option<P>>::generate(source)
            }
            fn make(value: &Value) -> Self {
                <Option<P>>::make(value).map_or_else($ty::new, $ty::from)
            }
        }
    )*};
}
plain_once!(OnceCell, OnceLock);

impl<P: Plain> Plain for Poll<P> {
    fn generate(source: &mut Gen<'_>) -> Value {
        <Option<P>>::generate(source)
    }
    fn make(value: &Value) -> Self {
        <Option<P>>::make(value).map_or(Poll::Pending, Poll::Ready)
    }
}

impl Plain for Waker {
    fn generate(_: &mut Gen<'_>) -> Value {
        Value::Unit
    }
    fn make(_: &Value) -> Self {
        Waker::noop().clone()
    }
}

impl Plain for Context<'static> {
    fn generate(_: &mut Gen<'_>) -> Value {
        Value::Unit
    }
    fn make(_: &Value) -> Self {
        Context::from_waker(Waker::noop())
    }
}
