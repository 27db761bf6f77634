//! A campaign: calibration, then rounds of epochs until the budget ends.
//!
//! The number of epochs in a round is fixed, what an epoch is told depends only on earlier
//! rounds, and reports are merged in the order of the tasks. So for a budget in calls the result
//! does not depend on the number of workers.

pub(crate) mod epoch_retry;
pub(crate) mod given_sequences;
pub(crate) mod remake_objects;
pub(crate) mod replay;
mod seed_schedule;
pub(crate) mod totals;

use std::{
    collections::BTreeMap,
    hash::Hasher,
    time::{Duration, Instant},
};

use gainsay_model::{
    event::{Event, StopReason},
    fault::FirstSeen,
    skip::Demotion,
};
use gainsay_wire::{
    Digest, Edge, EdgeCount, EpochReport, EpochTask, OpId, Outcome, RunReport, Sequence, Step,
};
use gainsay_workers::{Answer, Cancel, Death, PLACES, Runner, WorkerError};

use crate::{
    calibration::{calibration_rounds::settle, idle_bags, random_queries::random_queries, settled},
    campaign::{
        epoch_retry::{Salvaged, explore},
        seed_schedule::Stock,
        totals::Totals,
    },
    findings::{Findings, injection_blame::blamed},
    sequences::changed_numbers::has_absurd_number,
    subject_model::SubjectModel,
};

/// Limits at which it stops.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Budget {
    /// After so many calls; the last epoch may make a few more to get operands.
    pub calls: Option<u64>,
    /// After this long.
    pub time: Option<Duration>,
}

/// The plan of a campaign.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Plan {
    /// Epochs in a round: one for each worker.
    pub width: u32,
    /// Calls in an epoch.
    pub epoch_calls: u32,
    /// Calls in an epoch of the first round; each round doubles them until they are all.
    pub first_calls: u32,
    /// Calls in an epoch of the calibration.
    pub calibration_calls: u32,
    /// The number of workers that may die.
    pub max_deaths: u64,
    /// Without a budget in calls: stop after so many rounds that brought nothing new, at the
    /// earliest.
    pub quiet_rounds: u32,
    /// In one epoch of so many the caller's code misbehaves; 0 for none.
    pub inject_every: u64,
    /// True if workers tell of calls, for the store and for inference.
    pub telling: Telling,
}

/// True if workers tell of calls.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Telling {
    /// Of those that add something.
    #[default]
    News,
    /// Of none, to measure what telling and recording cost.
    Nothing,
}

impl Default for Plan {
    fn default() -> Plan {
        Plan {
            width: PLACES,
            epoch_calls: 4000,
            first_calls: 125,
            calibration_calls: 250,
            max_deaths: 1000,
            quiet_rounds: 20,
            inject_every: 4,
            telling: Telling::News,
        }
    }
}

/// The receiver of events while it goes on.
pub struct Listeners<'a> {
    /// Every epoch, in order, for good.
    pub report: &'a mut dyn FnMut(EpochReport),
    /// Live counters and degradations.
    pub event: &'a mut dyn FnMut(Event),
}

/// The end of a run of a campaign.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CampaignEnd {
    /// Why.
    pub stop: StopReason,
    /// Calls made in this run.
    pub calls: u64,
    /// Workers that died in this run.
    pub deaths: u64,
}

/// Random testing of one subject. Can be run again, to go on where it stopped.
#[derive(Clone, Debug)]
pub struct Campaign {
    seed: u64,
    /// The moment at which its first run began.
    began: Option<Instant>,
    plan: Plan,
    subject: SubjectModel,
    rounds: u32,
    epochs: u64,
    stock: Stock,
    /// The number of workers that each operation killed.
    killers: BTreeMap<OpId, u32>,
    demotions: Option<Vec<Demotion>>,
    /// Calls of campaigns that this one follows.
    calls_before: u64,
    explored_before: Duration,
    totals: Totals,
    findings: Findings,
    /// Findings made while the caller's code misbehaved.
    injected: Findings,
}

/// However short a run is, it goes on for so long without anything new.
const LEAST_PATIENCE: Duration = Duration::from_secs(2);

/// However many workers an operation killed, it is called in one epoch of so many (as a power of
/// two).
const MOST_HALVINGS: u32 = 10;

/// A call that returned counts as so many tries, one that panicked as one.
const TRIED_BY_RETURN: u64 = 8;

/// The state of one run.
struct Run {
    budget: Budget,
    calls_before: u64,
    deaths_before: u64,
    /// Rounds that brought nothing new, and since when.
    quiet: u32,
    quiet_since: Instant,
    /// The last round made no call at all, and no worker died of trying.
    stuck: bool,
}

