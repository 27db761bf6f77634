//! The product under evaluation: built once, with optimisation.

pub(crate) mod timed_run;

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
};

use anyhow::{Context as _, bail};

/// Builds the product and tells where it is.
pub(super) fn build(root: &Path) -> anyhow::Result<PathBuf> {
    build_program(root, "Cargo.toml", "cargo-gainsay")
}

/// Builds the reader of traces, which has a workspace of its own, and tells where it is.
pub(super) fn build_reader(root: &Path) -> anyhow::Result<PathBuf> {
    build_program(root, "traces/Cargo.toml", "gainsay-traces")
}

fn build_program(root: &Path, manifest: &str, name: &str) -> anyhow::Result<PathBuf> {
    let status = Command::new(env!("CARGO"))
        .args(["build", "--quiet", "--release", "--package", name, "--manifest-path", manifest])
        .env("CARGO_TARGET_DIR", target(root))
        .current_dir(root)
        .status()
        .context("cannot run cargo")?;
    if !status.success() {
        bail!("`{name}` does not build");
    }
    Ok(target(root).join("release").join(name))
}

/// Where cargo puts what it builds.
pub(super) fn target(root: &Path) -> PathBuf {
    let chosen = std::env::var_os("CARGO_TARGET_DIR");
    chosen.map_or_else(|| root.join("target"), |dir| root.join(dir))
}

/// A program's path as it is found from any directory: programs are run from other ones than ours.
pub(super) fn absolute(path: &str) -> anyhow::Result<PathBuf> {
    std::path::absolute(path).with_context(|| format!("cannot find `{path}`"))
}

/// A program's path as the name of a directory.
pub(super) fn label(program: &Path) -> String {
    program.to_string_lossy().trim_matches('/').replace('/', "-")
}

/// Tests a published crate as a user would, in the debug build, with nothing left of earlier runs.
/// Faults that are found are none of our business here.
pub(super) fn test(
    program: &Path,
    (spec, dir): (&str, &Path),
    (time, seed): (&str, u64),
    more: &[&str],
) -> anyhow::Result<()> {
    let seed = seed.to_string();
    let args = ["--profile", "debug", "--no-regressions", "--crate", spec];
    let args = [&args[..], &["--time", time, "--seed", &seed], more].concat();
    fs::create_dir_all(dir).with_context(|| format!("cannot make `{}`", dir.display()))?;
    let output = run(program, (dir, dir), &args)?;
    if !matches!(output.status.code(), Some(0 | 2)) {
        bail!("{spec}: {}", String::from_utf8_lossy(&output.stderr).trim());
    }
    Ok(())
}

/// Runs the product in `place`, with its results in `target` and nothing left of earlier ones.
pub(super) fn run(
    program: &Path,
    (place, target): (&Path, &Path),
    args: &[&str],
) -> anyhow::Result<Output> {
    command(program, (place, target), args)
        .output()
        .with_context(|| format!("cannot run `{}`", program.display()))
}

/// The command for that.
pub(super) fn command(program: &Path, (place, target): (&Path, &Path), args: &[&str]) -> Command {
    let mut command = Command::new(program);
    command
        .args(["gainsay", "run", "--fresh", "--quiet", "--color", "never"])
        .args(args)
        .arg("--target-dir")
        .arg(target)
        .current_dir(place)
        .env_remove("CARGO_TARGET_DIR")
        .stdin(Stdio::null());
    command
}

/// The command for a measurement by this very program, which drives the product's engine.
pub(super) fn drive(place: &Path, target: &Path, args: &[&str]) -> anyhow::Result<Command> {
    let program = std::env::current_exe().context("cannot find this program itself")?;
    let mut command = Command::new(program);
    command
        .arg("drive")
        .args(args)
        .arg("--target-dir")
        .arg(target)
        .current_dir(place)
        .env_remove("CARGO_TARGET_DIR")
        .stdin(Stdio::null());
    Ok(command)
}

/// Reads `10s`, `500ms` or `2m` as milliseconds.
pub(super) fn parse_millis(text: &str) -> anyhow::Result<u64> {
    let split = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (number, unit) = text.split_at(split);
    let number: u64 = number.parse().with_context(|| format!("`{text}` is no time"))?;
    Ok(number
        * match unit {
            "ms" => 1,
            "" | "s" => 1_000,
            "m" => 60_000,
            _ => bail!("`{text}` is no time"),
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_with_their_unit() {
        assert_eq!(parse_millis("10s").unwrap(), 10_000);
        assert_eq!(parse_millis("500ms").unwrap(), 500);
        assert_eq!(parse_millis("2m").unwrap(), 120_000);
        assert!(parse_millis("soon").is_err() && parse_millis("3 days").is_err());
    }
}
