//! `cargo gainsay infer`: facts from a foreign trace, as text or JSON. No crate is involved.

use std::{fmt::Write as _, path::PathBuf};

use gainsay_infer::{Fate, PointReport, Told, TraceReport, infer_trace};
use gainsay_report::{Paint, Tone};
use serde_json::{Value, json};

use crate::{args::ListFormat, exit::Exit, failure::Failure};

/// What to read and how to tell it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct InferSettings {
    /// The trace.
    pub(crate) trace: PathBuf,
    /// Declarations in a file of their own.
    pub(crate) decls: Option<PathBuf>,
    /// How to write it.
    pub(crate) format: ListFormat,
    /// What to tell.
    pub(crate) extent: Extent,
}

/// Which facts are told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Extent {
    /// Those that follow from no others.
    Shown,
    /// The others as well, with the reason why they are not shown.
    All,
}

/// What is to be printed.
pub(crate) fn text(settings: &InferSettings, paint: Paint) -> Result<String, Failure> {
    let report = infer_trace(&settings.trace, settings.decls.as_deref());
    let report = report.map_err(|error| {
        let cause = std::error::Error::source(&error).map(|cause| format!(": {cause}"));
        let message = format!("{error}{}", cause.unwrap_or_default());
        Failure::new(Exit::Usage, message).hint(error.hint())
    })?;
    Ok(match settings.format {
        ListFormat::Text => plain(&report, settings.extent, paint),
        ListFormat::Json => format!("{:#}\n", json_of(&report, settings.extent)),
    })
}

fn plain(report: &TraceReport, extent: Extent, paint: Paint) -> String {
    let mut text = String::new();
    for point in &report.points {
        let facts: Vec<&Told> = told(point, extent).collect();
        if !facts.is_empty() {
            let heading = paint.tone(Tone::Strong, &point.name);
            let samples = paint.tone(Tone::Faint, &format!("({})", count(point.samples, "sample")));
            writeln!(text, "{heading} {samples}").expect("writing to a string");
            let width = facts.iter().map(|fact| fact.text.chars().count()).max().unwrap_or(0);
            for fact in facts {
                let pad = " ".repeat(width.min(60).saturating_sub(fact.text.chars().count()));
                let evidence = paint.tone(Tone::Faint, &evidence(point, fact));
                writeln!(text, "  {}{pad}  {evidence}", fact.text).expect("writing to a string");
            }
            text.push('\n');
        }
    }
    text + &summary(report)
}

fn told(point: &PointReport, extent: Extent) -> impl Iterator<Item = &Told> {
    point.facts.iter().filter(move |fact| extent == Extent::All || fact.fate == Fate::Shown)
}

/// What is behind a fact, in few words.
fn evidence(point: &PointReport, fact: &Told) -> String {
    let mut parts = Vec::new();
    match &fact.fate {
        Fate::Shown => {}
        Fate::Implied(by) if by.is_empty() => parts.push("always so".to_owned()),
        Fate::Implied(by) => parts.push(format!("implied by {}", by.join("; "))),
        Fate::Determined(by) => parts.push(format!("left to {by}")),
        Fate::ByChance => parts.push("may hold by chance".to_owned()),
    }
    if fact.samples != point.samples {
        parts.push(count(fact.samples, "sample"));
    }
    if fact.fate == Fate::Shown || fact.fate == Fate::ByChance {
        parts.push(format!("chance {}", chance(fact.log10_chance)));
    }
    match fact.within {
        Some(within) if within > 0 && fact.fate == Fate::Shown => {
            parts.push(format!("known within {within}"));
        }
        _ => {}
    }
    parts.join(", ")
}

fn chance(log10: f64) -> String {
    match log10 {
        f64::NEG_INFINITY..-300.0 => "< 1e-300".to_owned(),
        ..-3.0 => format!("1e{}", log10.ceil()),
        _ => format!("{:.3}", 10_f64.powf(log10)),
    }
}

fn summary(report: &TraceReport) -> String {
    let shown = report.points.iter().map(|point| told(point, Extent::Shown).count()).sum::<usize>();
    let kept = report.points.iter().map(|point| point.facts.len()).sum::<usize>() - shown;
    let points = count(report.points.len() as u64, "point");
    let mut text = format!(
        "{} at {points}, from {}; {kept} more hold and are implied, or may hold by chance\n",
        count(shown as u64, "fact"),
        count(report.samples, "sample"),
    );
    if report.unbegun > 0 {
        let calls = count(report.unbegun, "call");
        writeln!(text, "{calls} ended without having begun, and do not count").expect("a string");
    }
    if report.unended > 0 {
        writeln!(text, "{} began and did not end", count(report.unended, "call"))
            .expect("writing to a string");
    }
    text
}

fn count(number: u64, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}

fn json_of(report: &TraceReport, extent: Extent) -> Value {
    let points: Vec<Value> =
        report.points.iter().map(|point| json_of_point(point, extent)).collect();
    json!({
        "samples": report.samples,
        "candidates": report.candidates,
        "calls_without_beginning": report.unbegun,
        "calls_without_end": report.unended,
        "points": points,
    })
}

fn json_of_point(point: &PointReport, extent: Extent) -> Value {
    let facts: Vec<Value> = told(point, extent).map(json_of_fact).collect();
    json!({ "name": point.name, "samples": point.samples, "facts": facts })
}

fn json_of_fact(fact: &Told) -> Value {
    let (fate, by) = match &fact.fate {
        Fate::Shown => ("shown", Vec::new()),
        Fate::Implied(by) => ("implied", by.clone()),
        Fate::Determined(by) => ("determined", vec![by.clone()]),
        Fate::ByChance => ("by_chance", Vec::new()),
    };
    json!({
        "text": fact.text,
        "family": fact.family,
        "fate": fate,
        "by": by,
        "samples": fact.samples,
        "log10_chance": fact.log10_chance.max(-1e9),
        "within": fact.within,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chances_are_written_as_people_write_them() {
        assert_eq!(chance(f64::NEG_INFINITY), "< 1e-300");
        assert_eq!(chance(-12.4), "1e-12");
        assert_eq!(chance(-1.0), "0.100");
    }

    #[test]
    fn one_is_not_many() {
        assert_eq!((count(1, "fact"), count(2, "fact")), ("1 fact".into(), "2 facts".into()));
    }
}
