//! Findings that need misbehaviour of the caller's code: which of them count, whom they are laid
//! on, and how they become faults.
//!
//! An object that went through a callback's panic may be in any state that its type allows, so
//! panics, broken laws and hangs afterwards say nothing. Broken memory does: all misbehaviour is
//! safe code.

use std::collections::BTreeMap;

use gainsay_model::{event::Event, fault::Fault};
use gainsay_wire::{OpId, Oracle, RunReport, Sequence, Twist};
use gainsay_workers::{Answer, Cancel, Runner, WorkerError};

use crate::{
    confirm::confirm,
    faults::{Effort, announce, fault, rank, shows},
    findings::{Findings, Raw},
    ground::Ground,
    identity::{Identity, Sighting, sightings},
    questions::questions,
    shrink::{Shown, shrink},
    slice::slice,
    trial::{Target, Trial, Views},
};

/// So many single misbehaviours of a long recipe are tried, the last ones first.
const MOST_SUSPECTS: usize = 12;

/// Whether an objection is about memory.
pub(crate) fn is_memory(oracle: &Oracle) -> bool {
    const CRASHES: [&str; 9] = [
        "SIGSEGV",
        "SIGBUS",
        "double free",
        "heap corruption",
        "misaligned pointer dereference",
        "null pointer dereference",
        "enum made from an invalid value",
        "value that is not initialised",
        "value that must not be zero",
    ];
    match oracle {
        Oracle::Probe(_) => true,
        // A bare abort may be what an operation does on purpose when a callback panics.
        Oracle::Death(how) => {
            CRASHES.contains(&how.as_str())
                || how.starts_with("unsafe precondition(s) violated")
                || how.starts_with("AddressSanitizer: ")
        }
        _ => false,
    }
}

/// The operation that the last misbehaviour happened in. It is not the end of a guard that is at
/// fault when that never comes, but what gave the guard out.
pub(crate) fn blamed(sequence: &Sequence) -> Option<(OpId, Twist)> {
    let twisted = sequence.steps.iter().rev().find(|step| step.twist != Twist::None)?;
    let giver = match (twisted.twist, twisted.objects().next()) {
        (Twist::Forget, Some((_, guard))) => sequence.steps.get(guard.step as usize),
        _ => None,
    };
    Some((giver.unwrap_or(twisted).op, twisted.twist))
}

/// A sighting of broken memory laid on the operation in which the caller's code misbehaved.
pub(crate) fn laid_on(ground: &Ground, seen: Sighting, (op, twist): (OpId, Twist)) -> Sighting {
    // One operation, one kind of misbehaviour: one finding, whatever breaks first.
    let clause = format!("memory: {}", kind(twist));
    Sighting { identity: Identity { operation: ground.path(op), clause }, op, ..seen }
}

/// All that was objectionable in a run of a sequence, as faults name it.
pub fn sightings_of(
    ground: &Ground,
    sequence: &Sequence,
    answer: &Answer<RunReport>,
) -> Vec<Sighting> {
    let all = sightings(ground, answer);
    match blamed(sequence) {
        None => all,
        Some(blame) => {
            let memory = all.into_iter().filter(|seen| is_memory(&seen.oracle));
            memory.map(|seen| laid_on(ground, seen, blame)).collect()
        }
    }
}

/// What is part of the identity: not how many callbacks went well before.
fn kind(twist: Twist) -> String {
    match twist {
        Twist::Fuse(callback, _) => format!("{} panics", callback.word()),
        Twist::Shy | Twist::Lie(_) => "length".to_owned(),
        Twist::Forget | Twist::None => twist.to_string(),
    }
}

/// Shrinks and confirms what epochs with misbehaviour found; adds to the faults that are known.
pub fn judge_injected(
    runner: &mut dyn Runner,
    findings: &Findings,
    (ground, effort): (&Ground, Effort),
    known: &mut Vec<Fault>,
    (cancel, event): (&Cancel, &mut dyn FnMut(Event)),
) -> Result<(), WorkerError> {
    let mut faults: BTreeMap<String, Fault> = BTreeMap::new();
    for raw in findings.iter() {
        let id = raw.sighting.identity.id();
        if faults.contains_key(&id) || known.iter().any(|fault| fault.id == id) {
            continue;
        }
        let mut trial = Trial::new(runner, ground, cancel, Target::Memory);
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
        Some(blame) => laid_on(trial.ground, seen, blame),
        None => seen,
    };
    Ok(Some(fault(trial.ground, (sequence, seen), confirmation)))
}

/// A recipe that shows it again: without any misbehaviour if that is enough, else with one, else
/// with all of it.
fn reproduce(trial: &mut Trial<'_>, raw: &Raw) -> Result<Option<Shown>, WorkerError> {
    for recipe in &raw.recipes {
        let sliced = slice(recipe, trial.ground.manifest());
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

/// Where it took a look at the objects: the same with a call that looks, if there is one. A test has
/// no views.
fn asked_aloud(trial: &mut Trial<'_>, start: Shown) -> Result<Shown, WorkerError> {
    if trial.views == Views::Off {
        return Ok(start);
    }
    trial.views = Views::Off;
    let questions = questions(trial.ground, &start.0);
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
    use gainsay_wire::{Arg, Callback, ObjRef, Step};

    use super::*;

    fn sequence(twists: &[Twist]) -> Sequence {
        let step =
            |(i, twist): (u32, &Twist)| Step { twist: *twist, ..Step::new(OpId(i), Vec::new()) };
        Sequence { steps: (0..).zip(twists).map(step).collect() }
    }

    #[test]
    fn only_broken_memory_counts_once_a_callback_panicked() {
        let death = |how: &str| Oracle::Death(how.to_owned());
        assert!(is_memory(&Oracle::Probe("double drop".to_owned())));
        assert!(is_memory(&death("SIGSEGV")));
        assert!(is_memory(&death("AddressSanitizer: double-free")));
        assert!(is_memory(&death("unsafe precondition(s) violated: ptr::copy")));
        for other in [
            death("SIGABRT"),
            death("panic in a destructor during cleanup"),
            death("stack overflow"),
            death("exit code 1"),
            Oracle::Law("eq-reflexive".to_owned()),
            Oracle::Hang,
            Oracle::Memory,
        ] {
            assert!(!is_memory(&other), "{other:?}");
        }
    }

    #[test]
    fn the_last_misbehaviour_is_to_blame() {
        let twists = [Twist::Shy, Twist::None, Twist::Forget, Twist::None];
        assert_eq!(blamed(&sequence(&twists)), Some((OpId(2), Twist::Forget)));
        assert_eq!(blamed(&sequence(&[Twist::None])), None);
    }

    #[test]
    fn a_forgotten_guard_is_laid_on_what_gave_it_out() {
        let mut sequence = sequence(&[Twist::None, Twist::None, Twist::Forget]);
        sequence.steps[2].args = vec![Arg::Object(ObjRef { step: 1, out: 0 })];
        assert_eq!(blamed(&sequence), Some((OpId(1), Twist::Forget)));
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
