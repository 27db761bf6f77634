//! Runs measurements of the engine on small crates that are written to temporary directories.

#![allow(dead_code, reason = "each test file uses its own part")]
#![allow(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Output},
};

use serde_json::Value;

/// A directory for the tests of one file. What cargo has compiled in it stays for the next time.
pub(crate) struct Place(PathBuf);

impl Place {
    pub(crate) fn new(name: &str) -> Place {
        let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        fs::create_dir_all(&dir).unwrap();
        Place(dir)
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }

    /// A package with a library of this text.
    pub(crate) fn library(&self, name: &str, lib: &str) -> PathBuf {
        let root = self.0.join(name);
        let manifest = "[package]\nname = \"subject\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n\
            [workspace]\n";
        write(&root.join("Cargo.toml"), manifest);
        write(&root.join("src/lib.rs"), lib);
        root
    }

    /// A copy of a fixture.
    pub(crate) fn copy_of(&self, fixture: &str) -> PathBuf {
        let original = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures").join(fixture);
        let root = self.0.join(fixture);
        let manifest = fs::read_to_string(original.join("Cargo.toml")).unwrap();
        write(&root.join("Cargo.toml"), &manifest);
        for entry in fs::read_dir(original.join("src")).unwrap() {
            let path = entry.unwrap().path();
            let text = fs::read_to_string(&path).unwrap();
            write(&root.join("src").join(path.file_name().unwrap()), &text);
        }
        root
    }

    /// A file of the results.
    pub(crate) fn result(&self, name: &str) -> Value {
        let text = fs::read(self.0.join("target/gainsay").join(name)).unwrap();
        serde_json::from_slice(&text).unwrap()
    }
}

fn write(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

/// Runs `evaluation drive ..` in a directory.
pub(crate) fn drive(root: &Path, args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_evaluation"))
        .arg("drive")
        .args(args)
        .args(["--target-dir", "../target"])
        .current_dir(root)
        .env_remove("CARGO_TARGET_DIR")
        .output()
        .unwrap()
}

/// All that was said.
pub(crate) fn text(output: &Output) -> String {
    let [out, err] = [&output.stdout, &output.stderr].map(|it| String::from_utf8_lossy(it));
    format!("{out}\n{err}")
}
