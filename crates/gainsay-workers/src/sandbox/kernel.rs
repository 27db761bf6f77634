//! The system calls of the sandbox, behind safe functions. Used by the launcher only, a process
//! with a single thread.
//!
//! Unsafe code of the sandbox lives here only: each call passes pointers to local values that
//! outlive it, or plain numbers.
#![allow(unsafe_code)]

use std::{
    ffi::{CStr, CString, OsStr},
    io,
    os::unix::ffi::OsStrExt as _,
    path::Path,
    ptr,
    sync::atomic::{AtomicI32, Ordering},
};

/// A process that the launcher forked.
pub(crate) type Pid = libc::pid_t;

/// Which side of a fork.
pub(crate) enum Fork {
    /// The new process.
    Child,
    /// The old one, which knows the new one's number.
    Parent(Pid),
}

fn check(rc: libc::c_int) -> io::Result<()> {
    if rc < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}

fn check_long(rc: libc::c_long) -> io::Result<i32> {
    if rc < 0 { Err(io::Error::last_os_error()) } else { Ok(i32::try_from(rc).unwrap_or(0)) }
}

pub(crate) fn c_path(path: &Path) -> io::Result<CString> {
    c_text(path.as_os_str())
}

fn c_text(text: &OsStr) -> io::Result<CString> {
    CString::new(text.as_bytes()).map_err(io::Error::other)
}

/// Leaves namespaces of these kinds for new ones.
pub(crate) fn unshare(kinds: libc::c_int) -> io::Result<()> {
    // SAFETY: plain numbers only.
    check(unsafe { libc::unshare(kinds) })
}

/// A mount of any kind; `options` are the file system's own.
pub(crate) fn mount(
    source: &Path,
    target: &Path,
    kind: &CStr,
    flags: libc::c_ulong,
    options: &str,
) -> io::Result<()> {
    let (source, target) = (c_path(source)?, c_path(target)?);
    let options = c_text(OsStr::new(options))?;
    // SAFETY: all texts live until the call returns.
    check(unsafe {
        libc::mount(source.as_ptr(), target.as_ptr(), kind.as_ptr(), flags, options.as_ptr().cast())
    })
}

/// Makes everything mounted from here downwards read-only and free of other people's rights.
pub(crate) fn seal(path: &Path) -> io::Result<()> {
    const READ_ONLY: u64 = 1;
    const NO_SUID: u64 = 2;
    /// As the kernel declares `struct mount_attr`.
    #[repr(C)]
    struct Attributes {
        set: u64,
        clear: u64,
        propagation: u64,
        user_namespace: u64,
    }
    let attributes =
        Attributes { set: READ_ONLY | NO_SUID, clear: 0, propagation: 0, user_namespace: 0 };
    let path = c_path(path)?;
    // SAFETY: both live until the call returns, and the size is the structure's own.
    check_long(unsafe {
        libc::syscall(
            libc::SYS_mount_setattr,
            libc::AT_FDCWD,
            path.as_ptr(),
            libc::AT_RECURSIVE,
            &raw const attributes,
            size_of::<Attributes>(),
        )
    })
    .map(drop)
}

/// Makes the current directory the root and lets go of the old one.
pub(crate) fn pivot_to_here() -> io::Result<()> {
    let here = c".".as_ptr();
    // SAFETY: the text is static.
    check_long(unsafe { libc::syscall(libc::SYS_pivot_root, here, here) })?;
    // SAFETY: as before.
    check(unsafe { libc::umount2(here, libc::MNT_DETACH) })
}

/// Takes away what was mounted here, and all below it.
pub(crate) fn unmount(path: &Path) {
    if let Ok(path) = c_path(path) {
        // SAFETY: the text lives until the call returns.
        unsafe { libc::umount2(path.as_ptr(), libc::MNT_DETACH) };
    }
}

/// Gives a file to somebody else.
pub(crate) fn give_away(path: &Path, uid: u32, gid: u32) -> io::Result<()> {
    let path = c_path(path)?;
    // SAFETY: the text lives until the call returns.
    check(unsafe { libc::chown(path.as_ptr(), uid, gid) })
}

pub(crate) fn user() -> (u32, u32) {
    // SAFETY: these calls have no arguments and cannot fail.
    unsafe { (libc::geteuid(), libc::getegid()) }
}

