//! Causes of a process's death. What sanitizers, std and the C library print is read by the driver
//! of workers, where it reads their last words.

use std::{convert::Infallible, fmt, str::FromStr};

use crate::{Corrupt, Reader, Wire};

/// What ended a process.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum DeathCause {
    /// A signal, and nothing said before it.
    Signal(Signal),
    /// The process ended itself with this code.
    Exit(i32),
    /// A sanitizer found broken memory; it has a name for each kind.
    Sanitizer(String),
    /// A precondition of an unsafe function of std did not hold.
    StdCheck {
        /// The precondition, as std says it.
        violated: String,
        /// The place of the call, as far as it is known.
        place: Option<SourcePlace>,
    },
    /// The run time or the allocator gave up, for a reason that it told.
    Abort(AbortReason),
    /// The subject closed the pipes of its worker.
    PipesClosed,
    /// The worker could not begin.
    CannotBegin,
    /// Anything else: a worker that did not keep to the protocol, or words of another version.
    Other(String),
}

/// A line of source.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SourcePlace {
    /// The file as rustc names it.
    pub file: String,
    /// The line.
    pub line: u32,
}

impl fmt::Display for SourcePlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.file, self.line)
    }
}

/// Words that stand for nothing that is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownWords(pub String);

impl fmt::Display for UnknownWords {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` is not known", self.0)
    }
}

impl std::error::Error for UnknownWords {}

/// An enum of causes that are always said in the same words, with all its variants.
macro_rules! fixed_words {
    ($(#[$doc:meta])* $name:ident { $($variant:ident $words:literal,)+ }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $name {
            $(#[doc = $words] $variant,)+
        }

        impl $name {
            /// All of them.
            pub const ALL: &'static [$name] = &[$($name::$variant,)+];

            /// The words for it.
            pub fn words(self) -> &'static str {
                match self { $($name::$variant => $words,)+ }
            }

            fn of_words(words: &str) -> Option<$name> {
                $name::ALL.iter().copied().find(|known| known.words() == words)
            }
        }
    };
}

fixed_words! {
    /// What the run time, std or the allocator said before they aborted.
    AbortReason {
        StackOverflow "stack overflow",
        PanicInDestructor "panic in a destructor during cleanup",
        PanicInNoUnwind "panic in a function that cannot unwind",
        MisalignedPointer "misaligned pointer dereference",
        NullPointer "null pointer dereference",
        InvalidEnum "enum made from an invalid value",
        UninitialisedValue "value that is not initialised",
        ZeroedValue "value that must not be zero",
        PanicWhilePanicking "panic while panicking",
        NonUnwindingPanic "panic that cannot unwind",
        DoubleFree "double free",
        HeapCorruption "heap corruption",
        AllocationFailed "memory allocation failed",
    }
}

fixed_words! {
    /// Signals that have names of their own in reports.
    NamedSignal {
        Abort "SIGABRT",
        Bus "SIGBUS",
        Fpe "SIGFPE",
        Ill "SIGILL",
        Kill "SIGKILL",
        Segv "SIGSEGV",
        Sys "SIGSYS",
        Term "SIGTERM",
        Trap "SIGTRAP",
        Xfsz "SIGXFSZ",
    }
}

/// A signal that ended a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Signal {
    /// One of those with a name. Their numbers are those of the system, which the wire does not know.
    Named(NamedSignal),
    /// Any other, by its number.
    Number(i32),
}

const EXIT: &str = "exit code ";
const SIGNAL: &str = "signal ";
const SANITIZER: &str = "AddressSanitizer: ";
const STD_CHECK: &str = "unsafe precondition(s) violated";
const AT: &str = ", at ";
const PIPES_CLOSED: &str = "closed the pipes of its worker";
const CANNOT_BEGIN: &str = "could not begin";

impl DeathCause {
    /// True for what a process dies of whose memory is corrupt, whatever was corrupted: the same
    /// mistake ends in one of these or another, depending on what lies beside it. Broken memory that
    /// is caught in the act has a kind of its own, and is not among them.
    pub fn is_plain_crash(&self) -> bool {
        use NamedSignal::{Abort, Bus, Ill, Segv, Trap};
        match self {
            DeathCause::Signal(Signal::Named(signal)) => {
                matches!(signal, Segv | Bus | Ill | Abort | Trap)
            }
            DeathCause::Abort(reason) => {
                matches!(reason, AbortReason::DoubleFree | AbortReason::HeapCorruption)
            }
            _ => false,
        }
    }

    /// True where memory is broken for sure. A bare abort is not: it may be what an operation does on
    /// purpose, and so may an illegal instruction or a trap be.
    pub fn is_broken_memory(&self) -> bool {
        match self {
            DeathCause::Signal(signal) => {
                let memory = [NamedSignal::Segv, NamedSignal::Bus];
                memory.into_iter().any(|known| *signal == Signal::Named(known))
            }
            DeathCause::Abort(reason) => match reason {
                AbortReason::DoubleFree
                | AbortReason::HeapCorruption
                | AbortReason::MisalignedPointer
                | AbortReason::NullPointer
                | AbortReason::InvalidEnum
                | AbortReason::UninitialisedValue
                | AbortReason::ZeroedValue => true,
                AbortReason::StackOverflow
                | AbortReason::PanicInDestructor
                | AbortReason::PanicInNoUnwind
                | AbortReason::PanicWhilePanicking
                | AbortReason::NonUnwindingPanic
                | AbortReason::AllocationFailed => false,
            },
            DeathCause::Sanitizer(_) | DeathCause::StdCheck { .. } => true,
            DeathCause::Exit(_)
            | DeathCause::PipesClosed
            | DeathCause::CannotBegin
            | DeathCause::Other(_) => false,
        }
    }

    /// True where the allocator said no.
    pub fn is_out_of_memory(&self) -> bool {
        matches!(self, DeathCause::Abort(AbortReason::AllocationFailed))
    }

    /// The place in the source, where the cause has one.
    pub fn place(&self) -> Option<&SourcePlace> {
        match self {
            DeathCause::StdCheck { place, .. } => place.as_ref(),
            _ => None,
        }
    }

    /// The same cause at another place, or at none.
    #[must_use]
    pub fn at(self, place: Option<SourcePlace>) -> DeathCause {
        match self {
            DeathCause::StdCheck { violated, .. } => DeathCause::StdCheck { violated, place },
            other => other,
        }
    }
}

/// The words are part of faults' identities: none of them may change.
impl fmt::Display for DeathCause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DeathCause::Signal(Signal::Named(signal)) => f.write_str(signal.words()),
            DeathCause::Signal(Signal::Number(number)) => write!(f, "{SIGNAL}{number}"),
            DeathCause::Exit(code) => write!(f, "{EXIT}{code}"),
            DeathCause::Sanitizer(kind) => write!(f, "{SANITIZER}{kind}"),
            DeathCause::StdCheck { violated, place } => {
                write!(f, "{STD_CHECK}: {violated}")?;
                place.iter().try_for_each(|place| write!(f, "{AT}{place}"))
            }
            DeathCause::Abort(reason) => f.write_str(reason.words()),
            DeathCause::PipesClosed => f.write_str(PIPES_CLOSED),
            DeathCause::CannotBegin => f.write_str(CANNOT_BEGIN),
            DeathCause::Other(words) => f.write_str(words),
        }
    }
}

impl FromStr for DeathCause {
    type Err = Infallible;

    /// Reads back what `Display` wrote. A file of another version may say what this one does not
    /// know: that is kept in its words.
    fn from_str(words: &str) -> Result<DeathCause, Infallible> {
        let number = |prefix: &str| words.strip_prefix(prefix)?.parse().ok();
        let checked = || words.strip_prefix(STD_CHECK)?.strip_prefix(": ").map(read_std_check);
        let named = || NamedSignal::of_words(words).map(Signal::Named);
        let fixed = || match words {
            PIPES_CLOSED => Some(DeathCause::PipesClosed),
            CANNOT_BEGIN => Some(DeathCause::CannotBegin),
            _ => AbortReason::of_words(words).map(DeathCause::Abort),
        };
        let found = fixed()
            .or_else(|| named().map(DeathCause::Signal))
            .or_else(|| number(SIGNAL).map(|signal| DeathCause::Signal(Signal::Number(signal))))
            .or_else(|| number(EXIT).map(DeathCause::Exit))
            .or_else(|| {
                words.strip_prefix(SANITIZER).map(|kind| DeathCause::Sanitizer(kind.into()))
            })
            .or_else(checked);
        Ok(found.unwrap_or_else(|| DeathCause::Other(words.to_owned())))
    }
}

fn read_std_check(words: &str) -> DeathCause {
    let placed = words.rsplit_once(AT).and_then(|(violated, place)| {
        let (file, line) = place.rsplit_once(':')?;
        let place = SourcePlace { file: file.to_owned(), line: line.parse().ok()? };
        Some(DeathCause::StdCheck { violated: violated.to_owned(), place: Some(place) })
    });
    let unplaced = || DeathCause::StdCheck { violated: words.to_owned(), place: None };
    placed.unwrap_or_else(unplaced)
}

// In words, since stores hold outcomes in the wire's form: those of earlier versions held words, and
// are read as well as those of this one.
impl Wire for DeathCause {
    fn write_to(&self, out: &mut Vec<u8>) {
        self.to_string().write_to(out);
    }
    fn read_from(from: &mut Reader<'_>) -> Result<DeathCause, Corrupt> {
        let words = String::read_from(from)?;
        let Ok(cause) = words.parse();
        Ok(cause)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{from_bytes, to_bytes};

    fn all() -> Vec<DeathCause> {
        let place = SourcePlace { file: "/a b/src/lib.rs".to_owned(), line: 3 };
        let violated = "ptr::copy requires this".to_owned();
        let named = NamedSignal::ALL.iter().map(|signal| Signal::Named(*signal));
        let signals = named.chain([Signal::Number(40)]).map(DeathCause::Signal);
        let aborts = AbortReason::ALL.iter().map(|reason| DeathCause::Abort(*reason));
        let others = [
            DeathCause::Exit(3),
            DeathCause::Exit(-1),
            DeathCause::Sanitizer("heap-use-after-free".to_owned()),
            DeathCause::StdCheck { violated: violated.clone(), place: None },
            DeathCause::StdCheck { violated, place: Some(place) },
            DeathCause::PipesClosed,
            DeathCause::CannotBegin,
            DeathCause::Other("answered out of turn".to_owned()),
        ];
        signals.chain(aborts).chain(others).collect()
    }

    #[test]
    fn each_cause_is_read_from_its_words_and_from_its_bytes() {
        for cause in all() {
            assert_eq!(cause.to_string().parse(), Ok(cause.clone()));
            assert_eq!(from_bytes(&to_bytes(&cause)), Ok(cause));
        }
    }

    #[test]
    fn words_that_mean_nothing_are_kept() {
        for words in ["", "signal x", "exit code", "unsafe precondition(s) violated"] {
            assert_eq!(words.parse(), Ok(DeathCause::Other(words.to_owned())));
        }
    }

    #[test]
    fn a_plain_crash_may_be_an_abort_on_purpose_but_broken_memory_is_not() {
        let of = |words: &str| -> DeathCause {
            let Ok(cause) = words.parse();
            cause
        };
        let both = |words: &str| (of(words).is_plain_crash(), of(words).is_broken_memory());
        assert_eq!(both("SIGSEGV"), (true, true));
        assert_eq!(both("double free"), (true, true));
        assert_eq!(both("SIGABRT"), (true, false));
        assert_eq!(both("SIGILL"), (true, false));
        assert_eq!(both("null pointer dereference"), (false, true));
        assert_eq!(both("AddressSanitizer: double-free"), (false, true));
        assert_eq!(both("unsafe precondition(s) violated: ptr::copy"), (false, true));
        for neither in ["stack overflow", "exit code 1", "panic in a destructor during cleanup"] {
            assert_eq!(both(neither), (false, false));
        }
    }
}
