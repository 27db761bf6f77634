//! Infer and refute, round after round, until nothing new comes of it.

mod attack;
mod audit;
mod ledger;
mod mode;
mod reduce;
mod shorten;

use std::{
    collections::{BTreeMap, BTreeSet},
    num::NonZero,
    time::{Duration, Instant},
};

use gainsay_explore::{Broken, Budget, Effort, judge_broken};
use gainsay_infer::{Invariant, Options, Samples, infer, invariants, sentinels};
use gainsay_model::{
    contract::{Contract, ContractKind, Verdict},
    event::Stage,
    fault::Fault,
};
use gainsay_refute::IdleWorkers;
use gainsay_report::OracleRecord;
use gainsay_wire::{
    Check, ContractId, Expr, Manifest, ManifestOp, Oracle, Point, RunReport, Truth, Violation,
    expr_text, parse_expr, truth,
};
use gainsay_workers::{Answer, Cancel, Runner as _};

use self::{attack::Attack, ledger::Ledger, mode::Model};
pub(crate) use self::{attack::Reduction, audit::recorded, reduce::reduce};
use crate::{
    branches::KnownBranches, clock::Clock, error::Result, invariants::Facts, session::Session,
    settings::RunSettings, written::WrittenContracts,
};

/// However short a run is, so much time a round has to attack contracts.
const LEAST_REFUTE: Duration = Duration::from_secs(3);
/// Calls of one focused epoch where time is the limit.
const FOCUSED_CALLS: u32 = 600;
/// A model is attacked again without what fell of it at most so often in a round.
const INNER: u32 = 3;
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
    /// What attacks took.
    pub(crate) reduction: Reduction,
}

/// Runs rounds.
pub(crate) fn run(
    session: &mut Session<'_>,
    settings: &RunSettings,
    cancel: &Cancel,
    clock: &mut Clock<'_>,
) -> Result<Settled> {
    if let Some(path) = &settings.audit {
        return audit::run(session, settings, path, cancel, clock);
    }
    let options = options(settings);
    let (mut ledger, mut reduction) = (Ledger::default(), Reduction::default());
    let began = Instant::now();
    for round in 0..settings.rounds {
        // The first phase had half of the time, the second campaign has an eighth, and counterexamples
        // are made shorter in a sixteenth; the first round is always run.
        let is_late = settings.share(5, 16).time.is_some_and(|time| began.elapsed() >= time);
        if cancel.is_interrupted() || (round > 0 && is_late) {
            break;
        }
        let (samples, contracts) = learn(session, round, &options, (&mut ledger, clock))?;
        let known = ledger.refuted.len();
        let mut model = Model::new(settings.mode, contracts);
        let about = format!("{} contracts under watch", model.attacked.len());
        let budget = settings.share(1, 8);
        model.attacked =
            watch(session, settings, cancel, clock, (&mut ledger, &model, budget, &about))?;
        let watched = &session.campaign.totals().attacks;
        for contract in &mut model.attacked {
            contract.evidence.attacks = watched.get(&contract.id).copied().unwrap_or(0);
        }
        ledger.restrict(&model.attacked);
        ledger.put_new_first(&mut model.attacked);
        let mut siege = Siege { session, settings, samples: &samples, options: &options };
        siege.lay(model, cancel, clock, (&mut ledger, &mut reduction))?;
        session.store.record_contracts(&ledger.contracts())?;
        session.store.record_verdicts(&ledger.verdicts())?;
        if ledger.refuted.len() == known {
            break;
        }
    }
    let mut facts = Facts::new(type_invariants(session, settings)?);
    let again = second_campaign(session, settings, cancel, clock, (&mut ledger, &mut facts))?;
    if !settings.is_given_suite() {
        ledger.weigh(&session.campaign.totals().attacks);
    }
    shorten::run(session, settings, cancel, clock, &mut ledger)?;
    session.store.record_contracts(&ledger.contracts())?;
    session.store.record_verdicts(&ledger.verdicts())?;
    let invariants = facts.without_fallen(type_invariants(session, settings)?);
    Ok(Settled { invariants, reduction, ..ledger.close(session, &again) })
}

