//! What attacks ordered and what came of it: each sequence is run once per round, whatever the
//! number of contracts it serves, and each search made once.

use std::{
    collections::{BTreeMap, BTreeSet},
    rc::Rc,
    time::{Duration, Instant},
};

use gainsay_model::contract::{Contract, Verdict, Via};
use gainsay_store::{Found, NumberView, Spread, TransitionUse};
use gainsay_wire::{
    ContractId, EpochReport, Expr, Finding, KeptCall, Manifest, Observation, OpId, Oracle, Outcome,
    RunReport, Sequence, StateRecord, Truth, TypeId, Vocabulary, truth,
};
use gainsay_workers::{Answer, Death, Ran, Work};

use crate::{
    Context, Desk, Effort, Refutation, RefuteError,
    cross_check::contradicts,
    error::Halt,
    focus::focused_epochs::{FocusedEpochs, choose_origins, states_around},
    focus::idle_work::IdleWork,
    goal::distance,
    goal::goal_search::{Climb, Goal, remembered},
    goal::work_batch::{Inquiry, Orders},
    targets::boundaries::large,
};

/// So many calls are worth a transaction of their own.
const MANY: usize = 1_000;

/// What was run in this round.
#[derive(Debug, Default)]
pub(crate) struct Range {
    pub(crate) reach: Reach,
    /// What searches found, by operation, predicate, spread and limit. Relations that attacks
    /// evaluate come later: whoever wants to see them searches anew.
    pub(crate) searches: BTreeMap<(OpId, Expr, Spread, usize), Rc<Found>>,
    /// Transitions that may make a clause true.
    pub(crate) transitions: BTreeMap<(OpId, Expr), Vec<TransitionUse>>,
    /// Searches that were made again once relations had been evaluated for them.
    pub(crate) after_asking: BTreeMap<(OpId, Expr), Rc<Found>>,
    /// What climbing to a goal came to, as far as attacks reached then.
    pub(crate) climbs: BTreeMap<(Goal, Reach), Rc<Climb>>,
    /// The same of the first rung alone, with at most so many tuples.
    pub(crate) first_rungs: BTreeMap<(Goal, usize, Via), Rc<Climb>>,
    /// What transitions came to from where all but some clauses of a goal hold, if there is such a
    /// place.
    pub(crate) ways: BTreeMap<(Goal, Vec<usize>), Option<Rc<Climb>>>,
    /// Goals for which relations were asked about, and whether that told anything.
    pub(crate) asked: BTreeMap<Goal, bool>,
    /// Conditions worth calling an operation in.
    pub(crate) corners: BTreeMap<OpId, Rc<Vec<Expr>>>,
    /// Branches and corners of an operation as goals.
    pub(crate) aims: BTreeMap<OpId, Rc<Vec<(Goal, Via)>>>,
    /// Calls in the states that satisfy a goal in which a claim is nearest to being false.
    pub(crate) nearest: BTreeMap<(Goal, Expr, usize), Vec<Sequence>>,
    /// Numbers that objects of a type have.
    pub(crate) numbers: BTreeMap<TypeId, Rc<Vec<NumberView>>>,
    preconditions: BTreeMap<(OpId, Expr), Vec<Expr>>,
    requirements: BTreeMap<OpId, Rc<Vec<Expr>>>,
    vocabularies: BTreeMap<OpId, Vocabulary>,
    shots: BTreeMap<Sequence, Shot>,
    orders: Orders,
    /// Sequences that are ordered and not run yet.
    ordered: BTreeSet<Sequence>,
    /// Goals for which relations are being asked about.
    pub(crate) inquired: BTreeSet<Goal>,
    states: Vec<StateRecord>,
    calls: Vec<KeptCall>,
    /// The ways to calls that are among the calls already.
    kept_ways: BTreeSet<Sequence>,
    /// So many states and calls are in the store.
    recorded: (usize, usize),
    findings: Vec<Finding>,
    deaths: Vec<Death>,
    pub(crate) focused: FocusedEpochs,
    /// Epochs for workers that have nothing to do, if they are to have any.
    pub(crate) idle_work: Option<IdleWork>,
    /// Whose objects were put there, as far as attacks reached then.
    stocked: BTreeSet<(OpId, Reach)>,
    covered: BTreeSet<u32>,
    pub(crate) effort: Effort,
    /// The contract that is under attack.
    pub(crate) about: Option<ContractId>,
    searched: BTreeMap<ContractId, Duration>,
}

