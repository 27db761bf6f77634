//! From an exit status, a journal and the last words of a worker to how it died.

use std::{
    fs::File,
    io::{self, Read as _},
    os::unix::process::ExitStatusExt,
    path::Path,
    process::ExitStatus,
};

use gainsay_wire::{
    BODY_AT, DIED_AT, EXIT_CANNOT_BEGIN, EXIT_OUT_OF_MEMORY, EXIT_PIPES_LOST, EXIT_TIMED_OUT,
    EXIT_WORN_OUT, JournalPhase, JournalState, JournalStatus, LEN_AT, Outcome, Sequence,
    read_journal,
};

use crate::{Death, Judge};

/// How the driver came to know that a worker is gone.
#[derive(Clone, Debug)]
pub(crate) enum Ending {
    /// It ended by itself.
    Exited(ExitStatus),
    /// It lives, but does not speak the protocol any more; it was killed.
    Broken(String),
    /// It closed its pipes and went on; it was killed.
    Deaf,
    /// It did not answer in time; it was killed.
    Overdue,
}

impl Ending {
    /// Whether it was robbed of its pipes. By which step is not known, unless it was careful.
    pub(crate) fn is_robbed(&self) -> bool {
        match self {
            Ending::Exited(status) => status.code() == Some(EXIT_PIPES_LOST),
            Ending::Deaf => true,
            Ending::Broken(_) | Ending::Overdue => false,
        }
    }

    /// Whether it only could not go on.
    pub(crate) fn is_worn_out(&self) -> bool {
        matches!(self, Ending::Exited(status) if status.code() == Some(EXIT_WORN_OUT))
    }
}

/// Puts together what is known of a death.
pub(crate) fn autopsy(ending: &Ending, journal: &Path, stderr: String) -> Death {
    let journal = read_written(journal).ok().and_then(|bytes| read_journal(&bytes));
    let status = journal.as_ref().map_or(JournalStatus::None, |journal| journal.status);
    let outcome = match ending {
        Ending::Overdue => Outcome::TimedOut,
        Ending::Deaf => Outcome::Aborted(PIPES_LOST.to_owned()),
        Ending::Broken(how) => Outcome::Aborted(how.clone()),
        Ending::Exited(status_code) => outcome_of(*status_code, status, &stderr),
    };
    let in_view = journal.as_ref().is_some_and(|journal| journal.phase == JournalPhase::View);
    let judge = if matches!(ending, Ending::Overdue) { Judge::Driver } else { Judge::Worker };
    let view = journal.as_ref().filter(|_| in_view).and_then(|journal| journal.view);
    let steps = journal.map(|JournalState { steps, .. }| steps).unwrap_or_default();
    Death { outcome, steps: Sequence { steps }, in_view, view, judge, stderr }
}

/// Reads a journal as far as it was written. The file is as long as the longest journal may be, and
/// reading all of it took a quarter of the time that the driver's threads spent on exchanges.
fn read_written(path: &Path) -> io::Result<Vec<u8>> {
    let mut file = File::open(path)?;
    let mut bytes = Vec::new();
    file.by_ref().take(BODY_AT as u64).read_to_end(&mut bytes)?;
    let written = bytes.get(LEN_AT..LEN_AT + 4).and_then(|word| word.try_into().ok());
    let written = written.map_or(0, u32::from_le_bytes);
    // A length beyond the file is the subject's doing: then all that is there is read.
    file.take(written.into()).read_to_end(&mut bytes)?;
    Ok(bytes)
}

const PIPES_LOST: &str = "closed the pipes of its worker";

fn outcome_of(status: ExitStatus, said: JournalStatus, stderr: &str) -> Outcome {
    match (status.code(), said) {
        (Some(EXIT_TIMED_OUT), _) | (_, JournalStatus::TimedOut) => Outcome::TimedOut,
        (Some(EXIT_OUT_OF_MEMORY), _) | (_, JournalStatus::OutOfMemory) => Outcome::OutOfMemory,
        (Some(EXIT_PIPES_LOST), _) => Outcome::Aborted(PIPES_LOST.to_owned()),
        (Some(EXIT_CANNOT_BEGIN), _) => Outcome::Aborted("could not begin".to_owned()),
        (Some(code), _) => {
            let said = sanitizer_kind(stderr);
            Outcome::Aborted(said.unwrap_or_else(|| format!("exit code {code}")))
        }
        (None, _) => Outcome::Aborted(signal_in_words(status.signal().unwrap_or(0), stderr)),
    }
}

