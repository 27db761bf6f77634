//! On what the subject's functions decide, in the words of a run: what its sources say, as far as
//! operations, arguments and views of the run have the names for it.

use std::collections::BTreeMap;

use gainsay_model::api::Operation;
use gainsay_refute::Branches;
use gainsay_wire::{Expr, Manifest, OpId, Point, parse_expr};
use gainsay_workers::Runner as _;

use crate::session::Session;

/// Branches by operation.
#[derive(Clone, Debug, Default)]
pub(crate) struct KnownBranches {
    by_op: BTreeMap<OpId, Branches>,
}

impl KnownBranches {
    /// Those that the vocabulary of the run has words for.
    pub(crate) fn of(session: &Session<'_>) -> KnownBranches {
        let mut by_op = BTreeMap::new();
        let manifest = session.fleet.manifest();
        for (op, harnessed) in (0..).map(OpId).zip(&session.harness.operations) {
            let operation = harnessed.api.and_then(|at| session.api.operations.get(at));
            if let Some(operation) = operation {
                by_op.insert(op, read(manifest, op, operation));
            }
        }
        KnownBranches { by_op }
    }

    /// On what an operation decides.
    pub(crate) fn of_operation(&self, op: OpId) -> Branches {
        self.by_op.get(&op).cloned().unwrap_or_default()
    }
}

fn read(manifest: &Manifest, op: OpId, operation: &Operation) -> Branches {
    let Some(known) = manifest.ops.get(op.0 as usize) else { return Branches::default() };
    let (names, vocabulary) = (known.operand_names(), manifest.vocabulary(op));
    let read = |texts: &[String]| -> Vec<Expr> {
        let exprs = texts.iter().filter_map(|text| parse_expr(text, &names, Point::Entry).ok());
        let says_something = |expr: &Expr| {
            let (mut is_known, mut terms) = (true, 0);
            expr.each_term(&mut |term| {
                is_known &= vocabulary.position(term).is_some();
                terms += 1;
            });
            is_known && terms > 0
        };
        exprs.filter(says_something).collect()
    };
    Branches { conditions: read(&operation.conditions), ways: read(&operation.ways) }
}
