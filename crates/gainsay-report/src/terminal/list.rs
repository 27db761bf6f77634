//! What a subject offers: operations by type and kind, and skips with their reasons.

use std::collections::BTreeMap;

use gainsay_model::api::OpKind;

use super::{Detail, LEFT_OFF, PROVIDERS, counted, features, headed, line};
use crate::{
    catalogue::{Catalogue, OperationEntry},
    paint::{Paint, Tone},
};

/// Operations and skips of a subject.
pub fn list_text(catalogue: &Catalogue, paint: Paint, detail: Detail) -> String {
    let about = format!(
        "{} {}: {}, {} can be called, {} unsafe, {}",
        catalogue.subject.name,
        catalogue.subject.version,
        counted(catalogue.public, "public operation"),
        catalogue.harnessed,
        catalogue.r#unsafe,
        counted(catalogue.types.len() as u64, "type"),
    );
    let mut parts = groups(catalogue, paint, detail);
    if detail == Detail::Full {
        let makers: String =
            catalogue.makers.iter().flat_map(|maker| ["  ", maker, "\n"]).collect();
        parts.push(headed("Also called, to make values", &makers, paint));
    }
    parts.push(headed("Skipped operations", &skips(catalogue), paint));
    parts.push(headed(LEFT_OFF, &features::left_off(&catalogue.features, detail), paint));
    let listed = paint.line(Tone::Good, "Listed", &about);
    parts.push(listed + &features::features(&catalogue.features, paint));
    parts.retain(|part| !part.is_empty());
    parts.join("\n")
}

/// A block for each type, free functions first.
fn groups(catalogue: &Catalogue, paint: Paint, detail: Detail) -> Vec<String> {
    let mut groups: BTreeMap<Option<&str>, Vec<&OperationEntry>> = BTreeMap::new();
    for entry in &catalogue.operations {
        groups.entry(entry.owner.as_deref()).or_default().push(entry);
    }
    let block = |(owner, mut entries): (Option<&str>, Vec<&OperationEntry>)| {
        entries.sort_by_key(|entry| (entry.kind, &entry.path));
        let text: String = entries.into_iter().map(|entry| operation(entry, detail)).collect();
        headed(&heading(catalogue, owner), &text, paint)
    };
    groups.into_iter().map(block).collect()
}

/// A type with its instantiations, where they say more than its name.
fn heading(catalogue: &Catalogue, owner: Option<&str>) -> String {
    let Some(owner) = owner else { return "Functions".to_owned() };
    let known = catalogue.types.iter().find(|entry| entry.name == owner);
    let instances = known.map(|entry| entry.instances.join(", ")).unwrap_or_default();
    let tells = instances.contains(['<', ',']);
    if tells { format!("{owner}, as {instances}") } else { owner.to_owned() }
}

fn operation(entry: &OperationEntry, detail: Detail) -> String {
    let mut text = String::new();
    for signature in &entry.instances {
        line(&mut text, &format!("  {:<8}  {signature}", kind(entry.kind)));
    }
    if detail == Detail::Full {
        for condition in &entry.conditions {
            line(&mut text, &format!("  {:<8}    decides on `{condition}`", ""));
        }
    }
    if let Some(skip) = &entry.skip {
        let detail = match skip.detail.lines().next().unwrap_or_default() {
            "" => String::new(),
            detail => format!(": {detail}"),
        };
        let why = skip.reason.as_text();
        line(
            &mut text,
            &format!("  {:<8}  {} (skipped, {why}{detail})", kind(entry.kind), entry.path),
        );
    }
    text
}

fn kind(kind: OpKind) -> &'static str {
    match kind {
        OpKind::Origin => "origin",
        OpKind::Query => "query",
        OpKind::Command => "command",
        OpKind::Consumer => "consumer",
    }
}

/// Counts by reason.
fn skips(catalogue: &Catalogue) -> String {
    let mut text = String::new();
    for (reason, count) in &catalogue.skipped {
        line(&mut text, &format!("{count:>6}  {}", reason.as_text()));
    }
    if catalogue.wants_providers() {
        line(&mut text, PROVIDERS);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples;

    #[test]
    fn operations_are_listed_with_their_kind_and_skips_with_their_reason() {
        let catalogue = Catalogue::new(&samples::api(), None);
        insta::assert_snapshot!(list_text(&catalogue, Paint::Plain, Detail::Brief));
        insta::assert_snapshot!(list_text(&catalogue, Paint::Plain, Detail::Full));
    }
}