/// The signal, or what the process said right before it.
fn signal_in_words(signal: i32, stderr: &str) -> String {
    last_words(stderr).unwrap_or_else(|| signal_name(signal))
}

/// What Rust's run time and the C library print before they abort. Words that differ from one
/// run to the next (addresses, thread names) are left out.
fn last_words(stderr: &str) -> Option<String> {
    const FIXED: [(&str, &str); 15] = [
        ("has overflowed its stack", "stack overflow"),
        ("panic in a destructor during cleanup", "panic in a destructor during cleanup"),
        ("panic in a function that cannot unwind", "panic in a function that cannot unwind"),
        ("misaligned pointer dereference", "misaligned pointer dereference"),
        ("null pointer dereference occurred", "null pointer dereference"),
        ("construct an enum from an invalid value", "enum made from an invalid value"),
        ("uninitialized, which is invalid", "value that is not initialised"),
        ("zero-initialize type", "value that must not be zero"),
        ("thread panicked while processing panic", "panic while panicking"),
        ("caused non-unwinding panic", "panic that cannot unwind"),
        ("double free", "double free"),
        ("corrupted", "heap corruption"),
        ("malloc(): ", "heap corruption"),
        ("free(): ", "heap corruption"),
        ("memory allocation of", "memory allocation failed"),
    ];
    if let Some(kind) = sanitizer_kind(stderr) {
        return Some(kind);
    }
    if let Some(words) = violated_precondition(stderr) {
        return Some(words);
    }
    let known = FIXED.iter().find(|(mark, _)| stderr.contains(mark));
    known.map(|(_, words)| (*words).to_owned())
}

/// What std found violated, with the place of the call that violated it.
fn violated_precondition(stderr: &str) -> Option<String> {
    let mut place = None;
    for line in stderr.lines() {
        if let Some(at) = line.find(PRECONDITION) {
            let words = line[at..].trim();
            return Some(
                place.map_or(words.to_owned(), |place| format!("{words}{DIED_AT}{place}")),
            );
        }
        place = line.split_once(PANICKED_AT).and_then(|(_, place)| line_of(place));
    }
    None
}

/// `src/lib.rs:3:5:` without the column.
fn line_of(place: &str) -> Option<String> {
    let mut parts = place.trim_end_matches(':').rsplitn(3, ':');
    let (column, line, file) = (parts.next()?, parts.next()?, parts.next()?);
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    (is_number(column) && is_number(line)).then(|| format!("{file}:{line}"))
}

/// What the sanitizer calls it: `AddressSanitizer: heap-use-after-free`.
fn sanitizer_kind(stderr: &str) -> Option<String> {
    const SUMMARY: &str = "SUMMARY: AddressSanitizer: ";
    let line = stderr.lines().find_map(|line| line.strip_prefix(SUMMARY))?;
    let kind = line.split_whitespace().next()?;
    // The same as without a sanitizer.
    Some(match kind {
        "stack-overflow" => "stack overflow".to_owned(),
        "out-of-memory" | "allocation-size-too-big" => "memory allocation failed".to_owned(),
        kind => format!("{SANITIZER}{kind}"),
    })
}

const SANITIZER: &str = "AddressSanitizer: ";

const PRECONDITION: &str = "unsafe precondition(s) violated";
const PANICKED_AT: &str = " panicked at ";

