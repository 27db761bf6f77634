//! What a type can do that is an iterator. Its items are seen as values: exactly, by their hash,
//! by their debug text, or only counted.

use std::{any::Any, fmt::Debug, hash::Hash, iter::FusedIterator};

use gainsay_wire::Value;

use super::Can;
use crate::see::{See, debug_token, hash_token};

/// Takes an item from one of the ends.
pub type StepFn = fn(&mut dyn Any) -> Option<Value>;
/// What an iterator says of its length.
pub type HintFn = fn(&dyn Any) -> (usize, Option<usize>);

/// The abilities of an iterator.
#[derive(Clone, Copy)]
pub struct Iteration {
    /// `next`
    pub next: StepFn,
    /// `next_back`, where it has it.
    pub next_back: Option<StepFn>,
    /// `size_hint`
    pub size_hint: HintFn,
    /// `len`, where the length is known.
    pub len: Option<fn(&dyn Any) -> usize>,
    /// Whether it says to stay at its end.
    pub fused: bool,
}

const AGREED: &str = "tables and pool agree on types";

fn known<T: 'static>(object: &dyn Any) -> &T {
    object.downcast_ref().expect(AGREED)
}

fn known_mut<T: 'static>(object: &mut dyn Any) -> &mut T {
    object.downcast_mut().expect(AGREED)
}

macro_rules! level {
    ($name:ident $method:ident -> $result:ty, [$($bound:tt)*] for $ty:ty => $body:expr) => {
        /// One of the choices, the first that fits is taken.
        pub trait $name {
            /// How the type does it.
            fn $method(&self) -> $result;
        }
        impl<$($bound)*> $name for $ty {
            fn $method(&self) -> $result {
                $body
            }
        }
    };
}

level! {
    NextSeen next_of -> Option<StepFn>, [T: Iterator<Item: See> + 'static] for &&&&Can<T> =>
    Some(|x| known_mut::<T>(x).next().map(|item| item.see()))
}
level! {
    NextHashed next_of -> Option<StepFn>, [T: Iterator<Item: Hash> + 'static] for &&&Can<T> =>
    Some(|x| known_mut::<T>(x).next().map(|item| hash_token(&item)))
}
level! {
    NextDebugged next_of -> Option<StepFn>, [T: Iterator<Item: Debug> + 'static] for &&Can<T> =>
    Some(|x| known_mut::<T>(x).next().map(|item| debug_token(&item)))
}
level! {
    NextCounted next_of -> Option<StepFn>, [T: Iterator + 'static] for &Can<T> =>
    Some(|x| known_mut::<T>(x).next().map(|_| Value::Object))
}
level! { NextNone next_of -> Option<StepFn>, [T] for Can<T> => None }

level! {
    BackSeen back_of -> Option<StepFn>,
    [T: DoubleEndedIterator<Item: See> + 'static] for &&&&Can<T> =>
    Some(|x| known_mut::<T>(x).next_back().map(|item| item.see()))
}
level! {
    BackHashed back_of -> Option<StepFn>,
    [T: DoubleEndedIterator<Item: Hash> + 'static] for &&&Can<T> =>
    Some(|x| known_mut::<T>(x).next_back().map(|item| hash_token(&item)))
}
level! {
    BackDebugged back_of -> Option<StepFn>,
    [T: DoubleEndedIterator<Item: Debug> + 'static] for &&Can<T> =>
    Some(|x| known_mut::<T>(x).next_back().map(|item| debug_token(&item)))
}
level! {
    BackCounted back_of -> Option<StepFn>, [T: DoubleEndedIterator + 'static] for &Can<T> =>
    Some(|x| known_mut::<T>(x).next_back().map(|_| Value::Object))
}
level! { BackNone back_of -> Option<StepFn>, [T] for Can<T> => None }

level! {
    Hint hint_of -> Option<HintFn>, [T: Iterator + 'static] for &Can<T> =>
    Some(|x| known::<T>(x).size_hint())
}
level! { HintNone hint_of -> Option<HintFn>, [T] for Can<T> => None }

level! {
    Exact len_of -> Option<fn(&dyn Any) -> usize>, [T: ExactSizeIterator + 'static] for &Can<T> =>
    Some(|x| known::<T>(x).len())
}
level! { ExactNone len_of -> Option<fn(&dyn Any) -> usize>, [T] for Can<T> => None }

level! { Fused is_fused -> bool, [T: FusedIterator] for &Can<T> => true }
level! { NotFused is_fused -> bool, [T] for Can<T> => false }

/// The type's abilities as an iterator, if it is one.
#[macro_export]
macro_rules! iteration_of {
    ($ty:ty) => {{
        #[allow(unused_imports)]
        use $crate::capability::iterator::{
            BackCounted as _, BackDebugged as _, BackHashed as _, BackNone as _, BackSeen as _,
            Exact as _, ExactNone as _, Fused as _, Hint as _, HintNone as _, NextCounted as _,
            NextDebugged as _, NextHashed as _, NextNone as _, NextSeen as _, NotFused as _,
        };
        let can = $crate::capability::Can::<$ty>::new();
        match ((&&&&&can).next_of(), (&&can).hint_of()) {
            (Some(next), Some(size_hint)) => Some($crate::capability::iterator::Iteration {
                next,
                next_back: (&&&&&can).back_of(),
                size_hint,
                len: (&&can).len_of(),
                fused: (&&can).is_fused(),
            }),
            _ => None,
        }
    }};
}

#[cfg(test)]
mod tests {
    use std::any::Any;

    use gainsay_wire::Value;

    use super::StepFn;

    fn drained(next: StepFn, object: &mut dyn Any) -> Vec<Value> {
        std::iter::from_fn(|| next(object)).collect()
    }

    #[test]
    fn an_iterator_is_found_with_all_that_it_can() {
        let can = iteration_of!(std::vec::IntoIter<u8>).unwrap();
        let mut items = vec![1u8, 2, 3].into_iter();
        assert_eq!((can.size_hint)(&items), (3, Some(3)));
        assert_eq!(can.len.unwrap()(&items), 3);
        assert_eq!(can.next_back.unwrap()(&mut items), Some(Value::Int(3)));
        assert_eq!(drained(can.next, &mut items), [Value::Int(1), Value::Int(2)]);
        assert!(can.fused);
    }

    #[test]
    fn what_it_cannot_is_not_made_up() {
        assert!(iteration_of!(Vec<u8>).is_none());
        let can = iteration_of!(std::iter::FromFn<fn() -> Option<u8>>).unwrap();
        assert!(can.next_back.is_none() && can.len.is_none() && !can.fused);
    }

    #[test]
    fn items_of_which_nothing_can_be_seen_are_counted() {
        struct Opaque;
        let can = iteration_of!(std::vec::IntoIter<Opaque>).unwrap();
        let mut items = vec![Opaque, Opaque].into_iter();
        assert_eq!(drained(can.next, &mut items), [Value::Object, Value::Object]);
    }
}
