//! From what was asked for to the [`Subject`]: a package on this machine, or a published one.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use cargo_metadata::{Metadata, Package, TargetKind};
use gainsay_model::{
    api::{Source, Subject},
    features::Features,
};

use crate::{cargo, error::DiscoverError, features, published, refusal};

/// What to test and where to put the results.
#[derive(Clone, Debug)]
pub struct Request {
    /// `--manifest-path`
    pub manifest_path: Option<PathBuf>,
    /// `-p`
    pub package: Option<String>,
    /// `--crate`
    pub published: Option<PublishedSpec>,
    /// Features to switch on. Of the extra ones, those count that the package has.
    pub features: Features,
    /// What else to switch on.
    pub unasked: Unasked,
    /// Where the command was started.
    pub current_dir: PathBuf,
    /// `--target-dir`
    pub target_dir: Option<PathBuf>,
}

/// Which features are switched on that nobody asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unasked {
    /// Those that are off by default and only add to the crate.
    Additive,
    /// None.
    Nothing,
}

/// A crate of the registry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PublishedSpec {
    /// Its name.
    pub name: String,
    /// Its exact version; the newest when absent.
    pub version: Option<String>,
}

impl std::str::FromStr for PublishedSpec {
    type Err = std::convert::Infallible;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (name, version) = match text.split_once('@') {
            Some((name, version)) => (name, Some(version.to_owned())),
            None => (text, None),
        };
        Ok(PublishedSpec { name: name.to_owned(), version })
    }
}

pub(crate) fn resolve(request: &Request) -> Result<Subject, DiscoverError> {
    match &request.published {
        Some(spec) => published::resolve(request, spec),
        None => resolve_local(request),
    }
}

fn resolve_local(request: &Request) -> Result<Subject, DiscoverError> {
    let manifest = manifest(request)?;
    let metadata = cargo::metadata(&manifest, &request.current_dir)?
        .map_err(|stderr| DiscoverError::Cargo { stderr: cargo::essential(&stderr) })?;
    let package = choose(&metadata, request.package.as_deref(), &manifest)?;
    let target = match &request.target_dir {
        Some(dir) => request.current_dir.join(dir),
        None => metadata.target_directory.clone().into_std_path_buf(),
    };
    let out_dir = writable(target.join("gainsay"))?;
    subject(package, out_dir, Source::Path, request)
}

/// The manifest that was named, or the nearest one at or above the current directory.
fn manifest(request: &Request) -> Result<PathBuf, DiscoverError> {
    if let Some(path) = &request.manifest_path {
        let path = request.current_dir.join(path);
        return if path.is_file() { Ok(path) } else { Err(DiscoverError::NoSuchManifest { path }) };
    }
    request
        .current_dir
        .ancestors()
        .map(|dir| dir.join("Cargo.toml"))
        .find(|path| path.is_file())
        .ok_or_else(|| DiscoverError::NoManifest { dir: request.current_dir.clone() })
}

fn choose<'a>(
    metadata: &'a Metadata,
    name: Option<&str>,
    manifest: &Path,
) -> Result<&'a Package, DiscoverError> {
    let members = metadata.workspace_packages();
    let names = || {
        let mut names: Vec<_> = members.iter().map(|p| p.name.to_string()).collect();
        names.sort();
        names
    };
    if let Some(name) = name {
        return members.iter().find(|package| package.name.as_str() == name).copied().ok_or_else(
            || DiscoverError::NoSuchPackage { name: name.to_owned(), members: names() },
        );
    }
    let here = |package: &&Package| same_file(package.manifest_path.as_std_path(), manifest);
    match members.iter().copied().find(here) {
        Some(package) => Ok(package),
        None if members.len() == 1 => Ok(members[0]),
        None => Err(DiscoverError::SeveralPackages { members: names() }),
    }
}

fn same_file(left: &Path, right: &Path) -> bool {
    match (left.canonicalize(), right.canonicalize()) {
        (Ok(left), Ok(right)) => left == right,
        _ => left == right,
    }
}

/// Refuses features that the package does not declare.
fn check_features(package: &Package, features: &Features) -> Result<(), DiscoverError> {
    let unknown = features
        .named
        .iter()
        .flat_map(|text| text.split([',', ' ']))
        .filter(|name| !name.is_empty() && !name.contains('/'))
        .find(|name| !package.features.contains_key(*name));
    match unknown {
        None => Ok(()),
        Some(feature) => Err(DiscoverError::NoSuchFeature {
            package: package.name.to_string(),
            feature: feature.to_owned(),
            available: package.features.keys().cloned().collect(),
        }),
    }
}

/// The subject of a package, if it has a library.
pub(crate) fn subject(
    package: &Package,
    out_dir: PathBuf,
    source: Source,
    request: &Request,
) -> Result<Subject, DiscoverError> {
    check_features(package, &request.features)?;
    let has = |kind: &TargetKind| package.targets.iter().any(|t| t.kind.contains(kind));
    let library = package.targets.iter().find(|target| {
        target
            .kind
            .iter()
            .any(|kind| matches!(kind, TargetKind::Lib | TargetKind::RLib | TargetKind::DyLib))
    });
    let Some(library) = library else {
        let package = package.name.to_string();
        return Err(if has(&TargetKind::ProcMacro) {
            DiscoverError::ProcMacro { package }
        } else {
            DiscoverError::NoLibrary { package }
        });
    };
    refusal::recall(Subject {
        name: package.name.to_string(),
        version: package.version.to_string(),
        lib_name: library.name.replace('-', "_"),
        root: package
            .manifest_path
            .parent()
            .expect("a manifest is a file in a directory")
            .as_std_path()
            .to_owned(),
        out_dir,
        source,
        features: chosen(package, request),
    })
}

/// The features to switch on.
fn chosen(package: &Package, request: &Request) -> Features {
    let mut features = request.features.clone();
    match request.unasked {
        Unasked::Additive => features.extra = features::extra(package),
        Unasked::Nothing => features.extra.on.retain(|name| package.features.contains_key(name)),
    }
    features
}

/// Makes the results directory and proves that it can be written.
///
/// Several commands may do so at once: each has a probe of its own.
pub(crate) fn writable(dir: PathBuf) -> Result<PathBuf, DiscoverError> {
    let attempt = || -> io::Result<()> {
        fs::create_dir_all(&dir)?;
        let probe = dir.join(format!(".writable-{}", std::process::id()));
        fs::write(&probe, b"")?;
        fs::remove_file(&probe)
    };
    match attempt() {
        Ok(()) => Ok(dir),
        Err(source) => Err(DiscoverError::ReadOnlyTarget { dir, source }),
    }
}
