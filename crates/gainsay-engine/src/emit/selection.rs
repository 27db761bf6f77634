//! Claims of the last run that were contradicted, in the form in which workers check them.

use std::collections::BTreeSet;

use gainsay_explore::Contradicted;
use gainsay_model::{contract::ContractKind, resolve::Words};
use gainsay_report::ContractRecord;
use gainsay_wire::{Expr, Manifest, OpId};

/// Returns the claims as workers can check them, one for each contract. A claim that cannot be made
/// any more is never contradicted.
pub(crate) fn claims_of(contracts: &[&ContractRecord], manifest: &Manifest) -> Vec<Contradicted> {
    contracts.iter().map(|contract| claim_of(contract, manifest)).collect()
}

/// Returns the names of the queries that some claims speak of.
pub(crate) fn queries_of(claims: &[Contradicted], which: &BTreeSet<usize>) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for claim in which.iter().filter_map(|at| claims.get(*at)) {
        claim.claim.each_term(&mut |term| names.extend(term.query.clone()));
    }
    names
}

fn claim_of(contract: &ContractRecord, manifest: &Manifest) -> Contradicted {
    let op = OpId(contract.op);
    let words = Words::of_operation(manifest, op);
    let resolved = words.and_then(|words| words.resolve(&contract.text, contract.kind.point()));
    let claim = match (resolved, contract.kind) {
        (Ok(expr), ContractKind::Panics) => expr.negated(),
        (Ok(expr), _) => expr,
        (Err(_), _) => Expr::And(Vec::new()),
    };
    Contradicted { op, claim, by: contract.verdict.counterexample().unwrap_or_default() }
}

#[cfg(test)]
mod tests {
    use gainsay_wire::{Comparison, Sequence, Term, When};

    use super::*;

    #[test]
    fn a_test_is_about_the_queries_of_what_it_contradicts() {
        let claim = |query: &str| Contradicted {
            op: OpId(0),
            claim: Expr::term(Term::query(When::After, 0, query))
                .compare(Comparison::Ge, Expr::int(1)),
            by: Sequence::default(),
        };
        let claims = [claim("len"), claim("capacity"), claim("is_empty")];
        let names = queries_of(&claims, &[0, 1].into());
        assert_eq!(names.into_iter().collect::<Vec<_>>(), ["capacity", "len"]);
    }
}
