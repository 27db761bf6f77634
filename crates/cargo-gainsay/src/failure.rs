//! What is said when a command cannot do its work: an `error:` line, a `hint:` line where there
//! is one, and the exit code that goes with it.

use std::fmt::{self, Write as _};

use gainsay_discover::{DiscoverError, ErrorKind};
use gainsay_report::{Paint, Tone};

use crate::exit::Exit;

/// A failure that knows its exit code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Failure {
    /// How the process ends.
    pub(crate) exit: Exit,
    message: String,
    hint: Option<String>,
}

impl Failure {
    /// A failure without a hint.
    pub(crate) fn new(exit: Exit, message: impl Into<String>) -> Failure {
        Failure { exit, message: message.into(), hint: None }
    }

    /// What the user can do about it.
    pub(crate) fn hint(self, hint: impl Into<String>) -> Failure {
        Failure { hint: Some(hint.into()), ..self }
    }

    /// The failure that an error of a command amounts to.
    pub(crate) fn of(error: &anyhow::Error) -> Failure {
        if let Some(failure) = error.downcast_ref::<Failure>() {
            return failure.clone();
        }
        let message = chain(error);
        let Some(error) = error.downcast_ref::<DiscoverError>() else {
            return Failure::new(Exit::Usage, message);
        };
        let exit = match error.kind() {
            ErrorKind::DoesNotBuild => Exit::DoesNotBuild,
            ErrorKind::Usage | ErrorKind::Other => Exit::Usage,
        };
        Failure { exit, message, hint: error.hint() }
    }

    /// The lines for the user.
    pub(crate) fn text(&self, paint: Paint) -> String {
        let mut text = format!("{}: {}\n", paint.tone(Tone::Bad, "error"), self.message.trim_end());
        if let Some(hint) = &self.hint {
            let label = paint.tone(Tone::Notable, "hint");
            writeln!(text, "{label}: {hint}").expect("writing to a string");
        }
        text
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Failure {}

/// The error and its causes; a cause whose words are already there is not repeated.
fn chain(error: &anyhow::Error) -> String {
    let mut text = error.to_string();
    for cause in error.chain().skip(1).map(ToString::to_string) {
        if !text.contains(&cause) {
            write!(text, ": {cause}").expect("writing to a string");
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hint_has_its_own_line() {
        let failure = Failure::new(Exit::Usage, "no run yet").hint("`cargo gainsay run`");
        assert_eq!(failure.text(Paint::Plain), "error: no run yet\nhint: `cargo gainsay run`\n");
    }

    #[test]
    fn causes_are_told_once() {
        let error = anyhow::anyhow!("disk full").context("cannot write: disk full");
        assert_eq!(Failure::of(&error).to_string(), "cannot write: disk full");
        let error = anyhow::anyhow!("disk full").context("cannot write");
        assert_eq!(Failure::of(&error).to_string(), "cannot write: disk full");
    }

    #[test]
    fn an_error_of_discovery_keeps_its_hint_and_its_code() {
        let error = DiscoverError::NoManifest { dir: "here".into() };
        let hint = error.hint();
        let failure = Failure::of(&anyhow::Error::from(error));
        assert_eq!((failure.exit, failure.hint), (Exit::Usage, hint));
        let error = DiscoverError::DoesNotCompile { package: "p".into(), rendered: String::new() };
        assert_eq!(Failure::of(&error.into()).exit, Exit::DoesNotBuild);
    }
}
