//! A fault as a small text file that people keep under version control: operations by their paths,
//! values spelled out, so that it can be replayed by later versions of the crate and of gainsay.

use std::fmt::Write as _;

use gainsay_model::{build::Build, fault::Confirmation};

use crate::{
    code::snake_case,
    record::{FaultRecord, OracleRecord},
};

/// A fault that was kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeptFault {
    /// Its identity when it was found.
    pub id: String,
    /// The operation's path.
    pub operation: String,
    /// Who objects.
    pub oracle: OracleRecord,
    /// What is wrong, in a sentence.
    pub message: String,
    /// The build that shows it.
    pub build: Build,
    /// The calls, as `--from` reads them.
    pub script: String,
}

/// What is wrong with a file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotKept {
    /// A line that must be there is not.
    #[error("there is no line that begins with `# {0}`")]
    Missing(&'static str),
    /// The oracle is none that is known.
    #[error("its `# oracle` is not known")]
    UnknownOracle,
}

const HEADING: &str = "\
# A fault that cargo gainsay found. Every run replays it first and says when it is gone: keep this
# file under version control. docs/faults.md tells what the lines mean.
";

impl KeptFault {
    /// The form in which a fault is kept; `None` for one that does not repeat.
    pub fn of(fault: &FaultRecord) -> Option<KeptFault> {
        (fault.confirmation == Confirmation::Confirmed).then(|| KeptFault {
            id: fault.id.clone(),
            operation: fault.operation.clone(),
            oracle: fault.oracle.clone(),
            message: one_line(&fault.message),
            build: fault.build,
            script: fault.script.clone(),
        })
    }

    /// `slab_insert_a0e58f5c.txt`
    pub fn file_name(&self) -> String {
        let id: String = self.id.chars().take(8).collect();
        format!("{}_{id}.txt", snake_case(&self.operation.replace(" as ", " ")))
    }

    /// The file.
    pub fn text(&self) -> String {
        let oracle = serde_json::to_string(&self.oracle).unwrap_or_default();
        let mut text = HEADING.to_owned();
        for (key, value) in [
            ("id", &self.id),
            ("operation", &self.operation),
            ("message", &self.message),
            ("build", &self.build.name().to_owned()),
            ("oracle", &oracle),
        ] {
            writeln!(text, "# {key} {value}").expect("writing to a string");
        }
        text + &self.script
    }

    /// Reads such a file.
    pub fn parse(text: &str) -> Result<KeptFault, NotKept> {
        let value = |key: &'static str| {
            let lines = text.lines().filter_map(|line| line.strip_prefix("# "));
            let mut values = lines.filter_map(|line| line.strip_prefix(key)?.strip_prefix(' '));
            values.next().map(|value| value.trim().to_owned()).ok_or(NotKept::Missing(key))
        };
        let oracle = serde_json::from_str(&value("oracle")?);
        let calls = text.split_inclusive('\n').filter(|line| !line.starts_with('#'));
        Ok(KeptFault {
            id: value("id")?,
            operation: value("operation")?,
            message: value("message")?,
            oracle: oracle.map_err(|_| NotKept::UnknownOracle)?,
            build: value("build").ok().and_then(|name| build(&name)).unwrap_or_default(),
            script: calls.collect(),
        })
    }

    /// Whether a fault of this identity, operation and message is the same. Lines of the source
    /// move, so numbers are passed over.
    pub fn is_same(&self, id: &str, operation: &str, message: &str) -> bool {
        let words = |text: &str| text.replace(|c: char| c.is_ascii_digit(), "");
        let alike = || words(&one_line(message)) == words(&self.message);
        self.id == id || self.operation == operation && alike()
    }
}

fn build(name: &str) -> Option<Build> {
    Build::ALL.into_iter().find(|build| build.name() == name)
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples;

    fn kept() -> KeptFault {
        KeptFault::of(&samples::record().faults[0]).unwrap()
    }

    #[test]
    fn what_is_kept_is_read_back() {
        assert_eq!(KeptFault::parse(&kept().text()), Ok(kept()));
        insta::assert_snapshot!(kept().text());
    }

    #[test]
    fn a_fault_is_the_same_when_its_line_moved() {
        let kept = kept();
        assert!(kept.is_same(&kept.id, "", ""));
        let moved = kept.message.replace("41", "57");
        assert_ne!(moved, kept.message);
        assert!(kept.is_same("other", &kept.operation, &moved));
        assert!(!kept.is_same("other", "Other::operation", &moved));
        assert!(!kept.is_same("other", &kept.operation, "something else"));
    }

    #[test]
    fn what_is_missing_is_named() {
        let check = |text: &str, problem| assert_eq!(KeptFault::parse(text), Err(problem));
        check("", NotKept::Missing("oracle"));
        let without = |key: &str| {
            let text = kept().text();
            let start = format!("# {key} ");
            let lines = text.split_inclusive('\n').filter(|line| !line.starts_with(&start));
            lines.collect::<String>()
        };
        check(&without("id"), NotKept::Missing("id"));
        check(&without("message"), NotKept::Missing("message"));
        check(&kept().text().replace("\"panic\"", "\"magic\""), NotKept::UnknownOracle);
    }

    #[test]
    fn a_flaky_fault_is_not_kept() {
        let mut record = samples::record();
        record.faults[0].confirmation = Confirmation::Flaky;
        assert_eq!(KeptFault::of(&record.faults[0]), None);
    }
}
