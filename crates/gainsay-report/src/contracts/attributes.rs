//! Contracts as attributes for the crates that check them. What an attribute cannot say stands
//! beside it as a comment.

use std::fmt::Write as _;

use gainsay_model::contract::{ContractKind, WrittenPlace};
use gainsay_wire::{Expr, Point};

use super::{
    by_operation,
    rust::{RETURNED, Translator},
    stands,
};
use crate::record::{ContractRecord, RunRecord};

/// Whose attributes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// `#[requires(..)]` and `#[ensures(..)]` of the crate `contracts`.
    Contracts,
    /// `#[spec(..)]` of the crate `anodized`.
    Anodized,
}

/// What was said of one operation.
#[derive(Default)]
struct Said {
    requires: Vec<String>,
    ensures: Vec<String>,
    /// As contracts have it.
    unsaid: Vec<String>,
}

/// The attributes of each operation; empty when there are none.
pub fn contracts_attributes(
    record: &RunRecord,
    contracts: &[&ContractRecord],
    dialect: Dialect,
) -> String {
    let mut blocks = Vec::new();
    for (operation, contracts) in by_operation(contracts) {
        let standing: Vec<&ContractRecord> = contracts
            .into_iter()
            .filter(|contract| stands(contract) || contract.kind == ContractKind::Panics)
            .filter(|contract| !contract.is_refuted())
            .filter(|contract| contract.written != Some(WrittenPlace::Attribute))
            .collect();
        let op = standing.first().map(|contract| contract.op);
        let Some(mut translator) = op.and_then(|op| Translator::new(record, op, dialect)) else {
            continue;
        };
        let said = said(&mut translator, &standing);
        blocks.push(format!("// {operation}\n{}", said.text(&translator, dialect)));
    }
    blocks.join("\n")
}

fn said(translator: &mut Translator<'_>, contracts: &[&ContractRecord]) -> Said {
    let mut said = Said::default();
    for contract in contracts {
        let text = format!("{} {}", contract.kind.keyword(), contract.text);
        let Some((expr, _)) = contract.parsed() else { continue };
        let (list, expr, point): (_, Expr, _) = match contract.kind {
            ContractKind::Panics => (&mut said.requires, expr.negated(), Point::Entry),
            // What only happened to hold is nothing that an operation asks for.
            ContractKind::Precondition if !contract.is_real_precondition() => continue,
            ContractKind::Precondition => (&mut said.requires, expr, Point::Entry),
            ContractKind::Postcondition => (&mut said.ensures, expr, Point::Exit),
        };
        match translator.condition(&expr, point) {
            Some(condition) if !list.contains(&condition) => list.push(condition),
            Some(_) => {}
            None => said.unsaid.push(text),
        }
    }
    said
}

impl Said {
    fn text(&self, translator: &Translator<'_>, dialect: Dialect) -> String {
        let mut text = match dialect {
            Dialect::Contracts => self.contracts(),
            Dialect::Anodized if translator.is_of_a_trait() => self.of_a_trait(),
            Dialect::Anodized => self.anodized(translator),
        };
        for unsaid in &self.unsaid {
            line(&mut text, &format!("// cannot be said here: {unsaid}"));
        }
        text
    }

    fn contracts(&self) -> String {
        let mut text = String::new();
        for condition in &self.requires {
            line(&mut text, &format!("#[requires({condition})]"));
        }
        for condition in &self.ensures {
            line(&mut text, &format!("#[ensures({condition})]"));
        }
        text
    }

    fn anodized(&self, translator: &Translator<'_>) -> String {
        if self.requires.is_empty() && self.ensures.is_empty() {
            return String::new();
        }
        let mut text = "#[spec(\n".to_owned();
        group(&mut text, "requires: ", &self.requires);
        let captures = translator.captures.iter().map(|(name, value)| format!("{name} = {value}"));
        group(&mut text, "captures: ", &captures.collect::<Vec<_>>());
        let binding = self.binding(translator);
        group(&mut text, &format!("ensures: {binding}"), &self.ensures);
        line(&mut text, ")]");
        text
    }

    /// How the returned value is named, where it is spoken of.
    fn binding(&self, translator: &Translator<'_>) -> String {
        let is_named = self.ensures.iter().any(|condition| {
            condition.split(|c: char| !c.is_alphanumeric() && c != '_').any(|w| w == RETURNED)
        });
        match (is_named, translator.returns_a_plain_value()) {
            (false, _) => String::new(),
            (true, true) => format!("|{RETURNED}| "),
            (true, false) => format!("|ref {RETURNED}| "),
        }
    }

    /// Specifications of trait methods belong on the trait, which may be another crate's.
    fn of_a_trait(&self) -> String {
        let mut text = String::new();
        for (word, conditions) in [("requires", &self.requires), ("ensures", &self.ensures)] {
            for condition in conditions {
                line(&mut text, &format!("// belongs on the trait: {word} {condition}"));
            }
        }
        text
    }
}

fn group(text: &mut String, word: &str, conditions: &[String]) {
    if conditions.is_empty() {
        return;
    }
    line(text, &format!("    {word}["));
    for condition in conditions {
        line(text, &format!("        {condition},"));
    }
    line(text, "    ],");
}

fn line(text: &mut String, line: &str) {
    writeln!(text, "{line}").expect("writing to a string");
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{record::VerdictRecord, samples};

    fn attributes(op: u32, claims: &[(ContractKind, &str)], dialect: Dialect) -> String {
        let record = samples::record();
        let contract = |(kind, text): &(ContractKind, &str)| {
            let verdict = match kind {
                ContractKind::Precondition => {
                    VerdictRecord::RealPrecondition { attacks: samples::attacks(1, None) }
                }
                _ => VerdictRecord::Upheld { attacks: samples::attacks(1, None) },
            };
            let contract = samples::contract("BoundedStack::op", *kind, text, verdict);
            samples::of_operation(contract, op)
        };
        let contracts: Vec<ContractRecord> = claims.iter().map(contract).collect();
        contracts_attributes(&record, &contracts.iter().collect::<Vec<_>>(), dialect)
    }

    const PUSH: [(ContractKind, &str); 4] = [
        (ContractKind::Precondition, "self.len() < 4"),
        (ContractKind::Postcondition, "self.len() == old(self.len()) + 1"),
        (ContractKind::Postcondition, "old(self.len()) == 0 ==> self.len() == 1"),
        (ContractKind::Postcondition, "self.seq() == old(self.seq()) ++ [value]"),
    ];

    #[test]
    fn the_crate_contracts_has_an_attribute_for_each_clause() {
        insta::assert_snapshot!(attributes(samples::PUSH, &PUSH, Dialect::Contracts));
    }

    #[test]
    fn the_crate_anodized_has_one_attribute_with_what_was_before_under_names() {
        insta::assert_snapshot!(attributes(samples::PUSH, &PUSH, Dialect::Anodized));
    }

    #[test]
    fn a_returned_option_can_only_be_asked_what_it_is() {
        let claims = [
            (ContractKind::Postcondition, "result.is_none() <=> old(self.len()) == 0"),
            (ContractKind::Postcondition, "result == old(self.last())"),
        ];
        insta::assert_snapshot!(attributes(samples::POP, &claims, Dialect::Anodized));
    }
}
