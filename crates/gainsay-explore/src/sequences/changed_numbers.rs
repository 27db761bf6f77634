//! The last step of a sequence with other numbers, and numbers that are absurd to ask for.

use gainsay_wire::{Arg, Sequence, Value};

/// An integer beyond this is an absurd size or position to ask for.
pub(crate) const ABSURD: u128 = 1 << 16;
/// True if a number of the last step is absurd.
pub(crate) fn has_absurd_number(sequence: &Sequence) -> bool {
    changed(sequence, is_absurd, &|_| 0).is_some()
}

pub(crate) fn is_absurd(n: i128) -> bool {
    n.unsigned_abs() >= ABSURD
}

/// The sequence with other numbers in its last step; `None` when that is the same sequence.
pub(crate) fn changed(
    sequence: &Sequence,
    wanted: fn(i128) -> bool,
    other: &dyn Fn(i128) -> i128,
) -> Option<Sequence> {
    let mut changed = sequence.clone();
    for arg in &mut changed.steps.last_mut()?.args {
        if let Arg::Plain(value) = arg {
            replace_numbers(value, wanted, other);
        }
    }
    (changed != *sequence).then_some(changed)
}

fn replace_numbers(value: &mut Value, wanted: fn(i128) -> bool, other: &dyn Fn(i128) -> i128) {
    match value {
        Value::Int(n) if wanted(*n) => *n = other(*n),
        Value::Opt(Some(inner)) | Value::Res(_, inner) => replace_numbers(inner, wanted, other),
        Value::Tuple(items) | Value::Seq(items) => {
            for item in items {
                replace_numbers(item, wanted, other);
            }
        }
        _ => {}
    }
}
