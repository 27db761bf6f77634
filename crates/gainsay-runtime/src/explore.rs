//! One epoch of exploration: furnish the pool, then call at random, with the least tried
//! operations first and operands chosen by state.

mod choose;
mod inject;
mod operands;
mod shelve;

use gainsay_wire::{
    Arg, EpochReport, EpochTask, Observing, OpId, Outcome, Sequence, Step, Strategy, Twist, Value,
};

use self::inject::Injector;

use crate::{
    Random,
    calibrate::Calibration,
    coverage,
    execute::{Call, Machine, Views},
    generate::Sizes,
    harvest::Harvest,
    kin::Kin,
    laws::Zeal,
    memory::Memory,
    pool::Fate,
    shelves::Shelves,
    view::Viewer,
    world::World,
};

/// Calls in a row on a new object that borrows.
const MOST_FOCUSED_CALLS: usize = 4;
/// Returned values that are remembered.
const MOST_RECENT: usize = 32;

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
    /// Operations that are not called in this epoch.
    barred: Vec<OpId>,
    shelves: Shelves,
    recent: Vec<Value>,
    recent_at: usize,
    harvest: Harvest<'w>,
    calls: u64,
    focus: Focus,
    kin: Kin,
    /// In an epoch in which the caller's code misbehaves.
    injector: Option<Injector>,
}

/// A borrowing object that was just made, and how many of the next calls are to be on it: what it
/// borrows from is soon wanted for something else.
#[derive(Clone, Copy, Default)]
struct Focus {
    object: u32,
    calls: usize,
}

/// Explores for one epoch.
pub(crate) fn explore(world: &World, memory: &mut Memory, task: &EpochTask) -> EpochReport {
    memory.begin_epoch(task.calls);
    let mut explorer = Explorer::new(world, memory, task);
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
    fn new(world: &'w World, memory: &'w mut Memory, task: &EpochTask) -> Explorer<'w> {
        let viewer = Viewer::new(world, task.calibrate.then(Calibration::default));
        let mut random = Random::new(task.seed);
        let mut tried = task.tried.clone();
        tried.resize(world.ops.len(), 0);
        let (ordinary, drops) = choose::enabled_ops(world, &mut random);
        let sizes = if random.one_in(HUGE_SIZES_EVERY) { Sizes::Any } else { Sizes::Modest };
        let mut machine = Machine::new(world, viewer, Zeal::Sampling);
        machine.counting = task.inject;
        Explorer {
            world,
            machine,
            random,
            tried,
            sizes,
            ordinary,
            drops,
            barred: task.barred.clone(),
            shelves: Shelves::new(world.types.len()),
            recent: Vec::new(),
            recent_at: 0,
            harvest: Harvest::new(world, memory),
            calls: 0,
            focus: Focus::default(),
            kin: Kin::default(),
            injector: task.inject.then(|| Injector::new(world.ops.len())),
        }
    }

    fn is_uniform(&self) -> bool {
        self.world.settings.strategy == Strategy::Uniform
    }

    /// Whether objects are not looked at.
    fn is_bare(&self) -> bool {
        self.world.settings.observing == Observing::Bare
            && self.machine.viewer.calibration.is_none()
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
        if self.let_go() {
            return;
        }
        let drop_one = self.random.one_in(64) && !self.drops.is_empty();
        let op = match (drop_one, self.world.settings.strategy) {
            (true, _) => self.random.pick(&self.drops).copied(),
            (_, Strategy::Guided) => self.least_tried(),
            (_, Strategy::Uniform) => self.random.pick(&self.ordinary).copied(),
        };
        if let Some(op) = op {
            self.perform(op, 0, &[]);
        }
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
        if self.barred.contains(&op) {
            return Vec::new();
        }
        let Some(args) = self.args(op, depth, held, forced) else { return Vec::new() };
        self.make(Step::new(op, args))
    }

    /// Remembers where objects came from, and draws attention to what borrows.
    fn notice(&mut self, call: &Call) {
        let first = call.slots.iter().find_map(|slot| slot.object);
        for (made, parent) in call.made.iter().filter_map(|made| Some((made, first?))) {
            let through = self.world.type_entry(self.machine.pool.get(parent).ty).borrows;
            self.kin.note(made.object, parent, through);
        }
        if self.is_uniform() {
            return;
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
                self.make_one(Step::new(op, args));
            }
        }
        self.make_one(step)
    }

    /// Makes a step and takes note of what came of it.
    fn make_one(&mut self, step: Step) -> Vec<u32> {
        let step = self.twisted(step);
        let calibrating = self.machine.viewer.calibration.is_some();
        let views = if calibrating {
            Views::On
        } else if self.is_bare() {
            Views::Off
        } else if self.injector.is_some() {
            Views::Apart
        } else {
            self.harvest.views(step.op)
        };
        match self.machine.step(step, views) {
            Some(call) => {
                self.absorb(&call);
                let made = call.made.iter().map(|made| made.object).collect();
                self.machine.recycle(call);
                made
            }
            None => Vec::new(),
        }
    }

    fn absorb(&mut self, call: &Call) {
        self.calls += 1;
        self.tried[call.op.0 as usize] += 1;
        self.harvest.count(call);
        self.harvest.object(&self.machine, call);
        let objected = !call.misuses.is_empty() || !call.laws.is_empty();
        self.note_aftermath(call);
        match &call.outcome {
            // What is seen amid misbehaviour is no example of how the operation behaves.
            _ if self.injector.is_some() => {}
            Outcome::Panicked(_) => {
                if !objected {
                    self.harvest.keep_panic(&mut self.machine, call);
                }
            }
            _ if objected || self.is_bare() => {}
            _ => {
                self.harvest.pass(&mut self.machine, call);
                self.remember(&call.result);
            }
        }
        if call.aftermath.twist == Twist::None || objected {
            self.taint(call, objected);
        }
        self.look_at_bystanders(call);
        self.shelve(call);
        self.notice(call);
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
        let mut report = self.harvest.into_report(self.world);
        if let Some(calibration) = calibration {
            (report.queries, report.sharing) = calibration.into_report(self.world);
        }
        report
    }
}
