//! What can be typed after `cargo gainsay db`.

use std::{num::NonZeroUsize, path::PathBuf};

use clap::Subcommand;
use gainsay_engine::store::EXAMPLES;

#[derive(Debug, Subcommand)]
pub(crate) enum LowDb {
    /// Print the path of the store, for tools that read such databases.
    #[command(after_help = "Example:\n  sqlite3 -readonly \"$(cargo gainsay db path)\"")]
    Path,
    /// Tell which crate the store is about, its size, and the rows and bytes of each table.
    #[command(after_help = "Example:\n  cargo gainsay db stats --crate NAME@1.2.3")]
    Stats,
    /// Run a statement that reads, and print its rows.
    ///
    /// Nothing can be changed this way. Long texts are cut in the table, not with `--json`. Of long
    /// blobs only the beginning is shown; `hex(COLUMN)` with `--json` gives all of them.
    #[command(after_help = sql_examples())]
    Sql {
        /// One statement.
        #[arg(value_name = "STATEMENT")]
        statement: String,
        /// Print each row as a JSON object in a line of its own.
        #[arg(long)]
        json: bool,
        /// Print no more rows than this; how many others there are is told.
        #[arg(long, value_name = "N", default_value = "100")]
        limit: NonZeroUsize,
    },
    /// Write a copy of the store to a new file.
    ///
    /// The copy is of one moment, also while a run is writing.
    #[command(after_help = "Example:\n  cargo gainsay db export before.sqlite")]
    Export {
        /// The file to write; it must not be there yet.
        file: PathBuf,
    },
    /// Put a copy in the place of the store.
    ///
    /// The copy is checked first, and the store is untouched until all of the copy is there. The next
    /// run starts from it.
    #[command(after_help = "Example:\n  cargo gainsay db import before.sqlite")]
    Import {
        /// A file that `cargo gainsay db export` wrote.
        file: PathBuf,
    },
    /// Write the store anew, without what is free in it.
    ///
    /// Evidence of other builds of the crate stays in the store until it is dropped here.
    #[command(after_help = "Examples:\n  cargo gainsay db vacuum\n  \
        cargo gainsay db vacuum --keep-builds 2")]
    Vacuum {
        /// Drop the evidence of all builds but the last N that ran.
        #[arg(long, value_name = "N")]
        keep_builds: Option<NonZeroUsize>,
    },
}

fn sql_examples() -> String {
    let examples = EXAMPLES.iter().map(|(statement, about)| {
        format!("  cargo gainsay db sql \"{statement}\"\n      {about}\n")
    });
    format!("Examples:\n{}\ndocs/store.md tells the tables.", examples.collect::<String>())
}
