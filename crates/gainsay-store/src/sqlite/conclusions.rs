//! Contracts, verdicts, faults and skips: what a campaign concluded.

use gainsay_model::{
    contract::{Contract, ContractKind, Unsettled, Verdict, Via},
    fault::{Confirmation, Fault},
    skip::Skip,
};
use gainsay_wire::{ContractId, Oracle, expr_text, to_bytes};
use rusqlite::params;

use crate::{Store, StoreError, sqlite::record::object_rows::recipe_row};

impl Store {
    /// Records contracts, or what has changed of them.
    pub fn record_contracts(&mut self, contracts: &[Contract]) -> Result<(), StoreError> {
        // Contracts come again each round with more evidence, hence replaced.
        self.batch(|connection, campaign| {
            for contract in contracts {
                let op = campaign.op_row(contract.op)?;
                let names = campaign.manifest.ops[contract.op.0 as usize].operand_names();
                let insert = "INSERT OR REPLACE INTO contract
                     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)";
                connection.prepare_cached(insert)?.execute(params![
                    campaign.id.0,
                    contract.id.0,
                    op,
                    kind_text(contract.kind),
                    expr_text(&contract.expr, &names, contract.kind.point()),
                    to_bytes(&contract.expr),
                    contract.evidence.distinct.cast_signed(),
                    contract.evidence.at_risk.cast_signed(),
                    contract.evidence.attacks.cast_signed(),
                ])?;
            }
            Ok(())
        })
    }

    /// Records verdicts, in place of earlier ones on the same contracts.
    pub fn record_verdicts(
        &mut self,
        verdicts: &[(ContractId, Verdict)],
    ) -> Result<(), StoreError> {
        self.batch(|connection, campaign| {
            for (contract, verdict) in verdicts {
                let (mut attacks, mut reason, mut via, mut recipe) = (None, None, None, None);
                match verdict {
                    Verdict::Upheld { attacks: n } | Verdict::RealPrecondition { attacks: n } => {
                        attacks = Some(n.at_risk.cast_signed());
                    }
                    Verdict::Unsettled { reason: why, .. } => reason = Some(reason_text(*why)),
                    Verdict::Refuted { by, via: how } => {
                        via = Some(via_text(*how));
                        recipe = Some(recipe_row(connection, campaign, by)?);
                    }
                }
                let insert = "INSERT OR REPLACE INTO verdict VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)";
                connection.prepare_cached(insert)?.execute(params![
                    campaign.id.0,
                    contract.0,
                    verdict.as_word(),
                    attacks,
                    reason,
                    via,
                    recipe,
                ])?;
            }
            Ok(())
        })
    }

    /// Records faults, in place of earlier records of the same ones.
    pub fn record_faults(&mut self, faults: &[Fault]) -> Result<(), StoreError> {
        self.batch(|connection, campaign| {
            for fault in faults {
                let recipe = recipe_row(connection, campaign, &fault.sequence)?;
                let insert = "INSERT OR REPLACE INTO fault VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)";
                connection.prepare_cached(insert)?.execute(params![
                    campaign.id.0,
                    fault.id,
                    oracle_text(&fault.oracle),
                    fault.operation,
                    fault.message,
                    recipe,
                    match fault.confirmation {
                        Confirmation::Confirmed => "confirmed",
                        Confirmation::Flaky => "flaky",
                    },
                ])?;
            }
            Ok(())
        })
    }

    /// Records what is not covered.
    pub fn record_skips(&mut self, skips: &[Skip]) -> Result<(), StoreError> {
        self.batch(|connection, campaign| {
            for skip in skips {
                let row =
                    params![campaign.id.0, skip.operation, skip.reason.as_text(), skip.detail];
                // Discovery and harness may leave out one operation for the same reason.
                let insert = "INSERT OR IGNORE INTO skip VALUES (?1, ?2, ?3, ?4)";
                connection.prepare_cached(insert)?.execute(row)?;
            }
            Ok(())
        })
    }
}

fn kind_text(kind: ContractKind) -> &'static str {
    match kind {
        ContractKind::Precondition => "precondition",
        ContractKind::Postcondition => "postcondition",
        ContractKind::Panics => "panics",
    }
}

fn reason_text(reason: Unsettled) -> &'static str {
    match reason {
        Unsettled::NothingToTry => "nothing-to-try",
        Unsettled::OnlyPanics => "only-panics",
        Unsettled::NotSearchable => "not-searchable",
        Unsettled::Budget => "budget",
        Unsettled::FewAttacks => "few-attacks",
        Unsettled::Granted => "granted",
    }
}

fn via_text(via: Via) -> &'static str {
    match via {
        Via::Objects => "objects",
        Via::Nearest => "nearest",
        Via::Branch => "branch",
        Via::Corner => "corner",
        Via::Transition => "transition",
        Via::Chain => "chain",
        Via::NewTuple => "new-tuple",
        Via::Raid => "raid",
        Via::OtherAttack => "other-attack",
        Via::Exploration => "exploration",
    }
}

fn oracle_text(oracle: &Oracle) -> String {
    match oracle {
        Oracle::Probe(what) => format!("probe: {what}"),
        Oracle::Death(how) => format!("death: {how}"),
        Oracle::Law(name) => format!("law: {name}"),
        Oracle::Panic(place) => format!("panic at {}:{}", place.file, place.line),
        Oracle::Hang => "hang".to_owned(),
        Oracle::Memory => "memory".to_owned(),
        Oracle::Sentinel(contract) => format!("sentinel: {contract}"),
    }
}
