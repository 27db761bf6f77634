//! Reuse of what was built before: a stamp beside the program says from what it was made.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

use gainsay_model::{
    api::{Api, Source, Subject},
    build::Build,
};
use gainsay_wire::Digest;
use serde::{Deserialize, Serialize};

use crate::{
    embedded,
    error::HarnessError,
    harness::Harness,
    layout::{self, Counters, Layout},
    live::{Pruned, Unit},
};

/// What a build depends on apart from files of the subject: the Api, this generator, the runtime,
/// the compiler and its flags, coverage.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Key(String);

impl Key {
    /// The key of a build of `api` by the compiler of this version.
    pub(crate) fn new(api: &Api, compiler: &str, counters: Counters) -> Key {
        let mut text = serde_json::to_string(api).expect("an Api has text keys only");
        for part in [compiler, &std::env::var("RUSTFLAGS").unwrap_or_default()] {
            text.push('\0');
            text.push_str(part);
        }
        let api = Digest::of_bytes(text.as_bytes());
        let (runtime, generator) = (embedded::digest(), embedded::GENERATOR);
        Key(format!("{api:016x}-{runtime:016x}-{generator}-{counters:?}"))
    }
}

/// Files by path, with the digests of what they held.
type Inputs = BTreeMap<PathBuf, u64>;

#[derive(Serialize, Deserialize)]
struct Stamp {
    key: Key,
    inputs: Inputs,
    program_len: u64,
    harness: Harness,
}

#[derive(Serialize, Deserialize)]
struct Memory {
    key: Key,
    pruned: Vec<(Unit, String)>,
}

/// The files beside a harness that remember its build.
pub(crate) struct Cache<'a> {
    pub(crate) layout: &'a Layout<'a>,
    pub(crate) key: Key,
    pub(crate) build: Build,
}

impl Cache<'_> {
    /// The harness of an earlier build, if nothing has changed since.
    pub(crate) fn load(&self) -> Option<Harness> {
        let stamp: Stamp = read(&self.stamp())?;
        let unchanged = |(path, digest): (&PathBuf, &u64)| digest_of(path) == Some(*digest);
        let valid = stamp.key == self.key
            && len_of(&stamp.harness.program) == Some(stamp.program_len)
            && stamp.inputs.iter().all(unchanged);
        valid.then_some(Harness { fresh: true, ..stamp.harness })
    }

    /// Forgets the earlier build; its program is about to be replaced.
    pub(crate) fn forget(&self) {
        let _ = fs::remove_file(self.stamp());
    }

    /// Remembers a build.
    pub(crate) fn save(&self, harness: &Harness, subject: &Subject) -> Result<(), HarnessError> {
        let stamp = Stamp {
            key: self.key.clone(),
            inputs: inputs(&harness.program, subject),
            program_len: len_of(&harness.program).unwrap_or(0),
            harness: harness.clone(),
        };
        write(&self.stamp(), &stamp)
    }

    /// Units that rustc rejected before for the same Api.
    pub(crate) fn pruned(&self) -> Pruned {
        let memory: Option<Memory> = read(&self.memory());
        let memory = memory.filter(|memory| memory.key == self.key);
        memory.map(|memory| memory.pruned.into_iter().collect()).unwrap_or_default()
    }

    /// Remembers what rustc rejected, also when the build ends early.
    pub(crate) fn save_pruned(&self, pruned: &Pruned) -> Result<(), HarnessError> {
        let pruned = pruned.iter().map(|(unit, message)| (*unit, message.clone())).collect();
        write(&self.memory(), &Memory { key: self.key.clone(), pruned })
    }

    fn stamp(&self) -> PathBuf {
        let name = match self.build {
            Build::Debug => "stamp.json".to_owned(),
            other => format!("stamp-{other}.json"),
        };
        self.layout.dir.join(name)
    }

    fn memory(&self) -> PathBuf {
        self.layout.dir.join("pruned.json")
    }
}

fn write<T: Serialize>(path: &Path, value: &T) -> Result<(), HarnessError> {
    let text = serde_json::to_string(value).expect("stamps have text keys only");
    layout::write(path, &text)
}

fn read<T: for<'de> Deserialize<'de>>(path: &Path) -> Option<T> {
    serde_json::from_slice(&fs::read(path).ok()?).ok()
}

fn len_of(path: &Path) -> Option<u64> {
    fs::metadata(path).ok().map(|metadata| metadata.len())
}

fn digest_of(path: &Path) -> Option<u64> {
    fs::read(path).ok().map(|bytes| Digest::of_bytes(&bytes))
}

/// What cargo says the program was made from, and the manifests, which it leaves out.
fn inputs(program: &Path, subject: &Subject) -> Inputs {
    let listed = fs::read_to_string(program.with_extension("d")).unwrap_or_default();
    let mut paths = dependencies(&listed);
    if subject.source == Source::Path {
        for dir in subject.root.ancestors() {
            paths.extend(["Cargo.toml", "Cargo.lock"].map(|name| dir.join(name)));
        }
    }
    paths.into_iter().filter_map(|path| digest_of(&path).map(|digest| (path, digest))).collect()
}

/// The files of a makefile rule; spaces in names are escaped.
fn dependencies(rule: &str) -> Vec<PathBuf> {
    let Some((_, files)) = rule.lines().next().and_then(|line| line.split_once(": ")) else {
        return Vec::new();
    };
    let files = files.replace("\\ ", "\0");
    files
        .split(' ')
        .filter(|file| !file.is_empty())
        .map(|file| file.replace('\0', " ").into())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_with_spaces_are_read_from_a_rule() {
        let files = dependencies("/out/a\\ b/program: /in/x.rs /in/a\\ b/y.rs\n\n/in/x.rs:\n");
        assert_eq!(files, [PathBuf::from("/in/x.rs"), PathBuf::from("/in/a b/y.rs")]);
        assert_eq!(dependencies(""), Vec::<PathBuf>::new());
    }
}
