//! Running cargo and rustc as child processes of the same process group, so that an interrupt
//! reaches them too.

use std::{
    ffi::OsString,
    path::Path,
    process::{Command, ExitStatus, Output, Stdio},
};

use cargo_metadata::{Metadata, MetadataCommand};

use crate::error::DiscoverError;

/// Starts `cargo`, the one that started us if there is one.
pub(crate) fn command(dir: &Path) -> Command {
    let mut command = Command::new(program());
    command.current_dir(dir).stdin(Stdio::null());
    command
}

fn program() -> OsString {
    std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into())
}

/// Runs a command to its end, whatever its status.
pub(crate) fn output(command: &mut Command) -> Result<Output, DiscoverError> {
    let output = command.output().map_err(|source| DiscoverError::CannotRun {
        program: command.get_program().to_string_lossy().into_owned(),
        source,
    })?;
    if is_interrupted(output.status) { Err(DiscoverError::Interrupted) } else { Ok(output) }
}

#[cfg(unix)]
fn is_interrupted(status: ExitStatus) -> bool {
    use std::os::unix::process::ExitStatusExt as _;
    const INTERRUPT: i32 = 2;
    const TERMINATE: i32 = 15;
    matches!(status.signal(), Some(INTERRUPT | TERMINATE))
}

#[cfg(not(unix))]
fn is_interrupted(_status: ExitStatus) -> bool {
    false
}

/// `cargo metadata` for a manifest. The error is cargo's standard error.
pub(crate) fn metadata(
    manifest: &Path,
    dir: &Path,
) -> Result<Result<Metadata, String>, DiscoverError> {
    let mut command = MetadataCommand::new();
    command.cargo_path(program()).manifest_path(manifest).current_dir(dir);
    match command.exec() {
        Ok(metadata) => Ok(Ok(metadata)),
        Err(cargo_metadata::Error::CargoMetadata { stderr }) => Ok(Err(stderr)),
        Err(cargo_metadata::Error::Io(source)) => {
            Err(DiscoverError::CannotRun { program: "cargo".into(), source })
        }
        Err(other) => Ok(Err(other.to_string())),
    }
}

/// `rustc --version` of the toolchain that cargo will use in `dir`.
pub(crate) fn rustc_version(dir: &Path) -> Result<String, DiscoverError> {
    let program = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let output = output(Command::new(program).arg("-V").current_dir(dir).stdin(Stdio::null()))?;
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

/// Cargo's standard error without its progress, from the first error on.
pub(crate) fn essential(stderr: &str) -> String {
    let lines: Vec<&str> = stderr.lines().collect();
    let start = lines.iter().position(|line| line.starts_with("error")).unwrap_or(0);
    lines[start..].join("\n").trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::essential;

    #[test]
    fn progress_before_the_first_error_is_left_out() {
        assert_eq!(essential("    Updating index\nerror: no such\nmore\n"), "error: no such\nmore");
        assert_eq!(essential("something else\n"), "something else");
    }
}
