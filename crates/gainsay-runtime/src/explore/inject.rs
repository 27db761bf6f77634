//! Epochs in which the caller's code misbehaves: which steps are twisted, and what becomes of the
//! objects that went through it. They are used further and dropped: that is where it shows when
//! an operation left them with an element too many.

use std::collections::BTreeSet;

use gainsay_wire::{Arg, Callback, OpId, Role, Step, Twist};

use super::{Explorer, Focus};
use crate::{Random, execute::Call, inject::Aftermath, merit::Callbacks, pool::Fate};

/// One step in so many is twisted: what a short life did not lead to cannot break.
const TWISTS_EVERY: usize = 4;
/// One end of an object in so many is left alone.
const CALM_ENDS_EVERY: usize = 3;
/// One turn in so many drops an object.
const DROPS_EVERY: usize = 8;
/// Calls in a row on an object that went through misbehaviour, before it is dropped.
const MOST_CALLS_AFTER: usize = 3;
/// By how much iterators lie.
const LIES: [i32; 6] = [1, -1, 2, -2, 7, 100];

/// An object is dropped once in so many calls.
const DROP_EVERY: usize = 64;
/// The same where callers misbehave.
const TWISTED_DROP_EVERY: usize = 24;

/// What an epoch with misbehaviour keeps in mind.
pub(super) struct Injector {
    /// Objects with misbehaviour in their past. They are spared more of it: what is found on one
    /// can then be laid at the door of one step.
    shaken: BTreeSet<u32>,
    /// What is known of each operation, from earlier epochs, too.
    known: Vec<Callbacks>,
    /// Objects that are to be dropped soon.
    doomed: Vec<u32>,
}

impl Injector {
    pub(super) fn new(ops: usize, mut known: Vec<Callbacks>) -> Injector {
        known.resize(ops, Callbacks::default());
        Injector { shaken: BTreeSet::new(), known, doomed: Vec::new() }
    }

    /// How the caller's code is to misbehave in a call of an ordinary operation.
    fn choose(&mut self, op: OpId, random: &mut Random) -> Twist {
        let known = &mut self.known[op.0 as usize];
        if !known.met {
            let shy = random.one_in(3);
            return if shy { Twist::Shy } else { Twist::Fuse(Callback::Any, small(random)) };
        }
        let kinds = Callback::ALL.into_iter().filter(|kind| *kind != Callback::Any);
        let mut choices: Vec<Twist> = kinds
            .filter(|kind| known.most[*kind as usize] > 0)
            .map(|kind| Twist::Fuse(kind, known.next[kind as usize]))
            .collect();
        if known.iterator {
            let by = random.pick(&LIES).copied().unwrap_or(1);
            choices.extend([Twist::Shy, Twist::Lie(by)]);
        }
        let twist = random.pick(&choices).copied().unwrap_or_default();
        if let Twist::Fuse(kind, after) = twist {
            let kind = kind as usize;
            known.next[kind] = if after + 1 < known.most[kind] { after + 1 } else { 0 };
        }
        twist
    }

    fn learn(&mut self, op: OpId, aftermath: &Aftermath) {
        let known = &mut self.known[op.0 as usize];
        known.met = true;
        known.iterator |= aftermath.iterator;
        known.twisted += u32::from(aftermath.twist != Twist::None);
        for (most, count) in known.most.iter_mut().zip(aftermath.counts) {
            *most = (*most).max(count);
        }
    }
}

/// Of so many operations that run code of their caller, the one in which it misbehaved least is
/// called.
const SURVEYED: usize = 12;

/// Mostly 0, each next number half as often.
fn small(random: &mut Random) -> u32 {
    (0..8).find(|_| random.one_in(2)).unwrap_or(8)
}

