//! Attacks on the contracts of a round.

use std::{
    collections::BTreeSet,
    time::{Duration, Instant},
};

use gainsay_explore::{SubjectModel, classify};
use gainsay_infer::{Options, Samples, preconditions_where};
use gainsay_model::{
    contract::{Contract, ContractKind},
    event::{About, Stage},
    fault::PanicClass,
};
use gainsay_refute::{
    Branches, Context, FocusSettings, IdleWorkers, Knowledge, Limits, Refutation, refute,
};
use gainsay_report::ReductionFigures;
use gainsay_wire::{
    Check, ContractId, EdgeCount, EpochReport, Expr, Manifest, OpId, PanicPlace, Strategy,
    Violation,
};
use gainsay_workers::Runner as _;

use super::{RefutePlan, Rounds, checks_of, model::Model, watch::demands_of};
use crate::{
    ctx::Ctx,
    error::Result,
    knowledge::{branches::KnownBranches, written::WrittenContracts},
    session::{Session, widen_settings},
};

/// Time that a round has for attacks however short a run is: with less, a run of a few seconds would
/// leave all contracts open.
const LEAST_REFUTE: Duration = Duration::from_secs(3);
/// Calls of one focused epoch where time is the limit. Longer epochs find more by chance, shorter
/// ones leave more room for searches.
const FOCUSED_CALLS: u32 = 600;
/// Attacks on one model in a round, at most: again and again without what fell of it, a model that
/// keeps falling would take the time of the next round's better one.
const INNER: u32 = 3;
/// The number of checks that are no contract of the run; those are numbered from 1.
const UNNUMBERED: ContractId = ContractId(0);

/// The effort of all attacks of a run.
#[derive(Clone, Debug, Default)]
pub(crate) struct Reduction {
    /// Wall time, recording included.
    pub(crate) time: Duration,
    /// The part of it in which calls were running. The parts below go on beside them mostly.
    pub(crate) running: Duration,
    /// Time for searches.
    pub(crate) searching: Duration,
    /// Time for inference of preconditions of parts of the calls.
    pub(crate) inferring: Duration,
    /// Time for recording.
    pub(crate) recording: Duration,
    /// Sequences that were run.
    pub(crate) runs: u64,
    /// Time for the search for each contract in each round.
    pub(crate) searches: Vec<Duration>,
}

impl Reduction {
    fn add_effort(&mut self, refutation: &Refutation, took: Duration) {
        let effort = &refutation.effort;
        self.recording += effort.recording;
        self.inferring += effort.inferring;
        self.time += took;
        self.running += effort.running;
        self.searching += effort.searching;
        self.runs += effort.runs;
        self.searches.extend(refutation.searched.values());
    }

    /// Returns the numbers for the summary.
    pub(crate) fn figures(&self) -> ReductionFigures {
        let mut searches = self.searches.clone();
        searches.sort_unstable();
        let median = searches.get(searches.len() / 2).copied().unwrap_or_default();
        ReductionFigures {
            runs: self.runs,
            seconds: self.time.as_secs_f64(),
            running_seconds: self.running.as_secs_f64(),
            searching_seconds: self.searching.as_secs_f64(),
            inferring_seconds: self.inferring.as_secs_f64(),
            recording_seconds: self.recording.as_secs_f64(),
            median_search_millis: median.as_secs_f64() * 1000.0,
        }
    }
}

/// The model of a round, with the calls that it was learnt from.
pub(crate) struct RoundModel<'a> {
    pub(crate) model: Model,
    pub(crate) samples: &'a Samples,
    pub(crate) plan: RefutePlan,
}

