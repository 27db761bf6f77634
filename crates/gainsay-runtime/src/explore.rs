//! One epoch of exploration: furnish the pool, then call at random, with the least tried
//! operations first and operands chosen by state.

use gainsay_wire::{
    Arg, EpochReport, EpochTask, Mode, OpId, Outcome, Role, Sequence, Step, TypeId, Value,
};

use crate::{
    Gen, Random,
    calibrate::Calibration,
    coverage,
    execute::{Call, Machine, Views, is_changed},
    generate::{Hints, Sizes},
    harvest::Harvest,
    kin::Kin,
    laws::Zeal,
    pool::Fate,
    shelves::Shelves,
    table::ParamEntry,
    view::Viewer,
    world::World,
};

/// Objects whose recipes are longer are retired.
const MOST_WEIGHT: u32 = 100;
/// Makers within makers.
const MOST_DEPTH: u32 = 4;
/// One operand in so many has nothing to do with the first, where it could.
const STRANGERS_EVERY: usize = 4;
/// Calls in a row on a new object that borrows.
const MOST_FOCUSED_CALLS: usize = 4;
/// Returned values that are remembered.
const MOST_RECENT: usize = 32;
/// In calibration, objects that are looked at though they were no operands.
const MOST_BYSTANDERS: usize = 16;

/// One epoch in so many makes up huge sizes: an epoch that dies of one is lost.
const HUGE_SIZES_EVERY: usize = 8;

struct Explorer<'w> {
    world: &'w World,
    machine: Machine<'w>,
    random: Random,
    tried: Vec<u64>,
    sizes: Sizes,
    ordinary: Vec<OpId>,
    drops: Vec<OpId>,
    shelves: Shelves,
    recent: Vec<Value>,
    recent_at: usize,
    harvest: Harvest,
    calls: u64,
    focus: Focus,
    kin: Kin,
}

/// A borrowing object that was just made, and how many of the next calls are to be on it: what it
/// borrows from is soon wanted for something else.
#[derive(Clone, Copy, Default)]
struct Focus {
    object: u32,
    calls: usize,
}

/// Explores for one epoch.
pub(crate) fn explore(world: &World, task: &EpochTask) -> EpochReport {
    let mut explorer = Explorer::new(world, task);
    coverage::reset();
    for sequence in &task.furniture {
        explorer.furnish(sequence, u64::from(task.calls));
    }
    let mut attempts = u64::from(task.calls) * 4;
    while explorer.calls < u64::from(task.calls) && attempts > 0 {
        attempts -= 1;
        explorer.turn();
    }
    explorer.finish()
}

