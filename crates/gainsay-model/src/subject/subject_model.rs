//! The driver's knowledge of the subject: its operations by number, and whose file is whose.

pub mod signature;

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use gainsay_wire::{Manifest, ManifestParam, ObjRef, OpId, Sequence, TypeId};

use crate::{
    api::{Callee, Operation},
    build::Build,
    ty::{Ty, last_segment},
};

/// The subject as the driver knows it: its manifest, its operations, and whose file is whose.
#[derive(Clone, Debug)]
pub struct SubjectModel {
    // Shared: every stage that judges keeps a copy of the model for as long as it works.
    manifest: Arc<Manifest>,
    operations: Arc<[Option<Operation>]>,
    /// The subject's directory under all its names.
    roots: Vec<PathBuf>,
    build: Build,
}

/// The owner of a file of code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Territory {
    /// The subject's.
    Subject,
    /// The generated crate's or the runtime's: the operation blames its caller
    /// (`#[track_caller]`).
    Harness,
    /// The standard library's.
    Std,
    /// A dependency's.
    Elsewhere,
}

impl SubjectModel {
    /// `operations` has an entry for each operation of the manifest; those that the harness made
    /// up itself (drops) have `None`. `root` is the directory of the subject's package.
    pub fn new(
        manifest: Manifest,
        operations: Vec<Option<Operation>>,
        root: impl Into<PathBuf>,
    ) -> SubjectModel {
        SubjectModel {
            manifest: Arc::new(manifest),
            operations: operations.into(),
            roots: vec![root.into()],
            build: Build::default(),
        }
    }

    /// The same subject, its package's directory known by this path too.
    #[must_use]
    pub fn with_root(mut self, root: PathBuf) -> SubjectModel {
        // Compilers and cargo differ in which path they tell, the one that was given or the one
        // without symbolic links. The caller resolves them: the model touches no files.
        self.roots.push(root);
        self
    }

    /// The same subject in another build.
    #[must_use]
    pub fn built_as(&self, build: Build) -> SubjectModel {
        SubjectModel { build, ..self.clone() }
    }

    /// Takes over the vocabulary that calibration settled.
    // Values of an observation are read by their places in a vocabulary, and calibration takes
    // queries out of it: judging in the one from before reads other terms' values.
    pub fn settle(&mut self, manifest: &Manifest) {
        if *self.manifest != *manifest {
            self.manifest = Arc::new(manifest.clone());
        }
    }

    /// The build of the subject.
    pub fn build(&self) -> Build {
        self.build
    }

    /// The harness's tables.
    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// The subject's operation, unless the harness made it up.
    pub fn operation(&self, op: OpId) -> Option<&Operation> {
        self.operations.get(op.0 as usize)?.as_ref()
    }

    /// All operations of the subject.
    pub fn operations(&self) -> impl Iterator<Item = &Operation> {
        self.operations.iter().flatten()
    }

    /// An operation's path for people.
    pub fn path(&self, op: OpId) -> String {
        let offered = || self.manifest.ops.get(op.0 as usize).map(|op| op.name.clone());
        let known = self.operation(op).map(|operation| operation.path.clone());
        known.or_else(offered).unwrap_or_else(|| format!("operation {}", op.0))
    }

    /// An operation's parameters.
    pub fn params(&self, op: OpId) -> &[ManifestParam] {
        self.manifest.ops.get(op.0 as usize).map_or(&[], |op| &op.params)
    }

    /// The types that an operation makes.
    pub fn makes(&self, op: OpId) -> &[TypeId] {
        self.manifest.ops.get(op.0 as usize).map_or(&[], |op| &op.makes)
    }

    /// The type of an object of a sequence.
    pub fn type_of(&self, sequence: &Sequence, object: ObjRef) -> Option<TypeId> {
        let step = sequence.steps.get(object.step as usize)?;
        self.makes(step.op).get(object.out as usize).copied()
    }

    /// The first operation that makes just one object of this type out of nothing.
    pub fn plainest_origin(&self, ty: TypeId) -> Option<OpId> {
        let is_plain = |op: &OpId| self.params(*op).is_empty() && self.makes(*op) == [ty];
        // The first: an order that is the same in every run keeps what is shrunk the same.
        (0..).map(OpId).take(self.manifest.ops.len()).find(is_plain)
    }

