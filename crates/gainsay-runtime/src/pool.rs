//! The objects of an epoch or run, each with its state and the steps that shaped it.

use std::{any::Any, cell::RefCell, rc::Rc};

use gainsay_wire::{Arg, Loans, Mode, ObjRef, Party, Step, TypeId};

use crate::{
    frame::Cell, laws::Broken, log::Log, panics, table::ParamEntry, view::State, world::World,
};

/// A value in the pool; commands change it in place.
pub(crate) struct Object {
    pub(crate) ty: TypeId,
    pub(crate) origin: ObjRef,
    pub(crate) cell: Cell,
    /// What was seen last; `None` when it was never looked at.
    pub(crate) state: Option<Rc<State>>,
    /// What was seen before the call that lent it by `&mut`, until the loan ends.
    pub(crate) lent: Option<Rc<State>>,
    pub(crate) fate: Fate,
    /// Steps that made or changed it, in order.
    pub(crate) shaped_by: Vec<u32>,
    /// Steps that had it as operand or result, for objects that share state.
    pub(crate) touched_by: Vec<u32>,
    /// Items of long sequences that were looked at on its behalf.
    pub(crate) effort: u32,
    /// About how many steps its recipe has.
    pub(crate) weight: u32,
    /// Laws that it is known to break.
    pub(crate) broken: Broken,
}

/// Whether an object may still be chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fate {
    /// It may.
    Live,
    /// Tainted or unwieldy: kept to be dropped at the end.
    Retired,
    /// Moved away or dropped.
    Gone,
}

/// An operand of a call under way.
pub(crate) struct Slot {
    /// Index in the pool; `None` for plain values and absent options.
    pub(crate) object: Option<u32>,
    pub(crate) ty: TypeId,
    pub(crate) mode: Mode,
    /// Whether its type borrows.
    pub(crate) borrows: bool,
    /// Whether its type waits for what it lent.
    pub(crate) locks: bool,
    pub(crate) before: Option<Rc<State>>,
    /// What is seen after a call that returned.
    pub(crate) after: Option<Rc<State>>,
}

/// All objects.
#[derive(Default)]
pub(crate) struct Pool {
    pub(crate) objects: Vec<Object>,
    /// Parent links of a forest: one tree per set of objects that met in calls.
    links: Vec<u32>,
    /// Who borrows from whom.
    pub(crate) loans: Loans,
    /// Plain values that objects may refer to, until the end.
    pub(crate) attic: Vec<Box<dyn Any>>,
}

impl Pool {
    pub(crate) fn get(&self, object: u32) -> &Object {
        &self.objects[object as usize]
    }

    pub(crate) fn get_mut(&mut self, object: u32) -> &mut Object {
        &mut self.objects[object as usize]
    }

    /// Adds an object that a step made.
    pub(crate) fn add(&mut self, ty: TypeId, origin: ObjRef, value: Box<dyn Any>) -> u32 {
        let index = u32::try_from(self.objects.len()).expect("epochs are short");
        self.objects.push(Object {
            ty,
            origin,
            cell: RefCell::new(Some(value)),
            state: None,
            lent: None,
            fate: Fate::Live,
            shaped_by: vec![origin.step],
            touched_by: Vec::new(),
            effort: 0,
            weight: 1,
            broken: Broken::new(),
        });
        self.links.push(index);
        index
    }

    /// The operands of a step, one slot per parameter; `None` when one is missing, of the wrong
    /// type, or passed twice where that is not possible.
    pub(crate) fn resolve(&self, world: &World, log: &Log, step: &Step) -> Option<Vec<Slot>> {
        let mut slots = Vec::new();
        self.resolve_into(&mut slots, world, log, step).then_some(slots)
    }

