//! Looking at borrowed results: an iterator is asked for its first items, anything else is seen
//! as it is. The level of a trait is the number of `&` in its implementation.

use std::{cell::Cell, fmt::Debug, hash::Hash};

use gainsay_wire::Value;

use super::{See, debug_token, hash_token, sequence};

/// Items that are asked for: there may be no end of them.
const MOST_DRAINED: usize = 1_000;

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

/// All items, as a view of them would be; nothing when there are more, since neither a cut sequence
/// nor its digest could be compared with anything.
fn first_items<T>(items: impl Iterator<Item = T>, see: impl Fn(&T) -> Value) -> Value {
    let mut count = 0;
    let seen = sequence(items.take(MOST_DRAINED + 1).map(|item| {
        count += 1;
        see(&item)
    }));
    if count > MOST_DRAINED { Value::Undefined } else { seen }
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
