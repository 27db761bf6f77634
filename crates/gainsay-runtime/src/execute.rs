//! Makes one step: journal, views before, the call, views after, oracles.

use std::{any::Any, rc::Rc};

use gainsay_wire::{
    Arg, FreedState, JournalPhase, Misuse, Mode, ObjRef, ObjectState, Observation, OpId, Outcome,
    PanicPlace, Role, Step, Twist, TypeId, Value, transition_digest,
};

use crate::{
    frame::{Frame, Operand},
    guard,
    inject::{self, Aftermath},
    journal,
    laws::{Breach, Laws, Tallies, Twins, Zeal},
    log::Log,
    panics,
    pool::{Fate, Pool, Slot},
    probe,
    table::QueryArg,
    view::{Size, State, Viewer},
    watch::Sighted,
    world::{OpPlan, Relation, Source, World},
};

/// Operands that need no allocation.
const FEW_OPERANDS: usize = 6;

/// Executes steps in one pool.
pub(crate) struct Machine<'w> {
    pub(crate) world: &'w World,
    pub(crate) pool: Pool,
    pub(crate) log: Log,
    pub(crate) viewer: Viewer<'w>,
    /// Whether the callbacks of every step are counted.
    pub(crate) counting: bool,
    pub(crate) laws: Laws,
    /// Fresh objects that do what others do that were reset.
    pub(crate) twins: Twins,
    /// Room for the operands of the next call.
    spare: Vec<Slot>,
}

/// Whether objects are looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Views {
    On,
    /// They are, but at each other only where a contract under watch asks for it.
    Apart,
    Off,
}

/// A call that was made.
pub(crate) struct Call {
    pub(crate) step: u32,
    pub(crate) op: OpId,
    /// How closely it was looked at.
    pub(crate) views: Views,
    pub(crate) outcome: Outcome,
    pub(crate) result: Value,
    pub(crate) slots: Vec<Slot>,
    pub(crate) made: Vec<Made>,
    /// Objects that were lent by `&mut` until this call ended the loan.
    pub(crate) freed: Vec<Freed>,
    /// Objects that the call may have changed through operands that borrow from them.
    pub(crate) reached: Vec<u32>,
    pub(crate) relations: Vec<Value>,
    pub(crate) misuses: Vec<Misuse>,
    pub(crate) laws: Vec<Breach>,
    /// Bytes that the call and the looks at its objects took in large blocks.
    pub(crate) bulk: u64,
    /// What misbehaviour of the caller's code came to.
    pub(crate) aftermath: Aftermath,
}

/// Relations to be evaluated: all, or those under watch.
#[derive(Clone, Copy)]
struct Wanted<'a> {
    all: &'a [Relation],
    watched: &'a [bool],
    views: Views,
}

/// What was seen of a call: the values of the operation's vocabulary, where they are.
pub(crate) struct Sight<'a> {
    plan: &'a OpPlan,
    call: &'a Call,
    args: &'a [Arg],
    after: &'a [Value],
}

static UNDEFINED: Value = Value::Undefined;

impl Sight<'_> {
    /// A copy of all values.
    pub(crate) fn values(&self) -> Vec<Value> {
        (0..self.plan.terms.len()).map(|position| self.at(position).clone()).collect()
    }
}

impl Sighted for Sight<'_> {
    fn at(&self, position: usize) -> &Value {
        let call = self.call;
        let found = match self.plan.terms.get(position) {
            Some(Source::Plain(i)) => self.args.get(*i).map(plain),
            Some(Source::Before(i, at)) => state_value(call.slots[*i].before.as_ref(), *at),
            Some(Source::After(i, at)) => state_value(call.slots[*i].after.as_ref(), *at),
            Some(Source::RelationBefore(i)) => call.relations.get(*i),
            Some(Source::RelationAfter(i)) => self.after.get(*i),
            Some(Source::Result) => Some(&call.result),
            Some(Source::Made(out, at)) => {
                let made = call.made.iter().find(|made| made.out == *out);
                made.and_then(|made| state_value(made.state.as_ref(), *at))
            }
            Some(Source::Nowhere) | None => None,
        };
        found.unwrap_or(&UNDEFINED)
    }
}

