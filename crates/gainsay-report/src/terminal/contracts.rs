//! Contracts per operation with their verdicts.

use std::collections::{BTreeMap, BTreeSet};

use gainsay_model::contract::{
    Attacks, Closest, ContractKind, Evidence, Unsettled, Via, WrittenPlace,
};

use super::{Detail, counted, headed, line, names};
use crate::{
    paint::{Paint, Tone},
    record::{ContractRecord, RunRecord, VerdictRecord},
    summary::TypeViews,
};

/// By the names that are shown.
type ByOperation<'a> = BTreeMap<String, Vec<&'a ContractRecord>>;

/// So many operations are in a brief summary.
const OPERATIONS: usize = 12;
/// So many clauses of each.
const CLAUSES: usize = 3;

/// Contracts by operation, with all verdicts.
pub fn contracts_text(contracts: &[&ContractRecord], paint: Paint, detail: Detail) -> String {
    let mut blocks = Vec::new();
    for (operation, contracts) in by_operation(contracts.iter().copied()) {
        let mut text = format!("{}\n", paint.tone(Tone::Strong, &operation));
        for contract in contracts {
            let mark = standing_text(contract);
            line(&mut text, &format!("  {}", clause(contract)));
            line(&mut text, &format!("      {}", paint.tone(tone(&contract.verdict), &mark)));
            if detail == Detail::Full {
                more(&mut text, contract);
            }
        }
        blocks.push(text);
    }
    blocks.join("\n")
}

