//! The layout of the crash journal: a file that worker and driver both map. The worker writes each
//! step before it is made; after a death the driver reads what led there.
//!
//! The header is six little-endian `u32` after the magic number, the steps follow in wire form.
//! A journal is written without locks, so reading trusts nothing in it.
// A mapped file and not a pipe: what was written before a crash is there, without a system call for
// each step.

use crate::{Corrupt, Reader, Step, TypeId, Wire};

/// The environment variable that tells a worker the path of its journal.
pub const JOURNAL_ENV: &str = "GAINSAY_JOURNAL";
/// The size of the file.
// Mapped once for each worker. Where it is too small, `truncated` says that steps are missing.
pub const JOURNAL_BYTES: usize = 4 << 20;
/// The first bytes of the file, once a worker has begun.
pub const JOURNAL_MAGIC: [u8; 8] = *b"gsjrnl01";
/// Offset of the status word.
pub const STATUS_AT: usize = 8;
/// Offset of the phase word.
pub const PHASE_AT: usize = 12;
/// Offset of the number of steps.
pub const STEPS_AT: usize = 16;
/// Offset of the number of bytes that the steps take.
pub const LEN_AT: usize = 20;
/// Offset of the word that is not zero when steps did not fit any more.
pub const FULL_AT: usize = 24;
/// Offset of the word that names the view being taken: type and query.
pub const VIEW_AT: usize = 28;
/// The offset at which the steps begin.
pub const BODY_AT: usize = 32;
// 124 is what `timeout` ends with, and the others stand beside it: above what programs use for their
// own ends, below what shells use for signals.
/// The exit code of a worker whose step did not end in time.
pub const EXIT_TIMED_OUT: i32 = 124;
/// The exit code of a worker that asked for too much memory.
pub const EXIT_OUT_OF_MEMORY: i32 = 125;
/// The exit code of a worker that cannot begin, because its journal or its pipes are not usable.
pub const EXIT_CANNOT_BEGIN: i32 = 126;
/// Set for a worker whose predecessor was robbed of its pipes: it looks after them at every step,
/// so that the right step is blamed.
pub const CAREFUL_ENV: &str = "GAINSAY_CAREFUL";
/// Exit code of a worker that was robbed of its pipes to the driver.
pub const EXIT_PIPES_LOST: i32 = 122;
/// Exit code of a worker that had done its task, but should do no other: something of the subject
/// still runs, or takes up so much room that it cannot begin.
pub const EXIT_WORN_OUT: i32 = 123;

/// The worker's activity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JournalPhase {
    /// Nothing of the subject.
    Idle,
    /// Making the last step of the journal.
    Step,
    /// Looking at objects, before or after the last step.
    View,
}

/// Why the worker ended itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JournalStatus {
    /// It did not.
    None,
    /// A step or a view took too long.
    TimedOut,
    /// Too much memory was asked for.
    OutOfMemory,
}

/// The content of a journal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JournalState {
    /// The worker's activity.
    pub phase: JournalPhase,
    /// Why it ended itself.
    pub status: JournalStatus,
    /// The view that was taken last: the type, and the query by its place in the manifest.
    pub view: Option<(TypeId, usize)>,
    /// The steps since the epoch or run began; the last one may not have ended.
    pub steps: Vec<Step>,
    /// True if later steps are missing because the journal was full.
    pub truncated: bool,
}

impl JournalPhase {
    /// As it is written.
    pub fn code(self) -> u32 {
        match self {
            JournalPhase::Idle => 0,
            JournalPhase::Step => 1,
            JournalPhase::View => 2,
        }
    }
}

impl JournalStatus {
    /// As it is written.
    pub fn code(self) -> u32 {
        match self {
            JournalStatus::None => 0,
            JournalStatus::TimedOut => 1,
            JournalStatus::OutOfMemory => 2,
        }
    }
}

