//! Figures of found contracts as lines for people and as JSON.

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::{
    judge::{Fate, LEAST_VIOLATIONS, Verdict},
    truth::Truth,
};
use crate::{exploration::median, options::Options};

/// The first two lines, as Markdown has them.
pub(super) const HEAD: &str = "\
| kind    | type                           | operations | clauses | inferred | implied | missing |     % | shown, median | most | extra % |\n\
|---------|--------------------------------|-----------:|--------:|---------:|--------:|--------:|------:|--------------:|-----:|--------:|\n";

/// What came of one type.
pub(super) struct Row {
    kind: String,
    /// `crate::Type`
    name: String,
    written: String,
    verdicts: Vec<Verdict>,
}

/// Sums of a row or of all.
#[derive(Default)]
struct Figures {
    operations: usize,
    clauses: usize,
    inferred: usize,
    implied: usize,
    extra: usize,
    shown: Vec<usize>,
}

impl Row {
    pub(super) fn new(truth: &Truth, verdicts: Vec<Verdict>) -> Row {
        let name = format!("{}::{}", truth.name, truth.ty);
        Row { kind: truth.kind.clone(), name, written: truth.date.clone(), verdicts }
    }

    /// Whether a clause of the truth is contradicted by a call.
    pub(super) fn is_wrong(&self) -> bool {
        let clauses = self.verdicts.iter().flat_map(|verdict| &verdict.clauses);
        clauses.into_iter().any(|clause| clause.fate == Fate::Wrong)
    }

    pub(super) fn line(&self) -> String {
        line(&self.kind, &self.name, &Figures::of(&[self]))
    }
}

impl Figures {
    fn of(rows: &[&Row]) -> Figures {
        let mut sum = Figures::default();
        for verdict in rows.iter().flat_map(|row| &row.verdicts) {
            let count = |fate| verdict.clauses.iter().filter(|c| c.fate == fate).count();
            sum.operations += 1;
            sum.clauses += verdict.clauses.len();
            sum.inferred += count(Fate::Inferred);
            sum.implied += count(Fate::Implied);
            sum.extra += verdict.extra;
            sum.shown.push(verdict.shown.len());
        }
        sum
    }

    fn missing(&self) -> usize {
        self.clauses - self.inferred - self.implied
    }

    fn percent(&self) -> f64 {
        share(self.inferred + self.implied, self.clauses)
    }

    fn median_shown(&self) -> f64 {
        median(self.shown.iter().map(|count| *count as f64).collect())
    }

    fn extra_percent(&self) -> f64 {
        share(self.extra, self.shown.iter().sum())
    }

    fn json(&self) -> Value {
        json!({
            "operations": self.operations, "clauses": self.clauses, "inferred": self.inferred,
            "implied": self.implied, "missing": self.missing(), "percent": self.percent(),
            "shown_median": self.median_shown(), "shown_most": self.shown.iter().max(),
            "extra_percent": self.extra_percent(),
        })
    }
}

fn share(part: usize, whole: usize) -> f64 {
    if whole == 0 { 0.0 } else { 100.0 * part as f64 / whole as f64 }
}

fn line(kind: &str, name: &str, sum: &Figures) -> String {
    format!(
        "| {kind:<7} | {name:<30} | {:>10} | {:>7} | {:>8} | {:>7} | {:>7} | {:>5.1} | {:>13.1} | {:>4} | {:>7.1} |\n",
        sum.operations,
        sum.clauses,
        sum.inferred,
        sum.implied,
        sum.missing(),
        sum.percent(),
        sum.median_shown(),
        sum.shown.iter().max().copied().unwrap_or(0),
        sum.extra_percent(),
    )
}

/// All types together.
pub(super) fn totals(rows: &[Row]) -> String {
    let rows: Vec<&Row> = rows.iter().collect();
    let sum = Figures::of(&rows);
    let mut text = line("all", "", &sum);
    writeln!(
        text,
        "\n{} of {} clauses found: {:.1} % (bar: 80 %), median {} shown clauses an operation \
         (bar: 5). A clause counts as implied when at least {LEAST_VIOLATIONS} varied calls \
         violate it and each of them violates a shown contract.",
        sum.inferred + sum.implied,
        sum.clauses,
        sum.percent(),
        sum.median_shown(),
    )
    .expect("writing to a string");
    text
}