/// What the calls so far suggest, for a round of attacks.
fn learn(
    session: &Session<'_>,
    round: u32,
    options: &Options,
    (ledger, clock): (&mut Ledger, &mut Clock<'_>),
) -> Result<(Samples, Vec<Contract>)> {
    clock.stage(Stage::Infer, format!("round {}", round + 1), |_| {
        let samples = first_instantiations(session, session.store.samples()?);
        let inferred = infer(session.fleet.manifest(), &samples, options);
        Ok((samples, ledger.take(inferred)))
    })
}

fn options(settings: &RunSettings) -> Options {
    let least = if settings.is_given_suite() { 1 } else { Options::default().min_distinct };
    Options { min_distinct: least, jobs: NonZero::new(settings.jobs), ..Options::default() }
}

/// Attacks on the contracts of one round.
struct Siege<'a, 's> {
    session: &'a mut Session<'s>,
    settings: &'a RunSettings,
    samples: &'a Samples,
    options: &'a Options,
}

impl Siege<'_, '_> {
    /// Attacks a model, and what it shook again without what fell, until it is quiet. Returns the calls
    /// of focused epochs that broke what workers watched besides.
    fn lay(
        &mut self,
        model: Model,
        cancel: &Cancel,
        clock: &mut Clock<'_>,
        (ledger, reduction): (&mut Ledger, &mut Reduction),
    ) -> Result<Vec<Violation>> {
        let mut broken = Vec::new();
        let about = format!("{} contracts", model.attacked.len());
        clock.stage(Stage::Refute, about, |events| {
            let share = self.settings.share(1, 8).time.map(|time| time.max(LEAST_REFUTE));
            let deadline = share.map(|time| cancel.until(Instant::now() + time));
            let cancel = deadline.as_ref().unwrap_or(cancel);
            let written = WrittenContracts::of(self.session);
            let branches = KnownBranches::of(self.session);
            let granted = Model { attacked: Vec::new(), granted: model.granted.clone() };
            let mut standing = model.attacked;
            let focus = focused_calls(self.settings, self.session);
            for _ in 0..INNER {
                let fallen = ledger.refuted.keys().copied().collect();
                let attack = Attack {
                    session: self.session,
                    samples: self.samples,
                    options: self.options,
                    written: &written,
                    branches: &branches,
                    granted: &model.granted,
                    focus,
                    cancel,
                    events,
                    reduction,
                };
                let mut refutation = attack.run(&standing)?;
                let manifest = self.session.fleet.manifest();
                let mut violations = std::mem::take(&mut refutation.violations);
                violations.retain(|it| granted.is_kept(manifest, &it.call.observation));
                ledger.settle(standing, refutation);
                ledger.contradict(&violations);
                broken.append(&mut violations);
                standing = ledger.shaken(&fallen);
                if standing.is_empty() || cancel.is_cancelled() {
                    break;
                }
            }
            Ok(())
        })?;
        ledger.grant(model.granted);
        Ok(broken)
    }
}

/// Calls of one focused epoch: with a budget in calls, one epoch of each operation takes an eighth of
/// it, and idle workers wait.
fn focused_calls(settings: &RunSettings, session: &Session<'_>) -> Option<(u32, IdleWorkers)> {
    if settings.is_given_suite() {
        return None;
    }
    let ops = session.fleet.manifest().ops.len().max(1) as u64;
    let share = settings.share(1, 8).calls.map(|calls| calls / ops);
    let calls = share.map_or(Ok(FOCUSED_CALLS), u32::try_from);
    let calls = calls.unwrap_or(u32::MAX).min(FOCUSED_CALLS);
    // A measurement attacks for a part of the time that its calls took.
    let is_timed = share.is_none() || settings.gain.is_some();
    let idle = if is_timed { IdleWorkers::Explore } else { IdleWorkers::Wait };
    (calls > 0).then_some((calls, idle))
}

/// What is true of all objects, in all states that any campaign saw.
fn type_invariants(session: &Session<'_>, settings: &RunSettings) -> Result<Vec<Invariant>> {
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
) -> Result<BTreeMap<ContractId, u64>> {
    if settings.is_given_suite() || cancel.is_interrupted() {
        return Ok(BTreeMap::new());
    }
    let before = session.campaign.totals().attacks.clone();
    session.campaign.begin_again(session.seed ^ OTHER_SEED);
    session.widen()?;
    let (standing, verdicts): (Vec<_>, Vec<_>) = ledger.standing.drain(..).unzip();
    let verdicts: BTreeMap<_, _> =
        standing.iter().map(|contract: &Contract| contract.id).zip(verdicts).collect();
    let about = "again with another seed";
    let mut model = Model::new(settings.mode, standing);
    model.attacked.extend(facts.contracts(session.fleet.manifest()));
    let budget = settings.share(1, 8);
    let mut standing = watch(session, settings, cancel, clock, (ledger, &model, budget, about))?;
    facts.settle(&standing);
    standing.extend(model.granted);
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
    (ledger, model, budget, about): (&mut Ledger, &Model, Budget, &str),
) -> Result<Vec<Contract>> {
    let contracts = model.attacked.clone();
    if settings.is_given_suite() {
        return Ok(contracts);
    }
    session.watch(checks(&contracts), demands(&contracts, &model.granted))?;
    let (_, mut violations) = clock.stage(Stage::Explore, about.to_owned(), |events| {
        session.explore_more(budget, cancel, events)
    })?;
    let manifest = session.fleet.manifest();
    violations.retain(|violation| model.is_kept(manifest, &violation.call.observation));
    let calls: Vec<_> = violations.iter().map(|violation| violation.call.clone()).collect();
    session.store.record_calls(&[], &calls)?;
    Ok(ledger.strike(contracts, &violations))
}

/// What workers hold passing calls to. What passes contradicts that it panics.
pub(crate) fn checks(contracts: &[Contract]) -> Vec<Check> {
    let check = |contract: &Contract| match contract.kind {
        ContractKind::Panics => as_check(contract, contract.expr.negated()),
        _ => as_check(contract, contract.expr.clone()),
    };
    contracts.iter().map(check).collect()
}

/// What most calls are made to keep: that an operation does not panic, and what is granted.
fn demands(contracts: &[Contract], granted: &[Contract]) -> Vec<Check> {
    let panics = contracts.iter().filter(|contract| contract.kind == ContractKind::Panics);
    let unless = panics.map(|contract| as_check(contract, contract.expr.negated()));
    let granted = granted.iter().map(|contract| as_check(contract, contract.expr.clone()));
    unless.chain(granted).collect()
}

fn as_check(contract: &Contract, expr: Expr) -> Check {
    Check { contract: contract.id, op: contract.op, expr }
}

/// Error values that collide with ordinary ones, as faults.
pub(crate) fn sentinel_faults(session: &mut Session<'_>, cancel: &Cancel) -> Result<Vec<Fault>> {
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
    // Of a call that does not return nothing is promised, but perhaps that it does not.
    let passed = last.filter(|step| step.outcome.returned());
    let mut seen = passed.filter_map(|step| step.observation.as_ref());
    let breaks = |seen: &gainsay_wire::Observation| {
        let op = manifest.ops.get(seen.op.0 as usize)?;
        let expr = parse_expr(contract, &op.operand_names(), Point::Exit).ok()?;
        let vocabulary = manifest.vocabulary(seen.op);
        (truth(&expr, &(&vocabulary, seen)) == Truth::False).then_some(())
    };
    seen.find_map(breaks).map(|()| contract.clone())
}

#[cfg(test)]
mod tests {
    use gainsay_wire::{
        Lending, ManifestParam, Observation, OpId, Outcome, PanicPlace, Role, StepReport, Value,
    };

    use super::*;

    /// The last call of a run, given a number.
    fn called(number: i128, outcome: Outcome) -> Answer<RunReport> {
        let values = vec![Value::Int(number), Value::Unit];
        let (objects, made) = (Vec::new(), Vec::new());
        let seen = Observation {
            op: OpId(0),
            outcome: outcome.clone(),
            values,
            objects,
            made,
            freed: Vec::new(),
        };
        let steps = vec![StepReport { outcome, observation: Some(seen) }];
        Answer::Done(RunReport { steps, ..RunReport::default() })
    }

    #[test]
    fn a_call_that_panics_as_promised_breaks_no_promise() {
        let op = ManifestOp {
            name: "take".into(),
            names: vec!["n".into()],
            params: vec![ManifestParam::Plain("u8".into())],
            makes: Vec::new(),
            lending: Lending::Inherited,
            role: Role::Ordinary,
        };
        let manifest = Manifest { types: Vec::new(), ops: vec![op] };
        // How it is checked that `take` panics when it is given 3.
        let oracle = OracleRecord::Sentinel { contract: "n != 3".into() };
        let broken =
            |number, outcome| broken_contract(&manifest, &oracle, &[called(number, outcome)]);
        let place =
            PanicPlace { file: "src/lib.rs".into(), line: 1, message: "no".into(), changed: false };
        assert_eq!(broken(3, Outcome::Returned).as_deref(), Some("n != 3"));
        assert_eq!(broken(3, Outcome::Panicked(place)), None);
        assert_eq!(broken(4, Outcome::Returned), None);
    }
}
