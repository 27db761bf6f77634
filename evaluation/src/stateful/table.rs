//! Rows of the result as the first paper's Table I has them, and as JSON to go on with.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
};

use crate::drive::Phase;
use anyhow::Context as _;
use serde::{Deserialize, Serialize};

use super::interval::{Interval, mean_interval};

/// New faults in each part of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Found {
    pub(super) random: usize,
    pub(super) reduction: usize,
    pub(super) control: usize,
}

/// What a part of a run took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Took {
    pub(super) calls: u64,
    pub(super) seconds: f64,
    pub(super) cpu_seconds: f64,
}

impl Took {
    /// Takes in another part.
    pub(super) fn add(&mut self, phase: &Phase) {
        self.calls += phase.calls;
        self.seconds += phase.seconds;
        self.cpu_seconds += phase.cpu_seconds;
    }
}

impl From<&Phase> for Took {
    fn from(phase: &Phase) -> Took {
        let Phase { calls, seconds, cpu_seconds, .. } = *phase;
        Took { calls, seconds, cpu_seconds }
    }
}

/// Mutants by the part of a run that told them, each once.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Told {
    pub(super) random: BTreeSet<u32>,
    pub(super) reduction: BTreeSet<u32>,
    pub(super) control: BTreeSet<u32>,
    /// Faults that are to be blamed on no single mutant, and count nowhere.
    pub(super) several: usize,
}

/// One run: a type, as it is or with mutants on, a seed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Row {
    pub(super) r#type: String,
    pub(super) seed: u64,
    pub(super) mutants: Vec<u32>,
    pub(super) found: Found,
    pub(super) told: Told,
    pub(super) routines: u64,
    pub(super) objects: u64,
    pub(super) transitions: u64,
    pub(super) contracts: u64,
    pub(super) refuted: u64,
    /// Random testing that ended with faults, which were mended.
    pub(super) earlier: Took,
    pub(super) random: Took,
    pub(super) reduction: Took,
    pub(super) control: Took,
    pub(super) error: Option<String>,
}

/// All rows so far.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Table {
    /// `--calls` of each run.
    pub(super) calls: u64,
    /// `--strategy` of each run.
    pub(super) strategy: String,
    pub(super) rows: Vec<Row>,
    /// Mutants of a type that were wanted.
    pub(super) wanted: usize,
    /// Mutants that are on together, by type.
    pub(super) mutants: BTreeMap<String, Vec<u32>>,
    /// Findings that show without a mutant, by type.
    pub(super) known: BTreeMap<String, BTreeSet<String>>,
}

impl Table {
    /// What an earlier evaluation with the same settings left.
    pub(super) fn load(path: &Path, (calls, strategy): (u64, &str)) -> anyhow::Result<Table> {
        let fresh = Table { calls, strategy: strategy.to_owned(), ..Table::default() };
        if !path.exists() {
            return Ok(fresh);
        }
        let about = || format!("cannot read `{}`", path.display());
        let old: Table =
            serde_json::from_slice(&fs::read(path).with_context(about)?).with_context(about)?;
        let is_same = (old.calls, old.strategy.as_str()) == (calls, strategy);
        Ok(if is_same { old } else { fresh })
    }

    /// Writes all of it.
    pub(super) fn save(&self, path: &Path) -> anyhow::Result<()> {
        let about = || format!("cannot write `{}`", path.display());
        if let Some(dir) = path.parent().filter(|dir| !dir.as_os_str().is_empty()) {
            fs::create_dir_all(dir).with_context(about)?;
        }
        fs::write(path, serde_json::to_string_pretty(self)? + "\n").with_context(about)
    }

    /// The run with these mutants and a seed, if there was one that did not fail.
    pub(super) fn row(&self, ty: &str, mutants: &[u32], seed: u64) -> Option<&Row> {
        let is_wanted =
            |row: &&Row| row.r#type == ty && (&row.mutants[..], row.seed) == (mutants, seed);
        self.rows.iter().filter(|row| row.error.is_none()).find(is_wanted)
    }

