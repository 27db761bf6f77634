//! One epoch of exploration: furnish the pool, then call at random, with the least tried
//! operations first and operands chosen by state.

mod course;
mod inject;
mod operands;
mod pace;
mod require;
mod shelve;

use std::{rc::Rc, time::Instant};

use gainsay_wire::{
    Arg, Breadth, EpochReport, EpochTask, Observing, OpId, Outcome, Sequence, Step, Strategy,
    Twist, Value,
};

use self::{
    course::{Course, Focus},
    inject::Injector,
    pace::Pace,
};
use crate::{
    Random,
    calibrate::Calibration,
    coverage,
    execute::{Call, Machine, Views},
    finds,
    generate::Sizes,
    harvest::{Harvest, News},
    kin::Kin,
    laws::Zeal,
    memory::Memory,
    merit::FOR_COVERAGE,
    pool::Fate,
    shelves::Shelves,
    view::{self, State, Viewer},
    world::World,
};

/// An operation counts as tried so many times more by a call that returned than by one that
/// panicked.
pub(crate) const TRIED_BY_RETURN: u64 = 8;
/// Calls in a row on a new object that borrows.
const MOST_FOCUSED_CALLS: usize = 2;
/// Items of long sequences that take as long to look at as a call.
const EFFORT_OF_A_CALL: u32 = 64;
/// Bytes in large blocks that take as long to fill as an item to look at.
const BYTES_OF_AN_ITEM: u64 = 4 << 10;
/// Returned values that are remembered.
const MOST_RECENT: usize = 32;

/// One epoch in so many makes up huge sizes: an epoch that dies of one is lost.
const HUGE_SIZES_EVERY: usize = 8;
/// The same where sizes are wide.
const WIDE_HUGE_SIZES_EVERY: usize = 4;

/// After one call with numbers alone in so many, new coverage is looked for.
const LOOK_FOR_CODE_EVERY: usize = 8;

struct Explorer<'w> {
    world: &'w World,
    machine: Machine<'w>,
    random: Random,
    tried: Vec<u64>,
    sizes: Sizes,
    /// Operations that are not called in this epoch.
    barred: Vec<OpId>,
    course: Course,
    shelves: Shelves,
    recent: Vec<Value>,
    recent_at: usize,
    harvest: Harvest<'w>,
    calls: u64,
    focus: Focus,
    /// The operation that the epoch is about, if it is about one.
    aim: Option<OpId>,
    kin: Kin,
    /// In an epoch in which the caller's code misbehaves.
    injector: Option<Injector>,
    /// Objects that are chosen for calls under way.
    held: Vec<u32>,
    /// Objects that cost too much, to be dropped as soon as possible: they take up room.
    unwieldy: Vec<u32>,
    /// What the last step made.
    made: Vec<u32>,
    /// Where time counts.
    pace: Option<Pace>,
    /// Room that is used again and again.
    spare: Vec<Vec<Option<u32>>>,
    states: Vec<Rc<State>>,
}

