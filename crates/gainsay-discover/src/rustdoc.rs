//! Has rustdoc describe the subject in JSON, with the user's own stable toolchain.

use std::{
    fs,
    hash::{DefaultHasher, Hash, Hasher},
    ops::RangeInclusive,
    path::{Path, PathBuf},
    process::Command,
};

use gainsay_model::{
    api::{Dependency, Source, Subject},
    features::Features,
};
use rustdoc_types::Crate;
use serde::Deserialize;
use serde_json::Value;

use crate::{cargo, error::DiscoverError, published};

/// The format that `rustdoc_types` was made for, and later ones that only add fields to it.
const FORMATS: RangeInclusive<u64> = rustdoc_types::FORMAT_VERSION as u64..=61;

/// Runs `cargo rustdoc` on the subject and reads its result.
pub(crate) fn describe(subject: &Subject) -> Result<Value, DiscoverError> {
    let target_dir = target_dir(subject);
    run(subject, &target_dir, rustdoc_command(subject, &target_dir), &subject.lib_name)
}

/// The same for one of the subject's dependencies.
pub(crate) fn describe_dependency(
    subject: &Subject,
    dependency: &Dependency,
) -> Result<Value, DiscoverError> {
    let target_dir = target_dir(subject);
    let mut command = cargo_rustdoc(subject, &target_dir);
    command.args(["-p", &format!("{}@{}", dependency.package, dependency.version)]);
    run(subject, &target_dir, with_json(command), &dependency.lib_name)
}

fn run(
    subject: &Subject,
    target_dir: &Path,
    mut command: Command,
    lib_name: &str,
) -> Result<Value, DiscoverError> {
    let output = cargo::output(&mut command)?;
    if !output.status.success() {
        return Err(failure(subject, &String::from_utf8_lossy(&output.stderr)));
    }
    let path = find_json(target_dir, lib_name)
        .ok_or_else(|| unreadable(subject, "rustdoc wrote no file"))?;
    let text = fs::read_to_string(&path).map_err(|source| DiscoverError::File { path, source })?;
    parse(subject, &text)
}

fn cargo_rustdoc(subject: &Subject, target_dir: &Path) -> Command {
    let dir = match subject.source {
        Source::Path => subject.root.clone(),
        Source::Registry => {
            published::scratch_dir(&subject.out_dir, &subject.name, &subject.version)
        }
    };
    let mut command = cargo::command(&dir);
    command.env("RUSTC_BOOTSTRAP", "1").args(["rustdoc", "--lib", "--target-dir"]).arg(target_dir);
    if subject.source == Source::Path {
        command.arg("--manifest-path").arg(subject.root.join("Cargo.toml"));
    }
    command
}

fn rustdoc_command(subject: &Subject, target_dir: &Path) -> Command {
    let mut command = cargo_rustdoc(subject, target_dir);
    match subject.source {
        Source::Path => feature_arguments(&mut command, &subject.features),
        // Features of a dependency are chosen in the scratch package's manifest.
        Source::Registry => {
            command.args(["-p", &format!("{}@{}", subject.name, subject.version)]);
        }
    }
    with_json(command)
}

fn with_json(mut command: Command) -> Command {
    command.args(["--", "-Zunstable-options", "--output-format", "json", "--cap-lints", "allow"]);
    command
}

fn feature_arguments(command: &mut Command, features: &Features) {
    if features.all {
        command.arg("--all-features");
    }
    if features.no_default {
        command.arg("--no-default-features");
    }
    let listed = features.all_named();
    if !listed.is_empty() {
        command.args(["--features", &listed.join(",")]);
    }
}

/// One directory per subject and set of features: cargo believes an output to be fresh that
/// another set of features has overwritten.
fn target_dir(subject: &Subject) -> PathBuf {
    let mut hasher = DefaultHasher::new();
    let features = &subject.features;
    (features.all_named(), features.all, features.no_default).hash(&mut hasher);
    let name = format!("{}-{}-{:016x}", subject.name, subject.version, hasher.finish());
    subject.out_dir.join("doc").join(name)
}

