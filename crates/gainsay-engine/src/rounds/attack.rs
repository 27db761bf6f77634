//! One round of attacks on contracts.

use std::{
    collections::BTreeSet,
    time::{Duration, Instant},
};

use gainsay_explore::{SubjectModel, classify};
use gainsay_infer::{Options, Samples, preconditions_where};
use gainsay_model::{
    contract::{Contract, ContractKind},
    event::Event,
    fault::PanicClass,
};
use gainsay_refute::{
    Branches, Context, FocusSettings, IdleWorkers, Knowledge, Limits, Refutation, refute,
};
use gainsay_report::ReductionFigures;
use gainsay_wire::{
    Check, ContractId, EdgeCount, EpochReport, Expr, Manifest, OpId, PanicPlace, Strategy,
};
use gainsay_workers::{Cancel, Runner as _};

use super::{checks, demands};
use crate::{
    branches::KnownBranches,
    error::Result,
    session::{Session, widened},
    written::WrittenContracts,
};

/// For what is no contract of the run; those are numbered from 1.
const UNNUMBERED: ContractId = ContractId(0);

/// What all attacks of a run took.
#[derive(Clone, Debug, Default)]
pub(crate) struct Reduction {
    /// Wall time, recording included.
    pub(crate) time: Duration,
    /// Of this, calls were running. What follows goes on beside them for the most part.
    pub(crate) running: Duration,
    /// Searches.
    pub(crate) searching: Duration,
    /// Inference of preconditions of parts of the calls.
    pub(crate) inferring: Duration,
    /// Recording of what was seen.
    pub(crate) recording: Duration,
    /// Sequences that were run.
    pub(crate) runs: u64,
    /// What searching took for each contract in each round.
    pub(crate) searches: Vec<Duration>,
}

impl Reduction {
    /// In numbers for the summary.
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

/// One round of attacks.
pub(super) struct Attack<'a, 's> {
    pub(super) session: &'a mut Session<'s>,
    pub(super) samples: &'a Samples,
    pub(super) options: &'a Options,
    pub(super) written: &'a WrittenContracts,
    /// On what operations decide.
    pub(super) branches: &'a KnownBranches,
    /// Preconditions that attacks keep.
    pub(super) granted: &'a [Contract],
    /// Calls of each focused epoch, if there are any, and the use of idle workers.
    pub(super) focus: Option<(u32, IdleWorkers)>,
    pub(super) cancel: &'a Cancel,
    pub(super) events: &'a mut dyn FnMut(Event),
    pub(super) reduction: &'a mut Reduction,
}

impl Attack<'_, '_> {
    pub(super) fn run(self, contracts: &[Contract]) -> Result<Refutation> {
        let began = Instant::now();
        let manifest = self.session.fleet.manifest().clone();
        let ground = self.session.campaign.ground().clone();
        let knowledge = RoundKnowledge {
            manifest: &manifest,
            ground: &ground,
            contracts,
            samples: self.samples,
            options: self.options,
            written: self.written,
            branches: self.branches,
            granted: self.granted,
        };
        let focus = self.focus.map(|how| {
            let mut focus = self.session.focus_settings(contracts, self.granted, how);
            focus.settings.requires.extend(written_demands(contracts, self.written));
            FocusSettings { seed: focus.seed ^ self.reduction.runs, ..focus }
        });
        let mut context = Context {
            store: &mut self.session.store,
            runner: &mut self.session.fleet,
            manifest: &manifest,
            knowledge: &knowledge,
            limits: Limits::default(),
            focus,
            cancel: self.cancel,
            on_event: self.events,
        };
        let refutation = refute(&mut context, contracts)?;
        let reduction = self.reduction;
        self.session.take_in(&refutation);
        reduction.recording += refutation.effort.recording;
        reduction.inferring += refutation.effort.inferring;
        reduction.time += began.elapsed();
        reduction.running += refutation.effort.running;
        reduction.searching += refutation.effort.searching;
        reduction.runs += refutation.effort.runs;
        reduction.searches.extend(refutation.searched.values());
        Ok(refutation)
    }
}

/// Facts about operations while a round of contracts is attacked.
struct RoundKnowledge<'a> {
    manifest: &'a Manifest,
    ground: &'a SubjectModel,
    contracts: &'a [Contract],
    samples: &'a Samples,
    options: &'a Options,
    written: &'a WrittenContracts,
    branches: &'a KnownBranches,
    granted: &'a [Contract],
}

