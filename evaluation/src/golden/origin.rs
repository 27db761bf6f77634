//! Where a record comes from: a fresh run, the files of a run that was made, or a kept record.

use std::{
    fmt, fs,
    path::{Path, PathBuf},
};

use anyhow::Context as _;

use super::{fresh_run::run_fresh, record::Record, run_file};

/// One crate with one seed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Sample {
    /// `name@version`
    pub(super) spec: String,
    pub(super) seed: u64,
    pub(super) calls: u64,
}

impl Sample {
    /// The file that keeps its record.
    pub(super) fn record_path(&self, dir: &Path) -> PathBuf {
        dir.join(format!("{self}.txt"))
    }
}

/// `name@version-seed`, the name of its files.
impl fmt::Display for Sample {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.spec, self.seed)
    }
}

/// The source of records.
pub(super) enum Origin {
    /// Runs of this program.
    Program(PathBuf),
    /// `SAMPLE/run.json` of runs that were made.
    RunFiles(PathBuf),
    /// `SAMPLE.txt` of records that were written.
    Records(PathBuf),
}

impl Origin {
    /// The directory of records or the program at this path.
    pub(super) fn at(path: &Path) -> Origin {
        if path.is_dir() { Origin::Records(path.into()) } else { Origin::Program(path.into()) }
    }

    /// The record of a sample.
    pub(super) fn load(&self, sample: &Sample) -> anyhow::Result<Record> {
        match self {
            Origin::Program(program) => run_file::read_record(&run_fresh(program, sample)?),
            Origin::RunFiles(dir) => {
                run_file::read_record(&dir.join(sample.to_string()).join("run.json"))
            }
            Origin::Records(dir) => {
                let path = sample.record_path(dir);
                let text = fs::read_to_string(&path)
                    .with_context(|| format!("cannot read `{}`", path.display()))?;
                Record::parse(&text).with_context(|| format!("in `{}`", path.display()))
            }
        }
    }
}
