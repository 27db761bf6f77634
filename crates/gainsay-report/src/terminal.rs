//! Results as text for a terminal.

mod contracts;
mod faults;
mod features;
mod gaps;
mod list;
mod names;

use std::{fmt::Write as _, path::Path};

use gainsay_model::{
    counting::{counted, group_digits},
    event::StopReason,
};

pub(crate) use contracts::{attacks_text, evidence_text, standing_text};
pub use contracts::{contracts_text, invariants_text};
pub use faults::faults_text;
pub use list::list_text;

use crate::{
    paint::{Paint, Tone},
    record::RunRecord,
    summary::{CheckedLaw, Summary},
};

/// How much to show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Detail {
    /// What matters.
    Brief,
    /// Everything.
    Full,
}

/// The result of a run: faults first, then contracts, gaps, skips, and where to look.
pub fn summary_text(record: &RunRecord, out_dir: &Path, paint: Paint, detail: Detail) -> String {
    let parts = [
        faults::all(record, paint),
        faults::gone(&record.summary, paint),
        contracts::compact(record, paint, detail),
        gaps::gaps(&record.summary, paint),
        conventions(&record.summary, paint),
        skips(&record.summary, paint, detail),
        headed(LEFT_OFF, &features::left_off(&record.summary.features, detail), paint),
        closing(&record.summary, out_dir, paint),
    ];
    let parts: Vec<String> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    parts.join("\n")
}

/// Heading of features that are off.
const LEFT_OFF: &str = "Features that stay off";

/// What was checked less often says nothing about the habits of a type.
const CHECKED_AT_LEAST: u64 = 5;

/// Conventions that a type does not follow, each told once whatever the type's arguments.
fn conventions(summary: &Summary, paint: Paint) -> String {
    let mut text = String::new();
    let mut told = std::collections::BTreeSet::new();
    for views in &summary.types {
        let name = views.r#type.split('<').next().unwrap_or(&views.r#type);
        let is_convention = |law: &&CheckedLaw| {
            law.checked >= CHECKED_AT_LEAST && ["name", "convention"].contains(&&*law.rests_on)
        };
        for law in views.laws.iter().filter(|law| !law.followed).filter(is_convention) {
            if told.insert((name, &law.law)) {
                let name = paint.tone(Tone::Strong, names::path(name));
                let times = format!("{} of {} times", law.broken, law.checked);
                line(&mut text, &format!("  {name}: {} fails {times}", law.law));
            }
        }
    }
    headed("Conventions that are not followed (no faults)", &text, paint)
}

fn skips(summary: &Summary, paint: Paint, detail: Detail) -> String {
    let mut text = String::new();
    for (reason, count) in &summary.operations.skipped {
        line(&mut text, &format!("{count:>6}  {}", reason.as_text()));
        if detail == Detail::Full {
            let records = summary.operations.records.iter();
            for (record, skip) in records.filter_map(|r| Some((r, r.skip.as_ref()?))) {
                if skip.reason == *reason {
                    let first = skip.detail.lines().next().unwrap_or_default();
                    line(&mut text, &format!("        {}: {first}", record.path));
                }
            }
        }
    }
    if summary.operations.skipped.keys().any(|reason| reason.can_be_provided()) {
        line(&mut text, PROVIDERS);
    }
    headed("Skipped operations", &text, paint)
}

/// Said where a provider could help.
const PROVIDERS: &str =
    "  Values of types that are missing can be provided in `gainsay.toml`: docs/providers.md.";

/// Counts, why it stopped, where to look.
fn closing(summary: &Summary, out_dir: &Path, paint: Paint) -> String {
    let operations = &summary.operations;
    let mut text = paint.line(
        Tone::Good,
        "Tested",
        &format!(
            "{} {}: {} of {} called, {} returned",
            summary.subject.name,
            summary.subject.version,
            operations.called,
            counted(operations.public, "public operation"),
            operations.returned,
        ),
    );
    text += &features::features(&summary.features, paint);
    let speed = summary.calls_per_cpu_second;
    let speed = speed.map(|speed| format!(" ({} a CPU second)", whole(speed)));
    text += &paint.line(
        Tone::Good,
        "Made",
        &format!(
            "{}{}, {}, {}",
            counted(summary.calls, "call"),
            speed.unwrap_or_default(),
            counted(summary.states, "state"),
            counted(summary.transitions, "transition"),
        ),
    );
    if let Some(coverable) = summary.coverable {
        let regions = counted(coverable, "region");
        let covered = format!("{} of {regions} of the crate", whole(summary.covered as f64));
        text += &paint.line(Tone::Good, "Covered", &covered);
    }
    let tone = if summary.faults.is_empty() { Tone::Good } else { Tone::Bad };
    let found = format!(
        "{}, {} ({} upheld, {} refuted, {} unsettled, {})",
        counted(summary.faults.len() as u64, "fault"),
        counted(summary.contracts.inferred, "contract"),
        summary.contracts.upheld,
        summary.contracts.refuted,
        summary.contracts.unsettled,
        counted(summary.contracts.real_preconditions, "real precondition"),
    );
    text += &paint.line(tone, "Found", &found);
    text += &paint.line(Tone::Good, "Stopped", stop_text(summary.stop_reason));
    text += &paint.line(Tone::Good, "Results", &format!("in {}", out_dir.display()));
    text
}