impl RoundKnowledge<'_> {
    fn granted_of(&self, op: OpId) -> impl Iterator<Item = &Expr> {
        let of_op = self.granted.iter().filter(move |contract| contract.op == op);
        of_op.map(|contract| &contract.expr)
    }
}

impl Knowledge for RoundKnowledge<'_> {
    fn requirements(&self, op: OpId) -> Vec<Expr> {
        let mut required = requirements(self.contracts, self.written, op);
        required.extend(self.granted_of(op).cloned());
        required
    }

    fn preconditions_where(&self, op: OpId, antecedent: &Expr) -> Vec<Expr> {
        let (samples, options) = (self.samples, self.options);
        let mut found = preconditions_where(self.manifest, samples, op, antecedent, options);
        found.retain(|inferred| self.granted_of(op).all(|known| known != inferred));
        found
    }

    fn branches(&self, op: OpId) -> Branches {
        self.branches.of_operation(op)
    }

    fn owns_panic(&self, op: OpId, place: &PanicPlace) -> bool {
        let class = classify(self.ground, place, self.ground.operation(op));
        matches!(class, PanicClass::Documented | PanicClass::OwnAssertion)
    }
}

/// What is known to be required: what is written, and the opposite of when the operation was
/// learnt to panic.
fn requirements(contracts: &[Contract], written: &WrittenContracts, op: OpId) -> Vec<Expr> {
    let panics = contracts.iter().filter(|c| c.op == op && c.kind == ContractKind::Panics);
    let mut required: Vec<Expr> = panics.map(|contract| contract.expr.negated()).collect();
    for demand in written.requirements(op) {
        // Said twice, it could not be given up as one.
        if required.iter().all(|known| known.normal_form() != demand.normal_form()) {
            required.push(demand);
        }
    }
    required
}

/// What programmers wrote of what operations with contracts ask for.
fn written_demands(contracts: &[Contract], written: &WrittenContracts) -> Vec<Check> {
    let ops: BTreeSet<OpId> = contracts.iter().map(|contract| contract.op).collect();
    let check = |op, expr| Check { contract: UNNUMBERED, op, expr };
    let demands = |op| written.requirements(op).map(move |expr| check(op, expr));
    ops.into_iter().flat_map(demands).collect()
}

impl Session<'_> {
    /// The way focused epochs are made: with wide values that have to do with the objects, however the run
    /// explores, and contracts under watch besides what is watched already.
    fn focus_settings(
        &self,
        contracts: &[Contract],
        granted: &[Contract],
        (calls, idle): (u32, IdleWorkers),
    ) -> FocusSettings {
        let mut settings = widened(self.fleet.settings().clone());
        settings.strategy = Strategy::Guided;
        settings.checks.retain(|check| contracts.iter().all(|it| it.id != check.contract));
        settings.checks.extend(checks(contracts));
        settings.requires = demands(contracts, granted);
        let (seed, barred) = (self.seed, self.campaign.killers());
        FocusSettings { settings, seed, calls, barred, idle }
    }

    /// Keeps what attacks brought to light.
    fn take_in(&mut self, refutation: &Refutation) {
        let ground = self.campaign.ground().clone();
        for finding in &refutation.findings {
            self.campaign.findings_mut().note(&ground, finding);
        }
        if let Some(attacked) = &mut self.attacked {
            attacked.extend(refutation.calls.iter().cloned());
            attacked.extend(refutation.violations.iter().map(|violation| violation.call.clone()));
        }
        for death in &refutation.deaths {
            self.campaign.findings_mut().note_death(&ground, death);
            self.campaign.note_killer(death);
        }
        for report in &refutation.epochs {
            self.campaign.count(report);
        }
        let focused: u64 = refutation.epochs.iter().map(|report| report.calls).sum();
        self.campaign.count(&EpochReport {
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
}
