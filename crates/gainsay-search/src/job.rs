//! The search for one goal: stored objects that are there already, then objects that recorded
//! transitions may bring there, then combinations of objects that were never looked at together.

use std::{mem, rc::Rc};

use gainsay_store::StoreError;
use gainsay_wire::{Sequence, Truth};

use crate::{
    Choice, Depth, Effort, Goal, Hit, LastCall, Means, Progress, Reached, SearchContext,
    asks::Inquiry,
    nearest::choose_nearest,
    relations::inquiry::find_questions,
    search::{JobId, Tools},
    transition_chains::{ChainProgress, ChainSearch},
};

/// The search for one goal, in the stage that it has come to.
#[derive(Debug)]
pub(crate) struct Job {
    id: JobId,
    goal: Goal,
    effort: Effort,
    stage: Stage,
    /// Result so far.
    reached: Reached,
}

/// The next thing to do for a goal, with all that it needs.
#[derive(Debug)]
enum Stage {
    /// Look up stored tuples.
    LookUp,
    /// Try calls on stored tuples.
    TryStored(Vec<Sequence>),
    /// Follow recorded transitions.
    FollowTransitions(ChainSearch),
    /// Find relations that nobody evaluated.
    FindRelations,
    /// Wait for relations to be evaluated.
    AwaitRelations,
    /// Look up stored tuples again, with the relations that were evaluated.
    LookUpAgain,
    /// Try calls on tuples of objects that had never met.
    TryNewTuples(Vec<Sequence>),
    /// Nothing is left to do.
    Finish,
    /// The result is there.
    Finished(Rc<Reached>),
}

/// A stage, and whether the job can go on with it at once.
enum Step {
    Continue(Stage),
    Wait(Stage),
}

impl Job {
    pub(crate) fn new(id: JobId, goal: Goal, effort: Effort) -> Job {
        Job { id, goal, effort, stage: Stage::LookUp, reached: Reached::default() }
    }

    /// Goes through stages until one has to wait for workers, or the goal's search is over.
    pub(crate) fn advance_stages(
        &mut self,
        context: &mut SearchContext<'_>,
        tools: &mut Tools,
    ) -> Result<Progress, StoreError> {
        loop {
            let stage = mem::replace(&mut self.stage, Stage::LookUp);
            if let Stage::Finished(reached) = stage {
                self.stage = Stage::Finished(Rc::clone(&reached));
                return Ok(Progress::Finished(reached));
            }
            match self.take_step(context, tools, stage)? {
                Step::Continue(stage) => self.stage = stage,
                Step::Wait(stage) => {
                    self.stage = stage;
                    return Ok(Progress::Pending);
                }
            }
        }
    }

    /// Takes note of the number of relations that became known for this goal.
    pub(crate) fn note_relations(&mut self, learnt: u64) {
        // The store would answer as before.
        self.stage = if learnt > 0 { Stage::LookUpAgain } else { Stage::Finish };
    }

    fn take_step(
        &mut self,
        context: &mut SearchContext<'_>,
        tools: &mut Tools,
        stage: Stage,
    ) -> Result<Step, StoreError> {
        Ok(match stage {
            Stage::LookUp => Step::Continue(self.look_up(context, tools)?),
            Stage::TryStored(calls) => {
                let means = match self.goal.choice {
                    Choice::ShortAndLong => Means::StoredObjects,
                    Choice::NearestToFalse(_) => Means::Nearest,
                };
                match try_calls(context, tools, &self.goal, &calls, means, &mut self.reached) {
                    None => Step::Wait(Stage::TryStored(calls)),
                    Some(_) => Step::Continue(self.choose_after_stored()),
                }
            }
            Stage::FollowTransitions(mut chains) => {
                match chains.advance_walks(context, tools, &self.goal, &mut self.reached)? {
                    ChainProgress::Pending => Step::Wait(Stage::FollowTransitions(chains)),
                    ChainProgress::Finished if self.reached.hits.is_empty() => {
                        Step::Continue(Stage::FindRelations)
                    }
                    ChainProgress::Finished => Step::Continue(Stage::Finish),
                }
            }
            Stage::FindRelations => self.ask_relations(context, tools)?,
            // Answers change the stage: see `note_relations`.
            Stage::AwaitRelations => Step::Wait(Stage::AwaitRelations),
            Stage::LookUpAgain => Step::Continue(self.look_up_again(context, tools)?),
            Stage::TryNewTuples(calls) => {
                let (goal, reached) = (&self.goal, &mut self.reached);
                match try_calls(context, tools, goal, &calls, Means::NewTuple, reached) {
                    None => Step::Wait(Stage::TryNewTuples(calls)),
                    Some(_) => Step::Continue(Stage::Finish),
                }
            }
            Stage::Finish => {
                // Only where all means were granted does a cancellation take any away.
                let all_means = self.effort.depth == Depth::AllMeans;
                self.reached.is_cut_short |= all_means && context.cancel.is_cancelled();
                Step::Continue(Stage::Finished(Rc::new(mem::take(&mut self.reached))))
            }
            Stage::Finished(reached) => Step::Continue(Stage::Finished(reached)),
        })
    }

