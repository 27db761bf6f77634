//! `cargo evaluation stateful`: how many faults attacks on contracts add to what random testing
//! finds, on types like those of the first paper, against more random testing for as long. Faults are
//! those of the crates, and mutants that the first 1,000 calls do not kill.

mod guards;
mod interval;
mod laboratory;
mod measure;
mod mutants;
mod table;
mod types;
mod versions;

use std::{
    collections::BTreeMap,
    fs,
    io::Write as _,
    path::{Path, PathBuf},
    process::ExitCode,
};

use anyhow::bail;

use self::{
    laboratory::Laboratory,
    measure::Testing,
    table::{HEAD, Row, Sum, Table},
    types::Tested,
};
use super::{options::Options, product};

/// For the usage line.
pub(super) const USAGE: &str = "stateful [--crates FILE] [--only TYPE] [--mutants 24] [--seeds 10] \
    [--calls 1000000] [--strategy uniform] [--limit 600] [--verbose] [--json FILE]";

/// So many mutants of a type are measured if nothing else is said.
const MUTANTS: usize = 24;
const SEEDS: u64 = 10;
const CALLS: u64 = 1_000_000;
/// The random testing of the first paper draws without regard to what happened before.
const STRATEGY: &str = "uniform";

/// Measures one type after the other and prints as it goes; what an earlier evaluation has settled
/// is not done again.
pub(super) fn run(args: &[String]) -> anyhow::Result<ExitCode> {
    let options = Options::parse(args, SEEDS, USAGE)?;
    let root = crate::root();
    let list = options.crates.clone().unwrap_or_else(|| crate::data("stateful-13.txt"));
    let types = types::read(&list, &options.only)?;
    let place = product::target(root).join("evaluation/stateful");
    let json = options.json.clone().unwrap_or_else(|| place.join("stateful.json"));
    let strategy = options.strategy.as_deref().unwrap_or(STRATEGY);
    let table = Table::load(&json, (options.calls.unwrap_or(CALLS), strategy))?;
    let program = product::build(root)?;
    let mut evaluation = Evaluation { options: &options, program, place, json, table };
    let mut out = std::io::stdout();
    out.write_all(HEAD.as_bytes())?;
    let mut measured = Vec::new();
    for tested in &types {
        match evaluation.measure(tested) {
            Ok(rows) => {
                out.write_all(Sum::of(&tested.name(), rows.iter()).line().as_bytes())?;
                measured.extend(rows);
            }
            Err(error) => writeln!(out, "| {:<38} | failed: {error:#} |", tested.name())?,
        }
    }
    let all = Sum::of("all", measured.iter());
    out.write_all(all.line().as_bytes())?;
    out.write_all(all.totals().as_bytes())?;
    Ok(ExitCode::SUCCESS)
}

struct Evaluation<'a> {
    options: &'a Options,
    program: PathBuf,
    place: PathBuf,
    json: PathBuf,
    table: Table,
}

impl Evaluation<'_> {
    /// All runs of a type: as it is for all seeds, then with its mutants on.
    fn measure(&mut self, tested: &Tested) -> anyhow::Result<Vec<Row>> {
        let name = tested.name();
        let dir = self.place.join(name.replace(['@', ' '], "-"));
        fs::create_dir_all(&dir)?;
        let laboratory = Laboratory::open(tested, &dir)?;
        let program = self.program.clone();
        let mut testing = Testing {
            program: &program,
            source: &laboratory.dir,
            results: dir.join("results"),
            calls: self.table.calls,
            strategy: self.table.strategy.clone(),
            limit: self.options.limit,
            known: self.table.known.get(&name).cloned().unwrap_or_default(),
        };
        fs::create_dir_all(&testing.results)?;
        testing.learn_promises()?;
        let mut rows = Vec::new();
        for seed in 0..self.options.seeds {
            rows.push(self.row(&name, &mut testing, (&[], seed))?);
        }
        let mutants = self.mutants(&name, &mut testing, &laboratory)?;
        for seed in 0..self.options.seeds {
            rows.push(self.row(&name, &mut testing, (&mutants, seed))?);
        }
        Ok(rows)
    }

    /// The mutants of a type; chosen if an earlier evaluation did not.
    fn mutants(
        &mut self,
        name: &str,
        testing: &mut Testing<'_>,
        laboratory: &Laboratory,
    ) -> anyhow::Result<Vec<u32>> {
        let wanted = self.options.mutants.unwrap_or(MUTANTS);
        if self.table.wanted != wanted {
            (self.table.wanted, self.table.mutants) = (wanted, BTreeMap::new());
        }
        if let Some(known) = self.table.mutants.get(name) {
            return Ok(known.clone());
        }
        let chosen = versions::choose(testing, &laboratory.mutants, wanted)?;
        if chosen.is_empty() {
            bail!("no mutant outlives the first calls");
        }
        self.table.mutants.insert(name.to_owned(), chosen.clone());
        self.save(name, testing)?;
        Ok(chosen)
    }

    /// One run, unless it is known what it came to.
    fn row(
        &mut self,
        name: &str,
        testing: &mut Testing<'_>,
        (mutants, seed): (&[u32], u64),
    ) -> anyhow::Result<Row> {
        if let Some(row) = self.table.row(name, mutants, seed) {
            return Ok(row.clone());
        }
        let outcome = match mutants {
            [] => testing.base(seed),
            _ => testing.version(mutants, seed),
        };
        let row = match outcome {
            Ok(row) => row,
            // There must be something to compare with.
            Err(error) if mutants.is_empty() => return Err(error),
            Err(error) => Row { error: Some(format!("{error:#}")), ..Row::default() },
        };
        let row = Row { r#type: name.to_owned(), mutants: mutants.to_vec(), seed, ..row };
        self.tell(&row)?;
        self.table.put(row.clone());
        self.save(name, testing)?;
        Ok(row)
    }

    fn save(&mut self, name: &str, testing: &Testing<'_>) -> anyhow::Result<()> {
        self.table.known.insert(name.to_owned(), testing.known.clone());
        self.table.save(Path::new(&self.json))
    }

    /// One run in a line, for who wants to see that it goes on.
    fn tell(&self, row: &Row) -> anyhow::Result<()> {
        if !self.options.verbose {
            return Ok(());
        }
        let table::Found { random, reduction, control } = row.found;
        let about = match &row.error {
            Some(error) => error.clone(),
            None => format!(
                "{random} + {reduction} (control {control}) of {}; {:.1} + {:.1} s of processor \
                 time, {} + {} calls",
                row.mutants.len(),
                row.random.cpu_seconds,
                row.reduction.cpu_seconds,
                row.random.calls,
                row.reduction.calls,
            ),
        };
        Ok(writeln!(std::io::stderr(), "{}, seed {}: {about}", row.r#type, row.seed)?)
    }
}
