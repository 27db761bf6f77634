//! Which operation is next.

use gainsay_wire::{OpId, Role, Strategy};

use super::{Explorer, Focus};
use crate::{Random, pool::Fate, world::World};

impl Explorer<'_> {
    /// The least tried of a few.
    pub(super) fn least_tried(&mut self) -> Option<OpId> {
        let drawn: [Option<OpId>; 3] =
            std::array::from_fn(|_| self.random.pick(&self.ordinary).copied());
        drawn.into_iter().flatten().min_by_key(|op| self.tried[op.0 as usize])
    }

    /// An operation that takes the object in focus, while there is one.
    pub(super) fn focused_op(&mut self) -> Option<OpId> {
        let Focus { object, calls } = self.focus;
        self.focus.calls = calls.checked_sub(1)?;
        let entry = self.machine.pool.get(object);
        if entry.fate != Fate::Live {
            return None;
        }
        self.random.pick(&self.world.type_plan(entry.ty).users).copied()
    }
}

/// The operations of this epoch: now and then some commands are left out, so that states are
/// reached in which they never interfere.
pub(super) fn enabled_ops(world: &World, random: &mut Random) -> (Vec<OpId>, Vec<OpId>) {
    let swarm = world.settings.strategy == Strategy::Guided && random.one_in(2);
    let (mut ordinary, mut drops) = (Vec::new(), Vec::new());
    for (i, plan) in (0..).zip(&world.ops).filter(|(_, plan)| plan.feasible) {
        let op = OpId(i);
        let left_out = plan.is_command && swarm && random.one_in(3);
        match world.op(op).role {
            Role::Drop => drops.push(op),
            Role::Ordinary if left_out => {}
            Role::Ordinary => ordinary.push(op),
        }
    }
    (ordinary, drops)
}