impl Explorer<'_> {
    /// Half of the time, one of these operations that runs code of its caller and in which that
    /// misbehaved little so far.
    pub(super) fn least_twisted(&mut self, ops: &[OpId]) -> Option<OpId> {
        let known = &self.injector.as_ref()?.known;
        let start = self.random.below(ops.len().max(1));
        if self.random.one_in(2) {
            return None;
        }
        let round = ops.iter().cycle().skip(start).take(ops.len());
        let some = round.filter(|op| known[op.0 as usize].any()).take(SURVEYED);
        some.min_by_key(|op| known[op.0 as usize].twisted).copied()
    }

    /// The end of an object, now and then: more often where callers misbehave, since that is where many
    /// of them do.
    pub(super) fn end_of_an_object(&mut self) -> Option<OpId> {
        let every = if self.injector.is_some() { TWISTED_DROP_EVERY } else { DROP_EVERY };
        if !self.random.one_in(every) {
            return None;
        }
        let drops = &self.world.routes.drops;
        self.least_twisted(drops).or_else(|| self.random.pick(drops).copied())
    }

    /// What is to be remembered for later epochs.
    pub(super) fn learnt_callbacks(&mut self) -> Option<Vec<Callbacks>> {
        self.injector.as_mut().map(|injector| std::mem::take(&mut injector.known))
    }

    /// The step with what the caller's code is to do wrong in it, in an epoch of that kind.
    pub(super) fn twisted(&mut self, mut step: Step) -> Step {
        let Some(injector) = &mut self.injector else { return step };
        let objects = step.objects().filter_map(|(_, at)| self.machine.log.object(at));
        let objects: Vec<u32> = objects.collect();
        let shaken = objects.iter().any(|object| injector.shaken.contains(object));
        let is_drop = self.world.op(step.op).role == Role::Drop;
        let twist = if is_drop {
            !self.random.one_in(CALM_ENDS_EVERY)
        } else {
            self.random.one_in(TWISTS_EVERY)
        };
        if step.twist != Twist::None || shaken || !twist {
            return step;
        }
        let pool = &self.machine.pool;
        let guards = |object: &u32| !pool.loans.reached_by(*object).is_empty();
        step.twist = if is_drop && objects.iter().any(guards) && self.random.one_in(2) {
            Twist::Forget
        } else {
            injector.choose(step.op, &mut self.random)
        };
        step
    }

    /// Takes note of what misbehaviour came to.
    pub(super) fn note_aftermath(&mut self, call: &Call) {
        let Some(injector) = &mut self.injector else { return };
        injector.learn(call.op, &call.aftermath);
        let operands = call.slots.iter().filter_map(|slot| slot.object);
        let mut met: Vec<u32> = operands.chain(call.reached.iter().copied()).collect();
        let inherited = met.iter().any(|object| injector.shaken.contains(object));
        let fresh = call.aftermath.twist != Twist::None;
        if !fresh && !inherited {
            return;
        }
        met.extend(call.made.iter().map(|made| made.object));
        let dependents: Vec<u32> =
            met.iter().flat_map(|object| self.machine.pool.loans.dependents_of(*object)).collect();
        injector.shaken.extend(met.iter().chain(&dependents));
        let live = |object: &&u32| self.machine.pool.get(**object).fate == Fate::Live;
        if let Some(&object) = met.iter().find(live).filter(|_| fresh) {
            self.focus = Focus { object, calls: self.random.below(MOST_CALLS_AFTER + 1) };
            injector.doomed.push(object);
        }
    }

    /// Drops what is due, or now and then anything; tells whether the turn is taken.
    pub(super) fn let_go(&mut self) -> bool {
        let Some(injector) = &mut self.injector else { return false };
        if let Some(object) = injector.doomed.pop() {
            let entry = self.machine.pool.get(object);
            let op = self.world.type_plan(entry.ty).drop_op;
            let due = entry.fate == Fate::Live && entry.cell.borrow().is_some();
            if let Some(op) = op.filter(|_| due) {
                let args = vec![Arg::Object(entry.origin)];
                self.make(Step::new(op, args));
                return true;
            }
        }
        let op = self
            .random
            .pick(&self.world.routes.drops)
            .copied()
            .filter(|_| self.random.one_in(DROPS_EVERY));
        if let Some(op) = op {
            self.perform(op, 0, None);
        }
        op.is_some()
    }
}
