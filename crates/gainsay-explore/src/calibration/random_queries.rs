//! Makes objects again in fresh processes and compares what is seen of them: a query that says
//! something else there (an address, a time, an order by random hashes) is no view.
//!
//! Several recipes are made one after another in one process, and the other way round in
//! another: so each is made with another history, which is what happens in a campaign.

use std::collections::{BTreeMap, BTreeSet};

use gainsay_model::skip::{Demotion, DemotionReason};
use gainsay_wire::{
    Arg, KeptCall, Manifest, ManifestOp, ManifestParam, Mode, ObjRef, OpId, Root, RunReport,
    RunTask, Sequence, Step, StepReport, Term, TypeId, When,
};
use gainsay_workers::{Answer, Cancel, Runner, WorkerError};

/// Recipes that are made again for each type.
// All numbers here bound the time: two runs for each group of recipes, in processes of their own.
const EACH: usize = 6;
/// Recipes in all.
const MOST: usize = 96;
/// Recipes made one after another in one process.
const TOGETHER: usize = 8;
/// Objects of each type that are given more calls than their recipes have, and how many.
const GROWN: usize = 2;
const GROWTH: usize = 24;
/// Longer recipes say no more.
const LONGEST: usize = 40;

/// The queries that say something else when their objects are made again.
pub(crate) fn random_queries(
    runner: &mut dyn Runner,
    kept: &[KeptCall],
    cancel: &Cancel,
) -> Result<Vec<Demotion>, WorkerError> {
    let grown = grow_objects(runner.manifest(), kept);
    let mut recipes: Vec<&Sequence> = grown.iter().collect();
    recipes.extend(longest_recipes(kept));
    let chunks: Vec<&[&Sequence]> = recipes.chunks(TOGETHER).collect();
    let there = chunks.iter().map(|chunk| join_recipes(chunk.iter().copied()));
    // Backwards: each object gets another history before it, in the same process.
    let back = chunks.iter().map(|chunk| join_recipes(chunk.iter().rev().copied()));
    let (there, back): (Vec<_>, Vec<_>) = (there.collect(), back.collect());
    let tasks: Vec<RunTask> =
        there.iter().chain(&back).map(|(sequence, _)| task_with_views(sequence)).collect();
    // Fresh processes: addresses and random keys differ between them.
    let answers = runner.run_fresh(&tasks, cancel)?;
    let (ones, others) = answers.split_at(there.len());
    let manifest = runner.manifest();
    let mut seen = Differences { manifest, found: BTreeMap::new(), steady: BTreeMap::new() };
    for (at, chunk) in chunks.iter().enumerate() {
        let (Answer::Done(one), Answer::Done(other)) = (&ones[at], &others[at]) else { continue };
        for (i, recipe) in chunk.iter().enumerate() {
            let first = there[at].1[i];
            let second = back[at].1[chunk.len() - 1 - i];
            let runs =
                [steps_of_recipe(one, first, recipe), steps_of_recipe(other, second, recipe)];
            seen.compare_runs(recipe, runs);
        }
    }
    Ok(seen.into_demotions())
}

fn task_with_views(sequence: &Sequence) -> RunTask {
    RunTask { sequence: sequence.clone(), views: true, laws: false, asks: Vec::new() }
}

/// The longest recipes of each type, in a fixed order.
fn longest_recipes(kept: &[KeptCall]) -> Vec<&Sequence> {
    let mut by_type: BTreeMap<TypeId, Vec<&Sequence>> = BTreeMap::new();
    for kept in kept {
        for ty in types_of(kept) {
            by_type.entry(ty).or_default().push(&kept.recipe);
        }
    }
    for recipes in by_type.values_mut() {
        recipes.retain(|recipe| recipe.steps.len() <= LONGEST);
        // Long recipes lead to objects with more in them, in which an order shows.
        recipes.sort_by_key(|recipe| std::cmp::Reverse(recipe.steps.len()));
        recipes.dedup();
    }
    let mut all: Vec<(TypeId, &Sequence)> = Vec::new();
    // In turns, so that the limit leaves something of each type.
    for turn in 0..EACH {
        let next = by_type.iter().filter_map(|(ty, recipes)| Some((*ty, *recipes.get(turn)?)));
        all.extend(next);
    }
    let mut known = BTreeSet::new();
    all.retain(|(_, recipe)| known.insert(*recipe));
    all.truncate(MOST);
    // Objects of one type follow each other: a count of those before them shows.
    all.sort_by_key(|(ty, _)| *ty);
    all.into_iter().map(|(_, recipe)| recipe).collect()
}

