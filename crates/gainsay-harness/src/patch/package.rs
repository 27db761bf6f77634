//! A copied package with patches, of which those are kept that rustc accepts.

use std::{
    collections::BTreeMap,
    fs,
    ops::Range,
    path::{Path, PathBuf},
    process::Stdio,
};

use super::{
    Patch, PatchNumber, Schema,
    copy::{file_error, find_library_root, list_sources},
    schemata::{ROOT, SWITCHES_FILE, write_switches},
};
use crate::{
    cargo::{Diagnostic, Message, Place, cargo, failure, messages, output},
    error::HarnessError,
};

/// rustc reports in phases (names, types, borrows), and an error can hide others; a dozen rounds
/// sufficed for all crates of the evaluation.
const MOST_ROUNDS: usize = 12;

/// The library of a package that is a copy, and the patches of its sources.
#[derive(Debug)]
pub struct PatchedPackage {
    dir: PathBuf,
    /// The file that the library begins with.
    root: PathBuf,
    /// The sources as they were, with lints that only warn.
    originals: Vec<(PathBuf, String)>,
    /// Each with the place of its source.
    patches: BTreeMap<PatchNumber, (usize, Patch)>,
    /// Items that guards and patches call in the module of the switches.
    items: String,
}

/// A patch that rustc rejects.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rejection {
    /// The number that it had.
    pub number: PatchNumber,
    /// The first line of the error.
    pub message: String,
}

impl PatchedPackage {
    /// The sources beside and below the file that the library of a copied package begins with.
    pub fn open(dir: &Path) -> Result<PatchedPackage, HarnessError> {
        let root = find_library_root(dir)?;
        let home = root.parent().unwrap_or(dir).to_owned();
        let mut originals = Vec::new();
        for path in list_sources(&home)? {
            let text = fs::read_to_string(&path).map_err(file_error(&path))?;
            originals.push((path, soften_lints(&text)));
        }
        let (dir, patches) = (dir.to_owned(), BTreeMap::new());
        Ok(PatchedPackage { dir, root, originals, patches, items: String::new() })
    }

    /// The sources, with their paths, as they are without patches.
    pub fn originals(&self) -> &[(PathBuf, String)] {
        &self.originals
    }

    /// Puts items into the module `crate::__gainsay_patches`, for guards and patches to call.
    pub fn add_items(&mut self, items: &str) {
        self.items.push_str(items);
    }

    /// Adds a patch of a source, and numbers it from 1 on in the order of additions.
    pub fn add_patch(&mut self, original: usize, patch: Patch) -> PatchNumber {
        // Numbers are not given again: what was rejected had one.
        let number = self.patches.last_key_value().map_or(1, |(last, _)| last + 1);
        self.patches.insert(number, (original, patch));
        number
    }

    /// Whether a patch is still there.
    pub fn has_patch(&self, number: PatchNumber) -> bool {
        self.patches.contains_key(&number)
    }

    /// Writes the sources with all patches, and takes out what rustc rejects until the rest
    /// compiles; `target` is for what cargo builds.
    pub fn prune_patches(&mut self, target: &Path) -> Result<Vec<Rejection>, HarnessError> {
        let mut rejected = Vec::new();
        let mut message = String::new();
        for round in 1..=MOST_ROUNDS {
            let schemata = self.write_sources()?;
            let errors = self.check_library(target)?;
            if errors.is_empty() {
                return Ok(rejected);
            }
            message = errors[0].rendered.clone().unwrap_or_else(|| errors[0].headline());
            let blamed = self.blame_patches(&schemata, &errors);
            if blamed.is_empty() {
                return Err(HarnessError::DoesNotSettle { rounds: round, message });
            }
            for (number, message) in blamed {
                self.patches.remove(&number);
                rejected.push(Rejection { number, message });
            }
        }
        Err(HarnessError::DoesNotSettle { rounds: MOST_ROUNDS, message })
    }

    fn write_sources(&self) -> Result<Vec<Schema>, HarnessError> {
        let mut schemata = Vec::new();
        for (original, (path, text)) in self.originals.iter().enumerate() {
            let own = self.patches.iter().filter(|(_, (of, _))| *of == original);
            let own: Vec<(PatchNumber, &Patch)> =
                own.map(|(number, (_, patch))| (*number, patch)).collect();
            let schema = Schema::new(text, &own);
            let end = if *path == self.root { ROOT } else { "" };
            let text = format!("{}{end}\n", schema.text.trim_end());
            fs::write(path, text).map_err(file_error(path))?;
            schemata.push(schema);
        }
        let path = self.dir.join(SWITCHES_FILE);
        let text = write_switches(self.patches.keys().copied(), &self.items);
        fs::write(&path, text).map_err(file_error(&path))?;
        Ok(schemata)
    }

    /// The errors of rustc.
    fn check_library(&self, target: &Path) -> Result<Vec<Diagnostic>, HarnessError> {
        let mut command = cargo();
        command
            .args(["check", "--quiet", "--lib", "--message-format=json"])
            .current_dir(&self.dir)
            .env("CARGO_TARGET_DIR", target)
            .env("RUSTFLAGS", "--cap-lints warn")
            .stdin(Stdio::null());
        let output = output(&mut command, "cargo")?;
        let errors: Vec<Diagnostic> = messages(&output.stdout)
            .filter_map(|message| match message {
                Message::Complaint { message, .. } if message.is_error() => Some(message),
                _ => None,
            })
            .collect();
        if errors.is_empty() && !output.status.success() {
            return Err(failure(&String::from_utf8_lossy(&output.stderr)));
        }
        Ok(errors)
    }

    /// The patches that errors are about, each with the first message. The secondary places of an
    /// error are to blame where its primary ones are not, and what is near where these are not
    /// either.
    fn blame_patches(
        &self,
        schemata: &[Schema],
        errors: &[Diagnostic],
    ) -> BTreeMap<PatchNumber, String> {
        let at_primary: fn(&&Place) -> bool = |place| place.is_primary;
        let at_secondary: fn(&&Place) -> bool = |place| !place.is_primary;
        let enclosing: Blame = Schema::blame_enclosing;
        let attempts = [
            (at_primary, enclosing),
            (at_secondary, enclosing),
            (at_primary, Schema::blame_nearest),
        ];
        let blamed = attempts.into_iter().map(|(wanted, blame)| {
            let mut blamed = BTreeMap::new();
            for error in errors {
                for place in error.spans.iter().filter(wanted) {
                    for number in self.blame_place(schemata, place, blame) {
                        blamed.entry(number).or_insert_with(|| error.headline());
                    }
                }
            }
            blamed
        });
        blamed.into_iter().find(|blamed| !blamed.is_empty()).unwrap_or_default()
    }

    fn blame_place(&self, schemata: &[Schema], place: &Place, blame: Blame) -> Vec<PatchNumber> {
        // rustc names files from the directory that cargo runs in.
        let path = self.dir.join(&place.file_name);
        let original = self.originals.iter().position(|(known, _)| *known == path);
        let at = place.byte_start..place.byte_end;
        let numbers = original.map(|original| blame(&schemata[original], &at)).unwrap_or_default();
        numbers.into_iter().filter(|number| self.has_patch(*number)).collect()
    }
}

/// The patches that an error at a place is about.
type Blame = fn(&Schema, &Range<usize>) -> Vec<PatchNumber>;

/// The source with lints that warn where they refused.
fn soften_lints(source: &str) -> String {
    source.replace("#![deny(", "#![warn(").replace("#![forbid(", "#![warn(")
}

#[cfg(test)]
mod tests;