fn state_value(state: Option<&Rc<State>>, at: usize) -> Option<&Value> {
    state.and_then(|state| state.values.get(at))
}

/// How a call ended, with what it made and what that may refer to.
type Ended = (Result<Value, PanicPlace>, Results, Lent, Aftermath);

/// What a call put into its frame, not yet in the pool.
type Results = Vec<(u32, Box<dyn Any>)>;

/// Plain values that what a call made may refer to.
type Lent = Vec<Box<dyn Any>>;

/// An object whose loan a call ended.
pub(crate) struct Freed {
    pub(crate) object: u32,
    pub(crate) ty: TypeId,
    /// What was seen before the call that lent it.
    pub(crate) lent: Option<Rc<State>>,
    pub(crate) after: Option<Rc<State>>,
}

/// An object that a call made.
pub(crate) struct Made {
    pub(crate) out: u32,
    pub(crate) object: u32,
    pub(crate) ty: TypeId,
    pub(crate) state: Option<Rc<State>>,
}

impl<'w> Machine<'w> {
    pub(crate) fn new(world: &'w World, viewer: Viewer<'w>, zeal: Zeal) -> Machine<'w> {
        let laws = Laws::new(Tallies::default(), zeal);
        Machine {
            world,
            pool: Pool::default(),
            log: Log::default(),
            viewer,
            counting: false,
            laws,
            twins: Twins::default(),
            spare: Vec::new(),
        }
    }

    /// Makes a step; `None` when an operand is not there. Either way it has its number in the log.
    pub(crate) fn step(&mut self, mut step: Step, views: Views) -> Option<Call> {
        let number = self.log.next();
        // Before anything else: steps are counted alike in the log and in the journal.
        journal::append(&step);
        let mut slots = std::mem::take(&mut self.spare);
        let is_ready = self.pool.resolve_into(&mut slots, self.world, &self.log, &step);
        let Some(in_the_way) = is_ready.then(|| self.pool.in_the_way(&slots)).flatten() else {
            self.log.push(step, []);
            return None;
        };
        for borrower in in_the_way {
            self.end_quietly(borrower);
        }
        let mut relations = Vec::new();
        guard::begin_step();
        if views != Views::Off {
            journal::enter(JournalPhase::View);
            self.look_before(&mut slots);
            let plan = self.world.plan(step.op);
            let wanted = Wanted { all: &plan.before, watched: &plan.watched_before, views };
            relations = self.relations(wanted, &slots, &step.args);
        }
        journal::enter(JournalPhase::Step);
        let (result, made, lent, aftermath) = self.call(&slots, &step);
        guard::check_pipe();
        inject::settle(&mut step.twist, &aftermath);
        self.store(lent, &slots);
        journal::enter(JournalPhase::View);
        let op = step.op;
        self.log.push(step, slots.iter().filter_map(|slot| slot.object));
        let mut call = Call {
            step: number,
            op,
            views,
            outcome: Outcome::Returned,
            result: Value::Undefined,
            slots,
            made: Vec::new(),
            freed: Vec::new(),
            reached: Vec::new(),
            relations,
            misuses: Vec::new(),
            laws: Vec::new(),
            bulk: 0,
            aftermath,
        };
        match result {
            Ok(value) => self.returned(&mut call, value, made, views),
            Err(place) => self.panicked(&mut call, place, made, views),
        }
        self.settle(&mut call, views);
        call.bulk = guard::take_bulk();
        self.keep_history(&call);
        call.misuses.extend(probe::take_misuses());
        journal::enter(JournalPhase::Idle);
        Some(call)
    }

    fn call<'a>(&'a self, slots: &[Slot], step: &'a Step) -> Ended {
        let operand = |slot: &Slot, arg: &'a Arg| match slot.object {
            Some(object) => Operand::Object(&self.pool.get(object).cell),
            None => Operand::Plain(plain(arg)),
        };
        let mut few = [Operand::Plain(&UNDEFINED); FEW_OPERANDS];
        let many: Vec<Operand<'_>>;
        let operands = if slots.len() <= FEW_OPERANDS {
            for (place, (slot, arg)) in few.iter_mut().zip(slots.iter().zip(&step.args)) {
                *place = operand(slot, arg);
            }
            &few[..slots.len()]
        } else {
            many = slots.iter().zip(&step.args).map(|(slot, arg)| operand(slot, arg)).collect();
            &many
        };
        let frame = Frame::new(operands);
        let entry = self.world.op(step.op);
        let call = || panics::catch(|| (entry.call)(&frame));
        let (result, aftermath) = match step.twist {
            Twist::None if !self.counting => (call(), Aftermath::default()),
            Twist::Forget if entry.role == Role::Drop => inject::forget(operands),
            twist => inject::under(twist, call),
        };
        let (made, lent) = frame.into_made();
        (result, made, lent, aftermath)
    }

    /// Takes a call back that nobody needs any more.
    pub(crate) fn recycle(&mut self, mut call: Call) {
        call.slots.clear();
        self.spare = call.slots;
    }

    fn returned(&mut self, call: &mut Call, value: Value, made: Results, views: Views) {
        if matches!(value, Value::Res(false, _)) {
            call.outcome = Outcome::ReturnedErr;
        }
        call.result = value;
        let makes = &self.world.op(call.op).makes;
        for (out, value) in made {
            let Some(ty) = makes.get(out as usize) else { continue };
            let object = self.pool.add(*ty, ObjRef { step: call.step, out }, value);
            self.log.made(out, object);
            call.made.push(Made { out, object, ty: *ty, state: None });
        }
        self.lend(call);
        if views != Views::Off {
            for slot in &mut call.slots {
                slot.after = slot.object.and_then(|object| self.look(object));
            }
            for made in &mut call.made {
                made.state = self.look(made.object);
            }
            self.check_laws(call);
        }
    }

    fn panicked(&mut self, call: &mut Call, mut place: PanicPlace, made: Results, views: Views) {
        // What was made before the panic never reached a caller; its drop may panic in turn.
        for (_, value) in made {
            let _ = panics::catch(|| drop(value));
        }
        self.lend(call);
        if views != Views::Off {
            for slot in &call.slots {
                let Some(object) = slot.object else { continue };
                let (Some(seen), Some(before)) = (self.look(object), &slot.before) else {
                    continue;
                };
                place.changed |= left_a_mark(self.world, before, &seen);
            }
        }
        call.outcome = Outcome::Panicked(place);
    }

    /// Looks at an object that is still there and remembers its state.
    pub(crate) fn look(&mut self, object: u32) -> Option<Rc<State>> {
        if self.pool.loans.is_locked(object) {
            self.pool.get_mut(object).state = None;
            return None;
        }
        let entry = self.pool.get(object);
        let cell = entry.cell.borrow();
        let (state, size) = self.viewer.look(entry.ty, cell.as_deref()?, entry.state.as_ref());
        drop(cell);
        let entry = self.pool.get_mut(object);
        entry.state = Some(Rc::clone(&state));
        if size == Size::Unwieldy && entry.fate == Fate::Live {
            entry.fate = Fate::Retired;
        }
        Some(state)
    }

    /// Objects keep their state between calls, unless others can change it.
    fn look_before(&mut self, slots: &mut [Slot]) {
        for slot in slots {
            let Some(object) = slot.object else { continue };
            let known = self.pool.get(object).state.clone();
            slot.before = match known {
                Some(state) if !self.world.type_plan(slot.ty).sharing => Some(state),
                _ => self.look(object),
            };
        }
    }

    fn relations(&mut self, wanted: Wanted<'_>, slots: &[Slot], args: &[Arg]) -> Vec<Value> {
        if wanted.views != Views::On && !wanted.watched.contains(&true) {
            return Vec::new();
        }
        let relations = wanted.all.iter().zip(wanted.watched);
        relations
            .map(|(relation, watched)| {
                if wanted.views != Views::On && !watched {
                    return Value::Undefined;
                }
                let (on, with) = (&slots[relation.on], &slots[relation.with]);
                let arg = &args[relation.with];
                self.relation(on, relation, with, arg).unwrap_or(Value::Undefined)
            })
            .collect()
    }

    fn relation(
        &mut self,
        on: &Slot,
        relation: &Relation,
        with: &Slot,
        arg: &Arg,
    ) -> Option<Value> {
        let parties = [on.object, with.object];
        if parties.into_iter().flatten().any(|object| self.pool.loans.is_locked(object)) {
            return None;
        }
        let object = self.pool.get(on.object?).cell.borrow();
        let query = relation.query;
        Some(match (with.object, arg) {
            (Some(other), _) => {
                let other = self.pool.get(other).cell.borrow();
                let other = QueryArg::Object(other.as_deref()?);
                self.viewer.relation(on.ty, query, object.as_deref()?, other)
            }
            (None, Arg::Plain(value)) if !with.mode.is_optional() => {
                let value = QueryArg::Plain(value);
                self.viewer.relation(on.ty, query, object.as_deref()?, value)
            }
            _ => return None,
        })
    }

    /// `on.query(with)` for two objects of the pool.
    pub(crate) fn ask(&mut self, on: ObjRef, query: &str, with: ObjRef) -> Option<Value> {
        let (on, with) = (self.log.object(on)?, self.log.object(with)?);
        if [on, with].into_iter().any(|object| self.pool.loans.is_locked(object)) {
            return None;
        }
        let ty = self.pool.get(on).ty;
        let query = self.world.relation(ty, query)?;
        let (a, b) = (self.pool.get(on).cell.borrow(), self.pool.get(with).cell.borrow());
        Some(self.viewer.relation(ty, query, a.as_deref()?, QueryArg::Object(b.as_deref()?)))
    }

    /// Notes which objects the step shaped, and how long their recipes grew.
    fn keep_history(&mut self, call: &Call) {
        let operands = || call.slots.iter().filter_map(|slot| Some((slot, slot.object?)));
        let weight: u32 = operands()
            .fold(1, |sum: u32, (_, object)| sum.saturating_add(self.pool.get(object).weight));
        for (slot, object) in operands() {
            let entry = self.pool.get_mut(object);
            if entry.cell.borrow().is_none() {
                entry.fate = Fate::Gone;
            } else if is_changed(slot)
                || call.aftermath.twist != Twist::None
                || entry.state.as_ref().map(|s| s.id) != slot.before.as_ref().map(|s| s.id)
            {
                entry.shaped_by.push(call.step);
                entry.weight = weight;
            }
        }
        for made in &call.made {
            self.pool.get_mut(made.object).weight = weight;
        }
        if is_rejected(call) && call.aftermath.twist == Twist::None {
            return;
        }
        let calibrating = self.viewer.calibration.is_some();
        let met = operands().map(|(_, object)| object);
        let met: Vec<u32> = met
            .chain(call.made.iter().map(|made| made.object))
            .filter(|o| calibrating || self.world.type_plan(self.pool.get(*o).ty).sharing)
            .collect();
        for &object in &met {
            self.pool.get_mut(object).touched_by.push(call.step);
        }
        self.pool.link(&met);
    }

    /// The value of each term of the operation's vocabulary. To be asked before the next step.
    pub(crate) fn values(&mut self, call: &Call) -> Vec<Value> {
        let after = self.after_relations(call);
        self.sight(call, &after).values()
    }

    /// Relations after a call that returned. To be asked before the next step.
    pub(crate) fn after_relations(&mut self, call: &Call) -> Vec<Value> {
        let plan = self.world.plan(call.op);
        if !call.outcome.returned() || plan.after.is_empty() {
            return Vec::new();
        }
        let wanted = Wanted { all: &plan.after, watched: &plan.watched_after, views: call.views };
        // Queries need the machine, so the arguments are taken out for a moment.
        let args = std::mem::take(self.log.args_mut(call.step));
        let after = self.relations(wanted, &call.slots, &args);
        *self.log.args_mut(call.step) = args;
        after
    }

    /// What was seen of a call, term by term.
    pub(crate) fn sight<'a>(&'a self, call: &'a Call, after: &'a [Value]) -> Sight<'a> {
        Sight { plan: self.world.plan(call.op), args: &self.log.step(call.step).args, call, after }
    }

    /// Drops everything that is left, one step each: first what borrows, the youngest first.
    pub(crate) fn drop_all(&mut self, mut see: impl FnMut(&Machine<'w>, &Call)) {
        let all = 0..u32::try_from(self.pool.objects.len()).unwrap_or(0);
        let (borrowing, owned): (Vec<u32>, Vec<u32>) =
            all.partition(|object| self.world.type_entry(self.pool.get(*object).ty).borrows);
        for object in borrowing.into_iter().rev().chain(owned) {
            let entry = self.pool.get(object);
            if entry.cell.borrow().is_none() {
                continue;
            }
            let args = vec![Arg::Object(entry.origin)];
            let Some(op) = self.world.type_plan(entry.ty).drop_op else {
                self.end_quietly(object);
                continue;
            };
            if let Some(call) = self.step(Step::new(op, args), Views::Off) {
                see(self, &call);
            }
        }
    }
}

