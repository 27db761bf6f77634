//! Puts the results of all stages together as one record.

use std::collections::BTreeMap;

use gainsay_explore::{Judged, Territory};
use gainsay_harness::Harness;
use gainsay_infer::{Samples, invariant_text};
use gainsay_model::{
    contract::{ContractKind, Verdict},
    event::StopReason,
    fault::IllegalUse,
};
use gainsay_report::{
    Built, Catalogue, CheckedLaw, ContractCounts, ContractRecord, DemotedView, FaultRecord,
    Illegal, IllegalRecord, OperationRecord, Operations, RunRecord, StageTime, SubjectName,
    Summary, TypeInvariant, TypeViews, VERSION, beyond_default,
};
use gainsay_wire::{
    Expr, Manifest, ManifestOp, ManifestQuery, ManifestType, Observation, OpCount, OpId, Outcome,
    PanicPlace, Standing, Strategy, Truth, TypeId, expr_text, truth,
};
use gainsay_workers::Runner as _;

use crate::{rounds::Settled, session::Session, written::WrittenContracts};

/// The record of a run.
pub(crate) fn record(
    session: Session<'_>,
    settled: &Settled,
    judged: &Judged,
    stop: StopReason,
    stages: Vec<StageTime>,
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
        seed: session.seed,
        strategy: strategy(&session).to_owned(),
        stop_reason: stop,
        sandbox: session.fleet.protection().parts.iter().map(|part| part.name().into()).collect(),
        operations: operations(&session),
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
        types: types(&session, settled),
        rebuilt: None,
        gain: None,
        faults: Vec::new(),
        gone: Vec::new(),
        illegal: illegal(&session, settled, judged),
        contracts: counts(settled, &written),
        reduction: settled.reduction.figures(),
        stages,
    };
    let mut record = RunRecord::new(root, summary, spellings);
    record.dependencies.clone_from(&session.api.dependencies);
    record.features.clone_from(&session.api.subject.features);
    record.faults = faults(judged, &manifest);
    let contracts = settled.contracts.iter().map(|(contract, verdict)| {
        let implied = settled.implied.get(&contract.id).map_or(&[][..], Vec::as_slice);
        ContractRecord {
            written: written.place(contract),
            ..ContractRecord::new(contract, verdict, &manifest, record.book()).implying(implied)
        }
    });
    record.contracts = contracts.collect();
    record.summary.faults = record.faults.iter().map(|f| f.entry(record.book())).collect();
    let calls = record.summary.calls as f64;
    record.summary.cpu_seconds = session.finish();
    let cpu = record.summary.cpu_seconds.filter(|cpu| *cpu > 0.0);
    record.summary.calls_per_cpu_second = cpu.map(|cpu| calls / cpu);
    record
}

/// What nobody can wave away first.
fn faults(judged: &Judged, manifest: &Manifest) -> Vec<FaultRecord> {
    let records = judged.faults.iter().map(|fault| FaultRecord::new(fault, manifest));
    let mut records: Vec<FaultRecord> = records.collect();
    records.sort_by(|a, b| a.rank().cmp(&b.rank()));
    records
}

fn strategy(session: &Session<'_>) -> &'static str {
    match session.fleet.settings().strategy {
        Strategy::Guided => "guided",
        Strategy::Uniform => "uniform",
    }
}

/// What calibration made of the views of each type.
fn types(session: &Session<'_>, settled: &Settled) -> Vec<TypeViews> {
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
            laws: laws(session, ty),
        }
    };
    (0..).map(TypeId).zip(&manifest.types).map(one).collect()
}