impl Run {
    /// A round is over.
    fn hear(&mut self, news: bool) {
        if news {
            (self.quiet, self.quiet_since) = (0, Instant::now());
        } else {
            self.quiet += 1;
        }
    }

    /// True if more of the same would hardly bring anything: so many quiet rounds, and where time
    /// is the limit, half of it too. A number of calls is a promise and is kept.
    fn is_saturated(&self, quiet_rounds: u32) -> bool {
        let patience = self.budget.time.map(|time| (time / 2).max(LEAST_PATIENCE));
        self.budget.calls.is_none()
            && self.quiet >= quiet_rounds
            && patience.is_none_or(|patience| self.quiet_since.elapsed() >= patience)
    }
}

impl Campaign {
    /// A campaign in which `seed` decides everything that is random.
    pub fn new(seed: u64, subject: SubjectModel, plan: Plan) -> Campaign {
        Campaign {
            seed,
            began: None,
            plan,
            subject,
            rounds: 0,
            epochs: 0,
            stock: Stock::default(),
            killers: BTreeMap::new(),
            demotions: None,
            calls_before: 0,
            explored_before: Duration::ZERO,
            totals: Totals::default(),
            findings: Findings::default(),
            injected: Findings::default(),
        }
    }

    /// Totals of all that has been seen so far.
    pub fn totals(&self) -> &Totals {
        &self.totals
    }

    /// Findings made so far.
    pub fn findings(&self) -> &Findings {
        &self.findings
    }

    /// Findings made so far while the caller's code misbehaved.
    pub fn injected(&self) -> &Findings {
        &self.injected
    }

    /// The same as [`Campaign::findings`], to add what other stages found.
    pub fn findings_mut(&mut self) -> &mut Findings {
        self.look_at_the_clock();
        &mut self.findings
    }

    /// Sets the moment for all that is found from now on.
    fn look_at_the_clock(&mut self) {
        let explored = self.began.map_or(Duration::ZERO, |began| began.elapsed());
        let millis = (self.explored_before + explored).as_millis();
        let millis = u64::try_from(millis).unwrap_or(u64::MAX);
        let now = FirstSeen { millis, calls: self.calls_before + self.totals.calls };
        self.findings.at(now);
        self.injected.at(now);
    }

    /// Takes in what replaying the calls of an earlier run showed.
    pub fn note_replay(&mut self, sequence: &Sequence, answer: &Answer<RunReport>) {
        let findings = match blamed(sequence) {
            Some(_) => &mut self.injected,
            None => &mut self.findings,
        };
        findings.note_replay(&self.subject, sequence, answer);
    }

    /// Queries that calibration took out of the views.
    pub fn demotions(&self) -> &[Demotion] {
        self.demotions.as_deref().unwrap_or_default()
    }

    /// Goes on where another campaign, in another build, ended: workers are configured already, and
    /// what is found from now on comes after what that one did, and after so much time of
    /// exploration.
    pub fn follow(&mut self, other: &Campaign, explored: Duration) {
        self.demotions.clone_from(&other.demotions);
        self.explored_before = explored;
        self.began = Some(Instant::now());
        self.calls_before = other.calls_before + other.totals.calls;
    }

    /// Operations that killed workers.
    pub fn killers(&self) -> Vec<OpId> {
        self.killers.keys().copied().collect()
    }

    /// Counts what was run outside of rounds: a given suite, attacks.
    pub fn count(&mut self, report: &EpochReport) {
        self.totals.add(report);
    }

    /// Only these coverage counters count: those of the subject's own code.
    pub fn count_only(&mut self, counters: &[u32]) {
        self.totals.count_only(counters);
    }

    /// Begins anew with another seed: short epochs first, and nothing that the first campaign drew
    /// is drawn again. What was seen and found stays.
    pub fn begin_again(&mut self, seed: u64) {
        self.seed = seed;
        self.rounds = 0;
    }

    /// From now on the caller's code behaves well in all epochs.
    pub fn spare_callers(&mut self) {
        self.plan.inject_every = 0;
    }

    /// From now on workers tell of no calls, but of findings.
    pub fn tell_nothing(&mut self) {
        self.plan.telling = Telling::Nothing;
    }

    /// The subject as it is known when findings are judged.
    pub fn ground(&self) -> &SubjectModel {
        &self.subject
    }

    /// Takes over the vocabulary that the workers were settled with, by this campaign's calibration or
    /// an earlier one's.
    pub fn adopt_vocabulary(&mut self, runner: &dyn Runner) {
        self.subject.settle(runner.manifest());
    }

