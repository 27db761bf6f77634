//! The linear log of an epoch or run, and recipes: the slice of the log that leads to a call.

use std::collections::{BTreeMap, BTreeSet};

use gainsay_wire::{Arg, ObjRef, Sequence, Step};

use crate::{pool::Pool, world::World};

/// All steps so far.
#[derive(Default)]
pub(crate) struct Log {
    entries: Vec<Entry>,
    /// Objects of the pool that were operands, step after step.
    operands: Vec<u32>,
    /// What was made, step after step: which result, which object of the pool.
    made: Vec<(u32, u32)>,
}

struct Entry {
    step: Step,
    /// Where its operands end.
    operands: usize,
    /// Where what it made ends.
    made: usize,
}

/// Longer recipes are of no use.
const MOST_STEPS: usize = 200;

impl Log {
    /// The number of the next step.
    pub(crate) fn next(&self) -> u32 {
        u32::try_from(self.entries.len()).expect("epochs are short")
    }

    pub(crate) fn push(&mut self, step: Step, operands: impl IntoIterator<Item = u32>) {
        self.operands.extend(operands);
        let (operands, made) = (self.operands.len(), self.made.len());
        self.entries.push(Entry { step, operands, made });
    }

    /// Notes that the last step made an object.
    pub(crate) fn made(&mut self, out: u32, object: u32) {
        self.made.push((out, object));
        if let Some(last) = self.entries.last_mut() {
            last.made = self.made.len();
        }
    }

    fn operands(&self, step: u32) -> &[u32] {
        let at = step as usize;
        let start = at.checked_sub(1).map_or(0, |before| self.entries[before].operands);
        &self.operands[start..self.entries[at].operands]
    }

    pub(crate) fn step(&self, step: u32) -> &Step {
        &self.entries[step as usize].step
    }

    /// The arguments of a step, to be borrowed for a moment.
    pub(crate) fn args_mut(&mut self, step: u32) -> &mut Vec<Arg> {
        &mut self.entries[step as usize].step.args
    }

    /// The object that a reference names.
    pub(crate) fn object(&self, at: ObjRef) -> Option<u32> {
        let end = self.entries.get(at.step as usize)?.made;
        let before = (at.step as usize).checked_sub(1);
        let start = before.map_or(0, |before| self.entries[before].made);
        self.made[start..end].iter().find(|(out, _)| *out == at.out).map(|(_, object)| *object)
    }

    /// The steps that lead to step `last`, which comes last; `None` when they are too many.
    pub(crate) fn recipe(&self, world: &World, pool: &Pool, last: u32) -> Option<Sequence> {
        let mut slice = Slice::new(self, world, pool);
        slice.include(vec![last])?;
        let numbers: BTreeMap<u32, u32> = slice.steps.iter().copied().zip(0..).collect();
        let renumber = |step: u32| numbers.get(&step).copied();
        let steps = slice.steps.iter().map(|step| self.step(*step).renumber_with(renumber));
        Some(Sequence { steps: steps.collect::<Option<_>>()? })
    }

    /// How many steps it takes to make an object as it is now; one more than allowed at most.
    pub(crate) fn weigh(&self, world: &World, pool: &Pool, object: u32) -> u32 {
        let mut slice = Slice::new(self, world, pool);
        let steps = slice.history(object, u32::MAX);
        slice.include(steps);
        u32::try_from(slice.steps.len()).unwrap_or(u32::MAX)
    }
}

/// A backward slice under construction.
struct Slice<'a> {
    log: &'a Log,
    world: &'a World,
    pool: &'a Pool,
    steps: BTreeSet<u32>,
    /// For each object the step before which its history is included already.
    bounds: BTreeMap<u32, u32>,
}

impl<'a> Slice<'a> {
    fn new(log: &'a Log, world: &'a World, pool: &'a Pool) -> Slice<'a> {
        Slice { log, world, pool, steps: BTreeSet::new(), bounds: BTreeMap::new() }
    }

    /// Adds these steps and all that they need.
    fn include(&mut self, mut work: Vec<u32>) -> Option<()> {
        self.steps.extend(work.iter().copied());
        while let Some(step) = work.pop() {
            for &object in self.log.operands(step) {
                let more = self.history(object, step);
                work.extend(more.into_iter().filter(|step| self.steps.insert(*step)));
            }
            if self.steps.len() > MOST_STEPS {
                return None;
            }
        }
        Some(())
    }

    /// The steps before `bound` that shaped an object, as far as they are not known yet.
    fn history(&mut self, object: u32, bound: u32) -> Vec<u32> {
        let known = self.bounds.get(&object).copied().unwrap_or(0);
        if known >= bound {
            return Vec::new();
        }
        self.bounds.insert(object, bound);
        let entry = self.pool.get(object);
        let mut steps: Vec<u32> =
            entry.shaped_by.iter().copied().filter(|step| *step < bound).collect();
        if self.world.type_plan(entry.ty).sharing {
            for other in self.pool.linked(self.pool.root(object)) {
                let touched = &self.pool.get(other).touched_by;
                steps.extend(touched.iter().copied().filter(|step| *step < bound));
            }
        }
        steps
    }
}
