//! The steps on which the last step of a sequence depends, as far as operands show it.

use std::collections::BTreeSet;

use gainsay_wire::{ObjRef, Sequence};

/// Keeps the last step, the steps that made or touched its objects, and so on backwards.
pub(crate) fn slice(sequence: &Sequence) -> Sequence {
    let Some(last) = sequence.steps.len().checked_sub(1) else { return Sequence::default() };
    let mut wanted: BTreeSet<ObjRef> = BTreeSet::new();
    let mut kept: BTreeSet<usize> = BTreeSet::new();
    for (i, step) in sequence.steps.iter().enumerate().rev() {
        let makes_wanted = wanted.iter().any(|object| object.step as usize == i);
        let touches_wanted = step.objects().any(|(_, object)| wanted.contains(&object));
        if i == last || makes_wanted || touches_wanted {
            kept.insert(i);
            wanted.extend(step.objects().map(|(_, object)| object));
        }
    }
    sequence.filtered(|i| kept.contains(&i))
}

#[cfg(test)]
mod tests {
    use gainsay_wire::{Arg, OpId, Step};

    use super::*;

    fn step(op: u32, objects: &[u32]) -> Step {
        let args = objects.iter().map(|&step| Arg::Object(ObjRef { step, out: 0 })).collect();
        Step { op: OpId(op), args }
    }

    #[test]
    fn only_what_made_or_touched_the_operands_stays() {
        let steps = vec![step(0, &[]), step(1, &[]), step(2, &[0]), step(3, &[1]), step(4, &[1])];
        let kept = slice(&Sequence { steps });
        assert_eq!(kept.steps, [step(1, &[]), step(3, &[0]), step(4, &[0])]);
    }

    #[test]
    fn an_object_that_met_an_operand_brings_its_own_history() {
        let steps =
            vec![step(0, &[]), step(1, &[]), step(2, &[0]), step(3, &[0, 1]), step(4, &[1])];
        let sequence = Sequence { steps };
        assert_eq!(slice(&sequence), sequence);
    }
}
