//! Findings of epochs in which the caller's code misbehaved on order: which of them count, and which
//! operation they are laid on.
//!
//! An object that went through a callback's panic may be in any state that its type allows, so
//! panics, broken laws and hangs afterwards say nothing. Broken memory does: all misbehaviour is
//! safe code.

use gainsay_wire::{OpId, Oracle, RunReport, Sequence, Twist};
use gainsay_workers::Answer;

use crate::{
    findings::identity::{Identity, Sighting, sightings},
    subject_model::SubjectModel,
};

/// True if an objection is about memory.
pub(crate) fn is_memory(oracle: &Oracle) -> bool {
    match oracle {
        Oracle::Probe(_) => true,
        Oracle::Death(cause) => cause.is_broken_memory(),
        _ => false,
    }
}

/// An operation in which the caller's code misbehaved, and the way in which it did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Blame {
    op: OpId,
    twist: Twist,
}

/// The operation that the last misbehaviour happened in. It is not the end of a guard that is at
/// fault when that never comes, but what gave the guard out.
pub(crate) fn blamed(sequence: &Sequence) -> Option<Blame> {
    let twisted = sequence.steps.iter().rev().find(|step| step.twist != Twist::None)?;
    let giver = match (twisted.twist, twisted.objects().next()) {
        (Twist::Forget, Some((_, guard))) => sequence.steps.get(guard.step as usize),
        _ => None,
    };
    Some(Blame { op: giver.unwrap_or(twisted).op, twist: twisted.twist })
}

/// A sighting of broken memory laid on the operation in which the caller's code misbehaved.
pub(crate) fn laid_on(subject: &SubjectModel, seen: Sighting, blame: Blame) -> Sighting {
    let Blame { op, twist } = blame;
    // One operation, one kind of misbehaviour: one finding, whatever breaks first.
    let clause = format!("memory: {}", kind(twist));
    Sighting { identity: Identity { operation: subject.path(op), clause }, op, ..seen }
}

/// All that was objectionable in a run of a sequence, as faults name it.
pub fn sightings_of(
    subject: &SubjectModel,
    sequence: &Sequence,
    answer: &Answer<RunReport>,
) -> Vec<Sighting> {
    let all = sightings(subject, answer);
    match blamed(sequence) {
        None => all,
        Some(blame) => {
            let memory = all.into_iter().filter(|seen| is_memory(&seen.oracle));
            memory.map(|seen| laid_on(subject, seen, blame)).collect()
        }
    }
}

/// The part of a misbehaviour that belongs to the identity: not the number of callbacks that went well before.
fn kind(twist: Twist) -> String {
    match twist {
        Twist::Fuse(callback, _) => format!("{} panics", callback.word()),
        Twist::Shy | Twist::Lie(_) => "length".to_owned(),
        Twist::Forget | Twist::None => twist.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use gainsay_wire::{Arg, ObjRef, Step};

    use super::*;

    fn sequence(twists: &[Twist]) -> Sequence {
        let step =
            |(i, twist): (u32, &Twist)| Step { twist: *twist, ..Step::new(OpId(i), Vec::new()) };
        Sequence { steps: (0..).zip(twists).map(step).collect() }
    }

    #[test]
    fn only_broken_memory_counts_once_a_callback_panicked() {
        let death = |how: &str| Oracle::Death(how.parse().unwrap());
        assert!(is_memory(&Oracle::Probe("double drop".parse().unwrap())));
        assert!(is_memory(&death("SIGSEGV")));
        assert!(is_memory(&death("AddressSanitizer: double-free")));
        assert!(is_memory(&death("unsafe precondition(s) violated: ptr::copy")));
        for other in [
            death("SIGABRT"),
            death("panic in a destructor during cleanup"),
            death("stack overflow"),
            death("exit code 1"),
            Oracle::Law("eq-reflexive".parse().unwrap()),
            Oracle::Hang,
            Oracle::Memory,
        ] {
            assert!(!is_memory(&other), "{other:?}");
        }
    }

    #[test]
    fn the_last_misbehaviour_is_to_blame() {
        let twists = [Twist::Shy, Twist::None, Twist::Forget, Twist::None];
        assert_eq!(blamed(&sequence(&twists)), Some(Blame { op: OpId(2), twist: Twist::Forget }));
        assert_eq!(blamed(&sequence(&[Twist::None])), None);
    }

    #[test]
    fn a_forgotten_guard_is_laid_on_what_gave_it_out() {
        let mut sequence = sequence(&[Twist::None, Twist::None, Twist::Forget]);
        sequence.steps[2].args = vec![Arg::Object(ObjRef { step: 1, out: 0 })];
        assert_eq!(blamed(&sequence), Some(Blame { op: OpId(1), twist: Twist::Forget }));
    }
}
