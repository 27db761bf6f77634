//! `cargo evaluation store`: a synthetic pool of the size of the first paper's, loaded and searched
//! by the store's own code, and by the paper's own schema and query form in the same engine.

mod figures;
pub(crate) mod kills;
mod paper;
mod pool;
mod recording;
mod searches;
mod shape;
mod told;

use std::{
    fs,
    io::Write as _,
    path::{Path, PathBuf},
    process::ExitCode,
    time::{Duration, Instant},
};

use anyhow::Context as _;
use gainsay_model::{
    api::{Source, Subject},
    features::Features,
};
use gainsay_store::{Spread, Store, Wanted};
use gainsay_wire::{KeptCall, StateRecord};

use self::{
    figures::{Figures, Loaded, Searched},
    paper::{PaperFound, PaperStore, TestCase},
    pool::{Call, PAPER_OBJECTS, Pool},
    searches::Search,
    told::Teller,
};
use super::{options::Options, product};

use recording::Recording;

/// For the usage line.
pub(super) const USAGE: &str =
    "store [--objects 3500000] [--seed 0] [--limit 2] [--json FILE] (limit: seconds of a search)";

const SEARCHES: usize = 1_000;
/// As the first paper: no more results are looked at.
const RESULTS: usize = 45;
/// As attacks on contracts: a search may take so many instructions of the database engine.
const PATIENCE: u64 = 20_000_000;
/// Calls that are recorded in one transaction.
const BATCH: usize = 2_000;

/// Loads, searches, compares and prints.
pub(super) fn run(args: &[String]) -> anyhow::Result<ExitCode> {
    let options = Options::parse(args, 1, USAGE)?;
    let objects = options.objects.unwrap_or(PAPER_OBJECTS);
    let dir = product::target(crate::root()).join("evaluation/store");
    fs::create_dir_all(&dir).with_context(|| format!("cannot make `{}`", dir.display()))?;
    let mut out = std::io::stdout();
    let pool = || Pool::new(objects, options.seed);
    let searches = searches::draw(&pool(), SEARCHES, options.seed ^ 1);
    let mut figures = Figures::new(&pool(), objects, options.limit);
    out.write_all(figures.distribution().as_bytes())?;
    figures.ours = Some(measure(&fresh(&dir, "store.sqlite")?, pool(), &searches)?);
    out.write_all(figures.progress("the store is measured").as_bytes())?;
    let path = fresh(&dir, "paper.sqlite")?;
    figures.paper = Some(measure_paper(&path, pool(), &searches, options.limit)?);
    out.write_all(figures.table().as_bytes())?;
    options.save(&figures.json())?;
    // The paper's form takes gigabytes.
    fresh(&dir, "paper.sqlite")?;
    Ok(ExitCode::SUCCESS)
}

/// A file that is not there.
pub(super) fn fresh(dir: &Path, name: &str) -> anyhow::Result<PathBuf> {
    for ending in ["", "-wal", "-shm"] {
        let path = dir.join(format!("{name}{ending}"));
        if path.exists() {
            fs::remove_file(&path)
                .with_context(|| format!("cannot remove `{}`", path.display()))?;
        }
    }
    Ok(dir.join(name))
}

pub(super) fn subject() -> Subject {
    Subject {
        name: "pool".into(),
        version: "1.0.0".into(),
        lib_name: "pool".into(),
        root: PathBuf::new(),
        out_dir: PathBuf::new(),
        source: Source::Path,
        features: Features::default(),
    }
}

/// Loads the store and searches it.
fn measure(path: &Path, pool: Pool, searches: &[Search]) -> anyhow::Result<(Loaded, Searched)> {
    let manifest = shape::manifest();
    let teller = Teller::new(&manifest);
    let mut store = Store::open(path)?;
    store.begin_campaign(&subject(), &manifest, 0)?;
    let mut loading = Duration::ZERO;
    let mut pool = pool.peekable();
    while pool.peek().is_some() {
        let (states, calls) = batch(&mut pool, &teller, BATCH);
        let began = Instant::now();
        store.record_calls(&states, &calls)?;
        loading += began.elapsed();
    }
    let counts = store.count_evidence()?;
    let began = Instant::now();
    drop(store);
    loading += began.elapsed();
    let rows = vec![
        ("states", counts.states),
        ("objects", counts.objects),
        ("calls", counts.calls),
        ("transitions", counts.transitions),
        ("relations", counts.relations),
    ];
    let loaded = Loaded { loading, indexing: Duration::ZERO, bytes: size(path)?, rows };
    let mut store = Store::open(path)?;
    store.resume_campaign()?;
    Ok((loaded, search(&mut store, searches)?))
}