/// How far attacks go.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Reach {
    /// A few stored objects as they are.
    #[default]
    Near,
    /// Everything there is.
    Far,
}

/// What came of the last call of a sequence.
#[derive(Clone, Debug)]
pub(crate) enum Shot {
    /// It was made in good order: everything before it returned, and no oracle objected.
    Made(Rc<Observation>),
    /// It was not made, or something was wrong on the way or after it.
    Missed,
}

impl Shot {
    /// The call, if it was made and returned.
    pub(crate) fn passed(&self) -> Option<&Observation> {
        self.made().filter(|call| call.outcome.returned())
    }

    /// The call, if it was made.
    pub(crate) fn made(&self) -> Option<&Observation> {
        match self {
            Shot::Made(call) => Some(call),
            Shot::Missed => None,
        }
    }
}

impl Range {
    /// What came of sequences that end in the call under attack, in their order. Those that were
    /// not run yet are ordered, and the attack has to wait for them.
    pub(crate) fn run(
        &mut self,
        desk: &Desk<'_>,
        sequences: Vec<Sequence>,
    ) -> Result<Vec<(Sequence, Shot)>, Halt> {
        let mut waits = false;
        for sequence in sequences.iter().filter(|sequence| !self.shots.contains_key(*sequence)) {
            waits = true;
            if self.ordered.insert(sequence.clone()) {
                self.orders.calls.push(sequence.clone());
            }
        }
        if waits && !desk.cancel.is_cancelled() {
            return Err(Halt::Waiting);
        }
        let shot = |sequence: Sequence| {
            let shot = self.shots.get(&sequence).cloned().unwrap_or(Shot::Missed);
            (sequence, shot)
        };
        Ok(sequences.into_iter().map(shot).collect())
    }

    /// Has relations evaluated; the attack has to wait for them.
    pub(crate) fn inquire(&mut self, inquiry: Inquiry) -> Halt {
        self.inquired.insert(inquiry.goal.clone());
        self.orders.inquiries.push(inquiry);
        Halt::Waiting
    }

    /// What was ordered since the last time.
    pub(crate) fn take_orders(&mut self) -> Orders {
        std::mem::take(&mut self.orders)
    }

    /// Runs sequences at once.
    pub(crate) fn run_now(
        &mut self,
        context: &mut Context<'_>,
        calls: Vec<Sequence>,
    ) -> Result<(), RefuteError> {
        let orders = Orders { calls, ..Orders::default() };
        let (runner, mut desk) = context.apart();
        let work = Work { tasks: &orders.tasks(), epochs: &[], spare: None };
        let ran = runner.run_while(work, desk.cancel, &mut || {})?;
        self.absorb(&mut desk, orders, ran)
    }

    /// Takes in what came of orders.
    pub(crate) fn absorb(
        &mut self,
        desk: &mut Desk<'_>,
        orders: Orders,
        ran: Ran,
    ) -> Result<(), RefuteError> {
        self.effort.running += ran.busy;
        let mut answers = ran.answers.into_iter();
        for (sequence, answer) in orders.calls.into_iter().zip(&mut answers) {
            self.ordered.remove(&sequence);
            let shot = match answer {
                Answer::Done(report) => self.take(&sequence, report),
                Answer::Died(death) => {
                    self.deaths.push(death);
                    Shot::Missed
                }
                Answer::Cancelled => continue,
            };
            self.effort.runs += 1;
            self.shots.insert(sequence, shot);
        }
        for answer in ran.epochs.into_iter().chain(ran.spare) {
            self.take_epoch(desk, answer);
        }
        for inquiry in orders.inquiries {
            let told = inquiry.record(desk.store, &mut answers)?;
            self.effort.relations += told;
            self.inquired.remove(&inquiry.goal);
            self.asked.insert(inquiry.goal, told > 0);
        }
        Ok(())
    }

    /// Stores what was seen once that is much: what searches looked up is forgotten each time.
    pub(crate) fn record_many(&mut self, desk: &mut Desk<'_>) -> Result<(), RefuteError> {
        let unrecorded = self.calls.len() - self.recorded.1 + self.focused.count_unrecorded();
        if unrecorded < MANY { Ok(()) } else { self.record(desk) }
    }

