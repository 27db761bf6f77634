//! Contracts that the subject's programmer wrote: attacks respect their demands, and a learnt contract
//! that they say already is told apart from the rest.

use std::collections::BTreeMap;

use gainsay_model::{
    contract::{Contract, ContractKind, Written, WrittenPlace},
    resolve::Words,
};
use gainsay_wire::{Expr, OpId};
use gainsay_workers::Runner as _;

use crate::session::Session;

/// Written contracts by operation.
#[derive(Clone, Debug, Default)]
pub(crate) struct WrittenContracts {
    by_op: BTreeMap<OpId, Vec<(Written, Expr)>>,
}

impl WrittenContracts {
    /// Reads the written contracts that the vocabulary of the run has words for.
    // A contract with a term that this run has no view for cannot be checked on any call.
    pub(crate) fn of(session: &Session) -> WrittenContracts {
        let mut by_op: BTreeMap<OpId, Vec<(Written, Expr)>> = BTreeMap::new();
        let manifest = session.fleet.manifest();
        for op in (0..).map(OpId).take(manifest.ops.len()) {
            let Ok(words) = Words::of_operation(manifest, op) else { continue };
            let operation = session.operation_of(op);
            for written in operation.iter().flat_map(|operation| &operation.written) {
                if let Ok(expr) = words.resolve(&written.text, written.kind.point()) {
                    by_op.entry(op).or_default().push((written.clone(), expr));
                }
            }
        }
        WrittenContracts { by_op }
    }

    /// Returns the demands of an operation.
    pub(crate) fn requirements_of(&self, op: OpId) -> impl Iterator<Item = Expr> {
        self.of_kind(op, ContractKind::Precondition).map(|(_, expr)| expr.clone())
    }

    /// Returns the place where a contract is written already, however it is put.
    pub(crate) fn place_of(&self, contract: &Contract) -> Option<WrittenPlace> {
        let claim = contract.expr.normal_form();
        if contract.kind != ContractKind::Panics {
            let says = |expr: &Expr| expr.clauses().iter().any(|part| part.normal_form() == claim);
            let mut written = self.of_kind(contract.op, contract.kind);
            return written.find(|(_, expr)| says(expr)).map(|(written, _)| written.place);
        }
        // It panics when one of its demands, or any of them, is not met.
        let demands = || self.of_kind(contract.op, ContractKind::Precondition);
        let one = demands().find(|(_, expr)| expr.negated().normal_form() == claim);
        let unmet = Expr::Or(demands().map(|(_, expr)| expr.negated()).collect());
        let all = demands().next().filter(|_| unmet.normal_form() == claim);
        one.or(all).map(|(written, _)| written.place)
    }

    fn of_kind(&self, op: OpId, kind: ContractKind) -> impl Iterator<Item = &(Written, Expr)> {
        let all = self.by_op.get(&op).into_iter().flatten();
        all.filter(move |(written, _)| written.kind == kind)
    }
}

#[cfg(test)]
mod tests {
    use gainsay_model::contract::Evidence;
    use gainsay_wire::{ContractId, Names, Point, parse_expr};

    use super::*;

    fn read(text: &str, point: Point) -> Expr {
        let names = Names::new([("self".to_owned(), true), ("at".to_owned(), false)]);
        parse_expr(text, &names, point).unwrap()
    }

    fn is_written(kind: ContractKind, text: &str) -> bool {
        let (pre, post) = (ContractKind::Precondition, ContractKind::Postcondition);
        let written = [
            (pre, "at < self.len()"),
            (pre, "!(at == 7)"),
            (post, "self.is_empty() && self.len() == 0"),
        ];
        let written = written.map(|(kind, text)| {
            let place = WrittenPlace::Assertion;
            (Written { kind, text: text.to_owned(), place }, read(text, kind.point()))
        });
        let by_op = BTreeMap::from([(OpId(0), written.to_vec())]);
        let contract = Contract {
            id: ContractId(1),
            op: OpId(0),
            kind,
            expr: read(text, kind.point()),
            evidence: Evidence::default(),
        };
        let written = WrittenContracts { by_op };
        assert_eq!(written.requirements_of(OpId(0)).count(), 2);
        written.place_of(&contract) == Some(WrittenPlace::Assertion)
    }

    #[test]
    fn what_is_written_is_known_however_it_is_put() {
        assert!(is_written(ContractKind::Precondition, "self.len() > at"));
        assert!(is_written(ContractKind::Postcondition, "self.len() == 0"));
        assert!(is_written(ContractKind::Panics, "at >= self.len()"));
        assert!(is_written(ContractKind::Panics, "at == 7 || self.len() <= at"));
    }

    #[test]
    fn what_says_more_or_less_is_not_written() {
        assert!(!is_written(ContractKind::Precondition, "self.len() >= at"));
        assert!(!is_written(ContractKind::Postcondition, "at < self.len()"));
        assert!(!is_written(ContractKind::Panics, "at == 8"));
    }
}
