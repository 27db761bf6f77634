//! Keeps the last Api of every subject beside the results, and takes it again while nothing has
//! changed.

use std::{
    fs,
    hash::{DefaultHasher, Hash, Hasher},
    path::{Path, PathBuf},
};

use gainsay_model::api::{Api, Providers, Source, Subject};
use serde::{Deserialize, Serialize};

use crate::{cargo, error::DiscoverError};

#[derive(Serialize, Deserialize)]
struct Kept {
    fingerprint: String,
    api: Api,
}

/// What the Api depends on: this program, the toolchain, the features, and the subject's files,
/// or its name and version if it is published.
pub(crate) fn fingerprint(
    subject: &Subject,
    providers: Option<&Providers>,
) -> Result<String, DiscoverError> {
    let mut hasher = DefaultHasher::new();
    env!("CARGO_PKG_VERSION").hash(&mut hasher);
    // A rebuilt program may read the same description differently.
    own_build().hash(&mut hasher);
    cargo::rustc_version(&subject.root)?.hash(&mut hasher);
    (&subject.name, &subject.version, &subject.root).hash(&mut hasher);
    let features = &subject.features;
    (features.all_named(), features.all, features.no_default).hash(&mut hasher);
    providers.map(|file| (&file.path, &file.text)).hash(&mut hasher);
    if subject.source == Source::Path {
        for path in inputs(&subject.root) {
            path.hash(&mut hasher);
            fs::read(&path).unwrap_or_default().hash(&mut hasher);
        }
    }
    Ok(format!("{:016x}", hasher.finish()))
}

fn own_build() -> Option<(u64, std::time::SystemTime)> {
    let data = fs::metadata(std::env::current_exe().ok()?).ok()?;
    Some((data.len(), data.modified().ok()?))
}

/// The kept Api, if it is about exactly this.
pub(crate) fn load(subject: &Subject, fingerprint: &str) -> Option<Api> {
    let text = fs::read_to_string(file(subject)).ok()?;
    let kept: Kept = serde_json::from_str(&text).ok()?;
    (kept.fingerprint == fingerprint && kept.api.subject == *subject).then_some(kept.api)
}

/// Keeps an Api. A file of another process is never seen half written.
pub(crate) fn save(subject: &Subject, fingerprint: &str, api: &Api) -> Result<(), DiscoverError> {
    let kept = Kept { fingerprint: fingerprint.to_owned(), api: api.clone() };
    let text = serde_json::to_string(&kept).expect("an Api has only string keys");
    let path = file(subject);
    let draft = path.with_extension(format!("json.{}", std::process::id()));
    fs::create_dir_all(path.parent().expect("the file lies in a directory"))
        .and_then(|()| fs::write(&draft, text))
        .and_then(|()| fs::rename(&draft, &path))
        .map_err(|source| DiscoverError::File { path, source })
}

fn file(subject: &Subject) -> PathBuf {
    let name = format!("{}-{}.json", subject.name, subject.version);
    subject.out_dir.join("api").join(name)
}

/// Manifest, build script, sources, and what examples are taken from, in a fixed order.
fn inputs(root: &Path) -> Vec<PathBuf> {
    let single = ["Cargo.toml", "Cargo.lock", "build.rs", "README.md"];
    let mut found: Vec<PathBuf> = single.iter().map(|name| root.join(name)).collect();
    for dir in ["src", "tests", "examples"] {
        sources(&root.join(dir), &mut found);
    }
    found
}

/// All Rust files below a directory, sorted.
pub(crate) fn sources(dir: &Path, found: &mut Vec<PathBuf>) {
    let Ok(entries) = fs::read_dir(dir) else { return };
    let mut paths: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    paths.sort();
    for path in paths {
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}
