//! Api → built worker program: plans what can be called and seen, writes it as a thin crate of
//! tables, takes out what rustc rejects, and builds it. Does not run it.

mod cache;
mod cargo;
mod code;
mod counters;
mod elf;
mod embedded;
mod error;
mod harness;
mod layout;
mod live;
mod plan;
mod prune;
#[cfg(test)]
mod sample;
mod symbol;
#[cfg(test)]
mod tests;
mod text;
mod wrapper;

use std::{fs, path::PathBuf};

use gainsay_model::api::Api;

pub use counters::subject_counters;
pub use error::HarnessError;
pub use harness::{Harness, HarnessedOp};
pub use text::text;
pub use wrapper::{WRAPPER_ENV, rustc_wrapper};

use cache::{Cache, Key};
use layout::{Counters, Layout};
use live::Live;
use plan::Plan;

/// How to build.
#[derive(Clone, Debug, Default)]
pub struct BuildOptions {
    /// Program that calls [`rustc_wrapper`] first thing when [`WRAPPER_ENV`] is set, usually our
    /// own; without it the harness has no coverage counters.
    pub wrapper: Option<PathBuf>,
}

/// Builds the worker program for `api`, or finds that an earlier one will do.
pub fn build(api: &Api, options: &BuildOptions) -> Result<Harness, HarnessError> {
    let subject = &api.subject;
    let counters = if options.wrapper.is_some() { Counters::On } else { Counters::Off };
    let layout = Layout::new(api, counters);
    let _lock = lock(&layout)?;
    let compiler = cargo::rustc_version(&layout.dir)?;
    let key = Key::new(api, &compiler, counters);
    let cache = Cache { layout: &layout, key };
    if let Some(harness) = cache.load() {
        return Ok(harness);
    }
    cache.forget();
    layout.prepare(&cargo::features(subject)?)?;
    let plan = Plan::new(api);
    let mut pruned = cache.pruned();
    let cargo = cargo::Cargo { layout: &layout, wrapper: options.wrapper.as_deref() };
    let program = prune::settle(&plan, &mut pruned, &cargo, |pruned| cache.save_pruned(pruned))?;
    let harness = Harness::new(&Live::new(&plan, &pruned), program);
    cache.save(&harness, subject)?;
    Ok(harness)
}

/// One build at a time in one place; released when the file is closed.
fn lock(layout: &Layout<'_>) -> Result<fs::File, HarnessError> {
    let path = layout.dir.join("lock");
    let attempt = || {
        fs::create_dir_all(&layout.dir)?;
        let file = fs::File::create(&path)?;
        file.lock()?;
        Ok(file)
    };
    attempt().map_err(|source| HarnessError::File { path: path.clone(), source })
}
