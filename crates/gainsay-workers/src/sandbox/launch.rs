//! The launcher: confines itself, becomes a worker, and sees to it that nothing is left of it.
//!
//! Three processes: the launcher waits and then ends as the worker did, so that the driver sees
//! the worker's own end; the keeper is the first process of the new process namespace, and when
//! it is killed the kernel ends all others in there; the worker is an ordinary process, whose
//! signals mean what they always mean.

use std::{
    env,
    ffi::{CString, OsString},
    fs, io,
    os::unix::ffi::OsStringExt as _,
};

use gainsay_wire::EXIT_CANNOT_BEGIN;

use super::{
    Network, Part, Protection, Sight,
    kernel::{self, Fork, Pid, Resource},
    landlock,
    namespaces::{self, Owner},
    orders::{LAUNCH_ENV, Orders, Purpose},
    root,
};
use crate::sys;

/// No file of a worker may grow beyond this.
const MOST_FILE_BYTES: u64 = 64 << 20;
const MOST_OPEN_FILES: u64 = 256;
/// Processes and threads together, in one sandbox.
const MOST_PROCESSES: u64 = 64;
/// Without a process namespace: so often what was left behind is looked for.
const SWEEPS: usize = 20;

/// Acts as the launcher and never returns, if this process was started as one. To be called
/// before anything else, while there is only one thread.
pub fn launch_if_asked() {
    if env::var_os(LAUNCH_ENV).is_some() {
        match Orders::read(env::args_os().skip(1)) {
            Some(orders) => launch(&orders),
            None => refuse("the launcher was given no orders"),
        }
    }
}

fn launch(orders: &Orders) -> ! {
    kernel::die_with_parent();
    kernel::close_from(3);
    let (mut protection, mut owner) = namespaces::enter();
    if protection.parts.contains(&Part::Mount) && root::build(orders, owner).is_err() {
        protection.parts.remove(&Part::Mount);
    }
    if !protection.parts.contains(&Part::Mount) {
        owner = Owner::stay();
    }
    if protection.parts.contains(&Part::Network) && orders.network == Network::Loopback {
        kernel::raise_loopback().unwrap_or_else(|error| refuse(&format!("no loopback: {error}")));
    }
    let keeper = protection.parts.contains(&Part::Process).then(keep);
    if keeper.is_none() {
        kernel::adopt_orphans();
    }
    match kernel::fork() {
        Ok(Fork::Child) => work(orders, protection, owner),
        Ok(Fork::Parent(worker)) => {
            kernel::pass_on_requests_to_end(worker);
            kernel::close_from(0);
            finish(worker, keeper)
        }
        Err(error) => refuse(&format!("cannot fork: {error}")),
    }
}

/// The first process of the namespace: without it there could be no other.
fn keep() -> Pid {
    match kernel::fork() {
        Ok(Fork::Child) => {
            kernel::die_with_parent();
            kernel::close_from(0);
            kernel::rest()
        }
        Ok(Fork::Parent(keeper)) => keeper,
        Err(error) => refuse(&format!("cannot fork: {error}")),
    }
}

/// Waits for the worker, ends everything else, and ends likewise.
fn finish(worker: Pid, keeper: Option<Pid>) -> ! {
    let status = kernel::wait(worker).unwrap_or(0);
    match keeper {
        Some(keeper) => {
            kernel::kill(keeper);
            kernel::wait(keeper).ok();
        }
        None => sweep(),
    }
    kernel::end_alike(status)
}

/// Ends the children that the worker left behind and this process adopted, and theirs in turn.
fn sweep() {
    for _ in 0..SWEEPS {
        let left = children();
        if left.is_empty() {
            return;
        }
        for child in left {
            kernel::kill(child);
            kernel::wait(child).ok();
        }
    }
}

fn children() -> Vec<Pid> {
    let me = std::process::id().to_string();
    let all = fs::read_dir("/proc").into_iter().flatten().flatten();
    let is_child = |pid: &Pid| {
        // Number, name in parentheses, state, parent.
        let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        let after = stat.rsplit(')').next().unwrap_or_default();
        after.split_whitespace().nth(1) == Some(&me)
    };
    all.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).filter(is_child).collect()
}

/// Becomes the worker, or tells what is in force.
fn work(orders: &Orders, mut protection: Protection, owner: Owner) -> ! {
    kernel::begin_session();
    // So that the worker notices what calls leave running, however well it hides.
    kernel::adopt_orphans();
    limit(&protection);
    if orders.sight == Sight::Itself && protection.parts.contains(&Part::Mount) {
        // Without it the worker cannot begin, and says so itself.
        root::show_processes().ok();
    }
    let become_harmless = || -> io::Result<()> {
        if owner.is_other {
            kernel::become_user(owner.uid, owner.gid)?;
        }
        kernel::gain_no_privileges()?;
        env::set_current_dir(&orders.scratch)
    };
    if let Err(error) = become_harmless() {
        refuse(&format!("cannot give up privileges: {error}"));
    }
    if landlock::restrict(orders).is_ok() {
        protection.parts.insert(Part::Landlock);
    }
    kernel::die_with_parent();
    if orders.purpose == Purpose::Probe {
        tell(&protection);
    }
    if !protection.parts.is_superset(&orders.needed.parts) {
        refuse(&format!("the sandbox is not complete: {protection} is not {}", orders.needed));
    }
    kernel::fix_addresses();
    let error = kernel::exec(&orders.program, &variables());
    refuse(&format!("cannot start {}: {error}", orders.program.display()))
}

fn limit(protection: &Protection) {
    kernel::limit(Resource::Core, 0);
    kernel::limit(Resource::FileBytes, MOST_FILE_BYTES);
    sys::survive_large_files();
    kernel::limit(Resource::OpenFiles, MOST_OPEN_FILES);
    // Elsewhere all processes of the user would count.
    if protection.parts.contains(&Part::User) {
        kernel::limit(Resource::Processes, MOST_PROCESSES);
    }
}

/// The environment that the driver chose, as the system wants it.
fn variables() -> Vec<CString> {
    let text = |(name, value): (OsString, OsString)| {
        let both = [name.into_vec(), value.into_vec()].join(&b'=');
        CString::new(both).ok()
    };
    env::vars_os().filter(|(name, _)| name != LAUNCH_ENV).filter_map(text).collect()
}

#[allow(clippy::print_stdout, reason = "the answer that the driver waits for")]
fn tell(protection: &Protection) -> ! {
    println!("{protection}");
    kernel::exit(0)
}

#[allow(clippy::print_stderr, reason = "the only way to tell the driver")]
fn refuse(why: &str) -> ! {
    eprintln!("{why}");
    kernel::exit(EXIT_CANNOT_BEGIN)
}
