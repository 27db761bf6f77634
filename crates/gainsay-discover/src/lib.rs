//! Crate → [`Api`]: finds the subject, has rustdoc describe it, and fills every type parameter so
//! that each operation can be written down. Generates no code.

mod aliases;
mod cache;
mod callables;
mod capabilities;
mod cargo;
mod concrete;
mod conditions;
mod dependencies;
mod docs;
mod elements;
mod error;
mod examples;
mod features;
mod identity;
mod index;
mod instances;
mod lending;
mod literals;
mod lower;
mod matching;
mod merge;
mod operations;
mod plain;
mod project;
mod providers;
mod public_paths;
mod published;
mod reach;
mod refusal;
mod roll;
mod rustdoc;
mod shape;
mod shapes;
mod show;
mod std_paths;
mod std_traits;
mod subject;
mod text;
mod variants;
mod wishes;

use std::path::{Path, PathBuf};

use gainsay_model::api::{Api, Providers, Subject};

pub use error::{DiscoverError, ErrorKind};
pub use subject::{PublishedSpec, Request, Unasked};
pub use text::text;

/// Finds the crate that `request` is about and a place for results.
pub fn resolve(request: &Request) -> Result<Subject, DiscoverError> {
    subject::resolve(request)
}

/// The subject with its default features alone, because it does not build with those that nobody
/// asked for.
pub fn without_extra_features(subject: &Subject, why: &str) -> Result<Subject, DiscoverError> {
    refusal::without_extra(subject, why)
}

/// Has [`resolve`] know the next time that a subject builds with its default features alone.
pub fn remember_refusal(subject: &Subject) -> Result<(), DiscoverError> {
    refusal::remember(subject)
}

/// Where [`resolve`] puts the package that depends on a published subject alone, with a lock file
/// that also holds what is yanked. The version is the whole one.
pub fn published_package(out_dir: &Path, name: &str, version: &str) -> PathBuf {
    published::scratch_dir(out_dir, name, version)
}

/// Reads what `subject` offers. A subject with nothing public gives an `Api` without operations.
pub fn discover(subject: &Subject) -> Result<Api, DiscoverError> {
    discover_with(subject, None)
}

/// The same with functions of the user that make values.
pub fn discover_with(
    subject: &Subject,
    providers: Option<&Providers>,
) -> Result<Api, DiscoverError> {
    let fingerprint = cache::fingerprint(subject, providers)?;
    if let Some(api) = cache::load(subject, &fingerprint) {
        return Ok(api);
    }
    let described = dependencies::describe(subject)?;
    let api = operations::api(subject, &described, providers)?;
    cache::save(subject, &fingerprint, &api)?;
    Ok(api)
}