/// Explores for one epoch.
pub(crate) fn explore(world: &World, memory: &mut Memory, task: &EpochTask) -> EpochReport {
    memory.hear(&task.tried);
    memory.begin_epoch(task.calls, task.keep);
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
        tried.resize(world.tables.ops.len(), 0);
        let every = match world.settings.breadth {
            Breadth::Usual => HUGE_SIZES_EVERY,
            Breadth::Wide => WIDE_HUGE_SIZES_EVERY,
        };
        let sizes = match random.below(every) {
            0 => Sizes::Any,
            1 => Sizes::Many,
            2 if task.aim.is_some() => Sizes::Many,
            _ => Sizes::Modest,
        };
        let mut machine = Machine::new(world, viewer, Zeal::Sampling);
        machine.counting = task.inject;
        machine.laws.tallies = std::mem::take(&mut memory.tallies);
        let injector = task.inject.then(|| {
            let known = std::mem::take(&mut memory.experience.callbacks);
            Injector::new(world.tables.ops.len(), known)
        });
        Explorer {
            world,
            machine,
            random,
            tried,
            sizes,
            barred: task.barred.clone(),
            course: Course::default(),
            shelves: Shelves::new(world.types.len()),
            recent: Vec::new(),
            recent_at: 0,
            harvest: Harvest::new(world, memory),
            calls: 0,
            focus: Focus::default(),
            aim: task.aim,
            kin: Kin::default(),
            injector,
            held: Vec::new(),
            unwieldy: Vec::new(),
            made: Vec::new(),
            pace: task.hurried.then(Pace::new),
            spare: Vec::new(),
            states: Vec::new(),
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
            let moved = step.renumber_with(|i| numbers.get(i as usize).copied().flatten());
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
        self.held.clear();
        if self.clear_away() || (self.focus.calls == 0 && self.let_go()) {
            return;
        }
        if let Some((op, on)) = self.next_call() {
            self.perform(op, 0, on);
        }
    }

    /// Calls an operation with operands of the pool, `on` a certain object where it can take it.
    /// Objects that are held are not changed.
    fn perform(&mut self, op: OpId, depth: u32, on: Option<u32>) {
        self.made.clear();
        if self.barred.contains(&op) || self.is_passed_over(op) {
            return;
        }
        if let Some(args) = self.args(op, depth, on) {
            self.make(Step::new(op, args));
        }
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
    /// allowed.
    fn make(&mut self, step: Step) {
        self.made.clear();
        let Some(in_the_way) = self.machine.in_the_way(&step) else { return };
        for borrower in in_the_way {
            let entry = self.machine.pool.get(borrower);
            let args = vec![Arg::Object(entry.origin)];
            if let Some(op) = self.world.type_plan(entry.ty).drop_op {
                self.make_one(Step::new(op, args));
            }
        }
        self.make_one(step);
    }

    /// Makes a step and takes note of what came of it.
    fn make_one(&mut self, step: Step) {
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
        self.made.clear();
        let (is_rich, op, begun) = (finds::is_rich(&step), step.op, Instant::now());
        if let Some(call) = self.machine.step(step, views) {
            self.note_new_code(&call, is_rich);
            self.absorb(&call);
            self.made.extend(call.made.iter().map(|made| made.object));
            self.machine.recycle(call);
        }
        self.clock(op, begun);
    }

    /// Remembers the literals of a call that reached new code. All counters are looked at, so not
    /// after every call: after those with texts and lists, and some others.
    fn note_new_code(&mut self, call: &Call, is_rich: bool) {
        let guided = !self.is_uniform() && self.injector.is_none();
        if !guided || !(is_rich || self.random.one_in(LOOK_FOR_CODE_EVERY)) {
            return;
        }
        let experience = self.harvest.experience();
        if experience.code.news() > 0 {
            experience.merits.reward(call.op, FOR_COVERAGE);
            experience.finds.note(self.machine.log.step(call.step), &mut self.random);
        }
    }

    fn absorb(&mut self, call: &Call) {
        self.calls += 1;
        // A call that panicked tells little of the operation.
        self.tried[call.op.0 as usize] += if call.outcome.returned() { TRIED_BY_RETURN } else { 1 };
        self.harvest.count(call);
        self.harvest.object(&self.machine, call);
        let objected = !call.misuses.is_empty() || !call.laws.is_empty() || self.trusts(call.op);
        self.note_aftermath(call);
        let mut news = News::default();
        let is_observed = self.injector.is_none() && !objected && !self.is_bare();
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
                news = self.harvest.pass(&mut self.machine, call);
                self.remember(&call.result);
            }
        }
        if is_observed {
            self.harvest.count_observed(call);
        }
        if self.injector.is_none() {
            self.learn(call, news);
        }
        if call.aftermath.twist == Twist::None || objected {
            self.taint(call, objected);
        }
        self.look_at_bystanders(call);
        self.shelve(call);
        self.notice(call);
    }

    /// Whether an operation took something at its caller's word, who does not keep it. Where callers
    /// misbehave anyway, such objects go on.
    fn trusts(&self, op: OpId) -> bool {
        self.injector.is_none() && self.world.settings.trusting.contains(&op)
    }

    /// Takes note of what a call brought, and of what it cost: all that it made has to be dropped.
    fn learn(&mut self, call: &Call, news: News) {
        let bulk = u32::try_from(call.bulk / BYTES_OF_AN_ITEM).unwrap_or(u32::MAX);
        let effort = view::take_effort().saturating_add(bulk);
        let made = u32::try_from(call.made.len()).unwrap_or(0);
        let cost = 1 + made + effort / EFFORT_OF_A_CALL;
        self.harvest.experience().merits.note(call.op, news, cost);
        self.charge(call, effort);
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
        if let Some(callbacks) = self.learnt_callbacks() {
            self.harvest.experience().callbacks = callbacks;
        }
        let calibration = self.machine.viewer.calibration.take();
        let tallies = std::mem::take(&mut self.machine.laws.tallies);
        let mut report = self.harvest.into_report(self.world, tallies);
        if let Some(calibration) = calibration {
            (report.queries, report.sharing) = calibration.into_report(self.world);
        }
        report
    }
}
