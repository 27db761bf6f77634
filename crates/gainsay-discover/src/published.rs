//! A published subject: cargo fetches it as the dependency of a tiny scratch package.
//!
//! Yanked versions are still testable: cargo keeps what a lock file already holds, so a lock file
//! with the yanked packages is written first.

use std::{
    fs,
    path::{Path, PathBuf},
};

use cargo_metadata::{Metadata, Package};
use gainsay_model::{
    api::{Source, Subject},
    features::Features,
};

use crate::{
    cargo,
    error::DiscoverError,
    refusal,
    subject::{PublishedSpec, Request, subject, writable},
};

/// Name of the scratch package; no published crate may share a target directory with it.
const SCRATCH: &str = "gainsay-scratch";
/// How many yanked packages may have to be pinned before giving up.
const MOST_PINS: usize = 8;

pub(crate) fn resolve(request: &Request, spec: &PublishedSpec) -> Result<Subject, DiscoverError> {
    let target = match &request.target_dir {
        Some(dir) => request.current_dir.join(dir),
        None => request.current_dir.join("target"),
    };
    let out_dir = writable(target.join("gainsay"))?;
    let version = match &spec.version {
        Some(version) => version.clone(),
        None => newest(&out_dir, &spec.name)?.version.to_string(),
    };
    let scratch = Scratch::new(&out_dir, &spec.name, &version);
    let plain = Features::default();
    let metadata = scratch.fetch(&plain, &[])?;
    let package = metadata_package(&metadata, &spec.name, &version)?;
    let exact = package.version.to_string();
    if exact != version {
        // Directories go by the whole version.
        return resolve(request, &PublishedSpec { version: Some(exact), ..spec.clone() });
    }
    let subject = subject(&package, out_dir.clone(), Source::Registry, request)?;
    if is_plain(&subject.features) {
        return Ok(subject);
    }
    let all: Vec<String> = package.features.keys().cloned().collect();
    match scratch.fetch(&subject.features, &all) {
        Ok(_) => Ok(subject),
        Err(DiscoverError::Interrupted) => Err(DiscoverError::Interrupted),
        // What nobody asked for may need what cannot be had.
        Err(error) if !subject.features.extra.on.is_empty() => {
            refusal::without_extra(&subject, &first_line(&error))
        }
        Err(error) => Err(error),
    }
}

/// Has the scratch package of a subject follow its features, none of which is asked for.
pub(crate) fn fetch_again(subject: &Subject) -> Result<(), DiscoverError> {
    let scratch = Scratch::new(&subject.out_dir, &subject.name, &subject.version);
    scratch.fetch(&subject.features, &[]).map(drop)
}

/// Whether the default features are all there is to switch on.
fn is_plain(features: &Features) -> bool {
    features.all_named().is_empty() && !features.all && !features.no_default
}

fn first_line(error: &DiscoverError) -> String {
    let text = match error {
        DiscoverError::Cargo { stderr } | DiscoverError::Unreachable { stderr, .. } => {
            stderr.clone()
        }
        other => other.to_string(),
    };
    text.lines().next().unwrap_or_default().to_owned()
}

/// The scratch package of a published subject.
pub(crate) fn scratch_dir(out_dir: &Path, name: &str, version: &str) -> PathBuf {
    out_dir.join("published").join(format!("{name}-{version}"))
}

fn newest(out_dir: &Path, name: &str) -> Result<Package, DiscoverError> {
    let scratch = Scratch::any(out_dir, name);
    let metadata = scratch.fetch(&Features::default(), &[])?;
    find(&metadata, name, None).ok_or_else(|| DiscoverError::NoSuchCrate { name: name.to_owned() })
}

fn metadata_package(
    metadata: &Metadata,
    name: &str,
    version: &str,
) -> Result<Package, DiscoverError> {
    find(metadata, name, Some(version)).ok_or_else(|| DiscoverError::NoSuchVersion {
        name: name.to_owned(),
        version: version.to_owned(),
        available: None,
    })
}

