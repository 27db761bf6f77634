//! The stages in order. Not wired yet.

use gainsay_model::{api::Subject, event::Event};
use gainsay_report::{FaultRecord, RunRecord};
use gainsay_wire::Sequence;
use gainsay_workers::Cancel;

use crate::settings::RunSettings;

/// What replaying a fault showed, in words.
pub(crate) enum Replay {
    /// The same again.
    Shown(String),
    /// Something else.
    NotShown(String),
}

/// The whole loop. A subject with nothing to call is a `Failure` with `Exit::NothingToTest`.
pub(crate) fn run(
    _subject: &Subject,
    _settings: &RunSettings,
    _cancel: &Cancel,
    _events: &mut dyn FnMut(Event),
) -> anyhow::Result<RunRecord> {
    anyhow::bail!("not wired yet")
}

/// One fault again, in a fresh process.
pub(crate) fn replay(
    _subject: &Subject,
    _fault: &FaultRecord,
    _sequence: &Sequence,
    _cancel: &Cancel,
    _events: &mut dyn FnMut(Event),
) -> anyhow::Result<Replay> {
    anyhow::bail!("not wired yet")
}
