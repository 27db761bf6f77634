//! A run of a program on a published crate with nothing left of earlier runs.

use std::{
    ffi::OsStr,
    fs, io,
    path::{Path, PathBuf},
};

use anyhow::{Context as _, bail};

use super::origin::Sample;
use crate::product;

/// What may stay of an earlier run of the same program: caches that decide nothing. Above all the
/// faults of earlier runs must go, since they are replayed first and reported again.
const CACHES: [&str; 3] = ["build", "doc", "published"];

/// Runs the program and returns the path of its `run.json`.
pub(super) fn run_fresh(program: &Path, sample: &Sample) -> anyhow::Result<PathBuf> {
    let Sample { spec, seed, calls } = sample;
    // Programs do not share caches: a cache of one may mean something else to the other.
    let golden = product::target(crate::root()).join("evaluation/golden");
    let place = golden.join(product::label(program)).join(spec);
    let results = place.join("gainsay");
    fs::create_dir_all(&results)
        .and_then(|()| remove_results(&results))
        .with_context(|| format!("cannot empty `{}`", results.display()))?;
    let (seed, calls) = (seed.to_string(), calls.to_string());
    let args = ["--crate", spec, "--calls", &calls, "--seed", &seed, "--profile", "debug", "-j2"];
    let output = product::run(program, (&place, &place), &args)?;
    if !matches!(output.status.code(), Some(0 | 2)) {
        bail!("{sample}: {}", String::from_utf8_lossy(&output.stderr).trim());
    }
    Ok(results.join("run.json"))
}

fn remove_results(results: &Path) -> io::Result<()> {
    for entry in fs::read_dir(results)? {
        let path = entry?.path();
        if CACHES.iter().any(|cache| path.file_name() == Some(OsStr::new(cache))) {
            continue;
        }
        if path.is_dir() { fs::remove_dir_all(&path)? } else { fs::remove_file(&path)? }
    }
    Ok(())
}
