//! Leaves the user's namespaces, one kind after the other: what is not allowed is left out.

use std::{
    fs,
    io::{self, Read as _, Write as _},
};

use super::{
    Part, Protection,
    kernel::{self, Fork},
};

/// Whom a worker becomes when gainsay itself runs as root.
const NOBODY: u32 = 65534;

/// Who the worker is to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Owner {
    pub(crate) uid: u32,
    pub(crate) gid: u32,
    /// Whether that is somebody else than the launcher.
    pub(crate) is_other: bool,
}

const KINDS: [(Part, libc::c_int); 5] = [
    (Part::Mount, libc::CLONE_NEWNS),
    (Part::Network, libc::CLONE_NEWNET),
    (Part::Process, libc::CLONE_NEWPID),
    (Part::Ipc, libc::CLONE_NEWIPC),
    (Part::Host, libc::CLONE_NEWUTS),
];

/// Enters new namespaces; those it entered, and who the worker is to be.
pub(crate) fn enter() -> (Protection, Owner) {
    let (uid, gid) = kernel::user();
    let mut entered = Protection::default();
    let mapped = if uid == 0 { as_root() } else { as_user(uid, gid) };
    if mapped != Mapped::Nothing {
        entered.parts.insert(Part::User);
    }
    for (part, kind) in KINDS {
        if kernel::unshare(kind).is_ok() {
            entered.parts.insert(part);
        }
    }
    let owner = Owner { uid, gid, is_other: false };
    let nobody = Owner { uid: NOBODY, gid: NOBODY, is_other: true };
    (entered, if mapped == Mapped::TwoUsers { nobody } else { owner })
}

impl Owner {
    /// The user itself: outside a file system of its own, nobody could not even write to its
    /// scratch directory.
    pub(crate) fn stay() -> Owner {
        let (uid, gid) = kernel::user();
        Owner { uid, gid, is_other: false }
    }
}

/// Who exists in the new user namespace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mapped {
    /// There is no such namespace.
    Nothing,
    /// The user.
    OneUser,
    /// Root and nobody.
    TwoUsers,
}

fn as_user(uid: u32, gid: u32) -> Mapped {
    match kernel::unshare(libc::CLONE_NEWUSER).and_then(|()| map_one_user(uid, gid)) {
        Ok(()) => Mapped::OneUser,
        Err(_) => Mapped::Nothing,
    }
}

fn map_one_user(uid: u32, gid: u32) -> io::Result<()> {
    fs::write("/proc/self/setgroups", "deny")?;
    fs::write("/proc/self/uid_map", format!("{uid} {uid} 1"))?;
    fs::write("/proc/self/gid_map", format!("{gid} {gid} 1"))
}

/// A process outside has to say who exists in a namespace with more than one user. Root's worker
/// should not be root: limits do not hold for root, and files of root are many.
fn as_root() -> Mapped {
    match with_two_users() {
        Ok(mapped) => mapped,
        Err(_) => Mapped::Nothing,
    }
}

fn with_two_users() -> io::Result<Mapped> {
    let (mut wait, mut go) = io::pipe()?;
    let namespaced = std::process::id();
    match kernel::fork()? {
        Fork::Child => {
            drop(go);
            let mut word = [0];
            let told = wait.read_exact(&mut word);
            kernel::exit(i32::from(told.and_then(|()| map_two_users(namespaced)).is_err()))
        }
        Fork::Parent(helper) => {
            drop(wait);
            let entered = kernel::unshare(libc::CLONE_NEWUSER);
            if entered.is_ok() {
                go.write_all(&[1])?;
            }
            drop(go);
            let status = kernel::wait(helper)?;
            entered?;
            if status == 0 {
                return Ok(Mapped::TwoUsers);
            }
            map_one_user(0, 0).map(|()| Mapped::OneUser)
        }
    }
}

fn map_two_users(process: u32) -> io::Result<()> {
    let map = format!("0 0 1\n{NOBODY} {NOBODY} 1\n");
    fs::write(format!("/proc/{process}/uid_map"), &map)?;
    fs::write(format!("/proc/{process}/gid_map"), &map)
}
