//! Rounds of epochs with deaths survived: an epoch whose worker died is made again up to the
//! fatal step, so that what it saw until then is not lost.

use gainsay_wire::{Edge, EpochReport, EpochTask, Manifest, Outcome};
use gainsay_workers::{Answer, Cancel, Death, Judge, PlacedEpoch, Runner, WorkerError};

/// An epoch that dies again is cut shorter; after so many attempts it is given up.
const ATTEMPTS: usize = 4;

/// Calls that making the operands of one call may take.
const OPERANDS: u32 = 8;

/// The outcome of one epoch.
#[derive(Debug, Default)]
pub(crate) struct Salvaged {
    /// Its report; `None` when cancelled, or when nothing could be saved.
    pub(crate) report: Option<EpochReport>,
    /// The first death, if its worker died.
    pub(crate) death: Option<Death>,
}

impl Salvaged {
    /// The edge of the call that the worker died of, where the call is to blame: not a view after
    /// it, and not a driver that lost patience. When an epoch dies again while it is made again,
    /// that is the same call once more, or one that the first death kept from being made: only the
    /// first death counts.
    pub(crate) fn fatal_edge(&self, manifest: &Manifest) -> Option<Edge> {
        let death = self.death.as_ref()?;
        let step = death.steps.steps.last()?;
        if death.in_view || death.judge != Judge::Worker {
            return None;
        }
        Edge::of_fatal_step(step, manifest.ops.get(step.op.0 as usize)?, &death.outcome)
    }
}

/// Runs epochs; answers are in the order of the tasks. The place of an epoch is its number in the
/// round, and what is made again is made at the same place: who does what never depends on luck.
pub(crate) fn explore(
    runner: &mut dyn Runner,
    tasks: &[EpochTask],
    cancel: &Cancel,
) -> Result<Vec<Salvaged>, WorkerError> {
    let mut results: Vec<Salvaged> = tasks.iter().map(|_| Salvaged::default()).collect();
    let mut pending: Vec<PlacedEpoch> = tasks
        .iter()
        .enumerate()
        .map(|(place, task)| PlacedEpoch { place, task: task.clone() })
        .collect();
    for attempt in 0..=ATTEMPTS {
        if pending.is_empty() {
            break;
        }
        let answers = runner.epochs(&pending, cancel)?;
        let mut again = Vec::new();
        for (PlacedEpoch { place, task }, answer) in pending.into_iter().zip(answers) {
            match answer {
                Answer::Done(report) => results[place].report = Some(report),
                Answer::Cancelled => {}
                Answer::Died(death) => {
                    let shorter = cut(&task, &death, attempt);
                    again.extend(shorter.map(|task| PlacedEpoch { place, task }));
                    let known = &mut results[place].death;
                    // The first death counts, unless it was not clear what led to it.
                    if known.as_ref().is_none_or(|known| known.judge > death.judge) {
                        *known = Some(death);
                    }
                }
            }
        }
        pending = again;
    }
    Ok(results)
}

/// The task up to the call before the fatal one, then with the few calls less that the making of
/// operands may take, then half as long.
fn cut(task: &EpochTask, death: &Death, attempt: usize) -> Option<EpochTask> {
    if task.calibrate && death.outcome == Outcome::TimedOut {
        // Waiting for the same again tells nothing; the next round looks in another way.
        return None;
    }
    let done = u32::try_from(death.steps.steps.len()).unwrap_or(u32::MAX).saturating_sub(1);
    let calls = match attempt {
        0 => done,
        1 => done.saturating_sub(OPERANDS),
        _ => task.calls / 2,
    };
    let calls = calls.min(task.calls.saturating_sub(1));
    (calls > 0).then(|| EpochTask { calls, ..task.clone() })
}