/// What is true of every object of the types whose names contain the text.
pub fn invariants_text(types: &[TypeViews], name: Option<&str>, paint: Paint) -> String {
    let is_meant = |ty: &&TypeViews| name.is_none_or(|name| ty.r#type.contains(name));
    let told = types.iter().filter(is_meant).filter(|ty| !ty.invariants.is_empty());
    let mut text = String::new();
    for ty in told {
        line(&mut text, &paint.tone(Tone::Strong, &ty.r#type));
        for invariant in &ty.invariants {
            let states = invariant.states;
            line(&mut text, &format!("  invariant {}  [{states} states]", invariant.text));
        }
        text.push('\n');
    }
    text
}

/// What a reader of a summary wants to know: the strongest clauses that stand, and how many
/// there are besides; in full all of them, and how many fell.
pub(super) fn compact(record: &RunRecord, paint: Paint, detail: Detail) -> String {
    let grouped = by_operation(record.contracts.iter());
    let chosen = match detail {
        Detail::Brief => telling(&grouped),
        Detail::Full => grouped.keys().map(String::as_str).collect(),
    };
    let (mut text, mut left) = (String::new(), 0);
    for (operation, contracts) in &grouped {
        let mut standing: Vec<&&ContractRecord> =
            contracts.iter().filter(|c| stands(c, detail)).collect();
        let all = standing.len();
        if !chosen.contains(operation.as_str()) {
            standing.clear();
        } else if detail == Detail::Brief {
            standing.truncate(CLAUSES);
        }
        left += all - standing.len();
        // What the programmer wrote is not counted among what was learnt.
        let learnt = contracts.iter().filter(|c| c.written.is_none());
        let fallen = learnt.filter(|c| is_refuted(c)).count() as u64;
        let note = if fallen == 0 { String::new() } else { format!(" ({fallen} refuted)") };
        if standing.is_empty() && (fallen == 0 || detail == Detail::Brief) {
            continue;
        }
        line(&mut text, &format!("  {}{note}", paint.tone(Tone::Strong, operation)));
        for contract in standing {
            line(&mut text, &format!("      {}", clause(contract)));
        }
    }
    if left > 0 {
        line(&mut text, &format!("  … and {left} more: `cargo gainsay contracts`"));
    }
    headed("Contracts", &text, paint)
}

/// The operations with the most to show, up to as many clauses as are shown of each.
fn telling<'a>(grouped: &'a ByOperation<'_>) -> BTreeSet<&'a str> {
    let standing = |contracts: &[&ContractRecord]| {
        contracts.iter().filter(|c| stands(c, Detail::Brief)).count().min(CLAUSES)
    };
    let mut order: Vec<(usize, &str)> = grouped
        .iter()
        .map(|(operation, contracts)| (standing(contracts), operation.as_str()))
        .filter(|(count, _)| *count > 0)
        .collect();
    order.sort_by_key(|(count, _)| std::cmp::Reverse(*count));
    order.into_iter().take(OPERATIONS).map(|(_, operation)| operation).collect()
}

/// Contracts keep their order, the most telling first, within demands and promises.
fn by_operation<'a>(contracts: impl Iterator<Item = &'a ContractRecord>) -> ByOperation<'a> {
    let contracts: Vec<&ContractRecord> = contracts.collect();
    let names = names::shown(contracts.iter().map(|contract| contract.operation.as_str()));
    let mut grouped = ByOperation::new();
    for contract in contracts {
        let name = names[contract.operation.as_str()].clone();
        grouped.entry(name).or_default().push(contract);
    }
    for contracts in grouped.values_mut() {
        contracts.sort_by_key(|contract| contract.kind);
    }
    grouped
}

/// Whether a contract is shown as something the operation promises or asks for.
fn stands(contract: &ContractRecord, detail: Detail) -> bool {
    match contract.verdict {
        VerdictRecord::Upheld { .. } | VerdictRecord::RealPrecondition { .. } => true,
        VerdictRecord::Unsettled { .. } => detail == Detail::Full,
        VerdictRecord::Refuted { .. } => false,
    }
}

fn is_refuted(contract: &ContractRecord) -> bool {
    matches!(contract.verdict, VerdictRecord::Refuted { .. })
}

fn clause(contract: &ContractRecord) -> String {
    let keyword = contract.kind.keyword();
    // Keywords of the two common kinds line up.
    let gap = if contract.kind == ContractKind::Postcondition { "  " } else { " " };
    format!("{keyword}{gap}{}", contract.text)
}

fn tone(verdict: &VerdictRecord) -> Tone {
    match verdict {
        VerdictRecord::Upheld { .. } | VerdictRecord::RealPrecondition { .. } => Tone::Good,
        VerdictRecord::Refuted { .. } => Tone::Bad,
        VerdictRecord::Unsettled { .. } => Tone::Notable,
    }
}

/// What became of a contract, in words; first of all that it is none of ours.
pub(crate) fn standing_text(contract: &ContractRecord) -> String {
    let place = match contract.written {
        None => return verdict_text(&contract.verdict),
        Some(WrittenPlace::Attribute) => "in an attribute",
        Some(WrittenPlace::Assertion) => "as an assertion",
        Some(WrittenPlace::Documentation) => "in the documentation",
    };
    format!("written {place}, {}", verdict_text(&contract.verdict))
}

fn verdict_text(verdict: &VerdictRecord) -> String {
    match verdict {
        VerdictRecord::Upheld { attacks } => {
            format!("upheld against {}{}", counted(attacks.at_risk, "attack"), came(attacks))
        }
        VerdictRecord::RealPrecondition { attacks } => {
            let violations = counted(attacks.at_risk, "violation");
            format!("real precondition: panicked on all of {violations}")
        }
        VerdictRecord::Refuted { via, .. } => format!("refuted {}", via_text(*via)),
        VerdictRecord::Unsettled { reason, attacks } => {
            format!("unsettled: {}{}", reason_text(*reason), came(attacks))
        }
    }
}

/// How near a call came to a violation.
fn came(attacks: &Attacks) -> String {
    match attacks.closest {
        None => String::new(),
        Some(Closest::Short(by)) => format!("; the closest call was {by} short of breaking it"),
        Some(Closest::Unmet(1)) => {
            "; the closest call lacked one condition of a violation".to_owned()
        }
        Some(Closest::Unmet(count)) => {
            format!("; the closest call lacked {count} conditions of a violation")
        }
    }
}

/// How a contract was attacked, in words; nothing when it was not, or fell.
pub(crate) fn attacks_text(verdict: &VerdictRecord) -> Option<String> {
    let attacks = match verdict {
        VerdictRecord::Upheld { attacks }
        | VerdictRecord::RealPrecondition { attacks }
        | VerdictRecord::Unsettled { attacks, .. } => attacks,
        VerdictRecord::Refuted { .. } => return None,
    };
    if attacks.made == 0 {
        return None;
    }
    let ways: Vec<String> =
        attacks.ways.iter().map(|(via, count)| format!("{count} {}", via_text(*via))).collect();
    let ways = if ways.is_empty() { String::new() } else { format!(": {}", ways.join(", ")) };
    let calls = counted(attacks.made, "call");
    Some(format!("attacked with {calls}, {} of them telling{ways}", attacks.at_risk))
}

fn via_text(via: Via) -> &'static str {
    match via {
        Via::Objects => "by stored objects",
        Via::Nearest => "by stored objects that were nearest to it",
        Via::Branch => "by stored objects on a branch of its code",
        Via::Corner => "by stored objects in a corner",
        Via::Transition => "by objects that a stored transition led to",
        Via::Chain => "by objects that several stored transitions led to",
        Via::NewTuple => "by objects that had never met",
        Via::Raid => "by one of many calls on objects that a search found",
        Via::OtherAttack => "by an attack on another contract",
        Via::Exploration => "by a call of the random phase",
    }
}