/// Becomes somebody else for good.
pub(crate) fn become_user(uid: u32, gid: u32) -> io::Result<()> {
    // SAFETY: an empty list needs no memory; the rest are plain numbers.
    unsafe {
        check(libc::setgroups(0, ptr::null()))?;
        check(libc::setresgid(gid, gid, gid))?;
        check(libc::setresuid(uid, uid, uid))
    }
}

/// Forks. Sound because the launcher has one thread.
pub(crate) fn fork() -> io::Result<Fork> {
    // SAFETY: with a single thread the copy may do all that the original may.
    let pid = unsafe { libc::fork() };
    check(pid)?;
    Ok(if pid == 0 { Fork::Child } else { Fork::Parent(pid) })
}

/// Waits for a child; its status as the kernel gives it.
pub(crate) fn wait(child: Pid) -> io::Result<i32> {
    loop {
        let mut status = 0;
        // SAFETY: the number lives until the call returns.
        match check(unsafe { libc::waitpid(child, &raw mut status, 0) }) {
            Ok(()) => return Ok(status),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

pub(crate) fn kill(process: Pid) {
    if process > 1 {
        // SAFETY: plain numbers only.
        unsafe { libc::kill(process, libc::SIGKILL) };
    }
}

/// The process that a request to end is passed on to.
static WARD: AtomicI32 = AtomicI32::new(0);

/// From now on a request to end ends `ward`; whoever waits for it then ends as well, with the
/// ward's time on the processor on its account.
pub(crate) fn pass_on_requests_to_end(ward: Pid) {
    extern "C" fn pass_on(_: libc::c_int) {
        kill(WARD.load(Ordering::Relaxed));
    }
    WARD.store(ward, Ordering::Relaxed);
    let handler = pass_on as extern "C" fn(libc::c_int);
    // SAFETY: the handler only makes one system call that signal handlers may make.
    unsafe { libc::signal(libc::SIGTERM, handler as libc::sighandler_t) };
}

/// Ends the way another process did.
pub(crate) fn end_alike(status: i32) -> ! {
    if libc::WIFSIGNALED(status) {
        let signal = libc::WTERMSIG(status);
        // SAFETY: plain numbers only; nothing of ours runs after it if the signal is deadly.
        unsafe {
            libc::signal(signal, libc::SIG_DFL);
            libc::raise(signal);
        }
    }
    exit(libc::WEXITSTATUS(status))
}

pub(crate) fn exit(code: i32) -> ! {
    // SAFETY: ends the process.
    unsafe { libc::_exit(code) }
}

/// Does nothing until it is killed; children that nobody waits for vanish.
pub(crate) fn rest() -> ! {
    // SAFETY: plain numbers only.
    unsafe {
        libc::signal(libc::SIGCHLD, libc::SIG_IGN);
        loop {
            libc::pause();
        }
    }
}

/// Closes all descriptors from this one on.
pub(crate) fn close_from(first: u32) {
    // SAFETY: nothing of the launcher uses descriptors after this but by opening new ones.
    unsafe { libc::syscall(libc::SYS_close_range, first, u32::MAX, 0) };
}

pub(crate) fn die_with_parent() {
    // SAFETY: plain numbers only.
    unsafe { libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL) };
}

/// Neither set-uid programs nor the name of root give any rights from now on.
pub(crate) fn gain_no_privileges() -> io::Result<()> {
    const NOROOT_FOR_GOOD: libc::c_ulong = 0b11;
    // Only who has privileges may do this, and only who has any needs it.
    // SAFETY: plain numbers only.
    unsafe { libc::prctl(libc::PR_SET_SECUREBITS, NOROOT_FOR_GOOD, 0, 0, 0) };
    // SAFETY: plain numbers only.
    check(unsafe { libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) })
}

/// Children of children become this process's own when their parents are gone.
pub(crate) fn adopt_orphans() {
    // SAFETY: plain numbers only.
    unsafe { libc::prctl(libc::PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) };
}

/// Addresses are the same in every process. Some containers forbid it; then a worker is only
/// less repeatable.
pub(crate) fn fix_addresses() {
    // SAFETY: plain numbers only.
    unsafe { libc::personality(libc::ADDR_NO_RANDOMIZE as libc::c_ulong) };
}

/// A session and process group of its own.
pub(crate) fn begin_session() {
    // SAFETY: no arguments.
    unsafe { libc::setsid() };
}

/// A limit that cannot be raised again.
pub(crate) fn limit(what: Resource, most: u64) {
    let limit = libc::rlimit { rlim_cur: most, rlim_max: most };
    // SAFETY: the structure lives until the call returns.
    unsafe { libc::setrlimit(what.code(), &raw const limit) };
}

/// What can be limited.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Resource {
    Core,
    FileBytes,
    OpenFiles,
    Processes,
}

