//! The lines in which two records differ, thing by thing.

use std::{collections::BTreeMap, fmt::Write as _};

use super::record::{Record, Section};

/// A thing that is not in both records with the same outcome.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Difference {
    section: Section,
    key: String,
    /// Its outcomes before; none if it was not there.
    before: Vec<String>,
    after: Vec<String>,
}

/// All differences, in the order of a record.
pub(super) fn differences(before: &Record, after: &Record) -> Vec<Difference> {
    let mut things: BTreeMap<(Section, &str), [Vec<String>; 2]> = BTreeMap::new();
    for (side, record) in [before, after].into_iter().enumerate() {
        for line in record.lines() {
            // Several operations may have one path, such as methods of two instances of a type.
            let outcomes = things.entry((line.section, &line.key)).or_default();
            outcomes[side].push(line.outcome.clone());
        }
    }
    let differing = things.into_iter().filter(|(_, [before, after])| before != after);
    differing
        .map(|((section, key), [before, after])| Difference {
            section,
            key: key.to_owned(),
            before,
            after,
        })
        .collect()
}

/// The differences as a table.
pub(super) fn difference_table(differences: &[Difference]) -> String {
    let mut text = "| | thing | before | after |\n|---|---|---|---|\n".to_owned();
    for Difference { section, key, before, after } in differences {
        let [thing, before, after] = [cell(std::slice::from_ref(key)), cell(before), cell(after)];
        writeln!(text, "| {section} | {thing} | {before} | {after} |")
            .expect("writing to a string");
    }
    text
}

/// The fields with commas; `-` where there is nothing. A bar would end the cell.
fn cell(outcomes: &[String]) -> String {
    if outcomes.is_empty() {
        return "-".to_owned();
    }
    outcomes.join("; ").replace('\t', ", ").replace('|', "\\|")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(lines: &[&str]) -> Record {
        Record::parse(&lines.join("\n")).unwrap()
    }

    #[test]
    fn what_is_gone_new_or_otherwise_is_a_line_of_the_table() {
        let same = "operation\tA::f\tcalled 1";
        let before =
            record(&[same, "fault\t1\tA::f\tpanic", "contract\tA::f\tpost\ta || b\tupheld"]);
        let after =
            record(&[same, "fault\t2\tA::f\tpanic", "contract\tA::f\tpost\ta || b\trefuted"]);
        assert_eq!(differences(&before, &before), []);
        assert_eq!(
            difference_table(&differences(&before, &after)),
            "| | thing | before | after |\n|---|---|---|---|\n\
             | fault | 1 | A::f, panic | - |\n\
             | fault | 2 | - | A::f, panic |\n\
             | contract | A::f, post, a \\|\\| b | upheld | refuted |\n"
        );
    }

    #[test]
    fn one_of_two_operations_with_the_same_path_is_missed() {
        let before = record(&["operation\tA::f\tcalled 1", "operation\tA::f\tcalled 1"]);
        let after = record(&["operation\tA::f\tcalled 1"]);
        assert_eq!(differences(&before, &after).len(), 1);
    }
}