    /// Stores what was seen since the last time: later searches find it.
    pub(crate) fn record(&mut self, desk: &mut Desk<'_>) -> Result<(), RefuteError> {
        let began = Instant::now();
        desk.store.record_epochs(self.focused.take_unrecorded())?;
        let (states, calls) = self.recorded;
        if calls < self.calls.len() {
            desk.store.record_calls(&self.states[states..], &self.calls[calls..])?;
            self.recorded = (self.states.len(), self.calls.len());
        }
        self.effort.recording += began.elapsed();
        Ok(())
    }

    /// Plans a focused epoch of an operation, unless this pass grants it no more.
    pub(crate) fn order_epoch(&mut self, desk: &mut Desk<'_>, op: OpId) -> Result<(), Halt> {
        if !self.focused.wants_more(op, self.reach) {
            return Ok(());
        }
        self.look_for_large(desk, op)?;
        let origins = choose_origins(&self.searches, op);
        self.orders.epochs.extend(self.focused.plan_next(op, &origins));
        self.stocked.remove(&(op, self.reach));
        self.stock(op);
        Ok(())
    }

    fn look_for_large(&mut self, desk: &mut Desk<'_>, op: OpId) -> Result<(), Halt> {
        for condition in large(desk, self, op)? {
            remembered(desk, self, &Goal::new(op, &[condition]), desk.limits.tuples)?;
        }
        Ok(())
    }

    /// Gives idle workers something to do before the first attack is planned.
    pub(crate) fn open_idle_work(
        &mut self,
        desk: &mut Desk<'_>,
        contracts: &[&Contract],
    ) -> Result<(), RefuteError> {
        let is_bare = self.idle_work.as_ref().is_some_and(IdleWork::is_empty);
        if let Some(first) = contracts.first().filter(|_| is_bare) {
            if let Err(Halt::Failed(error)) = self.look_for_large(desk, first.op) {
                return Err(error);
            }
            self.stock(first.op);
        }
        Ok(())
    }

    /// Offers what was found for an operation to idle workers, once in each pass.
    pub(crate) fn stock(&mut self, op: OpId) {
        if let Some(idle_work) = &self.idle_work
            && self.stocked.insert((op, self.reach))
        {
            idle_work.offer_operation(op, choose_origins(&self.searches, op));
        }
    }

    fn take_epoch(&mut self, desk: &Desk<'_>, answer: Answer<EpochReport>) {
        let mut report = match answer {
            Answer::Done(report) => report,
            Answer::Died(death) => {
                if let (Some(idle_work), Some(last)) = (&self.idle_work, death.steps.steps.last()) {
                    idle_work.bar_operation(last.op);
                }
                return self.deaths.push(death);
            }
            Answer::Cancelled => return,
        };
        self.effort.runs += report.calls;
        self.findings.append(&mut report.findings);
        let mut told = BTreeSet::new();
        for violation in std::mem::take(&mut report.violations) {
            let contract = self.focused.find_contract(violation.contract).cloned();
            match contract {
                Some(contract) if !contradicts(desk, self, &contract, &violation.call) => {}
                Some(_) if self.focused.take_violation(&violation) => {
                    told.extend(states_around(&violation.call.observation));
                    self.calls.push(violation.call);
                }
                Some(_) => {}
                None => self.focused.take_other_violation(violation),
            }
        }
        let of_violations = report.states.iter().filter(|it| told.contains(&it.state));
        self.states.extend(of_violations.cloned());
        self.focused.take_report(report);
    }

    /// What is known to be required by an operation.
    pub(crate) fn requires(&mut self, desk: &Desk<'_>, op: OpId) -> Rc<Vec<Expr>> {
        let known = self.requirements.entry(op);
        Rc::clone(known.or_insert_with(|| Rc::new(desk.knowledge.requirements(op))))
    }

    /// Preconditions inferred from the calls on which an expression held.
    pub(crate) fn pre_where(&mut self, desk: &Desk<'_>, op: OpId, a: &Expr) -> Vec<Expr> {
        let key = (op, a.clone());
        if let Some(known) = self.preconditions.get(&key) {
            return known.clone();
        }
        let began = Instant::now();
        let found = desk.knowledge.preconditions_where(op, a);
        self.effort.inferring += began.elapsed();
        self.preconditions.insert(key, found.clone());
        found
    }

