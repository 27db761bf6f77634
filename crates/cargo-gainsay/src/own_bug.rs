//! A panic of gainsay itself: said to be one, with where to look for results so far.

use std::{
    io::Write as _,
    panic::{self, PanicHookInfo},
    path::{Path, PathBuf},
    sync::Mutex,
};

use crate::exit::Exit;

/// The directory of the results so far, once it is known.
// A panic hook gets nothing but the panic: what it is to say must be somewhere.
static OUT_DIR: Mutex<Option<PathBuf>> = Mutex::new(None);

/// Runs the program; a panic becomes an exit code of its own.
pub(crate) fn catch_panics(run: fn() -> Exit) -> Exit {
    // Instead of the default one, which speaks of threads and backtraces.
    panic::set_hook(Box::new(|info| {
        let _ = std::io::stderr().write_all(panic_text(info).as_bytes());
    }));
    panic::catch_unwind(run).unwrap_or(Exit::OurBug)
}

/// Remembers where results go.
pub(crate) fn results_are_in(dir: &Path) {
    if let Ok(mut out_dir) = OUT_DIR.lock() {
        *out_dir = Some(dir.to_owned());
    }
}

/// Lets a test see how a bug of ours is told; no part of a released program.
#[cfg(debug_assertions)]
pub(crate) fn on_purpose() {
    assert!(std::env::var_os("GAINSAY_FAIL_ON_PURPOSE").is_none(), "a bug on purpose");
}

#[cfg(not(debug_assertions))]
pub(crate) fn on_purpose() {}

fn panic_text(info: &PanicHookInfo<'_>) -> String {
    let what = info.payload_as_str().unwrap_or("a panic without words");
    let at = info.location().map(|place| format!(" ({place})")).unwrap_or_default();
    // The panic may have come while the lock was held.
    let results = OUT_DIR.try_lock().ok().and_then(|dir| dir.clone());
    let results = results.map_or_else(
        || "there are no results yet".to_owned(),
        |dir| format!("results so far are in `{}`", dir.display()),
    );
    format!(
        "\nerror: {what}{at}\nThis is a bug of gainsay {}, not of the crate under test; {results}.\n\
         hint: report it with the command line and the crate's name and version\n",
        env!("CARGO_PKG_VERSION")
    )
}
