//! Sequences in short form.

use gainsay_wire::{Arg, ObjRef, OpId, Sequence, Step, Value};

/// The steps of a sequence, each with its operation and arguments.
pub fn sequence(steps: &[(OpId, &[Arg])]) -> Sequence {
    let step = |(op, args): &(OpId, &[Arg])| Step::new(*op, args.to_vec());
    Sequence { steps: steps.iter().map(step).collect() }
}

/// The first object that a step made.
pub fn obj(step: u32) -> Arg {
    Arg::Object(ObjRef { step, out: 0 })
}

/// An integer.
pub fn int(value: i128) -> Arg {
    Arg::Plain(Value::Int(value))
}

/// A probe element.
pub fn elem(key: i64) -> Arg {
    Arg::Plain(Value::Elem(key))
}
