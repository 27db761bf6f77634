//! Contracts under watch: compiled once to positions in the vocabulary, then evaluated on every
//! passing call.

use gainsay_wire::{
    Check, ContractId, Expr, OpId, Root, Scope, Term, Truth, Value, Vocabulary, When, truth,
};

/// A contract whose terms are positions in the list of values.
pub(crate) struct Watched {
    pub(crate) contract: ContractId,
    expr: Expr,
}

/// What a watched contract says of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// It held and could have failed.
    Withstood,
    /// It held because it does not speak of such a call, or cannot be told.
    Silent,
    /// It does not hold.
    Violated,
}

/// The values of a vocabulary's terms, by their positions.
pub(crate) trait Sighted {
    fn at(&self, position: usize) -> &Value;
}

struct Positions<'a, S>(&'a S);

static UNDEFINED: Value = Value::Undefined;

impl<S: Sighted> Scope for Positions<'_, S> {
    fn value(&self, term: &Term) -> &Value {
        match term.root {
            Root::Operand(at) => self.0.at(at as usize),
            Root::Result | Root::Made(_) => &UNDEFINED,
        }
    }
}

impl Watched {
    /// The contracts that speak of `op`.
    pub(crate) fn compile(checks: &[Check], op: OpId, vocabulary: &Vocabulary) -> Vec<Watched> {
        let position = |term: &Term| {
            let at = vocabulary.position(term).and_then(|at| u32::try_from(at).ok());
            let root = Root::Operand(at.unwrap_or(u32::MAX));
            Term { when: When::Before, root, query: None, with: None }
        };
        let watched = checks.iter().filter(|check| check.op == op);
        watched
            .map(|check| Watched {
                contract: check.contract,
                expr: check.expr.map_terms(&position),
            })
            .collect()
    }

    /// The positions in the vocabulary that it speaks of.
    pub(crate) fn positions(&self) -> Vec<usize> {
        let mut positions = Vec::new();
        self.expr.each_term(&mut |term| {
            if let Root::Operand(at) = term.root {
                positions.push(at as usize);
            }
        });
        positions
    }

    /// What it says of a call with these values.
    pub(crate) fn judge(&self, values: &impl Sighted) -> Verdict {
        let scope = Positions(values);
        match truth(&self.expr, &scope) {
            Truth::False => Verdict::Violated,
            Truth::Undefined => Verdict::Silent,
            Truth::True => match &self.expr {
                Expr::Implies(antecedent, _) if truth(antecedent, &scope) != Truth::True => {
                    Verdict::Silent
                }
                _ => Verdict::Withstood,
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    impl<const N: usize> Sighted for [Value; N] {
        fn at(&self, position: usize) -> &Value {
            self.get(position).unwrap_or(&UNDEFINED)
        }
    }

    fn judge(expr: Expr, before: i128, after: i128) -> Verdict {
        let terms = [When::Before, When::After].map(|when| Term::query(when, 0, "len"));
        let vocabulary = Vocabulary::new(terms.to_vec());
        let checks = [Check { contract: ContractId(1), op: OpId(2), expr }];
        assert!(Watched::compile(&checks, OpId(3), &vocabulary).is_empty());
        let watched = &Watched::compile(&checks, OpId(2), &vocabulary)[0];
        watched.judge(&[Value::Int(before), Value::Int(after)])
    }

    #[test]
    fn a_contract_withstands_only_where_it_could_have_failed() {
        let before = || Expr::term(Term::query(When::Before, 0, "len"));
        let after = || Expr::term(Term::query(When::After, 0, "len"));
        let grows = || before().equals(Expr::int(0)).implies(after().equals(Expr::int(1)));
        assert_eq!(judge(grows(), 0, 1), Verdict::Withstood);
        assert_eq!(judge(grows(), 3, 9), Verdict::Silent);
        assert_eq!(judge(grows(), 0, 2), Verdict::Violated);
        assert_eq!(judge(after().equals(before().plus(1)), 4, 5), Verdict::Withstood);
        let unknown = Expr::term(Term::query(When::After, 0, "gone"));
        assert_eq!(judge(unknown.equals(Expr::int(0)), 0, 0), Verdict::Silent);
    }
}
