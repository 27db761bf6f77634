//! One fault is told once: victims of other faults and other faces of the same are left out.

use std::collections::{BTreeMap, BTreeSet};

use gainsay_model::fault::{Confirmation, Fault, Moment};
use gainsay_wire::{Misuse, OpId, Oracle, Sequence};

use crate::findings::injection_blame::is_memory;

/// The number of operations told that give texts which are not UTF-8.
// The first may be a victim of another; three show enough of what they share.
const MOST_BAD_TEXTS: usize = 3;

/// An operation that dies only as long as nobody looks at its operands died of what an earlier step
/// did. Where that step is known to kill by itself, it is the fault.
pub(super) fn leave_out_victims(faults: &mut Vec<Fault>) {
    let dies = |fault: &Fault| matches!(fault.oracle, Oracle::Death(_));
    let confirmed = |fault: &&Fault| fault.confirmation == Confirmation::Confirmed && dies(fault);
    let killers: BTreeSet<OpId> = faults.iter().filter(confirmed).map(|fault| fault.op).collect();
    faults.retain(|fault| {
        let earlier = fault.sequence.steps.iter().rev().skip(1);
        fault.confirmation == Confirmation::Confirmed
            || !dies(fault)
            || !earlier.map(|step| step.op).any(|op| killers.contains(&op))
    });
}

/// A process that died while objects were looked at died of a call that looks, or of one that a law
/// made on a copy. Where such a call is known to die by itself in the same way, it is the fault.
pub(super) fn leave_out_looks(faults: &mut Vec<Fault>) {
    let in_view = |fault: &Fault| fault.moment == Moment::Look;
    let by_itself = |fault: &&Fault| {
        fault.confirmation == Confirmation::Confirmed && is_memory(&fault.oracle) && !in_view(fault)
    };
    let known: BTreeSet<Oracle> =
        faults.iter().filter(by_itself).map(|fault| fault.oracle.clone()).collect();
    let is_at_a_place = |fault: &Fault| match &fault.oracle {
        Oracle::Death(cause) => cause.place().is_some(),
        _ => false,
    };
    faults
        .retain(|fault| !in_view(fault) || !is_at_a_place(fault) || !known.contains(&fault.oracle));
}

/// Leaves one fault of broken memory for an operation: its looks depend on what lies there, and the best is
/// enough.
pub(super) fn tell_memory_once(faults: &mut Vec<Fault>) {
    let mut best: BTreeMap<String, Fault> = BTreeMap::new();
    for fault in faults.iter().filter(|fault| is_memory(&fault.oracle)) {
        if best.get(&fault.operation).is_none_or(|known| rank(fault) < rank(known)) {
            best.insert(fault.operation.clone(), fault.clone());
        }
    }
    faults.retain(|fault| !is_memory(&fault.oracle) || best[&fault.operation].id == fault.id);
}

/// Several builds may show the same fault: the best is told, of equals that of the plainest build.
pub fn told_once(faults: Vec<Fault>) -> Vec<Fault> {
    let mut best: BTreeMap<String, Fault> = BTreeMap::new();
    for fault in &faults {
        // The plainest build is the easiest one for a reader to run.
        let is_better = |known: &Fault| {
            (fault.confirmation, fault.build, rank(fault))
                < (known.confirmation, known.build, rank(known))
        };
        if best.get(&fault.id).is_none_or(is_better) {
            best.insert(fault.id.clone(), fault.clone());
        }
    }
    let mut told = BTreeSet::new();
    let first = faults.into_iter().filter(|fault| told.insert(fault.id.clone()));
    first.filter_map(|fault| best.remove(&fault.id)).collect()
}

/// Confirmed before flaky, short before long.
pub(crate) fn rank(fault: &Fault) -> (Confirmation, usize, &Sequence) {
    (fault.confirmation, fault.sequence.steps.len(), &fault.sequence)
}

/// A text that is broken where it is made is seen broken by every operation: the best few are told.
pub(super) fn leave_out_bad_texts(faults: &mut Vec<Fault>) {
    let is_bad_text = |fault: &Fault| fault.oracle == Oracle::Probe(Misuse::BadText);
    let (mut texts, others): (Vec<Fault>, Vec<Fault>) = faults.drain(..).partition(is_bad_text);
    texts.sort_by(|a, b| rank(a).cmp(&rank(b)));
    texts.truncate(MOST_BAD_TEXTS);
    *faults = others.into_iter().chain(texts).collect();
}
