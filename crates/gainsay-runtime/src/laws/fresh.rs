//! What was reset is as good as new: from then on a fresh object, made like the other one, is asked
//! to do the same, and must answer the same.

use std::{any::Any, cell::RefCell, collections::BTreeMap};

use gainsay_wire::{Arg, LawId, Mode, OpId, Standing, TypeId, Value};

use super::{Breach, Law, Party, Rule, scene::methods};
use crate::{
    execute::{Call, Machine},
    frame::{Cell, Frame, Made, Operand},
    panics, probe,
    table::OpEntry,
    view::state_values,
    world::World,
};

/// Commands after which nothing of the past is left. `clear` is one where there are no items, of
/// which room and order may well stay.
const RESETS: [&str; 4] = ["reset", "restart", "rewind", "clear"];
/// What may be different on purpose, by parts of names.
const UNLIKE: [&str; 14] = [
    "capacity", "alloc", "memory", "chunk", "total", "count", "stat", "_id", "ptr", "addr", "hash",
    "reserve", "shrink", "version",
];
/// These look at the whole object, or make one like it: what of it counts shows elsewhere.
const WHOLE: [&str; 6] = ["fmt", "clone", "clone_from", "eq", "partial_cmp", "cmp"];
/// How names begin of commands whose effect a reset may leave.
const SETTINGS: [&str; 8] =
    ["set_", "with_", "enable", "disable", "configure", "use_", "reserve", "register"];

/// A fresh object beside each that was reset. What they may refer to goes last.
#[derive(Default)]
pub(crate) struct Twins {
    all: BTreeMap<u32, Twin>,
    attic: Vec<Box<dyn Any>>,
}

struct Twin {
    cell: Cell,
    /// A second one: where two fresh objects differ, nothing can be said.
    rival: Cell,
    reset: OpId,
}

/// Functions that make an object which holds nothing yet.
fn is_beginning(name: &str) -> bool {
    let is_new = name.strip_prefix("new_").is_some_and(|how| !how.contains("with"));
    is_new || ["new", "default", "init", "build", "create", "make"].contains(&name)
}

impl Drop for Twins {
    fn drop(&mut self) {
        let all = std::mem::take(&mut self.all);
        probe::aside(|| {
            for twin in all.into_values() {
                let _ = panics::catch(|| drop((twin.cell, twin.rival)));
            }
        });
    }
}

/// A law for each method: its answer after a reset.
pub(super) fn laws(world: &World, ty: TypeId) -> Vec<Law> {
    let has_items = world.type_plan(ty).state.iter().any(|q| matches!(q.name, "seq" | "bag"));
    let all: Vec<_> = methods(world, ty).collect();
    let reset = all.iter().find(|method| {
        let is_alone = method.mode == Mode::Mut && method.entry.params.len() == 1;
        is_alone && RESETS.contains(&method.name) && !(has_items && method.name == "clear")
    });
    let Some(reset) = reset else { return Vec::new() };
    let mut laws: Vec<Law> = Vec::new();
    for method in all.iter().filter(|method| method.op != reset.op) {
        let is_unlike = UNLIKE.iter().any(|part| method.name.contains(part));
        if is_unlike || WHOLE.contains(&method.name) {
            continue;
        }
        let (query, reset_name) = (method.name.to_owned(), reset.name.to_owned());
        let id = LawId::IsAsOfNew { query, reset: reset_name };
        let effort = super::Effort::Much;
        let (standing, blamed) = (Standing::Name, Some(reset.op));
        laws.push(Law { id, standing, effort, blamed, rule: Rule::Fresh(method.op) });
    }
    laws
}

