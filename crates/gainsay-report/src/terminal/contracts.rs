//! Contracts per operation with their verdicts.

use std::collections::BTreeMap;

use gainsay_model::contract::{ContractKind, Unsettled, Via};

use super::{Detail, counted, headed, line};
use crate::{
    paint::{Paint, Tone},
    record::{ContractRecord, RunRecord, VerdictRecord},
};

type ByOperation<'a> = BTreeMap<&'a str, Vec<&'a ContractRecord>>;

/// The contracts of operations whose path contains `filter`, all verdicts.
pub fn contracts_text(
    contracts: &[ContractRecord],
    filter: Option<&str>,
    paint: Paint,
    detail: Detail,
) -> String {
    let wanted = contracts.iter().filter(|c| filter.is_none_or(|f| c.operation.contains(f)));
    let mut blocks = Vec::new();
    for (operation, contracts) in by_operation(wanted) {
        let mut text = format!("{}\n", paint.tone(Tone::Strong, operation));
        for contract in contracts {
            let mark = verdict_text(&contract.verdict);
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

/// What a reader of a summary wants to know: the clauses that stand, and how many fell.
pub(super) fn compact(record: &RunRecord, paint: Paint, detail: Detail) -> String {
    let mut text = String::new();
    for (operation, contracts) in by_operation(record.contracts.iter()) {
        let standing = contracts.iter().filter(|c| stands(c, detail));
        let standing: Vec<String> = standing.map(|c| format!("      {}", clause(c))).collect();
        let fallen = contracts.iter().filter(|c| is_refuted(c)).count() as u64;
        let note = if fallen == 0 { String::new() } else { format!(" ({fallen} refuted)") };
        if standing.is_empty() && fallen == 0 {
            continue;
        }
        line(&mut text, &format!("  {}{note}", paint.tone(Tone::Strong, operation)));
        for clause in &standing {
            line(&mut text, clause);
        }
    }
    headed("Contracts", &text, paint)
}

fn by_operation<'a>(contracts: impl Iterator<Item = &'a ContractRecord>) -> ByOperation<'a> {
    let mut grouped = ByOperation::new();
    for contract in contracts {
        grouped.entry(&contract.operation).or_default().push(contract);
    }
    for contracts in grouped.values_mut() {
        contracts.sort_by_key(|contract| (contract.kind, contract.text.as_str()));
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

fn verdict_text(verdict: &VerdictRecord) -> String {
    match verdict {
        VerdictRecord::Upheld { attacks } => {
            format!("upheld against {}", counted(*attacks, "attack"))
        }
        VerdictRecord::RealPrecondition { attacks } => {
            format!("real precondition: panicked on all of {}", counted(*attacks, "violation"))
        }
        VerdictRecord::Refuted { via, .. } => format!("refuted {}", via_text(*via)),
        VerdictRecord::Unsettled { reason } => format!("unsettled: {}", reason_text(*reason)),
    }
}

fn via_text(via: Via) -> &'static str {
    match via {
        Via::Objects => "by stored objects",
        Via::Transition => "by objects that a stored transition led to",
        Via::NewTuple => "by objects that had never met",
        Via::Exploration => "by a call of the random phase",
    }
}

fn reason_text(reason: Unsettled) -> &'static str {
    match reason {
        Unsettled::NothingToTry => "nothing known comes near a violation",
        Unsettled::OnlyPanics => "every attempt panicked, differently or with something changed",
        Unsettled::NotSearchable => "the predicate cannot be searched for",
        Unsettled::Budget => "the budget ended first",
    }
}

/// Evidence and counterexample.
fn more(text: &mut String, contract: &ContractRecord) {
    let evidence = &contract.evidence;
    let learnt = format!(
        "learnt from {} ({} at risk), checked on {} since",
        counted(evidence.distinct, "distinct observation"),
        evidence.at_risk,
        counted(evidence.attacks, "call"),
    );
    line(text, &format!("      {learnt}"));
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
        insta::assert_snapshot!(contracts_text(&contracts, None, Paint::Plain, Detail::Full));
    }

    #[test]
    fn a_filter_keeps_matching_operations_only() {
        let contracts = samples::record().contracts;
        let text = |filter| contracts_text(&contracts, Some(filter), Paint::Plain, Detail::Brief);
        assert!(text("pop").starts_with("BoundedStack::pop\n"));
        assert!(!text("pop").contains("push"));
        assert_eq!(text("nothing like it"), "");
    }
}
