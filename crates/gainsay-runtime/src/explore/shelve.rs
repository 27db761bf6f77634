//! After a call: which objects may be chosen again, and as what.

use gainsay_wire::{Arg, Mode, StateId, Step};

use super::Explorer;
use crate::{
    execute::{Call, is_changed},
    pool::Fate,
};

/// Objects whose recipes are longer are retired.
const MOST_WEIGHT: u32 = 100;
/// Objects that cost more to look at are retired: as much as a thousand calls on small ones.
const MOST_EFFORT: u32 = 20_000;
/// In calibration, objects that are looked at though they were no operands.
const MOST_BYSTANDERS: usize = 16;

impl Explorer<'_> {
    /// Retires what a panic may have left half-changed, and all that an oracle objected to.
    pub(super) fn taint(&mut self, call: &Call, objected: bool) {
        let panicked = !call.outcome.returned();
        for slot in &call.slots {
            let Some(object) = slot.object else { continue };
            let entry = self.machine.pool.get_mut(object);
            let seen = entry.state.as_ref().map(|state| state.id);
            let differs = seen != slot.before.as_ref().map(|state| state.id);
            let half_changed = panicked && (slot.mode == Mode::Mut || differs);
            if (objected || half_changed) && entry.fate == Fate::Live {
                entry.fate = Fate::Retired;
            }
        }
        for made in call.made.iter().filter(|_| objected) {
            self.machine.pool.get_mut(made.object).fate = Fate::Retired;
        }
        if objected || panicked {
            self.taint_by_loans(call, objected);
        }
    }

    /// What was changed through a borrower is as tainted as the borrower, and what borrows from
    /// something tainted is tainted too.
    fn taint_by_loans(&mut self, call: &Call, objected: bool) {
        let pool = &mut self.machine.pool;
        let mut tainted = call.reached.clone();
        let retired = call.slots.iter().filter_map(|slot| slot.object);
        let retired: Vec<u32> =
            retired.filter(|object| objected || pool.get(*object).fate == Fate::Retired).collect();
        tainted.extend(retired.iter().flat_map(|object| pool.loans.dependents_of(*object)));
        for object in tainted {
            let entry = pool.get_mut(object);
            if entry.fate == Fate::Live {
                entry.fate = Fate::Retired;
                self.shelves.remove(object);
            }
        }
    }

    pub(super) fn shelve(&mut self, call: &Call) {
        let operands =
            call.slots.iter().filter(|slot| is_changed(slot) || !call.outcome.returned());
        let operands = operands.filter_map(|slot| slot.object);
        let consumed = call.slots.iter().filter(|slot| slot.mode.consumes());
        let consumed = consumed.filter_map(|slot| slot.object);
        let made = call.made.iter().map(|made| made.object);
        let freed = call.freed.iter().map(|freed| freed.object);
        for object in operands.chain(consumed).chain(made).chain(freed) {
            self.shelve_one(object);
        }
        // A view may have retired an operand that was not changed.
        for slot in &call.slots {
            if let Some(object) = slot.object
                && self.machine.pool.get(object).fate != Fate::Live
            {
                self.shelves.remove(object);
            }
        }
    }

    /// Has the objects of a call bear what looking at them cost; one that cost too much is retired,
    /// so that a huge one does not eat the epoch.
    pub(super) fn charge(&mut self, call: &Call, effort: u32) {
        if effort == 0 {
            return;
        }
        let operands = call.slots.iter().filter_map(|slot| slot.object);
        for object in operands.chain(call.made.iter().map(|made| made.object)) {
            let entry = self.machine.pool.get_mut(object);
            entry.effort = entry.effort.saturating_add(effort);
            if entry.effort > MOST_EFFORT && entry.fate == Fate::Live {
                entry.fate = Fate::Retired;
                self.unwieldy.push(object);
            }
        }
    }

    /// Drops one of the objects that cost too much; whether there was one.
    pub(super) fn clear_away(&mut self) -> bool {
        while let Some(object) = self.unwieldy.pop() {
            let entry = self.machine.pool.get(object);
            let there = entry.cell.borrow().is_some();
            if let Some(op) = self.world.type_plan(entry.ty).drop_op.filter(|_| there) {
                let args = vec![Arg::Object(entry.origin)];
                self.make(Step::new(op, args));
                return true;
            }
        }
        false
    }

    fn shelve_one(&mut self, object: u32) {
        if self.machine.pool.get(object).weight > MOST_WEIGHT {
            let weight = self.machine.log.weigh(self.world, &self.machine.pool, object);
            let entry = self.machine.pool.get_mut(object);
            entry.weight = weight;
            if weight > MOST_WEIGHT && entry.fate == Fate::Live {
                entry.fate = Fate::Retired;
            }
        }
        let entry = self.machine.pool.get(object);
        if self.machine.pool.loans.is_locked(object) && entry.fate == Fate::Live {
            // It stays where it was: to choose it ends the loan.
            return;
        }
        let state = match &entry.state {
            Some(state) => Some(state.id),
            // Nothing is known of it, so it is like no other.
            None => self.is_bare().then_some(StateId(u64::from(object))),
        };
        match state {
            Some(state) if entry.fate == Fate::Live => {
                self.shelves.place(object, entry.ty, state, &mut self.random);
            }
            _ => self.shelves.remove(object),
        }
    }

    /// In calibration: did anything change that had no part in the call?
    pub(super) fn look_at_bystanders(&mut self, call: &Call) {
        if self.machine.viewer.calibration.is_none() {
            return;
        }
        let operands: Vec<u32> = call.slots.iter().filter_map(|slot| slot.object).collect();
        let Some(root) = operands.first().map(|object| self.machine.pool.root(*object)) else {
            return;
        };
        let pool = &self.machine.pool;
        let is_bystander = |object: &u32| {
            let made = call.made.iter().any(|made| made.object == *object);
            let apart = !made && !operands.contains(object) && !pool.loans.is_locked(*object);
            apart && pool.get(*object).fate == Fate::Live
        };
        let bystanders: Vec<u32> =
            pool.linked(root).filter(is_bystander).take(MOST_BYSTANDERS).collect();
        for object in bystanders {
            let before = self.machine.pool.get(object).state.clone();
            let after = self.machine.look(object);
            if before.map(|state| state.id) != after.map(|state| state.id) {
                let entry = self.machine.pool.get_mut(object);
                entry.shaped_by.push(call.step);
                let ty = entry.ty;
                if let Some(calibration) = &mut self.machine.viewer.calibration {
                    calibration.note_remote_change(ty);
                }
                self.shelve_one(object);
            }
        }
    }
}