/// Attacks the model of a round until it is quiet: where a contract has fallen, the others of its
/// operation are attacked again without it. Returns the calls of focused epochs that broke what
/// workers watched besides.
pub(crate) fn attack_until_quiet(
    session: &mut Session,
    rounds: &mut Rounds,
    round: RoundModel<'_>,
    ctx: &mut Ctx<'_>,
) -> Result<Vec<Violation>> {
    let RoundModel { samples, model: Model { attacked, granted }, plan } = round;
    let share = session.settings.ordinary_share(1, 8).time.map(|time| time.max(LEAST_REFUTE));
    let deadline = share.map(|time| Instant::now() + time);
    let about = About::Contracts(attacked.len());
    let mut broken = Vec::new();
    ctx.run_stage(Stage::Refute, about, |ctx| {
        ctx.until(deadline, |ctx| {
            let written = WrittenContracts::of(session);
            let branches = KnownBranches::of(session);
            let bound = Model { attacked: Vec::new(), granted: granted.clone() };
            let focus = Focus::of(session, plan);
            let mut standing = attacked;
            for _ in 0..INNER {
                let fallen = rounds.ledger.refuted.keys().copied().collect();
                let attack = Attack {
                    samples,
                    options: &rounds.options,
                    written: &written,
                    branches: &branches,
                    granted: &granted,
                    focus,
                };
                let reduction = &mut rounds.reduction;
                let mut refutation = attack.attack_once(session, &standing, reduction, ctx)?;
                let manifest = session.fleet.manifest();
                let mut violations = std::mem::take(&mut refutation.violations);
                violations.retain(|it| bound.is_kept_by(manifest, &it.call.observation));
                rounds.ledger.take_verdicts(standing, refutation);
                rounds.ledger.strike_standing(&violations);
                broken.append(&mut violations);
                standing = rounds.ledger.standing_beside_fallen(&fallen);
                if standing.is_empty() || ctx.cancel.is_cancelled() {
                    break;
                }
            }
            Ok(())
        })
    })?;
    rounds.ledger.take_granted(granted);
    Ok(broken)
}

/// Focused epochs of a round of attacks: random calls of the attacked operations.
#[derive(Clone, Copy)]
struct Focus {
    calls: u32,
    idle: IdleWorkers,
}

impl Focus {
    /// Returns the focused epochs of a round, if there are any: with a budget in calls, one epoch of
    /// each operation takes an eighth of it.
    fn of(session: &Session, plan: RefutePlan) -> Option<Focus> {
        if session.settings.is_given_suite() {
            return None;
        }
        let ops = session.fleet.manifest().ops.len().max(1) as u64;
        let share = session.settings.ordinary_share(1, 8).calls.map(|calls| calls / ops);
        let calls = share.map_or(Ok(FOCUSED_CALLS), u32::try_from);
        let calls = calls.unwrap_or(u32::MAX).min(FOCUSED_CALLS);
        (calls > 0).then_some(Focus { calls, idle: plan.idle_workers })
    }
}

/// The matter of one attack.
struct Attack<'a> {
    samples: &'a Samples,
    options: &'a Options,
    written: &'a WrittenContracts,
    /// Conditions on which operations decide.
    branches: &'a KnownBranches,
    /// Preconditions that attacks keep.
    granted: &'a [Contract],
    focus: Option<Focus>,
}

impl Attack<'_> {
    fn attack_once(
        &self,
        session: &mut Session,
        contracts: &[Contract],
        reduction: &mut Reduction,
        ctx: &mut Ctx<'_>,
    ) -> Result<Refutation> {
        let began = Instant::now();
        let manifest = session.fleet.manifest().clone();
        let ground = session.campaign.ground().clone();
        let knowledge =
            RoundKnowledge { manifest: &manifest, ground: &ground, contracts, attack: self };
        let focus = self.focus.map(|focus| {
            let mut settings = focus_settings(session, contracts, self.granted, focus);
            settings.settings.requires.extend(written_demands(contracts, self.written));
            // Each round draws others: the runs so far are another number in each.
            FocusSettings { seed: settings.seed ^ reduction.runs, ..settings }
        });
        let mut context = Context {
            store: &mut session.store,
            runner: &mut session.fleet,
            manifest: &manifest,
            knowledge: &knowledge,
            limits: Limits::default(),
            focus,
            cancel: &ctx.cancel,
            on_event: ctx.events,
        };
        let refutation = refute(&mut context, contracts)?;
        take_in(session, &refutation);
        reduction.add_effort(&refutation, began.elapsed());
        Ok(refutation)
    }
}

/// Facts about operations while a round of contracts is attacked.
struct RoundKnowledge<'a> {
    manifest: &'a Manifest,
    ground: &'a SubjectModel,
    contracts: &'a [Contract],
    attack: &'a Attack<'a>,
}

