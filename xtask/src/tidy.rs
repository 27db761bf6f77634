//! The habits of the house as checks. Each check looks at one file and returns complaints.

mod edges;
mod engine;
mod functions;
pub(crate) mod house;
mod manifest;
mod text;

use std::{
    fmt, fs, io,
    path::{Path, PathBuf},
};

/// Something that is not as it should be.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Complaint {
    /// The file, from the root.
    pub(crate) file: String,
    /// The line, from 1.
    pub(crate) line: usize,
    /// What is wrong.
    pub(crate) what: String,
}

impl fmt::Display for Complaint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.file, self.line, self.what)
    }
}

/// A file under check.
pub(crate) struct File<'a> {
    /// From the root, with `/`.
    pub(crate) path: &'a str,
    /// Its text.
    pub(crate) text: &'a str,
}

impl File<'_> {
    fn complaint(&self, line: usize, what: impl Into<String>) -> Complaint {
        Complaint { file: self.path.to_owned(), line, what: what.into() }
    }
}

/// All complaints about the workspace, in order.
pub(crate) fn check(root: &Path) -> io::Result<Vec<Complaint>> {
    let mut complaints = check_tables(root)?;
    complaints.extend(engine::check(root)?);
    complaints.extend(house::check(root)?);
    for path in files(root)? {
        let text = fs::read_to_string(&path)?;
        let name = path.strip_prefix(root).unwrap_or(&path).to_string_lossy().replace('\\', "/");
        let file = File { path: &name, text: &text };
        complaints.extend(check_file(&file));
    }
    complaints.sort();
    Ok(complaints)
}

/// The other workspaces are kept as the product is.
fn check_tables(root: &Path) -> io::Result<Vec<Complaint>> {
    let product = fs::read_to_string(root.join("Cargo.toml"))?;
    let mut complaints = Vec::new();
    for path in manifest::OTHERS {
        let text = fs::read_to_string(root.join(path))?;
        complaints.extend(manifest::check_same_tables(&product, &File { path, text: &text }));
    }
    Ok(complaints)
}

fn check_file(file: &File<'_>) -> Vec<Complaint> {
    let is_rust = Path::new(file.path).extension().is_some_and(|extension| extension == "rs");
    if is_rust {
        return [text::check(file), functions::check(file)].concat();
    }
    [manifest::check(file), edges::check(file)].concat()
}

/// Rust files and manifests of the workspace; fixtures are strangers on purpose.
fn files(root: &Path) -> io::Result<Vec<PathBuf>> {
    let mut found = vec![root.join("Cargo.toml")];
    let mut open = ["crates", "evaluation", "traces", "xtask"].map(|dir| root.join(dir)).to_vec();
    while let Some(dir) = open.pop() {
        for entry in fs::read_dir(dir)? {
            let path = entry?.path();
            let is_rust = path.extension().is_some_and(|extension| extension == "rs");
            if path.is_dir() {
                let name = path.file_name().unwrap_or_default();
                if name != "target" && name != "fixtures" {
                    open.push(path);
                }
            } else if is_rust || path.ends_with("Cargo.toml") {
                found.push(path);
            }
        }
    }
    found.sort();
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_house_is_tidy() {
        let complaints = check(crate::root()).unwrap();
        let text: Vec<String> = complaints.iter().map(ToString::to_string).collect();
        assert!(text.is_empty(), "\n{}\n", text.join("\n"));
    }

    #[test]
    fn every_crate_is_looked_at() {
        let files = files(crate::root()).unwrap();
        for file in [
            "Cargo.toml",
            "crates/gainsay-wire/src/lib.rs",
            "evaluation/src/main.rs",
            "traces/src/main.rs",
            "xtask/src/tidy.rs",
        ] {
            assert!(files.contains(&crate::root().join(file)), "{file}");
        }
    }
}