fn find(metadata: &Metadata, name: &str, version: Option<&str>) -> Option<Package> {
    let fits = |package: &&Package| {
        package.name.as_str() == name
            && version.is_none_or(|version| is_version(&package.version.to_string(), version))
    };
    metadata.packages.iter().filter(fits).max_by(|a, b| a.version.cmp(&b.version)).cloned()
}

/// Whether a version is the one that was asked for; what follows `+` need not be given.
fn is_version(version: &str, asked: &str) -> bool {
    version == asked || version.split_once('+').is_some_and(|(bare, _)| bare == asked)
}

/// A package with one dependency.
struct Scratch<'a> {
    out_dir: &'a Path,
    dir: PathBuf,
    name: &'a str,
    requirement: String,
}

/// A package of the lock file.
struct Pin {
    name: String,
    version: String,
}

impl<'a> Scratch<'a> {
    fn new(out_dir: &'a Path, name: &'a str, version: &str) -> Self {
        let dir = scratch_dir(out_dir, name, version);
        Scratch { out_dir, dir, name, requirement: format!("={version}") }
    }

    fn any(out_dir: &'a Path, name: &'a str) -> Self {
        let dir = scratch_dir(out_dir, name, "newest");
        Scratch { out_dir, dir, name, requirement: "*".to_owned() }
    }

    /// Writes the package and has cargo resolve and download it.
    fn fetch(&self, features: &Features, all: &[String]) -> Result<Metadata, DiscoverError> {
        let manifest = self.dir.join("Cargo.toml");
        write(&self.dir.join("src/lib.rs"), "")?;
        write(&manifest, &self.manifest(features, all))?;
        if self.requirement == "*" {
            // A lock file would keep what was newest the last time.
            let _ = fs::remove_file(self.dir.join("Cargo.lock"));
        }
        let mut pins: Vec<Pin> = Vec::new();
        loop {
            let stderr = match cargo::metadata(&manifest, &self.dir)? {
                Ok(metadata) => return Ok(metadata),
                Err(stderr) => stderr,
            };
            let pin = yanked(&stderr).filter(|pin| pins.iter().all(|known| known.name != pin.name));
            match pin {
                Some(pin) if pins.len() < MOST_PINS => pins.push(pin),
                _ => return Err(self.failure(&stderr)),
            }
            self.write_lock(&pins)?;
        }
    }

    fn manifest(&self, features: &Features, all: &[String]) -> String {
        let mut named = features.all_named();
        if features.all {
            named.extend(all.iter().cloned());
        }
        named.sort();
        named.dedup();
        let list: Vec<String> = named.iter().map(|name| toml_string(name)).collect();
        format!(
            "# Written by gainsay: makes cargo fetch the crate under test.\n\
             [package]\nname = \"{SCRATCH}\"\nversion = \"0.0.0\"\nedition = \"2021\"\npublish = false\n\n\
             [workspace]\n\n[dependencies.{}]\nversion = {}\ndefault-features = {}\nfeatures = [{}]\n",
            self.name,
            toml_string(&self.requirement),
            !features.no_default,
            list.join(", "),
        )
    }

    /// A lock file that holds the yanked packages, without checksums; cargo fills in the rest.
    fn write_lock(&self, pins: &[Pin]) -> Result<(), DiscoverError> {
        let source = self.registry()?;
        let mut text =
            format!("version = 3\n\n[[package]]\nname = \"{SCRATCH}\"\nversion = \"0.0.0\"\n");
        text.push_str("dependencies = [\n");
        text.push_str(&[" ", &toml_string(self.name), ",\n]\n"].concat());
        for pin in pins {
            let entry = format!(
                "\n[[package]]\nname = {}\nversion = {}\nsource = {}\n",
                toml_string(&pin.name),
                toml_string(&pin.version),
                toml_string(&source),
            );
            text.push_str(&entry);
        }
        write(&self.dir.join("Cargo.lock"), &text)
    }

    /// How lock files name the registry, learnt from a version that is not yanked.
    fn registry(&self) -> Result<String, DiscoverError> {
        if self.requirement == "*" {
            // All versions are yanked.
            return Ok(CRATES_IO.to_owned());
        }
        let any = Scratch::any(self.out_dir, self.name);
        let package = newest(self.out_dir, self.name)?;
        let source = package.source.map(|source| source.repr);
        source.ok_or_else(|| any.failure("error: the package has no source"))
    }

