//! Ctrl-C: the first asks the run to end with what was found, the second ends it at once.

use gainsay_workers::Cancel;

use crate::{exit::Exit, failure::Failure};

/// The exit code that shells give to an interrupted command.
const INTERRUPTED: i32 = 130;

/// A flag that Ctrl-C and termination set.
pub(crate) fn cancel_on_interrupt() -> Result<Cancel, Failure> {
    let cancel = Cancel::new();
    let flag = cancel.clone();
    let handler = move || {
        if flag.is_interrupted() {
            end_at_once();
        }
        flag.cancel();
    };
    ctrlc::set_handler(handler)
        .map_err(|error| Failure::new(Exit::Usage, format!("cannot listen for Ctrl-C: {error}")))?;
    Ok(cancel)
}

#[expect(clippy::exit, reason = "the user asked twice and does not want to wait for anything")]
fn end_at_once() {
    std::process::exit(INTERRUPTED)
}
