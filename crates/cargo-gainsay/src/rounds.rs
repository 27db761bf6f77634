//! Infer and refute, round after round, until nothing new comes of it.

use std::{
    collections::{BTreeMap, BTreeSet},
    num::NonZero,
    time::{Duration, Instant},
};

use gainsay_explore::{Broken, Effort, classify, judge_broken};
use gainsay_infer::{
    Inferred, Invariant, Options, Samples, infer, invariants, preconditions_where, sentinels,
};
use gainsay_model::{
    contract::{Contract, ContractKind, Unsettled, Verdict, Via},
    event::{Event, Stage},
    fault::{Fault, PanicClass},
};
use gainsay_refute::{Context, Limits, Refutation, refute};
use gainsay_report::OracleRecord;
use gainsay_wire::{
    Check, ContractId, EpochReport, Expr, Manifest, ManifestOp, OpId, Oracle, PanicPlace, Point,
    RunReport, Truth, Violation, expr_text, parse_expr, truth,
};
use gainsay_workers::{Answer, Cancel, Runner as _};

use crate::{
    clock::Clock, facts::Facts, session::Session, settings::RunSettings, written::WrittenContracts,
};

/// However short a run is, so much time a round has to attack contracts.
const LEAST_REFUTE: Duration = Duration::from_secs(3);
/// Rounds end here at the latest.
const MOST_ROUNDS: u32 = 4;
/// Makes the seed of the second campaign another one.
const OTHER_SEED: u64 = 0x9e37_79b9_7f4a_7c15;

/// What became of all contracts.
#[derive(Default)]
pub(crate) struct Settled {
    /// Contracts with their verdicts: all that were refuted, and those that stood at the end.
    pub(crate) contracts: Vec<(Contract, Verdict)>,
    /// What is true of all objects of a type.
    pub(crate) invariants: Vec<Invariant>,
    /// What follows from a contract and is not said for that reason.
    pub(crate) implied: BTreeMap<ContractId, Vec<(ContractKind, Expr)>>,
}

/// A contract apart from its number.
type Claim = (OpId, ContractKind, Expr);

/// All that was ever claimed, with stable numbers.
#[derive(Default)]
struct Ledger {
    numbers: BTreeMap<Claim, ContractId>,
    refuted: BTreeMap<ContractId, (Contract, Verdict)>,
    standing: Vec<(Contract, Verdict)>,
    /// Of the last round.
    implied: BTreeMap<ContractId, Vec<(ContractKind, Expr)>>,
}

/// Runs rounds.
pub(crate) fn run(
    session: &mut Session<'_>,
    settings: &RunSettings,
    cancel: &Cancel,
    clock: &mut Clock<'_>,
) -> anyhow::Result<Settled> {
    let least = if settings.is_given_suite() { 1 } else { Options::default().min_distinct };
    let jobs = NonZero::new(settings.jobs);
    let options = Options { min_distinct: least, jobs, ..Options::default() };
    let mut ledger = Ledger::default();
    let written = WrittenContracts::of(session);
    let began = Instant::now();
    for round in 0..MOST_ROUNDS {
        // The first phase had half of the time, the second campaign has an eighth; the first round
        // is always run.
        let is_late = settings.share(3, 8).time.is_some_and(|time| began.elapsed() >= time);
        if cancel.is_interrupted() || (round > 0 && is_late) {
            break;
        }
        let about = format!("round {}", round + 1);
        let (samples, contracts) = clock.stage(Stage::Infer, about, |_| {
            let samples = first_instantiations(session, session.store.samples()?);
            let inferred = infer(session.fleet.manifest(), &samples, &options);
            Ok((samples, ledger.take(inferred)))
        })?;
        let known = ledger.refuted.len();
        let about = format!("{} contracts under watch", contracts.len());
        let mut standing =
            watch(session, settings, cancel, clock, (&mut ledger, contracts), &about)?;
        ledger.put_new_first(&mut standing);
        let about = format!("{} contracts", standing.len());
        let (samples, options) = (&samples, &options);
        clock.stage(Stage::Refute, about, |events| {
            let share = settings.share(1, 8).time.map(|time| time.max(LEAST_REFUTE));
            let deadline = share.map(|time| cancel.until(Instant::now() + time));
            let cancel = deadline.as_ref().unwrap_or(cancel);
            let written = &written;
            let attack = Attack { session, samples, options, written, cancel, events };
            let refutation = attack.run(&standing)?;
            ledger.settle(standing, refutation);
            Ok(())
        })?;
        session.store.record_contracts(&ledger.contracts())?;
        session.store.record_verdicts(&ledger.verdicts())?;
        if ledger.refuted.len() == known {
            break;
        }
    }
    let mut facts = Facts::new(type_invariants(session, settings)?);
    let again = second_campaign(session, settings, cancel, clock, (&mut ledger, &mut facts))?;
    session.store.record_contracts(&ledger.contracts())?;
    session.store.record_verdicts(&ledger.verdicts())?;
    let invariants = facts.without_fallen(type_invariants(session, settings)?);
    Ok(Settled { invariants, ..ledger.close(session, &again) })
}