/// Each clause that was not found, with what is shown of its operation.
pub(super) fn missing(rows: &[Row]) -> String {
    let mut text = String::new();
    for (row, verdict) in rows.iter().flat_map(|row| row.verdicts.iter().map(move |v| (row, v))) {
        let lost: Vec<_> = verdict.clauses.iter().filter(|c| !c.fate.is_found()).collect();
        if lost.is_empty() {
            continue;
        }
        write!(text, "\n{} {}\n", row.name, verdict.path).expect("writing to a string");
        for clause in lost {
            writeln!(text, "  {:<9} {}", clause.fate.word(), clause.text).expect("to a string");
        }
        for shown in &verdict.shown {
            writeln!(text, "      shown {shown}").expect("writing to a string");
        }
    }
    text
}

/// Clauses that a call contradicts: mistakes of whoever wrote them.
pub(super) fn mistakes(rows: &[Row]) -> String {
    let mut text = String::new();
    for (row, verdict) in rows.iter().flat_map(|row| row.verdicts.iter().map(move |v| (row, v))) {
        for clause in verdict.clauses.iter().filter(|clause| clause.fate == Fate::Wrong) {
            let at = format!("{} {}", row.name, verdict.path);
            writeln!(text, "contradicted by a call: {at}: {}", clause.text).expect("to a string");
            if let Some(seen) = &clause.seen {
                writeln!(text, "    {seen}").expect("writing to a string");
            }
        }
    }
    text
}

/// The same for programs.
pub(super) fn json(rows: &[Row], options: &Options) -> Value {
    let all: Vec<&Row> = rows.iter().collect();
    let verdict = |verdict: &Verdict| {
        let clauses = verdict.clauses.iter();
        json!({
            "path": verdict.path, "shown": verdict.shown, "extra": verdict.extra,
            "clauses": clauses.map(|c| json!({"clause": c.text, "fate": c.fate.word()}))
                .collect::<Vec<_>>(),
        })
    };
    let row = |row: &Row| {
        let mut value = Figures::of(&[row]).json();
        value["kind"] = json!(row.kind);
        value["type"] = json!(row.name);
        value["written"] = json!(row.written);
        value["by_operation"] = row.verdicts.iter().map(verdict).collect();
        value
    };
    json!({
        "time": options.time, "seed": options.seed, "total": Figures::of(&all).json(),
        "types": rows.iter().map(row).collect::<Vec<_>>(),
    })
}

#[cfg(test)]
mod tests {
    use super::{super::judge::Judged, *};

    fn row(fates: &[Fate]) -> Row {
        let clause = |fate: &Fate| Judged { text: "x == 1".into(), fate: *fate, seen: None };
        let clauses = fates.iter().map(clause).collect();
        let shown = vec!["ensures x == 2".to_owned(); 2];
        let verdict = Verdict { path: "A::f".into(), clauses, shown, extra: 1 };
        let (kind, name, written) = ("set".into(), "a::A".into(), "2026-11-16".into());
        Row { kind, name, written, verdicts: vec![verdict] }
    }

    #[test]
    fn what_cannot_be_said_or_decided_is_not_found() {
        let rows = [row(&[Fate::Inferred, Fate::Implied, Fate::NoWords, Fate::Undecided])];
        assert!(totals(&rows).contains("2 of 4 clauses found: 50.0 %"), "{}", totals(&rows));
        let lost = missing(&rows);
        assert!(lost.contains("no words  x == 1") && lost.contains("shown ensures x == 2"));
        assert_eq!(mistakes(&rows), "");
        assert!(!rows[0].is_wrong());
    }

    #[test]
    fn a_clause_that_a_call_contradicts_is_told_apart() {
        let rows = [row(&[Fate::Wrong])];
        assert!(rows[0].is_wrong());
        assert_eq!(mistakes(&rows), "contradicted by a call: a::A A::f: x == 1\n");
    }

    #[test]
    fn lines_are_as_wide_as_the_head() {
        let widths: Vec<usize> = HEAD.lines().map(str::len).collect();
        assert_eq!(widths, vec![row(&[Fate::Missing]).line().trim_end().len(); 2]);
    }
}