/// How laws fared on the objects of a type.
fn laws(session: &Session<'_>, ty: TypeId) -> Vec<CheckedLaw> {
    let totals = session.campaign.totals().laws.iter().filter(|((of, _), _)| *of == ty);
    let laws = totals.map(|((_, law), (standing, checked, broken))| CheckedLaw {
        law: law.clone(),
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

/// One record per callable, instantiations summed.
fn operations(session: &Session<'_>) -> Operations {
    let catalogue = Catalogue::new(session.api, Some(&built(session.harness)));
    let mut counts: BTreeMap<&str, OpCount> = BTreeMap::new();
    let totals = &session.campaign.totals().ops;
    for (i, harnessed) in session.harness.operations.iter().enumerate() {
        let operation = harnessed.api.and_then(|at| session.api.operations.get(at));
        if let Some(operation) = operation.filter(|operation| operation.counted) {
            let count = totals.get(i).copied().unwrap_or_default();
            add(counts.entry(&operation.path).or_default(), count);
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

/// What became of discovered operations.
pub(crate) fn built(harness: &Harness) -> Built {
    Built {
        operations: harness.operations.iter().filter_map(|op| op.api).collect(),
        skips: harness.skips.clone(),
    }
}

fn add(sum: &mut OpCount, count: OpCount) {
    sum.called += count.called;
    sum.returned += count.returned;
    sum.failed += count.failed;
    sum.panicked += count.panicked;
}

fn counts(settled: &Settled, written: &WrittenContracts) -> ContractCounts {
    let mut counts = ContractCounts::default();
    for (contract, verdict) in &settled.contracts {
        if written.place(contract).is_some() {
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

fn illegal(session: &Session<'_>, settled: &Settled, judged: &Judged) -> Illegal {
    // Without observations a place is told by its message.
    let samples = session.store.samples().unwrap_or_default();
    let record = |seen: &IllegalUse| IllegalRecord {
        operation: seen.operation.clone(),
        class: seen.class,
        place: seen.place.as_ref().map_or_else(String::new, |place| shown_place(session, place)),
        message: seen.message.clone(),
        condition: condition(session, (settled, &samples), seen),
    };
    Illegal::of(judged.illegal.iter().map(record).collect())
}

/// Where it panicked, unless the operation blames its caller: the generated code is nobody's
/// business.
fn shown_place(session: &Session<'_>, place: &PanicPlace) -> String {
    let ground = session.campaign.ground();
    match ground.territory(&place.file) {
        Territory::Harness => String::new(),
        _ => format!("{}:{}", ground.short_file(&place.file), place.line),
    }
}

/// When the operation was learnt to panic for this reason, if that was not refuted: what held on
/// every call that did.
fn condition(
    session: &Session<'_>,
    (settled, samples): (&Settled, &Samples),
    seen: &IllegalUse,
) -> Option<String> {
    let place = seen.place.as_ref()?;
    let calls: Vec<&Observation> =
        samples.get(&seen.op)?.iter().filter(|c| is_at(c, place)).collect();
    let vocabulary = session.fleet.manifest().vocabulary(seen.op);
    let holds = |expr: &Expr| {
        let mut truths = calls.iter().map(|call| truth(expr, &(&vocabulary, *call)));
        !calls.is_empty() && truths.all(|truth| truth == Truth::True)
    };
    let learnt = settled.contracts.iter().find(|(contract, verdict)| {
        contract.op == seen.op
            && contract.kind == ContractKind::Panics
            && !matches!(verdict, Verdict::Refuted { .. })
            && holds(&contract.expr)
    });
    let op = session.fleet.manifest().ops.get(seen.op.0 as usize);
    let names = op.map(ManifestOp::operand_names).unwrap_or_default();
    learnt.map(|(contract, _)| expr_text(&contract.expr, &names, contract.kind.point()))
}

/// Whether a call panicked at a place with such a message; numbers in it differ from call to call.
fn is_at(call: &Observation, place: &PanicPlace) -> bool {
    let words = |text: &str| text.chars().filter(|c| !c.is_ascii_digit()).collect::<String>();
    matches!(&call.outcome, Outcome::Panicked(seen)
        if (&seen.file, seen.line) == (&place.file, place.line)
            && words(&seen.message) == words(&place.message))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_told_by_line_and_message_whatever_the_numbers() {
        let place = |line, message: &str| PanicPlace {
            file: "src/lib.rs".into(),
            line,
            message: message.into(),
            changed: false,
        };
        let call = |place| Observation {
            op: OpId(0),
            outcome: Outcome::Panicked(place),
            values: vec![],
            objects: vec![],
            made: vec![],
            freed: Vec::new(),
        };
        let seen = call(place(7, "index 12 of 3"));
        assert!(is_at(&seen, &place(7, "index 4 of 15")));
        assert!(!is_at(&seen, &place(8, "index 12 of 3")));
        assert!(!is_at(&seen, &place(7, "end 12 of 3")));
    }
}
