//! Contracts as stable text, for people and snapshots.

use std::fmt::Write as _;

use gainsay_wire::{Manifest, OpId, expr_text};

use crate::Inferred;

/// One block per operation, one line per contract with its evidence.
pub fn text(inferred: &Inferred, manifest: &Manifest) -> String {
    let mut out = String::new();
    let mut current: Option<OpId> = None;
    for contract in &inferred.contracts {
        let Some(op) = manifest.ops.get(contract.op.0 as usize) else { continue };
        if current.replace(contract.op) != Some(contract.op) {
            let _ = writeln!(out, "{}({})", op.name, op.names.join(", "));
        }
        let clause = expr_text(&contract.expr, &op.operand_names(), contract.kind.point());
        let keyword = contract.kind.keyword();
        let evidence = contract.evidence;
        let _ = writeln!(
            out,
            "  {keyword} {clause}  [{} distinct, {} at risk]",
            evidence.distinct, evidence.at_risk
        );
    }
    out
}

/// What follows from contracts and is not said, one line each.
pub fn implied_text(inferred: &Inferred, manifest: &Manifest) -> String {
    let mut out = String::new();
    for implied in &inferred.implied {
        let Some(op) = manifest.ops.get(implied.op.0 as usize) else { continue };
        let clause = expr_text(&implied.expr, &op.operand_names(), implied.kind.point());
        let _ = writeln!(out, "{}: {} {clause}", op.name, implied.kind.keyword());
    }
    out
}