/// The next calls as the store is told of them.
fn batch(
    pool: &mut impl Iterator<Item = Call>,
    teller: &Teller,
    most: usize,
) -> (Vec<StateRecord>, Vec<KeptCall>) {
    let calls: Vec<Call> = pool.take(most).collect();
    let mut states: Vec<StateRecord> = calls.iter().flat_map(told::states).collect();
    states.sort_by_key(|record| (record.ty, record.state));
    states.dedup_by_key(|record| (record.ty, record.state));
    (states, calls.iter().map(|call| teller.kept(call)).collect())
}

fn search(store: &mut Store, searches: &[Search]) -> anyhow::Result<Searched> {
    let mut measured = Searched::default();
    for search in searches {
        // Writing nothing makes the store forget what the last search looked up.
        store.record_states(&[])?;
        let (op, predicate) = (search.op(), search.predicate());
        let (limit, patience, spread) = (RESULTS, PATIENCE, Spread::Any);
        let wanted = Wanted { op, predicate: &predicate, limit, patience, spread };
        let began = Instant::now();
        let found = store.find_tuples(&wanted)?;
        measured.times.push(began.elapsed());
        measured.note(search.satisfiable, (!found.gave_up).then_some(found.tuples.len()));
    }
    Ok(measured)
}

/// The same in the paper's form. A search that takes longer than `limit` is stopped.
fn measure_paper(
    path: &Path,
    pool: Pool,
    searches: &[Search],
    limit: Duration,
) -> anyhow::Result<(Loaded, Searched)> {
    let mut store = PaperStore::create(path)?;
    let mut pool = pool.peekable();
    let (mut loading, mut tests, mut evaluations) = (Duration::ZERO, 0i64, 0u64);
    while pool.peek().is_some() {
        let batch: Vec<TestCase> =
            (&mut pool).take(BATCH).map(|call| told::test_case(&call)).collect();
        evaluations += batch.iter().map(|test| test.evaluations.len() as u64).sum::<u64>();
        let began = Instant::now();
        store.add(tests, &batch)?;
        loading += began.elapsed();
        tests += i64::try_from(batch.len()).unwrap_or(i64::MAX);
    }
    let began = Instant::now();
    store.index()?;
    let indexing = began.elapsed();
    let rows = vec![("test cases", tests.unsigned_abs()), ("predicates", evaluations)];
    let loaded = Loaded { loading, indexing, bytes: size(path)?, rows };
    let mut measured = Searched::default();
    for search in searches {
        let atoms = search.paper();
        let began = Instant::now();
        let found = store.search(&atoms, RESULTS, began + limit)?;
        measured.times.push(began.elapsed());
        let rows = match found {
            PaperFound::Rows(rows) => Some(rows),
            PaperFound::OutOfTime => None,
        };
        measured.note(search.satisfiable, rows);
    }
    Ok((loaded, measured))
}

fn size(path: &Path) -> anyhow::Result<u64> {
    Ok(fs::metadata(path).with_context(|| format!("cannot see `{}`", path.display()))?.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_stores_find_what_the_pool_has_and_nothing_else() {
        let dir = std::env::temp_dir().join(format!("gainsay-eval-{}", std::process::id()));
        fs::create_dir_all(&dir).unwrap();
        let pool = || Pool::new(35_000, 1);
        let searches = searches::draw(&pool(), 60, 1);
        let (_, ours) = measure(&fresh(&dir, "store.sqlite").unwrap(), pool(), &searches).unwrap();
        let path = fresh(&dir, "paper.sqlite").unwrap();
        let limit = Duration::from_mins(10);
        let (_, paper) = measure_paper(&path, pool(), &searches, limit).unwrap();
        fs::remove_dir_all(&dir).unwrap();
        let agreed = |searched: &Searched| (searched.right, searched.wrong, searched.stopped);
        assert_eq!((agreed(&ours), agreed(&paper)), ((60, 0, 0), (60, 0, 0)));
    }
}