    /// Sequences that furnish the pools of epochs from now on: each is made once, then they take
    /// turns.
    pub fn furnish(&mut self, furniture: Vec<Sequence>) {
        self.stock = Stock::new(furniture);
    }

    /// Settles which queries are views and configures the workers, once.
    pub fn calibrate(
        &mut self,
        runner: &mut dyn Runner,
        cancel: &Cancel,
    ) -> Result<&[Demotion], WorkerError> {
        if self.demotions.is_none() {
            let task = |i| EpochTask {
                calibrate: true,
                ..self.task(u64::MAX - i, self.plan.calibration_calls)
            };
            let tasks: Vec<EpochTask> = (0..u64::from(self.plan.width)).map(task).collect();
            let (kept, mut demoted) = settle(runner, &tasks, cancel)?;
            let random = random_queries(runner, &kept, cancel)?;
            demoted.extend(random);
            demoted.extend(idle_bags(runner.manifest(), &demoted));
            runner.configure(settled(runner.settings(), &demoted, &[]))?;
            self.adopt_vocabulary(runner);
            if !cancel.is_cancelled() {
                self.demotions = Some(demoted);
            }
        }
        Ok(self.demotions())
    }

    /// Explores until the budget ends.
    pub fn run(
        &mut self,
        runner: &mut dyn Runner,
        budget: Budget,
        cancel: &Cancel,
        listeners: &mut Listeners<'_>,
    ) -> Result<CampaignEnd, WorkerError> {
        let until = budget.time.map(|time| cancel.until(Instant::now() + time));
        let cancel = until.as_ref().unwrap_or(cancel);
        self.began.get_or_insert_with(Instant::now);
        let (calls_before, deaths_before) = (self.totals.calls, runner.deaths());
        let mut run = Run {
            budget,
            calls_before,
            deaths_before,
            quiet: 0,
            quiet_since: Instant::now(),
            stuck: false,
        };
        self.calibrate(runner, cancel)?;
        let stop = loop {
            if let Some(stop) = self.stop(&run, runner, cancel) {
                break stop;
            }
            let before = (self.totals.calls, runner.deaths());
            let tasks = self.round(self.left(&run));
            let epochs = explore(runner, &tasks, cancel)?;
            self.stock.mourn(&tasks, &epochs);
            let news = self.merge(&tasks, epochs, listeners);
            run.hear(news);
            run.stuck = (self.totals.calls, runner.deaths()) == before;
            (listeners.event)(Event::Progress(
                self.totals.progress(self.findings.len() + self.injected.len()),
            ));
        };
        let calls = self.totals.calls - run.calls_before;
        Ok(CampaignEnd { stop, calls, deaths: runner.deaths() - run.deaths_before })
    }

    fn stop(&self, run: &Run, runner: &dyn Runner, cancel: &Cancel) -> Option<StopReason> {
        if cancel.is_interrupted() {
            Some(StopReason::Interrupted)
        } else if cancel.is_cancelled() {
            Some(StopReason::Time)
        } else if self.left(run) == Some(0) {
            Some(StopReason::Calls)
        } else if runner.deaths() - run.deaths_before > self.plan.max_deaths {
            Some(StopReason::Restarts)
        } else if run.stuck || run.is_saturated(self.plan.quiet_rounds) {
            Some(StopReason::Saturation)
        } else {
            None
        }
    }

    /// Calls that may still be made.
    fn left(&self, run: &Run) -> Option<u64> {
        let made = self.totals.calls - run.calls_before;
        run.budget.calls.map(|calls| calls.saturating_sub(made))
    }

    fn round(&mut self, left: Option<u64>) -> Vec<EpochTask> {
        let doubled = u64::from(self.plan.first_calls) << self.rounds.min(16);
        let size = doubled.min(u64::from(self.plan.epoch_calls)).max(1);
        let (hurried, mut left) = (left.is_none(), left.unwrap_or(u64::MAX));
        let mut tasks = Vec::new();
        for _ in 0..self.plan.width {
            let calls = size.min(left);
            left -= calls;
            if let Some(calls) = u32::try_from(calls).ok().filter(|calls| *calls > 0) {
                let inject = self.injects();
                let furniture = if inject { Vec::new() } else { self.stock.next(calls) };
                let task = self.task(self.epochs, calls);
                let keep = (self.plan.telling == Telling::Nothing).then_some(0);
                tasks.push(EpochTask { furniture, inject, hurried, keep, ..task });
                self.epochs += 1;
            }
        }
        self.rounds += 1;
        tasks
    }

