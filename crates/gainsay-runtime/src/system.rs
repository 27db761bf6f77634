//! The few system calls that std does not offer, declared by hand because this crate has no
//! dependencies, behind safe functions.
#![allow(unsafe_code)] // Foreign functions; each call says why it is sound.

use std::{
    ffi::{CString, c_char, c_int, c_long, c_void},
    fs::File,
    io,
    os::fd::{AsRawFd as _, FromRawFd as _, RawFd},
    path::Path,
    time::Duration,
};

unsafe extern "C" {
    fn mmap(
        addr: *mut c_void,
        len: usize,
        prot: c_int,
        flags: c_int,
        fd: c_int,
        offset: c_long,
    ) -> *mut c_void;
    fn open(path: *const c_char, flags: c_int, ...) -> c_int;
    fn dup(fd: c_int) -> c_int;
    fn fcntl(fd: c_int, command: c_int, ...) -> c_int;
    fn dup2(from: c_int, to: c_int) -> c_int;
    fn _exit(code: c_int) -> !;
    fn waitpid(process: c_int, status: *mut c_int, options: c_int) -> c_int;
    fn clock_gettime(clock: c_int, time: *mut [c_long; 2]) -> c_int;
}

const READ_WRITE: c_int = 2;
const PROT_READ_WRITE: c_int = 3;
const MAP_SHARED: c_int = 1;
const CLOCK_PROCESS_CPUTIME: c_int = 2;
const CLOCK_THREAD_CPUTIME: c_int = 3;

/// Maps a file of exactly `len` bytes for ever, shared with whoever else maps it.
pub(crate) fn map_shared(path: &Path, len: usize) -> io::Result<*mut u8> {
    let file = File::options().read(true).write(true).create(true).truncate(false).open(path)?;
    file.set_len(len as u64)?;
    // SAFETY: a fresh mapping at an address of the kernel's choice overlaps nothing of ours.
    let at = unsafe {
        mmap(std::ptr::null_mut(), len, PROT_READ_WRITE, MAP_SHARED, file.as_raw_fd(), 0)
    };
    if at.addr() == usize::MAX || at.is_null() {
        return Err(io::Error::last_os_error());
    }
    Ok(at.cast())
}

/// Whether this is still a descriptor of an open file.
pub(crate) fn is_open(fd: RawFd) -> bool {
    const GET_FLAGS: c_int = 1;
    // SAFETY: plain numbers only.
    unsafe { fcntl(fd, GET_FLAGS) >= 0 }
}

/// Ends the process at once: no destructors, no flushing.
pub(crate) fn exit_now(code: i32) -> ! {
    // SAFETY: ends the process; nothing runs after it.
    unsafe { _exit(code) }
}

/// Whether this process has children that still run. Those that have ended are forgotten.
pub(crate) fn has_children() -> bool {
    const ANY: c_int = -1;
    const DO_NOT_WAIT: c_int = 1;
    loop {
        // SAFETY: a null pointer says that nobody wants to know how they ended.
        match unsafe { waitpid(ANY, std::ptr::null_mut(), DO_NOT_WAIT) } {
            0 => return true,
            ended if ended > 0 => {}
            _ => return false,
        }
    }
}

/// Has the allocator keep what is freed, and take from one place for all threads: epochs take and
/// free the same large blocks again and again, and the system's pages are slow to come by.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
pub(crate) fn keep_memory() {
    unsafe extern "C" {
        fn mallopt(parameter: c_int, value: c_int) -> c_int;
    }
    const TRIM_THRESHOLD: c_int = -1;
    const TOP_PAD: c_int = -2;
    const MMAP_THRESHOLD: c_int = -3;
    const ARENA_MAX: c_int = -8;
    for (parameter, value) in
        [(ARENA_MAX, 1), (MMAP_THRESHOLD, 32 << 20), (TRIM_THRESHOLD, 64 << 20), (TOP_PAD, 1 << 20)]
    {
        // SAFETY: plain numbers only; one that the allocator does not know it refuses.
        unsafe { mallopt(parameter, value) };
    }
}

/// Other allocators are left as they are.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub(crate) fn keep_memory() {}

/// Processor time of this thread in milliseconds.
pub(crate) fn thread_millis() -> u64 {
    micros_of(CLOCK_THREAD_CPUTIME) / 1000
}

/// Processor time of this process.
pub(crate) fn process_time() -> Duration {
    Duration::from_micros(micros_of(CLOCK_PROCESS_CPUTIME))
}

fn micros_of(clock: c_int) -> u64 {
    let mut time: [c_long; 2] = [0; 2];
    // SAFETY: `time` is as large as a timespec, two longs.
    let done = unsafe { clock_gettime(clock, &raw mut time) };
    if done != 0 {
        return 0;
    }
    u64::try_from(time[0] * 1_000_000 + time[1] / 1000).unwrap_or(0)
}

/// Takes standard input and output away for the protocol, so that the subject can neither read
/// from it nor print into it: both point to nowhere afterwards.
pub(crate) fn take_standard_streams() -> io::Result<(File, File)> {
    let nowhere = CString::new("/dev/null")?;
    // SAFETY: `dup` gives fresh descriptors that only the two files own; `dup2` replaces 0 and 1
    // in one go, and std's handles of them keep working on the replacement.
    unsafe {
        let (input, output) = (dup(0), dup(1));
        let null = open(nowhere.as_ptr(), READ_WRITE);
        if input < 0 || output < 0 || null < 0 || dup2(null, 0) < 0 || dup2(null, 1) < 0 {
            return Err(io::Error::last_os_error());
        }
        Ok((File::from_raw_fd(input), File::from_raw_fd(output)))
    }
}
