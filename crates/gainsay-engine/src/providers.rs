//! `gainsay.toml`: the user's settings beside a package. So far they name a Rust file with
//! functions that make values.

use std::{
    fs,
    path::{Path, PathBuf},
};

use gainsay_model::api::{Providers, Source, Subject};
use serde::Deserialize;

use crate::error::{EngineError, Result};

const FILE: &str = "gainsay.toml";

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Settings {
    providers: Option<ProvidersTable>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ProvidersTable {
    /// From the directory of `gainsay.toml`.
    path: PathBuf,
}

/// Finds the providers of a subject, if its settings name any. The settings of a local package lie in its
/// directory or in that of its workspace; those of a published one where the command is started.
pub fn find_providers(subject: &Subject, current_dir: &Path) -> Result<Option<Providers>> {
    let Some(file) = file(subject, current_dir) else { return Ok(None) };
    let text = read(&file, &file)?;
    let settings: Settings = toml::from_str(&text)
        .map_err(|source| EngineError::ParseProviders { path: file.clone(), source })?;
    let Some(table) = settings.providers else { return Ok(None) };
    let path = file.parent().unwrap_or(Path::new("")).join(table.path);
    let text = read(&path, &file)?;
    Ok(Some(Providers { path, text }))
}

fn file(subject: &Subject, current_dir: &Path) -> Option<PathBuf> {
    let dirs: Vec<&Path> = match subject.source {
        // The directory of a published crate is cargo's, where nobody edits anything.
        Source::Registry => vec![current_dir],
        Source::Path => {
            let packages = subject.root.ancestors();
            packages.filter(|dir| dir.join("Cargo.toml").is_file()).collect()
        }
    };
    dirs.into_iter().map(|dir| dir.join(FILE)).find(|path| path.is_file())
}

fn read(path: &Path, settings: &Path) -> Result<String> {
    fs::read_to_string(path).map_err(|source| {
        let (path, settings) = (path.to_owned(), settings.to_owned());
        EngineError::ReadProviders { path, settings, source }
    })
}

#[cfg(test)]
mod tests {
    use gainsay_model::features::Features;

    use super::*;

    fn subject(root: &Path, source: Source) -> Subject {
        Subject {
            name: "a".into(),
            version: "1.0.0".into(),
            lib_name: "a".into(),
            root: root.to_owned(),
            out_dir: root.join("target"),
            source,
            features: Features::default(),
        }
    }

    #[test]
    fn settings_lie_beside_the_package_or_its_workspace() {
        let dir = tempfile::tempdir().unwrap();
        let member = dir.path().join("member");
        fs::create_dir_all(&member).unwrap();
        fs::write(dir.path().join("p.rs"), "pub fn f() -> u8 { 1 }").unwrap();
        fs::write(dir.path().join(FILE), "[providers]\npath = \"p.rs\"\n").unwrap();
        let local = subject(&member, Source::Path);
        let nowhere = Path::new("/");
        // A directory above without a manifest is no workspace.
        assert_eq!(find_providers(&local, nowhere).unwrap(), None);
        fs::write(dir.path().join("Cargo.toml"), "").unwrap();
        let found = find_providers(&local, nowhere).unwrap().unwrap();
        assert_eq!(found.path, dir.path().join("p.rs"));
        let published = subject(&member, Source::Registry);
        assert_eq!(find_providers(&published, nowhere).unwrap(), None);
        assert!(find_providers(&published, dir.path()).unwrap().is_some());
    }
}
