//! `gainsay-traces`: prints the facts of a trace, as text or JSON. `cargo gainsay infer` runs it
//! with the same arguments.

mod print;

use std::{
    io::{self, Write as _},
    path::PathBuf,
    process::ExitCode,
};

use clap::{Parser, ValueEnum};
use gainsay_traces::{TraceError, infer_trace};

use crate::print::{Extent, Paint, print_json, print_text};

/// The exit code for mistakes in arguments and in traces, as of `cargo gainsay`.
const USAGE: u8 = 1;

/// Infers what holds in a trace in Daikon's format.
///
/// Facts are shown with the chance that they would hold by chance alone, and only if that is small
/// for all candidates together. What follows from others is not shown.
#[derive(Debug, Parser)]
#[command(
    version,
    after_help = "Examples:\n  gainsay-traces --dtrace run.dtrace.gz\n  \
        gainsay-traces --dtrace run.dtrace --decls run.decls --format json\n\n\
        docs/traces.md tells what is looked for and what is left out."
)]
struct Args {
    /// The trace, plain or compressed with gzip.
    #[arg(long, value_name = "FILE")]
    dtrace: PathBuf,
    /// The declarations, if they are not in the trace.
    #[arg(long, value_name = "FILE")]
    decls: Option<PathBuf>,
    /// How to write it.
    #[arg(long, value_enum, value_name = "FORMAT", default_value = "text")]
    format: Format,
    /// Tell also what is not shown: facts that are implied, and by which; facts that may hold by
    /// chance.
    #[arg(long)]
    all: bool,
    /// When to use colours.
    #[arg(long, value_enum, value_name = "WHEN", default_value = "auto")]
    color: ColorWhen,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// For people.
    Text,
    /// For programs; docs/traces.md tells the fields.
    Json,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum ColorWhen {
    /// On a terminal, unless `NO_COLOR` is set.
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

fn main() -> ExitCode {
    let args = match Args::try_parse() {
        Ok(args) => args,
        Err(error) => {
            // A closed stream leaves nobody to tell.
            let _ = error.print();
            // Help and version are answers, not mistakes; clap's own code for mistakes is 2, which
            // means faults in `cargo gainsay`.
            return ExitCode::from(if error.use_stderr() { USAGE } else { 0 });
        }
    };
    match infer_trace(&args.dtrace, args.decls.as_deref()) {
        Ok(report) => {
            let extent = if args.all { Extent::All } else { Extent::Shown };
            let text = match args.format {
                Format::Text => {
                    print_text(&report, extent, choose_paint(args.color, &io::stdout()))
                }
                Format::Json => print_json(&report, extent),
            };
            write_report(&text)
        }
        Err(error) => {
            let text = print_error(&error, choose_paint(args.color, &io::stderr()));
            let _ = io::stderr().write_all(text.as_bytes());
            ExitCode::from(USAGE)
        }
    }
}

/// Writes to standard output; a reader that went away is no failure.
fn write_report(text: &str) -> ExitCode {
    match io::stdout().write_all(text.as_bytes()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => ExitCode::from(USAGE),
        _ => ExitCode::SUCCESS,
    }
}

/// The `error:` line with its cause, and the `hint:` line.
fn print_error(error: &TraceError, paint: Paint) -> String {
    let cause = std::error::Error::source(error).map(|cause| format!(": {cause}"));
    let [label, hint] = [paint.bad("error"), paint.notable("hint")];
    format!("{label}: {error}{}\n{hint}: {}\n", cause.unwrap_or_default(), error.hint())
}

/// Colours follow the option, then the environment, then the stream, as those of `cargo gainsay`.
fn choose_paint(when: ColorWhen, stream: &impl io::IsTerminal) -> Paint {
    let cargo = std::env::var("CARGO_TERM_COLOR").unwrap_or_default();
    let no_color = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    let is_coloured = match when {
        ColorWhen::Always => true,
        ColorWhen::Never => false,
        ColorWhen::Auto if no_color || cargo == "never" => false,
        ColorWhen::Auto => cargo == "always" || stream.is_terminal(),
    };
    if is_coloured { Paint::Colour } else { Paint::Plain }
}
