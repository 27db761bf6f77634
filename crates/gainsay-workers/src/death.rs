//! From an exit status, a journal and the last words of a worker to how it died. No other file reads
//! what sanitizers, std and the C library print.

use std::{
    fs::File,
    io::{self, Read as _},
    os::unix::process::ExitStatusExt,
    path::Path,
    process::ExitStatus,
};

use gainsay_wire::{
    AbortReason, BODY_AT, DeathCause, EXIT_CANNOT_BEGIN, EXIT_OUT_OF_MEMORY, EXIT_PIPES_LOST,
    EXIT_TIMED_OUT, EXIT_WORN_OUT, JournalPhase, JournalState, JournalStatus, LEN_AT, NamedSignal,
    Outcome, Sequence, Signal, SourcePlace, read_journal,
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
        Ending::Deaf => Outcome::Aborted(DeathCause::PipesClosed),
        Ending::Broken(how) => Outcome::Aborted(DeathCause::Other(how.clone())),
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

fn outcome_of(status: ExitStatus, said: JournalStatus, stderr: &str) -> Outcome {
    Outcome::Aborted(match (status.code(), said) {
        (Some(EXIT_TIMED_OUT), _) | (_, JournalStatus::TimedOut) => return Outcome::TimedOut,
        (Some(EXIT_OUT_OF_MEMORY), _) | (_, JournalStatus::OutOfMemory) => {
            return Outcome::OutOfMemory;
        }
        (Some(EXIT_PIPES_LOST), _) => DeathCause::PipesClosed,
        (Some(EXIT_CANNOT_BEGIN), _) => DeathCause::CannotBegin,
        // Where a sanitizer exits, its report says why; other last words do not explain an exit.
        (Some(code), _) => read_sanitizer(stderr).unwrap_or(DeathCause::Exit(code)),
        (None, _) => {
            let signal = || DeathCause::Signal(signal_of(status.signal().unwrap_or(0)));
            read_last_words(stderr).unwrap_or_else(signal)
        }
    })
}

/// Text that Rust's run time and the C library print before they abort, and the reason that it
/// stands for. The first that fits counts: a double free is heap corruption, too. Words that differ
/// from one run to the next (addresses, thread names) are left out.
const LAST_WORDS: [(&str, AbortReason); 15] = [
    ("has overflowed its stack", AbortReason::StackOverflow),
    ("panic in a destructor during cleanup", AbortReason::PanicInDestructor),
    ("panic in a function that cannot unwind", AbortReason::PanicInNoUnwind),
    ("misaligned pointer dereference", AbortReason::MisalignedPointer),
    ("null pointer dereference occurred", AbortReason::NullPointer),
    ("construct an enum from an invalid value", AbortReason::InvalidEnum),
    ("uninitialized, which is invalid", AbortReason::UninitialisedValue),
    ("zero-initialize type", AbortReason::ZeroedValue),
    ("thread panicked while processing panic", AbortReason::PanicWhilePanicking),
    ("caused non-unwinding panic", AbortReason::NonUnwindingPanic),
    ("double free", AbortReason::DoubleFree),
    ("corrupted", AbortReason::HeapCorruption),
    ("malloc(): ", AbortReason::HeapCorruption),
    ("free(): ", AbortReason::HeapCorruption),
    ("memory allocation of", AbortReason::AllocationFailed),
];

/// The cause that the process told right before a signal ended it.
fn read_last_words(stderr: &str) -> Option<DeathCause> {
    let known = || LAST_WORDS.iter().find(|(mark, _)| stderr.contains(mark));
    read_sanitizer(stderr)
        .or_else(|| read_std_check(stderr))
        .or_else(|| known().map(|(_, reason)| DeathCause::Abort(*reason)))
}

/// A precondition that std found violated, with the place of the call that violated it.
fn read_std_check(stderr: &str) -> Option<DeathCause> {
    let mut place = None;
    for line in stderr.lines() {
        if let Some(at) = line.find(PRECONDITION) {
            let violated = line[at + PRECONDITION.len()..].trim().to_owned();
            return Some(DeathCause::StdCheck { violated, place });
        }
        place = line.split_once(PANICKED_AT).and_then(|(_, place)| read_place(place));
    }
    None
}

/// Reads `src/lib.rs:3:5:`, and leaves the column out.
fn read_place(place: &str) -> Option<SourcePlace> {
    let mut parts = place.trim_end_matches(':').rsplitn(3, ':');
    let (column, line, file) = (parts.next()?, parts.next()?, parts.next()?);
    let is_number = !column.is_empty() && column.bytes().all(|byte| byte.is_ascii_digit());
    let line = line.parse().ok().filter(|_| is_number)?;
    Some(SourcePlace { file: file.to_owned(), line })
}

/// The kind of error in a sanitizer's report: `heap-use-after-free`.
fn read_sanitizer(stderr: &str) -> Option<DeathCause> {
    const SUMMARY: &str = "SUMMARY: AddressSanitizer: ";
    let line = stderr.lines().find_map(|line| line.strip_prefix(SUMMARY))?;
    let kind = line.split_whitespace().next()?;
    // The same as without a sanitizer.
    Some(match kind {
        "stack-overflow" => DeathCause::Abort(AbortReason::StackOverflow),
        "out-of-memory" | "allocation-size-too-big" => {
            DeathCause::Abort(AbortReason::AllocationFailed)
        }
        kind => DeathCause::Sanitizer(kind.to_owned()),
    })
}

const PRECONDITION: &str = "unsafe precondition(s) violated: ";
const PANICKED_AT: &str = " panicked at ";

fn signal_of(number: i32) -> Signal {
    Signal::Named(match number {
        libc::SIGABRT => NamedSignal::Abort,
        libc::SIGBUS => NamedSignal::Bus,
        libc::SIGFPE => NamedSignal::Fpe,
        libc::SIGILL => NamedSignal::Ill,
        libc::SIGKILL => NamedSignal::Kill,
        libc::SIGSEGV => NamedSignal::Segv,
        libc::SIGSYS => NamedSignal::Sys,
        libc::SIGTERM => NamedSignal::Term,
        libc::SIGTRAP => NamedSignal::Trap,
        libc::SIGXFSZ => NamedSignal::Xfsz,
        other => return Signal::Number(other),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(raw_status: i32, stderr: &str, expected: &Outcome) {
        let status = ExitStatus::from_raw(raw_status);
        assert_eq!(outcome_of(status, JournalStatus::None, stderr), *expected, "{stderr}");
    }

    fn aborted(how: &str) -> Outcome {
        Outcome::Aborted(how.parse().unwrap())
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
