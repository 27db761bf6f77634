//! Rows of the result as lines for people and as JSON, and back again to go on with.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write as _,
    fs,
    path::Path,
};

use anyhow::Context as _;
use serde::{Deserialize, Serialize};

use crate::exploration::median;

/// What came of one known fault.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Row {
    pub(super) id: String,
    pub(super) category: String,
    /// Reported, shown by a witness, and gone in the fixed version where there is one.
    pub(super) found: bool,
    /// From the beginning of exploration to the first sight of it.
    pub(super) seconds: Option<f64>,
    /// The product's id of it.
    pub(super) fault: Option<String>,
    /// What the witness does on the faulty version, or why there is none.
    pub(super) witness: Option<String>,
    /// What the witness does on the fixed version.
    pub(super) fixed: Option<String>,
    /// Other faults that the same run reported.
    pub(super) other_faults: usize,
    /// What went wrong with the run.
    pub(super) error: Option<String>,
}

/// All rows so far.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Table {
    /// `--time` of each run.
    pub(super) time: String,
    pub(super) seed: u64,
    pub(super) rows: Vec<Row>,
}

pub(super) const HEAD: &str = "\
| known fault                              | category                 | found | seconds | fault        | witness          | fixed version    | other faults |\n\
|------------------------------------------|--------------------------|-------|--------:|--------------|------------------|------------------|-------------:|\n";

impl Table {
    /// What an earlier evaluation with the same settings left.
    pub(super) fn load(path: &Path, time: &str, seed: u64) -> anyhow::Result<Table> {
        let fresh = Table { time: time.to_owned(), seed, rows: Vec::new() };
        if !path.exists() {
            return Ok(fresh);
        }
        let about = || format!("cannot read `{}`", path.display());
        let text = fs::read(path).with_context(about)?;
        let old: Table = serde_json::from_slice(&text).with_context(about)?;
        Ok(if old.time == time && old.seed == seed { old } else { fresh })
    }

    /// Puts a row in the place of an earlier one.
    pub(super) fn put(&mut self, row: Row) {
        self.rows.retain(|old| old.id != row.id);
        self.rows.push(row);
    }

    /// Found of all, by category and together.
    pub(super) fn totals(&self, ids: &BTreeSet<&str>) -> String {
        let rows: Vec<&Row> = self.rows.iter().filter(|row| ids.contains(&*row.id)).collect();
        let mut categories: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
        for row in &rows {
            let (found, all) = categories.entry(&row.category).or_default();
            *found += usize::from(row.found);
            *all += 1;
        }
        let mut text = String::from("\n");
        for (category, (found, all)) in &categories {
            writeln!(text, "{category:<26} {found:>3} of {all:>3}").expect("writing to a string");
        }
        let found: Vec<&&Row> = rows.iter().filter(|row| row.found).collect();
        let seconds = found.iter().filter_map(|row| row.seconds).collect();
        let per_cent = 100.0 * found.len() as f64 / rows.len().max(1) as f64;
        let (found, all, median) = (found.len(), rows.len(), median(seconds));
        let line = format!(
            "{found} of {all} found ({per_cent:.1} %), median time to the fault {median:.1} s\n"
        );
        text + &line
    }
}

/// One row.
pub(super) fn line(row: &Row) -> String {
    let seconds = row.seconds.map_or_else(String::new, |seconds| format!("{seconds:.1}"));
    let text = |cell: &Option<String>| cell.clone().unwrap_or_default();
    let mut line = format!(
        "| {:<40} | {:<24} | {:<5} | {seconds:>7} | {:<12} | {:<16} | {:<16} | {:>12} |",
        row.id,
        row.category,
        if row.found { "yes" } else { "no" },
        text(&row.fault),
        text(&row.witness),
        text(&row.fixed),
        row.other_faults,
    );
    if let Some(error) = &row.error {
        line = format!("{line} {error}");
    }
    line + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(id: &str, category: &str, seconds: Option<f64>) -> Row {
        let (id, category) = (id.to_owned(), category.to_owned());
        Row { id, category, found: seconds.is_some(), seconds, ..Row::default() }
    }

    #[test]
    fn totals_tell_each_category() {
        let rows = vec![row("a", "x", Some(2.0)), row("b", "x", None), row("c", "y", Some(4.0))];
        let table = Table { rows, ..Table::default() };
        let text = table.totals(&["a", "b", "c"].into());
        assert!(text.contains("x                            1 of   2\n"), "{text}");
        let words = "2 of 3 found (66.7 %), median time to the fault 3.0 s";
        assert!(text.contains(words), "{text}");
        assert!(table.totals(&["a"].into()).contains("1 of 1 found (100.0 %)"));
    }

    #[test]
    fn an_evaluation_goes_on_where_one_with_the_same_settings_stopped() {
        let dir = std::env::temp_dir().join(format!("evaluation-faults-{}", std::process::id()));
        let mut table = Table::load(&dir, "5s", 0).unwrap();
        table.put(row("a", "x", None));
        table.put(row("a", "x", Some(1.0)));
        fs::write(&dir, serde_json::to_vec(&table).unwrap()).unwrap();
        assert_eq!(Table::load(&dir, "5s", 0).unwrap(), table);
        assert_eq!(Table::load(&dir, "6s", 0).unwrap().rows, []);
        fs::remove_file(&dir).unwrap();
    }

    #[test]
    fn lines_are_as_wide_as_the_head() {
        let widths: Vec<usize> = HEAD.lines().map(str::len).collect();
        assert_eq!(widths, vec![line(&row("a", "x", None)).trim_end().len(); 2]);
    }
}
