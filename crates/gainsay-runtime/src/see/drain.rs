//! Looking at borrowed results: an iterator is asked for its first items, anything else is seen
//! as it is. The level of a trait is the number of `&` in its implementation.

use std::{
    cell::Cell,
    fmt::Debug,
    hash::{Hash, Hasher as _},
};

use gainsay_wire::{Mix, Value};

use super::{See, debug_token, hash_token};

/// Items that are asked for.
const MOST_DRAINED: usize = 32;

/// An owned value on its way to be looked at.
pub struct Drain<T>(Cell<Option<T>>);

impl<T> Drain<T> {
    /// Takes the value.
    pub fn new(value: T) -> Drain<T> {
        Drain(Cell::new(Some(value)))
    }

    fn take(&self) -> T {
        self.0.take().expect("a value is drained once")
    }
}

/// The first items; a digest when there are more, since a cut sequence would look like another.
fn first_items<T>(items: impl Iterator<Item = T>, see: impl Fn(&T) -> Value) -> Value {
    let mut seen: Vec<Value> = items.take(MOST_DRAINED + 1).map(|item| see(&item)).collect();
    if seen.len() <= MOST_DRAINED {
        return Value::Seq(seen);
    }
    let tail = seen.split_off(MOST_DRAINED);
    debug_assert_eq!(tail.len(), 1);
    let mut digest = Mix::new();
    seen.hash(&mut digest);
    Value::Token(digest.finish())
}

macro_rules! level {
    ($(#[$doc:meta])* $name:ident [$($params:tt)*] for $ty:ty => |$value:ident| $see:expr) => {
        $(#[$doc])*
        pub trait $name {
            /// What is seen.
            fn value_drained(&self) -> Value;
        }
        impl<$($params)*> $name for $ty {
            fn value_drained(&self) -> Value {
                let $value = self.take();
                $see
            }
        }
    };
}

level! {
    /// An iterator over items that can be seen.
    DrainSeenItems[I: Iterator<Item: See>] for &&&&&&&Drain<I> => |items| first_items(items, See::see)
}
level! {
    /// An iterator over items that can be hashed.
    DrainHashedItems[I: Iterator<Item: Hash>] for &&&&&&Drain<I> => |items| first_items(items, hash_token)
}
level! {
    /// An iterator over items that can be printed.
    DrainDebugItems[I: Iterator<Item: Debug>] for &&&&&Drain<I> => |items| first_items(items, debug_token)
}
level! {
    /// An iterator over anything.
    DrainItems[I: Iterator] for &&&&Drain<I> => |items| first_items(items, |_| Value::Object)
}
level! {
    /// A value that can be seen.
    DrainSeen[T: See] for &&&Drain<T> => |value| value.see()
}
level! {
    /// A value that can be hashed.
    DrainHashed[T: Hash] for &&Drain<T> => |value| hash_token(&value)
}
level! {
    /// A value that can be printed.
    DrainDebugged[T: Debug] for &Drain<T> => |value| debug_token(&value)
}
level! {
    /// Any value.
    DrainAny[T] for Drain<T> => |value| { drop(value); Value::Object }
}
