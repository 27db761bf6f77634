//! A copy of a crate with all mutants of a type in it, of which some are on.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    ops::Range,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use anyhow::{Context as _, bail};
use gainsay_discover::{PublishedSpec, Request, Unasked, resolve};
use gainsay_model::features::Features;
use gainsay_wire::Digest;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{
    super::copy::{copy_all, sources},
    guards::queries,
    mutants::{Mutant, mutants},
    schemata::{ROOT, Schema, switches},
    types::Tested,
};

/// So many changes of a type are put into its source, chosen without regard to what they are, each
/// with its guarded mutants.
const CANDIDATES: usize = 60;
/// Those that do not compile are taken out at most so often.
const ROUNDS: usize = 12;

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

/// The sources of a crate, and the mutants that are left.
struct Bench {
    dir: PathBuf,
    originals: Vec<(PathBuf, String)>,
    root: PathBuf,
    /// With the file that each is in.
    mutants: BTreeMap<u32, (usize, Mutant)>,
}

impl Laboratory {
    /// The copy in a directory; made if an earlier evaluation did not.
    pub(super) fn open(tested: &Tested, dir: &Path) -> anyhow::Result<Laboratory> {
        let list = dir.join("guarded-mutants.json");
        if let Ok(text) = fs::read(&list) {
            let mutants = serde_json::from_slice(&text)?;
            return Ok(Laboratory { dir: dir.join("source"), mutants });
        }
        let source = dir.join("source");
        if source.exists() {
            fs::remove_dir_all(&source)?;
        }
        let original = fetch(tested, &dir.join("fetch"))?;
        copy_all(&original, &source)
            .with_context(|| format!("cannot copy `{}`", original.display()))?;
        prepare_manifest(&source)?;
        let mut bench = Bench::new(&source, &tested.types)?;
        if bench.mutants.is_empty() {
            bail!("nothing in `{}` can be changed: are the types there?", source.display());
        }
        bench.settle(&dir.join("check"))?;
        let mutants = bench.listed();
        fs::write(&list, serde_json::to_string_pretty(&mutants)?)?;
        Ok(Laboratory { dir: source, mutants })
    }
}

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

/// A workspace of its own, without what only its authors' tests and benchmarks need.
fn prepare_manifest(dir: &Path) -> anyhow::Result<()> {
    let path = dir.join("Cargo.toml");
    let mut manifest: toml::Table = fs::read_to_string(&path)?.parse()?;
    for section in ["dev-dependencies", "bench", "test", "example", "lints"] {
        manifest.remove(section);
    }
    manifest.insert("workspace".to_owned(), toml::Value::Table(toml::Table::new()));
    for name in ["tests", "benches", "examples", "Cargo.lock", "Cargo.toml.orig"] {
        let path = dir.join(name);
        if path.is_dir() {
            fs::remove_dir_all(path)?;
        } else if path.exists() {
            fs::remove_file(path)?;
        }
    }
    Ok(fs::write(&path, toml::to_string(&manifest)?)?)
}

/// Which mutants an error at a place is about.
type About = fn(&Schema, &Range<usize>) -> Vec<u32>;

