//! Objects that are nearly at a goal are brought there: clauses are given up, and recorded
//! transitions that may make them true follow each other. After each of them all other clauses must
//! still hold.

use std::{
    collections::{BTreeSet, VecDeque},
    mem,
};

use gainsay_store::{Bound, StoreError, TransitionUse, Tuple};
use gainsay_wire::{Arg, ObjRef, OpId, Sequence, Step, Truth};

use crate::{Goal, LastCall, Means, Reached, SearchContext, job::try_calls, search::Tools};

/// Pairs of clauses that are given up together. Few goals have more than four clauses, which make
/// six pairs; of goals with many a few pairs have to do, since each costs as much as a search.
const MOST_PAIRS: usize = 6;

/// State of the search by transitions.
pub(crate) enum ChainProgress {
    /// Calls have to be made first; they are asked for.
    Pending,
    /// A call reached the goal, or nothing is left to try.
    Finished,
}

/// The search for a goal by transitions: walks from places where all but some clauses hold.
#[derive(Debug)]
pub(crate) struct ChainSearch {
    /// Sets of clauses to give up, one walk for each: single clauses, then pairs.
    left: VecDeque<BTreeSet<usize>>,
    /// True if there was a place where all but one clause held: pairs are not given up then.
    was_near: bool,
    /// The walk that waits for calls.
    walk: Option<Walk>,
}

impl ChainSearch {
    pub(crate) fn new(goal: &Goal) -> ChainSearch {
        let clauses = goal.clauses.len();
        let singles = (0..clauses).map(|at| BTreeSet::from([at]));
        let pairs =
            (0..clauses).flat_map(|a| (a + 1..clauses).map(move |b| BTreeSet::from([a, b])));
        let left = singles.chain(pairs.take(MOST_PAIRS)).collect();
        ChainSearch { left, was_near: false, walk: None }
    }

    /// Walks until a call reaches the goal, or calls have to be made first.
    pub(crate) fn advance_walks(
        &mut self,
        context: &mut SearchContext<'_>,
        tools: &mut Tools,
        goal: &Goal,
        reached: &mut Reached,
    ) -> Result<ChainProgress, StoreError> {
        loop {
            if let Some(walk) = &mut self.walk {
                let progress = walk.advance_links(context, tools, goal, reached)?;
                if matches!(progress, ChainProgress::Pending) || !reached.hits.is_empty() {
                    return Ok(progress);
                }
                self.walk = None;
            }
            let Some(dropped) = self.left.pop_front() else { return Ok(ChainProgress::Finished) };
            let is_single = dropped.len() == 1;
            if self.was_near && !is_single {
                return Ok(ChainProgress::Finished);
            }
            self.walk = Walk::begin_walk(context, tools, goal, dropped)?;
            self.was_near |= is_single && self.walk.is_some();
        }
    }
}

/// A walk from tuples on which all but the dropped clauses hold, link by link.
#[derive(Debug)]
struct Walk {
    dropped: BTreeSet<usize>,
    /// Ways so far, the most promising first, each with the clauses that it lacks.
    ways: Vec<UnmetWay>,
    // Transitions in another order, and those for two clauses at once, lead to the same calls.
    /// Calls that were tried on this walk.
    seen: BTreeSet<Sequence>,
    /// Ways one link longer, whose calls are being tried.
    under_way: Vec<Way>,
    /// Links of the ways that are under way.
    length: usize,
}

/// A way that does not reach the goal yet.
#[derive(Debug)]
struct UnmetWay {
    way: Way,
    /// Clauses that do not hold at its end.
    unmet: Vec<usize>,
}

impl Walk {
    /// The walk from stored tuples; `None` where there are none.
    fn begin_walk(
        context: &mut SearchContext<'_>,
        tools: &mut Tools,
        goal: &Goal,
        dropped: BTreeSet<usize>,
    ) -> Result<Option<Walk>, StoreError> {
        let (near, limit) = (goal.without_clauses(&dropped), context.limits.tuples);
        let found = tools.cache.find_tuples(context, &near, limit)?;
        if found.tuples.is_empty() {
            return Ok(None);
        }
        let unmet: Vec<usize> = dropped.iter().copied().collect();
        let begin_way = |tuple| UnmetWay { way: Way::from_tuple(tuple), unmet: unmet.clone() };
        let ways = found.tuples.iter().map(begin_way).collect();
        let (seen, under_way) = (BTreeSet::new(), Vec::new());
        Ok(Some(Walk { dropped, ways, seen, under_way, length: 0 }))
    }

