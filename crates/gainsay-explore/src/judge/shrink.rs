//! Delta debugging on sequences: fewer steps, simpler objects, simpler values, same finding.

pub(crate) mod look_calls;
pub(crate) mod simpler_values;
pub(crate) mod single_reason;

use std::collections::BTreeSet;

use gainsay_wire::{Arg, ManifestParam, ObjRef, OpId, Sequence, Step, Value};
use gainsay_workers::WorkerError;

use crate::{
    findings::identity::Sighting,
    judge::{
        injected_faults::calmer,
        shrink::{
            simpler_values::{simpler, size},
            single_reason::one_reason,
        },
        trial::Trial,
    },
    sequences::loan_ends::spelt_out,
    subject_model::SubjectModel,
};

/// A sequence that shows the target, and what it showed.
pub(crate) type Shown = (Sequence, Sighting);

/// Of the runs that may be made, one in so many is used to shrink when time is short.
const HASTE: u32 = 8;

/// The smallest sequence within the trial's budget that still shows the target. Where time is short
/// less is tried; what else is asked about the finding is not.
pub(crate) fn shrink(trial: &mut Trial<'_>, start: Shown) -> Result<Shown, WorkerError> {
    let kept = if trial.cancel.is_hasty() { trial.left - trial.left / HASTE } else { 0 };
    trial.left -= kept;
    let smallest = shrink_fully(trial, start);
    trial.left += kept;
    smallest
}

fn shrink_fully(trial: &mut Trial<'_>, start: Shown) -> Result<Shown, WorkerError> {
    let (origin, mut current) = (start.0.clone(), start);
    loop {
        let before = current.0.clone();
        current = drop_steps(trial, current)?;
        current = simplify_objects(trial, current)?;
        current = rename_values(trial, current)?;
        current = shrink_values(trial, current)?;
        current = calm_steps(trial, current)?;
        if current.0 == before {
            let current = one_reason(trial, &origin, current)?;
            return spell_out(trial, current);
        }
    }
}

/// Borrowers that end on the way get steps of their own, if that changes nothing.
fn spell_out(trial: &mut Trial<'_>, current: Shown) -> Result<Shown, WorkerError> {
    let told = spelt_out(&current.0, trial.subject.manifest());
    if told == current.0 {
        return Ok(current);
    }
    Ok(trial.first([told])?.unwrap_or(current))
}

/// Contract: the result has no more steps, and unless the budget ended no single step can go.
fn drop_steps(trial: &mut Trial<'_>, mut current: Shown) -> Result<Shown, WorkerError> {
    let mut chunk = current.0.steps.len().div_ceil(2).max(1);
    // Early steps first: the last one is where the finding shows. After a success it goes on at
    // the same place: what could not go before seldom can now.
    let (mut place, mut progress) = (0, false);
    loop {
        let sequence = current.0.clone();
        let without = |from: usize| sequence.keep_steps(|i| !(from..from + chunk).contains(&i));
        let starts = || (place..sequence.steps.len()).step_by(chunk);
        if let Some(smaller) = trial.first(starts().map(without))? {
            place = starts().find(|from| without(*from) == smaller.0).unwrap_or(0);
            progress = true;
            current = smaller;
        } else if chunk == 1 && !progress {
            return Ok(current);
        } else {
            chunk = chunk.div_ceil(2).min(current.0.steps.len().div_ceil(2)).max(1);
            (place, progress) = (0, false);
        }
    }
}

/// Contract: no more steps than before; each change refers to an earlier object or makes one
/// with fewer operands.
fn simplify_objects(trial: &mut Trial<'_>, mut current: Shown) -> Result<Shown, WorkerError> {
    loop {
        let (subject, sequence) = (trial.subject, current.0.clone());
        // Of a long sequence there are more candidates than memory has room for: one at a time.
        let edits = possible_edits(subject, &sequence).into_iter();
        let candidates = edits.filter_map(|edit| edit.apply_to(subject, &sequence));
        match trial.first(candidates)? {
            Some(simpler) => current = simpler,
            None => return Ok(current),
        }
    }
}

/// A change to the objects of a sequence.
enum Edit {
    /// Replaces what a step made by an operand of the same type.
    Bypass(usize),
    /// A step makes its object out of nothing.
    Plain(usize, OpId),
    /// An operand is something else.
    Operand(usize, usize, Arg),
}

impl Edit {
    fn apply_to(self, subject: &SubjectModel, sequence: &Sequence) -> Option<Sequence> {
        match self {
            Edit::Bypass(i) => bypass_step(subject, sequence, i),
            Edit::Plain(i, op) => Some(with_step(sequence, i, Step::new(op, Vec::new()))),
            Edit::Operand(i, arg, value) => Some(with_arg(sequence, i, arg, value)),
        }
    }
}

/// One object bypassed, made out of nothing, left out or replaced by an earlier one.
fn possible_edits(subject: &SubjectModel, sequence: &Sequence) -> Vec<Edit> {
    let mut edits = Vec::new();
    for (i, step) in sequence.steps.iter().enumerate() {
        edits.push(Edit::Bypass(i));
        if let [ty] = subject.makes(step.op)
            && !step.args.is_empty()
            && let Some(op) = subject.plainest_origin(*ty)
        {
            edits.push(Edit::Plain(i, op));
        }
    }
    for (i, step) in sequence.steps.iter().enumerate() {
        for (arg, object) in step.objects() {
            let param = subject.params(step.op).get(arg);
            if matches!(param, Some(ManifestParam::Object(_, mode)) if mode.is_optional()) {
                edits.push(Edit::Operand(i, arg, Arg::Plain(Value::none())));
            }
            for earlier in earlier_alike(subject, sequence, object) {
                edits.push(Edit::Operand(i, arg, Arg::Object(earlier)));
            }
        }
    }
    edits
}

