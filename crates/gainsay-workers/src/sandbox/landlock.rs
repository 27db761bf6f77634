//! Landlock rules on top of the namespaces: where both are there, each is the other's net.

use std::{io, path::Path};

use super::{
    Network, Sight,
    kernel::{self, Handled},
    orders::Orders,
    root::{DEVICES, PROCESSES, READABLE},
};

const EXECUTE: u64 = 1;
const WRITE_FILE: u64 = 1 << 1;
const READ_FILE: u64 = 1 << 2;
const READ_DIR: u64 = 1 << 3;
const TRUNCATE: u64 = 1 << 14;
const IOCTL_DEV: u64 = 1 << 15;

/// Rights that files have; the others are those of directories.
const OF_FILES: u64 = EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE | IOCTL_DEV;

const BIND_AND_CONNECT: u64 = 0b11;
const SOCKETS_AND_SIGNALS: u64 = 0b11;

/// Holds for this process from now on: reading and writing as a worker needs it, no connections
/// unless they were asked for, no signals to anybody else.
pub(crate) fn restrict(orders: &Orders) -> io::Result<()> {
    let version = kernel::landlock_version()?;
    let files = rights(version);
    let network = if orders.network == Network::Nothing { BIND_AND_CONNECT } else { 0 };
    let handled = Handled { files, network, scopes: SOCKETS_AND_SIGNALS };
    let rules = kernel::landlock_rules(handled, size(version))?;
    let allow = |path: &Path, access: u64| {
        let access = access & files & if path.is_dir() { !0 } else { OF_FILES };
        // What is not there needs no rule.
        if path.exists() { kernel::landlock_allow(rules, path, access) } else { Ok(()) }
    };
    for path in READABLE {
        allow(Path::new(path), EXECUTE | READ_FILE | READ_DIR)?;
    }
    for path in DEVICES {
        allow(Path::new(path), READ_FILE | WRITE_FILE | IOCTL_DEV)?;
    }
    if orders.sight == Sight::Itself {
        allow(&Path::new(PROCESSES).join("self"), READ_FILE | READ_DIR)?;
    }
    allow(&orders.program, EXECUTE | READ_FILE)?;
    allow(&orders.scratch, files & !EXECUTE)?;
    allow(&orders.journal, READ_FILE | WRITE_FILE | TRUNCATE)?;
    kernel::landlock_begin(rules)
}

/// All rights over files that a version knows.
fn rights(version: i32) -> u64 {
    let known = match version {
        ..=1 => 13,
        2 => 14,
        3 | 4 => 15,
        _ => 16,
    };
    (1 << known) - 1
}

/// How much of the structure a version knows: files, then the network, then scopes.
fn size(version: i32) -> usize {
    match version {
        ..=3 => 8,
        4 | 5 => 16,
        _ => 24,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_is_asked_for_nothing_that_it_does_not_know() {
        let check = |version, files, bytes| {
            assert_eq!((rights(version), size(version)), (files, bytes), "version {version}");
        };
        check(1, 0x1fff, 8);
        check(2, 0x3fff, 8);
        check(3, 0x7fff, 8);
        check(4, 0x7fff, 16);
        check(5, 0xffff, 16);
        check(6, 0xffff, 24);
        check(9, 0xffff, 24);
    }
}
