//! Workers run strangers' code with random arguments; this keeps them from doing harm.
//!
//! The driver does not start a worker itself but a launcher, which is a program of ours (the same
//! executable again, as a rule): it leaves the user's namespaces, builds a file system with next
//! to nothing in it, puts Landlock rules on top, and only then becomes the worker. Nothing of the
//! subject runs before that.

use std::{collections::BTreeSet, fmt, path::PathBuf};

pub(crate) mod kernel;
mod landlock;
mod launch;
mod namespaces;
mod orders;
mod root;

pub use launch::launch_if_asked;
pub(crate) use orders::{LAUNCH_ENV, Orders, Purpose};

/// Whether workers are confined.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Confinement {
    /// They run as the user does, apart from a few limits.
    Off,
    /// They are confined by a launcher: a program that calls [`launch_if_asked`] before anything
    /// else.
    Sandbox {
        /// The program.
        launcher: PathBuf,
        /// What they may reach.
        network: Network,
        /// What they see of processes.
        sight: Sight,
    },
}

/// What of the network a worker can reach.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Network {
    /// Nothing.
    Nothing,
    /// Itself, through a loopback device of its own.
    Loopback,
}

/// What a worker sees of processes, through `/proc`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sight {
    /// Nothing.
    Nothing,
    /// Itself: the run time of a sanitizer looks up how its own memory is laid out.
    Itself,
}

/// A part of the sandbox; kernels and containers may lack some.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Part {
    /// A user namespace: no rights over anything outside, and a limit on processes.
    User,
    /// A mount namespace with a file system that has only what a program needs.
    Mount,
    /// A network namespace without a way out.
    Network,
    /// A process namespace: others cannot be seen, and nothing is left running.
    Process,
    /// A namespace for shared memory, semaphores and message queues.
    Ipc,
    /// A namespace for the machine's name.
    Host,
    /// Landlock rules for reading, writing, and signals.
    Landlock,
}

impl Part {
    /// All there are.
    pub const ALL: [Part; 7] = [
        Part::User,
        Part::Mount,
        Part::Network,
        Part::Process,
        Part::Ipc,
        Part::Host,
        Part::Landlock,
    ];

    /// Its name for programs.
    pub fn name(self) -> &'static str {
        match self {
            Part::User => "user",
            Part::Mount => "mount",
            Part::Network => "network",
            Part::Process => "process",
            Part::Ipc => "ipc",
            Part::Host => "host",
            Part::Landlock => "landlock",
        }
    }

    /// What it means that it is missing, for people.
    pub fn absence(self) -> &'static str {
        match self {
            Part::User => "no user namespace: the number of processes is not limited",
            Part::Mount => "no mount namespace: the disk is only protected by Landlock rules",
            Part::Network => "no network namespace: the subject can reach the network",
            Part::Process => {
                "no process namespace: processes that the subject starts may be left running"
            }
            Part::Ipc => "no IPC namespace: the subject can reach shared memory of others",
            Part::Host => "no UTS namespace: the subject can see the machine's name",
            Part::Landlock => "no Landlock: files are only protected by the mount namespace",
        }
    }

    fn named(name: &str) -> Option<Part> {
        Part::ALL.into_iter().find(|part| part.name() == name)
    }
}

/// What is in force.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Protection {
    /// The parts.
    pub parts: BTreeSet<Part>,
}

impl Protection {
    /// What is not in force.
    pub fn missing(&self) -> impl Iterator<Item = Part> + '_ {
        Part::ALL.into_iter().filter(|part| !self.parts.contains(part))
    }

    /// Whether files are out of reach, one way or the other.
    pub fn guards_files(&self) -> bool {
        self.parts.contains(&Part::Mount) || self.parts.contains(&Part::Landlock)
    }

    /// Reads what [`fmt::Display`] writes; words it does not know mean nothing.
    pub(crate) fn parse(text: &str) -> Protection {
        Protection { parts: text.split(',').filter_map(Part::named).collect() }
    }
}

impl fmt::Display for Protection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = self.parts.iter().map(|part| part.name()).collect();
        f.write_str(&names.join(","))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn protection_is_read_as_it_is_written() {
        let some = Protection { parts: [Part::Mount, Part::Landlock].into() };
        assert_eq!(some.to_string(), "mount,landlock");
        assert_eq!(Protection::parse("mount,landlock"), some);
        assert_eq!(Protection::parse(""), Protection::default());
        assert_eq!(some.missing().count(), Part::ALL.len() - 2);
    }

    #[test]
    fn files_are_guarded_by_mounts_or_by_rules() {
        let guards = |text| Protection::parse(text).guards_files();
        assert!(guards("mount"));
        assert!(guards("landlock"));
        assert!(!guards("user,network,process"));
    }
}