fn reason_text(reason: Unsettled) -> &'static str {
    match reason {
        Unsettled::NothingToTry => "nothing known comes near a violation",
        Unsettled::OnlyPanics => "every attempt panicked, differently or with something changed",
        Unsettled::NotSearchable => "the predicate cannot be searched for",
        Unsettled::Budget => "the budget ended first",
        Unsettled::FewAttacks => "it could have failed on too few calls",
        Unsettled::Granted => "the mode of the run takes it for granted",
    }
}

/// What speaks for a contract, in words.
pub(crate) fn evidence_text(evidence: &Evidence) -> String {
    format!(
        "learnt from {} ({} at risk), held on {} since, {} of a second campaign",
        counted(evidence.distinct, "distinct observation"),
        evidence.at_risk,
        counted(evidence.attacks, "call"),
        evidence.again,
    )
}

/// Evidence and counterexample.
fn more(text: &mut String, contract: &ContractRecord) {
    line(text, &format!("      {}", evidence_text(&contract.evidence)));
    if let Some(attacks) = attacks_text(&contract.verdict) {
        line(text, &format!("      {attacks}"));
    }
    for implied in &contract.implies {
        line(text, &format!("      implies: {implied}"));
    }
    if let VerdictRecord::Refuted { steps, .. } = &contract.verdict {
        for step in steps {
            line(text, &format!("          {step}"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples;

    #[test]
    fn contracts_are_shown_with_their_verdicts() {
        let contracts = samples::record().contracts;
        let contracts: Vec<_> = contracts.iter().collect();
        insta::assert_snapshot!(contracts_text(&contracts, Paint::Plain, Detail::Full));
        assert_eq!(contracts_text(&[], Paint::Plain, Detail::Brief), "");
        let known =
            ContractRecord { written: Some(WrittenPlace::Attribute), ..contracts[0].clone() };
        let text = contracts_text(&[&known], Paint::Plain, Detail::Brief);
        assert!(text.contains("written in an attribute, upheld against 45 attacks"), "{text}");
    }

    #[test]
    fn a_brief_summary_has_the_strongest_clauses_of_few_operations() {
        let mut record = samples::record();
        let standing = record.contracts.iter().find(|c| stands(c, Detail::Brief)).unwrap().clone();
        record.contracts.clear();
        for operation in 0..20 {
            for clause in (0..=operation % 5).rev() {
                let operation = format!("Map::op{operation:02} for map::Map<Probe>");
                let text = format!("self.len() == {clause}");
                record.contracts.push(ContractRecord { operation, text, ..standing.clone() });
            }
        }
        let text = compact(&record, Paint::Plain, Detail::Brief);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 1 + 12 * 4 + 1, "{text}");
        assert_eq!(lines[1], "  Map::op02");
        assert!(lines[5] == "  Map::op03" && lines[6].ends_with("self.len() == 3"), "{text}");
        assert_eq!(lines.last(), Some(&"  … and 24 more: `cargo gainsay contracts`"));
        let full = compact(&record, Paint::Plain, Detail::Full);
        assert_eq!(full.lines().count(), 1 + 20 + 60);
    }
}
