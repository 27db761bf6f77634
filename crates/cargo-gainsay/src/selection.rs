//! Which claims of the last run were contradicted, and by what: the matter of `select`.

use gainsay_explore::Contradicted;
use gainsay_model::contract::ContractKind;
use gainsay_report::ContractRecord;
use gainsay_wire::{Expr, Manifest, OpId, parse_expr};

/// The claims as workers can check them, one for each contract. What cannot be said any more is
/// never contradicted.
pub(crate) fn claims(contracts: &[&ContractRecord], manifest: &Manifest) -> Vec<Contradicted> {
    contracts.iter().map(|contract| claim(contract, manifest)).collect()
}

fn claim(contract: &ContractRecord, manifest: &Manifest) -> Contradicted {
    let op = OpId(contract.op);
    let names = manifest.ops.get(op.0 as usize).map(gainsay_wire::ManifestOp::operand_names);
    let parsed =
        names.and_then(|names| parse_expr(&contract.text, &names, contract.kind.point()).ok());
    let claim = match (parsed, contract.kind) {
        (Some(expr), ContractKind::Panics) => expr.negated(),
        (Some(expr), _) => expr,
        (None, _) => Expr::And(Vec::new()),
    };
    Contradicted { op, claim, by: contract.verdict.counterexample().unwrap_or_default() }
}
