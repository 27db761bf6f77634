//! Trials: goals of an attack that are tried one after the other.

use std::{collections::VecDeque, rc::Rc};

use gainsay_model::contract::{Verdict, Via};
use gainsay_search::{Effort, Goal, Hit, JobId, Means, Progress, Reached, Search};

use crate::{Desk, RefuteError, round::Round};

/// Goals that are tried one after the other. Trials of an attack do not depend on each other: each
/// goes on while others wait.
#[derive(Debug, Default)]
pub(super) struct Trial {
    left: VecDeque<Attempt>,
    results: Vec<Tried>,
}

/// The search for one goal.
#[derive(Debug)]
pub(super) struct Attempt {
    job: JobId,
    target: Option<Via>,
    /// The search that takes its place if it reaches nothing.
    fallback: Option<JobId>,
    role: Role,
}

/// Role of a goal in an attack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// The attack turns on it: if it was not reached, that is why there is no verdict.
    Decisive,
    /// It adds calls.
    Additional,
}

/// The result of the search for one goal.
#[derive(Debug)]
pub(super) struct Tried {
    pub(super) reached: Rc<Reached>,
    pub(super) role: Role,
    /// The kind of the goal, if it is a target of the operation and not of the contract.
    target: Option<Via>,
}

impl Attempt {
    pub(super) fn new(round: &mut Round, goal: Goal, effort: Effort) -> Attempt {
        let job = round.search.add_goal(goal, effort);
        Attempt { job, target: None, fallback: None, role: Role::Additional }
    }

    /// The same attempt, on which the attack turns.
    pub(super) fn make_decisive(self) -> Attempt {
        Attempt { role: Role::Decisive, ..self }
    }

    /// The same attempt at a target of the operation.
    pub(super) fn at_target(self, via: Via) -> Attempt {
        Attempt { target: Some(via), ..self }
    }

    /// The same attempt; if it reaches nothing, the search for another goal takes its place.
    pub(super) fn or_else(self, round: &mut Round, goal: Goal, effort: Effort) -> Attempt {
        Attempt { fallback: Some(round.search.add_goal(goal, effort)), ..self }
    }
}

impl Trial {
    pub(super) fn of_attempts(attempts: impl IntoIterator<Item = Attempt>) -> Trial {
        Trial { left: attempts.into_iter().collect(), results: Vec::new() }
    }

    /// Goes on until the next search is over; its result, or `None` when workers have to make calls
    /// first or all searches are over.
    pub(super) fn advance_attempts(
        &mut self,
        desk: &mut Desk<'_>,
        round: &mut Round,
    ) -> Result<Option<&Tried>, RefuteError> {
        while let Some(attempt) = self.left.front_mut() {
            let progress = round.search.advance_job(&mut desk.search, attempt.job)?;
            let Progress::Finished(reached) = progress else { return Ok(None) };
            // Only where nothing was reached: the fallback makes as many calls again.
            if reached.hits.is_empty()
                && let Some(fallback) = attempt.fallback.take()
            {
                attempt.job = fallback;
                continue;
            }
            let (role, target) = (attempt.role, attempt.target);
            self.left.pop_front();
            self.results.push(Tried { reached, role, target });
            return Ok(self.results.last());
        }
        Ok(None)
    }

    /// True if all searches are over.
    pub(super) fn is_over(&self) -> bool {
        self.left.is_empty()
    }

    /// Results so far.
    pub(super) fn list_results(&self) -> &[Tried] {
        &self.results
    }
}

impl Tried {
    /// The word for the way to a hit.
    pub(super) fn name_via(&self, hit: &Hit) -> Via {
        match hit.means {
            Means::StoredObjects => self.target.unwrap_or(Via::Objects),
            Means::Nearest => Via::Nearest,
            Means::Transition => Via::Transition,
            Means::Chain => Via::Chain,
            Means::NewTuple => Via::NewTuple,
        }
    }

    /// The refutation by a hit.
    pub(super) fn refute_by(&self, search: &Search, hit: &Hit) -> Verdict {
        let by = search.log().find_call(hit.call).recipe.clone();
        Verdict::Refuted { by, via: self.name_via(hit) }
    }
}
