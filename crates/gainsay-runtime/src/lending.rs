//! What a step does to loans: what it makes borrows, what it consumes gives back, and what stands
//! in its way ends.

use std::any::Any;

use gainsay_wire::{Arg, Step};

use crate::{
    execute::{Call, Freed, Machine, Views},
    panics,
    pool::{Fate, Pool, Slot},
    table::ParamEntry,
};

impl Machine<'_> {
    /// Notes what borrowing objects of the call refer to from now on.
    pub(crate) fn lend(&mut self, call: &Call) {
        let lends = call.slots.iter().any(|slot| slot.object.is_some() && slot.borrows);
        let borrows = |object: &u32| self.world.type_entry(self.pool.get(*object).ty).borrows;
        if !lends && !call.made.iter().any(|made| borrows(&made.object)) {
            return;
        }
        let made: Vec<u32> = call.made.iter().map(|made| made.object).filter(borrows).collect();
        let parties = Pool::parties(&call.slots);
        self.pool.loans.note_call(&parties, &made, self.world.op(call.op).lending);
        self.remember_lenders(&call.slots);
    }

    /// Keeps what lenders looked like before a call that locked them: nobody can look at them again
    /// before the loan ends. One that was locked already was lent by an earlier call.
    fn remember_lenders(&mut self, slots: &[Slot]) {
        for slot in slots {
            let Some(object) = slot.object else { continue };
            if slot.before.is_some() && self.pool.loans.is_locked(object) {
                let entry = self.pool.get_mut(object);
                if entry.lent.is_none() {
                    entry.lent.clone_from(&slot.before);
                }
            }
        }
    }

    /// Keeps plain values that objects may refer to. A borrowing object among them has lost its
    /// loans and would be dropped after what it refers to: it is never dropped.
    pub(crate) fn store(&mut self, lent: Vec<Box<dyn Any>>, slots: &[Slot]) {
        if lent.is_empty() {
            return;
        }
        let gone = |slot: &Slot| slot.object.is_some() && slot.borrows && slot.mode.consumes();
        if slots.iter().any(gone) {
            std::mem::forget(lent);
        } else {
            self.pool.attic.extend(lent);
        }
    }

    /// Ends the loans of what the call consumed, and notes what it reached through borrowers.
    pub(crate) fn settle_loans(&mut self, call: &mut Call, views: Views) {
        if self.pool.loans.is_empty() {
            return;
        }
        for slot in &call.slots {
            let Some(object) = slot.object else { continue };
            if slot.mode.is_exclusive() {
                call.reached.extend(self.pool.loans.reached_by(object));
            }
            if self.pool.get(object).cell.borrow().is_none() {
                for object in self.pool.loans.end_loans(object) {
                    let entry = self.pool.get_mut(object);
                    let (ty, lent) = (entry.ty, entry.lent.take());
                    call.freed.push(Freed { object, ty, lent, after: None });
                }
            }
        }
        for &object in &call.reached {
            self.pool.get_mut(object).shaped_by.push(call.step);
        }
        for freed in &mut call.freed {
            self.pool.get_mut(freed.object).state = None;
            if views != Views::Off {
                freed.after = self.look(freed.object);
            }
        }
    }

    /// Drops an object that must make way, where no step of its own does so.
    pub(crate) fn end_quietly(&mut self, object: u32) {
        let value = self.pool.get(object).cell.borrow_mut().take();
        let _ = panics::catch(|| drop(value));
        self.pool.get_mut(object).fate = Fate::Gone;
        for freed in self.pool.loans.end_loans(object) {
            let entry = self.pool.get_mut(freed);
            (entry.state, entry.lent) = (None, None);
        }
    }

    /// The objects that must end before a step; `None` when it cannot be made at all.
    pub(crate) fn in_the_way(&self, step: &Step) -> Option<Vec<u32>> {
        let params = &self.world.op(step.op).params;
        let mut operands = params.iter().zip(&step.args);
        let lent = operands.any(|operand| match operand {
            (ParamEntry::Object { mode, .. }, Arg::Object(at)) => {
                let object = self.log.object(*at);
                let loans = &self.pool.loans;
                object.is_some_and(|object| loans.in_the_way(object, *mode).next().is_some())
            }
            _ => false,
        });
        if !lent {
            return Some(Vec::new());
        }
        self.pool.in_the_way(&self.pool.resolve(self.world, &self.log, step)?)
    }
}