/// What is true of all objects, in all states that any campaign saw.
fn type_invariants(
    session: &Session<'_>,
    settings: &RunSettings,
) -> anyhow::Result<Vec<Invariant>> {
    if settings.is_given_suite() {
        return Ok(Vec::new());
    }
    let samples = first_instantiations(session, session.store.samples()?);
    Ok(invariants(session.fleet.manifest(), &samples))
}

/// What was learnt must hold in a campaign from which nothing was learnt, with another seed. Tells
/// how often each contract did.
fn second_campaign(
    session: &mut Session<'_>,
    settings: &RunSettings,
    cancel: &Cancel,
    clock: &mut Clock<'_>,
    (ledger, facts): (&mut Ledger, &mut Facts),
) -> anyhow::Result<BTreeMap<ContractId, u64>> {
    if settings.is_given_suite() || cancel.is_interrupted() {
        return Ok(BTreeMap::new());
    }
    let before = session.campaign.totals().attacks.clone();
    session.campaign.begin_again(session.seed ^ OTHER_SEED);
    let (mut standing, verdicts): (Vec<_>, Vec<_>) = ledger.standing.drain(..).unzip();
    let verdicts: BTreeMap<_, _> =
        standing.iter().map(|contract| contract.id).zip(verdicts).collect();
    let about = "again with another seed";
    standing.extend(facts.contracts(session.fleet.manifest()));
    let standing = watch(session, settings, cancel, clock, (ledger, standing), about)?;
    facts.settle(&standing);
    ledger.refuted.retain(|id, _| !facts.is_own(*id));
    let verdict = |contract: &Contract| verdicts.get(&contract.id).cloned();
    let standing =
        standing.into_iter().filter_map(|contract| Some((verdict(&contract)?, contract)));
    ledger.standing = standing.map(|(verdict, contract)| (contract, verdict)).collect();
    let mut again = session.campaign.totals().attacks.clone();
    for (contract, held) in &mut again {
        *held -= before.get(contract).copied().unwrap_or(0);
    }
    Ok(again)
}

/// One instantiation of each callable, the first, speaks for all.
fn first_instantiations(session: &Session<'_>, mut samples: Samples) -> Samples {
    let ground = session.campaign.ground();
    let mut known = BTreeSet::new();
    samples.retain(|op, _| known.insert(ground.path(*op)));
    samples
}

/// Explores with contracts under watch; what a random call contradicts needs no attack.
fn watch(
    session: &mut Session<'_>,
    settings: &RunSettings,
    cancel: &Cancel,
    clock: &mut Clock<'_>,
    (ledger, contracts): (&mut Ledger, Vec<Contract>),
    about: &str,
) -> anyhow::Result<Vec<Contract>> {
    if settings.is_given_suite() {
        return Ok(contracts);
    }
    let (panics, watched): (Vec<&Contract>, _) =
        contracts.iter().partition(|contract| contract.kind == ContractKind::Panics);
    let check = |contract: &Contract, expr| Check { contract: contract.id, op: contract.op, expr };
    let checks = watched.into_iter().map(|contract| check(contract, contract.expr.clone()));
    let requires = panics.into_iter().map(|contract| check(contract, contract.expr.negated()));
    session.watch(checks.collect(), requires.collect())?;
    let (_, violations) = clock.stage(Stage::Explore, about.to_owned(), |events| {
        session.explore_more(settings.share(1, 8), cancel, events)
    })?;
    let calls: Vec<_> = violations.iter().map(|violation| violation.call.clone()).collect();
    session.store.record_calls(&[], &calls)?;
    Ok(ledger.strike(contracts, &violations))
}

/// One round of attacks.
struct Attack<'a, 's> {
    session: &'a mut Session<'s>,
    samples: &'a Samples,
    options: &'a Options,
    written: &'a WrittenContracts,
    cancel: &'a Cancel,
    events: &'a mut dyn FnMut(Event),
}

