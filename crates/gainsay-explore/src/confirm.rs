//! Replays in fresh processes: a fault must repeat, and must not depend on being looked at.

use gainsay_model::fault::Confirmation;
use gainsay_wire::Sequence;
use gainsay_workers::WorkerError;

use crate::trial::{Trial, Views, task};

/// How often each way of replaying must show the fault.
const REPLAYS: usize = 3;

/// Replays a sequence. A finding that only views can see (a law between queries) is replayed
/// with views only.
pub(crate) fn confirm(
    trial: &mut Trial<'_>,
    sequence: &Sequence,
) -> Result<Option<Confirmation>, WorkerError> {
    let ways: &[Views] = match trial.views {
        Views::On => &[Views::On],
        Views::Off => &[Views::Off, Views::On],
    };
    let replays = ways.iter().flat_map(|views| [*views; REPLAYS]);
    let tasks: Vec<_> = replays.map(|views| task(sequence, views)).collect();
    let answers = trial.runner.run_fresh(&tasks, trial.cancel)?;
    if trial.cancel.is_cancelled() {
        return Ok(None);
    }
    let shows = |answer| trial.target.find(trial.ground, answer).is_some();
    let all = answers.iter().all(shows);
    Ok(Some(if all { Confirmation::Confirmed } else { Confirmation::Flaky }))
}
