//! The report of a trace as text and as JSON.

use std::fmt::Write as _;

use gainsay_traces::{Fate, PointReport, Told, TraceReport};
use serde_json::{Value, json};

/// Which facts are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Extent {
    /// Those that follow from no others.
    Shown,
    /// The others as well, with the reason why they are not shown.
    All,
}

/// Whether text carries colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Paint {
    /// Bare text.
    Plain,
    /// ANSI colours.
    Colour,
}

impl Paint {
    /// The word `error`.
    pub(crate) fn bad(self, text: &str) -> String {
        self.colour("1;31", text)
    }

    /// The word `hint`.
    pub(crate) fn notable(self, text: &str) -> String {
        self.colour("1;33", text)
    }

    fn strong(self, text: &str) -> String {
        self.colour("1", text)
    }

    fn faint(self, text: &str) -> String {
        self.colour("2", text)
    }

    fn colour(self, code: &str, text: &str) -> String {
        match self {
            Paint::Plain => text.to_owned(),
            Paint::Colour => format!("\u{1b}[{code}m{text}\u{1b}[0m"),
        }
    }
}

/// The report as JSON.
pub(crate) fn print_json(report: &TraceReport, extent: Extent) -> String {
    format!("{:#}\n", json_of(report, extent))
}

/// The report for people: facts by point with their evidence, then a summary.
pub(crate) fn print_text(report: &TraceReport, extent: Extent, paint: Paint) -> String {
    let mut text = String::new();
    for point in &report.points {
        let facts: Vec<&Told> = select_facts(point, extent).collect();
        if !facts.is_empty() {
            let heading = paint.strong(&point.name);
            let samples = paint.faint(&format!("({})", count_of(point.samples, "sample")));
            writeln!(text, "{heading} {samples}").expect("writing to a string");
            let width = facts.iter().map(|fact| fact.text.chars().count()).max().unwrap_or(0);
            for fact in facts {
                let pad = " ".repeat(width.min(60).saturating_sub(fact.text.chars().count()));
                let evidence = paint.faint(&print_evidence(point, fact));
                writeln!(text, "  {}{pad}  {evidence}", fact.text).expect("writing to a string");
            }
            text.push('\n');
        }
    }
    text + &print_summary(report)
}

fn select_facts(point: &PointReport, extent: Extent) -> impl Iterator<Item = &Told> {
    point.facts.iter().filter(move |fact| extent == Extent::All || fact.fate == Fate::Shown)
}

/// The evidence of a fact, or why it is not shown, in few words.
fn print_evidence(point: &PointReport, fact: &Told) -> String {
    let mut parts = Vec::new();
    match &fact.fate {
        Fate::Shown => {}
        Fate::Implied(by) if by.is_empty() => parts.push("always so".to_owned()),
        Fate::Implied(by) => parts.push(format!("implied by {}", by.join("; "))),
        Fate::Determined(by) => parts.push(format!("left to {by}")),
        Fate::ByChance => parts.push("may hold by chance".to_owned()),
    }
    if fact.samples != point.samples {
        parts.push(count_of(fact.samples, "sample"));
    }
    if fact.fate == Fate::Shown || fact.fate == Fate::ByChance {
        parts.push(format!("chance {}", print_chance(fact.log10_chance)));
    }
    match fact.within {
        Some(within) if within > 0 && fact.fate == Fate::Shown => {
            parts.push(format!("known within {within}"));
        }
        _ => {}
    }
    parts.join(", ")
}

fn print_chance(log10: f64) -> String {
    match log10 {
        f64::NEG_INFINITY..-300.0 => "< 1e-300".to_owned(),
        ..-3.0 => format!("1e{}", log10.ceil()),
        _ => format!("{:.3}", 10_f64.powf(log10)),
    }
}

fn print_summary(report: &TraceReport) -> String {
    let shown =
        report.points.iter().map(|point| select_facts(point, Extent::Shown).count()).sum::<usize>();
    let kept = report.points.iter().map(|point| point.facts.len()).sum::<usize>() - shown;
    let points = count_of(report.points.len() as u64, "point");
    let mut text = format!(
        "{} at {points}, from {}; {kept} more hold and are implied, or may hold by chance\n",
        count_of(shown as u64, "fact"),
        count_of(report.samples, "sample"),
    );
    if report.unbegun > 0 {
        let calls = count_of(report.unbegun, "call");
        writeln!(text, "{calls} ended without having begun, and do not count").expect("a string");
    }
    if report.unended > 0 {
        writeln!(text, "{} began and did not end", count_of(report.unended, "call"))
            .expect("writing to a string");
    }
    text
}

fn count_of(number: u64, noun: &str) -> String {
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
    let facts: Vec<Value> = select_facts(point, extent).map(json_of_fact).collect();
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
        assert_eq!(print_chance(f64::NEG_INFINITY), "< 1e-300");
        assert_eq!(print_chance(-12.4), "1e-12");
        assert_eq!(print_chance(-1.0), "0.100");
    }

    #[test]
    fn one_is_not_many() {
        assert_eq!((count_of(1, "fact"), count_of(2, "fact")), ("1 fact".into(), "2 facts".into()));
    }
}