    /// Calls on stored tuples that satisfy the goal, as many as are tried.
    fn look_up(
        &mut self,
        context: &mut SearchContext<'_>,
        tools: &mut Tools,
    ) -> Result<Stage, StoreError> {
        let limit = match self.goal.choice {
            // Always as many, whatever is tried: efforts differ, and the search is made once.
            Choice::ShortAndLong => context.limits.tuples,
            Choice::NearestToFalse(_) => context.limits.wide_tuples,
        };
        let found = tools.cache.find_tuples(context, &self.goal, limit)?;
        self.reached.is_blind = !found.unsearchable.is_empty();
        self.reached.is_cut_short = found.gave_up;
        let chosen = match &self.goal.choice {
            Choice::ShortAndLong => choose_short_and_long(&found.tuples, self.effort.tuples),
            Choice::NearestToFalse(claim) => {
                choose_nearest(context, tools, claim, &found.tuples, self.effort.tuples)?
            }
        };
        let calls = chosen.into_iter().map(|tuple| tuple.call(self.goal.op)).collect();
        Ok(Stage::TryStored(calls))
    }

    /// Further means are slow and rarely needed where stored objects are enough.
    fn choose_after_stored(&self) -> Stage {
        if self.reached.hits.is_empty() && self.effort.depth == Depth::AllMeans {
            Stage::FollowTransitions(ChainSearch::new(&self.goal))
        } else {
            Stage::Finish
        }
    }

    fn ask_relations(
        &self,
        context: &mut SearchContext<'_>,
        tools: &mut Tools,
    ) -> Result<Step, StoreError> {
        let questions = find_questions(context, &mut tools.cache, &self.goal)?;
        if questions.is_empty() {
            return Ok(Step::Continue(Stage::Finish));
        }
        tools.queue.ask_relations(Inquiry { job: self.id, questions });
        Ok(Step::Wait(Stage::AwaitRelations))
    }

    fn look_up_again(
        &self,
        context: &mut SearchContext<'_>,
        tools: &mut Tools,
    ) -> Result<Stage, StoreError> {
        let (predicate, limit) = (self.goal.to_predicate(), context.limits.tuples);
        let found = tools.cache.find_tuples_anew(context, &self.goal, &predicate, limit)?;
        let calls = found.tuples.iter().map(|tuple| tuple.call(self.goal.op)).collect();
        Ok(Stage::TryNewTuples(calls))
    }
}

/// Tries sequences that end in the call of a goal; those before which the goal really held are hits:
/// what the store knows of plain arguments and of states after a transition is a guess. `None`
/// if some have to be run first; they are asked for.
pub(crate) fn try_calls(
    context: &SearchContext<'_>,
    tools: &mut Tools,
    goal: &Goal,
    sequences: &[Sequence],
    means: Means,
    reached: &mut Reached,
) -> Option<Vec<LastCall>> {
    // After a cancellation nothing is run any more, and what is known has to do.
    let is_open = tools.queue.ask_calls(&tools.log, sequences);
    if is_open && !context.cancel.is_cancelled() {
        return None;
    }
    let mut last_calls = Vec::new();
    for sequence in sequences {
        let last = tools.log.find_last_call(sequence).unwrap_or(LastCall::Missed);
        if let Some(call) = last.if_made() {
            let made = &tools.log.find_call(call).observation;
            let clauses = goal.clauses.iter();
            let truths =
                clauses.map(|clause| tools.predicates.evaluate(context.manifest, clause, made));
            let unmet = truths.filter(|truth| *truth != Truth::True).count() as u64;
            reached.made += 1;
            reached.unmet = Some(reached.unmet.map_or(unmet, |least| least.min(unmet)));
            if unmet == 0 {
                reached.hits.push(Hit { call, means });
            }
        }
        last_calls.push(last);
    }
    Some(last_calls)
}

/// At most `most` of the tuples: one half from the beginning, where recipes are shortest, the other
/// spread over the rest up to the end. The shortest alone would all be young objects, to which
/// little has happened.
fn choose_short_and_long<T>(found: &[T], most: usize) -> Vec<&T> {
    let (first, rest) = found.split_at(found.len().min(most.div_ceil(2)));
    let wanted = rest.len().min(most - most.div_ceil(2));
    let spread = (1..=wanted).map(move |nth| &rest[nth * rest.len() / wanted - 1]);
    first.iter().chain(spread).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_choice_has_the_first_and_some_of_the_others_up_to_the_last() {
        let check = |all: u32, most, expected: &[u32]| {
            let found: Vec<u32> = (1..=all).collect();
            let chosen: Vec<u32> =
                choose_short_and_long(&found, most).into_iter().copied().collect();
            assert_eq!(chosen, expected, "{most} of {all}");
        };
        check(45, 6, &[1, 2, 3, 17, 31, 45]);
        check(7, 6, &[1, 2, 3, 4, 5, 7]);
        check(5, 6, &[1, 2, 3, 4, 5]);
        check(9, 1, &[1]);
        check(0, 6, &[]);
        check(3, 0, &[]);
    }
}
