//! The course that exploration takes: stretches of calls, each with a few operations and often with
//! one object to which most of it happens, chosen by merit; in between, what was tried least.

use gainsay_wire::{IntegerType, Mode, OpId, Strategy, TypeId};

use super::Explorer;
use crate::{
    Random,
    generate::Sizes,
    merit::{FOR_COVERAGE, Merits},
    pool::Fate,
    table::{ParamEntry, PlainEntry},
    world::World,
};

/// The stretch under way.
#[derive(Default)]
pub(super) struct Course {
    /// Calls that are left of it.
    left: usize,
    /// Its operations; none when those are called that were tried least.
    ops: Vec<OpId>,
    /// To whom most of it happens: objects of this type, and one of them in particular.
    cast: Option<TypeId>,
    hero: Option<u32>,
    has_hero: bool,
    all: Urn,
    users: Urn,
    /// Calls until the urn of all is filled anew.
    stale: usize,
    /// The operation that is to be called again, and how often.
    again: Option<(OpId, usize)>,
}

/// Running sums of the weights of operations, to draw from.
#[derive(Default)]
struct Urn {
    sums: Vec<u64>,
}

/// A borrowing object that was just made, and how many of the next calls are to be on it: what it
/// borrows from is soon wanted for something else.
#[derive(Clone, Copy, Default)]
pub(super) struct Focus {
    pub(super) object: u32,
    pub(super) calls: usize,
}

/// After one stretch in so many, new coverage is looked for.
const COVERAGE_EVERY: usize = 6;
/// The least tried of so many operations is called.
const SURVEYED: usize = 12;
/// One stretch in so many surveys what was tried least.
const SURVEY_EVERY: usize = 16;
/// An operation that was tried less in the campaign was hardly tried: eight for each call that
/// returned, one for each that panicked.
const HARDLY_TRIED: u64 = 256;
/// A call in so many leaves the course.
const ASTRAY_EVERY: usize = 32;
/// A stretch has at most so many operations.
const MOST_OPS: usize = 12;
/// One of its operations in so many has nothing to do with the first.
const STRANGERS_EVERY: usize = 4;
/// One stretch in so many is about a type that was drawn without regard to merits: types of few
/// states must not be forgotten for those of many.
const ANY_TYPE_EVERY: usize = 4;
/// Merits move slowly: the urn of all operations is filled anew after so many calls.
const REFILL_AFTER: usize = 256;
/// Where sizes may be of any size, a call in so many takes one: what has such numbers only now and then
/// rarely brings anything new otherwise, and is hardly ever chosen by merit.
const SIZED_EVERY: usize = 16;
/// In an epoch that is about one operation, a call in so many is to another.
const ASIDE_EVERY: usize = 3;
/// What makes something of a text alone is called so often in a row: of all texts few are
/// understood, and each call costs little.
const TEXTS_IN_A_ROW: usize = 8;
/// The same where a text meets an object that stays as it is.
const TEXTS_FOR_AN_OBJECT: usize = 3;

