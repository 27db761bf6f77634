//! What a concrete type can do, found by autoref specialisation: `clone_of!(T)` is `Some` exactly
//! when `T: Clone`. Does not work in generic code.

use std::{
    any::Any,
    fmt::{Debug, Display},
    hash::Hash,
    marker::PhantomData,
};

use crate::table::{CloneFn, CloneFromFn, CmpFn, EqFn, OrdFn};

/// Stands for a type that is asked what it can do.
pub struct Can<T>(PhantomData<T>);

impl<T> Can<T> {
    /// Asks about `T`.
    pub fn new() -> Can<T> {
        Can(PhantomData)
    }
}

impl<T> Default for Can<T> {
    fn default() -> Can<T> {
        Can::new()
    }
}

fn known<T: 'static>(object: &dyn Any) -> &T {
    object.downcast_ref().expect("tables and pool agree on types")
}

macro_rules! capability {
    ($yes:ident, $no:ident, $method:ident, [$($bound:path),*], $fn:ty, $body:expr) => {
        /// The type can.
        pub trait $yes {
            /// How it does.
            fn $method(&self) -> Option<$fn>;
        }
        impl<T: $($bound +)* 'static> $yes for Can<T> {
            fn $method(&self) -> Option<$fn> {
                Some($body)
            }
        }
        /// The type cannot.
        pub trait $no {
            /// Not at all.
            fn $method(&self) -> Option<$fn>;
        }
        impl<T> $no for &Can<T> {
            fn $method(&self) -> Option<$fn> {
                None
            }
        }
    };
}

pub mod arithmetic;
pub mod foreign;
pub mod iterator;
pub mod slices;

capability!(CanClone, NoClone, clone_of, [Clone], CloneFn, |x| Box::new(known::<T>(x).clone()));
capability!(CanEq, NoEq, eq_of, [PartialEq], EqFn, |x, y| known::<T>(x) == known::<T>(y));
capability!(CanCmp, NoCmp, cmp_of, [PartialOrd], CmpFn, |x, y| known::<T>(x)
    .partial_cmp(known::<T>(y)));
capability!(CanOrd, NoOrd, ord_of, [Ord], OrdFn, |x, y| known::<T>(x).cmp(known::<T>(y)));
capability!(CanCloneFrom, NoCloneFrom, clone_from_of, [Clone], CloneFromFn, |x, y| x
    .downcast_mut::<T>()
    .expect("tables and pool agree on types")
    .clone_from(known::<T>(y)));
capability!(CanHash, NoHash, hash_of, [Hash], fn(&dyn Any) -> u64, |x| crate::see::hash_digest(
    known::<T>(x)
));
capability!(CanDebug, NoDebug, debug_of, [Debug], fn(&dyn Any) -> String, |x| format!(
    "{:?}",
    known::<T>(x)
));
capability!(CanDisplay, NoDisplay, display_of, [Display], fn(&dyn Any) -> String, |x| known::<T>(
    x
)
.to_string());

/// The type's `clone`, if it has it.
#[macro_export]
macro_rules! clone_of {
    ($ty:ty) => {{
        #[allow(unused_imports)]
        use $crate::capability::{CanClone as _, NoClone as _};
        (&$crate::capability::Can::<$ty>::new()).clone_of()
    }};
}

/// The type's `==`, if it has it.
#[macro_export]
macro_rules! eq_of {
    ($ty:ty) => {{
        #[allow(unused_imports)]
        use $crate::capability::{CanEq as _, NoEq as _};
        (&$crate::capability::Can::<$ty>::new()).eq_of()
    }};
}

/// The type's `partial_cmp`, if it has it.
#[macro_export]
macro_rules! cmp_of {
    ($ty:ty) => {{
        #[allow(unused_imports)]
        use $crate::capability::{CanCmp as _, NoCmp as _};
        (&$crate::capability::Can::<$ty>::new()).cmp_of()
    }};
}

/// The type's `cmp`, if it has it.
#[macro_export]
macro_rules! ord_of {
    ($ty:ty) => {{
        #[allow(unused_imports)]
        use $crate::capability::{CanOrd as _, NoOrd as _};
        (&$crate::capability::Can::<$ty>::new()).ord_of()
    }};
}

/// The type's `clone_from`, if it has it.
#[macro_export]
macro_rules! clone_from_of {
    ($ty:ty) => {{
        #[allow(unused_imports)]
        use $crate::capability::{CanCloneFrom as _, NoCloneFrom as _};
        (&$crate::capability::Can::<$ty>::new()).clone_from_of()
    }};
}

/// The type's a digest of `hash`, if it has it.
#[macro_export]
macro_rules! hash_of {
    ($ty:ty) => {{
        #[allow(unused_imports)]
        use $crate::capability::{CanHash as _, NoHash as _};
        (&$crate::capability::Can::<$ty>::new()).hash_of()
    }};
}

/// The type's debug text, if it has it.
#[macro_export]
macro_rules! debug_of {
    ($ty:ty) => {{
        #[allow(unused_imports)]
        use $crate::capability::{CanDebug as _, NoDebug as _};
        (&$crate::capability::Can::<$ty>::new()).debug_of()
    }};
}

/// The type as it is printed, if it can be.
#[macro_export]
macro_rules! display_of {
    ($ty:ty) => {{
        #[allow(unused_imports)]
        use $crate::capability::{CanDisplay as _, NoDisplay as _};
        (&$crate::capability::Can::<$ty>::new()).display_of()
    }};
}

#[cfg(test)]
mod tests {
    use std::rc::Rc;

    struct Nothing;
    #[derive(Clone, Debug, PartialEq, PartialOrd, Hash)]
    struct Everything(u8);

    macro_rules! abilities {
        ($ty:ty) => {
            [
                clone_of!($ty).is_some(),
                eq_of!($ty).is_some(),
                cmp_of!($ty).is_some(),
                hash_of!($ty).is_some(),
                debug_of!($ty).is_some(),
            ]
        };
    }

    #[test]
    fn each_ability_is_found_and_none_is_made_up() {
        assert_eq!(abilities!(Nothing), [false; 5]);
        assert_eq!(abilities!(Everything), [true; 5]);
        assert_eq!(abilities!(f64), [true, true, true, false, true]);
    }

    #[test]
    fn conditional_implementations_are_followed() {
        assert_eq!(abilities!(Vec<Nothing>), [false; 5]);
        assert_eq!(abilities!(Vec<Everything>), [true; 5]);
        assert_eq!(abilities!(Rc<Nothing>), [true, false, false, false, false]);
    }

    #[test]
    fn what_is_found_does_what_it_says() {
        let (one, two) = (Everything(1), Everything(2));
        let clone = clone_of!(Everything).unwrap()(&one);
        assert!(eq_of!(Everything).unwrap()(&one, &*clone));
        assert!(!eq_of!(Everything).unwrap()(&one, &two));
        assert_eq!(cmp_of!(Everything).unwrap()(&one, &two), Some(std::cmp::Ordering::Less));
        assert_eq!(hash_of!(Everything).unwrap()(&one), hash_of!(Everything).unwrap()(&*clone));
        assert_eq!(debug_of!(Everything).unwrap()(&two), "Everything(2)");
    }
}