    /// Adds links until a call reaches the goal, the chain is as long as it may be, or calls have
    /// to be made first.
    fn advance_links(
        &mut self,
        context: &mut SearchContext<'_>,
        tools: &mut Tools,
        goal: &Goal,
        reached: &mut Reached,
    ) -> Result<ChainProgress, StoreError> {
        loop {
            if self.under_way.is_empty() {
                if self.length == context.limits.chain {
                    return Ok(ChainProgress::Finished);
                }
                self.add_link(context, tools, goal)?;
                if self.under_way.is_empty() || context.cancel.is_cancelled() {
                    return Ok(ChainProgress::Finished);
                }
            }
            let calls: Vec<Sequence> =
                self.under_way.iter().map(|way| way.to_call(goal.op)).collect();
            let means = if self.length == 1 { Means::Transition } else { Means::Chain };
            let Some(last_calls) = try_calls(context, tools, goal, &calls, means, reached) else {
                return Ok(ChainProgress::Pending);
            };
            if !reached.hits.is_empty() {
                return Ok(ChainProgress::Finished);
            }
            self.keep_nearest(context, tools, goal, &last_calls);
        }
    }

    /// Each way with each transition that may make one of its unmet clauses true: all transitions on
    /// the first way, then on the next.
    fn add_link(
        &mut self,
        context: &SearchContext<'_>,
        tools: &mut Tools,
        goal: &Goal,
    ) -> Result<(), StoreError> {
        self.length += 1;
        let mut longer = Vec::new();
        for UnmetWay { way, unmet } in &self.ways {
            // The first ways are the most promising, and no more calls than these are made.
            if longer.len() >= context.limits.tuples {
                break;
            }
            for clause in unmet {
                let clause = &goal.clauses[*clause];
                let uses = tools.cache.find_transitions(context, goal.op, clause)?;
                longer.extend(uses.iter().filter_map(|found| way.with_transition(found)));
            }
        }
        longer.retain(|way| self.seen.insert(way.to_call(goal.op)));
        longer.truncate(context.limits.tuples);
        self.under_way = longer;
        Ok(())
    }

    /// Keeps the ways on which all clauses but the dropped ones hold, the nearest to the goal first.
    fn keep_nearest(
        &mut self,
        context: &SearchContext<'_>,
        tools: &Tools,
        goal: &Goal,
        last_calls: &[LastCall],
    ) {
        let (manifest, predicates) = (context.manifest, &tools.predicates);
        let mut left = Vec::new();
        for (way, last) in mem::take(&mut self.under_way).into_iter().zip(last_calls) {
            let Some(call) = last.if_made() else { continue };
            let call = &tools.log.find_call(call).observation;
            let holds =
                |at: &usize| predicates.evaluate(manifest, &goal.clauses[*at], call) == Truth::True;
            let unmet: Vec<usize> = (0..goal.clauses.len()).filter(|at| !holds(at)).collect();
            // A transition that breaks another clause would have to be followed by one that mends
            // it: chains would lead anywhere.
            if unmet.iter().all(|at| self.dropped.contains(at)) {
                let lack = |at: &usize| predicates.measure_lack(manifest, &goal.clauses[*at], call);
                let lacks = unmet.iter().map(lack).sum::<u64>();
                left.push((unmet.len(), lacks, UnmetWay { way, unmet }));
            }
        }
        // Shorter ways are cheaper to run, and easier to read if they refute something.
        left.sort_by_key(|(count, lacks, way)| (*count, *lacks, way.way.sequence.steps.len()));
        left.truncate(context.limits.beam);
        self.ways = left.into_iter().map(|(_, _, way)| way).collect();
    }
}

/// Objects on their way to a goal, and the operands that they are.
#[derive(Clone, Debug)]
struct Way {
    sequence: Sequence,
    args: Vec<Arg>,
}

impl Way {
    fn from_tuple(tuple: &Tuple) -> Way {
        let (sequence, args) = tuple.build();
        Way { sequence, args }
    }

    /// The way with a transition at its end; `None` where it has no operand for it.
    fn with_transition(&self, found: &TransitionUse) -> Option<Way> {
        let Way { mut sequence, args } = self.clone();
        let bind_operand = |bound: &Bound| match bound {
            Bound::Variable(operand) => args.get(*operand as usize).cloned(),
            Bound::Plain(value) => Some(Arg::Plain(value.clone())),
            // An object that takes part beside the operands is made anew: the operands stay as they are.
            Bound::Object { recipe, at } => {
                let shift = sequence.append(recipe);
                Some(Arg::Object(ObjRef { step: at.step + shift, out: at.out }))
            }
        };
        let bound: Vec<Arg> = found.args.iter().map(bind_operand).collect::<Option<_>>()?;
        sequence.steps.push(Step::new(found.op, bound));
        Some(Way { sequence, args })
    }

    /// The steps to the end of the way, and then the call.
    fn to_call(&self, op: OpId) -> Sequence {
        let mut sequence = self.sequence.clone();
        sequence.steps.push(Step::new(op, self.args.clone()));
        sequence
    }
}