impl Explorer<'_> {
    /// The next operation, and the object that it is to be called on.
    pub(super) fn next_call(&mut self) -> Option<(OpId, Option<u32>)> {
        let world = self.world;
        if let Some(op) = self.focused_op() {
            return Some((op, Some(self.focus.object)));
        }
        if let Some(op) = self.end_of_an_object() {
            return Some((op, None));
        }
        if let Some(aim) = self.aim {
            return Some((self.at_or_near(aim), None));
        }
        if world.settings.strategy == Strategy::Uniform {
            return Some((*self.random.pick(&world.routes.ordinary)?, None));
        }
        if self.sizes == Sizes::Any
            && self.random.one_in(SIZED_EVERY)
            && let Some(op) = self.random.pick(&world.routes.sized)
            && !self.barred.contains(op)
        {
            return Some((*op, None));
        }
        if let Some((op, times)) = self.course.again.take() {
            self.course.again = Some((op, times - 1)).filter(|(_, times)| *times > 0);
            return Some((op, None));
        }
        let (op, on) = self.drawn_call()?;
        self.course.again = Some((op, texts_wanted(world, op))).filter(|(_, times)| *times > 0);
        Some((op, on))
    }

    /// The operation that an epoch is about, and now and then one that changes its objects.
    fn at_or_near(&mut self, aim: OpId) -> OpId {
        let users = first_object(self.world, aim).map(|ty| self.world.routes.users(ty));
        let aside = users.filter(|_| self.random.one_in(ASIDE_EVERY));
        aside.and_then(|users| self.random.pick(users).copied()).unwrap_or(aim)
    }

    /// The next operation of the stretch, or one that was tried least.
    fn drawn_call(&mut self) -> Option<(OpId, Option<u32>)> {
        if self.course.left == 0 {
            self.set_out();
        }
        self.course.left -= 1;
        if self.course.ops.is_empty() || self.random.one_in(ASTRAY_EVERY) {
            return Some((self.least_tried()?, None));
        }
        self.course.stale = self.course.stale.saturating_sub(1);
        let op = *self.random.pick(&self.course.ops)?;
        Some((op, self.hero()))
    }

    /// Begins another stretch, once it is known what the last one brought.
    fn set_out(&mut self) {
        self.settle_coverage();
        self.course.ops.clear();
        self.course.left = 4 << self.random.below(5);
        if self.is_survey_due() {
            return;
        }
        let course = &mut self.course;
        if course.stale == 0 {
            course.all.fill(&self.harvest.experience().merits, &self.world.routes.ordinary);
            course.stale = REFILL_AFTER;
        }
        let drawn = course.all.draw(&self.world.routes.ordinary, &mut self.random);
        let of_any_type =
            if self.random.one_in(ANY_TYPE_EVERY) { self.of_any_type() } else { None };
        let Some(first) = self.least_twisted(&self.world.routes.ordinary).or(of_any_type).or(drawn)
        else {
            return;
        };
        let course = &mut self.course;
        course.ops.push(first);
        course.cast = first_object(self.world, first);
        course.hero = None;
        self.enlist();
    }

    /// An operation that takes an object of a type which has as good a chance as any other.
    fn of_any_type(&mut self) -> Option<OpId> {
        let types = Some(self.world.types.len()).filter(|types| *types > 0)?;
        let ty = TypeId(u32::try_from(self.random.below(types)).ok()?);
        self.random.pick(self.world.routes.users(ty)).copied()
    }

    /// Whether to call what was tried least: often while much was hardly tried.
    fn is_survey_due(&mut self) -> bool {
        let op = self.random.pick(&self.world.routes.ordinary);
        let hardly_tried = op.is_some_and(|op| self.tried[op.0 as usize] < HARDLY_TRIED);
        self.random.one_in(if hardly_tried { 2 } else { SURVEY_EVERY })
    }

    /// Draws the other operations of a stretch by their merits, mostly such as can meet the first.
    fn enlist(&mut self) {
        let (world, course) = (self.world, &mut self.course);
        let users = course.cast.map_or(&[][..], |ty| world.routes.users(ty));
        course.users.fill(&self.harvest.experience().merits, users);
        for _ in 0..self.random.below(MOST_OPS) {
            let op = if users.is_empty() || self.random.one_in(STRANGERS_EVERY) {
                course.all.draw(&world.routes.ordinary, &mut self.random)
            } else {
                course.users.draw(users, &mut self.random)
            };
            course.ops.extend(op);
        }
        course.ops.retain(|op| !self.barred.contains(op));
        course.has_hero = self.random.one_in(2);
    }

    /// The object that the stretch is about, another one when it is gone.
    fn hero(&mut self) -> Option<u32> {
        let ty = self.course.cast.filter(|_| self.course.has_hero)?;
        let is_there = |object: &u32| self.machine.pool.get(*object).fate == Fate::Live;
        if !self.course.hero.as_ref().is_some_and(is_there) {
            self.course.hero = self.shelves.pick(ty, &mut self.random);
        }
        self.course.hero
    }

    /// What was covered for the first time is to the merit of all operations of the stretch.
    pub(super) fn settle_coverage(&mut self) {
        // All counters are looked at: not after every stretch.
        if !self.random.one_in(COVERAGE_EVERY) {
            return;
        }
        let experience = self.harvest.experience();
        if experience.code.news() > 0 {
            for op in &self.course.ops {
                experience.merits.reward(*op, FOR_COVERAGE);
            }
        }
    }

    /// The least tried of some that stand together.
    fn least_tried(&mut self) -> Option<OpId> {
        let ordinary = &self.world.routes.ordinary;
        let start = self.random.below(ordinary.len());
        let some = ordinary.iter().cycle().skip(start).take(ordinary.len().min(SURVEYED));
        some.min_by_key(|op| self.tried[op.0 as usize]).copied()
    }

    /// An operation that takes the object in focus, while there is one.
    fn focused_op(&mut self) -> Option<OpId> {
        let Focus { object, calls } = self.focus;
        self.focus.calls = calls.checked_sub(1)?;
        let entry = self.machine.pool.get(object);
        if entry.fate != Fate::Live {
            return None;
        }
        let world = self.world;
        self.random.pick(world.routes.users(entry.ty)).copied()
    }
}

impl Urn {
    fn fill(&mut self, merits: &Merits, ops: &[OpId]) {
        self.sums.clear();
        let mut sum = 0;
        for op in ops {
            sum += merits.weight(*op);
            self.sums.push(sum);
        }
    }

    /// One of the operations that it was filled with.
    fn draw(&self, ops: &[OpId], random: &mut Random) -> Option<OpId> {
        let sum = usize::try_from(*self.sums.last()?).ok()?;
        let drawn = random.below(sum) as u64;
        ops.get(self.sums.partition_point(|sum| *sum <= drawn)).copied()
    }
}

/// How many texts more an operation is to be given.
fn texts_wanted(world: &World, op: OpId) -> usize {
    let params = &world.op(op).params;
    let is_text = |param: &ParamEntry| match param {
        ParamEntry::Plain { key, .. } => is_text(*key),
        ParamEntry::Object { .. } => false,
    };
    let stays = |param: &ParamEntry| match param {
        ParamEntry::Plain { .. } => true,
        ParamEntry::Object { mode, .. } => *mode == Mode::Ref,
    };
    match (params.iter().any(is_text), params.iter().all(stays)) {
        (true, true) if first_object(world, op).is_none() => TEXTS_IN_A_ROW,
        (true, true) => TEXTS_FOR_AN_OBJECT,
        _ => 0,
    }
}

/// Whether values of a type are texts, perhaps as bytes.
fn is_text(key: PlainEntry) -> bool {
    const BYTES: PlainEntry = PlainEntry::List(&PlainEntry::Integer(IntegerType::U8));
    key == PlainEntry::Text || key == BYTES
}

/// The type of the first object that an operation takes.
fn first_object(world: &World, op: OpId) -> Option<TypeId> {
    world.op(op).params.iter().find_map(|param| match param {
        ParamEntry::Object { ty, .. } => Some(*ty),
        ParamEntry::Plain { .. } => None,
    })
}
