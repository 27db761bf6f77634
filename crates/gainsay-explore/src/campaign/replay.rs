//! Makes the sequences of an earlier campaign again, in another build.

use gainsay_wire::{RunTask, Sequence};
use gainsay_workers::{Cancel, Runner, WorkerError};

use crate::{
    campaign::Campaign,
    findings::{identity::sightings, injection_blame::is_memory},
    sequences::{Views, task},
};

/// The number of sequences handed to workers at a time: in between, the clock is looked at.
const BATCH: usize = 64;

/// Makes given sequences again, with views; what is seen of broken memory goes to the campaign.
/// Returns how many were made.
pub fn replay(
    runner: &mut dyn Runner,
    sequences: &[Sequence],
    campaign: &mut Campaign,
    cancel: &Cancel,
) -> Result<usize, WorkerError> {
    let subject = campaign.ground().clone();
    let mut made = 0;
    for batch in sequences.chunks(BATCH) {
        if cancel.is_cancelled() {
            break;
        }
        let tasks: Vec<RunTask> = batch.iter().map(|one| task(one, Views::On)).collect();
        let answers = runner.run(&tasks, cancel)?;
        for (sequence, answer) in batch.iter().zip(&answers) {
            let seen = sightings(&subject, answer);
            if seen.iter().any(|sighting| is_memory(&sighting.oracle)) {
                campaign.findings_mut().note_run(&subject, sequence, answer);
            }
        }
        made += batch.len();
    }
    Ok(made)
}
