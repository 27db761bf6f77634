//! Options, results, pointers, cells, durations, hashers.

use std::{
    alloc::Layout,
    cell::{Cell, RefCell},
    cmp::Reverse,
    hash::{BuildHasherDefault, DefaultHasher, Hasher, RandomState},
    iter::{Empty, Once, Repeat},
    marker::{PhantomData, PhantomPinned},
    mem::{ManuallyDrop, MaybeUninit},
    ops::ControlFlow,
    panic::AssertUnwindSafe,
    pin::Pin,
    rc::Rc,
    sync::{Arc, OnceLock},
    time::{Duration, Instant, SystemTime},
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

plain_wrapper!(Box, Rc, Arc, Cell, RefCell, ManuallyDrop, MaybeUninit);

macro_rules! plain_tuple_struct {
    ($($ty:ident),*) => {$(
        impl<P: Plain> Plain for $ty<P> {
            fn generate(source: &mut Gen<'_>) -> Value {
                P::generate(source)
            }
            fn make(value: &Value) -> Self {
                $ty(P::make(value))
            }
        }
    )*};
}
plain_tuple_struct!(Reverse, AssertUnwindSafe);

impl<P: Plain> Plain for Pin<Box<P>> {
    fn generate(source: &mut Gen<'_>) -> Value {
        P::generate(source)
    }
    fn make(value: &Value) -> Self {
        Box::pin(P::make(value))
    }
}

impl<B: Plain, C: Plain> Plain for ControlFlow<B, C> {
    fn generate(source: &mut Gen<'_>) -> Value {
        <Result<C, B>>::generate(source)
    }
    fn make(value: &Value) -> Self {
        match <Result<C, B>>::make(value) {
            Ok(value) => ControlFlow::Continue(value),
            Err(value) => ControlFlow::Break(value),
        }
    }
}

impl<P: Plain> Plain for Once<P> {
    fn generate(source: &mut Gen<'_>) -> Value {
        P::generate(source)
    }
    fn make(value: &Value) -> Self {
        std::iter::once(P::make(value))
    }
}

impl<P: Plain + Clone> Plain for Repeat<P> {
    fn generate(source: &mut Gen<'_>) -> Value {
        P::generate(source)
    }
    fn make(value: &Value) -> Self {
        std::iter::repeat(P::make(value))
    }
}

/// Nanoseconds since the epoch, before it too.
impl Plain for SystemTime {
    fn generate(source: &mut Gen<'_>) -> Value {
        let unit = [1, 1_000_000, 1_000_000_000, 86_400_000_000_000][source.random().below(4)];
        let days = [0, 0, 951_782_400, 1_700_000_000][source.random().below(4)];
        Value::Int(source.int(-100, 10_000) * unit + days * 1_000_000_000)
    }
    fn make(value: &Value) -> Self {
        let nanos = value.as_int().unwrap_or(0);
        let distance = Duration::from_nanos(u64::try_from(nanos.unsigned_abs()).unwrap_or(0));
        let at = SystemTime::UNIX_EPOCH;
        let moved = if nanos < 0 { at.checked_sub(distance) } else { at.checked_add(distance) };
        moved.unwrap_or(at)
    }
}

/// A distance from one moment that is the same for the whole process.
impl Plain for Instant {
    fn generate(source: &mut Gen<'_>) -> Value {
        Duration::generate(source)
    }
    fn make(value: &Value) -> Self {
        static FIRST: OnceLock<Instant> = OnceLock::new();
        let first = *FIRST.get_or_init(Instant::now);
        first.checked_add(Duration::make(value)).unwrap_or(first)
    }
}

/// Size and binary logarithm of the alignment.
impl Plain for Layout {
    fn generate(source: &mut Gen<'_>) -> Value {
        // Mostly that of a value, now and then that of a page.
        let most = if source.random().one_in(4) { 13 } else { 6 };
        let align = i128::try_from(source.random().below(most)).unwrap_or(0);
        Value::Tuple(vec![usize::generate(source), Value::Int(align)])
    }
    fn make(value: &Value) -> Self {
        let (size, align) = <(usize, u32)>::make(value);
        let layout = Layout::from_size_align(size, 1 << align.min(12));
        layout.unwrap_or(Layout::new::<u8>())
    }
}

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

plain_unit! {
    [] RandomState = RandomState::new();
    [] DefaultHasher = DefaultHasher::new();
    [H: Default + Hasher + 'static] BuildHasherDefault<H> = BuildHasherDefault::default();
    [T: ?Sized + 'static] PhantomData<T> = PhantomData;
    [] PhantomPinned = PhantomPinned;
    [T: 'static] Empty<T> = std::iter::empty();
}
