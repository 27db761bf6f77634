//! Puts the results of all stages together as one record.

mod illegal_uses;

use std::collections::BTreeMap;

use gainsay_explore::Judged as Judgement;
use gainsay_harness::Harness;
use gainsay_infer::invariant_text;
use gainsay_model::{contract::Verdict, event::StopReason};
use gainsay_report::{
    Built, Catalogue, CheckedLaw, ContractCounts, ContractRecord, DemotedView, FaultRecord,
    OperationRecord, Operations, RunRecord, SubjectName, Summary, TypeInvariant, TypeViews,
    VERSION, beyond_default,
};
use gainsay_wire::{
    Manifest, ManifestQuery, ManifestType, OpCount, OpId, Standing, Strategy, TypeId,
};
use gainsay_workers::Runner as _;

use crate::{
    ctx::Clock, knowledge::written::WrittenContracts, rounds::SettledContracts, session::Session,
};
use illegal_uses::list_illegal;

/// Puts the record of a run together.
pub(crate) fn summarize(
    session: Session,
    settled: &SettledContracts,
    judged: &Judgement,
    stop: StopReason,
    clock: &Clock,
) -> RunRecord {
    let spellings = session.harness.operations.iter().map(|op| op.spelling.clone()).collect();
    let root = session.api.subject.root.clone();
    let manifest = session.fleet.manifest().clone();
    let totals = session.campaign.totals();
    let written = WrittenContracts::of(&session);
    let summary = Summary {
        version: VERSION,
        subject: SubjectName::of(&session.api.subject),
        features: beyond_default(&session.api.subject.features),
        seed: session.settings.seed,
        strategy: strategy_name(&session).to_owned(),
        stop_reason: stop,
        sandbox: session.fleet.protection().parts.iter().map(|part| part.name().into()).collect(),
        operations: count_operations(&session),
        calls: totals.calls,
        injected_calls: totals.injected,
        cpu_seconds: None,
        calls_per_cpu_second: None,
        states: totals.states(),
        transitions: totals.transitions(),
        views: session.view_set(),
        covered: totals.covered(),
        coverable: totals.coverable(),
        covered_by_exploration: session.covered_before,
        types: list_views(&session, settled),
        faults: Vec::new(),
        gone: Vec::new(),
        illegal: list_illegal(&session, settled, judged),
        contracts: count_contracts(settled, &written),
        reduction: settled.reduction.figures(),
        stages: clock.stage_times(),
    };
    let mut record = RunRecord::new(root, summary, spellings);
    record.dependencies.clone_from(&session.api.dependencies);
    record.features.clone_from(&session.api.subject.features);
    record.faults = ranked_faults(judged, &manifest);
    let contracts = settled.contracts.iter().map(|(contract, verdict)| {
        let implied = settled.implied.get(&contract.id).map_or(&[][..], Vec::as_slice);
        ContractRecord {
            written: written.place_of(contract),
            ..ContractRecord::new(contract, verdict, &manifest, record.book()).implying(implied)
        }
    });
    record.contracts = contracts.collect();
    record.summary.faults = record.faults.iter().map(|f| f.entry(record.book())).collect();
    let calls = record.summary.calls as f64;
    // Last of all: whatever else is to be known of the workers must be known by now.
    record.summary.cpu_seconds = session.end_workers();
    // A run of a few calls may take less time than the system counts.
    let cpu = record.summary.cpu_seconds.filter(|cpu| *cpu > 0.0);
    record.summary.calls_per_cpu_second = cpu.map(|cpu| calls / cpu);
    record
}

/// Returns the faults, those first that nobody can wave away.
fn ranked_faults(judged: &Judgement, manifest: &Manifest) -> Vec<FaultRecord> {
    let records = judged.faults.iter().map(|fault| FaultRecord::new(fault, manifest));
    let mut records: Vec<FaultRecord> = records.collect();
    records.sort_by(|a, b| a.rank().cmp(&b.rank()));
    records
}

fn strategy_name(session: &Session) -> &'static str {
    match session.fleet.settings().strategy {
        Strategy::Guided => "guided",
        Strategy::Uniform => "uniform",
    }
}