impl Machine<'_> {
    /// Has the twin of the object do the same, and compares; a reset gets the object a twin.
    pub(super) fn check_twins(&mut self, call: &mut Call) {
        let resets = self.resets(call);
        if self.twins.all.is_empty() && resets.is_none() {
            return;
        }
        let asks = self.asks_laws(call);
        let first = call.slots.first().and_then(|slot| slot.object);
        for (at, slot) in call.slots.iter().enumerate() {
            let Some(object) = slot.object else { continue };
            if slot.mode != Mode::Ref && (at > 0 || !asks || resets.is_some()) {
                self.twins.forget(object);
            }
        }
        let Some(object) = first.filter(|_| asks) else { return };
        if let Some((reset, _)) = resets {
            if let (Some(cell), Some(rival)) = (self.fresh(object), self.fresh(object)) {
                self.twins.all.insert(object, Twin { cell, rival, reset });
            }
        } else if self.twins.all.contains_key(&object) {
            self.compare(object, call);
        }
    }

    /// Whether a call is a reset of its receiver that a law speaks of.
    fn resets(&self, call: &Call) -> Option<(OpId, TypeId)> {
        let ty = call.slots.first()?.ty;
        self.world.types.get(ty.0 as usize)?;
        let mut laws = self.world.laws(ty).iter();
        let is_reset =
            |law: &Law| matches!(law.rule, Rule::Fresh(_)) && law.blamed == Some(call.op);
        laws.any(is_reset).then_some((call.op, ty))
    }

    /// An object made like another one at first; `None` when it cannot be made so again.
    fn fresh(&mut self, object: u32) -> Option<Cell> {
        let entry = self.pool.get(object);
        let origin = entry.origin;
        let is_setting = |step: &u32| {
            let name = self.world.op(self.log.step(*step).op).function();
            *step != origin.step && SETTINGS.iter().any(|prefix| name.starts_with(prefix))
        };
        // A loan of its own would have to be kept in mind.
        let is_lent = self.world.type_entry(entry.ty).borrows;
        let shares = self.world.type_plan(entry.ty).sharing;
        if is_lent || shares || entry.shaped_by.iter().any(is_setting) {
            return None;
        }
        let step = self.log.step(origin.step);
        let maker = self.world.op(step.op);
        if !is_beginning(maker.function()) {
            return None;
        }
        let operands = step.args.iter().map(|arg| match arg {
            Arg::Plain(value) => Some(Operand::Plain(value)),
            // It must be as it was then.
            Arg::Object(at) => {
                let other = self.pool.get(self.log.object(*at)?);
                let is_same = other.shaped_by.iter().all(|step| *step < origin.step);
                let is_there = other.cell.borrow().is_some();
                (is_same && is_there).then_some(Operand::Object(&other.cell))
            }
        });
        let operands: Vec<Operand<'_>> = operands.collect::<Option<_>>()?;
        let answer = called(maker, &operands)?;
        let found = answer.made.into_iter().find(|(out, _)| *out == origin.out)?.1;
        self.twins.attic.extend(answer.lent);
        Some(RefCell::new(Some(found)))
    }

    fn compare(&mut self, object: u32, call: &mut Call) {
        let Some(Twin { cell, rival, reset }) = self.twins.all.remove(&object) else { return };
        // What a guard does later would have to be done twice.
        let lends = |made: &crate::execute::Made| {
            self.world.type_entry(self.pool.get(made.object).ty).borrows
        };
        if call.made.iter().any(lends) && call.slots[0].mode != Mode::Ref {
            return;
        }
        let (Some(one), Some(other)) = (self.asked(&cell, call), self.asked(&rival, call)) else {
            return;
        };
        let makes = &self.world.op(call.op).makes;
        let are_alike = is_alike(self.world, makes, one.seen(), other.seen());
        let holds = self.answered(call, |own| is_alike(self.world, makes, own, one.seen()));
        for answer in [one, other] {
            probe::aside(|| drop(panics::catch(|| drop(answer.made))));
            self.twins.attic.extend(answer.lent);
        }
        if are_alike != Some(true) {
            return;
        }
        let ty = call.slots[0].ty;
        let law = self.world.laws(ty).iter().position(|law| {
            matches!(law.rule, Rule::Fresh(op) if op == call.op) && law.blamed == Some(reset)
        });
        if let (Some(law), Some(holds)) = (law, holds) {
            let checked = Breach { ty, law, on: (Party::Operand(0), super::ALONE) };
            self.laws.judge(self.world, checked, holds, &mut call.laws);
        }
        let goes_on = holds != Some(false) && self.looks_the_same([&cell, &rival], call);
        if goes_on && cell.borrow().is_some() {
            self.twins.all.insert(object, Twin { cell, rival, reset });
        }
    }

    /// What a twin answers to the same call; `None` when it cannot be asked, or panics.
    fn asked(&self, twin: &Cell, call: &Call) -> Option<Answer> {
        let args = &self.log.step(call.step).args;
        let others = call.slots.iter().zip(args).skip(1);
        let others = others.map(|(slot, arg)| match (slot.object, arg) {
            (Some(other), _) => Some(Operand::Object(&self.pool.get(other).cell)),
            (None, Arg::Plain(value)) => Some(Operand::Plain(value)),
            (None, Arg::Object(_)) => None,
        });
        let operands = std::iter::once(Some(Operand::Object(twin))).chain(others);
        called(self.world.op(call.op), &operands.collect::<Option<Vec<_>>>()?)
    }

    /// Shows what the call itself told and made.
    fn answered(&self, call: &Call, see: impl Fn(Seen<'_>) -> Option<bool>) -> Option<bool> {
        let held: Vec<_> = call
            .made
            .iter()
            .map(|made| (made.out, self.pool.get(made.object).cell.borrow()))
            .collect();
        let made = held.iter().map(|(out, cell)| Some((*out, cell.as_deref()?)));
        see((&call.result, made.collect::<Option<Vec<_>>>()?))
    }

    /// Whether the queries of the object and of its twin tell the same; each has its own law.
    fn looks_the_same(&mut self, twins: [&Cell; 2], call: &mut Call) -> bool {
        let (ty, world) = (call.slots[0].ty, self.world);
        let Some(after) = call.slots[0].after.clone() else { return true };
        let look = |twin: &Cell| twin.borrow().as_deref().map(|twin| state_values(world, ty, twin));
        let [Some(one), Some(other)] = twins.map(look) else { return true };
        let (laws, mut same) = (world.laws(ty), true);
        for (at, query) in world.type_plan(ty).state.iter().enumerate() {
            let is_of = |law: &Law| matches!(law.rule, Rule::Fresh(op) if world.op(op).function() == query.name);
            let Some(law) = laws.iter().position(is_of).filter(|_| one[at] == other[at]) else {
                continue;
            };
            let (holds, on) =
                (after.values.get(at) == one.get(at), (Party::Operand(0), super::ALONE));
            self.laws.judge(world, Breach { ty, law, on }, holds, &mut call.laws);
            same &= holds;
        }
        same
    }
}

