//! `cargo xtask eval`: how the product fares on published crates.

mod crates;
mod reach;
mod subject;
mod table;

use std::process::ExitCode;

use anyhow::bail;

/// What can be evaluated.
pub(crate) fn run(args: &[String]) -> anyhow::Result<ExitCode> {
    match args.split_first() {
        Some((what, rest)) if what == "reach" => reach::run(rest),
        _ => bail!("usage: cargo xtask eval reach {}", reach::OPTIONS),
    }
}