impl Resource {
    fn code(self) -> libc::__rlimit_resource_t {
        match self {
            Resource::Core => libc::RLIMIT_CORE,
            Resource::FileBytes => libc::RLIMIT_FSIZE,
            Resource::OpenFiles => libc::RLIMIT_NOFILE,
            Resource::Processes => libc::RLIMIT_NPROC,
        }
    }
}

/// Switches the loopback device on.
pub(crate) fn raise_loopback() -> io::Result<()> {
    // SAFETY: an all-zero request is valid, lives until the calls return, and has room for the
    // name; the descriptor is closed again.
    unsafe {
        let socket = libc::socket(libc::AF_INET, libc::SOCK_DGRAM | libc::SOCK_CLOEXEC, 0);
        check(socket)?;
        let mut request: libc::ifreq = std::mem::zeroed();
        for (place, byte) in request.ifr_name.iter_mut().zip(b"lo") {
            *place = libc::c_char::try_from(*byte).unwrap_or_default();
        }
        request.ifr_ifru.ifru_flags =
            libc::c_short::try_from(libc::IFF_UP | libc::IFF_RUNNING).unwrap_or_default();
        let done = check(libc::ioctl(socket, libc::SIOCSIFFLAGS, &raw const request));
        libc::close(socket);
        done
    }
}

/// Becomes another program.
pub(crate) fn exec(program: &Path, variables: &[CString]) -> io::Error {
    let program = match c_path(program) {
        Ok(program) => program,
        Err(error) => return error,
    };
    let arguments = [program.as_ptr(), ptr::null()];
    let variables: Vec<_> =
        variables.iter().map(|text| text.as_ptr()).chain([ptr::null()]).collect();
    // SAFETY: both lists end with a null pointer and live until the call returns, if it does.
    unsafe { libc::execve(program.as_ptr(), arguments.as_ptr(), variables.as_ptr()) };
    io::Error::last_os_error()
}

/// The version of Landlock; an error where there is none.
pub(crate) fn landlock_version() -> io::Result<i32> {
    const VERSION: libc::c_uint = 1;
    // SAFETY: this flag wants no attributes.
    check_long(unsafe {
        libc::syscall(libc::SYS_landlock_create_ruleset, ptr::null::<u8>(), 0, VERSION)
    })
}

/// What a set of Landlock rules is about, as the kernel declares it.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Handled {
    pub(crate) files: u64,
    pub(crate) network: u64,
    pub(crate) scopes: u64,
}

/// A set of rules, of which `size` bytes are known to this kernel; its descriptor.
pub(crate) fn landlock_rules(handled: Handled, size: usize) -> io::Result<i32> {
    // SAFETY: the structure lives until the call returns and is at least `size` bytes long.
    check_long(unsafe {
        libc::syscall(
            libc::SYS_landlock_create_ruleset,
            &raw const handled,
            size.min(size_of::<Handled>()),
            0,
        )
    })
}

/// Allows what is under a path.
pub(crate) fn landlock_allow(rules: i32, path: &Path, access: u64) -> io::Result<()> {
    const BENEATH: libc::c_int = 1;
    /// As the kernel declares `struct landlock_path_beneath_attr`.
    #[repr(C, packed)]
    struct Beneath {
        access: u64,
        parent: i32,
    }
    let path = c_path(path)?;
    // SAFETY: path and structure live until the calls return; the descriptor is closed again.
    unsafe {
        let parent = libc::open(path.as_ptr(), libc::O_PATH | libc::O_CLOEXEC);
        check(parent)?;
        let rule = Beneath { access, parent };
        let done = libc::syscall(libc::SYS_landlock_add_rule, rules, BENEATH, &raw const rule, 0);
        let done = check_long(done);
        libc::close(parent);
        done.map(drop)
    }
}

/// From now on the rules hold for this process and all that come of it.
pub(crate) fn landlock_begin(rules: i32) -> io::Result<()> {
    // SAFETY: plain numbers only; the descriptor is not used any more.
    unsafe {
        let done = check_long(libc::syscall(libc::SYS_landlock_restrict_self, rules, 0));
        libc::close(rules);
        done.map(drop)
    }
}