/// The number that stands for a view in a journal; zero is none.
pub fn view_word(ty: TypeId, query: usize) -> u32 {
    match (u16::try_from(ty.0), u16::try_from(query + 1)) {
        // Both in one word, so that they are written at once: a signal can come between two writes.
        (Ok(ty), Ok(query)) => u32::from(ty) << 16 | u32::from(query),
        _ => 0,
    }
}

fn view_of(word: u32) -> Option<(TypeId, usize)> {
    let query = (word & u32::from(u16::MAX)).checked_sub(1)?;
    Some((TypeId(word >> 16), query as usize))
}

/// Reads a journal; `None` when no worker began it.
pub fn read_journal(bytes: &[u8]) -> Option<JournalState> {
    if bytes.get(..JOURNAL_MAGIC.len())? != JOURNAL_MAGIC {
        return None;
    }
    let phase = match read_word(bytes, PHASE_AT)? {
        1 => JournalPhase::Step,
        2 => JournalPhase::View,
        _ => JournalPhase::Idle,
    };
    let status = match read_word(bytes, STATUS_AT)? {
        1 => JournalStatus::TimedOut,
        2 => JournalStatus::OutOfMemory,
        _ => JournalStatus::None,
    };
    let body = bytes.get(BODY_AT..)?;
    // A subject that writes wild can hit the mapping: a length beyond the file is cut, not believed.
    let body = body.get(..read_word(bytes, LEN_AT)? as usize).unwrap_or(body);
    let steps = read_steps(body, read_word(bytes, STEPS_AT)?);
    let truncated =
        read_word(bytes, FULL_AT)? != 0 || steps.len() < read_word(bytes, STEPS_AT)? as usize;
    let view = view_of(read_word(bytes, VIEW_AT)?);
    Some(JournalState { phase, status, view, steps, truncated })
}

fn read_word(bytes: &[u8], at: usize) -> Option<u32> {
    bytes.get(at..at + 4)?.try_into().ok().map(u32::from_le_bytes)
}

fn read_steps(body: &[u8], count: u32) -> Vec<Step> {
    let mut reader = Reader::new(body);
    let next = |_| -> Result<Step, Corrupt> { Step::read_from(&mut reader) };
    // The steps before a damaged one are still worth having.
    (0..count).map(next).map_while(Result::ok).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Arg, OpId, Value, to_bytes};

    fn journal(steps: &[Step], claimed: u32) -> Vec<u8> {
        let mut bytes = JOURNAL_MAGIC.to_vec();
        let body: Vec<u8> = steps.iter().flat_map(to_bytes).collect();
        let len = u32::try_from(body.len()).unwrap();
        for word in [2, 1, claimed, len, 0, 0] {
            bytes.extend_from_slice(&u32::to_le_bytes(word));
        }
        assert_eq!(bytes.len(), BODY_AT);
        bytes.extend_from_slice(&body);
        bytes
    }

    fn step(op: u32) -> Step {
        Step::new(OpId(op), vec![Arg::Plain(Value::Int(1))])
    }

    #[test]
    fn what_a_worker_wrote_is_read_back() {
        let state = read_journal(&journal(&[step(4), step(7)], 2)).unwrap();
        assert_eq!(state.phase, JournalPhase::Step);
        assert_eq!(state.status, JournalStatus::OutOfMemory);
        assert_eq!(state.steps, [step(4), step(7)]);
        assert!(!state.truncated);
    }

    #[test]
    fn a_torn_journal_gives_the_steps_before_the_tear() {
        let mut bytes = journal(&[step(4), step(7)], 2);
        bytes.truncate(bytes.len() - 3);
        let state = read_journal(&bytes).unwrap();
        assert_eq!(state.steps, [step(4)]);
        assert!(state.truncated);
    }

    #[test]
    fn a_file_that_no_worker_began_is_no_journal() {
        assert_eq!(read_journal(&[0; 64]), None);
        assert_eq!(read_journal(&[]), None);
    }
}