    /// True if an operation has this name, whatever its type.
    pub fn offers(&self, name: &str) -> bool {
        let is_it = |op: &Operation| op.callable.name == name;
        self.operations.iter().flatten().any(is_it)
    }

    /// True if a type holds elements, as its operations show: it can be made from them or be
    /// walked through.
    pub fn is_collection(&self, ty: &Ty) -> bool {
        let bare = ty.referent();
        self.operations.iter().flatten().any(|op| match &op.callee {
            Callee::Trait { ty, path, .. } => {
                let name = last_segment(path);
                ty.referent() == bare && matches!(name, "FromIterator" | "IntoIterator" | "Extend")
            }
            Callee::Inherent { ty, name, .. } => ty == bare && name == "iter",
            Callee::Function { .. } | Callee::Literal { .. } | Callee::Part { .. } => false,
        })
    }

    /// The owner of a file.
    pub fn territory(&self, file: &str) -> Territory {
        let path = Path::new(file);
        let inside = self.inside(path);
        if is_ours(path) || inside.is_some_and(|inside| inside.starts_with("target")) {
            Territory::Harness
        } else if inside.is_some() {
            Territory::Subject
        } else if std_path(file).is_some() {
            Territory::Std
        // The generated crate is compiled by relative paths, everything else by absolute ones.
        } else if path.is_relative() {
            Territory::Harness
        } else {
            Territory::Elsewhere
        }
    }

    /// The path from the subject's directory on, if it is in there.
    fn inside<'p>(&self, path: &'p Path) -> Option<&'p Path> {
        self.roots.iter().find_map(|root| path.strip_prefix(root).ok())
    }

    /// The file without what differs from machine to machine.
    pub fn short_file(&self, file: &str) -> String {
        if let Some(inside) = self.inside(Path::new(file)) {
            return inside.display().to_string();
        }
        if let Some(inside) = std_path(file) {
            return inside.to_owned();
        }
        // `<package>-<version>/src/lib.rs` of a dependency.
        let parts: Vec<&str> = file.split('/').collect();
        let package = parts.iter().rposition(|part| *part == "src").unwrap_or(parts.len());
        parts[package.min(parts.len() - 1).saturating_sub(1)..].join("/")
    }
}

/// True if it is a file of the runtime, which every harness is built with.
fn is_ours(path: &Path) -> bool {
    // By directory: an installed gainsay unpacks them wherever the cache is.
    path.iter().any(|part| part == "gainsay-runtime" || part == "gainsay-wire")
}

/// The part of a file's path from `library/` on, if it is the standard library's.
fn std_path(file: &str) -> Option<&str> {
    if file.starts_with("library/") {
        return Some(file);
    }
    let is_std = file.starts_with("/rustc/") || file.contains("/lib/rustlib/src/rust/");
    is_std.then(|| file.find("library/").map_or(file, |at| &file[at..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(file: &str, territory: Territory, short: &str) {
        let subject = SubjectModel::new(Manifest::default(), Vec::new(), "/home/me/stack");
        assert_eq!(
            (subject.territory(file), subject.short_file(file).as_str()),
            (territory, short)
        );
    }

    #[test]
    fn files_are_told_apart_and_lose_their_machine() {
        check("/home/me/stack/src/lib.rs", Territory::Subject, "src/lib.rs");
        check("src/main.rs", Territory::Harness, "src/main.rs");
        check(
            "/x/gainsay-runtime/src/probe.rs",
            Territory::Harness,
            "gainsay-runtime/src/probe.rs",
        );
        check(
            "/rustc/abc/library/core/src/option.rs",
            Territory::Std,
            "library/core/src/option.rs",
        );
        check("library/alloc/src/vec/mod.rs", Territory::Std, "library/alloc/src/vec/mod.rs");
        check("/reg/src/index/dep-1.0.2/src/a/b.rs", Territory::Elsewhere, "dep-1.0.2/src/a/b.rs");
        check("/reg/dep-1.0.2/lib.rs", Territory::Elsewhere, "dep-1.0.2/lib.rs");
    }
}
