//! `cargo evaluation contracts`: which contracts that a programmer would have written are found,
//! type by type.

mod evidence;
mod judge;
mod kinds;
mod table;
mod truth;
mod variants;

use std::{
    io::Write as _,
    path::{Path, PathBuf},
    process::ExitCode,
};

use anyhow::Context as _;

use self::{
    evidence::Evidence,
    judge::judge,
    kinds::kinds,
    table::{HEAD, Row},
    truth::Truth,
};
use super::{options::Options, product};

/// For the usage line.
pub(super) const USAGE: &str = "contracts [--truth DIR] [--time 60s] [--seed 0] [--reuse] \
    [--verbose] [--json FILE] [NAME@VERSION..]";

/// Tests one crate after the other and prints as it goes.
pub(super) fn run(args: &[String]) -> anyhow::Result<ExitCode> {
    let options = Options::parse(args, 1, USAGE)?;
    let root = crate::root();
    let dir = options.truth.clone().unwrap_or_else(|| crate::data("contracts"));
    let mut truths = truth::read_all(&dir)?;
    if !options.named.is_empty() {
        truths.retain(|truth| options.named.contains(&truth.spec()));
    }
    let program = if options.reuse { None } else { Some(product::build(root)?) };
    let mut out = std::io::stdout();
    out.write_all(HEAD.as_bytes())?;
    let (mut rows, mut done) = (Vec::new(), Vec::new());
    for truth in &truths {
        let spec = truth.spec();
        let target = place(&spec);
        if let Some(program) = program.as_ref().filter(|_| !done.contains(&spec)) {
            product::test(program, (&spec, &target), (&options.time, options.seed), &[])?;
            done.push(spec);
        }
        let row = measure(truth, &target)?;
        out.write_all(row.line().as_bytes())?;
        rows.push(row);
        options.save(&table::json(&rows, &options))?;
    }
    out.write_all(table::totals(&rows).as_bytes())?;
    let wrong = rows.iter().any(Row::is_wrong);
    let details = if options.verbose { table::missing(&rows) } else { String::new() };
    out.write_all(details.as_bytes())?;
    out.write_all(table::mistakes(&rows).as_bytes())?;
    Ok(if wrong { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

/// Where the builds and results of a crate go.
pub(super) fn place(spec: &str) -> PathBuf {
    product::target(crate::root()).join("evaluation/contracts").join(spec.replace('@', "-"))
}

fn measure(truth: &Truth, target: &Path) -> anyhow::Result<Row> {
    let evidence = Evidence::load(&target.join("gainsay"))
        .with_context(|| format!("no results of {}", truth.spec()))?;
    let kinds = kinds(&evidence);
    let ground = (&evidence.manifest, &kinds);
    let judged = truth.operations.iter().map(|operation| {
        let case = evidence.case(&operation.path);
        judge(ground, operation, case.as_ref())
    });
    Ok(Row::new(truth, judged.collect()))
}
