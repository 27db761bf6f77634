//! Work on the workspace itself: `cargo xtask tidy`, `cargo xtask house` and `cargo xtask ci`.

mod tidy;

use std::{
    io::Write as _,
    path::Path,
    process::{Command, ExitCode},
};

use anyhow::Context as _;

const USAGE: &str = "usage: cargo xtask <tidy | house | ci>\n\n  \
    tidy        checks the habits of the house\n  \
    house       prints the table of names and prose with the figures of today\n  \
    ci          runs all checks and tests\n";

fn main() -> anyhow::Result<ExitCode> {
    let root = root();
    let args: Vec<String> = std::env::args().skip(1).collect();
    match args.first().map(String::as_str) {
        Some("tidy") => report(&tidy::check(root)?),
        Some("house") => {
            std::io::stdout().write_all(tidy::house::table(root)?.as_bytes())?;
            Ok(ExitCode::SUCCESS)
        }
        Some("ci") => ci(root),
        _ => {
            std::io::stderr().write_all(USAGE.as_bytes())?;
            Ok(ExitCode::FAILURE)
        }
    }
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask stands in the workspace")
}

fn report(complaints: &[tidy::Complaint]) -> anyhow::Result<ExitCode> {
    let mut out = std::io::stdout().lock();
    for complaint in complaints {
        writeln!(out, "{complaint}")?;
    }
    Ok(if complaints.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn ci(root: &Path) -> anyhow::Result<ExitCode> {
    let status = Command::new("bash").arg(root.join(".ci/run")).status();
    let status = status.context("cannot run .ci/run")?;
    Ok(if status.success() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
