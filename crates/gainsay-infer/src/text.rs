//! Contracts as stable text, for people and snapshots.

use std::fmt::Write as _;

use gainsay_wire::{Manifest, Names, OpId, Point, expr_text};

use crate::{Inferred, Invariant};

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

/// The invariants of types, one line each.
pub fn invariants_text(invariants: &[Invariant], manifest: &Manifest) -> String {
    let mut out = String::new();
    for invariant in invariants {
        let Some(ty) = manifest.types.get(invariant.ty.0 as usize) else { continue };
        let text = invariant_text(invariant);
        let _ = writeln!(out, "{}: invariant {text}  [{} states]", ty.name, invariant.states);
    }
    out
}

/// The fact as it is written of `self`.
pub fn invariant_text(invariant: &Invariant) -> String {
    expr_text(&invariant.expr, &Names::new([("self".to_owned(), true)]), Point::Entry)
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
