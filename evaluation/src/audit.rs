//! `cargo evaluation audit`: which of the contracts that a run retains can an independent campaign
//! break, with another seed, wider values and twenty times the budget?

mod bound;
mod table;

use std::{fs, io::Write as _, path::Path, process::ExitCode};

use anyhow::{Context as _, bail};
use gainsay_report::{ContractRecord, RunRecord, VerdictRecord};

use self::table::{HEAD, Row};
use super::{crates, options::Options, product};

/// For the usage line.
pub(super) const USAGE: &str = "audit [--crates FILE] [--time 10s] [--seed 0] [--verbose] \
    [--json FILE] [NAME@VERSION..]";

/// The audit has so many times the budget of the run.
const TIMES: u64 = 20;
/// What is added to the seed.
const OTHER_SEED: u64 = 7_919;

/// Audits one crate after the other and prints as it goes. Fails where the bound is not reached.
pub(super) fn run(args: &[String]) -> anyhow::Result<ExitCode> {
    let options = Options::parse(args, 1, USAGE)?;
    let millis = product::parse_millis(&options.time)?;
    let program = product::build(crate::root())?;
    let mut out = std::io::stdout();
    out.write_all(HEAD.as_bytes())?;
    let mut rows = Vec::new();
    for spec in options.specs(&crates::first_table()?)? {
        let row = match audit(&program, &spec, (millis, options.seed)) {
            Ok(row) => row,
            Err(error) => {
                writeln!(out, "| {spec} | failed: {error} |")?;
                continue;
            }
        };
        out.write_all(row.line().as_bytes())?;
        rows.push(row);
        options.save(&table::json(&rows, &options.time))?;
    }
    out.write_all(table::totals(&rows).as_bytes())?;
    out.write_all(table::fallen(&rows).as_bytes())?;
    if options.verbose {
        out.write_all(table::unsettled(&rows).as_bytes())?;
    }
    Ok(if table::is_sound(&rows) { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Tests a crate as a user would, then attacks what was retained.
fn audit(program: &Path, spec: &str, (millis, seed): (u64, u64)) -> anyhow::Result<Row> {
    let dir = product::target(crate::root()).join("evaluation/audit").join(spec.replace('@', "-"));
    product::test(program, (spec, &dir), (&format!("{millis}ms"), seed), &[])?;
    let results = dir.join("gainsay");
    let subject = dir.join("audited.json");
    fs::copy(results.join("run.json"), &subject).context("cannot keep the results of the run")?;
    let first = load(&subject)?;
    let name = subject.to_string_lossy();
    let (time, seed) = (format!("{}ms", millis * TIMES), (seed + OTHER_SEED).to_string());
    let args = ["audit", &name, "--crate", spec, "--time", &time, "--seed", &seed];
    let output = product::drive(&dir, &dir, &args)?.output().context("cannot audit")?;
    if !output.status.success() {
        bail!("{spec}: {}", String::from_utf8_lossy(&output.stderr).trim());
    }
    Ok(compare(spec, &first, &load(&results.join("run.json"))?))
}

fn load(path: &Path) -> anyhow::Result<RunRecord> {
    let text = fs::read(path).with_context(|| format!("cannot read `{}`", path.display()))?;
    serde_json::from_slice(&text).with_context(|| format!("in `{}`", path.display()))
}

/// What became of the contracts of a run in its audit.
fn compare(spec: &str, first: &RunRecord, audit: &RunRecord) -> Row {
    let mut row = Row { spec: spec.to_owned(), ..Row::default() };
    for contract in first.contracts.iter().filter(|it| !is_refuted(&it.verdict)) {
        let line = format!("{}: {} {}", contract.operation, contract.kind.keyword(), contract.text);
        let again = audit.contracts.iter().find(|it| is_same(contract, it));
        let fell = again.is_some_and(|it| is_refuted(&it.verdict));
        if let VerdictRecord::Unsettled { .. } = contract.verdict {
            row.unsettled.push((line, fell));
            continue;
        }
        row.retained += 1;
        if !again.is_some_and(was_tested) {
            row.untested += 1;
        }
        let steps = again.map_or(&[][..], counterexample);
        if fell {
            row.fallen.push((line, steps.to_vec()));
        }
    }
    for ty in &first.summary.types {
        let again = audit.summary.types.iter().find(|it| it.r#type == ty.r#type);
        for invariant in &ty.invariants {
            row.retained += 1;
            let stands = again
                .is_some_and(|it| it.invariants.iter().any(|known| known.text == invariant.text));
            if !stands {
                row.fallen.push((format!("{}: invariant {}", ty.r#type, invariant.text), vec![]));
            }
        }
    }
    row.reduction = first.summary.reduction;
    row
}

fn is_same(a: &ContractRecord, b: &ContractRecord) -> bool {
    (&a.operation, a.kind, &a.text) == (&b.operation, b.kind, &b.text)
}

fn is_refuted(verdict: &VerdictRecord) -> bool {
    matches!(verdict, VerdictRecord::Refuted { .. })
}

fn counterexample(contract: &ContractRecord) -> &[String] {
    match &contract.verdict {
        VerdictRecord::Refuted { steps, .. } => steps,
        _ => &[],
    }
}

/// Whether the audit made a call on which the contract was at stake.
fn was_tested(contract: &ContractRecord) -> bool {
    let attacks = match &contract.verdict {
        VerdictRecord::Refuted { .. } => return true,
        VerdictRecord::Upheld { attacks }
        | VerdictRecord::RealPrecondition { attacks }
        | VerdictRecord::Unsettled { attacks, .. } => attacks,
    };
    contract.evidence.attacks + attacks.at_risk > 0
}
