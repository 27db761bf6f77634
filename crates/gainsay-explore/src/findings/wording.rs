//! What is wrong, in a sentence, and the same with everything that varies taken out.

use gainsay_wire::{Oracle, PanicPlace};

use crate::subject_model::{SubjectModel, Territory};

/// No class is longer.
// Part of identities that stand in files: a change would make known faults strangers.
const MAX_CLASS: usize = 160;

/// The first line of a message without numbers and quoted texts.
pub(crate) fn message_class(message: &str) -> String {
    let line = message.lines().next().unwrap_or_default();
    // What follows is the Debug text of the value, which may be anything.
    let end = line.find(" value: ").map_or(line.len(), |at| at + " value".len());
    let mut class = String::new();
    let mut chars = line[..end].chars().peekable();
    while let Some(c) = chars.next() {
        if c.is_ascii_digit() {
            while chars.next_if(char::is_ascii_digit).is_some() {}
            class.push('N');
        } else if c == '"' {
            while chars.next_if(|c| *c != '"').is_some() {}
            chars.next();
            class.push_str("\"…\"");
        } else {
            class.push(c);
        }
    }
    class.chars().take(MAX_CLASS).collect()
}

/// The objection of an oracle, in a sentence.
pub(crate) fn sentence(subject: &SubjectModel, oracle: &Oracle, message: &str) -> String {
    match oracle {
        Oracle::Panic(place) => panic_sentence(subject, place),
        Oracle::Death(cause) => format!("the process died: {cause}"),
        Oracle::Hang => "did not end in time".to_owned(),
        Oracle::Memory => "asked for more memory than a call may take".to_owned(),
        _ if !message.is_empty() => message.to_owned(),
        Oracle::Probe(misuse) => misuse.to_string(),
        Oracle::Law(law) => law.to_string(),
        Oracle::Sentinel(contract) => contract.clone(),
    }
}

/// `panicked at src/lib.rs:42: attempt to subtract with overflow`
pub(crate) fn panic_sentence(subject: &SubjectModel, place: &PanicPlace) -> String {
    let message = place.message.trim();
    match subject.territory(&place.file) {
        Territory::Harness => format!("panicked: {message}"),
        _ => format!("panicked at {}:{}: {message}", subject.short_file(&place.file), place.line),
    }
}

#[cfg(test)]
mod tests {
    use gainsay_wire::Manifest;

    use super::*;

    #[test]
    fn numbers_and_quoted_texts_do_not_make_a_class() {
        let check = |message, class| assert_eq!(message_class(message), class);
        check("the len is 13 but the index is 7", "the len is N but the index is N");
        check("no entry \"a b\" in map", "no entry \"…\" in map");
        check("unclosed \"text", "unclosed \"…\"");
        check("first\nsecond", "first");
        check(
            "called `Result::unwrap()` on an `Err` value: Odd { x: 1 }",
            "called `Result::unwrap()` on an `Err` value",
        );
    }

    #[test]
    fn a_panic_reads_as_a_sentence_with_its_place() {
        let subject = SubjectModel::new(Manifest::default(), Vec::new(), "/s");
        let place = |file: &str| PanicPlace {
            file: file.into(),
            line: 42,
            message: "attempt to subtract with overflow".into(),
            changed: false,
        };
        assert_eq!(
            panic_sentence(&subject, &place("/s/src/lib.rs")),
            "panicked at src/lib.rs:42: attempt to subtract with overflow"
        );
        assert_eq!(
            panic_sentence(&subject, &place("src/main.rs")),
            "panicked: attempt to subtract with overflow"
        );
    }
}
