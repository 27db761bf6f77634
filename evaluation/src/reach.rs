//! `cargo evaluation reach`: which share of a crate's public operations returns at least once,
//! crate by crate.

mod table;

use std::{io::Write as _, process::ExitCode};

use crate::{
    crates,
    options::Options,
    product::timed_run::{Product, Row},
};

/// For the usage line.
pub(super) const USAGE: &str = "reach [--crates FILE] [--time 10s] [--limit SECONDS] [--program BINARY] [--json FILE] \
    [NAME@VERSION..]";

/// Tests one crate after the other and prints as it goes.
pub(super) fn run(args: &[String]) -> anyhow::Result<ExitCode> {
    let options = Options::parse(args, 1, USAGE)?;
    let specs = options.specs(&crates::first_table()?)?;
    let program = options.find_program()?;
    let product =
        Product { program: &program, time: &options.time, limit: options.limit, more: &[] };
    let dir = options.place("reach");
    let mut out = std::io::stdout();
    out.write_all(table::HEAD.as_bytes())?;
    let mut rows: Vec<Row> = Vec::new();
    for spec in specs {
        let row = product.test(&spec, &dir.join(spec.replace('@', "-")))?;
        out.write_all(table::line(&row).as_bytes())?;
        rows.push(row);
        // What is there already can be read while the rest goes on.
        options.save(&table::json(&rows, &options.time))?;
    }
    out.write_all(table::totals(&rows).as_bytes())?;
    Ok(ExitCode::SUCCESS)
}
