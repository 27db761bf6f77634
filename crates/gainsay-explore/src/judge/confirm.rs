//! Replays in fresh processes: a fault must repeat, and must not depend on being looked at.

use gainsay_model::fault::Confirmation;
use gainsay_wire::Sequence;
use gainsay_workers::WorkerError;

use crate::{
    findings::injection_blame::is_memory,
    judge::trial::{Target, Trial},
    sequences::{Views, task},
};

/// The number of times that each way of replaying must show the fault.
const REPLAYS: usize = 3;

/// Replays a sequence. A finding that only views can see (a law between queries) is replayed
/// with views only. Broken memory may show sooner, and otherwise, to those who look.
pub(crate) fn confirm(
    trial: &mut Trial<'_>,
    sequence: &Sequence,
) -> Result<Option<Confirmation>, WorkerError> {
    let ways: &[Views] = match trial.views {
        Views::On => &[Views::On],
        Views::Off => &[Views::Off, Views::On],
    };
    let replays: Vec<Views> = ways.iter().flat_map(|views| [*views; REPLAYS]).collect();
    let tasks: Vec<_> = replays.iter().map(|views| task(sequence, *views)).collect();
    let answers = trial.runner.run_fresh(&tasks, trial.cancel)?;
    if trial.cancel.is_cancelled() {
        return Ok(None);
    }
    let shows = |target: &Target, answer| target.find(trial.subject, answer);
    let first = answers.first().and_then(|answer| shows(&trial.target, answer));
    let breaks_memory = first.is_some_and(|seen| is_memory(&seen.oracle));
    let all = answers.iter().zip(&replays).all(|(answer, views)| {
        let sooner = *views != trial.views && breaks_memory;
        shows(&trial.target, answer).is_some() || sooner && shows(&Target::Memory, answer).is_some()
    });
    Ok(Some(if all { Confirmation::Confirmed } else { Confirmation::Flaky }))
}
