//! Ctrl-C: before there is anything to report it ends the program at once; afterwards the first
//! asks the run to end with what was found, the second ends it at once.

use std::{
    io::{self, Write as _},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use gainsay_engine::Cancel;
use gainsay_model::event::{Event, Stage};
use gainsay_report::Paint;

use crate::{exit::Exit, failure::Failure};

/// Listens for Ctrl-C and termination, and to events for how far the run has come.
pub(crate) struct Interrupt {
    /// Set by the first Ctrl-C once there is something to report.
    pub(crate) cancel: Cancel,
    has_findings: Arc<AtomicBool>,
}

impl Interrupt {
    /// Begins to listen.
    pub(crate) fn listen(paint: Paint) -> Result<Interrupt, Failure> {
        let interrupt = Interrupt { cancel: Cancel::new(), has_findings: Arc::default() };
        let (cancel, has_findings) =
            (interrupt.cancel.clone(), Arc::clone(&interrupt.has_findings));
        let handler = move || {
            // The second one is from somebody who does not want to wait.
            if cancel.is_interrupted() || !has_findings.load(Ordering::Relaxed) {
                end_at_once(paint);
            }
            cancel.cancel();
        };
        ctrlc::set_handler(handler).map_err(|error| {
            Failure::new(Exit::Usage, format!("cannot listen for Ctrl-C: {error}"))
        })?;
        Ok(interrupt)
    }

    /// From the first exploration on there is something to report.
    pub(crate) fn note_event(&self, event: &Event) {
        if let Event::StageBegan(Stage::Explore, _) = event {
            self.has_findings.store(true, Ordering::Relaxed);
        }
    }
}

/// Cargo and rustc hear Ctrl-C themselves, and workers end with their driver.
#[expect(clippy::exit, reason = "the user does not want to wait, and nothing would be gained")]
fn end_at_once(paint: Paint) {
    let _ = io::stderr().write_all(Failure::interrupted().message_text(paint).as_bytes());
    std::process::exit(i32::from(Exit::Interrupted.code()))
}
