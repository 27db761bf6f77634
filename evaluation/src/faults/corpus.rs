//! The table of known faults: one row a fault, columns by name, separated by tabs.

use std::{collections::BTreeMap, fs, path::Path};

use anyhow::{Context as _, bail};

/// A fault that is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Known {
    pub(super) id: String,
    pub(super) name: String,
    pub(super) version: String,
    /// The version without it, if one was published.
    pub(super) fixed: Option<String>,
    pub(super) category: String,
    /// The operations involved, as people write them.
    pub(super) entry_points: String,
    /// How it shows, as people write it.
    pub(super) observable: String,
}

impl Known {
    /// What the product takes: `name@version`.
    pub(super) fn spec(&self) -> String {
        format!("{}@{}", self.name, self.version)
    }
}

/// The faults of a file; with names given, only those.
pub(super) fn read(path: &Path, only: &[String]) -> anyhow::Result<Vec<Known>> {
    let text = fs::read_to_string(path);
    let text = text.with_context(|| format!("cannot read `{}`", path.display()))?;
    let mut known = parse(&text).with_context(|| format!("in `{}`", path.display()))?;
    for id in only {
        if known.iter().all(|fault| &fault.id != id) {
            bail!("`{}` has no fault `{id}`; the first column names them", path.display());
        }
    }
    known.retain(|fault| only.is_empty() || only.contains(&fault.id));
    Ok(known)
}

fn parse(text: &str) -> anyhow::Result<Vec<Known>> {
    let mut lines = text.lines();
    let head = lines.next().context("the file is empty")?;
    let columns: BTreeMap<&str, usize> = head.split('\t').zip(0..).collect();
    let column = |name: &str| {
        columns.get(name).copied().with_context(|| format!("there is no column `{name}`"))
    };
    let names =
        ["id", "crate", "version", "fixed_version", "category", "entry_points", "observable"];
    let places = names.iter().map(|name| column(name)).collect::<anyhow::Result<Vec<_>>>()?;
    let filled = lines.filter(|line| !line.trim().is_empty());
    let rows = filled.map(|line| {
        let cells: Vec<&str> = line.split('\t').collect();
        let taken = places.iter().map(|at| cells.get(*at).map(|cell| (*cell).to_owned()));
        let taken: Option<Vec<String>> = taken.collect();
        let taken = taken.and_then(|cells| <[String; 7]>::try_from(cells).ok());
        let [id, name, version, fixed, category, entry_points, observable] =
            taken.with_context(|| format!("too few columns: `{line}`"))?;
        let fixed = Some(fixed).filter(|fixed| fixed.starts_with(|c: char| c.is_ascii_digit()));
        Ok(Known { id, name, version, fixed, category, entry_points, observable })
    });
    rows.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &str =
        "id\tcrate\tversion\tfixed_version\treference\tcategory\tentry_points\ttrigger\tobservable";

    #[test]
    fn rows_are_read_by_the_names_of_columns() {
        let text = format!("{HEAD}\na-1\ta\t1.0.0\t1.0.1\tR\tuninit read\tA::f\tx\ty\n");
        let [known] = &parse(&text).unwrap()[..] else { panic!("one row") };
        assert_eq!((known.spec().as_str(), known.fixed.as_deref()), ("a@1.0.0", Some("1.0.1")));
        assert_eq!((known.entry_points.as_str(), known.observable.as_str()), ("A::f", "y"));
    }

    #[test]
    fn a_version_that_was_never_published_fixes_nothing() {
        for word in ["none", "unreleased"] {
            let text = format!("{HEAD}\na-1\ta\t1.0.0\t{word}\tR\tc\tA::f\tx\ty\n");
            assert_eq!(parse(&text).unwrap()[0].fixed, None);
        }
    }

    #[test]
    fn a_file_of_another_shape_is_refused() {
        assert!(parse("").is_err());
        assert!(parse("id\tcrate\n").is_err());
        assert!(parse(&format!("{HEAD}\na-1\ta\n")).is_err());
    }
}