impl<'w> Explorer<'w> {
    fn new(world: &'w World, task: &EpochTask) -> Explorer<'w> {
        let viewer = Viewer::new(world, task.calibrate.then(Calibration::default));
        let mut random = Random::new(task.seed);
        let mut tried = task.tried.clone();
        tried.resize(world.ops.len(), 0);
        let (ordinary, drops) = enabled_ops(world, &mut random);
        let sizes = if random.one_in(HUGE_SIZES_EVERY) { Sizes::Any } else { Sizes::Modest };
        Explorer {
            world,
            machine: Machine::new(world, viewer, Zeal::Sampling),
            random,
            tried,
            sizes,
            ordinary,
            drops,
            shelves: Shelves::new(world.types.len()),
            recent: Vec::new(),
            recent_at: 0,
            harvest: Harvest::new(world),
            calls: 0,
            focus: Focus::default(),
            kin: Kin::default(),
        }
    }

    /// Makes a given sequence, as far as the epoch's calls go. What needs a step that cannot be
    /// made is left out.
    fn furnish(&mut self, sequence: &Sequence, calls: u64) {
        let mut numbers: Vec<Option<u32>> = Vec::with_capacity(sequence.steps.len());
        for step in &sequence.steps {
            if self.calls >= calls {
                return;
            }
            // Ending what borrows takes steps of its own, so numbers move unevenly.
            let moved = step.renumbered(|i| numbers.get(i as usize).copied().flatten());
            let before = self.machine.log.next();
            if let Some(step) = moved {
                self.make(step);
            }
            let after = self.machine.log.next();
            numbers.push((after > before).then(|| after - 1));
        }
    }

    /// Makes one call, with what it takes to get there.
    fn turn(&mut self) {
        if let Some(op) = self.focused_op() {
            let forced = Some(self.focus.object);
            self.perform_with(op, 0, &[], forced);
            return;
        }
        let drop_one = self.random.one_in(64) && !self.drops.is_empty();
        let op = if drop_one { self.random.pick(&self.drops).copied() } else { self.least_tried() };
        if let Some(op) = op {
            self.perform(op, 0, &[]);
        }
    }

    /// The least tried of a few.
    fn least_tried(&mut self) -> Option<OpId> {
        let drawn: [Option<OpId>; 3] =
            std::array::from_fn(|_| self.random.pick(&self.ordinary).copied());
        drawn.into_iter().flatten().min_by_key(|op| self.tried[op.0 as usize])
    }

    /// Calls an operation with operands of the pool; objects in `held` are not to be changed.
    /// Returns the objects that it made.
    fn perform(&mut self, op: OpId, depth: u32, held: &[u32]) -> Vec<u32> {
        self.perform_with(op, depth, held, None)
    }

    /// The same, with a certain object for the first parameter that can take it.
    fn perform_with(
        &mut self,
        op: OpId,
        depth: u32,
        held: &[u32],
        forced: Option<u32>,
    ) -> Vec<u32> {
        let Some(args) = self.args(op, depth, held, forced) else { return Vec::new() };
        self.make(Step { op, args })
    }

    /// An operation that takes the object in focus, while there is one.
    fn focused_op(&mut self) -> Option<OpId> {
        let Focus { object, calls } = self.focus;
        self.focus.calls = calls.checked_sub(1)?;
        let entry = self.machine.pool.get(object);
        if entry.fate != Fate::Live {
            return None;
        }
        self.random.pick(&self.world.type_plan(entry.ty).users).copied()
    }

    /// Remembers where objects came from, and draws attention to what borrows.
    fn notice(&mut self, call: &Call) {
        let first = call.slots.iter().find_map(|slot| slot.object);
        for (made, parent) in call.made.iter().filter_map(|made| Some((made, first?))) {
            let through = self.world.type_entry(self.machine.pool.get(parent).ty).borrows;
            self.kin.note(made.object, parent, through);
        }
        let borrows = |object: &u32| {
            let entry = self.machine.pool.get(*object);
            self.world.type_entry(entry.ty).borrows && entry.fate == Fate::Live
        };
        if let Some(object) = call.made.iter().map(|made| made.object).find(borrows) {
            self.focus = Focus { object, calls: self.random.below(MOST_FOCUSED_CALLS + 1) };
        }
    }

    /// Makes a step, once all is ended that borrows from its operands in a way that would not be
    /// allowed; returns the objects that it made.
    fn make(&mut self, step: Step) -> Vec<u32> {
        let Some(in_the_way) = self.machine.in_the_way(&step) else { return Vec::new() };
        for borrower in in_the_way {
            let entry = self.machine.pool.get(borrower);
            let args = vec![Arg::Object(entry.origin)];
            if let Some(op) = self.world.type_plan(entry.ty).drop_op {
                self.make_one(Step { op, args });
            }
        }
        self.make_one(step)
    }

    /// Makes a step and takes note of what came of it.
    fn make_one(&mut self, step: Step) -> Vec<u32> {
        let sated = self.harvest.is_sated(self.world, step.op);
        let calibrating = self.machine.viewer.calibration.is_some();
        let views = if sated && !calibrating { Views::Apart } else { Views::On };
        match self.machine.step(step, views) {
            Some(call) => {
                self.absorb(&call);
                call.made.iter().map(|made| made.object).collect()
            }
            None => Vec::new(),
        }
    }

    fn args(
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
            let object = match param {
                _ if forced.as_ref().is_some_and(taken) => forced.take(),
                ParamEntry::Plain { .. } => None,
                ParamEntry::Object { ty, mode } if mode.is_optional() => {
                    if self.random.one_in(4) {
                        None
                    } else {
                        self.shelves.pick(*ty, &mut self.random)
                    }
                }
                ParamEntry::Object { ty, mode } => Some(self.operand(*ty, *mode, depth, &held)?),
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

    fn literals(&mut self, op: OpId, chosen: &[Option<u32>]) -> Vec<Arg> {
        let pool = &self.machine.pool;
        let states: Vec<_> =
            chosen.iter().flatten().filter_map(|object| pool.get(*object).state.clone()).collect();
        let settings = Some(&self.world.settings);
        let hints = Hints { states: &states, recent: &self.recent, settings, sizes: self.sizes };
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
            let object = self.shelves.pick(ty, &mut self.random)?;
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
                let twins = self.make(Step { op: clone, args: vec![Arg::Object(origin)] });
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
        if self.machine.pool.get(first).ty == ty || self.random.one_in(STRANGERS_EVERY) {
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

    fn absorb(&mut self, call: &Call) {
        self.calls += 1;
        self.tried[call.op.0 as usize] += 1;
        self.harvest.count(call);
        self.harvest.object(&self.machine, call);
        let objected = !call.misuses.is_empty() || !call.laws.is_empty();
        match &call.outcome {
            Outcome::Panicked(place) => {
                if !objected {
                    self.harvest.keep_panic(&mut self.machine, call, place);
                }
            }
            _ if objected => {}
            _ => {
                self.harvest.pass(&mut self.machine, call);
                self.remember(&call.result);
            }
        }
        self.taint(call, objected);
        self.look_at_bystanders(call);
        self.shelve(call);
        self.notice(call);
    }

    /// Retires what a panic may have left half-changed, and all that an oracle objected to.
    fn taint(&mut self, call: &Call, objected: bool) {
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
        tainted.extend(retired.iter().flat_map(|object| pool.loans.dependents(*object)));
        for object in tainted {
            let entry = pool.get_mut(object);
            if entry.fate == Fate::Live {
                entry.fate = Fate::Retired;
                self.shelves.remove(object);
            }
        }
    }

    fn shelve(&mut self, call: &Call) {
        let operands =
            call.slots.iter().filter(|slot| is_changed(slot) || !call.outcome.returned());
        let operands = operands.filter_map(|slot| slot.object);
        let consumed = call.slots.iter().filter(|slot| slot.mode.consumes());
        let consumed = consumed.filter_map(|slot| slot.object);
        let made = call.made.iter().map(|made| made.object);
        let freed = call.freed.iter().copied();
        let objects: Vec<u32> = operands.chain(consumed).chain(made).chain(freed).collect();
        for object in objects {
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
        match &entry.state {
            Some(state) if entry.fate == Fate::Live => {
                self.shelves.place(object, entry.ty, state.id);
            }
            _ => self.shelves.remove(object),
        }
    }

    /// In calibration: did anything change that had no part in the call?
    fn look_at_bystanders(&mut self, call: &Call) {
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

    fn remember(&mut self, result: &Value) {
        if matches!(result, Value::Unit | Value::Object | Value::Undefined | Value::Bool(_)) {
            return;
        }
        if self.recent.len() < MOST_RECENT {
            self.recent.push(result.clone());
        } else {
            self.recent[self.recent_at] = result.clone();
            self.recent_at = (self.recent_at + 1) % MOST_RECENT;
        }
    }

    fn finish(mut self) -> EpochReport {
        let harvest = &mut self.harvest;
        self.machine.drop_all(|machine, call| {
            harvest.count(call);
            harvest.object(machine, call);
        });
        let calibration = self.machine.viewer.calibration.take();
        let mut report = self.harvest.into_report();
        if let Some(calibration) = calibration {
            (report.queries, report.sharing) = calibration.into_report();
        }
        report.covered = coverage::covered();
        report
    }
}

/// The operations of this epoch: now and then some commands are left out, so that states are
/// reached in which they never interfere.
fn enabled_ops(world: &World, random: &mut Random) -> (Vec<OpId>, Vec<OpId>) {
    let swarm = random.one_in(2);
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
