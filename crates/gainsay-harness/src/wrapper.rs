//! Coverage counters only where they are wanted: cargo calls our own program in place of rustc,
//! which adds the flags for the crates that are to be counted and calls rustc.

use std::{
    env,
    ffi::{OsStr, OsString},
    io,
    path::Path,
    process::{Command, ExitStatus},
};

/// Set when the program is to act as a compiler wrapper.
pub const WRAPPER_ENV: &str = "GAINSAY_RUSTC_WRAPPER";
/// Names of the crates to be counted, separated by commas.
const COVER_ENV: &str = "GAINSAY_COVER";
/// Further flags, separated by spaces, for code that runs in a worker.
const FLAGS_ENV: &str = "GAINSAY_FLAGS";
/// The wrapper that the user has set, to be called in between.
const INNER_ENV: &str = "GAINSAY_INNER_WRAPPER";

/// Inline 8-bit counters on every edge, and a table of where each is; names of symbols that tell
/// the crate in which a function was written.
const COVER_FLAGS: [&str; 5] = [
    "-Cpasses=sancov-module",
    "-Cllvm-args=-sanitizer-coverage-level=3",
    "-Cllvm-args=-sanitizer-coverage-inline-8bit-counters",
    "-Cllvm-args=-sanitizer-coverage-pc-table",
    "-Csymbol-mangling-version=v0",
];

/// Acts as the compiler: `args` are those of the process without its own name, so rustc's path
/// comes first. The caller exits with the code of the status.
pub fn rustc_wrapper(args: impl Iterator<Item = OsString>) -> io::Result<ExitStatus> {
    let args: Vec<OsString> = args.collect();
    let covered = env::var(COVER_ENV).unwrap_or_default();
    let inner = env::var_os(INNER_ENV).filter(|inner| !inner.is_empty());
    let line: Vec<OsString> = inner.into_iter().chain(args).collect();
    let Some((program, rest)) = line.split_first() else {
        return Err(io::Error::other(
            "a compiler wrapper needs the compiler as its first argument",
        ));
    };
    let mut command = Command::new(program);
    command.args(rest).env_remove(WRAPPER_ENV);
    if is_covered(rest, &covered) {
        command.args(COVER_FLAGS);
    }
    let flags = env::var(FLAGS_ENV).unwrap_or_default();
    if !flags.is_empty() && is_for_worker(rest) {
        // For this compilation alone: build scripts that ask what the compiler can do must not
        // hear of it.
        command.args(flags.split(' ')).env("RUSTC_BOOTSTRAP", "1");
    }
    command.status()
}

/// Makes `command` use the program `wrapper` for the crates `covered`.
pub(crate) fn wrap(command: &mut Command, wrapper: &Path, covered: &[String], flags: &[&str]) {
    if let Some(inner) = env::var_os("RUSTC_WRAPPER") {
        command.env(INNER_ENV, inner);
    }
    command.env("RUSTC_WRAPPER", wrapper);
    command.env(WRAPPER_ENV, "1");
    command.env(COVER_ENV, covered.join(","));
    command.env(FLAGS_ENV, flags.join(" "));
}

fn is_covered(args: &[OsString], covered: &str) -> bool {
    let at = args.iter().position(|arg| arg == "--crate-name");
    let name = at.and_then(|at| args.get(at + 1));
    name.is_some_and(|name| covered.split(',').any(|wanted| OsStr::new(wanted) == name))
}

/// Whether cargo compiles something for the worker's target, as opposed to the machine that builds,
/// and as opposed to what build scripts compile to find something out. Our own code is not what is
/// tested.
fn is_for_worker(args: &[OsString]) -> bool {
    let has = |wanted: &str| args.iter().any(|arg| arg == wanted);
    let is_ours = is_covered(args, "gainsay_own_wire,gainsay_own_runtime");
    has("--target") && has("--error-format=json") && !is_ours
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_named_crates_are_counted() {
        let check = |line: &str, expected: bool| {
            let args: Vec<OsString> = line.split(' ').map(OsString::from).collect();
            assert_eq!(is_covered(&args, "subject,its_harness"), expected, "{line}");
        };
        check("rustc --crate-name subject --edition=2021", true);
        check("rustc --crate-name its_harness src/main.rs", true);
        check("rustc --crate-name other --extern subject", false);
        check("rustc - --print=cfg", false);
        check("rustc --crate-name", false);
    }

    #[test]
    fn only_what_cargo_compiles_for_the_worker_gets_further_flags() {
        let check = |line: &str, expected: bool| {
            let args: Vec<OsString> = line.split(' ').map(OsString::from).collect();
            assert_eq!(is_for_worker(&args), expected, "{line}");
        };
        check("rustc --crate-name a --error-format=json --target x86_64-unknown-linux-gnu", true);
        check("rustc --crate-name gainsay_own_wire --error-format=json --target x", false);
        check("rustc --crate-name build_script_build --error-format=json", false);
        check("rustc --crate-name probe0 --target x86_64-unknown-linux-gnu", false);
    }
}
