//! Operators of numbers, where operands and result are of one type.

use std::{
    any::Any,
    ops::{Add, Div, Mul, Neg, Rem, Sub},
};

use super::{Can, known};

/// An operator between two values.
pub type BinaryFn = fn(&dyn Any, &dyn Any) -> Box<dyn Any>;
/// An operator before a value.
pub type UnaryFn = fn(&dyn Any) -> Box<dyn Any>;

/// The operators that a type has.
#[derive(Clone, Copy, Default)]
pub struct Arithmetic {
    /// `+`
    pub add: Option<BinaryFn>,
    /// `-`
    pub sub: Option<BinaryFn>,
    /// `*`
    pub mul: Option<BinaryFn>,
    /// `/`
    pub div: Option<BinaryFn>,
    /// `%`
    pub rem: Option<BinaryFn>,
    /// `-` before a value.
    pub neg: Option<UnaryFn>,
}

macro_rules! operator {
    ($yes:ident, $no:ident, $method:ident, $bound:ident, $fn:ty, $body:expr) => {
        /// The type has the operator.
        pub trait $yes {
            /// How it computes.
            fn $method(&self) -> Option<$fn>;
        }
        impl<T: Clone + $bound<Output = T> + 'static> $yes for Can<T> {
            fn $method(&self) -> Option<$fn> {
                Some($body)
            }
        }
        /// The type does not have it.
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

operator!(CanAdd, NoAdd, add_of, Add, BinaryFn, |x, y| Box::new(
    known::<T>(x).clone() + known::<T>(y).clone()
));
operator!(CanSub, NoSub, sub_of, Sub, BinaryFn, |x, y| Box::new(
    known::<T>(x).clone() - known::<T>(y).clone()
));
operator!(CanMul, NoMul, mul_of, Mul, BinaryFn, |x, y| Box::new(
    known::<T>(x).clone() * known::<T>(y).clone()
));
operator!(CanDiv, NoDiv, div_of, Div, BinaryFn, |x, y| Box::new(
    known::<T>(x).clone() / known::<T>(y).clone()
));
operator!(CanRem, NoRem, rem_of, Rem, BinaryFn, |x, y| Box::new(
    known::<T>(x).clone() % known::<T>(y).clone()
));
operator!(CanNeg, NoNeg, neg_of, Neg, UnaryFn, |x| Box::new(-known::<T>(x).clone()));

/// The operators of the type over itself.
#[macro_export]
macro_rules! arithmetic_of {
    ($ty:ty) => {{
        #[allow(unused_imports)]
        use $crate::capability::arithmetic::{
            CanAdd as _, CanDiv as _, CanMul as _, CanNeg as _, CanRem as _, CanSub as _,
            NoAdd as _, NoDiv as _, NoMul as _, NoNeg as _, NoRem as _, NoSub as _,
        };
        let can = $crate::capability::Can::<$ty>::new();
        $crate::capability::arithmetic::Arithmetic {
            add: (&can).add_of(),
            sub: (&can).sub_of(),
            mul: (&can).mul_of(),
            div: (&can).div_of(),
            rem: (&can).rem_of(),
            neg: (&can).neg_of(),
        }
    }};
}

#[cfg(test)]
mod tests {
    #[test]
    fn operators_are_found_and_none_is_made_up() {
        let number = arithmetic_of!(i32);
        let sum = number.add.unwrap()(&2_i32, &3_i32);
        assert_eq!(sum.downcast_ref::<i32>(), Some(&5));
        assert!(arithmetic_of!(u8).neg.is_none());
        // `String` takes a text on its right.
        assert!(arithmetic_of!(String).add.is_none());
    }
}
