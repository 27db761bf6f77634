//! One place in a fleet: a process when there is one, and the means to have another.

use std::{
    fs::{self, File},
    io,
    path::{Path, PathBuf},
    process::{Child, Stdio},
    thread,
    time::{Duration, Instant},
};

use gainsay_wire::{
    CAREFUL_ENV, FrameError, JOURNAL_BYTES, JOURNAL_ENV, Manifest, Outcome, Request, Response,
    Settings, read_message, write_message,
};

use crate::{
    Cancel, Death, Judge, Program, WorkerError,
    cell::{Cell, WayToEnd},
    death::{Ending, autopsy},
    nursery::Nursery,
    pipes::{Exchange, GaveUp, Pipes},
    sys,
};

/// A process whose pipe closed is given this long to end by itself.
const LAST_BREATH: Duration = Duration::from_secs(2);

/// For programs that are built with `AddressSanitizer`; others take no notice. Leaks are not its
/// business here, more memory than there is gets the answer that it gets elsewhere, an abort stays
/// an abort, and freed memory is kept for a while, but not for ever.
const SANITIZER_OPTIONS: &str = "detect_leaks=0:symbolize=0:print_legend=0:\
    allocator_may_return_null=1:handle_abort=0:quarantine_size_mb=32:malloc_context_size=8:\
    detect_stack_use_after_return=0";

const OUT_OF_TURN: &str = "answered out of turn";

/// A place for a process.
#[derive(Debug)]
pub(crate) struct Worker {
    program: PathBuf,
    environment: Vec<(String, String)>,
    scratch: PathBuf,
    journal: PathBuf,
    nursery: Nursery,
    cell: Cell,
    process: Option<Process>,
    /// Whether processes look after their pipes, because one was robbed of them.
    careful: bool,
}

/// A running process.
#[derive(Debug)]
struct Process {
    child: Child,
    pipes: Pipes,
    /// How it is made to end.
    ending: WayToEnd,
    /// Whether the present settings were sent.
    configured: bool,
    /// Whether it was waited for: from then on its number may be another's.
    reaped: bool,
}

/// What a request led to.
#[derive(Debug)]
pub(crate) enum Reply {
    Response(Response),
    Died(Death),
    /// It ended because of what it did before; as a death, if it must be one.
    WornOut(Death),
    Cancelled,
}

impl Reply {
    /// A second process that is worn out from the beginning is a death like any other.
    fn or_death(self) -> Reply {
        match self {
            Reply::WornOut(death) => Reply::Died(death),
            other => other,
        }
    }
}

/// What each exchange needs to know.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Terms<'a> {
    pub(crate) settings: &'a Settings,
    pub(crate) manifest: Option<&'a Manifest>,
    pub(crate) patience: Duration,
    pub(crate) cancel: &'a Cancel,
}

impl Worker {
    /// A place with a directory of its own.
    pub(crate) fn new(
        program: &Program,
        (path, scratch): (&Path, &Path),
        nursery: &Nursery,
        cell: &Cell,
    ) -> Worker {
        Worker {
            program: path.to_owned(),
            environment: program.environment.clone(),
            scratch: scratch.to_owned(),
            journal: scratch.with_extension("journal"),
            nursery: nursery.clone(),
            cell: cell.clone(),
            process: None,
            careful: false,
        }
    }

    /// Sends one request to a ready process and waits for its response.
    pub(crate) fn ask(&mut self, request: &Request, terms: Terms) -> Result<Reply, WorkerError> {
        if terms.cancel.is_cancelled() {
            return Ok(Reply::Cancelled);
        }
        match self.get_ready(terms) {
            Err(WorkerError::Cancelled) => return Ok(Reply::Cancelled),
            ready => ready?,
        }
        match self.exchange(Some(request), terms) {
            // It had done with another task, and nothing of this one: the next process gets it.
            Reply::WornOut(_) => match self.get_ready(terms) {
                Err(WorkerError::Cancelled) => Ok(Reply::Cancelled),
                ready => {
                    ready?;
                    Ok(self.exchange(Some(request), terms).or_death())
                }
            },
            reply => Ok(reply),
        }
    }

    /// Has a process with the settings; starts one if there is none.
    pub(crate) fn get_ready(&mut self, terms: Terms) -> Result<(), WorkerError> {
        let is_new = self.process.is_none();
        if is_new {
            let offered = self.start(terms)?;
            if terms.manifest.is_some_and(|known| *known != offered) {
                return Err(WorkerError::Changed { path: self.program.clone() });
            }
        }
        if self.process.as_ref().is_some_and(|process| process.configured) {
            return Ok(());
        }
        match self.exchange(Some(&Request::Configure(terms.settings.clone())), terms) {
            Reply::Response(Response::Configured) => {}
            // What its calls did to its memory shows only now.
            Reply::WornOut(_) | Reply::Died(_) if !is_new => return self.get_ready(terms),
            other => return Err(self.not_ready(other)),
        }
        if let Some(process) = &mut self.process {
            process.configured = true;
        }
        Ok(())
    }

    /// Starts a process and returns what it offers. It is not configured yet.
    pub(crate) fn start(&mut self, terms: Terms) -> Result<Manifest, WorkerError> {
        self.retire();
        self.clean()
            .map_err(|source| WorkerError::Scratch { path: self.scratch.clone(), source })?;
        self.process = Some(
            self.spawn()
                .map_err(|source| WorkerError::Spawn { path: self.program.clone(), source })?,
        );
        match self.exchange(None, terms) {
            Reply::Response(Response::Hello(manifest)) => Ok(manifest),
            other => Err(self.not_ready(other)),
        }
    }

