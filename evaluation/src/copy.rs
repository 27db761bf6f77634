//! Copies of crates, to be changed.

use std::{
    fs,
    path::{Path, PathBuf},
};

use anyhow::bail;

/// Copies a directory with all that is in it.
pub(super) fn copy_all(from: &Path, to: &Path) -> anyhow::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let to = to.join(entry.file_name());
        match entry.file_type()? {
            kind if kind.is_dir() => copy_all(&entry.path(), &to)?,
            kind if kind.is_file() => fs::copy(entry.path(), to).map(drop)?,
            _ => bail!("`{}` is neither a file nor a directory", entry.path().display()),
        }
    }
    Ok(())
}

/// The Rust files of a directory and of those in it, in order.
pub(super) fn sources(dir: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(dir)? {
        let path = entry?.path();
        if path.is_dir() {
            found.extend(sources(&path)?);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}
