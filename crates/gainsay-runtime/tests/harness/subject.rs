//! A subject with an honest type, a faulty one, a sharing one and a moody one.
#![allow(unsafe_code)] // The faulty type copies elements bitwise, which is its fault.

use std::{cell::Cell, cell::RefCell, rc::Rc};

use gainsay_runtime::Probe;

/// An honest stack.
#[derive(Clone, Debug, PartialEq, PartialOrd, Hash)]
pub struct Pile(pub Vec<Probe>);

impl Pile {
    pub fn push(&mut self, value: Probe) {
        self.0.push(value);
    }
    pub fn pop(&mut self) -> Option<Probe> {
        self.0.pop()
    }
    pub fn get(&self, index: usize) -> Option<&Probe> {
        self.0.get(index)
    }
    /// Panics when the index is out of bounds.
    pub fn remove(&mut self, index: usize) -> Probe {
        assert!(index < self.0.len(), "no element {index}");
        self.0.remove(index)
    }
    pub fn append(&mut self, other: &mut Pile) {
        self.0.append(&mut other.0);
    }
    pub fn parse(text: &str) -> Result<Pile, String> {
        let count: u8 = text.parse().map_err(|_| text.to_owned())?;
        Ok(Pile((0..i64::from(count % 4)).map(Probe::new).collect()))
    }
}

/// A box of up to two elements whose `swap_out` forgets that it gave one away.
pub struct Faulty {
    pub items: Vec<Probe>,
}

impl Faulty {
    /// Gives a bitwise copy away and keeps the original once there are two.
    pub fn take_first(&mut self) -> Option<Probe> {
        match self.items.len() {
            0 => None,
            1 => self.items.pop(),
            // SAFETY: not sound, which is the point.
            _ => Some(unsafe { std::ptr::read(&raw const self.items[0]) }),
        }
    }
}

/// A counter behind a shared pointer.
pub struct Shared(pub Rc<RefCell<u32>>);

/// Looking at it changes it.
pub struct Moody(pub Cell<u32>);

impl Moody {
    pub fn look(&self) -> u32 {
        self.0.set(self.0.get() + 1);
        self.0.get()
    }
}

/// Its drop panics.
pub struct Clumsy;

impl Drop for Clumsy {
    fn drop(&mut self) {
        panic!("the second panic")
    }
}

/// Panics where that is not allowed.
pub extern "C" fn cannot_unwind() {
    panic!("no way out")
}

/// Breaks the precondition of an unsafe function for an index of two or more.
pub fn unchecked(index: usize) -> u8 {
    // SAFETY: not sound, which is the point.
    unsafe { *std::hint::black_box(&[1, 2]).get_unchecked(index) }
}