    /// True if the caller's code misbehaves in the next epoch. The first round is spared: it tells
    /// soonest what the subject does by itself.
    fn injects(&self) -> bool {
        let every = self.plan.inject_every;
        self.rounds > 0 && every > 0 && self.epochs % every == every - 1
    }

    fn task(&self, number: u64, calls: u32) -> EpochTask {
        let mut seed = Digest::new();
        seed.write_u64(self.seed);
        seed.write_u64(number);
        EpochTask {
            seed: seed.finish(),
            calls,
            tried: self.tried(),
            barred: self.barred(number),
            furniture: self.stock.sample(number, calls),
            calibrate: false,
            inject: false,
            hurried: false,
            aim: None,
            keep: None,
        }
    }

    fn tried(&self) -> Vec<u64> {
        // By calls that returned, mostly: one that panicked tells little of the operation.
        let tried = |i: usize| {
            self.totals.ops.get(i).map_or(0, |op| TRIED_BY_RETURN * op.returned + op.panicked)
        };
        (0..self.subject.manifest().ops.len()).map(tried).collect()
    }

    /// The operations that sit this epoch out: with each worker that one killed, it is called in
    /// half as many epochs.
    fn barred(&self, number: u64) -> Vec<OpId> {
        let sits_out = |(op, deaths): &(&OpId, &u32)| {
            let every = 1 << (**deaths).min(MOST_HALVINGS);
            !number.wrapping_add(u64::from(op.0)).is_multiple_of(every)
        };
        self.killers.iter().filter(sits_out).map(|(op, _)| *op).collect()
    }

    /// Takes in a round; tells whether it brought anything new.
    fn merge(
        &mut self,
        tasks: &[EpochTask],
        epochs: Vec<Salvaged>,
        listeners: &mut Listeners<'_>,
    ) -> bool {
        self.look_at_the_clock();
        let known = self.findings.len() + self.injected.len();
        let mut news = false;
        for (task, epoch) in tasks.iter().zip(epochs) {
            if task.inject {
                self.merge_injected(&epoch);
                continue;
            }
            if let Some(death) = &epoch.death {
                self.findings.note_death(&self.subject, death);
                self.note_killer(death);
            }
            let fatal = epoch.fatal_edge(self.subject.manifest());
            if let Some(mut report) = epoch.report {
                count_edge(&mut report, fatal);
                news |= self.totals.add(&report);
                for finding in &report.findings {
                    self.findings.note(&self.subject, finding);
                }
                (listeners.report)(report);
            } else if fatal.is_some() {
                // No epoch to count among the others: nothing but its last call is known.
                let mut report = EpochReport::default();
                count_edge(&mut report, fatal);
                self.totals.observed += report.observed;
                (listeners.report)(report);
            }
        }
        news || self.findings.len() + self.injected.len() > known
    }

    /// Takes note of the operation that a worker died of.
    pub fn note_killer(&mut self, death: &Death) {
        let last = death.steps.steps.last();
        if let Some(step) = last.filter(|step| !is_of_size(death, step)) {
            *self.killers.entry(step.op).or_default() += 1;
        }
    }

    /// Of an epoch in which the caller's code misbehaved only the findings count.
    fn merge_injected(&mut self, epoch: &Salvaged) {
        if let Some(death) = &epoch.death {
            self.injected.note_injected_death(&self.subject, death);
            if blamed(&death.steps).is_none() {
                self.note_killer(death);
            }
        }
        if let Some(report) = &epoch.report {
            self.totals.add_injected(report);
            for finding in &report.findings {
                if !self.injected.note_injected(&self.subject, finding) {
                    self.findings.note(&self.subject, finding);
                }
            }
        }
    }
}

/// Counts the call that a worker died of among those that its epoch observed.
fn count_edge(report: &mut EpochReport, edge: Option<Edge>) {
    report.observed += u64::from(edge.is_some());
    report.edges.extend(edge.map(|edge| EdgeCount { edge, count: 1 }));
}

/// True if a worker died because a call asked for more memory than there is. Only a share of the
/// epochs makes up such numbers, so the operation need not sit any out for it.
fn is_of_size(death: &Death, step: &Step) -> bool {
    let ran_out = match &death.outcome {
        Outcome::OutOfMemory => true,
        Outcome::Aborted(cause) => cause.is_out_of_memory(),
        _ => false,
    };
    ran_out && has_absurd_number(&Sequence { steps: vec![step.clone()] })
}

#[cfg(test)]
#[path = "campaign/tests.rs"]
mod tests;
#[cfg(test)]
mod vocabulary_tests;