    fn failure(&self, stderr: &str) -> DiscoverError {
        if UNREACHABLE.iter().any(|words| stderr.contains(words)) {
            let (name, stderr) = (self.name.to_owned(), cargo::essential(stderr));
            return DiscoverError::Unreachable { name, stderr };
        }
        if stderr.contains("no matching package named") {
            return DiscoverError::NoSuchCrate { name: self.name.to_owned() };
        }
        let requirement = format!("requirement `{} = ", self.name);
        let unmet = stderr.contains("failed to select a version") && stderr.contains(&requirement);
        if unmet || stderr.contains("failed to parse the version requirement") {
            return DiscoverError::NoSuchVersion {
                name: self.name.to_owned(),
                version: self.requirement.trim_start_matches('=').to_owned(),
                available: stderr
                    .lines()
                    .find(|line| line.contains("versions found"))
                    .map(|line| line.trim().to_owned()),
            };
        }
        DiscoverError::Cargo { stderr: cargo::essential(stderr) }
    }
}

/// How lock files name the registry that everybody uses.
const CRATES_IO: &str = "registry+https://github.com/rust-lang/crates.io-index";

/// What cargo says when it did not or could not ask the registry.
const UNREACHABLE: &[&str] = &[
    "offline mode",
    "--offline",
    "Could not resolve host",
    "Couldn't resolve host",
    "Could not connect to server",
    "Couldn't connect to server",
    "spurious network error",
    "network failure seems to have happened",
];

/// The newest yanked version that would have met the requirement cargo could not meet.
fn yanked(stderr: &str) -> Option<Pin> {
    let (_, rest) = stderr.split_once("failed to select a version for the requirement `")?;
    let (name, rest) = rest.split_once(' ')?;
    let version = rest
        .lines()
        .filter_map(|line| line.trim().strip_prefix("version ")?.strip_suffix(" is yanked"))
        .next_back()?;
    Some(Pin { name: name.to_owned(), version: version.to_owned() })
}

fn toml_string(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

fn write(path: &Path, text: &str) -> Result<(), DiscoverError> {
    let attempt = || {
        fs::create_dir_all(path.parent().expect("scratch files lie in a directory"))?;
        // An unchanged file keeps its time stamp, so that cargo sees nothing new.
        if fs::read_to_string(path).is_ok_and(|old| old == text) {
            return Ok(());
        }
        fs::write(path, text)
    };
    attempt().map_err(|source| DiscoverError::File { path: path.to_owned(), source })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_yanked_version_is_read_from_cargos_message() {
        let stderr = "error: failed to select a version for the requirement `some-dep = \"^0.1.2\"`\n  \
                      version 0.1.2 is yanked\n  version 0.1.11 is yanked\nlocation searched: index\n";
        let pin = yanked(stderr).unwrap();
        assert_eq!((pin.name.as_str(), pin.version.as_str()), ("some-dep", "0.1.11"));
        assert!(yanked("error: no matching package named `x` found").is_none());
    }

    #[test]
    fn a_version_may_be_asked_for_without_its_metadata() {
        assert!(is_version("1.2.3", "1.2.3"));
        assert!(is_version("1.2.3+spec-1.1", "1.2.3"));
        assert!(is_version("1.2.3+spec-1.1", "1.2.3+spec-1.1"));
        assert!(!is_version("1.2.30", "1.2.3"));
        assert!(!is_version("1.2.3+spec-1.1", "1.2.3+other"));
    }

    #[test]
    fn a_manifest_lists_all_features_when_asked() {
        let out = PathBuf::from("out");
        let scratch = Scratch::new(&out, "thing", "1.2.3");
        let features = Features {
            named: vec!["b,c".into()],
            all: true,
            no_default: true,
            ..Features::default()
        };
        let text = scratch.manifest(&features, &["a".into(), "b".into()]);
        assert!(text.contains("features = [\"a\", \"b\", \"c\"]"), "{text}");
        assert!(text.contains("default-features = false"), "{text}");
        assert!(text.contains("version = \"=1.2.3\""), "{text}");
    }
}
