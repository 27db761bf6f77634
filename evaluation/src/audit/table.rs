//! What audits came to, as lines for people and as JSON.

use std::fmt::Write as _;

use gainsay_report::ReductionFigures;
use serde_json::{Value, json};

use super::bound;
use crate::exploration::median;

/// What the lower bound of the sound share must reach.
const SOUND: f64 = 0.99;

/// So many lines of a counterexample are printed.
const SHOWN: usize = 10;

/// The first two lines, as Markdown has them.
pub(super) const HEAD: &str = "\
| crate                        | retained | broken | sound, % | untested | unsettled | broken of these | search, ms | running, % |\n\
|------------------------------|---------:|-------:|---------:|---------:|----------:|----------------:|-----------:|-----------:|\n";

/// One crate.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Row {
    pub(super) spec: String,
    /// Contracts that were upheld, real preconditions, invariants.
    pub(super) retained: u64,
    /// Those of them that the audit made no call for.
    pub(super) untested: u64,
    /// Those of them that fell, with what contradicts them.
    pub(super) fallen: Vec<(String, Vec<String>)>,
    /// What the run left open, with whether it fell.
    pub(super) unsettled: Vec<(String, bool)>,
    /// What attacks took in the run.
    pub(super) reduction: ReductionFigures,
}

impl Row {
    /// As a line of the table.
    pub(super) fn line(&self) -> String {
        format!(
            "| {:<28} | {:>8} | {:>6} | {:>8.2} | {:>8} | {:>9} | {:>15} | {:>10.1} | {:>10.1} |\n",
            self.spec,
            self.retained,
            self.fallen.len(),
            percent(self.retained - self.fallen.len() as u64, self.retained),
            self.untested,
            self.unsettled.len(),
            self.unsettled.iter().filter(|(_, fell)| *fell).count(),
            self.reduction.median_search_millis,
            self.running(),
        )
    }

    fn running(&self) -> f64 {
        let figures = self.reduction;
        if figures.seconds > 0.0 { 100.0 * figures.running_seconds / figures.seconds } else { 0.0 }
    }
}

fn percent(part: u64, all: u64) -> f64 {
    if all == 0 { 100.0 } else { 100.0 * part as f64 / all as f64 }
}

fn sums(rows: &[Row]) -> (u64, u64) {
    let fallen: usize = rows.iter().map(|row| row.fallen.len()).sum();
    (rows.iter().map(|row| row.retained).sum(), fallen as u64)
}

/// Whether enough stands.
pub(super) fn is_sound(rows: &[Row]) -> bool {
    let (retained, fallen) = sums(rows);
    bound::lower(fallen, retained) >= SOUND
}

/// All crates together.
pub(super) fn totals(rows: &[Row]) -> String {
    let (retained, fallen) = sums(rows);
    let figures = || rows.iter().map(|row| row.reduction);
    let all: f64 = figures().map(|it| it.seconds).sum();
    let running: f64 = figures().map(|it| it.running_seconds).sum();
    format!(
        "\n{} of {retained} retained contracts stand: {:.2} %, with 95 % confidence at least {:.2} %\n\
         search for a contract: {:.1} ms, median of crates; {:.1} % of the reduction's time is \
         spent running calls\n",
        retained - fallen,
        percent(retained - fallen, retained),
        100.0 * bound::lower(fallen, retained),
        median(figures().map(|it| it.median_search_millis).collect()),
        if all > 0.0 { 100.0 * running / all } else { 0.0 },
    )
}

/// What fell, with what contradicts it.
pub(super) fn fallen(rows: &[Row]) -> String {
    let mut text = String::new();
    for row in rows.iter().filter(|row| !row.fallen.is_empty()) {
        writeln!(text, "\n{}", row.spec).expect("writing to a string");
        for (contract, steps) in &row.fallen {
            writeln!(text, "  {contract}").expect("writing to a string");
            // The end tells most; the figures for programs have all of it.
            let long = steps.len().saturating_sub(SHOWN);
            if long > 0 {
                writeln!(text, "      … {long} lines …").expect("writing to a string");
            }
            for step in &steps[long..] {
                writeln!(text, "      {step}").expect("writing to a string");
            }
        }
    }
    text
}

/// What runs left open.
pub(super) fn unsettled(rows: &[Row]) -> String {
    let mut text = String::from("\nUnsettled\n");
    for row in rows {
        for (contract, fell) in &row.unsettled {
            let mark = if *fell { "broken" } else { "stands" };
            writeln!(text, "  {mark}  {}  {contract}", row.spec).expect("writing to a string");
        }
    }
    text
}

/// The same for programs.
pub(super) fn json(rows: &[Row], time: &str) -> Value {
    let (retained, fallen) = sums(rows);
    let row = |row: &Row| {
        json!({
            "crate": row.spec, "retained": row.retained, "untested": row.untested,
            "fallen": row.fallen, "unsettled": row.unsettled, "reduction": row.reduction,
            "running_percent": row.running(),
        })
    };
    json!({
        "time": time,
        "retained": retained, "fallen": fallen,
        "lower_bound": bound::lower(fallen, retained),
        "crates": rows.iter().map(row).collect::<Vec<_>>(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn too_few_contracts_are_not_enough_however_well_they_stand() {
        let row = |retained, fallen: usize| Row {
            spec: "a@1".into(),
            retained,
            fallen: vec![("f: ensures false".into(), vec![]); fallen],
            ..Row::default()
        };
        assert!(!is_sound(&[row(100, 0)]));
        assert!(is_sound(&[row(100, 0), row(300, 0)]));
        assert!(!is_sound(&[row(400, 1)]));
        assert!(row(400, 1).line().contains("|    99.75 |"), "{}", row(400, 1).line());
    }
}
