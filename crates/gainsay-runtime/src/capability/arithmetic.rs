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

capability!(CanAdd, NoAdd, add_of, [Clone, Add<Output = T>], BinaryFn, |x, y| Box::new(
    known::<T>(x).clone() + known::<T>(y).clone()
));
capability!(CanSub, NoSub, sub_of, [Clone, Sub<Output = T>], BinaryFn, |x, y| Box::new(
    known::<T>(x).clone() - known::<T>(y).clone()
));
capability!(CanMul, NoMul, mul_of, [Clone, Mul<Output = T>], BinaryFn, |x, y| Box::new(
    known::<T>(x).clone() * known::<T>(y).clone()
));
capability!(CanDiv, NoDiv, div_of, [Clone, Div<Output = T>], BinaryFn, |x, y| Box::new(
    known::<T>(x).clone() / known::<T>(y).clone()
));
capability!(CanRem, NoRem, rem_of, [Clone, Rem<Output = T>], BinaryFn, |x, y| Box::new(
    known::<T>(x).clone() % known::<T>(y).clone()
));
capability!(CanNeg, NoNeg, neg_of, [Clone, Neg<Output = T>], UnaryFn, |x| Box::new(-known::<T>(x).clone()));

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
