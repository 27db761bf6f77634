//! Ways to objects and operations, worked out once so that no call has to search for them.

use gainsay_wire::{OpId, Role, TypeId};

use crate::{table::ParamEntry, world::World};

/// What can be chosen from, by type.
#[derive(Default)]
pub(crate) struct Routes {
    /// Operations of the subject whose operands can be had.
    pub(crate) ordinary: Vec<OpId>,
    /// Of these, those that take a size, an index or a count.
    pub(crate) sized: Vec<OpId>,
    /// Operations that drop.
    pub(crate) drops: Vec<OpId>,
    types: Vec<Ways>,
}

#[derive(Default)]
struct Ways {
    makers: Vec<OpId>,
    simple: Vec<OpId>,
    users: Vec<OpId>,
    /// Makers that take an object of another type first and leave it there, by that type.
    out_of: Vec<(TypeId, Vec<OpId>)>,
}

impl Routes {
    pub(crate) fn new(world: &World) -> Routes {
        let (mut ordinary, mut drops) = (Vec::new(), Vec::new());
        for (op, entry) in (0..).map(OpId).zip(&world.tables.ops) {
            match entry.role {
                _ if !world.is_feasible(op) => {}
                Role::Drop => drops.push(op),
                _ => ordinary.push(op),
            }
        }
        let types = (0..).zip(&world.types).map(|(ty, _)| ways(world, TypeId(ty))).collect();
        let is_sized = |op: &OpId| world.op(*op).params.iter().any(ParamEntry::is_size);
        let sized = ordinary.iter().copied().filter(is_sized).collect();
        Routes { ordinary, sized, drops, types }
    }

    /// Operations that make a type.
    pub(crate) fn makers(&self, ty: TypeId) -> &[OpId] {
        &self.types[ty.0 as usize].makers
    }

    /// Of these, those that need only types that are themselves easier to make.
    pub(crate) fn simple_makers(&self, ty: TypeId) -> &[OpId] {
        &self.types[ty.0 as usize].simple
    }

    /// Makers that get the object out of one of another type.
    pub(crate) fn makers_out_of(&self, ty: TypeId, of: TypeId) -> &[OpId] {
        let found = self.types[ty.0 as usize].out_of.iter().find(|(first, _)| *first == of);
        found.map_or(&[], |(_, makers)| makers)
    }

    /// Operations that take a type.
    pub(crate) fn users(&self, ty: TypeId) -> &[OpId] {
        &self.types[ty.0 as usize].users
    }
}

fn ways(world: &World, ty: TypeId) -> Ways {
    let plan = world.type_plan(ty);
    let feasible = |op: &OpId| world.is_feasible(*op);
    let makers: Vec<OpId> = plan.makers.iter().copied().filter(feasible).collect();
    let simple = makers.iter().copied().filter(|op| is_simpler(world, *op, plan.rank)).collect();
    let mut out_of: Vec<(TypeId, Vec<OpId>)> = Vec::new();
    for &op in &makers {
        let Some(first) = kept_first(world, op) else { continue };
        match out_of.iter_mut().find(|(of, _)| *of == first) {
            Some((_, makers)) => makers.push(op),
            None => out_of.push((first, vec![op])),
        }
    }
    let users = plan.users.iter().copied().filter(feasible).collect();
    Ways { makers, simple, users, out_of }
}

/// The type of the object that an operation takes first and leaves there.
fn kept_first(world: &World, op: OpId) -> Option<TypeId> {
    match world.op(op).params.first()? {
        ParamEntry::Object { ty, mode } if !mode.consumes() && !mode.is_optional() => Some(*ty),
        _ => None,
    }
}

/// Whether a maker needs only types that are themselves easier to make.
fn is_simpler(world: &World, op: OpId, rank: Option<u32>) -> bool {
    world.op(op).params.iter().all(|param| match param {
        ParamEntry::Plain { .. } => true,
        ParamEntry::Object { mode, .. } if mode.is_optional() => true,
        ParamEntry::Object { ty, .. } => {
            world.type_plan(*ty).rank < rank && world.type_plan(*ty).rank.is_some()
        }
    })
}