impl Attack<'_, '_> {
    fn run(self, contracts: &[Contract]) -> anyhow::Result<Refutation> {
        let manifest = self.session.fleet.manifest().clone();
        let ground = self.session.campaign.ground().clone();
        let requires = |op: OpId| requirements(contracts, self.written, op);
        let pre_where =
            |op: OpId, a: &Expr| preconditions_where(&manifest, self.samples, op, a, self.options);
        let is_own = |op: OpId, place: &PanicPlace| {
            let class = classify(&ground, place, ground.operation(op));
            matches!(class, PanicClass::Documented | PanicClass::OwnAssertion)
        };
        let mut context = Context {
            store: &mut self.session.store,
            runner: &mut self.session.fleet,
            manifest: &manifest,
            requires: &requires,
            pre_where: &pre_where,
            is_own: &is_own,
            limits: Limits::default(),
            cancel: self.cancel,
            on_event: self.events,
        };
        let refutation = refute(&mut context, contracts)?;
        self.session.take_in(&refutation)?;
        Ok(refutation)
    }
}

/// What is known to be required: what is written, and the opposite of when the operation was
/// learnt to panic.
fn requirements(contracts: &[Contract], written: &WrittenContracts, op: OpId) -> Vec<Expr> {
    let panics = contracts.iter().filter(|c| c.op == op && c.kind == ContractKind::Panics);
    let mut required: Vec<Expr> = panics.map(|contract| contract.expr.negated()).collect();
    for demand in written.requirements(op) {
        // Said twice, it could not be given up as one.
        if required.iter().all(|known| known.normal() != demand.normal()) {
            required.push(demand);
        }
    }
    required
}

impl Session<'_> {
    /// Keeps what attacks brought to light.
    fn take_in(&mut self, refutation: &Refutation) -> anyhow::Result<()> {
        self.store.record_calls(&refutation.states, &refutation.calls)?;
        let ground = self.campaign.ground().clone();
        for finding in &refutation.findings {
            self.campaign.findings_mut().note(&ground, finding);
        }
        for death in &refutation.deaths {
            self.campaign.findings_mut().note_death(&ground, death);
        }
        self.campaign.count(&EpochReport {
            calls: refutation.effort.runs,
            states: refutation.states.clone(),
            kept: refutation.calls.clone(),
            covered: refutation.covered.clone(),
            ..EpochReport::default()
        });
        Ok(())
    }
}

impl Ledger {
    /// Takes what a round inferred, and leaves out what is refuted already.
    fn take(&mut self, inferred: Inferred) -> Vec<Contract> {
        let ids: Vec<ContractId> = inferred.contracts.iter().map(|known| known.id).collect();
        let numbers: Vec<ContractId> = inferred.contracts.iter().map(|c| self.number(c)).collect();
        let numbers: BTreeMap<ContractId, ContractId> = ids.into_iter().zip(numbers).collect();
        self.implied.clear();
        for implied in inferred.implied {
            if let Some(by) = numbers.get(&implied.by) {
                self.implied.entry(*by).or_default().push((implied.kind, implied.expr));
            }
        }
        self.numbered(inferred.contracts)
    }

    fn number(&mut self, contract: &Contract) -> ContractId {
        let claim = (contract.op, contract.kind, contract.expr.clone());
        let next = ContractId(u32::try_from(self.numbers.len() + 1).unwrap_or(u32::MAX));
        *self.numbers.entry(claim).or_insert(next)
    }

    /// Gives a claim the number it had before, and leaves out what is refuted already.
    fn numbered(&mut self, contracts: Vec<Contract>) -> Vec<Contract> {
        let mut kept = Vec::new();
        for contract in contracts {
            let id = self.number(&contract);
            if !self.refuted.contains_key(&id) {
                kept.push(Contract { id, ..contract });
            }
        }
        kept
    }

    /// Takes out what exploration contradicted.
    fn strike(&mut self, contracts: Vec<Contract>, violations: &[Violation]) -> Vec<Contract> {
        let mut standing = Vec::new();
        for contract in contracts {
            match violations.iter().find(|violation| violation.contract == contract.id) {
                Some(violation) => {
                    let by = violation.call.recipe.clone();
                    let verdict = Verdict::Refuted { by, via: Via::Exploration };
                    self.refuted.insert(contract.id, (contract, verdict));
                }
                None => standing.push(contract),
            }
        }
        standing
    }

