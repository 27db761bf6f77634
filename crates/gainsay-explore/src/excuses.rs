//! Panics that are the caller's doing, though no number of the call says so: more items than fit, and
//! values that name what is not there.

use gainsay_model::fault::PanicClass;
use gainsay_wire::{Arg, ManifestParam, ObjRef, PanicPlace, Sequence, Step, Value};

use crate::{ground::Ground, panics::is_about_indices};

/// Why a panic in the last step is no fault, if that can be told from the calls.
pub(crate) fn excuse(
    ground: &Ground,
    sequence: &Sequence,
    place: &PanicPlace,
) -> Option<PanicClass> {
    let dangles = is_about_indices(place) && names_by_value(ground, sequence);
    (dangles || overfills(ground, sequence)).then_some(PanicClass::OwnAssertion)
}

/// Whether the last step brings a list, and all steps together bring more items than the type, whose
/// room is a number in its name, can hold.
fn overfills(ground: &Ground, sequence: &Sequence) -> bool {
    let Some(last) = sequence.steps.last() else { return false };
    let Some(op) = ground.manifest().ops.get(last.op.0 as usize) else { return false };
    let receiver = op.params.iter().find_map(|param| match param {
        ManifestParam::Object(ty, _) => Some(*ty),
        ManifestParam::Plain(_) => None,
    });
    let Some(ty) = receiver.or(op.makes.first().copied()) else { return false };
    let name = ground.manifest().types.get(ty.0 as usize).map_or("", |ty| ty.name.as_str());
    let brings_list = last.args.iter().any(|arg| match arg {
        Arg::Plain(value) => longest(value) > 0,
        Arg::Object(_) => false,
    });
    let brought: usize = sequence.steps.iter().map(items).sum();
    brings_list && room(name).is_some_and(|room| brought > room)
}

/// How many items a step brings: those of its longest list, else one.
fn items(step: &Step) -> usize {
    let plain = step.args.iter().filter_map(|arg| match arg {
        Arg::Plain(value) => Some(longest(value).max(1)),
        Arg::Object(_) => None,
    });
    plain.max().unwrap_or(0)
}

fn longest(value: &Value) -> usize {
    match value {
        Value::Seq(items) => items.len().max(items.iter().map(longest).max().unwrap_or(0)),
        Value::Tuple(items) => items.iter().map(longest).max().unwrap_or(0),
        Value::Opt(Some(inner)) | Value::Res(_, inner) => longest(inner),
        _ => 0,
    }
}

/// The number among the arguments of a type, or in the length of an array: `Vec<u8, 4>`, `Vec<[u8; 4]>`.
fn room(name: &str) -> Option<usize> {
    let words = name.split(['<', '>', ',', ';', ']', ' ', '{', '}']);
    words.filter_map(|word| word.parse().ok()).max()
}

/// Whether an operand of the last step was written down as a literal with numbers in it: that may name
/// an object by its position, like an edge its ends.
fn names_by_value(ground: &Ground, sequence: &Sequence) -> bool {
    let Some(last) = sequence.steps.last() else { return false };
    let is_literal = |at: ObjRef| {
        let step = &sequence.steps[at.step as usize];
        let has_number = step.args.iter().any(|arg| matches!(arg, Arg::Plain(Value::Int(_))));
        has_number && ground.operation(step.op).is_some_and(|op| !op.counted)
    };
    last.objects().any(|(_, at)| is_literal(at))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_room_of_a_type_is_a_number_in_its_name() {
        assert_eq!(room("IndexMap<u32, u64, BuildHasherDefault<FnvHasher>, 4>"), Some(4));
        assert_eq!(room("ArrayVec<[Probe; 16]>"), Some(16));
        assert_eq!(room("VecInner<u8, u8, OwnedVecStorage<u8, 2>>"), Some(2));
        assert_eq!(room("Vec<u32>"), None);
    }

    #[test]
    fn a_step_brings_the_items_of_its_longest_list() {
        let list = |n| Value::Seq(vec![Value::Int(7); n]);
        let pair = Value::Tuple(vec![list(3), list(2)]);
        assert_eq!([longest(&list(4)), longest(&pair), longest(&Value::Int(9))], [4, 3, 0]);
    }
}
