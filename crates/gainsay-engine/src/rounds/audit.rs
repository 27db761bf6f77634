//! A check of gainsay itself: what another run retained is attacked by a campaign from which
//! nothing is learnt, with other seeds, wider values and reduction.

use std::{collections::BTreeMap, path::Path};

use gainsay_infer::Invariant;
use gainsay_model::contract::Contract;
use gainsay_report::{ContractRecord, RunRecord};
use gainsay_wire::{ContractId, Manifest, Names, OpId, Point, TypeId, parse_expr};
use gainsay_workers::{Cancel, Runner as _};

use super::{Ledger, Model, Reduction, Settled, Siege, options, watch};
use crate::{
    clock::Clock,
    error::{EngineError, Result},
    invariants::Facts,
    session::Session,
    settings::{Mode, RunSettings},
};

/// Attacks the contracts and invariants that a `run.json` tells.
pub(super) fn run(
    session: &mut Session<'_>,
    settings: &RunSettings,
    path: &Path,
    cancel: &Cancel,
    clock: &mut Clock<'_>,
) -> Result<Settled> {
    let record = load(path)?;
    let manifest = session.fleet.manifest().clone();
    let contracts = contracts(&record, &manifest);
    let mut facts = Facts::new(invariants(&record, &manifest));
    let (mut ledger, mut reduction) = (Ledger::default(), Reduction::default());
    let mut model = Model::new(Mode::Reduce, contracts);
    let own: Vec<ContractId> = model.attacked.iter().map(|contract| contract.id).collect();
    model.attacked.extend(facts.contracts(&manifest));
    let about = format!("{} contracts under watch", own.len());
    let budget = settings.share(5, 8);
    let standing = watch(session, settings, cancel, clock, (&mut ledger, &model, budget, &about))?;
    facts.settle(&standing);
    ledger.refuted.retain(|id, _| !facts.is_own(*id));
    model.attacked = standing.into_iter().filter(|contract| own.contains(&contract.id)).collect();
    let (samples, options) = (session.store.samples()?.into_observations(), options(settings));
    let mut siege = Siege { session, settings, samples: &samples, options: &options };
    let broken = siege.lay(model, cancel, clock, (&mut ledger, &mut reduction))?;
    facts.strike(&broken);
    session.store.record_contracts(&ledger.contracts())?;
    session.store.record_verdicts(&ledger.verdicts())?;
    let invariants = facts.without_fallen(invariants(&record, &manifest));
    Ok(Settled { invariants, reduction, ..ledger.close(session, &BTreeMap::default()) })
}

/// The contracts of a `run.json` that were not refuted, as far as this run has words for them.
pub(crate) fn recorded(path: &Path, manifest: &Manifest) -> Result<Vec<Contract>> {
    Ok(contracts(&load(path)?, manifest))
}

fn load(path: &Path) -> Result<RunRecord> {
    let text = std::fs::read(path)
        .map_err(|source| EngineError::ReadRecord { path: path.to_owned(), source })?;
    serde_json::from_slice(&text)
        .map_err(|source| EngineError::ParseRecord { path: path.to_owned(), source })
}

/// What was not refuted, as far as this run has words for it.
fn contracts(record: &RunRecord, manifest: &Manifest) -> Vec<Contract> {
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

fn invariants(record: &RunRecord, manifest: &Manifest) -> Vec<Invariant> {
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