    /// New settings must be sent before the next task.
    pub(crate) fn settings_changed(&mut self) {
        if let Some(process) = &mut self.process {
            process.configured = false;
        }
    }

    /// Ends the process, if there is one; the next task begins in a new one.
    pub(crate) fn retire(&mut self) {
        self.process = None;
    }

    fn clean(&self) -> io::Result<()> {
        match fs::remove_dir_all(&self.scratch) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        fs::create_dir_all(&self.scratch)?;
        File::create(&self.journal)?.set_len(JOURNAL_BYTES as u64)
    }

    fn spawn(&self) -> io::Result<Process> {
        let mut command = self.cell.command(&self.program, &self.scratch, &self.journal);
        command
            .envs(self.environment.iter().map(|(name, value)| (name, value)))
            .env("HOME", &self.scratch)
            .env("TMPDIR", &self.scratch)
            .env("RUST_BACKTRACE", "0")
            .env("ASAN_OPTIONS", SANITIZER_OPTIONS)
            .env(JOURNAL_ENV, &self.journal)
            .current_dir(&self.scratch)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        if self.careful {
            command.env(CAREFUL_ENV, "1");
        }
        let mut child = self.nursery.start(command)?;
        let pipes = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let (Some(stdin), Some(stdout), Some(stderr)) = pipes else {
            return Err(io::Error::other("the process has no pipes"));
        };
        Ok(Process {
            child,
            pipes: Pipes::new(stdin, stdout, stderr),
            ending: self.cell.way_to_end(),
            configured: false,
            reaped: false,
        })
    }

    fn exchange(&mut self, request: Option<&Request>, terms: Terms) -> Reply {
        let Some(process) = &mut self.process else { return Reply::Cancelled };
        process.pipes.clear_tail();
        let deadline = Instant::now() + terms.patience;
        let pipes = &mut process.pipes;
        let child = process.child.id();
        let mut exchange = Exchange { pipes, child, cancel: terms.cancel, deadline, gave_up: None };
        let response = converse(&mut exchange, request);
        let gave_up = exchange.gave_up;
        match (response, gave_up) {
            (Ok(response), _) => Reply::Response(response),
            (Err(_), Some(GaveUp::Cancelled)) => {
                self.retire();
                Reply::Cancelled
            }
            (Err(_), Some(GaveUp::Overdue)) => self.bury(Some(Ending::Overdue)),
            (Err(FrameError::Io(_) | FrameError::Closed), None) => self.bury(None),
            (Err(damage), None) => self.bury(Some(Ending::Broken(damage.to_string()))),
        }
    }

    /// Ends what is left of the process and finds out how it died.
    fn bury(&mut self, known: Option<Ending>) -> Reply {
        let Some(mut process) = self.process.take() else { return Reply::Cancelled };
        let ending = known.unwrap_or_else(|| process.ending());
        let stderr = process.pipes.tail();
        // It must not write into its journal any more.
        drop(process);
        let mut death = autopsy(&ending, &self.journal, stderr);
        if ending.is_robbed() && !self.careful {
            // Only the next one will tell which step it was.
            death.judge = Judge::Driver;
            self.careful = true;
        }
        if ending.is_worn_out() { Reply::WornOut(death) } else { Reply::Died(death) }
    }

    /// It answered, but not what was asked: that is as good as dead.
    pub(crate) fn out_of_turn(&mut self) -> Death {
        self.retire();
        autopsy(&Ending::Broken(OUT_OF_TURN.to_owned()), &self.journal, String::new())
    }

    fn not_ready(&mut self, reply: Reply) -> WorkerError {
        self.retire();
        let (how, stderr) = match reply {
            Reply::Cancelled => return WorkerError::Cancelled,
            Reply::Response(_) => (OUT_OF_TURN.to_owned(), String::new()),
            Reply::Died(death) | Reply::WornOut(death) => (in_words(&death.outcome), death.stderr),
        };
        WorkerError::NotReady { path: self.program.clone(), how, stderr }
    }
}

fn in_words(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Aborted(cause) => cause.to_string(),
        Outcome::TimedOut => "did not answer in time".to_owned(),
        Outcome::OutOfMemory => "asked for too much memory".to_owned(),
        other => format!("{other:?}"),
    }
}

fn converse(
    exchange: &mut Exchange<'_>,
    request: Option<&Request>,
) -> Result<Response, FrameError> {
    if let Some(request) = request {
        write_message(exchange, request).map_err(FrameError::Io)?;
    }
    read_message(exchange)
}

impl Process {
    /// The launcher ends its worker and then itself; only so is the worker's time accounted for.
    fn ask_to_end(&self) {
        sys::ask_to_end(self.child.id());
        let patience = Instant::now() + LAST_BREATH;
        while !sys::has_ended(self.child.id()) && Instant::now() < patience {
            thread::sleep(Duration::from_micros(200));
        }
    }

    /// The pipe is closed: waits for the process to end, kills it when it does not.
    fn ending(&mut self) -> Ending {
        let patience = Instant::now() + LAST_BREATH;
        while !sys::has_ended(self.child.id()) {
            if Instant::now() >= patience {
                return Ending::Deaf;
            }
            thread::sleep(Duration::from_millis(1));
        }
        sys::kill_group(self.child.id());
        self.reaped = true;
        match self.child.wait() {
            Ok(status) => Ending::Exited(status),
            Err(error) => Ending::Broken(format!("lost: {error}")),
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        if !self.reaped {
            if self.ending == WayToEnd::Ask {
                self.ask_to_end();
            }
            sys::kill_group(self.child.id());
            self.child.wait().ok();
        }
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        self.retire();
        fs::remove_dir_all(&self.scratch).ok();
        fs::remove_file(&self.journal).ok();
    }
}
