//! Embeds the sources of the runtime and of the wire format, which every harness is built with,
//! and a digest of the generator itself, so that harnesses of another generator are not reused.

use std::{
    env,
    fmt::Write as _,
    fs,
    hash::{DefaultHasher, Hash, Hasher},
    io,
    path::{Path, PathBuf},
};

const EMBEDDED: [&str; 2] = ["gainsay-wire", "gainsay-runtime"];
const TEXT: &str = "writing to a string succeeds";

fn main() -> io::Result<()> {
    let here = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets it"));
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it"));
    let crates = here.parent().expect("the package lies among others");
    let mut table = String::from("pub(crate) const FILES: &[(&str, &str)] = &[\n");
    for name in EMBEDDED {
        for file in sources(&crates.join(name).join("src"))? {
            let path = file.strip_prefix(crates).expect("found below it");
            let path = path.to_string_lossy().replace('\\', "/");
            let file = file.display().to_string();
            writeln!(table, "    ({path:?}, include_str!({file:?})),").expect(TEXT);
        }
    }
    table.push_str("];\n");
    let generator = digest(&here.join("src"))?;
    writeln!(table, "pub(crate) const GENERATOR: &str = \"{generator:016x}\";").expect(TEXT);
    fs::write(out.join("embedded.rs"), table)
}

/// All Rust files below `dir` in a stable order.
fn sources(dir: &Path) -> io::Result<Vec<PathBuf>> {
    println!("cargo::rerun-if-changed={}", dir.display());
    let mut entries: Vec<PathBuf> = fs::read_dir(dir)?
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<Result<_, _>>()?;
    entries.sort();
    let mut files = Vec::new();
    for entry in entries {
        if entry.is_dir() {
            files.extend(sources(&entry)?);
        } else if entry.extension().is_some_and(|extension| extension == "rs") {
            files.push(entry);
        }
    }
    Ok(files)
}

fn digest(dir: &Path) -> io::Result<u64> {
    let mut hasher = DefaultHasher::new();
    for file in sources(dir)? {
        fs::read(file)?.hash(&mut hasher);
    }
    Ok(hasher.finish())
}
