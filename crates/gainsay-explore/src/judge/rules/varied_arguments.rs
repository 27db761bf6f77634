//! Whether a panic hangs on the numbers that the caller gave: the last call is made again with
//! other numbers, and with longer lists where it writes into them. The same panic in the same words
//! whatever they are is not the caller's doing.

use std::collections::BTreeSet;

use gainsay_model::{api::Callee, fault::PanicClass, ty::Ty};
use gainsay_wire::{Arg, ManifestParam, Mode, OpId, Oracle, PanicPlace, Sequence, TypeId, Value};
use gainsay_workers::WorkerError;

use crate::{
    findings::identity::{Sighting, sightings},
    judge::{
        rules::panic_class::{Question, is_overflow, is_own, names_a_number, question},
        trial::Trial,
    },
    sequences::{
        changed_numbers::{ABSURD, changed, has_absurd_number, is_absurd},
        task,
    },
    subject_model::{
        SubjectModel,
        signature::{can_refuse, is_buffer, is_size},
    },
};

/// Beyond the end of what random testing makes, but not absurd.
// A prime, so that nothing which counts in powers of two or ten treats it as a special case.
const MODEST: i128 = 1009;
/// Numbers to put in the place of another.
// Zero and one are legal where anything is; two and five tell a bound from a test for zero.
const OTHERS: [i128; 4] = [0, 1, 2, 5];

/// Lengths of lists that a call writes into.
// The last is beyond any buffer that a call is likely to want; each costs a run.
const LENGTHS: [usize; 3] = [16, 256, 4096];

/// True if other numbers in the last step make another outcome. `shown` is how it looks now.
pub(crate) fn matter(
    trial: &mut Trial<'_>,
    sequence: &Sequence,
    shown: &Sighting,
) -> Result<bool, WorkerError> {
    if let (Oracle::Panic(place), Some(op)) = (&shown.oracle, trial.subject.operation(shown.op))
        && names_a_number(place, op)
    {
        return Ok(true);
    }
    let mut variants: Vec<Sequence> =
        OTHERS.iter().filter_map(|other| changed(sequence, |_| true, &|_| *other)).collect();
    variants.extend(LENGTHS.iter().filter_map(|len| roomier(trial.subject, sequence, *len)));
    let tasks: Vec<_> = variants.iter().map(|variant| task(variant, trial.views)).collect();
    let answers = trial.runner.run(&tasks, trial.cancel)?;
    let same = |seen: &Sighting| seen.identity == shown.identity && seen.message == shown.message;
    // A run that died says nothing: it may have died of something else.
    Ok(answers.iter().any(|answer| {
        answer.done().is_some() && !sightings(trial.subject, answer).iter().any(same)
    }))
}

/// True if an overflow is only another face of something that is no fault: of a size that no
/// machine has, of a handle that nobody gave out, or of a number that is rejected also when it is modest.
pub(crate) fn excuse_overflow(
    trial: &mut Trial<'_>,
    sequence: &Sequence,
    place: &PanicPlace,
) -> Result<Option<PanicClass>, WorkerError> {
    if !is_overflow(place) || !has_absurd_number(sequence) {
        return Ok(None);
    }
    if asks_for_room(trial, sequence) {
        return Ok(Some(PanicClass::ResourceLimit));
    }
    if makes_up_handle(trial.subject, sequence) {
        return Ok(Some(PanicClass::Stranger));
    }
    // The first shows whether a number is refused that does not overflow; the second is still large,
    // but leaves room for an addition.
    let faces: [fn(i128) -> i128; 2] = [|_| MODEST, |n| n / 2];
    let faces: Vec<_> =
        faces.iter().filter_map(|face| changed(sequence, is_absurd, face)).collect();
    let tasks: Vec<_> = faces.iter().map(|face| task(face, trial.views)).collect();
    let answers = trial.runner.run(&tasks, trial.cancel)?;
    let seen = |at: usize| answers.get(at).map(|answer| sightings(trial.subject, answer));
    let rejects = |seen: &Sighting| excuse(trial.subject, seen) == Some(PanicClass::OwnAssertion);
    let runs_out = |seen: &Sighting| excuse(trial.subject, seen) == Some(PanicClass::ResourceLimit);
    Ok(if seen(0).is_some_and(|seen| seen.iter().any(rejects)) {
        Some(PanicClass::OwnAssertion)
    } else if seen(1).is_some_and(|seen| seen.iter().any(runs_out)) {
        Some(PanicClass::ResourceLimit)
    } else {
        None
    })
}

/// True if a helper of a type that reckons with one number alone rejects zero, as `ilog2` does, and takes
/// the next numbers.
pub(crate) fn excuse_zero(
    trial: &mut Trial<'_>,
    sequence: &Sequence,
    place: &PanicPlace,
    op: OpId,
) -> Result<Option<PanicClass>, WorkerError> {
    // One alone may be as special as zero is.
    const NEXT: [i128; 3] = [1, 2, 5];
    let is_helper = trial.subject.operation(op).is_some_and(|it| {
        matches!(&it.callee, Callee::Inherent { .. })
            && it.receiver().is_none()
            && trial.subject.makes(op).is_empty()
            && !can_refuse(&it.result)
            && is_own(trial.subject, place, it)
    });
    let last = sequence.steps.last().map(|step| &step.args[..]);
    if !is_helper || !is_overflow(place) || last != Some(&[Arg::Plain(Value::Int(0))]) {
        return Ok(None);
    }
    let others: Vec<_> =
        NEXT.iter().filter_map(|next| changed(sequence, |_| true, &|_| *next)).collect();
    let tasks: Vec<_> = others.iter().map(|other| task(other, trial.views)).collect();
    let answers = trial.runner.run(&tasks, trial.cancel)?;
    let fine = answers
        .iter()
        .all(|answer| answer.done().is_some() && sightings(trial.subject, answer).is_empty());
    Ok(fine.then_some(PanicClass::OwnAssertion))
}

