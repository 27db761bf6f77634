//! Two programs over several seeds. A change that draws otherwise finds other things with a single
//! seed; what most seeds showed before must still be shown by the majority.

use std::{collections::BTreeMap, fmt::Write as _};

use super::record::{Record, Section, UPHELD};

/// A thing that this share of the seeds showed before is compared: it is no matter of luck.
const COMPARED_SHARE: Share = Share { of: 5, least: 4 };
/// It is kept if this share of the seeds shows it after.
const KEPT_SHARE: Share = Share { of: 5, least: 3 };

pub(super) const HEAD: &str = "\
| crate | lost | seeds before | seeds after |\n\
|---|---|--:|--:|";

/// At least so many of so many.
#[derive(Clone, Copy)]
struct Share {
    least: usize,
    of: usize,
}

impl Share {
    fn is_reached(self, count: usize, total: usize) -> bool {
        count * self.of >= total * self.least
    }
}

/// A thing that too few seeds show after.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Exception {
    what: String,
    before: usize,
    after: usize,
}

/// What came of the things that are compared.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct SeedTally {
    pub(super) kept: usize,
    /// Things that most seeds show after and did not show before.
    pub(super) gained: usize,
    pub(super) exceptions: Vec<Exception>,
}

impl SeedTally {
    /// Adds what came of another crate.
    pub(super) fn add(&mut self, other: SeedTally) {
        self.kept += other.kept;
        self.gained += other.gained;
        self.exceptions.extend(other.exceptions);
    }

    /// The exceptions as lines of the table, one line of counts if there are none.
    pub(super) fn table_lines(&self, spec: &str) -> String {
        if self.exceptions.is_empty() {
            return format!("| {spec} | none of {} | | |\n", self.kept);
        }
        let mut text = String::new();
        for Exception { what, before, after } in &self.exceptions {
            writeln!(text, "| {spec} | {what} | {before} | {after} |")
                .expect("writing to a string");
        }
        text
    }

    /// All in a sentence.
    pub(super) fn sentence(&self) -> String {
        let SeedTally { kept, gained, exceptions } = self;
        let lost = exceptions.len();
        format!(
            "{kept} of {} faults and upheld contracts kept, {lost} lost, {gained} gained",
            kept + lost
        )
    }
}

/// Compares records of the same seeds.
pub(super) fn compare_seeds(before: &[Record], after: &[Record]) -> SeedTally {
    let mut things: BTreeMap<String, [usize; 2]> = BTreeMap::new();
    for (side, records) in [before, after].into_iter().enumerate() {
        for thing in records.iter().flat_map(shown_things) {
            things.entry(thing).or_default()[side] += 1;
        }
    }
    let mut tally = SeedTally::default();
    for (what, [old, new]) in things {
        let was = COMPARED_SHARE.is_reached(old, before.len());
        let is = KEPT_SHARE.is_reached(new, after.len());
        match (was, is) {
            (true, true) => tally.kept += 1,
            (true, false) => tally.exceptions.push(Exception { what, before: old, after: new }),
            (false, _) if COMPARED_SHARE.is_reached(new, after.len()) => tally.gained += 1,
            (false, _) => {}
        }
    }
    tally
}

/// The faults and upheld contracts of a run, each once.
fn shown_things(record: &Record) -> Vec<String> {
    let lines = record.lines().iter().filter_map(|line| {
        let mut outcome = line.outcome.split('\t');
        match line.section {
            Section::Fault => {
                let operation = outcome.next().unwrap_or_default();
                Some(format!("fault {} in {operation}", line.key))
            }
            Section::Contract if outcome.next() == Some(UPHELD) => {
                Some(format!("contract {}", line.key.replace('\t', ", ").replace('|', "\\|")))
            }
            Section::Contract | Section::Operation => None,
        }
    });
    let mut things: Vec<String> = lines.collect();
    things.sort();
    things.dedup();
    things
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Five records, of which the first `count` show the line.
    fn five(line: &str, count: usize) -> Vec<Record> {
        let shows = |number| Record::parse(if number < count { line } else { "" }).unwrap();
        (0..5).map(shows).collect()
    }

    #[test]
    fn what_four_of_five_seeds_showed_is_kept_by_three() {
        let fault = "fault\t1\tA::f\tpanic\tconfirmed";
        let compare = |before, after| {
            let tally = compare_seeds(&five(fault, before), &five(fault, after));
            (tally.kept, tally.exceptions.len(), tally.gained)
        };
        for (before, after, expected) in [
            (5, 5, (1, 0, 0)),
            (4, 3, (1, 0, 0)),
            (4, 2, (0, 1, 0)),
            (5, 0, (0, 1, 0)),
            (3, 0, (0, 0, 0)),
            (0, 4, (0, 0, 1)),
            (0, 3, (0, 0, 0)),
        ] {
            assert_eq!(compare(before, after), expected, "{before} {after}");
        }
    }

    #[test]
    fn a_contract_is_lost_when_it_is_no_longer_upheld() {
        let upheld = "contract\tA::f\tpostcondition\ta || b\tupheld";
        let refuted = "contract\tA::f\tpostcondition\ta || b\trefuted\traid";
        let tally = compare_seeds(&five(upheld, 5), &five(refuted, 5));
        assert_eq!(
            tally.table_lines("a@1"),
            "| a@1 | contract A::f, postcondition, a \\|\\| b | 5 | 0 |\n"
        );
        assert_eq!(tally.sentence(), "0 of 1 faults and upheld contracts kept, 1 lost, 0 gained");
    }

    #[test]
    fn operations_are_not_compared_over_seeds() {
        let tally = compare_seeds(&five("operation\tA::f\tcalled 1", 5), &five("", 0));
        assert_eq!(tally, SeedTally::default());
        assert_eq!(tally.table_lines("a@1"), "| a@1 | none of 0 | | |\n");
    }
}
