//! Calls into the operating system that std does not offer: limits of a child process, process
//! groups, and waiting for several pipes at once.
//!
//! Unsafe code lives here only. Each call passes pointers to local values that outlive it, or no
//! pointers at all; what runs between fork and exec is restricted to async-signal-safe calls.
#![allow(unsafe_code)]

use std::{
    io,
    os::{fd::RawFd, unix::process::CommandExt},
    process::Command,
    time::Duration,
};

/// No file of a worker may grow beyond this.
const MAX_FILE_BYTES: libc::rlim_t = 64 << 20;

/// Makes the command start a worker of its own process group that dies with the thread that
/// started it, has no address randomisation, gains no privileges, dumps no core and cannot fill
/// the disk.
pub(crate) fn restrict(command: &mut Command) {
    command.process_group(0);
    // SAFETY: the closure only makes async-signal-safe system calls and does not allocate.
    unsafe { command.pre_exec(restrict_this_process) };
}

#[allow(clippy::unnecessary_wraps, reason = "the signature that `pre_exec` wants")]
fn restrict_this_process() -> io::Result<()> {
    let set = |what, value: libc::rlim_t| {
        let limit = libc::rlimit { rlim_cur: value, rlim_max: value };
        // SAFETY: `limit` lives until the call returns.
        unsafe { libc::setrlimit(what, &raw const limit) };
    };
    set(libc::RLIMIT_CORE, 0);
    set(libc::RLIMIT_FSIZE, MAX_FILE_BYTES);
    survive_large_files();
    // SAFETY: plain numbers only. Failures are accepted: some containers forbid `personality`,
    // and a worker without these is only less repeatable, not wrong.
    unsafe {
        libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
        libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
        libc::personality(libc::ADDR_NO_RANDOMIZE as libc::c_ulong);
    }
    Ok(())
}

/// A file that would grow too large is an error to whoever writes it, as on a full disk, and not
/// the end of the process: the limit is ours and no fault of theirs. What is executed inherits it.
pub(crate) fn survive_large_files() {
    // SAFETY: no handler is installed; the call is async-signal-safe.
    unsafe { libc::signal(libc::SIGXFSZ, libc::SIG_IGN) };
}

/// Makes the command start a process that, with all it becomes, can have so much address space.
pub(crate) fn limit_address_space(command: &mut Command, bytes: u64) {
    let limit_this_process = move || {
        let limit = libc::rlimit { rlim_cur: bytes, rlim_max: bytes };
        // SAFETY: `limit` lives until the call returns.
        unsafe { libc::setrlimit(libc::RLIMIT_AS, &raw const limit) };
        Ok(())
    };
    // SAFETY: the closure only makes an async-signal-safe system call and does not allocate.
    unsafe { command.pre_exec(limit_this_process) };
}

/// Kills a process group that this program started and whose leader was not waited for yet.
pub(crate) fn kill_group(leader: u32) {
    if let Ok(leader) = libc::pid_t::try_from(leader)
        && leader > 1
    {
        // SAFETY: plain numbers only.
        unsafe { libc::kill(-leader, libc::SIGKILL) };
    }
}

/// Asks a process that this program started and did not wait for yet to end.
pub(crate) fn ask_to_end(child: u32) {
    if let Ok(child) = libc::pid_t::try_from(child)
        && child > 1
    {
        // SAFETY: plain numbers only.
        unsafe { libc::kill(child, libc::SIGTERM) };
    }
}

/// Whether a child has ended. Leaves it to be waited for, so that its group id stays its own.
pub(crate) fn has_ended(child: u32) -> bool {
    // SAFETY: an all-zero `siginfo_t` is valid, and it lives until the call returns.
    unsafe {
        let mut seen: libc::siginfo_t = std::mem::zeroed();
        let options = libc::WEXITED | libc::WNOHANG | libc::WNOWAIT;
        let rc = libc::waitid(libc::P_PID, child, &raw mut seen, options);
        rc == 0 && seen.si_pid() != 0
    }
}

/// What to wait for on a pipe.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wish {
    /// Bytes, or the end.
    Read,
    /// Room for bytes, or a broken pipe.
    Write,
}

/// Waits until one of the pipes has what is wished, at most `patience`. Tells for each pipe
/// whether it has.
pub(crate) fn wait_for<const N: usize>(
    pipes: [(RawFd, Wish); N],
    patience: Duration,
) -> io::Result<[bool; N]> {
    let mut polled = pipes.map(|(fd, wish)| {
        let events = match wish {
            Wish::Read => libc::POLLIN,
            Wish::Write => libc::POLLOUT,
        };
        libc::pollfd { fd, events, revents: 0 }
    });
    let millis = i32::try_from(patience.as_millis()).unwrap_or(i32::MAX);
    // SAFETY: the array lives until the call returns and has the length that is passed.
    let rc = unsafe { libc::poll(polled.as_mut_ptr(), N as libc::nfds_t, millis) };
    if rc < 0 {
        let error = io::Error::last_os_error();
        return if error.kind() == io::ErrorKind::Interrupted {
            Ok([false; N])
        } else {
            Err(error)
        };
    }
    Ok(polled.map(|pipe| pipe.revents != 0))
}

/// Processor time of all children of this process that have ended and been waited for.
pub fn children_cpu_seconds() -> f64 {
    cpu_seconds(libc::RUSAGE_CHILDREN)
}

/// Processor time of this process itself.
pub fn own_cpu_seconds() -> f64 {
    cpu_seconds(libc::RUSAGE_SELF)
}

fn cpu_seconds(whose: libc::c_int) -> f64 {
    // SAFETY: the kernel fills in the structure, for which all zeroes is a valid value.
    let usage = unsafe {
        let mut usage: libc::rusage = std::mem::zeroed();
        libc::getrusage(whose, &raw mut usage);
        usage
    };
    let seconds = |time: libc::timeval| time.tv_sec as f64 + time.tv_usec as f64 / 1e6;
    seconds(usage.ru_utime) + seconds(usage.ru_stime)
}