impl RoundKnowledge<'_> {
    fn granted_of(&self, op: OpId) -> impl Iterator<Item = &Expr> {
        let of_op = self.attack.granted.iter().filter(move |contract| contract.op == op);
        of_op.map(|contract| &contract.expr)
    }
}

impl Knowledge for RoundKnowledge<'_> {
    fn requirements(&self, op: OpId) -> Vec<Expr> {
        let mut required = requirements_of(self.contracts, self.attack.written, op);
        required.extend(self.granted_of(op).cloned());
        required
    }

    fn preconditions_where(&self, op: OpId, antecedent: &Expr) -> Vec<Expr> {
        let (samples, options) = (self.attack.samples, self.attack.options);
        let mut found = preconditions_where(self.manifest, samples, op, antecedent, options);
        found.retain(|inferred| self.granted_of(op).all(|known| known != inferred));
        found
    }

    fn branches(&self, op: OpId) -> Branches {
        self.attack.branches.branches_of(op)
    }

    fn owns_panic(&self, op: OpId, place: &PanicPlace) -> bool {
        let class = classify(self.ground, place, self.ground.operation(op));
        matches!(class, PanicClass::Documented | PanicClass::OwnAssertion)
    }
}

/// Returns the known requirements of an operation: the written ones, and the opposite of when it was
/// learnt to panic.
fn requirements_of(contracts: &[Contract], written: &WrittenContracts, op: OpId) -> Vec<Expr> {
    let panics = contracts.iter().filter(|c| c.op == op && c.kind == ContractKind::Panics);
    let mut required: Vec<Expr> = panics.map(|contract| contract.expr.negated()).collect();
    for demand in written.requirements_of(op) {
        // Said twice, it could not be given up as one.
        if required.iter().all(|known| known.normal_form() != demand.normal_form()) {
            required.push(demand);
        }
    }
    required
}

/// Returns the requirements that programmers wrote of operations with contracts.
fn written_demands(contracts: &[Contract], written: &WrittenContracts) -> Vec<Check> {
    let ops: BTreeSet<OpId> = contracts.iter().map(|contract| contract.op).collect();
    let check = |op, expr| Check { contract: UNNUMBERED, op, expr };
    let demands = |op| written.requirements_of(op).map(move |expr| check(op, expr));
    ops.into_iter().flat_map(demands).collect()
}

/// Returns the way in which focused epochs are made: with wide values that have to do with the
/// objects, however the run explores, and contracts under watch besides those that are watched
/// already.
fn focus_settings(
    session: &Session,
    contracts: &[Contract],
    granted: &[Contract],
    focus: Focus,
) -> FocusSettings {
    let mut settings = widen_settings(session.fleet.settings().clone());
    settings.strategy = Strategy::Guided;
    settings.checks.retain(|check| contracts.iter().all(|it| it.id != check.contract));
    settings.checks.extend(checks_of(contracts));
    settings.requires = demands_of(contracts, granted);
    let (seed, barred) = (session.settings.seed, session.campaign.killers());
    let Focus { calls, idle } = focus;
    FocusSettings { settings, seed, calls, barred, idle }
}

/// Keeps the findings and the evidence of attacks: they are calls like others.
fn take_in(session: &mut Session, refutation: &Refutation) {
    let ground = session.campaign.ground().clone();
    let campaign = &mut session.campaign;
    for finding in &refutation.findings {
        campaign.findings_mut().note(&ground, finding);
    }
    if let Some(attacked) = &mut session.attacked {
        attacked.extend(refutation.calls.iter().cloned());
        attacked.extend(refutation.violations.iter().map(|violation| violation.call.clone()));
    }
    for death in &refutation.deaths {
        campaign.findings_mut().note_death(&ground, death);
        campaign.note_killer(death);
    }
    for report in &refutation.epochs {
        campaign.count(report);
    }
    let focused: u64 = refutation.epochs.iter().map(|report| report.calls).sum();
    // Calls of focused epochs were counted with their epochs.
    campaign.count(&EpochReport {
        calls: refutation.effort.runs - focused,
        states: refutation.states.clone(),
        kept: refutation.calls.clone(),
        covered: refutation.covered.clone(),
        // The way to an attack is made again and again: it was observed once.
        observed: refutation.calls.len() as u64,
        edges: EdgeCount::of_all(refutation.calls.iter().map(|call| &call.observation)),
        ..EpochReport::default()
    });
}
