//! `cargo evaluation faults`: which known faults of published crates are found, with nothing said
//! about the crates. The rule is in `judge`; witnesses must show the fault and be silent on the
//! fixed version.

mod corpus;
mod judge;
mod names;
mod table;
mod witness;

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    io::Write as _,
    path::{Path, PathBuf},
    process::ExitCode,
};

use anyhow::{Context as _, bail};
use gainsay_model::{api::OpKind, fault::Confirmation};
use gainsay_report::{FaultRecord, RunRecord};

use self::{
    corpus::Known,
    judge::{Reported, is_known},
    table::{HEAD, Row, Table, line},
    witness::{Package, Shown},
};
use super::{
    options::Options,
    product::timed_run::{Product, complaint},
};

/// For the usage line.
pub(super) const USAGE: &str = "faults --corpus FILE [--only ID] [--time 60s] [--seed 0] \
    [--profile debug] [--limit SECONDS] [--program BINARY] [--json FILE]";

/// So many faults that fit a row are tried for one whose witness is right.
const MOST_TRIES: usize = 3;

/// What one run of the product left.
type Outcome = Result<RunRecord, String>;

/// Tests one crate after the other and prints as it goes; what an earlier evaluation has settled
/// is not done again, unless it is named.
pub(super) fn run(args: &[String]) -> anyhow::Result<ExitCode> {
    let options = Options::parse(args, 1, USAGE)?;
    let Some(corpus) = &options.corpus else {
        bail!("which known faults? usage: cargo evaluation {USAGE}");
    };
    let known = corpus::read(corpus, &options.only)?;
    let place = options.place("faults");
    let json = options.json.clone().unwrap_or_else(|| results(&place, corpus));
    let mut table = Table::load(&json, &options.time, options.seed)?;
    let program = options.find_program()?;
    let mut evaluation = Evaluation { options: &options, program, place, runs: BTreeMap::new() };
    let mut out = std::io::stdout();
    out.write_all(HEAD.as_bytes())?;
    for fault in &known {
        let settled = table.rows.iter().find(|row| row.id == fault.id);
        let row = match settled.filter(|_| options.only.is_empty()) {
            Some(row) => row.clone(),
            None => evaluation.row(fault)?,
        };
        out.write_all(line(&row).as_bytes())?;
        table.put(row);
        save(&json, &table)?;
    }
    let ids: BTreeSet<&str> = known.iter().map(|fault| fault.id.as_str()).collect();
    out.write_all(table.totals(&ids).as_bytes())?;
    Ok(ExitCode::SUCCESS)
}

/// Where results go when nobody says so.
fn results(place: &Path, corpus: &Path) -> PathBuf {
    place.join(corpus.file_stem().unwrap_or_default()).with_extension("json")
}

fn save(path: &Path, table: &Table) -> anyhow::Result<()> {
    let about = || format!("cannot write `{}`", path.display());
    if let Some(dir) = path.parent().filter(|dir| !dir.as_os_str().is_empty()) {
        fs::create_dir_all(dir).with_context(about)?;
    }
    fs::write(path, serde_json::to_string_pretty(table)? + "\n").with_context(about)
}

struct Evaluation<'a> {
    options: &'a Options,
    program: PathBuf,
    place: PathBuf,
    /// One run serves all known faults of a version.
    runs: BTreeMap<String, Outcome>,
}