    /// The truth of a predicate on a call.
    pub(crate) fn truth(&mut self, manifest: &Manifest, expr: &Expr, call: &Observation) -> Truth {
        truth(expr, &(self.vocabulary(manifest, call.op), call))
    }

    /// How far a clause is from being true on a call.
    pub(crate) fn lack(&mut self, manifest: &Manifest, clause: &Expr, call: &Observation) -> u64 {
        distance::lack(clause, &(self.vocabulary(manifest, call.op), call))
    }

    /// How far a claim that holds on a call is from being false.
    pub(crate) fn margin(
        &mut self,
        manifest: &Manifest,
        claim: &Expr,
        call: &Observation,
    ) -> Option<u64> {
        distance::margin(claim, &(self.vocabulary(manifest, call.op), call))
    }

    fn vocabulary(&mut self, manifest: &Manifest, op: OpId) -> &Vocabulary {
        self.vocabularies.entry(op).or_insert_with(|| manifest.vocabulary(op))
    }

    /// Counts time that was spent searching.
    pub(crate) fn searched(&mut self, time: Duration) {
        self.effort.searching += time;
        if let Some(about) = self.about {
            *self.searched.entry(about).or_default() += time;
        }
    }

    /// The calls that were made, in their order.
    pub(crate) fn calls(&self) -> &[KeptCall] {
        &self.calls
    }

    fn take(&mut self, sequence: &Sequence, report: RunReport) -> Shot {
        let is_panic = |finding: &Finding| matches!(finding.oracle, Oracle::Panic(_));
        self.covered.extend(&report.covered);
        let objected = !report.findings.iter().all(is_panic);
        for mut finding in report.findings {
            finding.recipe = leading_to(sequence, &finding, &report.steps);
            self.findings.push(finding);
        }
        let length = sequence.steps.len();
        let all_made = report.steps.len() == length;
        let mut steps = report.steps;
        let last = steps.pop();
        let on_the_way = steps.iter().all(|step| step.outcome.returned());
        let made = last.and_then(|last| last.observation.filter(|_| was_made(&last.outcome)));
        match made {
            Some(call) if all_made && on_the_way && !objected => {
                self.states.extend(report.states);
                self.keep_way(sequence, steps);
                let kept = KeptCall { observation: call.clone(), recipe: sequence.clone() };
                self.calls.push(kept);
                Shot::Made(Rc::new(call))
            }
            _ => Shot::Missed,
        }
    }

    /// The call before the last is new where it is a transition; the store sorts out the rest.
    /// Many calls have one way in common, which is kept once.
    fn keep_way(&mut self, sequence: &Sequence, steps: Vec<gainsay_wire::StepReport>) {
        let recipe = Sequence { steps: sequence.steps[..steps.len()].to_vec() };
        let last = steps.into_iter().next_back().and_then(|step| step.observation);
        if let Some(observation) = last.filter(|_| !self.kept_ways.contains(&recipe)) {
            self.kept_ways.insert(recipe.clone());
            self.calls.push(KeptCall { observation, recipe });
        }
    }

    /// All that was seen, with the verdicts.
    pub(crate) fn into_refutation(self, verdicts: Vec<(ContractId, Verdict)>) -> Refutation {
        let Range { states, calls, findings, deaths, focused, covered, effort, searched, .. } =
            self;
        let covered = covered.into_iter().collect();
        let (epochs, violations) = focused.into_parts();
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

fn was_made(outcome: &Outcome) -> bool {
    outcome.returned() || matches!(outcome, Outcome::Panicked(_))
}

/// The steps up to the one that a finding is about; all of them when it shows only at the end.
fn leading_to(
    sequence: &Sequence,
    finding: &Finding,
    reports: &[gainsay_wire::StepReport],
) -> Sequence {
    let about = |(i, report): (usize, &gainsay_wire::StepReport)| {
        let same_op = sequence.steps.get(i).is_some_and(|step| step.op == finding.op);
        match (&finding.oracle, &report.outcome) {
            (Oracle::Panic(place), Outcome::Panicked(at)) => same_op && place == at,
            (Oracle::Panic(_), _) => false,
            _ => same_op,
        }
    };
    let at = match finding.oracle {
        Oracle::Panic(_) => reports.iter().enumerate().position(about),
        _ => reports.iter().enumerate().rposition(about),
    };
    let end = at.map_or(sequence.steps.len(), |at| at + 1);
    Sequence { steps: sequence.steps[..end].to_vec() }
}
