//! Findings that need misbehaviour of the caller's code become faults: reproduced with as little of
//! it as possible, shrunk and confirmed.

use std::collections::BTreeMap;

use gainsay_model::fault::Fault;
use gainsay_wire::{Sequence, Twist};
use gainsay_workers::{Runner, WorkerError};

use crate::{
    findings::{
        Findings, Raw,
        injection_blame::{blamed, laid_on},
    },
    judge::{
        Hearing,
        confirm::confirm,
        dedupe::rank,
        reproduce::shows,
        shrink::{Shown, look_calls::questions, shrink},
        trial::{Target, Trial},
        verdicts::{announce, fault},
    },
    sequences::{Views, needed_steps::slice},
};

/// The number of single misbehaviours of a long recipe that are tried, the last ones first.
// Each costs a run, and a late one is more likely to be what broke than an early one, which many
// calls survived.
const MOST_SUSPECTS: usize = 12;

/// Shrinks and confirms what epochs with misbehaviour found; adds to the faults that are known.
pub fn judge_injected(
    runner: &mut dyn Runner,
    findings: &Findings,
    known: &mut Vec<Fault>,
    hearing: Hearing<'_>,
) -> Result<(), WorkerError> {
    let Hearing { subject, effort, cancel, event } = hearing;
    let mut faults: BTreeMap<String, Fault> = BTreeMap::new();
    for raw in findings.iter() {
        let id = raw.sighting.identity.id();
        if faults.contains_key(&id) || known.iter().any(|fault| fault.id == id) {
            continue;
        }
        let mut trial = Trial::new(runner, subject, cancel, Target::Memory);
        trial.left = effort.runs;
        let Some(mut found) = settle(&mut trial, raw)? else { continue };
        found.seen = Some(raw.seen);
        let is_twisted = blamed(&found.sequence).is_some();
        let is_better = match faults.get(&found.id) {
            Some(other) => rank(&found) < rank(other),
            // What took no misbehaviour after all may be known from elsewhere.
            None => is_twisted || known.iter().all(|fault| fault.id != found.id),
        };
        if is_better {
            announce(&found, event);
            faults.insert(found.id.clone(), found);
        }
    }
    let (twisted, plain): (Vec<Fault>, Vec<Fault>) =
        faults.into_values().partition(|fault| blamed(&fault.sequence).is_some());
    known.extend(plain.into_iter().chain(twisted));
    Ok(())
}

fn settle(trial: &mut Trial<'_>, raw: &Raw) -> Result<Option<Fault>, WorkerError> {
    let Some(start) = reproduce(trial, raw)? else { return Ok(None) };
    let start = asked_aloud(trial, start)?;
    let (sequence, seen) = shrink(trial, start)?;
    let Some(confirmation) = confirm(trial, &sequence)? else { return Ok(None) };
    let seen = match blamed(&sequence) {
        Some(blame) => laid_on(trial.subject, seen, blame),
        None => seen,
    };
    Ok(Some(fault(trial.subject, (sequence, seen), confirmation)))
}

/// A recipe that shows it again: without any misbehaviour if that is enough, else with one, else
/// with all of it.
fn reproduce(trial: &mut Trial<'_>, raw: &Raw) -> Result<Option<Shown>, WorkerError> {
    for recipe in &raw.recipes {
        let sliced = slice(recipe, trial.subject.manifest());
        let mut candidates = vec![calmed(&sliced, None), calmed(recipe, None)];
        candidates.extend(suspects(&sliced));
        candidates.extend(suspects(recipe));
        candidates.push(recipe.clone());
        candidates.dedup();
        for candidate in candidates {
            if let Some(seen) = shows(trial, &candidate)? {
                return Ok(Some((candidate, seen)));
            }
            if trial.cancel.is_cancelled() {
                return Ok(None);
            }
        }
    }
    Ok(None)
}

/// Replaces a look at the objects, if it took one, by a call that looks, if there is one. A test has
/// no views.
fn asked_aloud(trial: &mut Trial<'_>, start: Shown) -> Result<Shown, WorkerError> {
    if trial.views == Views::Off {
        return Ok(start);
    }
    trial.views = Views::Off;
    let questions = questions(trial.subject, &start.0);
    if let Some(shown) = trial.first(questions)? {
        return Ok(shown);
    }
    trial.views = Views::On;
    Ok(start)
}

/// The sequence with one misbehaviour only, for each of the last ones.
fn suspects(sequence: &Sequence) -> Vec<Sequence> {
    let twisted = sequence.steps.iter().enumerate().rev();
    let twisted = twisted.filter(|(_, step)| step.twist != Twist::None).map(|(i, _)| i);
    twisted.take(MOST_SUSPECTS).map(|i| calmed(sequence, Some(i))).collect()
}

/// The sequence with no misbehaviour, except in one step.
fn calmed(sequence: &Sequence, except: Option<usize>) -> Sequence {
    let mut calm = sequence.clone();
    for (i, step) in calm.steps.iter_mut().enumerate() {
        if Some(i) != except {
            step.twist = Twist::None;
        }
    }
    calm
}

/// Less misbehaviour, the least first. What is allowed is less than a lie, an earlier panic less
/// than a later one.
pub(crate) fn calmer(twist: Twist) -> Vec<Twist> {
    let less = match twist {
        Twist::None => return Vec::new(),
        Twist::Fuse(callback, after) => {
            let fewer = [0, 1, after / 2, after.saturating_sub(1)];
            let fewer = fewer.into_iter().filter(|fewer| *fewer < after);
            fewer.map(|after| Twist::Fuse(callback, after)).collect()
        }
        Twist::Lie(by) => {
            let nearer = [by.signum(), by / 2].into_iter().filter(|n| *n != by && *n != 0);
            std::iter::once(Twist::Shy).chain(nearer.map(Twist::Lie)).collect()
        }
        Twist::Shy | Twist::Forget => Vec::new(),
    };
    std::iter::once(Twist::None).chain(less).collect()
}

#[cfg(test)]
mod tests {
    use gainsay_wire::{Callback, OpId, Step};

    use super::*;

    fn sequence(twists: &[Twist]) -> Sequence {
        let step =
            |(i, twist): (u32, &Twist)| Step { twist: *twist, ..Step::new(OpId(i), Vec::new()) };
        Sequence { steps: (0..).zip(twists).map(step).collect() }
    }

    #[test]
    fn suspects_are_tried_one_at_a_time_the_last_one_first() {
        let fuse = Twist::Fuse(Callback::Drop, 1);
        let all = suspects(&sequence(&[fuse, Twist::None, Twist::Shy]));
        let (none, shy) = (Twist::None, Twist::Shy);
        assert_eq!(all, [sequence(&[none, none, shy]), sequence(&[fuse, none, none])]);
    }

    #[test]
    fn misbehaviour_gets_less_until_there_is_none() {
        let check = |twist: Twist, expected: &[Twist]| assert_eq!(calmer(twist), expected);
        let fuse = |after| Twist::Fuse(Callback::Eq, after);
        check(Twist::None, &[]);
        check(fuse(0), &[Twist::None]);
        check(fuse(9), &[Twist::None, fuse(0), fuse(1), fuse(4), fuse(8)]);
        check(Twist::Lie(-7), &[Twist::None, Twist::Shy, Twist::Lie(-1), Twist::Lie(-3)]);
        check(Twist::Lie(1), &[Twist::None, Twist::Shy]);
    }
}
