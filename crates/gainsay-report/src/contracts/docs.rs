//! Outcome contracts as paragraphs of documentation comments: `# Panics` and `# Errors`.

use std::fmt::Write as _;

use gainsay_model::contract::{ContractKind, WrittenPlace};
use gainsay_wire::{Expr, Names, Term, Test};

use super::{by_operation, phrase::phrase, stands};
use crate::record::ContractRecord;

/// What is offered for the documentation of each operation; empty when there is nothing.
pub fn contracts_docs(contracts: &[&ContractRecord]) -> String {
    let mut blocks = Vec::new();
    for (operation, contracts) in by_operation(contracts) {
        let sections = sections(&contracts);
        if !sections.is_empty() {
            blocks.push(format!("// {operation}\n{}", sections.join("///\n")));
        }
    }
    blocks.join("\n")
}

fn sections(contracts: &[&ContractRecord]) -> Vec<String> {
    let standing: Vec<(&ContractRecord, Expr, Names)> = contracts
        .iter()
        .filter(|contract| stands(contract) || contract.kind == ContractKind::Panics)
        .filter(|contract| !contract.is_refuted())
        .filter(|contract| contract.written != Some(WrittenPlace::Documentation))
        .filter_map(|contract| contract.parsed().map(|(expr, names)| (*contract, expr, names)))
        .collect();
    let mut panics = Vec::new();
    let (mut errors, mut nothing) = (Vec::new(), Vec::new());
    for (contract, expr, names) in &standing {
        match contract.kind {
            ContractKind::Panics => panics.push(phrase(expr, names)),
            ContractKind::Precondition if contract.is_real_precondition() => {
                panics.push(phrase(&expr.negated(), names));
            }
            ContractKind::Postcondition => {
                errors.extend(when(expr, Test::IsErr).map(|told| told.text(names)));
                nothing.extend(when(expr, Test::IsNone).map(|told| told.text(names)));
            }
            ContractKind::Precondition => {}
        }
    }
    panics.dedup();
    let mut sections = Vec::new();
    sections.extend(section(None, "Returns `None`", &nothing));
    sections.extend(section(Some("Panics"), "Panics", &panics));
    sections.extend(section(Some("Errors"), "Returns `Err`", &errors));
    sections
}

/// A heading, if it has one, and a sentence for each condition.
fn section(heading: Option<&str>, begins: &str, conditions: &[String]) -> Option<String> {
    if conditions.is_empty() {
        return None;
    }
    let mut text = String::new();
    if let Some(heading) = heading {
        write!(text, "/// # {heading}\n///\n").expect("writing to a string");
    }
    for condition in conditions {
        writeln!(text, "/// {begins} if {condition}.").expect("writing to a string");
    }
    Some(text)
}

/// When the result is of a kind.
struct Told {
    condition: Expr,
    /// Whether it is of that kind in no other case.
    exactly: bool,
}

impl Told {
    fn text(&self, names: &Names) -> String {
        let condition = phrase(&self.condition, names);
        if self.exactly { format!("{condition}, and only then") } else { condition }
    }
}

/// What an implication or equivalence tells about when the result passes the test.
fn when(expr: &Expr, test: Test) -> Option<Told> {
    let is_about = |side: &Expr| {
        let result = Expr::Term(Term::result());
        match side {
            Expr::Test(known, of) if **of == result => Some(*known),
            _ => None,
        }
    };
    let told = |side: &Expr, other: &Expr, exactly: bool| {
        let known = is_about(side)?;
        let condition = match known {
            known if known == test => other.clone(),
            known if known == test.negated() && exactly => other.negated(),
            _ => return None,
        };
        let is_settled = is_before(&condition);
        is_settled.then_some(Told { condition, exactly })
    };
    match expr {
        Expr::Iff(a, b) => told(a, b, true).or_else(|| told(b, a, true)),
        Expr::Implies(a, c) => told(c, a, false),
        _ => None,
    }
}

/// Whether a condition only speaks of what was there before the call.
fn is_before(condition: &Expr) -> bool {
    let mut all = true;
    condition.each_term(&mut |term| all &= term.is_before());
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{record::VerdictRecord, samples};

    fn docs(claims: &[(ContractKind, &str, VerdictRecord)]) -> String {
        let claim = |(kind, text, verdict): &(ContractKind, &str, VerdictRecord)| {
            samples::contract("BoundedStack::push", *kind, text, verdict.clone())
        };
        let contracts: Vec<ContractRecord> = claims.iter().map(claim).collect();
        contracts_docs(&contracts.iter().collect::<Vec<_>>())
    }

    #[test]
    fn panics_and_errors_become_paragraphs() {
        let upheld = VerdictRecord::Upheld { attacks: samples::attacks(3, None) };
        let real = VerdictRecord::RealPrecondition { attacks: samples::attacks(3, None) };
        let (pre, post) = (ContractKind::Precondition, ContractKind::Postcondition);
        insta::assert_snapshot!(docs(&[
            (pre, "self.len() < 4", real),
            (ContractKind::Panics, "self.len() == 9", upheld.clone()),
            (post, "result.is_err() <=> old(self.len()) == 3", upheld.clone()),
            (post, "old(self.is_empty()) ==> result.is_none()", upheld.clone()),
            (post, "self.len() == old(self.len()) + 1", upheld),
        ]));
    }

    #[test]
    fn what_was_refuted_or_is_no_outcome_is_not_offered() {
        let refuted = VerdictRecord::Refuted {
            via: gainsay_model::contract::Via::Objects,
            steps: vec![],
            script: String::new(),
            sequence: String::new(),
        };
        let claims = [
            (ContractKind::Panics, "self.len() == 9", refuted.clone()),
            (
                ContractKind::Postcondition,
                "self.len() == 1",
                VerdictRecord::Upheld { attacks: samples::attacks(1, None) },
            ),
            (ContractKind::Postcondition, "self.is_empty() ==> result.is_none()", refuted),
        ];
        assert_eq!(docs(&claims), "");
    }
}
