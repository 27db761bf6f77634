//! Contracts and invariants that another run recorded, in the vocabulary of this one.

use std::path::Path;

use anyhow::Context as _;
use gainsay_infer::Invariant;
use gainsay_model::contract::Contract;
use gainsay_report::{ContractRecord, RunRecord};
use gainsay_wire::{ContractId, Manifest, Names, OpId, Point, TypeId, parse_expr};

/// Reads a `run.json`.
pub(super) fn load_record(path: &Path) -> anyhow::Result<RunRecord> {
    let text = std::fs::read(path).with_context(|| format!("cannot read `{}`", path.display()))?;
    serde_json::from_slice(&text)
        .with_context(|| format!("`{}` is no record of a run", path.display()))
}

/// Returns the contracts that were not refuted, as far as this run has words for them.
pub(super) fn standing_contracts(record: &RunRecord, manifest: &Manifest) -> Vec<Contract> {
    let standing = record.contracts.iter().filter(|it| it.verdict.counterexample().is_none());
    let contract = |(number, record): (u32, &ContractRecord)| {
        let op = op_named(manifest, &record.operation)?;
        let names = manifest.ops[op.0 as usize].operand_names();
        let expr = parse_expr(&record.text, &names, record.kind.point()).ok()?;
        let (id, kind, evidence) = (ContractId(number), record.kind, record.evidence);
        Some(Contract { id, op, kind, expr, evidence })
    };
    (1..).zip(standing).filter_map(contract).collect()
}

fn op_named(manifest: &Manifest, name: &str) -> Option<OpId> {
    let at = manifest.ops.iter().position(|op| op.name == name)?;
    u32::try_from(at).ok().map(OpId)
}

/// Returns the invariants of types, as far as this run has words for them.
pub(super) fn recorded_invariants(record: &RunRecord, manifest: &Manifest) -> Vec<Invariant> {
    let names = Names::new([("self".to_owned(), true)]);
    let mut found = Vec::new();
    for (ty, known) in (0..).map(TypeId).zip(&manifest.types) {
        let told = record.summary.types.iter().filter(|told| told.r#type == known.name);
        for invariant in told.flat_map(|told| &told.invariants) {
            if let Ok(expr) = parse_expr(&invariant.text, &names, Point::Entry) {
                found.push(Invariant { ty, expr, states: invariant.states });
            }
        }
    }
    found
}
