//! Where a harness lies on disk: its package, the runtime it is built with, its lock file.

use std::{
    fs,
    path::{Path, PathBuf},
};

use gainsay_model::api::{Api, Dependency, DependencySource, Providers, Source, Subject};

use crate::{
    code::Sources,
    embedded,
    error::HarnessError,
    variant::{PROBES, PROFILES},
};

/// The directories of one subject's harness.
#[derive(Clone, Debug)]
pub(crate) struct Layout<'a> {
    subject: &'a Subject,
    counters: Counters,
    /// The harness package.
    pub(crate) dir: PathBuf,
    runtime: PathBuf,
    providers: Option<&'a Providers>,
    dependencies: &'a [Dependency],
}

/// Whether the subject's and the generated code are compiled with coverage counters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Counters {
    /// With.
    On,
    /// Without.
    Off,
}

impl<'a> Layout<'a> {
    /// The places for `subject`; nothing is written yet.
    pub(crate) fn new(api: &'a Api, counters: Counters) -> Layout<'a> {
        let subject = &api.subject;
        let name = format!("{}-{}", subject.name, subject.version);
        let digest = format!("{:016x}", embedded::digest());
        Layout {
            subject,
            counters,
            dir: subject.out_dir.join("harness").join(name),
            runtime: subject.out_dir.join("runtime").join(digest),
            providers: api.providers.as_ref(),
            dependencies: &api.dependencies,
        }
    }

    /// Name of the harness package; its program has the same. Versions have their own, because
    /// they share a directory of programs.
    pub(crate) fn package(&self) -> String {
        let Subject { name, version, .. } = self.subject;
        format!("gainsay-harness-{name}-{}", version.replace(['.', '+'], "-"))
    }

    /// The crate names of the subject's and the generated code.
    pub(crate) fn covered(&self) -> Vec<String> {
        vec![self.subject.lib_name.clone(), self.package().replace('-', "_")]
    }

    /// Where cargo puts what it builds: shared by the harnesses of one place, since they have the
    /// runtime in common.
    pub(crate) fn target(&self) -> PathBuf {
        self.subject.out_dir.join("build")
    }

    /// Writes everything but the generated sources. `features` are those to switch on by name.
    pub(crate) fn prepare(&self, features: &[String]) -> Result<(), HarnessError> {
        for name in ["gainsay-wire", "gainsay-runtime"] {
            write(&self.runtime.join(name).join("Cargo.toml"), &runtime_manifest(name))?;
        }
        for (path, content) in embedded::FILES {
            write(&self.runtime.join(path), content)?;
        }
        write(&self.dir.join("Cargo.toml"), &self.manifest(features))?;
        if let Some(providers) = self.providers {
            let dir = self.dir.join(PROVIDERS);
            write(&dir.join("Cargo.toml"), &self.providers_manifest(features))?;
            write(&dir.join("src/lib.rs"), &providers.text)?;
        }
        start_lock(self.subject, &self.dir)
    }

    /// Writes the generated sources and removes those of an earlier round.
    pub(crate) fn write_sources(&self, sources: &Sources) -> Result<(), HarnessError> {
        let src = self.dir.join("src");
        for (name, text) in &sources.files {
            write(&src.join(name), text)?;
        }
        let attempt = || {
            for entry in fs::read_dir(&src)? {
                let entry = entry?;
                if !sources.files.contains_key(entry.file_name().to_string_lossy().as_ref()) {
                    fs::remove_file(entry.path())?;
                }
            }
            Ok(())
        };
        attempt().map_err(|source| HarnessError::File { path: src.clone(), source })
    }

    fn manifest(&self, features: &[String]) -> String {
        let Subject { name, version, .. } = self.subject;
        let (subject, package) = (subject_dependency(self.subject, features), self.package());
        let providers = match self.providers {
            Some(_) => format!("{PROVIDERS} = {{ path = \"{PROVIDERS}\" }}\n"),
            None => String::new(),
        };
        let runtime = toml_path(&self.runtime.join("gainsay-runtime"));
        let others: String = self.dependencies.iter().map(dependency).collect();
        format!(
            "# Written by gainsay: the harness of {name} {version}.\n\
             [package]\nname = \"{package}\"\nversion = \"0.0.0\"\nedition = \"2021\"\npublish = false\n\n\
             [workspace]\n\n\
             [dependencies]\ngainsay-own-runtime = {{ path = {runtime} }}\n{providers}{others}\n\
             {subject}\n[features]\n{probes}\n{PROFILE}{counters}\n{PROFILES}",
            probes = PROBES.map(probe_feature).concat(),
            counters = self.counters_profile(),
        )
    }

    /// The user's functions are a crate of their own: what is wrong in them is told apart from
    /// what is wrong in generated code.
    fn providers_manifest(&self, features: &[String]) -> String {
        let subject = subject_dependency(self.subject, features);
        format!(
            "# Written by gainsay: holds the file that `gainsay.toml` names.\n\
             [package]\nname = \"{PROVIDERS}\"\nversion = \"0.0.0\"\nedition = \"2024\"\npublish = false\n\n\
             [lints.rust]\nwarnings = \"allow\"\n\n{subject}",
        )
    }

    /// cargo does not know that the compiler wrapper adds flags for some packages. A profile of
    /// their own keeps them apart from the same packages without counters.
    fn counters_profile(&self) -> String {
        let packages = match self.counters {
            Counters::Off => Vec::new(),
            Counters::On => vec![self.subject.name.clone(), self.package()],
        };
        let mut text = String::new();
        for name in packages {
            text.extend(["\n[profile.dev.package.", &name, "]\ncodegen-units = 14\n"]);
        }
        text
    }
}

/// Package of the user's functions, in a directory of this name beside the harness.
const PROVIDERS: &str = "gainsay-providers";

/// The table of the subject among dependencies.
pub(crate) fn subject_dependency(subject: &Subject, features: &[String]) -> String {
    let place = match subject.source {
        Source::Path => format!("path = {}", toml_path(&subject.root)),
        Source::Registry => {
            format!("version = {}", toml_string(&format!("={}", subject.version)))
        }
    };
    let features: Vec<String> = features.iter().map(|name| toml_string(name)).collect();
    format!(
        "[dependencies.{}]\n{place}\ndefault-features = {}\nfeatures = [{}]\n",
        subject.name,
        !subject.features.no_default,
        features.join(", "),
    )
}

/// Begins with the versions that the subject is locked to, yanked ones included.
pub(crate) fn start_lock(subject: &Subject, dir: &Path) -> Result<(), HarnessError> {
    let lock = dir.join("Cargo.lock");
    let known = match subject.source {
        Source::Registry => {
            let name = format!("{}-{}", subject.name, subject.version);
            Some(subject.out_dir.join("published").join(name).join("Cargo.lock"))
        }
        Source::Path => {
            let places = subject.root.ancestors().map(|dir| dir.join("Cargo.lock"));
            places.into_iter().find(|path| path.is_file())
        }
    };
    match known.map(fs::read_to_string) {
        Some(Ok(text)) if !lock.exists() => write(&lock, &text),
        _ => Ok(()),
    }
}

/// A dependency of the subject, exactly as the subject has it, under the name of its library.
pub(crate) fn dependency(found: &Dependency) -> String {
    let version = toml_string(&format!("={}", found.version));
    let place = match &found.source {
        DependencySource::Registry => String::new(),
        DependencySource::Path(dir) => format!(", path = {}", toml_path(dir)),
    };
    let (name, package) = (&found.lib_name, toml_string(&found.package));
    format!(
        "{name} = {{ package = {package}, version = {version}{place}, default-features = false }}\n"
    )
}

/// Optimised, since millions of calls are to be made, with all checks that the compiler can add.
const PROFILE: &str = "\
[profile.dev]
opt-level = 1
debug = false
debug-assertions = true
overflow-checks = true
panic = \"unwind\"
incremental = false

[profile.dev.package.gainsay-own-runtime]
opt-level = 2
debug-assertions = false
overflow-checks = false

[profile.dev.package.gainsay-own-wire]
opt-level = 2
debug-assertions = false
overflow-checks = false
";

/// `probe-boxed = ["gainsay-own-runtime/probe-boxed"]`
fn probe_feature(probe: &str) -> String {
    format!("{probe} = [\"gainsay-own-runtime/{probe}\"]\n")
}

/// The packages have other names here, so that a subject may be named as they are elsewhere.
fn runtime_manifest(name: &str) -> String {
    let own = name.replacen("gainsay-", "gainsay-own-", 1);
    let mut text = format!(
        "# Written by gainsay: its own code, built into every harness.\n\
         [package]\nname = \"{own}\"\nversion = \"0.0.0\"\nedition = \"2024\"\npublish = false\n\n\
         [lints.rust]\nwarnings = \"allow\"\n"
    );
    if name == "gainsay-runtime" {
        let wire = "{ path = \"../gainsay-wire\", package = \"gainsay-own-wire\" }";
        text.extend(["\n[dependencies]\ngainsay-wire = ", wire, "\n\n[features]\n"]);
        text.extend(PROBES.map(|probe| format!("{probe} = []\n")));
    }
    text
}

fn toml_path(path: &Path) -> String {
    toml_string(&path.to_string_lossy())
}

fn toml_string(text: &str) -> String {
    let mut quoted = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            c if c.is_control() => quoted.extend(format!("\\u{:04X}", c as u32).chars()),
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}

/// Writes a file; an unchanged one keeps its time stamp, so that cargo sees nothing new.
pub(crate) fn write(path: &Path, text: &str) -> Result<(), HarnessError> {
    let attempt = || {
        if fs::read_to_string(path).is_ok_and(|old| old == text) {
            return Ok(());
        }
        fs::create_dir_all(path.parent().expect("files of a harness lie in directories"))?;
        fs::write(path, text)
    };
    attempt().map_err(|source| HarnessError::File { path: path.to_owned(), source })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_path_can_stand_in_a_manifest() {
        let check = |path: &str, expected: &str| assert_eq!(toml_path(Path::new(path)), expected);
        check("/home/käthe/my crate", "\"/home/käthe/my crate\"");
        check("/odd\"name\\", "\"/odd\\\"name\\\\\"");
        check("/tab\there", "\"/tab\\u0009here\"");
    }
}
