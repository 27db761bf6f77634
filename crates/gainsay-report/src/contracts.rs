//! What a run learnt, for those who want it in another form than the terminal's: which contracts
//! are meant, and the pages, paragraphs and attributes that are made of them.

mod attributes;
mod docs;
mod phrase;
mod rust;

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write as _,
};

use serde_json::{Value, json};

pub use self::{
    attributes::{Dialect, contracts_attributes},
    docs::contracts_docs,
};
use crate::{
    record::{ContractRecord, RunRecord, VerdictRecord},
    terminal::{attacks_text, evidence_text, standing_text},
};

/// The version of the format of `cargo gainsay contracts --format json`.
const VERSION: u32 = 1;
/// Names that differ in more places are not taken for a slip.
const MOST_SLIPS: usize = 3;

/// Nothing of a run has that name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownName {
    /// Names that come near it, the nearest first.
    pub near: Vec<String>,
}

/// The contracts of the operations that a name means: those of a type, or of which the path
/// contains the text. A name that no operation of the run has is an error.
pub fn chosen_contracts<'a>(
    record: &'a RunRecord,
    name: Option<&str>,
) -> Result<Vec<&'a ContractRecord>, UnknownName> {
    let Some(name) = name else { return Ok(record.contracts.iter().collect()) };
    let is_type =
        record.summary.operations.records.iter().any(|op| op.owner.as_deref() == Some(name));
    let is_meant = |path: &str| {
        if is_type { owner(path) == Some(name) } else { path.contains(name) }
    };
    let chosen: Vec<_> = record.contracts.iter().filter(|c| is_meant(&c.operation)).collect();
    let mut known = record.summary.operations.records.iter();
    if chosen.is_empty() && !is_type && !known.any(|op| op.path.contains(name)) {
        return Err(UnknownName { near: near(record, name) });
    }
    Ok(chosen)
}

/// The type that a path begins with.
fn owner(path: &str) -> Option<&str> {
    let end = path.find(['<', ':', ' '])?;
    Some(&path[..end])
}

/// Operations and types whose names are like this one.
fn near(record: &RunRecord, name: &str) -> Vec<String> {
    let records = &record.summary.operations.records;
    let types = records.iter().filter_map(|op| op.owner.as_deref());
    let paths = records.iter().map(|op| op.path.as_str());
    let last = |path: &str| path.rsplit("::").next().unwrap_or(path).to_lowercase();
    let wanted = name.to_lowercase();
    let mut found = BTreeSet::new();
    for known in types.chain(paths) {
        let slips = slips(&known.to_lowercase(), &wanted);
        let slips = slips.min(self::slips(&last(known), &last(&wanted)) + 1);
        if slips <= MOST_SLIPS.min(wanted.len().saturating_sub(1)) {
            found.insert((slips, known.to_owned()));
        }
    }
    found.into_iter().map(|(_, known)| known).take(3).collect()
}

/// How many letters must be put in, left out or changed to get from one word to the other.
fn slips(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut corner = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let changed = corner + usize::from(x != *y);
            corner = row[j + 1];
            row[j + 1] = changed.min(row[j] + 1).min(corner + 1);
        }
    }
    row[b.len()]
}

/// Whether a contract stands as something that the operation promises or asks for.
fn stands(contract: &ContractRecord) -> bool {
    matches!(
        contract.verdict,
        VerdictRecord::Upheld { .. } | VerdictRecord::RealPrecondition { .. }
    )
}

/// Operations in the order of their paths, each with its contracts in their order.
fn by_operation<'a>(
    contracts: &[&'a ContractRecord],
) -> BTreeMap<&'a str, Vec<&'a ContractRecord>> {
    let mut grouped: BTreeMap<&str, Vec<&ContractRecord>> = BTreeMap::new();
    for contract in contracts {
        grouped.entry(&contract.operation).or_default().push(contract);
    }
    grouped
}

/// A page for a wiki or a pull request.
pub fn contracts_markdown(record: &RunRecord, contracts: &[&ContractRecord]) -> String {
    let subject = &record.summary.subject;
    let mut text = format!("# Contracts of {} {}\n", subject.name, subject.version);
    for (operation, contracts) in by_operation(contracts) {
        write!(text, "\n## `{operation}`\n\n").expect("writing to a string");
        for contract in contracts {
            let (claim, verdict) = (&contract.text, standing_text(contract));
            let evidence = evidence_text(&contract.evidence);
            let keyword = contract.kind.keyword();
            let attacks = attacks_text(&contract.verdict).map(|text| format!("; {text}"));
            let attacks = attacks.unwrap_or_default();
            writeln!(text, "- **{keyword}** `{claim}`: {verdict}; {evidence}{attacks}")
                .expect("writing to a string");
        }
    }
    text
}

/// The same for programs; `docs/contracts.md` tells the fields.
pub fn contracts_json(record: &RunRecord, contracts: &[&ContractRecord]) -> Value {
    json!({ "version": VERSION, "subject": record.summary.subject, "contracts": contracts })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples;

    fn chosen(name: &str) -> Result<usize, Vec<String>> {
        let record = samples::record();
        chosen_contracts(&record, Some(name)).map(|found| found.len()).map_err(|error| error.near)
    }

    #[test]
    fn a_name_means_a_type_or_operations() {
        assert_eq!(chosen("BoundedStack"), Ok(5));
        assert_eq!(chosen("BoundedStack::pop"), Ok(2));
        assert_eq!(chosen("push"), Ok(3));
        assert_eq!(chosen("BoundedStack::len"), Ok(0));
        assert_eq!(chosen_contracts(&samples::record(), None).unwrap().len(), 5);
    }

    #[test]
    fn a_slip_is_answered_with_names_that_come_near() {
        assert_eq!(chosen("BoundedStack::psuh").unwrap_err()[0], "BoundedStack::push");
        assert_eq!(chosen("boundedstack").unwrap_err()[0], "BoundedStack");
        assert_eq!(chosen("puhs").unwrap_err()[0], "BoundedStack::push");
        assert_eq!(chosen("quaternion"), Err(vec![]));
    }

    #[test]
    fn slips_are_letters_put_in_left_out_or_changed() {
        assert_eq!([slips("push", "push"), slips("push", "puh"), slips("", "abc")], [0, 1, 3]);
        assert_eq!(slips("kitten", "sitting"), 3);
    }

    #[test]
    fn a_page_has_every_contract_with_its_evidence() {
        let record = samples::record();
        let all: Vec<_> = record.contracts.iter().collect();
        insta::assert_snapshot!(contracts_markdown(&record, &all));
    }

    #[test]
    fn programs_get_the_same() {
        let record = samples::record();
        let json = contracts_json(&record, &[&record.contracts[0]]);
        assert_eq!(json["contracts"][0]["text"], "self.len() == old(self.len()) + 1");
        assert_eq!(json["contracts"][0]["verdict"]["verdict"], "upheld");
        assert_eq!(json["contracts"][0]["evidence"]["distinct"], 40);
    }
}