impl Call {
    /// What was seen, with the values of the vocabulary's terms.
    pub(crate) fn observation(&self, values: Vec<Value>) -> Observation {
        let object = |(i, slot): (u32, &Slot)| {
            Some(ObjectState {
                operand: i,
                ty: slot.ty,
                before: slot.before.as_ref()?.id,
                after: slot.after.as_ref().map(|state| state.id),
            })
        };
        Observation {
            op: self.op,
            outcome: self.outcome.clone(),
            values,
            objects: (0..).zip(&self.slots).filter_map(object).collect(),
            made: self.made.iter().filter_map(Made::state_id).collect(),
            freed: self.freed.iter().map(Freed::states).collect(),
        }
    }

    /// The digest of the transition, as [`Observation::transition`] has it.
    pub(crate) fn transition_digest(&self) -> u64 {
        let states = |slot: &Slot| {
            Some((slot.before.as_ref()?.id, slot.after.as_ref().map(|state| state.id)))
        };
        let made = self.made.iter().filter_map(|made| Some(made.state.as_ref()?.id));
        transition_digest(self.op, self.slots.iter().filter_map(states), made)
    }

    /// All states that the call speaks of.
    pub(crate) fn states(&self) -> impl Iterator<Item = &Rc<State>> {
        let around = self.slots.iter().flat_map(|slot| [&slot.before, &slot.after]);
        let loans = self.freed.iter().flat_map(|freed| [&freed.lent, &freed.after]);
        around.chain(self.made.iter().map(|made| &made.state)).chain(loans).flatten()
    }
}