    /// Puts what was not attacked yet before the rest, otherwise in order.
    fn put_new_first(&self, contracts: &mut [Contract]) {
        let attacked: BTreeSet<_> = self.standing.iter().map(|(known, _)| known.id).collect();
        contracts.sort_by_key(|contract| (attacked.contains(&contract.id), contract.id));
    }

    /// Sorts what was attacked by verdict.
    fn settle(&mut self, contracts: Vec<Contract>, refutation: Refutation) {
        let mut verdicts: BTreeMap<_, _> = refutation.verdicts.into_iter().collect();
        let earlier: BTreeMap<_, _> =
            self.standing.drain(..).map(|(contract, verdict)| (contract.id, verdict)).collect();
        for contract in contracts {
            let budget = Verdict::Unsettled { reason: Unsettled::Budget };
            let mut verdict = verdicts.remove(&contract.id).unwrap_or(budget.clone());
            if verdict == budget {
                // What an earlier round found out is not lost because this one was cut short.
                verdict = earlier.get(&contract.id).cloned().unwrap_or(budget);
            }
            if let Verdict::Refuted { .. } = verdict {
                self.refuted.insert(contract.id, (contract, verdict));
            } else {
                self.standing.push((contract, verdict));
            }
        }
    }

    fn all(&self) -> impl Iterator<Item = &(Contract, Verdict)> {
        self.refuted.values().chain(&self.standing)
    }

    fn contracts(&self) -> Vec<Contract> {
        self.all().map(|(contract, _)| contract.clone()).collect()
    }

    fn verdicts(&self) -> Vec<(ContractId, Verdict)> {
        self.all().map(|(contract, verdict)| (contract.id, verdict.clone())).collect()
    }

    fn close(self, session: &Session<'_>, again: &BTreeMap<ContractId, u64>) -> Settled {
        let attacks = &session.campaign.totals().attacks;
        let mut contracts: Vec<_> = self.all().cloned().collect();
        for (contract, _) in &mut contracts {
            contract.evidence.attacks = attacks.get(&contract.id).copied().unwrap_or(0);
            contract.evidence.again = again.get(&contract.id).copied().unwrap_or(0);
        }
        contracts.sort_by_key(|(contract, _)| (contract.op, contract.id));
        Settled { contracts, invariants: Vec::new(), implied: self.implied }
    }
}

/// Error values that collide with ordinary ones, as faults.
pub(crate) fn sentinel_faults(
    session: &mut Session<'_>,
    cancel: &Cancel,
) -> anyhow::Result<Vec<Fault>> {
    let samples = session.store.samples()?;
    let ground = session.campaign.ground().clone();
    let mut faults = Vec::new();
    for sentinel in sentinels(session.fleet.manifest(), &samples) {
        let seen = samples.get(&sentinel.op).and_then(|seen| seen.get(sentinel.witness));
        let recipe = seen.map(|seen| session.store.recipe_of(seen)).transpose()?.flatten();
        let Some(recipe) = recipe else { continue };
        let op = session.fleet.manifest().ops.get(sentinel.op.0 as usize);
        let names = op.map(ManifestOp::operand_names).unwrap_or_default();
        let text = expr_text(&sentinel.contract, &names, Point::Exit);
        let (op, contract) = (sentinel.op, sentinel.contract);
        let broken = Broken { op, contract, oracle: Oracle::Sentinel(text), recipe };
        let fleet = &mut session.fleet;
        faults.extend(judge_broken(fleet, &broken, &ground, Effort::default(), cancel)?);
    }
    Ok(faults)
}

/// The contract whose violation is the fault, if an answer's last call breaks it.
pub(crate) fn broken_contract(
    manifest: &Manifest,
    oracle: &OracleRecord,
    answers: &[Answer<RunReport>],
) -> Option<String> {
    let OracleRecord::Sentinel { contract } = oracle else { return None };
    let last = answers.iter().filter_map(|answer| answer.done()?.steps.last());
    let mut seen = last.filter_map(|step| step.observation.as_ref());
    let breaks = |seen: &gainsay_wire::Observation| {
        let op = manifest.ops.get(seen.op.0 as usize)?;
        let expr = parse_expr(contract, &op.operand_names(), Point::Exit).ok()?;
        let vocabulary = manifest.vocabulary(seen.op);
        (truth(&expr, &(&vocabulary, seen)) == Truth::False).then_some(())
    };
    seen.find_map(breaks).map(|()| contract.clone())
}
