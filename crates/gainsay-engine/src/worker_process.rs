//! The second life of the program that drives the engine. Workers are confined by a launcher, and
//! the crate under test is compiled through a wrapper; both are this program, started again with
//! other orders in its environment.

use std::process;

/// Becomes the launcher of a worker, or the wrapper of the compiler, if that is what this process
/// was started for; then it never returns. To be called at the beginning of `main`, before there is
/// a second thread and before arguments are looked at.
// Both in one call, so that a program that embeds the engine has one line to remember. Without it,
// the program would start itself over and over instead of a worker.
#[expect(clippy::exit, reason = "a compiler wrapper ends with the compiler's own exit code")]
pub fn become_worker_if_asked() {
    gainsay_workers::launch_if_asked();
    if std::env::var_os(gainsay_harness::WRAPPER_ENV).is_some() {
        let status = gainsay_harness::rustc_wrapper(std::env::args_os().skip(1));
        process::exit(status.ok().and_then(|status| status.code()).unwrap_or(1));
    }
}
