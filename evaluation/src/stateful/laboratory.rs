//! A copy of a crate with all mutants of a type in it, of which some are on.

use std::{
    fs,
    path::{Path, PathBuf},
};

use anyhow::{Context as _, bail};
use gainsay_discover::{PublishedSpec, Request, Unasked, resolve};
use gainsay_harness::patch::{PatchNumber, PatchedPackage, copy_directory, isolate_library};
use gainsay_model::features::Features;
use gainsay_wire::Digest;
use serde::{Deserialize, Serialize};

use super::{
    guards::{conditions, queries},
    mutants::{Mutant, mutants},
    types::Tested,
};

/// So many changes of a type are put into its source, chosen without regard to what they are, each
/// with its guarded mutants.
const CANDIDATES: usize = 60;

/// A mutant as the results tell it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Listed {
    pub(super) number: u32,
    pub(super) change: String,
    pub(super) function: String,
    pub(super) file: String,
    pub(super) line: usize,
    pub(super) text: String,
    /// The mutant that is on everywhere, if it compiles.
    pub(super) plain: Option<u32>,
    /// Where it is on, if not everywhere.
    pub(super) guard: Option<String>,
}

/// A copy that compiles.
pub(super) struct Laboratory {
    pub(super) dir: PathBuf,
    /// In the order in which they are tried.
    pub(super) mutants: Vec<Listed>,
}

impl Laboratory {
    /// The copy in a directory; made if an earlier evaluation did not.
    pub(super) fn open(tested: &Tested, dir: &Path) -> anyhow::Result<Laboratory> {
        let list = dir.join("switched-mutants.json");
        if let Ok(text) = fs::read(&list) {
            let mutants = serde_json::from_slice(&text)?;
            return Ok(Laboratory { dir: dir.join("source"), mutants });
        }
        let source = dir.join("source");
        if source.exists() {
            fs::remove_dir_all(&source)?;
        }
        let original = fetch(tested, &dir.join("fetch"))?;
        copy_directory(&original, &source)?;
        isolate_library(&source)?;
        let mut package = PatchedPackage::open(&source)?;
        package.add_items(&conditions());
        let candidates = candidates(package.originals(), &tested.types)?;
        if candidates.is_empty() {
            bail!("nothing in `{}` can be changed: are the types there?", source.display());
        }
        let add = |(file, mutant): (usize, Mutant)| {
            (package.add_patch(file, mutant.patch.clone()), file, mutant)
        };
        let mut numbered: Vec<Numbered> = candidates.into_iter().map(add).collect();
        package.prune_patches(&dir.join("check"))?;
        numbered.retain(|(number, ..)| package.has_patch(*number));
        let mutants = listed(&package, &source, &numbered);
        fs::write(&list, serde_json::to_string_pretty(&mutants)?)?;
        Ok(Laboratory { dir: source, mutants })
    }
}

/// A mutant with its number and its source.
type Numbered = (PatchNumber, usize, Mutant);

/// Has cargo fetch a version and tells where its source is.
fn fetch(tested: &Tested, dir: &Path) -> anyhow::Result<PathBuf> {
    fs::create_dir_all(dir).with_context(|| format!("cannot make `{}`", dir.display()))?;
    let (name, version) = tested.spec.split_once('@').context("a version is named")?;
    let published = PublishedSpec { name: name.to_owned(), version: Some(version.to_owned()) };
    let request = Request {
        manifest_path: None,
        package: None,
        published: Some(published),
        features: Features::default(),
        unasked: Unasked::Nothing,
        current_dir: dir.to_owned(),
        target_dir: Some(dir.to_owned()),
    };
    Ok(resolve(&request)?.root)
}

/// The mutants that are tried, each with the source that it is in.
fn candidates(
    originals: &[(PathBuf, String)],
    types: &[String],
) -> anyhow::Result<Vec<(usize, Mutant)>> {
    let mut found: Vec<(usize, Mutant)> = Vec::new();
    for ty in types {
        let mut asked = Vec::new();
        for (path, text) in originals {
            let about = || format!("in `{}`", path.display());
            asked.extend(queries(text, ty).with_context(about)?);
        }
        asked.sort();
        asked.dedup();
        for (file, (path, text)) in originals.iter().enumerate() {
            let about = || format!("in `{}`", path.display());
            let made = mutants(text, ty, &asked).with_context(about)?;
            found.extend(made.into_iter().map(|mutant| (file, mutant)));
        }
    }
    // The one that is on everywhere comes before those of the same change with a guard.
    found.sort_by_key(|(file, mutant)| (lot(*file, mutant), mutant.patch.guard.is_some()));
    let mut changes: Vec<u64> = found.iter().map(|(file, mutant)| lot(*file, mutant)).collect();
    changes.dedup();
    let last = changes.get(CANDIDATES).copied().unwrap_or(u64::MAX);
    found.retain(|(file, mutant)| lot(*file, mutant) < last);
    Ok(found)
}

fn listed(package: &PatchedPackage, dir: &Path, mutants: &[Numbered]) -> Vec<Listed> {
    let same = |(_, file_a, a): &Numbered, (_, file_b, b): &Numbered| {
        let (p, q) = (&a.patch, &b.patch);
        (file_a, a.change, &p.at, &p.text) == (file_b, b.change, &q.at, &q.text)
    };
    let plain = |of: &Numbered| {
        let mut all = mutants.iter();
        let plain = all.find(|it| it.2.patch.guard.is_none() && same(it, of));
        plain.map(|(number, ..)| *number)
    };
    let listed = |own @ (number, file, mutant): &Numbered| {
        let (path, text) = &package.originals()[*file];
        let path = path.strip_prefix(dir).unwrap_or(path);
        Listed {
            number: *number,
            change: format!("{:?}", mutant.change),
            function: mutant.function.clone(),
            file: path.display().to_string(),
            line: text[..mutant.patch.at.start].lines().count(),
            text: mutant.patch.text.clone(),
            plain: plain(own),
            guard: mutant.patch.guard.as_ref().map(|guard| guard.text.clone()),
        }
    };
    mutants.iter().map(listed).collect()
}

/// A change's place in the order of trial, which says nothing about it.
fn lot(file: usize, mutant: &Mutant) -> u64 {
    let (change, patch) = (mutant.change, &mutant.patch);
    let text = format!("{file} {change:?} {:?} {}", patch.at, patch.text);
    Digest::of_bytes(text.as_bytes())
}