impl Freed {
    fn states(&self) -> FreedState {
        let id = |state: &Option<Rc<State>>| state.as_ref().map(|state| state.id);
        FreedState { ty: self.ty, lent: id(&self.lent), after: id(&self.after) }
    }
}

impl Made {
    fn state_id(&self) -> Option<(TypeId, gainsay_wire::StateId)> {
        self.state.as_ref().map(|state| (state.ty, state.id))
    }
}

/// Whether a panic changed what an object holds, as far as that can be seen. Room that was made for
/// elements that never came is no change.
fn left_a_mark(world: &World, before: &State, after: &State) -> bool {
    let contents = |state: &State| {
        let queries = &world.type_plan(state.ty).state;
        let at = queries.iter().position(|query| query.name == "seq")?;
        state.values.get(at).cloned()
    };
    before.id != after.id && (contents(before).is_none() || contents(before) != contents(after))
}

/// Whether a call that returned changed an operand, or may have.
pub(crate) fn is_changed(slot: &Slot) -> bool {
    match (slot.mode, &slot.before, &slot.after) {
        (Mode::Mut, ..) => true,
        (_, Some(before), Some(after)) => before.id != after.id,
        _ => false,
    }
}

/// The literal behind an argument; an object has none.
fn plain(arg: &Arg) -> &Value {
    match arg {
        Arg::Plain(value) => value,
        Arg::Object(_) => &Value::Undefined,
    }
}
/// Whether the operation looked at its operands, panicked and left no mark: as if the call had
/// not been made, so no recipe needs it.
fn is_rejected(call: &Call) -> bool {
    let only_looked = call.slots.iter().all(|slot| !slot.mode.is_exclusive());
    matches!(&call.outcome, Outcome::Panicked(place) if !place.changed) && only_looked
}
