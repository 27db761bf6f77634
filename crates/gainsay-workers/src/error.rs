//! What can fail about workers as such. A worker that dies of a task is not among it.

use std::{io, path::PathBuf};

/// A failure to have workers at all.
#[derive(Debug, thiserror::Error)]
pub enum WorkerError {
    /// The scratch directory cannot be made.
    #[error("cannot prepare the scratch directory {path}: {source}")]
    Scratch {
        /// Which.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The program cannot be started.
    #[error("cannot start the worker program {path}: {source}")]
    Spawn {
        /// Which.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The program started but never said what it offers, or refused its settings.
    #[error("the worker program {path} did not get ready: {how}{}", tail(.stderr))]
    NotReady {
        /// Which.
        path: PathBuf,
        /// What happened instead.
        how: String,
        /// The end of what it wrote to standard error.
        stderr: String,
    },
    /// A restarted worker offers something else than the first one did.
    #[error("the worker program {path} changed while it was in use")]
    Changed {
        /// Which.
        path: PathBuf,
    },
    /// Nothing can keep workers from reading and writing the user's files.
    #[error("this system has neither mount namespaces nor Landlock: workers cannot be confined")]
    NoSandbox,
    /// The launcher did not say what is in force.
    #[error("the launcher {path} cannot confine workers: {how}")]
    Launcher {
        /// Which.
        path: PathBuf,
        /// What happened instead.
        how: String,
    },
    /// The run was cancelled while workers were being started.
    #[error("cancelled while starting workers")]
    Cancelled,
}

fn tail(stderr: &str) -> String {
    let stderr = stderr.trim();
    if stderr.is_empty() { String::new() } else { format!("\n{stderr}") }
}
