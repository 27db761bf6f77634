//! Which laws are checked after a call.

use super::{Party, TOLD};
use crate::{
    execute::{Call, Machine, Views, is_changed},
    world::World,
};

impl Machine<'_> {
    /// Not while queries are being measured, since nothing is known yet of what copies share; and
    /// not while the caller's code misbehaves.
    pub(super) fn asks_laws(&self, call: &Call) -> bool {
        let is_calm = self.viewer.calibration.is_none() && !self.counting;
        is_calm && call.views != Views::Off && call.outcome.returned()
    }

    /// Laws of the objects that a call changed or made, and of two that met in it.
    pub(crate) fn check_laws(&mut self, call: &mut Call) {
        if !self.asks_laws(call) {
            return;
        }
        let changed = call.slots.iter().enumerate().filter(|(_, slot)| is_changed(slot));
        let changed = changed
            .filter_map(|(i, slot)| Some((Party::Operand(i), slot.object?, slot.after.as_ref()?)));
        let made = call.made.iter();
        let made = made
            .filter_map(|made| Some((Party::Made(made.out), made.object, made.state.as_ref()?)));
        let is_broken = |object: u32| self.pool.get(object).broken.contains(&TOLD);
        let is_inherited = call.slots.iter().filter_map(|slot| slot.object).any(is_broken);
        for (who, object, state) in changed.chain(made) {
            let object = self.pool.get_mut(object);
            if is_inherited && !object.broken.contains(&TOLD) {
                object.broken.push(TOLD);
            }
            if object.cell.borrow().is_some() {
                let found = (&object.cell, &**state, &mut object.broken);
                self.laws.of_one(self.world, who, found, &mut call.laws);
            }
        }
        for (i, a) in call.slots.iter().enumerate() {
            for (j, b) in call.slots.iter().enumerate().skip(i + 1) {
                let (Some(x), Some(y)) = (a.object, b.object) else { continue };
                let locked = |object| self.pool.loans.is_locked(object);
                if x == y || a.ty != b.ty || locked(x) || locked(y) {
                    continue;
                }
                let (x, y) = (self.pool.get(x).cell.borrow(), self.pool.get(y).cell.borrow());
                let (Some(x), Some(y)) = (x.as_deref(), y.as_deref()) else { continue };
                let pair = [(Party::Operand(i), x), (Party::Operand(j), y)];
                self.laws.of_two(self.world, a.ty, pair, &mut call.laws);
            }
        }
        self.check_deed(call);
    }

    /// Settles the loans of a call, and checks what can be checked only then.
    pub(crate) fn settle(&mut self, call: &mut Call, views: Views) {
        self.settle_loans(call, views);
        self.check_lenders(call);
        self.check_twins(call);
    }

    /// What was lent by `&mut` can be looked at again once its borrower is gone: what that did shows
    /// now.
    fn check_lenders(&mut self, call: &mut Call) {
        if call.freed.is_empty() || !self.asks_laws(call) {
            return;
        }
        let is_raw = is_raw(self.world, call);
        for lender in &call.freed {
            let object = self.pool.get_mut(*lender);
            if is_raw {
                object.broken.push(TOLD);
                continue;
            }
            let Some(state) = object.state.clone() else { continue };
            if object.cell.borrow().is_some() {
                let found = (&object.cell, &*state, &mut object.broken);
                self.laws.of_one(self.world, Party::Lender, found, &mut call.laws);
            }
        }
    }
}

/// Whether the borrower leaves it to its caller to keep the owner in order: entries that take a hash
/// or a key as it comes.
fn is_raw(world: &World, call: &Call) -> bool {
    let name = world.op(call.op).function();
    let of_raw = call.slots.first().and_then(|slot| world.tables.types.get(slot.ty.0 as usize));
    of_raw.is_some_and(|ty| ty.base_name().starts_with("Raw"))
        || ["nocheck", "unchecked", "hashed", "raw"].iter().any(|part| name.contains(part))
}