impl Evaluation<'_> {
    fn row(&mut self, known: &Known) -> anyhow::Result<Row> {
        let spec = known.spec();
        let dir = self.place.join(spec.replace('@', "-"));
        if !self.runs.contains_key(&spec) {
            let outcome = self.test(&spec, &dir)?;
            self.runs.insert(spec.clone(), outcome);
        }
        let (id, category) = (known.id.clone(), known.category.clone());
        let row = Row { id, category, ..Row::default() };
        let record = match &self.runs[&spec] {
            Ok(record) => record,
            Err(error) => return Ok(Row { error: Some(error.clone()), ..row }),
        };
        let mut fitting = fitting(known, record);
        let other_faults = record.faults.len() - fitting.len();
        fitting.truncate(MOST_TRIES);
        let mut best = Row { other_faults, ..row };
        for reported in fitting {
            let tried = witnessed(known, (&reported, record), &dir, best.clone());
            if tried.found || best.fault.is_none() {
                best = tried;
            }
            if best.found {
                break;
            }
        }
        Ok(best)
    }

    /// Runs the product and has it write its witnesses. All versions are tested in one directory:
    /// what they have in common is built once, and builds of an earlier evaluation serve again.
    fn test(&self, spec: &str, dir: &Path) -> anyhow::Result<Outcome> {
        let shared = self.place.join("shared");
        for dir in [dir, &shared] {
            fs::create_dir_all(dir).with_context(|| format!("cannot make `{}`", dir.display()))?;
        }
        let Options { time, seed, limit, .. } = self.options;
        let mut more = vec!["--seed".to_owned(), seed.to_string()];
        if let Some(profile) = &self.options.profile {
            more.extend(["--profile".to_owned(), profile.clone()]);
        }
        let product = Product { program: &self.program, time, limit: *limit, more: &more };
        let log = dir.join("log.txt");
        // What an earlier run left is not taken for the result of this one.
        let _ = fs::remove_file(shared.join("gainsay/run.json"));
        let Some(code) = product.execute(spec, &shared, &log)? else {
            return Ok(Err(format!("not done after {} s", limit.as_secs())));
        };
        let Ok(record) = RunRecord::load(&shared.join("gainsay")) else {
            return Ok(Err(format!("exit code {code}: {}", complaint(&log))));
        };
        record.save(dir)?;
        if !record.faults.is_empty()
            && let Err(error) = witness::emit(&self.program, spec, &shared, dir)
        {
            return Ok(Err(format!("{error:#}")));
        }
        Ok(Ok(record))
    }
}

/// The row with what the witness of a fault does.
fn witnessed(
    known: &Known,
    (reported, record): (&Reported, &RunRecord),
    dir: &Path,
    row: Row,
) -> Row {
    let Reported { seconds, id, build, .. } = reported;
    let mut row = Row { seconds: *seconds, fault: Some(id.clone()), ..row };
    let Some(file) = witness::file_of(dir, id) else {
        return Row { witness: Some("none".to_owned()), ..row };
    };
    let build = witness::build_of(dir, id).unwrap_or(*build);
    let on = |version: &str| {
        let package = Package::fetch((&known.name, version), &record.features, dir)?;
        package.with(&record.dependencies)?.test(&file, build)
    };
    match on(&known.version) {
        Ok(shown) => row.witness = Some(shown.word().to_owned()),
        Err(error) => row.error = Some(format!("{error:#}")),
    }
    if row.witness.as_deref() != Some(Shown::Fails.word()) {
        return row;
    }
    let Some(version) = &known.fixed else {
        return Row { found: true, fixed: Some("there is none".to_owned()), ..row };
    };
    match on(version) {
        Ok(shown) => {
            row.fixed = Some(shown.word().to_owned());
            row.found = shown != Shown::Fails;
        }
        // A version that cannot be had says nothing against the witness.
        Err(error) => {
            row.fixed = Some("cannot be had".to_owned());
            row.found = true;
            row.error = Some(format!("{error:#}"));
        }
    }
    row
}

/// The reported faults that are the known one, the first seen first; those that repeat only.
fn fitting(known: &Known, record: &RunRecord) -> Vec<Reported> {
    let kinds: BTreeMap<&str, OpKind> =
        record.summary.operations.records.iter().map(|op| (op.path.as_str(), op.kind)).collect();
    let is_query = |step: &str| {
        let path = step.split(" for ").next().unwrap_or(step);
        kinds.get(path) == Some(&OpKind::Query)
    };
    let all = record.faults.iter().map(reported);
    let mut fitting: Vec<Reported> =
        all.filter(|reported| reported.confirmed && is_known(known, reported, &is_query)).collect();
    let time = |reported: &Reported| reported.seconds.unwrap_or(f64::INFINITY);
    fitting.sort_by(|a, b| time(a).total_cmp(&time(b)));
    fitting
}

fn reported(fault: &FaultRecord) -> Reported {
    Reported {
        id: fault.id.clone(),
        oracle: fault.oracle.name().to_owned(),
        operation: fault.operation.clone(),
        message: fault.message.clone(),
        steps: fault.script.lines().map(judge::step).collect(),
        giver: judge::giver(&fault.script),
        confirmed: fault.confirmation == Confirmation::Confirmed,
        build: fault.build,
        seconds: fault.seen.map(|seen| seen.millis as f64 / 1000.0),
    }
}
