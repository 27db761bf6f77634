//! `cargo gainsay`: arguments become settings, settings become one command, the command becomes
//! an exit code. The stages themselves are in `gainsay-engine`.

mod args;
mod commands;
mod console;
mod contracts;
mod db;
mod emit;
mod exit;
mod failure;
mod infer;
mod interrupt;
mod own_bug;
mod settings;
mod table;

use std::{
    ffi::OsString,
    io::{self, Write as _},
    process::ExitCode,
};

use clap::Parser as _;
use gainsay_report::Paint;

use crate::{
    args::LowArgs,
    exit::Exit,
    failure::Failure,
    settings::{Environment, Settings},
};

fn main() -> ExitCode {
    // Before anything else: this may be the process that becomes a worker.
    gainsay_engine::become_worker_if_asked();
    ExitCode::from(own_bug::catch_panics(run_program).code())
}

fn run_program() -> Exit {
    let args = match LowArgs::try_parse_from(drop_subcommand(std::env::args_os())) {
        Ok(args) => args,
        Err(error) => return print_usage(&error),
    };
    let environment = match Environment::of_process() {
        Ok(environment) => environment,
        Err(error) => {
            let message = format!("cannot tell the current directory: {error}");
            return print_failure(&Failure::new(Exit::Usage, message), Paint::Plain);
        }
    };
    // Settings may fail, and that is said in colour, too.
    let paint = environment.stderr_paint(args.output.color);
    match Settings::new(args, &environment) {
        Ok(settings) => commands::run_command(&settings)
            .unwrap_or_else(|error| print_failure(&Failure::of(&error), settings.stderr)),
        Err(failure) => print_failure(&failure, paint),
    }
}

/// Cargo passes its subcommand's name as the first word; started directly there is none.
fn drop_subcommand(args: impl Iterator<Item = OsString>) -> impl Iterator<Item = OsString> {
    args.enumerate().filter(|(i, word)| *i != 1 || word != "gainsay").map(|(_, word)| word)
}

/// Help and version are answers; the rest are mistakes.
fn print_usage(error: &clap::Error) -> Exit {
    // A closed stream leaves nobody to tell.
    let _ = error.print();
    if error.use_stderr() { Exit::Usage } else { Exit::NothingFound }
}

fn print_failure(failure: &Failure, paint: Paint) -> Exit {
    let _ = io::stderr().write_all(failure.message_text(paint).as_bytes());
    failure.exit
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_word_that_cargo_puts_in_front_is_passed_over_once() {
        let check = |given: &[&str], expected: &[&str]| {
            let left: Vec<OsString> = drop_subcommand(given.iter().map(OsString::from)).collect();
            assert_eq!(left, expected);
        };
        check(&["cargo-gainsay", "gainsay", "list"], &["cargo-gainsay", "list"]);
        check(&["cargo-gainsay", "list"], &["cargo-gainsay", "list"]);
        check(
            &["cargo-gainsay", "gainsay", "contracts", "gainsay"],
            &["cargo-gainsay", "contracts", "gainsay"],
        );
    }
}
