//! `cargo gainsay infer`: runs the reader of foreign traces, a program of its own that is installed
//! on request. No crate is involved.

use std::{
    env,
    ffi::OsString,
    io,
    path::{Path, PathBuf},
    process::Command,
};

use crate::{
    args::{ColorWhen, ListFormat},
    exit::Exit,
    failure::Failure,
};

/// The program that reads traces.
const READER: &str = "gainsay-traces";

/// Settings of the reader of traces.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct InferSettings {
    /// The trace.
    pub(crate) trace: PathBuf,
    /// Declarations in a file of their own.
    pub(crate) decls: Option<PathBuf>,
    /// The form of the output.
    pub(crate) format: ListFormat,
    /// Which facts are printed.
    pub(crate) extent: Extent,
    /// The use of colours; the reader looks at the same streams and the same environment.
    pub(crate) color: ColorWhen,
}

/// Which facts are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Extent {
    /// Those that follow from no others.
    Shown,
    /// The others as well, with the reason why they are not shown.
    All,
}

/// Runs the reader in this process's streams.
pub(crate) fn run_reader(settings: &InferSettings) -> Result<Exit, Failure> {
    let program = find_reader(env::current_exe().ok().as_deref());
    match Command::new(&program).args(reader_arguments(settings)).status() {
        // Its other codes are those of a panic or a signal.
        Ok(status) => Ok(match status.code() {
            Some(0) => Exit::NothingFound,
            Some(1) => Exit::Usage,
            _ => Exit::OurBug,
        }),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Err(not_installed()),
        Err(error) => {
            let message = format!("cannot run `{}`: {error}", program.display());
            Err(Failure::new(Exit::Usage, message).with_hint(INSTALL_HINT))
        }
    }
}

const INSTALL_HINT: &str = "`cargo install --path traces` in a checkout of gainsay installs it; \
    docs/traces.md tells more";

fn not_installed() -> Failure {
    let message = format!("traces are read by `{READER}`, which is not installed");
    Failure::new(Exit::Usage, message).with_hint(INSTALL_HINT)
}

/// The reader beside this program, else the one that the search path leads to.
fn find_reader(program: Option<&Path>) -> PathBuf {
    // `cargo install` puts both into one directory, which need not be on the search path.
    let beside = program.map(|program| program.with_file_name(READER).with_extension(EXTENSION));
    beside.filter(|path| path.is_file()).unwrap_or_else(|| PathBuf::from(READER))
}

const EXTENSION: &str = env::consts::EXE_EXTENSION;

fn reader_arguments(settings: &InferSettings) -> Vec<OsString> {
    let mut arguments = vec!["--dtrace".into(), settings.trace.clone().into_os_string()];
    if let Some(decls) = &settings.decls {
        arguments.extend(["--decls".into(), decls.clone().into_os_string()]);
    }
    let format = match settings.format {
        ListFormat::Text => "text",
        ListFormat::Json => "json",
    };
    let color = match settings.color {
        ColorWhen::Auto => "auto",
        ColorWhen::Always => "always",
        ColorWhen::Never => "never",
    };
    arguments.extend(["--format", format, "--color", color].map(OsString::from));
    if settings.extent == Extent::All {
        arguments.push("--all".into());
    }
    arguments
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_reader_gets_what_was_asked_for() {
        let settings = InferSettings {
            trace: "a.dtrace".into(),
            decls: Some("a.decls".into()),
            format: ListFormat::Json,
            extent: Extent::All,
            color: ColorWhen::Never,
        };
        let expected = "--dtrace a.dtrace --decls a.decls --format json --color never --all";
        assert_eq!(reader_arguments(&settings).join(&OsString::from(" ")), expected);
    }

    #[test]
    fn the_reader_beside_the_program_comes_first() {
        let dir = tempfile::tempdir().unwrap();
        let program = dir.path().join("cargo-gainsay");
        assert_eq!(find_reader(Some(&program)), Path::new(READER));
        let reader = dir.path().join(READER).with_extension(EXTENSION);
        std::fs::write(&reader, "").unwrap();
        assert_eq!(find_reader(Some(&program)), reader);
    }
}
