//! Calls that were made, with their observations. Each sequence is run once, whatever the number of
//! goals that it serves.

use std::collections::{BTreeMap, BTreeSet};

use gainsay_store::{EvidenceStore, StoreError};
use gainsay_wire::{
    Finding, KeptCall, Oracle, Outcome, RunReport, Sequence, StateRecord, StepReport,
};
use gainsay_workers::{Answer, Death};

/// The place of a call in the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct CallIndex(usize);

/// The last call of a sequence, the one that the sequence was run for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LastCall {
    /// It was made in good order: every step before it returned, and no oracle objected.
    Made(CallIndex),
    /// It was not made, or something was wrong on the way or after it.
    Missed,
}

impl LastCall {
    /// The place of the call, if it was made.
    pub fn if_made(self) -> Option<CallIndex> {
        match self {
            LastCall::Made(call) => Some(call),
            LastCall::Missed => None,
        }
    }
}

/// Everything that was seen while sequences ran.
#[derive(Debug, Default)]
pub struct Observed {
    /// States that the calls speak of.
    pub states: Vec<StateRecord>,
    /// Calls that were not tainted, in the order in which they were made.
    pub calls: Vec<KeptCall>,
    /// Objections of oracles, panics included, each with its recipe.
    pub findings: Vec<Finding>,
    /// Workers that died of a sequence.
    pub deaths: Vec<Death>,
    /// Coverage counters that were hit.
    pub covered: BTreeSet<u32>,
}

/// Sequences that were run, and what was seen.
#[derive(Debug, Default)]
pub struct CallLog {
    // Keyed by the whole sequence: goals of several contracts lead to the same calls, and a second run
    // would show nothing new.
    last_calls: BTreeMap<Sequence, LastCall>,
    observed: Observed,
    /// The ways to calls that are among the calls already.
    kept_ways: BTreeSet<Sequence>,
    recorded: Recorded,
    runs: u64,
}

/// Numbers of states and calls that are in the store.
#[derive(Clone, Copy, Debug, Default)]
struct Recorded {
    states: usize,
    calls: usize,
}

impl CallLog {
    /// The call at a place.
    pub fn find_call(&self, at: CallIndex) -> &KeptCall {
        &self.observed.calls[at.0]
    }

    /// The calls that were made, in their order.
    pub fn list_calls(&self) -> &[KeptCall] {
        &self.observed.calls
    }

    /// Everything that was seen, to add to it what was seen beside the search. Calls may be added
    /// and not taken away: places of calls stay good.
    pub fn observed_mut(&mut self) -> &mut Observed {
        &mut self.observed
    }

    /// Sequences that were run.
    pub fn count_runs(&self) -> u64 {
        self.runs
    }

    /// Calls that the store has not seen.
    pub fn count_unrecorded(&self) -> usize {
        self.observed.calls.len() - self.recorded.calls
    }

    /// Stores the calls that the store has not seen: later searches find them.
    pub fn record_calls(&mut self, store: &mut dyn EvidenceStore) -> Result<(), StoreError> {
        let (Recorded { states, calls }, observed) = (self.recorded, &self.observed);
        if calls < observed.calls.len() {
            store.record_calls(&observed.states[states..], &observed.calls[calls..])?;
            let (states, calls) = (observed.states.len(), observed.calls.len());
            self.recorded = Recorded { states, calls };
        }
        Ok(())
    }

    /// Everything that was seen.
    pub fn into_observed(self) -> Observed {
        self.observed
    }

    /// The last call of a sequence; `None` if the sequence was not run yet.
    pub(crate) fn find_last_call(&self, sequence: &Sequence) -> Option<LastCall> {
        self.last_calls.get(sequence).copied()
    }

    /// Takes in the answer to a sequence.
    pub(crate) fn take_answer(&mut self, sequence: Sequence, answer: Answer<RunReport>) {
        let last = match answer {
            Answer::Done(report) => self.take_report(&sequence, report),
            Answer::Died(death) => {
                self.observed.deaths.push(death);
                // Running it again would cost another worker and show the same.
                LastCall::Missed
            }
            // It was not run, so it stays unknown.
            Answer::Cancelled => return,
        };
        self.runs += 1;
        self.last_calls.insert(sequence, last);
    }

    fn take_report(&mut self, sequence: &Sequence, report: RunReport) -> LastCall {
        let is_panic = |finding: &Finding| matches!(finding.oracle, Oracle::Panic(_));
        self.observed.covered.extend(&report.covered);
        let has_objection = !report.findings.iter().all(is_panic);
        for mut finding in report.findings {
            finding.recipe = cut_after_finding(sequence, &finding, &report.steps);
            self.observed.findings.push(finding);
        }
        let all_made = report.steps.len() == sequence.steps.len();
        let mut steps = report.steps;
        let last = steps.pop();
        let all_returned = steps.iter().all(|step| step.outcome.returned());
        let made = last.and_then(|last| last.observation.filter(|_| was_made(&last.outcome)));
        match made {
            // After a panic on the way objects are tainted, and after an objection nothing that is
            // seen can be trusted: such a call is evidence of nothing.
            Some(observation) if all_made && all_returned && !has_objection => {
                self.observed.states.extend(report.states);
                self.keep_way(sequence, steps);
                let at = CallIndex(self.observed.calls.len());
                self.observed.calls.push(KeptCall { observation, recipe: sequence.clone() });
                LastCall::Made(at)
            }
            _ => LastCall::Missed,
        }
    }

    /// Keeps the call before the last: it is new where it is a transition, and the store leaves out
    /// what it knows. Many sequences have one way in common, which is kept once.
    fn keep_way(&mut self, sequence: &Sequence, steps: Vec<StepReport>) {
        let recipe = Sequence { steps: sequence.steps[..steps.len()].to_vec() };
        let last = steps.into_iter().next_back().and_then(|step| step.observation);
        if let Some(observation) = last.filter(|_| !self.kept_ways.contains(&recipe)) {
            self.kept_ways.insert(recipe.clone());
            self.observed.calls.push(KeptCall { observation, recipe });
        }
    }
}

fn was_made(outcome: &Outcome) -> bool {
    outcome.returned() || matches!(outcome, Outcome::Panicked(_))
}

/// The steps up to the one that a finding is about; all of them when it shows only at the end.
fn cut_after_finding(sequence: &Sequence, finding: &Finding, reports: &[StepReport]) -> Sequence {
    let is_about = |(i, report): (usize, &StepReport)| {
        let same_op = sequence.steps.get(i).is_some_and(|step| step.op == finding.op);
        match (&finding.oracle, &report.outcome) {
            (Oracle::Panic(place), Outcome::Panicked(at)) => same_op && place == at,
            (Oracle::Panic(_), _) => false,
            _ => same_op,
        }
    };
    // A panic ends the step that it happens in. Any other objection may be older than the report of
    // it, and the last step of the operation is the one that is under suspicion.
    let at = match finding.oracle {
        Oracle::Panic(_) => reports.iter().enumerate().position(is_about),
        _ => reports.iter().enumerate().rposition(is_about),
    };
    let end = at.map_or(sequence.steps.len(), |at| at + 1);
    Sequence { steps: sequence.steps[..end].to_vec() }
}
