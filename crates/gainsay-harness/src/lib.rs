//! Api → built worker program: plans what can be called and seen, writes it as a thin crate of
//! tables, takes out what rustc rejects, and builds it. Does not run it. Also patches on copies of
//! sources ([`patch`]).

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
pub mod patch;
mod plan;
mod prune;
#[cfg(test)]
mod sample;
mod suite;
mod symbol;
#[cfg(test)]
mod tests;
mod text;
mod variant;
mod wrapper;
mod yielding;

use std::{fs, path::PathBuf};

use gainsay_model::{api::Api, build::Build};

pub use counters::subject_counters;
pub use error::HarnessError;
pub use harness::{Harness, HarnessedOp};
pub use suite::{Compiled, Edition, Suite, TestFile, host};
pub use text::text;
pub use wrapper::{WRAPPER_ENV, rustc_wrapper};
pub use yielding::{Background, Manners};

use cache::{Cache, Key};
use code::Sources;
use layout::{Counters, Layout};
use live::Live;
use plan::Plan;
use variant::Variant;

/// How to build.
#[derive(Clone, Debug, Default)]
pub struct BuildOptions {
    /// Program that calls [`rustc_wrapper`] first thing when [`WRAPPER_ENV`] is set, usually our
    /// own; without it the harness has no coverage counters.
    pub wrapper: Option<PathBuf>,
    /// Given when others have more need of the processors, and may lose patience.
    pub background: Option<Background>,
}

/// Builds the worker program for `api`, or finds that an earlier one will do.
pub fn build(api: &Api, options: &BuildOptions) -> Result<Harness, HarnessError> {
    let subject = &api.subject;
    let counters = if options.wrapper.is_some() { Counters::On } else { Counters::Off };
    let layout = Layout::new(api, counters);
    let _lock = lock(&layout)?;
    let compiler = cargo::rustc_version(&layout.dir)?;
    let key = Key::new(api, &compiler, counters);
    let cache = Cache { layout: &layout, key, build: Build::Debug };
    if let Some(harness) = cache.load() {
        return Ok(harness);
    }
    cache.forget();
    layout.prepare(&cargo::features(subject)?)?;
    let plan = Plan::new(api);
    let mut pruned = cache.pruned();
    let cargo = cargo::Cargo::new(&layout, options, &compiler, Build::Debug);
    let program = prune::settle(&plan, &mut pruned, &cargo, |pruned| cache.save_pruned(pruned))?;
    let harness = Harness::new(&Live::new(&plan, &pruned), program);
    cache.save(&harness, subject)?;
    Ok(harness)
}

/// Builds the same program in another way. [`build`] has settled which code compiles.
pub fn build_as(api: &Api, build: Build, options: &BuildOptions) -> Result<Harness, HarnessError> {
    let counters = if options.wrapper.is_some() { Counters::On } else { Counters::Off };
    let layout = Layout::new(api, counters);
    let _lock = lock(&layout)?;
    let compiler = cargo::rustc_version(&layout.dir)?;
    let key = Key::new(api, &compiler, counters);
    let cache = Cache { layout: &layout, key, build };
    if let Some(harness) = cache.load() {
        return Ok(harness);
    }
    cache.forget();
    if Variant::of(build).is_apart() && options.wrapper.is_none() {
        return Err(HarnessError::NoWrapper { build });
    }
    let plan = Plan::new(api);
    let live_without = cache.pruned();
    let live = Live::new(&plan, &live_without);
    layout.write_sources(&Sources::new(&live))?;
    let program = cargo::Cargo::new(&layout, options, &compiler, build).build_once()?;
    let harness = Harness::new(&live, program);
    cache.save(&harness, &api.subject)?;
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
