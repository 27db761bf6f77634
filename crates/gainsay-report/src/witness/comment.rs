//! What is wrong, why, and how to see it: the comment at the beginning of a file.

use std::fmt::Write as _;

use gainsay_wire::{Misuse, Twist};

use super::{Aid, Setting};
use crate::{
    needs::needs,
    record::{FaultClass, FaultRecord, OracleRecord},
};

/// No line of a comment is longer, with its marks.
const WIDTH: usize = 90;

/// The lines, each with its marks.
pub(super) fn comment(
    fault: &FaultRecord,
    twist: Twist,
    setting: &Setting,
    file_stem: &str,
) -> String {
    let (what, why) = statement(fault, twist);
    let takes = (twist != Twist::None)
        .then(|| format!("It takes {}, in safe code: memory must survive that.", needs(twist)));
    let mut text = String::new();
    let guarded = matches!(setting.aid, Aid::Guard | Aid::GuardAndLook)
        .then(|| "If a call panics instead, that mends it: panics are caught.".to_owned());
    for paragraph in [Some(what), why, takes, guarded].into_iter().flatten() {
        wrap(&mut text, &paragraph);
    }
    text.push_str("//!\n");
    let command = format!("{} --test {file_stem}", setting.command);
    writeln!(text, "//! Fails with `{command}`,").expect("writing to a string");
    wrap(
        &mut text,
        &format!("passes once that is mended. Found by cargo gainsay as {}.", fault.id),
    );
    if fault.oracle.class() == FaultClass::Memory {
        let miri = format!("{} --test {file_stem}", setting.miri);
        wrap(&mut text, "Miri, which takes a nightly toolchain, tells where memory goes wrong:");
        writeln!(text, "//! `{miri}`").expect("writing to a string");
    }
    text
}

/// What is wrong, and what more is known of it.
fn statement(fault: &FaultRecord, twist: Twist) -> (String, Option<String>) {
    let operation = &fault.operation;
    match &fault.oracle {
        OracleRecord::Panic { file, line, message } => (
            format!("`{operation}` panics although nothing announces it."),
            Some(format!("At {file}:{line} it says: {}", one_line(message))),
        ),
        OracleRecord::Probe { what } => (
            format!("`{operation}` {}.", misuse(*what)),
            (twist == Twist::None)
                .then(|| "Only safe code is called, so no caller can be to blame.".to_owned()),
        ),
        OracleRecord::Death { how } => (
            format!(
                "`{operation}` ends the process: {}.",
                one_line(&how.to_string()).trim_end_matches('.')
            ),
            Some("No call of a safe function may do that, whatever it is called with.".to_owned()),
        ),
        OracleRecord::Law { name } => {
            (format!("`{operation}` leaves an object that breaks `{name}`."), None)
        }
        OracleRecord::Hang => (format!("`{operation}` does not come back."), None),
        OracleRecord::Memory => (format!("`{operation}` asks for memory without end."), None),
        OracleRecord::Sentinel { contract } => (
            format!("`{operation}` returns its failure value for a success."),
            Some(format!("What was learnt of failures: `{}`.", one_line(contract))),
        ),
    }
}

/// What is done to an element, as the rest of a sentence.
fn misuse(what: Misuse) -> &'static str {
    match what {
        Misuse::DoubleDrop => "has an element dropped a second time",
        Misuse::UseAfterDrop => "gives out an element that was dropped before",
        Misuse::Uninitialised => "takes memory for an element in which there never was one",
        Misuse::Misaligned => "misuses an element: misaligned",
        Misuse::BadText => "gives a text that is not UTF-8",
        Misuse::Leak(_) => "loses an element without dropping it",
    }
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Adds a paragraph in lines of bearable length.
pub(crate) fn wrap(text: &mut String, paragraph: &str) {
    let mut line = String::from("//!");
    for word in paragraph.split_whitespace() {
        if line.len() > 3 && line.len() + 1 + word.len() > WIDTH {
            text.push_str(&line);
            text.push('\n');
            line.truncate(3);
        }
        line.push(' ');
        line.push_str(word);
    }
    text.push_str(&line);
    text.push('\n');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_paragraphs_are_wrapped_between_words() {
        let mut text = String::new();
        wrap(&mut text, &"word ".repeat(40));
        assert_eq!(text.lines().count(), 3, "{text}");
        assert!(text.lines().all(|line| line.len() <= WIDTH && line.starts_with("//! word")));
    }

    #[test]
    fn every_misuse_has_its_words() {
        assert!(misuse(Misuse::DoubleDrop).contains("second time"));
        assert!(misuse(Misuse::Leak(2)).contains("loses"));
        assert!(misuse(Misuse::Misaligned).ends_with("misaligned"));
    }
}