fn signal_name(signal: i32) -> String {
    let name = match signal {
        libc::SIGABRT => "SIGABRT",
        libc::SIGBUS => "SIGBUS",
        libc::SIGFPE => "SIGFPE",
        libc::SIGILL => "SIGILL",
        libc::SIGKILL => "SIGKILL",
        libc::SIGSEGV => "SIGSEGV",
        libc::SIGSYS => "SIGSYS",
        libc::SIGTERM => "SIGTERM",
        libc::SIGTRAP => "SIGTRAP",
        libc::SIGXFSZ => "SIGXFSZ",
        other => return format!("signal {other}"),
    };
    name.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(raw_status: i32, stderr: &str, expected: &Outcome) {
        let status = ExitStatus::from_raw(raw_status);
        assert_eq!(outcome_of(status, JournalStatus::None, stderr), *expected, "{stderr}");
    }

    fn aborted(how: &str) -> Outcome {
        Outcome::Aborted(how.to_owned())
    }

    #[test]
    fn a_journal_is_read_as_far_as_it_was_written_whatever_the_length_of_the_file() {
        let check = |written: u32, expected: usize| {
            let mut bytes = vec![7; BODY_AT + 1_000];
            bytes[LEN_AT..LEN_AT + 4].copy_from_slice(&written.to_le_bytes());
            let file = tempfile::NamedTempFile::new().unwrap();
            std::fs::write(file.path(), &bytes).unwrap();
            assert_eq!(read_written(file.path()).unwrap(), bytes[..expected]);
        };
        check(0, BODY_AT);
        check(10, BODY_AT + 10);
        check(u32::MAX, BODY_AT + 1_000);
    }

    #[test]
    fn a_bare_signal_is_named() {
        check(libc::SIGSEGV, "", &aborted("SIGSEGV"));
        check(libc::SIGABRT, "some chatter", &aborted("SIGABRT"));
        check(40, "", &aborted("signal 40"));
    }

    #[test]
    fn exit_codes_of_the_runtime_are_outcomes_of_their_own() {
        check(EXIT_TIMED_OUT << 8, "", &Outcome::TimedOut);
        check(EXIT_OUT_OF_MEMORY << 8, "", &Outcome::OutOfMemory);
        check(EXIT_CANNOT_BEGIN << 8, "cannot map the journal", &aborted("could not begin"));
        check(0, "", &aborted("exit code 0"));
    }

    #[test]
    fn last_words_say_more_than_the_signal() {
        check(
            libc::SIGABRT,
            "thread 'main' panicked at library/core/src/panicking.rs:226:5:\n\
             unsafe precondition(s) violated: slice::get_unchecked requires that the index is \
             within the slice\nthread caused non-unwinding panic. aborting.",
            &aborted(
                "unsafe precondition(s) violated: slice::get_unchecked requires that the index \
                 is within the slice, at library/core/src/panicking.rs:226",
            ),
        );
        check(
            libc::SIGABRT,
            "unsafe precondition(s) violated: ptr::copy\nthread caused non-unwinding panic.",
            &aborted("unsafe precondition(s) violated: ptr::copy"),
        );
        check(
            libc::SIGABRT,
            "\nthread 'main' (77) has overflowed its stack\nfatal runtime error: stack overflow",
            &aborted("stack overflow"),
        );
        check(
            libc::SIGABRT,
            "thread 'x' panicked at src/lib.rs:3:5:\nmisaligned pointer dereference: address must \
             be a multiple of 0x8 but is 0x7ffd1\nthread caused non-unwinding panic. aborting.",
            &aborted("misaligned pointer dereference"),
        );
        check(
            libc::SIGABRT,
            "thread 'x' panicked at library/core/src/panicking.rs:225:5:\nattempted to leave type \
             `Row` uninitialized, which is invalid\nthread caused non-unwinding panic. aborting.",
            &aborted("value that is not initialised"),
        );
        check(libc::SIGABRT, "free(): double free detected in tcache 2", &aborted("double free"));
        check(libc::SIGABRT, "malloc(): invalid size (unsorted)", &aborted("heap corruption"));
    }

    #[test]
    fn what_the_sanitizer_found_is_told_by_its_kind() {
        let report = |kind: &str| {
            format!(
                "==7==ERROR: AddressSanitizer: {kind} on address 0x1\n    #0 0x55\n\n\
                     SUMMARY: AddressSanitizer: {kind} (/p+0x10) (BuildId: 5a)\n==7==ABORTING"
            )
        };
        let (uaf, exit) = ("heap-use-after-free", 1 << 8);
        check(exit, &report(uaf), &aborted("AddressSanitizer: heap-use-after-free"));
        check(libc::SIGABRT, &report(uaf), &aborted("AddressSanitizer: heap-use-after-free"));
        check(exit, &report("stack-overflow"), &aborted("stack overflow"));
        check(exit, "chatter", &aborted("exit code 1"));
    }

    #[test]
    fn a_status_in_the_journal_counts_even_when_a_signal_came_first() {
        let status = ExitStatus::from_raw(libc::SIGKILL);
        assert_eq!(outcome_of(status, JournalStatus::OutOfMemory, ""), Outcome::OutOfMemory);
    }
}