/// Without step `i`, and what it made replaced by an operand of the same type.
fn bypass_step(subject: &SubjectModel, sequence: &Sequence, i: usize) -> Option<Sequence> {
    let [ty] = subject.makes(sequence.steps[i].op) else { return None };
    let alike = |(_, object): &(usize, ObjRef)| subject.type_of(sequence, *object) == Some(*ty);
    let (_, instead) = sequence.steps[i].objects().find(alike)?;
    let mut bypassed = sequence.clone();
    for arg in bypassed.steps.iter_mut().flat_map(|step| &mut step.args) {
        if matches!(arg, Arg::Object(object) if object.step as usize == i) {
            *arg = Arg::Object(instead);
        }
    }
    Some(bypassed.keep_steps(|step| step != i))
}

fn earlier_alike(subject: &SubjectModel, sequence: &Sequence, object: ObjRef) -> Vec<ObjRef> {
    let ty = subject.type_of(sequence, object);
    let outs = |step: u32| {
        let makes = subject.makes(sequence.steps[step as usize].op).len();
        (0..).take(makes).map(move |out| ObjRef { step, out })
    };
    let alike = |other: &ObjRef| *other < object && subject.type_of(sequence, *other) == ty;
    (0..=object.step).flat_map(outs).filter(alike).collect()
}

/// Contract: same steps; equal values stay equal. Two equal keys often matter because they are
/// equal, so they are made smaller together.
fn rename_values(trial: &mut Trial<'_>, mut current: Shown) -> Result<Shown, WorkerError> {
    let atoms = atoms_of(&current.0);
    for atom in atoms.into_iter().rev() {
        let sequence = current.0.clone();
        let renamed = simpler(&atom).into_iter().map(|to| {
            let mut sequence = sequence.clone();
            for_each_plain(&mut sequence, &mut |value| rename_value(value, &atom, &to));
            sequence
        });
        if let Some(simpler) = trial.first(renamed)? {
            current = simpler;
        }
    }
    Ok(current)
}

/// Integers and element keys that occur, more than zero.
fn atoms_of(sequence: &Sequence) -> BTreeSet<Value> {
    let mut atoms = BTreeSet::new();
    let mut sequence = sequence.clone();
    for_each_plain(&mut sequence, &mut |value| collect_atoms(value, &mut atoms));
    atoms
}

fn collect_atoms(value: &Value, atoms: &mut BTreeSet<Value>) {
    match value {
        Value::Int(_) | Value::Elem(_) if size(value).1 > 0 => {
            atoms.insert(value.clone());
        }
        Value::Opt(Some(inner)) | Value::Res(_, inner) => collect_atoms(inner, atoms),
        Value::Tuple(items) | Value::Seq(items) => {
            for item in items {
                collect_atoms(item, atoms);
            }
        }
        _ => {}
    }
}

fn rename_value(value: &mut Value, from: &Value, to: &Value) {
    match value {
        same if same == from => same.clone_from(to),
        Value::Opt(Some(inner)) | Value::Res(_, inner) => rename_value(inner, from, to),
        Value::Tuple(items) | Value::Seq(items) => {
            for item in items {
                rename_value(item, from, to);
            }
        }
        _ => {}
    }
}

fn for_each_plain(sequence: &mut Sequence, change: &mut dyn FnMut(&mut Value)) {
    for arg in sequence.steps.iter_mut().flat_map(|step| &mut step.args) {
        if let Arg::Plain(value) = arg {
            change(value);
        }
    }
}

/// Contract: same steps; each plain argument as small as it can be on its own.
fn shrink_values(trial: &mut Trial<'_>, mut current: Shown) -> Result<Shown, WorkerError> {
    for i in 0..current.0.steps.len() {
        for arg in 0..current.0.steps[i].args.len() {
            while let Arg::Plain(value) = &current.0.steps[i].args[arg] {
                let sequence = current.0.clone();
                let candidates = simpler(value)
                    .into_iter()
                    .map(|value| with_arg(&sequence, i, arg, Arg::Plain(value)));
                let Some(simpler) = trial.first(candidates)? else { break };
                current = simpler;
            }
        }
    }
    Ok(current)
}

/// Contract: same steps; the caller's code misbehaves as little as it can in each.
fn calm_steps(trial: &mut Trial<'_>, mut current: Shown) -> Result<Shown, WorkerError> {
    for i in 0..current.0.steps.len() {
        loop {
            let sequence = current.0.clone();
            let candidates = calmer(sequence.steps[i].twist).into_iter().map(|twist| {
                let mut sequence = sequence.clone();
                sequence.steps[i].twist = twist;
                sequence
            });
            let Some(calmer) = trial.first(candidates)? else { break };
            current = calmer;
        }
    }
    Ok(current)
}

fn with_step(sequence: &Sequence, i: usize, step: Step) -> Sequence {
    let mut sequence = sequence.clone();
    sequence.steps[i] = step;
    sequence
}

fn with_arg(sequence: &Sequence, i: usize, arg: usize, value: Arg) -> Sequence {
    let mut sequence = sequence.clone();
    sequence.steps[i].args[arg] = value;
    sequence
}

#[cfg(test)]
#[path = "shrink/tests.rs"]
mod tests;
