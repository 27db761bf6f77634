//! What should be found: the files of `evaluation/data/contracts`.

use std::{
    fs,
    path::{Path, PathBuf},
};

use anyhow::{Context as _, bail};
use serde::Deserialize;

/// The postconditions of one type, as a person wrote them.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Truth {
    #[serde(rename = "crate")]
    pub(super) name: String,
    pub(super) version: String,
    #[serde(rename = "type")]
    pub(super) ty: String,
    /// What kind of container it is.
    pub(super) kind: String,
    /// When it was written.
    pub(super) date: String,
    #[serde(rename = "operation")]
    pub(super) operations: Vec<Operation>,
}

/// What is true of one operation.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Operation {
    /// As `cargo gainsay list` prints it.
    pub(super) path: String,
    /// Exactly when it panics.
    pub(super) panics: Option<String>,
    #[serde(default)]
    pub(super) ensures: Vec<String>,
}

impl Truth {
    /// The crate, as `--crate` takes it.
    pub(super) fn spec(&self) -> String {
        format!("{}@{}", self.name, self.version)
    }
}

/// The files of a directory, in the order of their names.
pub(super) fn read_all(dir: &Path) -> anyhow::Result<Vec<Truth>> {
    let entries = fs::read_dir(dir).with_context(|| format!("cannot read `{}`", dir.display()))?;
    let paths: Result<Vec<PathBuf>, _> = entries.map(|entry| entry.map(|e| e.path())).collect();
    let mut paths = paths?;
    paths.retain(|path| path.extension().is_some_and(|ending| ending == "toml"));
    paths.sort();
    if paths.is_empty() {
        bail!("no `.toml` file in `{}`", dir.display());
    }
    paths.iter().map(|path| read(path)).collect()
}

fn read(path: &Path) -> anyhow::Result<Truth> {
    let text = fs::read_to_string(path);
    let text = text.with_context(|| format!("cannot read `{}`", path.display()))?;
    toml::from_str(&text).with_context(|| format!("in `{}`", path.display()))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn of_the_house() -> Vec<Truth> {
        read_all(&crate::data("contracts")).unwrap()
    }

    #[test]
    fn there_are_eight_kinds_of_containers() {
        let kinds: BTreeSet<String> = of_the_house().into_iter().map(|truth| truth.kind).collect();
        let expected = ["bit set", "deque", "heap", "map", "set", "slab", "tree", "vector"];
        assert_eq!(kinds.into_iter().collect::<Vec<_>>(), expected);
    }

    #[test]
    fn no_operation_stands_twice_or_without_a_clause() {
        for truth in of_the_house() {
            let mut paths = BTreeSet::new();
            for operation in &truth.operations {
                assert!(paths.insert(&operation.path), "{}", operation.path);
                assert!(!operation.ensures.is_empty(), "{}", operation.path);
            }
        }
    }

    #[test]
    fn a_word_that_is_not_of_the_format_is_refused() {
        let text = "crate = \"a\"\nversion = \"1\"\ntype = \"A\"\nkind = \"set\"\ndate = \"d\"\n";
        assert!(toml::from_str::<Truth>(&format!("{text}operation = []")).is_ok());
        assert!(toml::from_str::<Truth>(&format!("{text}operation = []\nrequires = 1")).is_err());
    }
}
