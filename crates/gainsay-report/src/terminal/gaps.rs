//! Preconditions that the documentation does not mention, each place told once.

use gainsay_model::fault::PanicClass;

use super::{headed, line, names};
use crate::{
    IllegalRecord,
    paint::{Paint, Tone},
    summary::Summary,
};

const HEADING: &str =
    "Documentation gaps: preconditions that nothing states (say so under `# Panics`)";

/// A line for each condition or place, with the operations that reach it.
pub(super) fn gaps(summary: &Summary, paint: Paint) -> String {
    let records = summary.illegal.records.iter();
    let mut gaps: Vec<Gap<'_>> = Vec::new();
    for record in records.filter(|record| record.class == PanicClass::OwnAssertion) {
        let (path, when) = (names::path(&record.operation), when(record));
        let same = |gap: &&mut Gap<'_>| {
            let is_there = !record.place.is_empty() && record.condition.is_none();
            gap.when == when && gap.place == record.place && (is_there || gap.paths[0] == path)
        };
        match gaps.iter_mut().find(same) {
            Some(gap) if gap.paths.contains(&path) => {}
            Some(gap) => gap.paths.push(path),
            None => gaps.push(Gap { paths: vec![path], when, place: &record.place }),
        }
    }
    let mut text = String::new();
    for gap in &gaps {
        gap.tell(&mut text, paint);
    }
    headed(HEADING, &text, paint)
}

/// One way to be rejected.
struct Gap<'a> {
    /// The operations, the first one first.
    paths: Vec<&'a str>,
    when: String,
    place: &'a str,
}

impl Gap<'_> {
    fn tell(&self, text: &mut String, paint: Paint) {
        let operation = paint.tone(Tone::Strong, self.paths[0]);
        let place = match self.place {
            "" => String::new(),
            place => format!(" ({place})"),
        };
        line(text, &format!("  {operation} panics {}{place}", self.when));
        if self.paths.len() > 1 {
            line(text, &format!("      the same through {}", self.paths[1..].join(", ")));
        }
    }
}

fn when(record: &IllegalRecord) -> String {
    match &record.condition {
        Some(condition) => format!("when `{condition}`"),
        None => format!("with \"{}\"", bare(record)),
    }
}

/// The first line of a panic's message alone: the place stands beside it.
fn bare(record: &IllegalRecord) -> &str {
    let message = record.message.as_str();
    let placed = message.strip_prefix("panicked at ");
    let placed = placed.and_then(|rest| rest.strip_prefix(&record.place)?.strip_prefix(": "));
    let bare = placed.or_else(|| message.strip_prefix("panicked: ")).unwrap_or(message);
    bare.lines().next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples;

    fn text(records: &[(&str, &str, &str)]) -> String {
        let mut record = samples::record();
        let illegal = |(operation, place, message): &(&str, &str, &str)| IllegalRecord {
            operation: (*operation).to_owned(),
            class: PanicClass::OwnAssertion,
            place: (*place).to_owned(),
            message: (*message).to_owned(),
            condition: None,
        };
        record.summary.illegal.records = records.iter().map(illegal).collect();
        let text = gaps(&record.summary, Paint::Plain);
        text.strip_prefix(HEADING).unwrap().trim_start_matches('\n').to_owned()
    }

    #[test]
    fn what_several_operations_reach_is_told_once() {
        let full = |operation| (operation, "src/lib.rs:9", "panicked at src/lib.rs:9: full");
        let other = ("Row::extend", "src/lib.rs:12", "panicked at src/lib.rs:12: full");
        assert_eq!(
            text(&[full("Row::push"), full("Row::insert"), full("Row::push"), other]),
            "  Row::push panics with \"full\" (src/lib.rs:9)\n      the same through Row::insert\n  \
             Row::extend panics with \"full\" (src/lib.rs:12)\n"
        );
    }

    #[test]
    fn a_message_is_told_in_one_line_and_says_only_once_that_it_is_a_panic() {
        let check = |message, expected: &str| {
            assert_eq!(
                text(&[("Row::at", "", message)]),
                format!("  Row::at panics with {expected}\n")
            );
        };
        check("panicked: no such row", "\"no such row\"");
        check("panicked: assertion failed\n  left: 1\n right: 2", "\"assertion failed\"");
    }

    #[test]
    fn the_same_words_of_unknown_places_are_not_the_same() {
        let twice = text(&[("Row::at", "", "panicked: no"), ("Row::to", "", "panicked: no")]);
        assert_eq!(twice.lines().count(), 2, "{twice}");
    }
}
