//! The three pipes of a worker, read and written with a deadline.
//!
//! Standard error is drained whenever anything else is waited for, so that a chatty subject
//! never blocks; only its end is kept.

use std::{
    io::{self, Read, Write},
    os::fd::AsRawFd,
    process::{ChildStderr, ChildStdin, ChildStdout},
    time::{Duration, Instant},
};

use crate::{
    Cancel,
    sys::{Wish, has_ended, wait_for},
};

/// How often a waiting driver looks at its cancel flag.
const TICK: Duration = Duration::from_millis(50);
/// A pipe that has room takes this much without blocking (`PIPE_BUF`).
const CHUNK: usize = 4096;
/// So much of standard error is read at a time.
const DRAIN: usize = 16 << 10;
/// How much of standard error is kept.
const TAIL_BYTES: usize = 8 << 10;

#[derive(Debug)]
pub(crate) struct Pipes {
    pub(crate) stdin: ChildStdin,
    pub(crate) stdout: ChildStdout,
    pub(crate) stderr: ChildStderr,
    tail: Vec<u8>,
    stderr_open: bool,
}

/// Pipes in use for one exchange.
pub(crate) struct Exchange<'a> {
    pub(crate) pipes: &'a mut Pipes,
    /// The process at the other end.
    pub(crate) child: u32,
    pub(crate) cancel: &'a Cancel,
    pub(crate) deadline: Instant,
    /// Why waiting was given up, if it was.
    pub(crate) gave_up: Option<GaveUp>,
}

/// Why the driver stopped waiting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum GaveUp {
    /// The deadline is over.
    Overdue,
    /// Somebody cancelled.
    Cancelled,
}

impl Pipes {
    pub(crate) fn new(stdin: ChildStdin, stdout: ChildStdout, stderr: ChildStderr) -> Pipes {
        Pipes { stdin, stdout, stderr, tail: Vec::new(), stderr_open: true }
    }

    /// The end of what was written to standard error so far.
    pub(crate) fn tail(&mut self) -> String {
        let fd = self.stderr.as_raw_fd();
        while self.stderr_open
            && wait_for([(fd, Wish::Read)], Duration::ZERO).is_ok_and(|ready| ready[0])
        {
            self.drain_stderr();
        }
        String::from_utf8_lossy(&self.tail).into_owned()
    }

    /// Forgets what was written to standard error: it belongs to an earlier task.
    pub(crate) fn clear_tail(&mut self) {
        self.tail.clear();
    }

    fn drain_stderr(&mut self) {
        let mut chunk = [0; DRAIN];
        match self.stderr.read(&mut chunk) {
            Ok(0) | Err(_) => self.stderr_open = false,
            Ok(count) => {
                self.tail.extend_from_slice(&chunk[..count]);
                let excess = self.tail.len().saturating_sub(TAIL_BYTES);
                self.tail.drain(..excess);
            }
        }
    }
}

impl Exchange<'_> {
    fn wait(&mut self, wish: Wish) -> io::Result<()> {
        loop {
            if self.cancel.is_cancelled() {
                return Err(self.give_up(GaveUp::Cancelled));
            }
            let left = self.deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(self.give_up(GaveUp::Overdue));
            }
            let fd = match wish {
                Wish::Read => self.pipes.stdout.as_raw_fd(),
                Wish::Write => self.pipes.stdin.as_raw_fd(),
            };
            // A negative descriptor is ignored by the system.
            let stderr = if self.pipes.stderr_open { self.pipes.stderr.as_raw_fd() } else { -1 };
            let patience = left.min(TICK).max(Duration::from_millis(1));
            let [ready, chatter] = wait_for([(fd, wish), (stderr, Wish::Read)], patience)?;
            if chatter {
                self.pipes.drain_stderr();
            }
            if ready {
                return Ok(());
            }
            // A process may be gone while its own children still hold its pipes open.
            if !chatter && has_ended(self.child) {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
        }
    }

    fn give_up(&mut self, why: GaveUp) -> io::Error {
        self.gave_up = Some(why);
        io::Error::other("stopped waiting")
    }
}

impl Read for Exchange<'_> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        self.wait(Wish::Read)?;
        self.pipes.stdout.read(buf)
    }
}

impl Write for Exchange<'_> {
    fn write(&mut self, buf: &[u8]) -> io::Result<usize> {
        self.wait(Wish::Write)?;
        self.pipes.stdin.write(&buf[..buf.len().min(CHUNK)])
    }

    fn flush(&mut self) -> io::Result<()> {
        self.pipes.stdin.flush()
    }
}
