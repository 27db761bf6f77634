//! The steps on which the last step of a sequence depends, as far as operands show it.

use std::collections::BTreeSet;

use gainsay_wire::{Manifest, ObjRef, Sequence, Step};

/// Keeps the last step, the steps that made or touched its objects, and so on backwards. What
/// borrows from an object can change it: it counts as one of them.
pub(crate) fn slice(sequence: &Sequence, manifest: &Manifest) -> Sequence {
    let Some(last) = sequence.steps.len().checked_sub(1) else { return Sequence::default() };
    let mut wanted: BTreeSet<ObjRef> = BTreeSet::new();
    let mut kept: BTreeSet<usize> = BTreeSet::from([last]);
    loop {
        let before = (kept.len(), wanted.len());
        for (i, step) in sequence.steps.iter().enumerate().rev() {
            let makes_wanted = wanted.iter().any(|object| object.step as usize == i);
            let touches_wanted = step.objects().any(|(_, object)| wanted.contains(&object));
            if kept.contains(&i) || makes_wanted || touches_wanted {
                kept.insert(i);
                wanted.extend(step.objects().map(|(_, object)| object));
                wanted.extend(borrowers_made_by(step, i, manifest));
            }
        }
        if (kept.len(), wanted.len()) == before {
            return sequence.keep_steps(|i| kept.contains(&i));
        }
    }
}

/// The objects that a step makes of operands and that borrow.
fn borrowers_made_by(step: &Step, number: usize, manifest: &Manifest) -> Vec<ObjRef> {
    let has_operand = step.objects().next().is_some();
    let Some(op) = manifest.ops.get(step.op.0 as usize).filter(|_| has_operand) else {
        return Vec::new();
    };
    let number = u32::try_from(number).expect("sequences are short");
    let borrows =
        |ty: gainsay_wire::TypeId| manifest.types.get(ty.0 as usize).is_some_and(|ty| ty.borrows);
    let outs = (0..).zip(&op.makes).filter(|(_, ty)| borrows(**ty));
    outs.map(|(out, _)| ObjRef { step: number, out }).collect()
}

#[cfg(test)]
mod tests {
    use gainsay_wire::{Arg, ManifestOp, ManifestType, OpId, TypeId};

    use super::*;

    fn step(op: u32, objects: &[u32]) -> Step {
        let args = objects.iter().map(|&step| Arg::Object(ObjRef { step, out: 0 })).collect();
        Step::new(OpId(op), args)
    }

    #[test]
    fn only_what_made_or_touched_the_operands_stays() {
        let steps = vec![step(0, &[]), step(1, &[]), step(2, &[0]), step(3, &[1]), step(4, &[1])];
        let kept = slice(&Sequence { steps }, &Manifest::default());
        assert_eq!(kept.steps, [step(1, &[]), step(3, &[0]), step(4, &[0])]);
    }

    #[test]
    fn an_object_that_met_an_operand_brings_its_own_history() {
        let steps =
            vec![step(0, &[]), step(1, &[]), step(2, &[0]), step(3, &[0, 1]), step(4, &[1])];
        let sequence = Sequence { steps };
        assert_eq!(slice(&sequence, &Manifest::default()), sequence);
    }

    #[test]
    fn what_borrows_from_an_operand_can_have_changed_it() {
        let op = |makes: &[u32]| ManifestOp {
            id: gainsay_wire::InstanceId::default(),
            name: String::new(),
            names: vec![],
            params: vec![],
            makes: makes.iter().copied().map(TypeId).collect(),
            lending: gainsay_wire::Lending::Inherited,
            role: gainsay_wire::Role::Command,
        };
        let ty = |borrows| ManifestType {
            name: String::new(),
            queries: vec![],
            can_clone: false,
            borrows,
            locks: false,
        };
        let types = vec![ty(false), ty(true)];
        let manifest = Manifest { types, ops: vec![op(&[0]), op(&[1]), op(&[]), op(&[0])] };
        let steps = vec![
            step(0, &[]),
            step(1, &[0]),
            step(2, &[1]),
            step(3, &[0]),
            step(2, &[3]),
            step(2, &[0]),
        ];
        let kept = slice(&Sequence { steps }, &manifest);
        assert_eq!(
            kept.steps,
            [step(0, &[]), step(1, &[0]), step(2, &[1]), step(3, &[0]), step(2, &[0])]
        );
    }
}
