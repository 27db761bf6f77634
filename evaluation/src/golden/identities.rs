//! Faults whose identity changed though they are the same: a line each of crate, old and new
//! identity. Only a change of how identities are computed needs one.

use std::{collections::BTreeMap, fs, path::Path};

use anyhow::{Context as _, bail};

use super::record::{Line, Record, Section};

/// New identities by crate and old identity.
#[derive(Debug, Default)]
pub(super) struct Identities {
    renamed: BTreeMap<String, BTreeMap<String, String>>,
}

impl Identities {
    /// Reads the file; without one no identity has changed.
    pub(super) fn read(path: &Path) -> anyhow::Result<Identities> {
        if !path.exists() {
            return Ok(Identities::default());
        }
        let text = fs::read_to_string(path);
        let text = text.with_context(|| format!("cannot read `{}`", path.display()))?;
        Identities::parse(&text).with_context(|| format!("in `{}`", path.display()))
    }

    fn parse(text: &str) -> anyhow::Result<Identities> {
        let mut identities = Identities::default();
        let lines = text.lines().map(|line| line.split('#').next().unwrap_or_default().trim());
        for line in lines.filter(|line| !line.is_empty()) {
            let words: Vec<&str> = line.split_whitespace().collect();
            let [spec, old, new] = words[..] else { bail!("`{line}` is no `CRATE OLD NEW`") };
            let of_crate = identities.renamed.entry(spec.to_owned()).or_default();
            of_crate.insert(old.to_owned(), new.to_owned());
        }
        Ok(identities)
    }

    /// The record with the identities of today.
    pub(super) fn renew(&self, record: Record, spec: &str) -> Record {
        let Some(renamed) = self.renamed.get(spec) else { return record };
        let renew = |line: Line| match renamed.get(&line.key) {
            Some(new) if line.section == Section::Fault => Line { key: new.clone(), ..line },
            _ => line,
        };
        Record::new(record.into_lines().into_iter().map(renew).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fault_is_known_by_its_new_identity_and_nothing_else_changes() {
        let identities = Identities::parse("# Why.\na@1 11 22\n").unwrap();
        let record = Record::parse("fault\t11\tA::f\tpanic\noperation\t11\tcalled 1\n").unwrap();
        let renewed = identities.renew(record.clone(), "a@1");
        assert_eq!(renewed.to_text(), "fault\t22\tA::f\tpanic\noperation\t11\tcalled 1\n");
        assert_eq!(identities.renew(record.clone(), "b@1"), record);
    }

    #[test]
    fn a_line_has_three_words() {
        assert!(Identities::parse("a@1 11\n").is_err());
        assert!(Identities::parse("a@1 11 22 33\n").is_err());
    }
}
