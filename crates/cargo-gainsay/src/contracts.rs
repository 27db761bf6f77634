//! `cargo gainsay contracts`: what the last run learnt, in the form that was asked for.

use gainsay_report::{
    ContractRecord, Detail, Dialect, RunRecord, Tone, UnknownName, VerdictRecord, chosen_contracts,
    contracts_attributes, contracts_docs, contracts_json, contracts_markdown, contracts_text,
    invariants_text,
};

use crate::{
    args::{AttributeCrate, ContractFormat, VerdictName},
    commands::{detail_of, print_result},
    exit::Exit,
    failure::Failure,
    settings::{ContractSettings, Settings},
};

/// Shows the contracts of a type, of operations, or all of them.
pub(crate) fn show_contracts(
    settings: &Settings,
    record: &RunRecord,
    how: &ContractSettings,
) -> anyhow::Result<Exit> {
    let name = how.name.as_deref();
    let mut chosen = chosen_contracts(record, name).map_err(|error| unknown_name(name, &error))?;
    // After the name: a name that nothing has is a mistake, a verdict that nothing has is an answer.
    chosen.retain(|contract| is_wanted(&how.verdicts, &contract.verdict));
    let text = contracts_as(settings, record, &chosen, how)?;
    if text.is_empty() {
        print_result(&settings.stdout.line(Tone::Notable, "Nothing", nothing_text(how)))?;
    }
    print_result(&text)?;
    Ok(Exit::NothingFound)
}

fn is_wanted(wanted: &[VerdictName], verdict: &VerdictRecord) -> bool {
    let name = match verdict {
        VerdictRecord::Upheld { .. } => VerdictName::Upheld,
        VerdictRecord::Refuted { .. } => VerdictName::Refuted,
        VerdictRecord::RealPrecondition { .. } => VerdictName::Precondition,
        VerdictRecord::Unsettled { .. } => VerdictName::Unsettled,
    };
    wanted.is_empty() || wanted.contains(&name)
}

fn contracts_as(
    settings: &Settings,
    record: &RunRecord,
    chosen: &[&ContractRecord],
    how: &ContractSettings,
) -> anyhow::Result<String> {
    let dialect = match how.dialect {
        AttributeCrate::Contracts => Dialect::Contracts,
        AttributeCrate::Anodized => Dialect::Anodized,
    };
    Ok(match how.format {
        // Who asks for a verdict wants to know what it rests on; invariants have none.
        ContractFormat::Text if !how.verdicts.is_empty() => {
            contracts_text(chosen, settings.stdout, Detail::Full)
        }
        ContractFormat::Text => {
            invariants_text(&record.summary.types, how.name.as_deref(), settings.stdout)
                + &contracts_text(chosen, settings.stdout, detail_of(settings))
        }
        ContractFormat::Markdown => contracts_markdown(record, chosen),
        ContractFormat::Json => {
            serde_json::to_string_pretty(&contracts_json(record, chosen))? + "\n"
        }
        ContractFormat::Docs => contracts_docs(chosen),
        ContractFormat::Attributes => contracts_attributes(record, chosen, dialect),
    })
}

/// Says what there is none of.
fn nothing_text(how: &ContractSettings) -> &'static str {
    match how.format {
        _ if !how.verdicts.is_empty() => "no contract has such a verdict here",
        ContractFormat::Docs => "no outcome was learnt that documentation should tell",
        _ => "no contract was learnt here",
    }
}

fn unknown_name(name: Option<&str>, error: &UnknownName) -> Failure {
    let name = name.unwrap_or_default();
    let message = format!("the last run knows no type or operation `{name}`");
    let near: Vec<String> = error.near.iter().map(|known| format!("`{known}`")).collect();
    let hint = match &near[..] {
        [] => "`cargo gainsay list` shows the names of operations".to_owned(),
        _ => format!("did you mean {}?", near.join(" or ")),
    };
    Failure::new(Exit::Usage, message).with_hint(hint)
}

#[cfg(test)]
mod tests {
    use gainsay_model::contract::{Attacks, Unsettled};

    use super::*;

    #[test]
    fn verdicts_are_chosen_by_name_and_all_without_one() {
        let attacks = Attacks::default();
        let open = VerdictRecord::Unsettled { reason: Unsettled::Budget, attacks: attacks.clone() };
        let real = VerdictRecord::RealPrecondition { attacks };
        assert!(is_wanted(&[], &open) && is_wanted(&[], &real));
        assert!(is_wanted(&[VerdictName::Refuted, VerdictName::Unsettled], &open));
        assert!(is_wanted(&[VerdictName::Precondition], &real));
        assert!(!is_wanted(&[VerdictName::Upheld], &real));
    }
}