/// What a call told and made.
type Seen<'a> = (&'a Value, Vec<(u32, &'a dyn Any)>);

/// Whether two calls told and made the same, as far as that can be seen.
fn is_alike(world: &World, makes: &[TypeId], one: Seen<'_>, other: Seen<'_>) -> Option<bool> {
    if matches!((one.0, other.0), (Value::Undefined, _) | (_, Value::Undefined)) {
        return None;
    }
    if one.0 != other.0 || one.1.len() != other.1.len() {
        return Some(false);
    }
    for ((out, x), (_, y)) in one.1.into_iter().zip(other.1) {
        let ty = *makes.get(out as usize)?;
        let entry = world.type_entry(ty);
        let is_same = match entry.eq {
            Some(eq) if !entry.borrows => panics::catch(|| !eq(x, x) || eq(x, y)).ok()?,
            _ => state_values(world, ty, x) == state_values(world, ty, y),
        };
        if !is_same {
            return Some(false);
        }
    }
    Some(true)
}

impl Twins {
    fn forget(&mut self, object: u32) {
        if let Some(twin) = self.all.remove(&object) {
            probe::aside(|| drop(panics::catch(|| drop((twin.cell, twin.rival)))));
        }
    }
}

/// What a call told and made, and what that may refer to.
struct Answer {
    value: Value,
    made: Vec<Made>,
    lent: Vec<Box<dyn Any>>,
}

impl Answer {
    fn seen(&self) -> Seen<'_> {
        (&self.value, self.made.iter().map(|(out, made)| (*out, &**made)).collect())
    }
}

/// Calls an operation; `None` when it panics.
fn called(op: &OpEntry, operands: &[Operand<'_>]) -> Option<Answer> {
    probe::aside(|| {
        let frame = Frame::new(operands);
        let value = panics::catch(|| (op.call)(&frame)).ok()?;
        let (made, lent) = frame.into_made();
        Some(Answer { value, made, lent })
    })
}