/// Why what was seen is no fault, if it is none: an assertion of any kind, or a limit.
fn excuse(subject: &SubjectModel, seen: &Sighting) -> Option<PanicClass> {
    match &seen.oracle {
        Oracle::Memory => Some(PanicClass::ResourceLimit),
        Oracle::Panic(place) => match question(subject, place, subject.operation(seen.op)) {
            Question::Settled(PanicClass::Undeclared) => None,
            Question::Settled(PanicClass::ResourceLimit) => Some(PanicClass::ResourceLimit),
            Question::Settled(_) | Question::Arguments => Some(PanicClass::OwnAssertion),
        },
        _ => None,
    }
}

/// True if an absurd number of the last step, which is no size, is of the kind that an object of the step
/// gives out for what it takes in (`fn add_node(&mut self, weight: N) -> usize`, not the number of
/// bytes that were read), and the result cannot say that there is no such thing.
fn makes_up_handle(subject: &SubjectModel, sequence: &Sequence) -> bool {
    let Some(step) = sequence.steps.last() else { return false };
    let Some(op) = subject.operation(step.op).filter(|op| !can_refuse(&op.result)) else {
        return false;
    };
    let owners: BTreeSet<TypeId> =
        step.objects().filter_map(|(_, at)| subject.type_of(sequence, at)).collect();
    let absurd = op
        .params
        .iter()
        .zip(&step.args)
        .filter(|(_, arg)| matches!(arg, Arg::Plain(Value::Int(n)) if is_absurd(*n)));
    let absurd = absurd.filter(|(param, _)| !is_size(&param.name));
    let numbers: Vec<&Ty> = absurd.map(|(param, _)| &param.ty).collect();
    let ops = (0..).map(OpId).zip(&subject.manifest().ops);
    let mut givers = ops.filter(|(_, op)| match op.params.first() {
        Some(ManifestParam::Object(ty, Mode::Mut)) => owners.contains(ty) && op.params.len() > 1,
        _ => false,
    });
    givers.any(|(op, _)| {
        subject.operation(op).is_some_and(|op| {
            let keeps = |ty: &Ty| matches!(ty, Ty::Probe | Ty::Prim(_) | Ty::Path { .. });
            let takes_in = op.params.iter().skip(1).any(|it| it.ty != op.result && keeps(&it.ty));
            takes_in && matches!(op.result, Ty::Prim(_)) && numbers.contains(&&op.result)
        })
    })
}

/// True if an absurd number of the last step says how much room is wanted.
pub(crate) fn asks_for_room(trial: &Trial<'_>, sequence: &Sequence) -> bool {
    wants_room(trial, sequence, is_absurd)
}

/// The same of a number that is large enough for its square to be absurd.
pub(crate) fn asks_for_much_room(trial: &Trial<'_>, sequence: &Sequence) -> bool {
    // A number whose square no integer holds is large enough.
    let is_much = |n: i128| n.unsigned_abs().checked_pow(2).is_none_or(|square| square >= ABSURD);
    wants_room(trial, sequence, is_much)
}

fn wants_room(trial: &Trial<'_>, sequence: &Sequence, is_much: fn(i128) -> bool) -> bool {
    let Some(step) = sequence.steps.last() else { return false };
    let Some(op) = trial.subject.operation(step.op) else { return false };
    let name = op.callable.name.as_str();
    let speaks_of_room = is_size(name) || name.contains("reserve");
    op.params.iter().zip(&step.args).any(|(param, arg)| {
        (speaks_of_room || is_size(&param.name))
            && matches!(arg, Arg::Plain(Value::Int(n)) if is_much(*n))
    })
}

/// The sequence with lists of this length in its last step where that writes into them.
fn roomier(subject: &SubjectModel, sequence: &Sequence, len: usize) -> Option<Sequence> {
    let mut roomier = sequence.clone();
    let step = roomier.steps.last_mut()?;
    let params = &subject.operation(step.op)?.params;
    if params.len() != step.args.len() {
        return None;
    }
    for (param, arg) in params.iter().zip(&mut step.args) {
        if let (Arg::Plain(value), true) = (arg, is_buffer(&param.ty)) {
            lengthen(value, len);
        }
    }
    (roomier != *sequence).then_some(roomier)
}

/// Makes lists of numbers this long.
fn lengthen(value: &mut Value, len: usize) {
    let (Value::Seq(items) | Value::Tuple(items)) = value else { return };
    if items.iter().all(|item| matches!(item, Value::Int(_))) {
        items.resize(len, Value::Int(0));
    } else {
        for item in items {
            lengthen(item, len);
        }
    }
}

#[cfg(test)]
#[path = "varied_arguments/tests.rs"]
mod tests;