/// For each type some of its objects with many calls on them: what depends on a few random bits
/// shows only when there is enough to see.
fn grow_objects(manifest: &Manifest, kept: &[KeptCall]) -> Vec<Sequence> {
    let mut calls: BTreeMap<TypeId, Vec<(&Step, usize)>> = BTreeMap::new();
    let mut makers: BTreeMap<TypeId, Vec<(&Sequence, ObjRef)>> = BTreeMap::new();
    for KeptCall { observation, recipe } in kept {
        let (Some(last), Some(number)) = (recipe.steps.last(), recipe.steps.len().checked_sub(1))
        else {
            continue;
        };
        let op = &manifest.ops[last.op.0 as usize];
        if let Some((at, ty)) = only_object(op) {
            calls.entry(ty).or_default().push((last, at));
        }
        for (out, (ty, _)) in (0..).zip(&observation.made) {
            let step = u32::try_from(number).unwrap_or(u32::MAX);
            makers.entry(*ty).or_default().push((recipe, ObjRef { step, out }));
        }
    }
    let one = |(ty, made): (&TypeId, &Vec<(&Sequence, ObjRef)>)| -> Vec<Sequence> {
        let calls = calls.get(ty).map_or(&[][..], Vec::as_slice);
        made.iter().take(GROWN).map(|(recipe, object)| with_calls(recipe, *object, calls)).collect()
    };
    makers.iter().flat_map(one).collect()
}

/// The recipe, then calls on one of its objects.
fn with_calls(recipe: &Sequence, object: ObjRef, calls: &[(&Step, usize)]) -> Sequence {
    let mut grown = recipe.clone();
    for (step, at) in calls.iter().take(GROWTH) {
        let mut step = (*step).clone();
        step.args[*at] = Arg::Object(object);
        grown.steps.push(step);
    }
    grown
}

/// The only object that an operation takes, if it changes it.
fn only_object(op: &ManifestOp) -> Option<(usize, TypeId)> {
    let mut objects = op.params.iter().enumerate().filter_map(|(at, param)| match param {
        ManifestParam::Object(ty, mode) => Some((at, *ty, *mode)),
        ManifestParam::Plain(_) => None,
    });
    match (objects.next(), objects.next()) {
        (Some((at, ty, Mode::Mut)), None) if op.makes.is_empty() => Some((at, ty)),
        _ => None,
    }
}

fn types_of(kept: &KeptCall) -> BTreeSet<TypeId> {
    let operands = kept.observation.objects.iter().map(|object| object.ty);
    operands.chain(kept.observation.made.iter().map(|(ty, _)| *ty)).collect()
}

/// Recipes one after another, with where each begins.
fn join_recipes<'s>(recipes: impl Iterator<Item = &'s Sequence>) -> (Sequence, Vec<usize>) {
    let mut all = Sequence::default();
    let begins = recipes.map(|recipe| all.append(recipe) as usize).collect();
    (all, begins)
}

fn steps_of_recipe<'r>(report: &'r RunReport, begin: usize, recipe: &Sequence) -> &'r [StepReport] {
    let end = (begin + recipe.steps.len()).min(report.steps.len());
    report.steps.get(begin..end).unwrap_or_default()
}

/// Differences between two ways to make the same objects.
struct Differences<'m> {
    manifest: &'m Manifest,
    /// By query, the operations after which it differed first.
    found: BTreeMap<(TypeId, String), BTreeSet<(OpId, Begin)>>,
    /// By query, the operations that changed it, and both times to the same.
    steady: BTreeMap<(TypeId, String), BTreeSet<OpId>>,
}

