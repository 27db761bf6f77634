//! Copies of packages, to be changed.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use crate::error::HarnessError;

/// Copies a directory with all that is in it. Links are refused: what they lead to would be changed
/// with the copy.
pub fn copy_directory(from: &Path, to: &Path) -> Result<(), HarnessError> {
    fs::create_dir_all(to).map_err(file_error(to))?;
    for entry in read_directory(from)? {
        let to = to.join(entry.file_name());
        let path = entry.path();
        let kind = entry.file_type().map_err(file_error(&path))?;
        if kind.is_dir() {
            copy_directory(&path, &to)?;
        } else if kind.is_file() {
            fs::copy(&path, &to).map_err(file_error(&path))?;
        } else {
            let source = io::Error::other("it is neither a file nor a directory");
            return Err(HarnessError::File { path, source });
        }
    }
    Ok(())
}

/// The Rust files of a directory and of those in it, in order.
pub fn list_sources(dir: &Path) -> Result<Vec<PathBuf>, HarnessError> {
    let mut found = Vec::new();
    for entry in read_directory(dir)? {
        let path = entry.path();
        if path.is_dir() {
            found.extend(list_sources(&path)?);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}

/// Tables of a manifest that only a package's own tests and benchmarks need; lints would refuse
/// patches.
const NOT_THE_LIBRARY: [&str; 5] = ["dev-dependencies", "bench", "test", "example", "lints"];

/// Directories and files that go with them. The lock file knows the tables that are gone.
const NOT_ITS_FILES: [&str; 5] = ["tests", "benches", "examples", "Cargo.lock", "Cargo.toml.orig"];

/// Makes a copied package a workspace of its own, without what only its authors' tests and
/// benchmarks need: dependencies of these may not be at hand.
pub fn isolate_library(dir: &Path) -> Result<(), HarnessError> {
    let mut manifest = read_manifest(dir)?;
    for section in NOT_THE_LIBRARY {
        manifest.remove(section);
    }
    manifest.insert("workspace".to_owned(), toml::Value::Table(toml::Table::new()));
    for name in NOT_ITS_FILES {
        let path = dir.join(name);
        if path.is_dir() {
            fs::remove_dir_all(&path).map_err(file_error(&path))?;
        } else if path.exists() {
            fs::remove_file(&path).map_err(file_error(&path))?;
        }
    }
    let path = dir.join("Cargo.toml");
    let text = toml::to_string(&manifest).expect("a table that was read can be written");
    fs::write(&path, text).map_err(file_error(&path))
}

/// The file that the library of a package begins with.
pub(super) fn find_library_root(dir: &Path) -> Result<PathBuf, HarnessError> {
    let manifest = read_manifest(dir)?;
    let lib = manifest.get("lib").and_then(|lib| lib.get("path")).and_then(|path| path.as_str());
    Ok(dir.join(lib.unwrap_or("src/lib.rs")))
}

fn read_manifest(dir: &Path) -> Result<toml::Table, HarnessError> {
    let path = dir.join("Cargo.toml");
    let text = fs::read_to_string(&path).map_err(file_error(&path))?;
    let invalid = |error| io::Error::new(io::ErrorKind::InvalidData, error);
    text.parse().map_err(invalid).map_err(file_error(&path))
}

fn read_directory(dir: &Path) -> Result<Vec<fs::DirEntry>, HarnessError> {
    let entries = fs::read_dir(dir).and_then(Iterator::collect);
    entries.map_err(file_error(dir))
}

/// The error of an access to a file.
pub(super) fn file_error(path: &Path) -> impl Fn(io::Error) -> HarnessError {
    move |source| HarnessError::File { path: path.to_owned(), source }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_copy_has_all_files_and_an_isolated_one_those_of_the_library() {
        let dir = tempfile::tempdir().unwrap();
        let (original, copy) = (dir.path().join("a"), dir.path().join("b"));
        fs::create_dir_all(original.join("src/deep")).unwrap();
        fs::create_dir_all(original.join("tests")).unwrap();
        let manifest = "[package]\nname = \"a\"\n[dev-dependencies]\nb = \"1\"\n";
        for (path, text) in [
            ("Cargo.toml", manifest),
            ("src/lib.rs", ""),
            ("src/deep/b.rs", ""),
            ("src/notes.md", ""),
            ("tests/t.rs", ""),
        ] {
            fs::write(original.join(path), text).unwrap();
        }
        copy_directory(&original, &copy).unwrap();
        let sources = |dir: &Path| list_sources(dir).unwrap();
        let expected = ["src/deep/b.rs", "src/lib.rs", "tests/t.rs"];
        assert_eq!(sources(&copy), expected.map(|path| copy.join(path)));
        isolate_library(&copy).unwrap();
        assert_eq!(sources(&copy), expected[..2].iter().map(|p| copy.join(p)).collect::<Vec<_>>());
        let manifest = read_manifest(&copy).unwrap();
        assert!(manifest.contains_key("workspace") && !manifest.contains_key("dev-dependencies"));
        assert_eq!(sources(&original).len(), 3);
        assert_eq!(find_library_root(&copy).unwrap(), copy.join("src/lib.rs"));
    }

    #[test]
    #[cfg(unix)]
    fn a_link_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        let original = dir.path().join("a");
        fs::create_dir_all(&original).unwrap();
        std::os::unix::fs::symlink("/", original.join("link")).unwrap();
        let error = copy_directory(&original, &dir.path().join("b")).unwrap_err();
        assert!(matches!(&error, HarnessError::File { path, .. } if path.ends_with("link")));
    }
}
