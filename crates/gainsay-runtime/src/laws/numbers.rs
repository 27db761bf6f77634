//! What laws of arithmetic and of rounding need to know of a number: whether it is one, what its
//! text says, and whether two are the same but for lost digits.

use std::any::Any;

use gainsay_wire::{Mode, OpId, TypeId, Value};

use super::scene::op_of_one;
use crate::{
    capability::arithmetic::Arithmetic,
    frame::{Frame, Operand},
    panics,
    table::{QueryArg, TypeEntry},
    world::World,
};

/// Numbers that differ by less are the same but for lost digits.
const NEARLY: f64 = 1e-6;
/// Smaller numbers have few digits in some formats.
const LEAST: f64 = 1e-30;

/// What is known of a type of numbers.
#[derive(Clone, Copy)]
pub(super) struct Numbers<'w> {
    pub(super) world: &'w World,
    pub(super) ty: TypeId,
}

impl<'w> Numbers<'w> {
    pub(super) fn entry(self) -> &'w TypeEntry {
        self.world.type_entry(self.ty)
    }

    pub(super) fn operators(self) -> Arithmetic {
        self.entry().lawful.arithmetic
    }

    /// What can be added and subtracted and more is a number: texts and sets are not.
    pub(super) fn is_number(self) -> bool {
        let can = self.operators();
        let more = can.neg.is_some() || can.mul.is_some();
        can.add.is_some() && can.sub.is_some() && more && self.entry().eq.is_some()
    }

    fn query(self, names: &[&str], x: &dyn Any) -> Option<Value> {
        let queries = self.entry().queries.iter();
        let of_that_name = |name: &&str| {
            let mut found = queries.clone().filter(|query| query.param.is_none());
            found.find(|query| query.name == *name)
        };
        let query = names.iter().find_map(of_that_name)?;
        panics::catch(|| (query.eval)(x, QueryArg::None)).ok()
    }

    /// As it is printed.
    pub(super) fn text(self, x: &dyn Any) -> Option<String> {
        let display = self.entry().lawful.display?;
        panics::catch(|| display(x)).ok()
    }

    /// As it is printed, if that is a number with an end.
    pub(super) fn number(self, x: &dyn Any) -> Option<f64> {
        self.text(x)?.parse().ok().filter(|number: &f64| number.is_finite())
    }

    pub(super) fn is_negative(self, x: &dyn Any) -> Option<bool> {
        self.query(&["is_sign_negative", "is_negative"], x)?.as_bool()
    }

    pub(super) fn equal(self, x: &dyn Any, y: &dyn Any) -> Option<bool> {
        self.entry().eq.map(|eq| eq(x, y))
    }

    /// Whether two values are the same. Where digits may have been lost nothing is said: `size` is
    /// that of the greatest number on the way.
    pub(super) fn same(self, x: &dyn Any, y: &dyn Any, size: f64) -> Option<bool> {
        if self.equal(x, y)? {
            return Some(true);
        }
        if self.entry().lawful.display.is_none() {
            return Some(false);
        }
        // What cannot be printed for once may have lost digits.
        match (self.text(x)?.parse::<f64>(), self.text(y)?.parse::<f64>()) {
            (Ok(a), Ok(b)) => is_apart(a, b, size).then_some(false),
            // What has no end is no number to reckon with, however the others are printed.
            (Ok(one), Err(_)) | (Err(_), Ok(one)) if !one.is_finite() => None,
            _ => Some(false),
        }
    }

    /// The greater of two sizes.
    pub(super) fn size(self, x: &dyn Any, y: &dyn Any) -> f64 {
        let size = |x| self.number(x).map_or(1.0, f64::abs);
        size(x).max(size(y))
    }

    /// The method of that name that turns a number into another one.
    pub(super) fn turn(self, name: &str) -> Option<OpId> {
        let users = self.world.type_plan(self.ty).users.iter().copied();
        let is_it = |op: &OpId| {
            let entry = self.world.op(*op);
            let is_method = entry.names.first() == Some(&"self") && entry.function() == name;
            let turns = matches!(op_of_one(self.world, *op, self.ty), Some(Mode::Ref | Mode::Own));
            is_method && turns && entry.makes == [self.ty]
        };
        users.clone().find(is_it)
    }

    /// The method of that name that tells something of a number and makes nothing.
    pub(super) fn question(self, name: &str) -> Option<OpId> {
        let users = self.world.type_plan(self.ty).users.iter().copied();
        users.clone().find(|op| {
            let entry = self.world.op(*op);
            let tells = entry.function() == name && entry.makes.is_empty();
            tells && op_of_one(self.world, *op, self.ty).is_some()
        })
    }

    /// What an operation makes of copies of objects; `None` when it panics or makes nothing.
    pub(super) fn made(
        self,
        op: OpId,
        objects: &[&dyn Any],
        args: &[Value],
    ) -> Option<Box<dyn Any>> {
        self.called(op, objects, args).and_then(|(_, made)| made)
    }

    /// What an operation tells and makes of copies of objects.
    pub(super) fn called(
        self,
        op: OpId,
        objects: &[&dyn Any],
        args: &[Value],
    ) -> Option<(Value, Option<Box<dyn Any>>)> {
        let clone = self.entry().clone?;
        let copies: Vec<crate::frame::Cell> =
            objects.iter().map(|x| std::cell::RefCell::new(Some(clone(*x)))).collect();
        let objects = copies.iter().map(Operand::Object);
        let operands: Vec<Operand<'_>> = objects.chain(args.iter().map(Operand::Plain)).collect();
        let frame = Frame::new(&operands);
        let value = panics::catch(|| (self.world.op(op).call)(&frame)).ok()?;
        let (mut made, _) = frame.into_made();
        Some((value, made.pop().map(|(_, made)| made)))
    }

    /// The operation of that name, to be blamed.
    pub(super) fn operation(self, name: &str) -> Option<OpId> {
        let users = self.world.type_plan(self.ty).users.iter().copied();
        users.clone().find(|op| self.world.op(*op).function() == name)
    }
}

/// Whether two numbers differ by more than lost digits. What has no end is not compared.
pub(super) fn is_apart(a: f64, b: f64, size: f64) -> bool {
    let size = size.max(a.abs()).max(b.abs());
    size.is_finite() && size > LEAST && (a - b).abs() > NEARLY * size
}

#[cfg(test)]
mod tests {
    use super::is_apart;

    #[test]
    fn lost_digits_do_not_set_numbers_apart() {
        assert!(is_apart(1.0, 2.0, 1.0));
        assert!(!is_apart(0.1 + 0.2, 0.3, 1.0));
        assert!(!is_apart(1.0, 2.0, 1e9));
        assert!(!is_apart(f64::from(f32::from_bits(1)), 1e-45, 0.0));
        assert!(!is_apart(f64::NAN, 2.0, 1.0) && !is_apart(f64::INFINITY, 2.0, 1.0));
    }
}
