//! The state of a round of attacks: the search that all attacks share, facts about operations, and
//! focused epochs.

use std::{
    collections::{BTreeMap, BTreeSet},
    time::{Duration, Instant},
};

use gainsay_model::contract::{Contract, Verdict};
use gainsay_search::{Asks, Depth, Effort as SearchEffort, Observed, Search};
use gainsay_wire::{ContractId, EpochReport};
use gainsay_workers::{Answer, PlacedEpoch, Ran};

use crate::{
    Desk, Effort, FocusSettings, Refutation, RefuteError,
    contradiction::Contradiction,
    focus::{Focus, focused_epochs::states_around},
    known_facts::KnownFacts,
    targets::operation_targets::TargetCache,
};

/// Unrecorded calls that are stored between two plans. Storing calls makes the store forget what it
/// looked up for searches, so it is done rarely; the longer it waits, the longer searches miss what
/// attacks brought about.
const MANY_UNRECORDED: usize = 1_000;

/// The state of a round.
#[derive(Debug, Default)]
pub(crate) struct Round {
    pub(crate) search: Search,
    pub(crate) pass: Pass,
    pub(crate) facts: KnownFacts,
    pub(crate) targets: TargetCache,
    pub(crate) focus: Focus,
    // Apart from the log: calls of epochs are no sequences that somebody asked for.
    /// Calls that focused epochs made.
    focused_runs: u64,
    running: Duration,
    recording: Duration,
    /// Time spent searching for each contract.
    searched: BTreeMap<ContractId, Duration>,
}

/// A pass over the contracts of a round.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Pass {
    /// A few stored objects as they are: most contracts have an answer early.
    #[default]
    Near,
    /// All means.
    Far,
}

/// Work for workers while the next attacks are planned.
#[derive(Debug, Default)]
pub(crate) struct Batch {
    pub(crate) asks: Asks,
    pub(crate) epochs: Vec<PlacedEpoch>,
}

impl Batch {
    pub(crate) fn is_empty(&self) -> bool {
        self.asks.is_empty() && self.epochs.is_empty()
    }
}

impl Round {
    pub(crate) fn new(focus: Option<&FocusSettings>, contracts: &[Contract]) -> Round {
        Round { focus: Focus::new(focus, contracts), ..Round::default() }
    }

    /// Effort in this pass for a goal that may be reached by all means.
    pub(crate) fn full_effort(&self, desk: &Desk<'_>) -> SearchEffort {
        match self.pass {
            Pass::Near => self.stored_effort(desk),
            Pass::Far => SearchEffort { depth: Depth::AllMeans, ..self.stored_effort(desk) },
        }
    }

    /// Effort in this pass for a goal that stored objects reach or do not.
    pub(crate) fn stored_effort(&self, desk: &Desk<'_>) -> SearchEffort {
        let tuples = match self.pass {
            Pass::Near => desk.limits.first_tuples,
            Pass::Far => desk.limits.search.tuples,
        };
        SearchEffort { tuples, depth: Depth::StoredObjects }
    }

    /// The work that attacks asked for since the last time.
    pub(crate) fn take_batch(&mut self) -> Batch {
        Batch { asks: self.search.take_asks(), epochs: self.focus.take_ordered() }
    }

    /// Takes in the results of a batch.
    pub(crate) fn take_results(
        &mut self,
        desk: &mut Desk<'_>,
        batch: Batch,
        ran: Ran,
    ) -> Result<(), RefuteError> {
        self.running += ran.busy;
        // Calls before epochs, so that the store gets them in the same order whatever was faster.
        self.search.take_answers(&mut desk.search, batch.asks, ran.answers)?;
        for answer in ran.epochs.into_iter().chain(ran.spare) {
            self.take_epoch(desk, answer);
        }
        Ok(())
    }

    fn take_epoch(&mut self, desk: &Desk<'_>, answer: Answer<EpochReport>) {
        let mut report = match answer {
            Answer::Done(report) => report,
            Answer::Died(death) => {
                self.focus.note_death(&death);
                return self.search.log_mut().observed_mut().deaths.push(death);
            }
            Answer::Cancelled => return,
        };
        self.focused_runs += report.calls;
        self.search.log_mut().observed_mut().findings.append(&mut report.findings);
        let mut told = BTreeSet::new();
        for violation in std::mem::take(&mut report.violations) {
            let Some(contract) = self.focus.epochs.find_contract(violation.contract).cloned()
            else {
                self.focus.epochs.take_other_violation(violation);
                continue;
            };
            // Workers check less than is known here: a call that did not keep what is required says
            // nothing.
            let required = self.facts.find_requirements(desk, contract.op);
            let rule = Contradiction {
                manifest: desk.search.manifest,
                contract: &contract,
                required: &required,
            };
            if rule.is_shown_by(&self.search, &violation.call)
                && self.focus.epochs.take_violation(&violation)
            {
                told.extend(states_around(&violation.call.observation));
                self.search.log_mut().observed_mut().calls.push(violation.call);
            }
        }
        // An epoch passes thousands of states; only those around violations are told of here.
        let of_violations = report.states.iter().filter(|it| told.contains(&it.state));
        self.search.log_mut().observed_mut().states.extend(of_violations.cloned());
        self.focus.epochs.take_report(report);
    }

    /// Stores what was seen once it is much.
    pub(crate) fn record_if_many(&mut self, desk: &mut Desk<'_>) -> Result<(), RefuteError> {
        let in_epochs = self.focus.epochs.count_unrecorded();
        let unrecorded = self.search.log().count_unrecorded() + in_epochs;
        if unrecorded < MANY_UNRECORDED { Ok(()) } else { self.record_all(desk) }
    }

    /// Stores what was seen since the last time: later searches find it.
    pub(crate) fn record_all(&mut self, desk: &mut Desk<'_>) -> Result<(), RefuteError> {
        let began = Instant::now();
        desk.search.store.record_epochs(self.focus.epochs.take_unrecorded())?;
        self.search.log_mut().record_calls(desk.search.store)?;
        self.recording += began.elapsed();
        Ok(())
    }

    /// Does something for a contract and counts the time that it takes to search.
    pub(crate) fn count_search_time<T>(
        &mut self,
        contract: ContractId,
        act: impl FnOnce(&mut Round) -> T,
    ) -> T {
        let before = self.search.searching_time();
        let done = act(self);
        let took = self.search.searching_time().saturating_sub(before);
        // Contracts that needed no search are left out: the median of these times is reported.
        if !took.is_zero() {
            *self.searched.entry(contract).or_default() += took;
        }
        done
    }

    /// All that was seen, with the verdicts.
    pub(crate) fn into_refutation(self, verdicts: Vec<(ContractId, Verdict)>) -> Refutation {
        let effort = Effort {
            runs: self.search.log().count_runs() + self.focused_runs,
            relations: self.search.count_relations(),
            searching: self.search.searching_time(),
            inferring: self.facts.inferring_time(),
            recording: self.recording,
            running: self.running,
        };
        let Observed { states, calls, findings, deaths, covered } =
            self.search.into_log().into_observed();
        let (epochs, violations) = self.focus.epochs.into_parts();
        let covered = covered.into_iter().collect();
        let searched = self.searched;
        Refutation {
            verdicts,
            states,
            calls,
            findings,
            deaths,
            epochs,
            violations,
            covered,
            effort,
            searched,
        }
    }
}
