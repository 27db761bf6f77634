//! `gainsay.toml`: the user's settings beside a package. So far they name a Rust file with
//! functions that make values.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use gainsay_model::api::{Providers, Source, Subject};
use serde::Deserialize;

use crate::{exit::Exit, failure::Failure};

const FILE: &str = "gainsay.toml";
const HINT: &str = "`[providers]` with `path = \"gainsay/providers.rs\"` is all that it may hold; \
    docs/providers.md shows an example";

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

/// The providers of a subject, if its settings name any. The settings of a local package lie in its
/// directory or in that of its workspace; those of a published one where the command is started.
pub(crate) fn find(subject: &Subject, current_dir: &Path) -> Result<Option<Providers>, Failure> {
    let Some(file) = file(subject, current_dir) else { return Ok(None) };
    let text = read(&file, &file)?;
    let settings: Settings = toml::from_str(&text).map_err(|error| {
        let message = format!("`{}` cannot be used: {error}", file.display());
        Failure::new(Exit::Usage, message).hint(HINT)
    })?;
    let Some(table) = settings.providers else { return Ok(None) };
    let path = file.parent().unwrap_or(Path::new("")).join(table.path);
    let text = read(&path, &file)?;
    Ok(Some(Providers { path, text }))
}

fn file(subject: &Subject, current_dir: &Path) -> Option<PathBuf> {
    let dirs: Vec<&Path> = match subject.source {
        Source::Registry => vec![current_dir],
        Source::Path => {
            let packages = subject.root.ancestors();
            packages.filter(|dir| dir.join("Cargo.toml").is_file()).collect()
        }
    };
    dirs.into_iter().map(|dir| dir.join(FILE)).find(|path| path.is_file())
}

fn read(path: &Path, settings: &Path) -> Result<String, Failure> {
    fs::read_to_string(path).map_err(|error| {
        let message = format!("cannot read `{}`: {error}", path.display());
        let hint = match error.kind() {
            io::ErrorKind::NotFound => {
                format!("`{}` names it; the path begins at its directory", settings.display())
            }
            _ => HINT.to_owned(),
        };
        Failure::new(Exit::Usage, message).hint(hint)
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
        assert_eq!(find(&local, nowhere).unwrap(), None);
        fs::write(dir.path().join("Cargo.toml"), "").unwrap();
        let found = find(&local, nowhere).unwrap().unwrap();
        assert_eq!(found.path, dir.path().join("p.rs"));
        let published = subject(&member, Source::Registry);
        assert_eq!(find(&published, nowhere).unwrap(), None);
        assert!(find(&published, dir.path()).unwrap().is_some());
    }

    #[test]
    fn mistakes_are_told_with_a_hint() {
        let dir = tempfile::tempdir().unwrap();
        let check = |text: &str, words: &str, hint: &str| {
            fs::write(dir.path().join(FILE), text).unwrap();
            let failure = find(&subject(dir.path(), Source::Registry), dir.path()).unwrap_err();
            let text = failure.text(gainsay_report::Paint::Plain);
            assert_eq!(failure.exit, Exit::Usage);
            assert!(text.contains(words), "{words}: {text}");
            assert!(text.contains(&format!("hint: {hint}")), "{hint}: {text}");
        };
        check("[provider]\npath = \"p.rs\"\n", "unknown field `provider`", "`[providers]`");
        check("[providers]\nfile = \"p.rs\"\n", "unknown field `file`", "`[providers]`");
        check("[providers]\n", "missing field `path`", "`[providers]`");
        check("[providers\n", "gainsay.toml` cannot be used", "`[providers]`");
        check("[providers]\npath = \"p.rs\"\n", "cannot read", "`");
    }
}
