//! What Daikon prints by default, derived anew: its default templates are tried by brute force on
//! every point of a trace, and each that holds with Daikon's confidence must be shown by the
//! product, follow from what it shows, or be one that it deliberately leaves out.
//!
//! This shares no code with the product: it reads the trace and the product's report by itself.
//! It claims more than Daikon prints, since what Daikon hides as obvious is claimed here, too.

mod claims;
mod prove;
mod read;

use std::{
    collections::BTreeMap,
    fmt::Write as _,
    path::Path,
    process::{Command, Stdio},
};

use anyhow::{Context as _, bail};
use serde_json::Value;

use self::{
    claims::Claim,
    prove::Prover,
    read::{Table, Tables},
};
use super::measure::facts;

/// What became of Daikon's facts.
#[derive(Debug, Default)]
pub(super) struct Comparison {
    /// By template: shown, implied, held for chance, missing.
    counts: BTreeMap<&'static str, [usize; 4]>,
    missing: Vec<String>,
    /// The most samples of a fact that is held for chance, by template.
    most: BTreeMap<&'static str, usize>,
}

/// Reads a trace with `gzip`.
pub(super) fn samples(path: &Path) -> anyhow::Result<Tables> {
    let output = Command::new("gzip")
        .args(["-dc"])
        .arg(path)
        .stdin(Stdio::null())
        .output()
        .context("cannot run gzip")?;
    if !output.status.success() {
        bail!("{}", String::from_utf8_lossy(&output.stderr).trim());
    }
    read::tables(std::str::from_utf8(&output.stdout)?)
}

/// Tries all of Daikon's default templates at all points.
pub(super) fn compare(tables: &Tables, report: &Value) -> Comparison {
    let mut comparison = Comparison::default();
    for table in tables.tables.values() {
        let shown = Prover::new(table, told(table, tables, report, &["shown"]));
        let known = ["shown", "by_chance", "determined"];
        let with_chance = Prover::new(table, told(table, tables, report, &known));
        let parts: Vec<(&Table, Prover<'_>)> = tables
            .parts(table)
            .map(|part| (part, Prover::new(part, told(part, tables, report, &["shown"]))))
            .collect();
        // What holds at each of several ends, or is about terms that do not exist there.
        let by_parts = |claim: &Claim| {
            let holds =
                |(part, prover): &(&Table, Prover<'_>)| prover.implies(claim) || part.lacks(claim);
            parts.len() > 1 && parts.iter().all(holds)
        };
        for (claim, samples) in claims::claims(table) {
            let fate = if shown.says(&claim) {
                0
            } else if shown.implies(&claim) || by_parts(&claim) {
                1
            } else if with_chance.implies(&claim) {
                let most = comparison.most.entry(claim.template()).or_default();
                *most = samples.max(*most);
                2
            } else {
                comparison.missing.push(format!("{}: {claim} ({samples} samples)", table.name));
                3
            };
            comparison.counts.entry(claim.template()).or_default()[fate] += 1;
        }
    }
    comparison
}

/// What the report tells about the terms of a table, at its own point and at those above it.
fn told(table: &Table, tables: &Tables, report: &Value, fates: &[&str]) -> Vec<Claim> {
    let mut told = Vec::new();
    let mut sources = vec![(table.name.clone(), false)];
    sources.extend(tables.sources(table));
    for (source, is_before) in sources {
        for (_, fact) in facts(report).filter(|(at, _)| *at == source) {
            let is_own = source == table.name;
            let wanted = fates.iter().any(|fate| fact["fate"] == *fate);
            let is_near = fates.contains(&"by_chance") && is_near(fact);
            if (wanted && (is_own || fact["fate"] == "shown")) || is_near {
                let text = fact["text"].as_str().unwrap_or_default();
                told.extend(Claim::parse(text, table, is_before));
            }
        }
    }
    told.extend(table.condition.clone());
    told
}

/// Whether it is a bound whose constant is not known well enough to say more than what is shown.
fn is_near(fact: &Value) -> bool {
    fact["fate"] == "implied" && fact["within"].as_u64().is_some_and(|within| within > 0)
}

impl Comparison {
    /// The table, and what is missing.
    pub(super) fn text(&self, trace: &str) -> String {
        let mut text = format!(
            "\n{trace}: what Daikon says by default\n\n\
             | template | shown | implied | may hold by chance, or is not known exactly (most samples) | missing |\n\
             |---|--:|--:|--:|--:|\n"
        );
        let mut total = [0; 4];
        for (template, counts) in &self.counts {
            let [shown, implied, chance, missing] = counts;
            let most = self.most.get(template).copied().unwrap_or(0);
            writeln!(text, "| {template} | {shown} | {implied} | {chance} ({most}) | {missing} |")
                .expect("writing to a string");
            for (total, count) in total.iter_mut().zip(counts) {
                *total += count;
            }
        }
        let [shown, implied, chance, missing] = total;
        writeln!(text, "| all | {shown} | {implied} | {chance} | {missing} |")
            .expect("writing to a string");
        for line in self.missing.iter().take(60) {
            writeln!(text, "missing: {line}").expect("writing to a string");
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn trace() -> Tables {
        let mut text = "ppt p.f():::ENTER\nppt-type enter\nvariable x\nrep-type int\n\n\
            ppt p.f():::EXIT1\nppt-type subexit\nvariable x\nrep-type int\n\n"
            .to_owned();
        for x in 0..20 {
            write!(text, "p.f():::ENTER\nthis_invocation_nonce\n{x}\nx\n{x}\n1\n\n").unwrap();
            let after = x + 1;
            write!(text, "p.f():::EXIT1\nthis_invocation_nonce\n{x}\nx\n{after}\n1\n\n").unwrap();
        }
        read::tables(&text).unwrap()
    }

    fn report(facts: &[(&str, &str)]) -> Value {
        let facts: Vec<Value> =
            facts.iter().map(|(text, fate)| json!({ "text": text, "fate": fate })).collect();
        json!({ "points": [{ "name": "p.f():::EXIT", "facts": facts }] })
    }

    #[test]
    fn what_the_report_lacks_is_missing() {
        let comparison = compare(&trace(), &report(&[]));
        let missing = comparison.missing.join("\n");
        assert!(missing.contains("Diff(Some(\"old(x)\"), Some(\"x\"), -1)"), "{missing}");
        assert!(missing.contains("Linear"), "{missing}");
    }

    #[test]
    fn what_is_shown_implies_and_what_may_be_chance_is_counted_apart() {
        let shown = compare(&trace(), &report(&[("x == old(x) + 1", "shown")]));
        assert!(shown.missing.is_empty(), "{:#?}", shown.missing);
        assert_eq!(
            (shown.counts["order"], shown.counts["linear binary"]),
            ([0, 1, 0, 0], [0, 1, 0, 0])
        );
        let chance = compare(&trace(), &report(&[("x == old(x) + 1", "by_chance")]));
        assert_eq!(chance.counts["order"], [0, 0, 1, 0]);
    }
}