/// `doc/NAME.json`, below a directory per target triple if the user's settings name one.
fn find_json(target_dir: &Path, lib_name: &str) -> Option<PathBuf> {
    let file = Path::new("doc").join(format!("{lib_name}.json"));
    let direct = target_dir.join(&file);
    if direct.is_file() {
        return Some(direct);
    }
    let mut below: Vec<PathBuf> = fs::read_dir(target_dir)
        .ok()?
        .filter_map(|entry| Some(entry.ok()?.path().join(&file)))
        .filter(|path| path.is_file())
        .collect();
    below.sort();
    below.into_iter().next()
}

#[derive(Deserialize)]
struct FormatOnly {
    format_version: u64,
}

/// A description as rustdoc's types.
pub(crate) fn typed(subject: &Subject, value: Value) -> Result<Crate, DiscoverError> {
    serde_json::from_value(value).map_err(|error| unreadable(subject, &error.to_string()))
}

fn parse(subject: &Subject, text: &str) -> Result<Value, DiscoverError> {
    let FormatOnly { format_version } =
        unlimited(text).map_err(|error| unreadable(subject, &error.to_string()))?;
    if !FORMATS.contains(&format_version) {
        return Err(DiscoverError::UnsupportedFormat {
            found: format_version,
            toolchain: cargo::rustc_version(&subject.root)?,
        });
    }
    unlimited(text).map_err(|error| unreadable(subject, &error.to_string()))
}

/// Reads what nests deeper than `serde_json` usually allows: a number as a type is a list of its
/// digits, one within the other. rustdoc has built the same types before, so they are not endless.
fn unlimited<'t, T: Deserialize<'t>>(text: &'t str) -> Result<T, serde_json::Error> {
    let mut reader = serde_json::Deserializer::from_str(text);
    reader.disable_recursion_limit();
    let value = T::deserialize(&mut reader)?;
    reader.end()?;
    Ok(value)
}

fn unreadable(subject: &Subject, reason: &str) -> DiscoverError {
    DiscoverError::UnreadableDescription {
        package: subject.name.clone(),
        reason: reason.to_owned(),
    }
}

fn failure(subject: &Subject, stderr: &str) -> DiscoverError {
    let rendered = cargo::essential(stderr);
    let by_compiler = ["could not compile", "could not document", "error[E", "build script"];
    if by_compiler.iter().any(|mark| rendered.contains(mark)) {
        DiscoverError::DoesNotCompile { package: subject.name.clone(), rendered }
    } else {
        DiscoverError::Cargo { stderr: rendered }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn described(format: u64) -> Result<Crate, DiscoverError> {
        described_with(format, "1")
    }

    fn described_with(format: u64, unknown: &str) -> Result<Crate, DiscoverError> {
        let text = format!(
            r#"{{"root":0,"crate_version":null,"includes_private":false,"index":{{}},"paths":{{}},
            "external_crates":{{}},"target":{{"triple":"x","target_features":[]}},
            "format_version":{format},"a_field_of_tomorrow":{unknown}}}"#
        );
        let subject = Subject {
            name: "tiny".into(),
            version: "0.1.0".into(),
            lib_name: "tiny".into(),
            root: PathBuf::from("."),
            out_dir: PathBuf::from("."),
            source: Source::Path,
            features: Features::default(),
        };
        typed(&subject, parse(&subject, &text)?)
    }

    #[test]
    fn formats_that_only_add_fields_are_read() {
        assert!(described(57).is_ok());
        assert!(described(61).is_ok());
    }

    #[test]
    fn what_nests_deeply_is_read() {
        let deep = format!("{}{}", "[".repeat(600), "]".repeat(600));
        assert!(described_with(57, &deep).is_ok());
    }

    #[test]
    fn another_format_names_the_toolchains_that_can_be_read() {
        let error = described(62).unwrap_err();
        assert!(matches!(error, DiscoverError::UnsupportedFormat { found: 62, .. }), "{error}");
        assert!(error.hint().unwrap().contains("rustc 1.95"));
    }
}
