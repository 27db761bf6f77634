//! The operands of one call, as generated code takes them out, and the objects that it makes.
//!
//! A frame trusts its executor: kinds and types were checked before the call, so a mismatch here
//! is a defect of the harness and panics as such.

#![allow(unsafe_code, reason = "what is lent outlives the call, under the pool's watch")]

use std::{
    any::Any,
    cell::{Ref, RefCell, RefMut},
};

use gainsay_wire::Value;

use crate::{Closure, Plain, inject};

/// Where an object lives; empty once it was moved away.
pub(crate) type Cell = RefCell<Option<Box<dyn Any>>>;

/// An object that a call made, and which of those that it makes.
pub(crate) type Made = (u32, Box<dyn Any>);

/// One operand.
#[derive(Clone, Copy)]
pub(crate) enum Operand<'a> {
    Object(&'a Cell),
    Plain(&'a Value),
}

/// The operands of a call and what it makes.
pub struct Frame<'a> {
    operands: &'a [Operand<'a>],
    made: RefCell<Vec<Made>>,
    /// Plain values that what was made may refer to.
    lent: RefCell<Vec<Box<dyn Any>>>,
}

const READY: &str = "the executor passes objects that are there and of the right type";

impl<'a> Frame<'a> {
    pub(crate) fn new(operands: &'a [Operand<'a>]) -> Frame<'a> {
        Frame { operands, made: RefCell::default(), lent: RefCell::default() }
    }

    /// `&T`
    pub fn by_ref<T: 'static>(&self, index: usize) -> Ref<'a, T> {
        Ref::map(self.cell(index).borrow(), |object| seen_as(object.as_deref()))
    }

    /// `&mut T`
    pub fn by_mut<T: 'static>(&self, index: usize) -> RefMut<'a, T> {
        RefMut::map(self.cell(index).borrow_mut(), |object| {
            object.as_deref_mut().and_then(<dyn Any>::downcast_mut).expect(READY)
        })
    }

    /// `T`
    pub fn own<T: 'static>(&self, index: usize) -> T {
        let object = self.cell(index).borrow_mut().take().expect(READY);
        *object.downcast().expect(READY)
    }

    /// `Option<&T>`
    pub fn by_opt_ref<T: 'static>(&self, index: usize) -> Option<Ref<'a, T>> {
        match self.operands[index] {
            Operand::Object(_) => Some(self.by_ref(index)),
            Operand::Plain(_) => None,
        }
    }

    /// `Option<T>`
    pub fn opt_own<T: 'static>(&self, index: usize) -> Option<T> {
        match self.operands[index] {
            Operand::Object(_) => Some(self.own(index)),
            Operand::Plain(_) => None,
        }
    }

    /// `&T` that outlives the call: the pool keeps the object in place as long as anything that
    /// the call made or changed may refer to it.
    pub fn lend<T: 'static>(&self, index: usize) -> &'static T {
        let object: *const T = &raw const *self.by_ref::<T>(index);
        // SAFETY: the object is boxed and the pool neither moves, changes nor drops it before
        // what borrows from it is gone.
        unsafe { &*object }
    }

    /// `&mut T` that outlives the call, like [`Frame::lend`].
    pub fn lend_mut<T: 'static>(&self, index: usize) -> &'static mut T {
        let object: *mut T = &raw mut *self.by_mut::<T>(index);
        // SAFETY: as in `lend`; and the pool does not look at it either.
        unsafe { &mut *object }
    }

    /// `Option<&T>` that outlives the call, like [`Frame::lend`].
    pub fn opt_lend<T: 'static>(&self, index: usize) -> Option<&'static T> {
        match self.operands[index] {
            Operand::Object(_) => Some(self.lend(index)),
            Operand::Plain(_) => None,
        }
    }

    /// A plain value that outlives the call, made from its literal.
    pub fn lend_plain<P: Plain>(&self, index: usize) -> &'static mut P {
        self.lend_value(self.plain::<P>(index))
    }

    /// A value put together for the call that outlives it.
    pub fn lend_value<V: 'static>(&self, value: V) -> &'static mut V {
        let mut value = Box::new(value);
        let place: *mut V = &raw mut *value;
        self.lent.borrow_mut().push(value);
        // SAFETY: the value is boxed and the pool keeps it until all objects are gone.
        unsafe { &mut *place }
    }

    /// A plain value, made from its literal.
    pub fn plain<P: Plain>(&self, index: usize) -> P {
        inject::aside(|| P::make(self.literal(index)))
    }

    /// A closure, made from its literal.
    pub fn closure(&self, index: usize) -> Closure {
        Closure::new(self.literal(index))
    }

    /// The `out`-th object that the call makes.
    pub fn keep<T: 'static>(&self, out: u32, value: T) {
        self.made.borrow_mut().push((out, Box::new(value)));
    }

    /// The objects that the call made, and the plain values that they may refer to.
    pub(crate) fn into_made(self) -> (Vec<Made>, Vec<Box<dyn Any>>) {
        (self.made.into_inner(), self.lent.into_inner())
    }

    fn cell(&self, index: usize) -> &'a Cell {
        match self.operands[index] {
            Operand::Object(cell) => cell,
            Operand::Plain(_) => panic!("{READY}"),
        }
    }

    fn literal(&self, index: usize) -> &'a Value {
        match self.operands[index] {
            Operand::Plain(value) => value,
            Operand::Object(_) => panic!("{READY}"),
        }
    }
}

fn seen_as<T: 'static>(object: Option<&dyn Any>) -> &T {
    object.and_then(<dyn Any>::downcast_ref).expect(READY)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cell<T: 'static>(value: T) -> Cell {
        RefCell::new(Some(Box::new(value)))
    }

    #[test]
    fn one_object_can_be_passed_twice_by_shared_reference() {
        let text = cell(String::from("x"));
        let operands = [Operand::Object(&text), Operand::Object(&text)];
        let frame = Frame::new(&operands);
        assert_eq!(*frame.by_ref::<String>(0), *frame.by_opt_ref::<String>(1).unwrap());
    }

    #[test]
    fn changes_stay_and_what_is_owned_is_gone() {
        let text = cell(String::from("x"));
        let operands = [Operand::Object(&text), Operand::Plain(&Value::Undefined)];
        let frame = Frame::new(&operands);
        frame.by_mut::<String>(0).push('y');
        assert!(frame.by_opt_ref::<String>(1).is_none());
        frame.keep(2, frame.own::<String>(0));
        assert!(text.borrow().is_none());
        let (made, _) = frame.into_made();
        assert_eq!(made[0].0, 2);
        assert_eq!(made[0].1.downcast_ref::<String>().unwrap(), "xy");
    }
}