impl Bench {
    fn new(dir: &Path, types: &[String]) -> anyhow::Result<Bench> {
        let manifest: toml::Table = fs::read_to_string(dir.join("Cargo.toml"))?.parse()?;
        let lib = manifest.get("lib").and_then(|lib| lib.get("path")).and_then(|it| it.as_str());
        let root = dir.join(lib.unwrap_or("src/lib.rs"));
        let home = root.parent().context("a file lies in a directory")?.to_owned();
        let mut originals = Vec::new();
        for path in sources(&home)? {
            let text = lenient(&fs::read_to_string(&path)?);
            originals.push((path, text));
        }
        let mut found: Vec<(usize, Mutant)> = Vec::new();
        for ty in types {
            let mut asked = Vec::new();
            for (path, text) in &originals {
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
        found.sort_by_key(|(file, mutant)| (lot(*file, mutant), mutant.guard.is_some()));
        let mut changes: Vec<u64> = found.iter().map(|(file, mutant)| lot(*file, mutant)).collect();
        changes.dedup();
        let last = changes.get(CANDIDATES).copied().unwrap_or(u64::MAX);
        found.retain(|(file, mutant)| lot(*file, mutant) < last);
        let mutants = (1..).zip(found).collect();
        Ok(Bench { dir: dir.to_owned(), originals, root, mutants })
    }

    /// Takes out what does not compile until the rest does.
    fn settle(&mut self, target: &Path) -> anyhow::Result<()> {
        for _ in 0..ROUNDS {
            let schemata = self.write()?;
            let errors = check(&self.dir, target)?;
            if errors.is_empty() {
                return Ok(());
            }
            // What rustc points at by the way is to blame where its main point is not, and what is
            // near where that is not either.
            let primary = || errors.iter().flat_map(|it| &it.primary);
            let others = errors.iter().flat_map(|it| &it.others);
            let mut blamed = self.blamed((&schemata, Schema::blamed), primary());
            if blamed.is_empty() {
                blamed = self.blamed((&schemata, Schema::blamed), others);
            }
            if blamed.is_empty() {
                blamed = self.blamed((&schemata, Schema::nearest), primary());
            }
            let before = self.mutants.len();
            self.mutants.retain(|number, _| !blamed.contains(number));
            if self.mutants.len() == before {
                bail!("`{}` does not compile, and no mutant is to blame", self.dir.display());
            }
        }
        bail!("`{}` does not compile after {ROUNDS} rounds", self.dir.display())
    }

    fn blamed<'e>(
        &self,
        (schemata, about): (&[Schema], About),
        places: impl Iterator<Item = &'e (String, Range<usize>)>,
    ) -> BTreeSet<u32> {
        let mut blamed = BTreeSet::new();
        for (file, at) in places {
            let path = self.dir.join(file);
            let same = self.originals.iter().position(|(known, _)| *known == path);
            blamed.extend(same.map(|file| about(&schemata[file], at)).unwrap_or_default());
        }
        blamed
    }

    fn write(&self) -> anyhow::Result<Vec<Schema>> {
        let mut schemata = Vec::new();
        for (file, (path, text)) in self.originals.iter().enumerate() {
            let own = self.mutants.iter().filter(|(_, (of, _))| *of == file);
            let own: Vec<(u32, &Mutant)> = own.map(|(id, (_, it))| (*id, it)).collect();
            let schema = Schema::new(text, &own);
            let end = if *path == self.root { ROOT } else { "" };
            fs::write(path, format!("{}{end}\n", schema.text.trim_end()))?;
            schemata.push(schema);
        }
        fs::write(self.dir.join("mutants.in"), switches(self.mutants.keys().copied()))?;
        Ok(schemata)
    }

    fn listed(&self) -> Vec<Listed> {
        let same = |a: &(usize, Mutant), b: &(usize, Mutant)| {
            (a.0, a.1.change, &a.1.at, &a.1.text) == (b.0, b.1.change, &b.1.at, &b.1.text)
        };
        let plain = |of: &(usize, Mutant)| {
            let mut all = self.mutants.iter();
            all.find(|(_, it)| it.1.guard.is_none() && same(it, of)).map(|(number, _)| *number)
        };
        let listed = |(number, own @ (file, mutant)): (&u32, &(usize, Mutant))| {
            let (path, text) = &self.originals[*file];
            let path = path.strip_prefix(&self.dir).unwrap_or(path);
            Listed {
                number: *number,
                change: format!("{:?}", mutant.change),
                function: mutant.function.clone(),
                file: path.display().to_string(),
                line: text[..mutant.at.start].lines().count(),
                text: mutant.text.clone(),
                plain: plain(own),
                guard: mutant.guard.as_ref().map(|guard| guard.text.clone()),
            }
        };
        self.mutants.iter().map(listed).collect()
    }
}

/// The source with lints that warn where they refused.
fn lenient(source: &str) -> String {
    source.replace("#![deny(", "#![warn(").replace("#![forbid(", "#![warn(")
}

/// A change's place in the order of trial, which says nothing about it.
fn lot(file: usize, mutant: &Mutant) -> u64 {
    let text = format!("{file} {:?} {:?} {}", mutant.change, mutant.at, mutant.text);
    Digest::of(text.as_bytes())
}

/// An error of rustc: the file and the place in it that it is about, and others that it mentions.
#[derive(Debug, Default)]
struct Complaint {
    primary: Vec<(String, Range<usize>)>,
    others: Vec<(String, Range<usize>)>,
}

/// What rustc does not accept.
fn check(dir: &Path, target: &Path) -> anyhow::Result<Vec<Complaint>> {
    let output = Command::new(env!("CARGO"))
        .args(["check", "--quiet", "--lib", "--message-format=json"])
        .current_dir(dir)
        .env("CARGO_TARGET_DIR", target)
        .env("RUSTFLAGS", "--cap-lints warn")
        .stdin(Stdio::null())
        .output()
        .context("cannot run cargo")?;
    let text = String::from_utf8_lossy(&output.stdout);
    let messages = text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let errors: Vec<Complaint> = messages.filter_map(|it| complaint(&it["message"])).collect();
    if errors.is_empty() && !output.status.success() {
        bail!("{}", String::from_utf8_lossy(&output.stderr).trim());
    }
    Ok(errors)
}

fn complaint(message: &Value) -> Option<Complaint> {
    if message["level"] != "error" {
        return None;
    }
    let mut complaint = Complaint::default();
    for span in message["spans"].as_array()? {
        let number = |name: &str| usize::try_from(span[name].as_u64()?).ok();
        let file = span["file_name"].as_str()?.to_owned();
        let place = (file, number("byte_start")?..number("byte_end")?);
        let is_primary = span["is_primary"] == true;
        let places = if is_primary { &mut complaint.primary } else { &mut complaint.others };
        places.push(place);
    }
    Some(complaint)
}
