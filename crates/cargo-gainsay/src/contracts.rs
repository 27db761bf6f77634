//! `cargo gainsay contracts`: what the last run learnt, in the form that was asked for.

use gainsay_report::{
    ContractRecord, Dialect, RunRecord, Tone, UnknownName, chosen_contracts, contracts_attributes,
    contracts_docs, contracts_json, contracts_markdown, contracts_text, invariants_text,
};

use crate::{
    args::{AttributeCrate, ContractFormat},
    commands::{detail, say},
    exit::Exit,
    failure::Failure,
    settings::Settings,
};

/// Shows the contracts of a type, of operations, or all of them.
pub(crate) fn show(
    settings: &Settings,
    record: &RunRecord,
    name: Option<&str>,
    (format, dialect): (ContractFormat, AttributeCrate),
) -> anyhow::Result<Exit> {
    let chosen = chosen_contracts(record, name).map_err(|error| unknown(name, &error))?;
    let text = text(settings, (record, name), &chosen, (format, dialect))?;
    if text.is_empty() {
        say(&settings.stdout.line(Tone::Notable, "Nothing", nothing(format)))?;
    }
    say(&text)?;
    Ok(Exit::NothingFound)
}

fn text(
    settings: &Settings,
    (record, name): (&RunRecord, Option<&str>),
    chosen: &[&ContractRecord],
    (format, dialect): (ContractFormat, AttributeCrate),
) -> anyhow::Result<String> {
    let dialect = match dialect {
        AttributeCrate::Contracts => Dialect::Contracts,
        AttributeCrate::Anodized => Dialect::Anodized,
    };
    Ok(match format {
        ContractFormat::Text => {
            invariants_text(&record.summary.types, name, settings.stdout)
                + &contracts_text(chosen, settings.stdout, detail(settings))
        }
        ContractFormat::Markdown => contracts_markdown(record, chosen),
        ContractFormat::Json => {
            serde_json::to_string_pretty(&contracts_json(record, chosen))? + "\n"
        }
        ContractFormat::Docs => contracts_docs(chosen),
        ContractFormat::Attributes => contracts_attributes(record, chosen, dialect),
    })
}

/// What there is none of.
fn nothing(format: ContractFormat) -> &'static str {
    match format {
        ContractFormat::Docs => "no outcome was learnt that documentation should tell",
        _ => "no contract was learnt here",
    }
}

fn unknown(name: Option<&str>, error: &UnknownName) -> Failure {
    let name = name.unwrap_or_default();
    let message = format!("the last run knows no type or operation `{name}`");
    let near: Vec<String> = error.near.iter().map(|known| format!("`{known}`")).collect();
    let hint = match &near[..] {
        [] => "`cargo gainsay list` shows the names of operations".to_owned(),
        _ => format!("did you mean {}?", near.join(" or ")),
    };
    Failure::new(Exit::Usage, message).hint(hint)
}
