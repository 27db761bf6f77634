//! The product under evaluation: built once, with optimisation.

use std::{
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context as _, bail};

/// Builds the product and tells where it is.
pub(super) fn build(root: &Path) -> anyhow::Result<PathBuf> {
    let status = Command::new(env!("CARGO"))
        .args(["build", "--quiet", "--release", "--package", "cargo-gainsay"])
        .current_dir(root)
        .status()
        .context("cannot run cargo")?;
    if !status.success() {
        bail!("the product does not build");
    }
    Ok(target(root).join("release/cargo-gainsay"))
}

/// Where cargo puts what it builds.
pub(super) fn target(root: &Path) -> PathBuf {
    let chosen = std::env::var_os("CARGO_TARGET_DIR");
    chosen.map_or_else(|| root.join("target"), |dir| root.join(dir))
}