    /// Takes in a run, in place of one that failed.
    pub(super) fn put(&mut self, row: Row) {
        let key = |row: &Row| (row.r#type.clone(), row.mutants.clone(), row.seed);
        self.rows.retain(|known| key(known) != key(&row));
        self.rows.push(row);
    }
}

pub(super) const HEAD: &str = "\
| type                                   | routines | mutants | random, s | objects | transitions | contracts | refuted | faults | reduction, % | + reduction | + control | gain, % |\n\
|----------------------------------------|---------:|--------:|----------:|--------:|------------:|----------:|--------:|-------:|-------------:|------------:|----------:|--------:|\n";

/// One type over all its mutants and seeds, or all types.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Sum {
    name: String,
    routines: u64,
    mutants: BTreeSet<(String, u32)>,
    runs: u64,
    /// Runs that count nowhere else.
    failed: u64,
    plateaus: u64,
    objects: u64,
    transitions: u64,
    contracts: u64,
    refuted: u64,
    random_cpu: f64,
    /// Of runs with a reduction.
    plateau_cpu: f64,
    reduction_cpu: f64,
    /// New faults by seed.
    found: BTreeMap<u64, Found>,
}

impl Sum {
    pub(super) fn of<'a>(name: &str, rows: impl Iterator<Item = &'a Row>) -> Sum {
        let mut sum = Sum { name: name.to_owned(), ..Sum::default() };
        let mut routines = BTreeMap::new();
        for row in rows {
            if row.error.is_some() {
                sum.failed += 1;
                continue;
            }
            sum.add(row);
            routines.insert(&row.r#type, row.routines);
        }
        sum.routines = routines.values().sum();
        sum
    }

    fn add(&mut self, row: &Row) {
        self.mutants.extend(row.mutants.iter().map(|mutant| (row.r#type.clone(), *mutant)));
        self.runs += 1;
        self.random_cpu += row.earlier.cpu_seconds + row.random.cpu_seconds;
        if row.reduction.cpu_seconds > 0.0 {
            self.plateaus += 1;
            self.plateau_cpu += row.random.cpu_seconds;
            self.reduction_cpu += row.reduction.cpu_seconds;
            self.objects += row.objects;
            self.transitions += row.transitions;
            self.contracts += row.contracts;
            self.refuted += row.refuted;
        }
        let found = self.found.entry(row.seed).or_default();
        found.random += row.found.random;
        found.reduction += row.found.reduction;
        found.control += row.found.control;
    }

    /// New faults of all seeds.
    pub(super) fn found(&self) -> Found {
        let mut all = Found::default();
        for found in self.found.values() {
            all.random += found.random;
            all.reduction += found.reduction;
            all.control += found.control;
        }
        all
    }

    pub(super) fn line(&self) -> String {
        let Found { random, reduction, control } = self.found();
        let mean = |sum: u64| sum / self.plateaus.max(1);
        format!(
            "| {:<38} | {:>8} | {:>7} | {:>9.1} | {:>7} | {:>11} | {:>9} | {:>7} | {random:>6} | {:>12.1} | {reduction:>11} | {control:>9} | {:>7.1} |\n",
            self.name,
            self.routines,
            self.mutants.len(),
            self.random_cpu / self.runs.max(1) as f64,
            mean(self.objects),
            mean(self.transitions),
            mean(self.contracts),
            mean(self.refuted),
            per_cent(self.reduction_cpu, self.plateau_cpu),
            per_cent(reduction as f64, random as f64),
        )
    }

    /// By how much the reduction finds more than the control, seed by seed, in per cent of the faults
    /// that random testing finds.
    pub(super) fn over_control(&self) -> Option<Interval> {
        let random = self.found().random as f64 / self.found.len().max(1) as f64;
        let difference = |found: &Found| found.reduction as f64 - found.control as f64;
        let share = |found: &Found| 100.0 * difference(found) / random.max(1.0);
        mean_interval(&self.found.values().map(share).collect::<Vec<_>>())
    }

    /// What it all comes to.
    pub(super) fn totals(&self) -> String {
        let Found { random, reduction, control } = self.found();
        let gain = per_cent(reduction as f64, random as f64);
        let text = format!(
            "\n{} mutants, {} seeds: random testing found {random} faults, the reduction {reduction} \
             more (+{gain:.1} %, in {:.1} % more processor time), the control {control} more\n",
            self.mutants.len(),
            self.found.len(),
            per_cent(self.reduction_cpu, self.plateau_cpu),
        );
        let failed = match self.failed {
            0 => String::new(),
            failed => format!("{failed} runs failed and count nowhere\n"),
        };
        text + &failed
            + &match self.over_control() {
                Some(Interval { mean, low, high }) => format!(
                    "over the control: {mean:+.1} % of what random testing found, 95 % interval \
                 {low:+.1} % to {high:+.1} %\n"
                ),
                None => "over the control: no interval, there is but one seed\n".to_owned(),
            }
    }
}

fn per_cent(part: f64, of: f64) -> f64 {
    if of > 0.0 { 100.0 * part / of } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(mutant: u32, seed: u64, (random, reduction, control): (usize, usize, usize)) -> Row {
        let took = |cpu_seconds| Took { calls: 1, seconds: cpu_seconds, cpu_seconds };
        Row {
            r#type: "a".into(),
            mutants: vec![mutant],
            seed,
            found: Found { random, reduction, control },
            random: took(10.0),
            reduction: took(if random == 0 { 0.5 } else { 0.0 }),
            ..Row::default()
        }
    }

    #[test]
    fn lines_are_as_wide_as_the_head() {
        let widths: Vec<usize> = HEAD.lines().map(str::len).collect();
        let sum = Sum::of("a", [row(1, 0, (0, 1, 0))].iter());
        assert_eq!(widths, vec![sum.line().trim_end().len(); 2]);
    }

    #[test]
    fn the_gain_is_counted_on_top_of_what_random_testing_found() {
        let rows = [
            row(1, 0, (1, 0, 0)),
            row(2, 0, (0, 1, 0)),
            row(1, 1, (1, 0, 0)),
            row(2, 1, (0, 1, 1)),
        ];
        let sum = Sum::of("all", rows.iter());
        assert_eq!(sum.found(), Found { random: 2, reduction: 2, control: 1 });
        let text = sum.totals();
        assert!(text.contains("2 mutants, 2 seeds: random testing found 2 faults"), "{text}");
        assert!(text.contains("2 more (+100.0 %, in 5.0 % more"), "{text}");
        let over = sum.over_control().unwrap();
        assert!((over.mean - 50.0).abs() < 1e-9 && over.low < 0.0, "{over:?}");
    }

    #[test]
    fn runs_that_failed_count_nowhere() {
        let failed = Row { error: Some("no".into()), ..row(1, 0, (1, 1, 1)) };
        let sum = Sum::of("a", [failed].iter());
        assert_eq!(sum.found(), Found::default());
        let text = sum.totals();
        assert!(text.contains("1 runs failed") && text.contains("no interval"), "{text}");
    }

    #[test]
    fn an_evaluation_goes_on_where_one_with_the_same_settings_stopped() {
        let path = std::env::temp_dir().join(format!("evaluation-stateful-{}", std::process::id()));
        let mut table = Table::load(&path, (5, "guided")).unwrap();
        table.put(Row { error: Some("no".into()), ..row(1, 0, (0, 0, 0)) });
        assert!(table.row("a", &[1], 0).is_none(), "what failed is tried again");
        table.put(row(1, 0, (1, 0, 0)));
        assert_eq!(table.rows.len(), 1);
        table.save(&path).unwrap();
        assert_eq!(Table::load(&path, (5, "guided")).unwrap(), table);
        assert!(Table::load(&path, (5, "guided")).unwrap().row("a", &[1], 0).is_some());
        assert_eq!(Table::load(&path, (6, "guided")).unwrap().rows, []);
        assert_eq!(Table::load(&path, (5, "uniform")).unwrap().rows, []);
        fs::remove_file(&path).unwrap();
    }
}
