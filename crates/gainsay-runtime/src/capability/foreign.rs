//! How a type compares with text and bytes of std, both ways.

use std::{any::Any, cmp::Ordering, marker::PhantomData};

// Generated harnesses name its variants.
pub use gainsay_wire::ForeignText;

/// What comparing both ways gave: `x` with the other, the other with `x`.
pub type BothWays<T> = (T, T);

/// Compares an object with what a text says.
pub type CompareFn<T> = fn(&dyn Any, &str) -> BothWays<T>;

/// A type of std that a type can be compared with.
#[derive(Clone, Copy)]
pub struct Foreign {
    /// The type.
    pub text: ForeignText,
    /// `==` both ways, where there is it.
    pub eq: Option<CompareFn<bool>>,
    /// `partial_cmp` both ways, where there is it.
    pub cmp: Option<CompareFn<Option<Ordering>>>,
}

/// A value that can be made from a text.
pub trait FromText {
    /// Lends the value for a moment.
    fn with<R>(text: &str, look: impl FnOnce(&Self) -> R) -> R;
}

impl FromText for str {
    fn with<R>(text: &str, look: impl FnOnce(&str) -> R) -> R {
        look(text)
    }
}
impl FromText for String {
    fn with<R>(text: &str, look: impl FnOnce(&String) -> R) -> R {
        look(&text.to_owned())
    }
}
impl FromText for [u8] {
    fn with<R>(text: &str, look: impl FnOnce(&[u8]) -> R) -> R {
        look(text.as_bytes())
    }
}
impl FromText for Vec<u8> {
    fn with<R>(text: &str, look: impl FnOnce(&Vec<u8>) -> R) -> R {
        look(&text.as_bytes().to_vec())
    }
}

/// Stands for a pair of types that are asked whether they compare.
pub struct Pair<T, U: ?Sized>(PhantomData<T>, PhantomData<U>);

impl<T, U: ?Sized> Pair<T, U> {
    /// Asks about `T` and `U`.
    pub fn new() -> Pair<T, U> {
        Pair(PhantomData, PhantomData)
    }
}

impl<T, U: ?Sized> Default for Pair<T, U> {
    fn default() -> Pair<T, U> {
        Pair::new()
    }
}

fn known<T: 'static>(object: &dyn Any) -> &T {
    object.downcast_ref().expect("tables and pool agree on types")
}

macro_rules! both_ways {
    ($yes:ident, $no:ident, $method:ident, $bound:ident, $compare:ident -> $result:ty) => {
        /// The types compare both ways.
        pub trait $yes {
            /// How.
            fn $method(&self) -> Option<CompareFn<$result>>;
        }
        impl<T: $bound<U> + 'static, U: $bound<T> + FromText + ?Sized + 'static> $yes
            for Pair<T, U>
        {
            fn $method(&self) -> Option<CompareFn<$result>> {
                Some(|x, text| {
                    let x = known::<T>(x);
                    U::with(text, |other| ($bound::$compare(x, other), $bound::$compare(other, x)))
                })
            }
        }
        /// They do not.
        pub trait $no {
            /// Not at all.
            fn $method(&self) -> Option<CompareFn<$result>>;
        }
        impl<T, U: ?Sized> $no for &Pair<T, U> {
            fn $method(&self) -> Option<CompareFn<$result>> {
                None
            }
        }
    };
}
both_ways!(EqForeign, NoEqForeign, foreign_eq, PartialEq, eq -> bool);
both_ways!(CmpForeign, NoCmpForeign, foreign_cmp, PartialOrd, partial_cmp -> Option<Ordering>);

/// The types of std that the type compares with both ways.
#[macro_export]
macro_rules! foreign_of {
    ($ty:ty) => {{
        #[allow(unused_imports)]
        use $crate::capability::foreign::{
            CmpForeign as _, EqForeign as _, NoCmpForeign as _, NoEqForeign as _,
        };
        ::std::vec::Vec::from([
            $crate::foreign_of!($ty, Str, str),
            $crate::foreign_of!($ty, String, ::std::string::String),
            $crate::foreign_of!($ty, Bytes, [u8]),
            $crate::foreign_of!($ty, ByteVec, ::std::vec::Vec<u8>),
        ])
    }};
    ($ty:ty, $text:ident, $other:ty) => {{
        let pair = $crate::capability::foreign::Pair::<$ty, $other>::new();
        $crate::capability::foreign::Foreign {
            text: $crate::capability::foreign::ForeignText::$text,
            eq: (&pair).foreign_eq(),
            cmp: (&pair).foreign_cmp(),
        }
    }};
}

#[cfg(test)]
mod tests {
    use std::cmp::Ordering;

    use super::ForeignText;

    #[test]
    fn what_compares_both_ways_is_found_and_nothing_else() {
        let found = foreign_of!(String);
        let of = |text| found.iter().find(|foreign| foreign.text == text).unwrap();
        let text = "b".to_owned();
        assert_eq!(of(ForeignText::Str).eq.unwrap()(&text, "b"), (true, true));
        // `String` orders itself only by itself.
        let greater = (Some(Ordering::Greater), Some(Ordering::Less));
        assert_eq!(of(ForeignText::String).cmp.unwrap()(&text, "a"), greater);
        assert!(of(ForeignText::Str).cmp.is_none());
        assert!(of(ForeignText::ByteVec).eq.is_none());
    }
}
