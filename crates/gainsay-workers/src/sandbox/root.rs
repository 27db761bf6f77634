//! A file system for a worker: what a program needs to start, its own directory in memory, and
//! nothing else. All paths are the same as outside.

use std::{
    env, fs, io,
    os::unix::fs::symlink,
    path::{Path, PathBuf},
};

use super::{Sight, kernel, namespaces::Owner, orders::Orders};

/// What a dynamically linked program needs, and where it finds out what time it is.
pub(crate) const READABLE: [&str; 11] = [
    "/lib",
    "/lib32",
    "/lib64",
    "/usr/lib",
    "/usr/lib32",
    "/usr/lib64",
    "/usr/local/lib",
    "/nix/store",
    "/usr/share/zoneinfo",
    "/etc/ld.so.cache",
    "/etc/localtime",
];

/// Where a process can look at itself.
pub(crate) const PROCESSES: &str = "/proc";

/// Devices without a memory.
pub(crate) const DEVICES: [&str; 5] =
    ["/dev/null", "/dev/zero", "/dev/full", "/dev/urandom", "/dev/random"];

/// The scratch directory holds at most this, in so many files.
const SCRATCH: &str = "size=64m,nr_inodes=4096,mode=700";

/// Builds it and moves in. When that fails, all is as it was.
pub(crate) fn build(orders: &Orders, owner: Owner) -> io::Result<()> {
    let private = libc::MS_REC | libc::MS_PRIVATE;
    let (nothing, base) = (Path::new("none"), orders.scratch.as_path());
    kernel::mount(nothing, Path::new("/"), c"", private, "")?;
    kernel::mount(nothing, base, c"tmpfs", libc::MS_NOSUID, "size=1m,mode=755")?;
    furnish(orders, owner).inspect_err(|_| kernel::unmount(base))
}

fn furnish(orders: &Orders, owner: Owner) -> io::Result<()> {
    let (nothing, base) = (Path::new("none"), orders.scratch.as_path());
    let safe = libc::MS_NOSUID | libc::MS_NODEV;
    for path in READABLE.iter().chain(&DEVICES) {
        provide(base, Path::new(path))?;
    }
    provide(base, &orders.program)?;
    if orders.sight == Sight::Itself {
        fs::create_dir_all(inside(base, Path::new(PROCESSES)))?;
    }
    let scratch = inside(base, &orders.scratch);
    fs::create_dir_all(&scratch)?;
    let journal = inside(base, &orders.journal);
    fs::write(&journal, "")?;
    // Unless the scratch directory itself is somewhere in there.
    if !base.join("tmp").exists() {
        symlink(&orders.scratch, base.join("tmp"))?;
    }
    kernel::seal(base)?;
    if owner.is_other {
        kernel::give_away(&orders.journal, owner.uid, owner.gid)?;
    }
    kernel::mount(&orders.journal, &journal, c"", libc::MS_BIND, "")?;
    let options = format!("{SCRATCH},uid={},gid={}", owner.uid, owner.gid);
    kernel::mount(nothing, &scratch, c"tmpfs", safe, &options)?;
    env::set_current_dir(base)?;
    kernel::pivot_to_here()
}

/// Shows the processes of the worker's own namespace, and nothing else of the kernel where it can be
/// so. To be called in that namespace.
pub(crate) fn show_processes() -> io::Result<()> {
    let (nothing, place) = (Path::new("proc"), Path::new(PROCESSES));
    let safe = libc::MS_NOSUID | libc::MS_NODEV | libc::MS_NOEXEC | libc::MS_RDONLY;
    kernel::mount(nothing, place, c"proc", safe, "subset=pid")
        .or_else(|_| kernel::mount(nothing, place, c"proc", safe, ""))
}

fn inside(base: &Path, path: &Path) -> PathBuf {
    base.join(path.strip_prefix("/").unwrap_or(path))
}

/// Shows a file or directory of the old file system in the new one, if it is there.
fn provide(base: &Path, path: &Path) -> io::Result<()> {
    let Ok(kind) = fs::symlink_metadata(path) else { return Ok(()) };
    let place = inside(base, path);
    if let Some(parent) = place.parent() {
        fs::create_dir_all(parent)?;
    }
    if kind.is_symlink() {
        return symlink(fs::read_link(path)?, place);
    }
    if kind.is_dir() {
        fs::create_dir_all(&place)?;
    } else {
        fs::write(&place, "")?;
    }
    kernel::mount(path, &place, c"", libc::MS_BIND | libc::MS_REC, "")
}
