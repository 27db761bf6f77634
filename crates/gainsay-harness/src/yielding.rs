//! Builds that go on while others have more need of the processors: they run with less priority,
//! and end when nobody wants them any more.

use std::{
    ffi::OsStr,
    io,
    os::unix::process::CommandExt as _,
    process::{Command, Output, Stdio},
    sync::{Arc, Mutex, PoisonError},
};

/// A quarter of the processors' time where somebody else wants all of it.
const NICENESS: &str = "5";

/// Stands for a build in the background; clones stand for the same one.
#[derive(Clone, Debug, Default)]
pub struct Background {
    state: Arc<Mutex<State>>,
    manners: Manners,
}

/// Whether a build stands back behind others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Manners {
    /// Others come first.
    #[default]
    Polite,
    /// Somebody waits for it.
    Pressing,
}

#[derive(Debug, Default)]
struct State {
    /// The process group of what runs.
    group: Option<u32>,
    stopped: bool,
}

impl Background {
    /// Ends what runs, and whatever would begin after it.
    pub fn stop(&self) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.stopped = true;
        if let Some(group) = state.group {
            let group = format!("-{group}");
            Command::new("kill").args(["-s", "KILL", "--", &group]).output().ok();
        }
    }

    /// A build of these manners.
    pub fn new(manners: Manners) -> Background {
        Background { manners, ..Background::default() }
    }

    /// A command for `program` with less priority, where there is a way to say that.
    pub(crate) fn command(&self, program: &OsStr) -> Command {
        if self.manners == Manners::Pressing {
            return Command::new(program);
        }
        let probe = Command::new("nice").arg("true").output();
        if !probe.is_ok_and(|output| output.status.success()) {
            return Command::new(program);
        }
        let mut command = Command::new("nice");
        command.args(["-n", NICENESS]).arg(program);
        command
    }

    /// Runs a command to its end, unless it is stopped before.
    pub(crate) fn output(&self, command: &mut Command) -> io::Result<Output> {
        let lock = || self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let child = {
            let mut state = lock();
            if state.stopped {
                return Err(io::Error::from(io::ErrorKind::Interrupted));
            }
            command.process_group(0).stdin(Stdio::null());
            let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
            state.group = Some(child.id());
            child
        };
        let output = child.wait_with_output();
        lock().group = None;
        output
    }
}

#[cfg(test)]
mod tests {
    use std::{thread, time::Duration};

    use super::*;

    #[test]
    fn what_is_stopped_ends_with_all_that_it_started() {
        let background = Background::default();
        let mut command = background.command(OsStr::new("sh"));
        // The pipe stays open as long as anything of it lives.
        command.args(["-c", "sleep 600 & sleep 600"]);
        let stopper = background.clone();
        let stopping = thread::spawn(move || {
            while stopper.state.lock().unwrap().group.is_none() {
                thread::sleep(Duration::from_millis(1));
            }
            stopper.stop();
        });
        let output = background.output(&mut command).unwrap();
        stopping.join().unwrap();
        assert!(!output.status.success());
        assert!(background.output(&mut Command::new("true")).is_err(), "it is over");
    }
}