/// Lists the views of each type as calibration left them.
fn list_views(session: &Session, settled: &SettledContracts) -> Vec<TypeViews> {
    let (manifest, demotions) = (session.fleet.manifest(), session.campaign.demotions());
    let sharing = &session.fleet.settings().sharing;
    let one = |(ty, entry): (TypeId, &ManifestType)| {
        let active = entry.queries.iter().filter(|query| query.active);
        let (state, relations): (Vec<_>, Vec<_>) = active.partition(|query| query.param.is_none());
        let names = |queries: Vec<&ManifestQuery>| {
            queries.into_iter().map(|query| query.name.clone()).collect()
        };
        let demoted = demotions.iter().filter(|demotion| demotion.ty == ty);
        let demoted = demoted.map(|d| DemotedView { query: d.query.clone(), reason: d.reason });
        TypeViews {
            r#type: entry.name.clone(),
            state: names(state),
            relations: names(relations),
            demoted: demoted.collect(),
            shares: sharing.contains(&ty),
            invariants: settled
                .invariants
                .iter()
                .filter(|invariant| invariant.ty == ty)
                .map(|known| TypeInvariant { text: invariant_text(known), states: known.states })
                .collect(),
            laws: list_laws(session, ty),
        }
    };
    (0..).map(TypeId).zip(&manifest.types).map(one).collect()
}

/// Lists the laws that were checked on the objects of a type.
fn list_laws(session: &Session, ty: TypeId) -> Vec<CheckedLaw> {
    let totals = session.campaign.totals().laws.iter().filter(|((of, _), _)| *of == ty);
    let laws = totals.map(|((_, law), (standing, checked, broken))| CheckedLaw {
        law: law.to_string(),
        rests_on: match standing {
            Standing::Trait => "trait",
            Standing::Name => "name",
            Standing::Convention => "convention",
            Standing::Guess => "guess",
        }
        .to_owned(),
        checked: *checked,
        broken: *broken,
        followed: standing.is_law(*checked, *broken),
    });
    laws.collect()
}

/// Returns one record per callable, instantiations summed.
fn count_operations(session: &Session) -> Operations {
    let catalogue = Catalogue::new(&session.api, Some(&built_operations(&session.harness)));
    let mut counts: BTreeMap<&str, OpCount> = BTreeMap::new();
    let totals = &session.campaign.totals().ops;
    for (i, harnessed) in session.harness.operations.iter().enumerate() {
        let operation = harnessed.api.and_then(|at| session.api.operations.get(at));
        // Functions that only make values, of dependencies too, are no part of what the crate offers.
        if let Some(operation) = operation.filter(|operation| operation.counted) {
            let count = totals.get(i).copied().unwrap_or_default();
            add_count(counts.entry(&operation.path).or_default(), count);
        }
    }
    let count = |path: &str| counts.get(path).copied().unwrap_or_default();
    let entries = catalogue.operations.iter();
    let mut records: Vec<OperationRecord> =
        entries.map(|entry| OperationRecord::new(entry, count(&entry.path))).collect();
    for (i, harnessed) in session.harness.operations.iter().enumerate() {
        let operation = harnessed.api.and_then(|at| session.api.operations.get(at));
        let path = operation.map(|operation| operation.path.as_str());
        let record = records.iter_mut().find(|record| Some(record.path.as_str()) == path);
        let (Some(record), Ok(op)) = (record, u32::try_from(i)) else { continue };
        for (manner, count) in session.campaign.findings().deaths_of(OpId(op)) {
            record.add_deaths(manner, count);
        }
    }
    Operations::of(catalogue.public, catalogue.r#unsafe, records)
}

/// Returns the discovered operations that rustc accepted, and the reasons for the others.
pub(crate) fn built_operations(harness: &Harness) -> Built {
    Built {
        operations: harness.operations.iter().filter_map(|op| op.api).collect(),
        skips: harness.skips.clone(),
    }
}

fn add_count(sum: &mut OpCount, count: OpCount) {
    sum.called += count.called;
    sum.returned += count.returned;
    sum.failed += count.failed;
    sum.panicked += count.panicked;
}

fn count_contracts(settled: &SettledContracts, written: &WrittenContracts) -> ContractCounts {
    let mut counts = ContractCounts::default();
    for (contract, verdict) in &settled.contracts {
        // What the programmer wrote was not learnt, whatever became of it.
        if written.place_of(contract).is_some() {
            counts.written += 1;
            continue;
        }
        counts.inferred += 1;
        *match verdict {
            Verdict::Upheld { .. } => &mut counts.upheld,
            Verdict::Refuted { .. } => &mut counts.refuted,
            Verdict::RealPrecondition { .. } => &mut counts.real_preconditions,
            Verdict::Unsettled { .. } => &mut counts.unsettled,
        } += 1;
    }
    counts
}
