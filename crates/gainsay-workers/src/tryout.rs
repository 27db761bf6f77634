//! Runs programs that are no workers, one at a time, to their end: emitted tests that are to be
//! tried. They are strangers' code like any worker, so they are confined like one.

use std::{
    fs::{self, File},
    io::{self, Read as _, Seek as _, SeekFrom},
    os::unix::process::ExitStatusExt as _,
    path::{Path, PathBuf},
    process::{Child, Command, ExitStatus, Stdio},
    thread,
    time::{Duration, Instant},
};

use crate::{
    Cancel, Confinement, WorkerError,
    cell::{Cell, WayToEnd},
    sys,
};

/// How often it is looked whether a program has ended.
const TICK: Duration = Duration::from_millis(2);
/// So much is kept of the beginning and of the end of what a program says.
const KEPT_BYTES: u64 = 32 << 10;
/// A program that is asked to end is given this long.
const LAST_BREATH: Duration = Duration::from_secs(2);

/// Where programs are tried.
#[derive(Clone, Debug)]
pub struct Tryout {
    /// A directory for them alone; made when missing.
    pub scratch: PathBuf,
    /// What keeps them from harm.
    pub confinement: Confinement,
    /// A program may take this long.
    pub patience: Duration,
    /// A program may have so much address space; some kinds of programs need more than any
    /// machine has.
    pub address_space: Option<u64>,
}

/// How a program ended, and what it said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tried {
    /// How.
    pub end: End,
    /// Standard output and standard error as they came; the middle of very much is left out.
    pub said: String,
}

/// How a program ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// By itself, with this code.
    Exited(i32),
    /// Killed by this signal.
    Killed(i32),
    /// It took too long.
    Overdue,
    /// Nobody wants to know any more.
    Cancelled,
}

impl Tryout {
    /// Runs a program without arguments, with these variables in its environment and no others
    /// but those that say where it may write.
    pub fn run(
        &self,
        program: &Path,
        variables: &[(&str, &str)],
        cancel: &Cancel,
    ) -> Result<Tried, WorkerError> {
        let scratch_error = |source| WorkerError::Scratch { path: self.scratch.clone(), source };
        let spawn_error = |source| WorkerError::Spawn { path: program.to_owned(), source };
        let place = Place::make(&self.scratch).map_err(scratch_error)?;
        let program = program.canonicalize().map_err(spawn_error)?;
        let cell = Cell::build(&self.confinement, &place.root, &program)?;
        let mut command = cell.command(&program, &place.dir, &place.journal);
        command.env("HOME", &place.dir).env("TMPDIR", &place.dir).current_dir(&place.dir);
        command.envs(variables.iter().copied());
        if let Some(bytes) = self.address_space {
            sys::limit_address_space(&mut command, bytes);
        }
        let mut said = place.said(&mut command).map_err(scratch_error)?;
        let child = command.spawn().map_err(spawn_error)?;
        let end = self.wait(child, cell.way_to_end(), cancel);
        Ok(Tried { end, said: both_ends(&mut said).map_err(scratch_error)? })
    }

    fn wait(&self, mut child: Child, way: WayToEnd, cancel: &Cancel) -> End {
        let deadline = Instant::now() + self.patience;
        let end = loop {
            if sys::has_ended(child.id()) {
                break None;
            }
            if cancel.is_cancelled() {
                break Some(End::Cancelled);
            }
            if Instant::now() >= deadline {
                break Some(End::Overdue);
            }
            thread::sleep(TICK);
        };
        if end.is_some() && way == WayToEnd::Ask {
            sys::ask_to_end(child.id());
            let patience = Instant::now() + LAST_BREATH;
            while !sys::has_ended(child.id()) && Instant::now() < patience {
                thread::sleep(TICK);
            }
        }
        sys::kill_group(child.id());
        let status = child.wait();
        end.unwrap_or_else(|| status.map_or(End::Overdue, End::of))
    }
}

impl End {
    /// Whether it died as processes die of broken memory, or of their own will.
    pub fn is_crash(self) -> bool {
        const CRASHES: [i32; 6] =
            [libc::SIGSEGV, libc::SIGABRT, libc::SIGBUS, libc::SIGILL, libc::SIGTRAP, libc::SIGFPE];
        matches!(self, End::Killed(signal) if CRASHES.contains(&signal))
    }

    fn of(status: ExitStatus) -> End {
        match (status.code(), status.signal()) {
            (Some(code), _) => End::Exited(code),
            (None, Some(signal)) => End::Killed(signal),
            (None, None) => End::Killed(0),
        }
    }
}

/// The files of one try; gone with it.
struct Place {
    root: PathBuf,
    dir: PathBuf,
    journal: PathBuf,
    words: PathBuf,
}

impl Place {
    fn make(scratch: &Path) -> io::Result<Place> {
        fs::create_dir_all(scratch)?;
        let root = scratch.canonicalize()?;
        let place = Place {
            dir: root.join("tryout"),
            journal: root.join("tryout.journal"),
            words: root.join("tryout.said"),
            root,
        };
        place.clear();
        fs::create_dir_all(&place.dir)?;
        // The sandbox shows one file beside the directory; a worker would keep its journal there.
        File::create(&place.journal)?;
        Ok(place)
    }

    /// Has both streams written to one file, as a terminal would show them.
    fn said(&self, command: &mut Command) -> io::Result<File> {
        let file = File::create_new(&self.words)?;
        command.stdin(Stdio::null()).stdout(file.try_clone()?).stderr(file);
        File::open(&self.words)
    }

    fn clear(&self) {
        fs::remove_dir_all(&self.dir).ok();
        fs::remove_file(&self.journal).ok();
        fs::remove_file(&self.words).ok();
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.clear();
    }
}

fn both_ends(file: &mut File) -> io::Result<String> {
    let size = file.seek(SeekFrom::End(0))?;
    let mut bytes = Vec::new();
    file.seek(SeekFrom::Start(0))?;
    if size <= 2 * KEPT_BYTES {
        file.read_to_end(&mut bytes)?;
    } else {
        file.by_ref().take(KEPT_BYTES).read_to_end(&mut bytes)?;
        bytes.extend(b"\n[..]\n");
        file.seek(SeekFrom::Start(size - KEPT_BYTES))?;
        file.read_to_end(&mut bytes)?;
    }
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