    /// The same into a list that is there already; whether it could be done.
    pub(crate) fn resolve_into(
        &self,
        slots: &mut Vec<Slot>,
        world: &World,
        log: &Log,
        step: &Step,
    ) -> bool {
        slots.clear();
        let Some(op) = world.tables.ops.get(step.op.0 as usize) else { return false };
        if op.params.len() != step.args.len() {
            return false;
        }
        for (param, arg) in op.params.iter().zip(&step.args) {
            let Some(slot) = self.slot(world, log, param, arg) else { return false };
            slots.push(slot);
        }
        is_borrowable(slots)
    }

    fn slot(&self, world: &World, log: &Log, param: &ParamEntry, arg: &Arg) -> Option<Slot> {
        let empty = |ty, mode| Slot {
            object: None,
            ty,
            mode,
            borrows: false,
            locks: false,
            before: None,
            after: None,
        };
        match (param, arg) {
            (ParamEntry::Plain { .. }, Arg::Plain(_)) => Some(empty(TypeId(u32::MAX), Mode::Ref)),
            (ParamEntry::Object { ty, mode }, Arg::Plain(_)) if mode.is_optional() => {
                Some(empty(*ty, *mode))
            }
            (ParamEntry::Object { ty, mode }, Arg::Object(at)) => {
                let object = log.object(*at)?;
                let found = self.get(object);
                let there = found.ty == *ty && found.cell.borrow().is_some();
                let borrows = world.type_entry(*ty).borrows;
                let locks = world.type_plan(*ty).locks;
                there.then(|| Slot { object: Some(object), borrows, locks, ..empty(*ty, *mode) })
            }
            _ => None,
        }
    }

    /// The operands of a call, as far as loans are concerned.
    pub(crate) fn parties(slots: &[Slot]) -> Vec<Party> {
        let party = |slot: &Slot| {
            let Slot { mode, borrows, locks, .. } = *slot;
            Some(Party { object: slot.object?, mode, borrows, locks })
        };
        slots.iter().filter_map(party).collect()
    }

    /// The objects that must end before a call with these operands, what depends on others first;
    /// `None` when an operand is among them.
    pub(crate) fn in_the_way(&self, slots: &[Slot]) -> Option<Vec<u32>> {
        let lent = |slot: &Slot| {
            slot.object
                .is_some_and(|object| self.loans.in_the_way(object, slot.mode).next().is_some())
        };
        if !slots.iter().any(lent) {
            return Some(Vec::new());
        }
        self.loans.borrowers_to_end(&Pool::parties(slots))
    }

    /// Notes that objects met in a call.
    pub(crate) fn link(&mut self, objects: &[u32]) {
        for pair in objects.windows(2) {
            let (a, b) = (self.root(pair[0]), self.root(pair[1]));
            self.links[a.max(b) as usize] = a.min(b);
        }
    }

    /// The name of the set that an object belongs to.
    pub(crate) fn root(&self, object: u32) -> u32 {
        let mut at = object;
        while self.links[at as usize] != at {
            at = self.links[at as usize];
        }
        at
    }

    /// The objects of a set.
    pub(crate) fn linked(&self, root: u32) -> impl Iterator<Item = u32> + '_ {
        let all = 0..u32::try_from(self.objects.len()).unwrap_or(u32::MAX);
        all.filter(move |object| self.root(*object) == root)
    }
}

/// What borrows goes before what it borrows from.
impl Drop for Pool {
    fn drop(&mut self) {
        for (i, object) in (0..).zip(&self.objects).collect::<Vec<_>>().into_iter().rev() {
            if !self.loans.taken_by(i).is_empty() {
                let value = object.cell.borrow_mut().take();
                let _ = panics::catch(|| drop(value));
            }
        }
        self.objects.clear();
        while let Some(value) = self.attic.pop() {
            let _ = panics::catch(|| drop(value));
        }
    }
}

/// An object passed by `&mut` or by value cannot be passed a second time.
fn is_borrowable(slots: &[Slot]) -> bool {
    slots.iter().enumerate().all(|(i, slot)| {
        let exclusive = slot.mode.is_exclusive();
        slot.object.is_none()
            || !exclusive
            || slots.iter().enumerate().all(|(j, other)| i == j || other.object != slot.object)
    })
}
