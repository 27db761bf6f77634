//! Operands of a call: objects of the pool, clones, new ones, and literals that fit them.

use gainsay_wire::{Arg, Mode, OpId, Step, Strategy, TypeId, Value};

use super::Explorer;
use crate::{Gen, generate::Hints, pool::Fate, table::ParamEntry, world::World};

/// Makers within makers.
const MOST_DEPTH: u32 = 4;
/// One operand in so many has nothing to do with the first, where it could.
const STRANGERS_EVERY: usize = 4;

impl Explorer<'_> {
    pub(super) fn args(
        &mut self,
        op: OpId,
        depth: u32,
        held: &[u32],
        mut forced: Option<u32>,
    ) -> Option<Vec<Arg>> {
        let entry = self.world.op(op);
        let mut held = held.to_vec();
        held.extend(forced);
        let mut chosen: Vec<Option<u32>> = Vec::with_capacity(entry.params.len());
        for param in &entry.params {
            let taken = |object: &u32| match param {
                ParamEntry::Object { ty, .. } => self.machine.pool.get(*object).ty == *ty,
                ParamEntry::Plain { .. } => false,
            };
            let object =
                match param {
                    _ if forced.as_ref().is_some_and(taken) => forced.take(),
                    ParamEntry::Plain { .. } => None,
                    ParamEntry::Object { ty, mode } if mode.is_optional() => {
                        if self.random.one_in(4) { None } else { self.pick(*ty) }
                    }
                    ParamEntry::Object { ty, mode } => {
                        Some(self.operand(*ty, *mode, depth, &held)?)
                    }
                };
            held.extend(object);
            chosen.push(object);
        }
        // Making one operand may have cost another.
        let gone = |object: &u32| self.machine.pool.get(*object).fate != Fate::Live;
        if chosen.iter().flatten().any(gone) {
            return None;
        }
        Some(self.literals(op, &chosen))
    }

    /// Some object of the pool.
    fn pick(&mut self, ty: TypeId) -> Option<u32> {
        match self.world.settings.strategy {
            Strategy::Guided => self.shelves.pick(ty, &mut self.random),
            Strategy::Uniform => self.shelves.pick_any(ty, &mut self.random),
        }
    }

    fn literals(&mut self, op: OpId, chosen: &[Option<u32>]) -> Vec<Arg> {
        let pool = &self.machine.pool;
        let guided = self.world.settings.strategy == Strategy::Guided;
        let known = chosen.iter().flatten().filter(|_| guided);
        let states: Vec<_> = known.filter_map(|object| pool.get(*object).state.clone()).collect();
        let settings = Some(&self.world.settings);
        let recent = if guided { &self.recent[..] } else { &[] };
        let hints = Hints { states: &states, recent, settings, sizes: self.sizes };
        let mut source = Gen::new(&mut self.random, hints);
        let params = self.world.op(op).params.iter().zip(chosen);
        params
            .map(|(param, object)| match (param, object) {
                (_, Some(object)) => Arg::Object(pool.get(*object).origin),
                (ParamEntry::Plain { generate, .. }, None) => Arg::Plain(generate(&mut source)),
                (ParamEntry::Object { .. }, None) => Arg::Plain(Value::none()),
            })
            .collect()
    }

    /// An object to pass: one that is there, or a clone of it before it is consumed, or a new one.
    fn operand(&mut self, ty: TypeId, mode: Mode, depth: u32, held: &[u32]) -> Option<u32> {
        let exclusive = mode.is_exclusive();
        if let Some(relative) = self.relative(ty, mode, depth, held) {
            return Some(relative);
        }
        let found = (0..6).find_map(|_| {
            let object = self.pick(ty)?;
            let free = !exclusive || !held.contains(&object);
            let loans = &self.machine.pool.loans;
            let ends_held =
                || loans.in_the_way(object, mode).any(|borrower| held.contains(&borrower));
            (free && !ends_held()).then_some(object)
        });
        let clone = self.world.type_plan(ty).clone_op;
        match (found, clone) {
            (Some(object), Some(clone)) if mode == Mode::Own && self.random.one_in(2) => {
                let origin = self.machine.pool.get(object).origin;
                let twins = self.make(Step::new(clone, vec![Arg::Object(origin)]));
                self.first_live(&twins, ty)
            }
            (Some(object), _) => Some(object),
            (None, _) => self.fresh(ty, depth, held),
        }
    }

    /// Mostly, an object that came out of the one that was chosen first, or that is made to do so.
    fn relative(&mut self, ty: TypeId, mode: Mode, depth: u32, held: &[u32]) -> Option<u32> {
        let &first = held.first()?;
        // Two of one type are compared, joined, swapped: any other will do.
        if self.is_uniform()
            || self.machine.pool.get(first).ty == ty
            || self.random.one_in(STRANGERS_EVERY)
        {
            return None;
        }
        let pool = &self.machine.pool;
        let fits = |object: &u32| {
            let entry = pool.get(*object);
            let in_the_way = || pool.loans.in_the_way(*object, mode).next().is_some();
            entry.ty == ty && entry.fate == Fate::Live && !held.contains(object) && !in_the_way()
        };
        let relatives: Vec<u32> = self.kin.relatives(first).filter(fits).collect();
        if let Some(relative) = self.random.pick(&relatives) {
            return Some(*relative);
        }
        if depth >= MOST_DEPTH || !self.random.one_in(2) {
            return None;
        }
        let of = pool.get(first).ty;
        let makers = self.world.type_plan(ty).makers.iter().copied();
        let makers: Vec<OpId> = makers
            .filter(|op| self.world.plan(*op).feasible && keeps(self.world, *op, of))
            .collect();
        let op = *self.random.pick(&makers)?;
        let results = self.perform_with(op, depth + 1, held, Some(first));
        self.first_live(&results, ty)
    }

    /// A new object of a type, by an operation that makes it.
    fn fresh(&mut self, ty: TypeId, depth: u32, held: &[u32]) -> Option<u32> {
        if depth >= MOST_DEPTH {
            return None;
        }
        let plan = self.world.type_plan(ty);
        let simple = |op: &&OpId| is_simpler(self.world, **op, plan.rank);
        let simple: Vec<OpId> = plan.makers.iter().filter(simple).copied().collect();
        (0..3).find_map(|_| {
            let any = self.random.one_in(4) || simple.is_empty();
            let op = *self.random.pick(if any { &plan.makers } else { &simple })?;
            if !self.world.plan(op).feasible {
                return None;
            }
            let made = self.perform(op, depth + 1, held);
            self.first_live(&made, ty)
        })
    }

    fn first_live(&self, made: &[u32], ty: TypeId) -> Option<u32> {
        made.iter().copied().find(|object| {
            let object = self.machine.pool.get(*object);
            object.ty == ty && object.fate == Fate::Live
        })
    }
}

/// Whether an operation takes an object of this type first, and leaves it there.
fn keeps(world: &World, op: OpId, ty: TypeId) -> bool {
    matches!(world.op(op).params.first(), Some(ParamEntry::Object { ty: of, mode })
        if *of == ty && !mode.consumes() && !mode.is_optional())
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