fn stop_text(reason: StopReason) -> &'static str {
    match reason {
        StopReason::Time => "because the time was up",
        StopReason::Calls => "because the calls were made",
        StopReason::Saturation => "because nothing new came for a long while",
        StopReason::Interrupted => "because it was interrupted",
        StopReason::Restarts => "because workers died too often",
        StopReason::Script => "because the given sequences were run",
    }
}

/// A block under a heading; nothing when it is empty.
fn headed(heading: &str, text: &str, paint: Paint) -> String {
    if text.is_empty() {
        return String::new();
    }
    format!("{}\n{text}", paint.tone(Tone::Strong, heading))
}

fn line(text: &mut String, content: &str) {
    writeln!(text, "{content}").expect("writing to a string");
}

/// A number without its fraction.
fn whole(number: f64) -> String {
    group_digits(&format!("{number:.0}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples;

    #[test]
    fn the_summary_shows_faults_contracts_gaps_skips_and_where_to_look() {
        let out_dir = Path::new("target/gainsay");
        let text = summary_text(&samples::record(), out_dir, Paint::Plain, Detail::Brief);
        insta::assert_snapshot!(text);
        let text = summary_text(&samples::record(), out_dir, Paint::Plain, Detail::Full);
        insta::assert_snapshot!(text);
    }

    #[test]
    fn a_convention_that_a_type_does_not_follow_is_told_once() {
        let mut record = samples::record();
        let views = record.summary.types.first_mut().unwrap();
        let law = views.laws.first().unwrap().clone();
        let (law, rests_on) = (law.law, "convention".to_owned());
        let odd = CheckedLaw { law, rests_on, checked: 20, broken: 18, followed: false };
        let once = CheckedLaw { law: "once".to_owned(), checked: 1, broken: 1, ..odd.clone() };
        views.laws = vec![odd.clone(), once, CheckedLaw { rests_on: "guess".to_owned(), ..odd }];
        let again = views.clone();
        record.summary.types.push(again);
        let text = conventions(&record.summary, Paint::Plain);
        assert_eq!(text.lines().count(), 2, "{text}");
        assert!(text.contains("fails 18 of 20 times"), "{text}");
    }

    #[test]
    fn colours_change_nothing_but_colours() {
        let out_dir = Path::new("target/gainsay");
        let record = samples::record();
        let plain = summary_text(&record, out_dir, Paint::Plain, Detail::Brief);
        let mut coloured = summary_text(&record, out_dir, Paint::Colour, Detail::Brief);
        assert_ne!(plain, coloured);
        for code in ["1;32", "1;31", "1;33", "1", "2", "0"] {
            coloured = coloured.replace(&format!("\u{1b}[{code}m"), "");
        }
        assert_eq!(plain, coloured);
    }

    #[test]
    fn a_run_without_findings_is_short() {
        let mut record = samples::record();
        record.faults.clear();
        record.summary.faults.clear();
        record.contracts.clear();
        record.summary.illegal = crate::Illegal::default();
        record.summary.operations.skipped.clear();
        let text = summary_text(&record, Path::new("out"), Paint::Plain, Detail::Brief);
        assert_eq!(text.lines().count(), 6, "{text}");
    }

    #[test]
    fn numbers_are_grouped_and_nouns_follow_them() {
        let check = |count, expected: &str| assert_eq!(counted(count, "call"), expected);
        check(0, "0 calls");
        check(1, "1 call");
        check(999, "999 calls");
        check(1000, "1,000 calls");
        check(1_234_567, "1,234,567 calls");
        assert_eq!(whole(20_000.4), "20,000");
    }
}
