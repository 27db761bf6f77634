//! Which laws are checked after a call.

use gainsay_wire::TypeId;

use super::{Party, TOLD};
use crate::{
    execute::{Call, Machine, Views, is_changed},
    world::World,
};

/// So many of the objects that a call made are compared with others.
const MOST_MADE: usize = 2;

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
        self.check_together(call);
        self.check_deed(call);
    }

    /// Laws of objects of one type that met in a call, as operands or as what it made.
    fn check_together(&mut self, call: &mut Call) {
        let operands = call.slots.iter().enumerate();
        let operands =
            operands.filter_map(|(i, slot)| Some((Party::Operand(i), slot.object?, slot.ty)));
        let made = call.made.iter();
        let made = made
            .map(|made| (Party::Made(made.out), made.object, self.pool.get(made.object).ty))
            .take(MOST_MADE);
        let met: Vec<(Party, u32, TypeId)> = operands.chain(made).collect();
        let first_two = |(a, b): (usize, usize)| (met[a], met[b]);
        let pairs = (0..met.len()).flat_map(|a| (a + 1..met.len()).map(move |b| (a, b)));
        for ((first, x, ty), (second, y, other)) in pairs.map(first_two) {
            let locked = |object| self.pool.loans.is_locked(object);
            if x == y || ty != other || locked(x) || locked(y) {
                continue;
            }
            let (x, y) = (self.pool.get(x).cell.borrow(), self.pool.get(y).cell.borrow());
            let (Some(x), Some(y)) = (x.as_deref(), y.as_deref()) else { continue };
            self.laws.of_two(self.world, ty, [(first, x), (second, y)], &mut call.laws);
        }
        if let [(first, x, ty), (second, y, b), (third, z, c)] = met[..]
            && (ty, ty) == (b, c)
            && ![x, y, z].into_iter().any(|object| self.pool.loans.is_locked(object))
        {
            let cells = [x, y, z].map(|object| self.pool.get(object).cell.borrow());
            if let [Some(x), Some(y), Some(z)] = cells.each_ref().map(|cell| cell.as_deref()) {
                let parties = [(first, x), (second, y), (third, z)];
                self.laws.of_three(self.world, ty, parties, &mut call.laws);
            }
        }
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
        for freed in &call.freed {
            let object = self.pool.get_mut(freed.object);
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
