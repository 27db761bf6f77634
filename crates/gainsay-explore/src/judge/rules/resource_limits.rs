//! Time or memory that ran out because an absurd amount of something was asked for.

use gainsay_wire::{Arg, Oracle, RunReport, Sequence, Value};
use gainsay_workers::{Answer, WorkerError};

use crate::{
    findings::identity::{Sighting, sightings},
    judge::{
        rules::{
            panic_class::is_limit,
            varied_arguments::{asks_for_much_room, asks_for_room},
        },
        shrink::Shown,
        trial::Trial,
    },
    sequences::{changed_numbers::ABSURD, task},
};

/// Time or memory ran out, an absurd number is part of it, and its neighbours do the same. A single
/// number that does it alone is a fault.
pub(crate) fn is_resource_limit(trial: &mut Trial<'_>, shown: &Shown) -> Result<bool, WorkerError> {
    // The first of the changes below make the number larger.
    const UPWARDS: usize = 3;
    let changes: [fn(i128) -> i128; 5] = [
        |n| n.saturating_add(n.signum()),
        |n| n.saturating_add(n / 2),
        // Some take powers of two only.
        |n| n.saturating_mul(2),
        // A number at the end of its type has no larger ones.
        |n| n - n.signum(),
        |n| n / 2,
    ];
    let others = changes.map(|change| enlarged(&shown.0, change));
    if matches!(shown.1.oracle, Oracle::Memory) && asks_for_much_room(trial, &shown.0) {
        return Ok(true);
    }
    if !runs_out(&shown.1.oracle) || others.contains(&shown.0) {
        return Ok(false);
    }
    // Room takes memory, never time.
    if matches!(shown.1.oracle, Oracle::Hang) && asks_for_room(trial, &shown.0) {
        return Ok(false);
    }
    let tasks = others.map(|other| task(&other, trial.views));
    let answers = trial.runner.run(&tasks, trial.cancel)?;
    // The allocator, the system or the subject may be the first to say no.
    let alike = |seen: &Sighting| seen.op == shown.1.op && runs_out(&seen.oracle);
    let runs_out = |answer: &Answer<RunReport>| sightings(trial.subject, answer).iter().any(alike);
    let (upwards, downwards) = answers.split_at(UPWARDS.min(answers.len()));
    // Much more than too much may end in other ways.
    let any = upwards.iter().any(runs_out);
    Ok(any || !downwards.is_empty() && downwards.iter().all(runs_out))
}

fn runs_out(oracle: &Oracle) -> bool {
    match oracle {
        Oracle::Hang | Oracle::Memory => true,
        Oracle::Death(cause) => cause.is_out_of_memory(),
        Oracle::Panic(place) => is_limit(place),
        _ => false,
    }
}

/// The sequence with every absurd number changed.
fn enlarged(sequence: &Sequence, change: impl Fn(i128) -> i128) -> Sequence {
    let mut sequence = sequence.clone();
    for arg in sequence.steps.iter_mut().flat_map(|step| &mut step.args) {
        if let Arg::Plain(value) = arg {
            enlarge(value, &change);
        }
    }
    sequence
}

fn enlarge(value: &mut Value, change: &impl Fn(i128) -> i128) {
    match value {
        Value::Int(n) if n.unsigned_abs() >= ABSURD => *n = change(*n),
        Value::Opt(Some(inner)) | Value::Res(_, inner) => enlarge(inner, change),
        Value::Tuple(items) | Value::Seq(items) => {
            for item in items {
                enlarge(item, change);
            }
        }
        _ => {}
    }
}