/// The part of an operation in the object that differs.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Begin {
    Made,
    Changed,
}

impl Differences<'_> {
    fn compare_runs(&mut self, recipe: &Sequence, runs: [&[StepReport]; 2]) {
        let [ones, others] = runs;
        let mut known = BTreeSet::new();
        for (number, (one, other)) in (0..).zip(ones.iter().zip(others)) {
            let (Some(a), Some(b)) = (&one.observation, &other.observation) else { return };
            if a.op != b.op || one.outcome != other.outcome {
                // The operation itself is random: what comes of it says nothing about queries.
                return;
            }
            let vocabulary = self.manifest.vocabulary(a.op);
            let values = vocabulary.terms().iter().zip(a.values.iter().zip(&b.values));
            for (term, (is, _)) in values.clone().filter(|(_, (a, b))| a == b) {
                let before = vocabulary.position(&term.at(When::Before));
                if !term.is_before() && before.is_some_and(|at| a.values[at] != *is) {
                    self.note_steady(a.op, term);
                }
            }
            for (term, _) in values.filter(|(_, (a, b))| a != b) {
                let Some(object) = object_of_term(&recipe.steps[number as usize], number, term)
                else {
                    continue;
                };
                // Only where it begins: from then on the object is another.
                if known.insert((object, term.query.clone())) {
                    self.note_difference(a.op, term);
                }
            }
        }
    }

    fn note_difference(&mut self, op: OpId, term: &Term) {
        let entry = &self.manifest.ops[op.0 as usize];
        let (ty, begin) = match term.root {
            Root::Result => return,
            Root::Made(at) => (entry.makes.get(at as usize).copied(), Begin::Made),
            // Before the call nothing has been done that could be random.
            Root::Operand(at) if term.is_before() => (operand_type(entry, at), Begin::Made),
            Root::Operand(at) => (operand_type(entry, at), Begin::Changed),
        };
        if let (Some(ty), Some(query)) = (ty, &term.query) {
            self.found.entry((ty, query.clone())).or_default().insert((op, begin));
        }
    }

    fn note_steady(&mut self, op: OpId, term: &Term) {
        let Root::Operand(at) = term.root else { return };
        let ty = operand_type(&self.manifest.ops[op.0 as usize], at);
        if let (Some(ty), Some(query)) = (ty, &term.query) {
            self.steady.entry((ty, query.clone())).or_default().insert(op);
        }
    }

    /// A query that differs after one command only, while other commands change it and it stays
    /// the same, is not to blame: the command is random.
    fn into_demotions(self) -> Vec<Demotion> {
        let is_query = |key: &(TypeId, String), ops: &BTreeSet<(OpId, Begin)>| {
            let other = |op: &OpId| ops.iter().all(|(blamed, _)| blamed != op);
            let steady = self.steady.get(key).is_some_and(|steady| steady.iter().any(other));
            // A difference in an object that was just made cannot come from a command on it.
            ops.len() > 1 || !steady || ops.iter().any(|(_, begin)| *begin == Begin::Made)
        };
        let found = self.found.iter().filter(|(key, ops)| is_query(key, ops));
        found
            .map(|(key, ops)| (key.clone(), ops))
            .map(|((ty, query), _)| Demotion { ty, query, reason: DemotionReason::Random })
            .collect()
    }
}

/// The object of which a term speaks.
fn object_of_term(step: &Step, number: u32, term: &Term) -> Option<ObjRef> {
    match term.root {
        Root::Result => None,
        Root::Made(out) => Some(ObjRef { step: number, out }),
        Root::Operand(at) => match step.args.get(at as usize)? {
            Arg::Object(object) => Some(*object),
            Arg::Plain(_) => None,
        },
    }
}

fn operand_type(op: &ManifestOp, at: u32) -> Option<TypeId> {
    match op.params.get(at as usize)? {
        ManifestParam::Object(ty, _) => Some(*ty),
        ManifestParam::Plain(_) => None,
    }
}
