//! The record of a run as sorted lines: faults, operations, contracts. Nothing in it depends on
//! time or place, so two runs that decided alike have the same text.

use std::fmt::{self, Write as _};

use anyhow::{Context as _, bail};

/// What a line is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Section {
    Fault,
    Operation,
    Contract,
}

/// The verdict of a contract that was attacked without success.
pub(super) const UPHELD: &str = "upheld";

impl Section {
    const ALL: [Section; 3] = [Section::Fault, Section::Operation, Section::Contract];

    fn name(self) -> &'static str {
        match self {
            Section::Fault => "fault",
            Section::Operation => "operation",
            Section::Contract => "contract",
        }
    }

    /// Fields that name the thing: a fault's identity; an operation's path; a contract's operation,
    /// kind and text. The others say what became of it.
    fn key_fields(self) -> usize {
        match self {
            Section::Fault | Section::Operation => 1,
            Section::Contract => 3,
        }
    }
}

impl fmt::Display for Section {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// One thing that a run found out.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Line {
    pub(super) section: Section,
    /// Fields that name the thing, with tabs between them.
    pub(super) key: String,
    /// What became of it, with tabs between its fields.
    pub(super) outcome: String,
}

impl Line {
    /// A line of these fields, those of the key first.
    pub(super) fn new(section: Section, fields: &[&str]) -> Line {
        // Texts of values may hold what separates fields and lines.
        let fields: Vec<String> = fields
            .iter()
            .map(|field| field.replace('\t', "\\t").replace('\n', "\\n").replace('\r', "\\r"))
            .collect();
        let (key, outcome) = fields.split_at(section.key_fields().min(fields.len()));
        Line { section, key: key.join("\t"), outcome: outcome.join("\t") }
    }

    fn parse(text: &str) -> anyhow::Result<Line> {
        let fields: Vec<&str> = text.split('\t').collect();
        let [name, fields @ ..] = &fields[..] else { bail!("an empty line") };
        let section = Section::ALL.into_iter().find(|section| section.name() == *name);
        let section = section.with_context(|| format!("`{name}` is nothing that is recorded"))?;
        if fields.len() <= section.key_fields() {
            bail!("too few fields in `{text}`");
        }
        Ok(Line::new(section, fields))
    }
}

/// All that is recorded of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Record {
    lines: Vec<Line>,
}

impl Record {
    /// A record of these lines, in whatever order they come.
    pub(super) fn new(mut lines: Vec<Line>) -> Record {
        lines.sort();
        Record { lines }
    }

    /// The lines in their order.
    pub(super) fn lines(&self) -> &[Line] {
        &self.lines
    }

    /// The lines, to be changed and put in order again.
    pub(super) fn into_lines(self) -> Vec<Line> {
        self.lines
    }

    /// The canonical text.
    pub(super) fn to_text(&self) -> String {
        let mut text = String::new();
        for Line { section, key, outcome } in &self.lines {
            writeln!(text, "{section}\t{key}\t{outcome}").expect("writing to a string");
        }
        text
    }

    /// Reads the canonical text.
    pub(super) fn parse(text: &str) -> anyhow::Result<Record> {
        let lines: anyhow::Result<Vec<Line>> = text.lines().map(Line::parse).collect();
        Ok(Record::new(lines?))
    }

    /// `8 faults, 78 operations, 52 contracts (31 upheld)`
    pub(super) fn summary(&self) -> String {
        let count = |section| self.lines.iter().filter(|line| line.section == section).count();
        let upheld = self.lines.iter().filter(|line| {
            line.section == Section::Contract && line.outcome.split('\t').next() == Some(UPHELD)
        });
        format!(
            "{} faults, {} operations, {} contracts ({} upheld)",
            count(Section::Fault),
            count(Section::Operation),
            count(Section::Contract),
            upheld.count(),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_is_read_as_it_was_written() {
        let lines = vec![
            Line::new(Section::Contract, &["A::f", "postcondition", "result == 1", UPHELD]),
            Line::new(Section::Fault, &["12ab", "A::f", "panic", "confirmed"]),
            Line::new(Section::Operation, &["A::f", "called 3"]),
        ];
        let record = Record::new(lines);
        let text = record.to_text();
        assert_eq!(
            text,
            "fault\t12ab\tA::f\tpanic\tconfirmed\noperation\tA::f\tcalled 3\n\
             contract\tA::f\tpostcondition\tresult == 1\tupheld\n"
        );
        assert_eq!(Record::parse(&text).unwrap(), record);
        assert_eq!(record.summary(), "1 faults, 1 operations, 1 contracts (1 upheld)");
    }

    #[test]
    fn a_field_never_ends_a_line() {
        let line = Line::new(Section::Fault, &["a\nb", "c\td"]);
        assert_eq!((line.key.as_str(), line.outcome.as_str()), ("a\\nb", "c\\td"));
    }

    #[test]
    fn a_damaged_record_is_refused() {
        for wrong in ["\n", "fault\n", "fault\t12ab\n", "verdict\ta\tb\n", "contract\ta\tb\tc\n"] {
            assert!(Record::parse(wrong).is_err(), "{wrong:?}");
        }
    }
}
