//! Steps and sequences: the serialised form of how an object came to be.

use std::hash::{Hash as _, Hasher as _};

use crate::{Mix, OpId, Twist, Value};

/// The `out`-th object that step number `step` of a sequence made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ObjRef {
    /// Index of the step in its sequence.
    pub step: u32,
    /// Which of its resulting objects.
    pub out: u32,
}
wire_struct!(ObjRef { step, out });

/// The value passed for one parameter.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Arg {
    /// An object of the pool, in whatever version it has by then.
    Object(ObjRef),
    /// A value made on the spot. For an optional object parameter, `None` as a value.
    Plain(Value),
}
wire_enum!(Arg { 0 = Object(object), 1 = Plain(value) });

/// One call.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Step {
    /// The operation.
    pub op: OpId,
    /// With what, one per parameter.
    pub args: Vec<Arg>,
    /// The misbehaviour of the caller's code meanwhile.
    pub twist: Twist,
}
wire_struct!(Step { op, args, twist });

/// An ordered list of calls.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Sequence {
    /// The calls; an [`ObjRef`] in one of them names an earlier one.
    pub steps: Vec<Step>,
}
wire_struct!(Sequence { steps });

impl Step {
    /// A call in which all that is handed over behaves well.
    pub fn new(op: OpId, args: Vec<Arg>) -> Step {
        Step { op, args, twist: Twist::None }
    }

    /// The objects among the arguments, with their positions.
    pub fn objects(&self) -> impl Iterator<Item = (usize, ObjRef)> + '_ {
        self.args.iter().enumerate().filter_map(|(i, arg)| match arg {
            Arg::Object(object) => Some((i, *object)),
            Arg::Plain(_) => None,
        })
    }

    /// The step with its object references moved by `map`; `None` when one has no image.
    pub fn renumber_with(&self, map: impl Fn(u32) -> Option<u32>) -> Option<Step> {
        let args = self.args.iter().map(|arg| match arg {
            Arg::Object(object) => {
                map(object.step).map(|step| Arg::Object(ObjRef { step, out: object.out }))
            }
            Arg::Plain(value) => Some(Arg::Plain(value.clone())),
        });
        Some(Step { op: self.op, args: args.collect::<Option<_>>()?, twist: self.twist })
    }
}

impl Sequence {
    /// A number that stands for it.
    // Candidates of shrinking are remembered by it: whole sequences would fill the memory.
    pub fn digest(&self) -> u64 {
        let mut digest = Mix::new();
        self.hash(&mut digest);
        digest.finish()
    }

    /// Appends another sequence; returns by how much its step numbers moved.
    pub fn append(&mut self, other: &Sequence) -> u32 {
        let shift = u32::try_from(self.steps.len()).expect("sequences are short");
        let moved = other.steps.iter().filter_map(|step| step.renumber_with(|i| Some(i + shift)));
        self.steps.extend(moved);
        shift
    }

    /// The steps for which `keep` is true, renumbered. Steps that refer to a dropped step are
    /// dropped too, so the result is always well formed.
    // One pass forwards is enough: a step refers to earlier steps only.
    pub fn keep_steps(&self, keep: impl Fn(usize) -> bool) -> Sequence {
        let mut image: Vec<Option<u32>> = Vec::with_capacity(self.steps.len());
        let mut steps: Vec<Step> = Vec::new();
        for (i, step) in self.steps.iter().enumerate() {
            let at = u32::try_from(steps.len()).expect("sequences are short");
            let moved = keep(i)
                .then(|| step.renumber_with(|j| image.get(j as usize).copied().flatten()))
                .flatten();
            image.push(moved.is_some().then_some(at));
            steps.extend(moved);
        }
        Sequence { steps }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step(op: u32, objects: &[u32]) -> Step {
        let args = objects.iter().map(|&step| Arg::Object(ObjRef { step, out: 0 })).collect();
        Step::new(OpId(op), args)
    }

    #[test]
    fn dropping_a_step_drops_what_depends_on_it_and_renumbers_the_rest() {
        let sequence =
            Sequence { steps: vec![step(0, &[]), step(1, &[]), step(2, &[0]), step(3, &[1])] };
        let kept = sequence.keep_steps(|i| i != 0);
        assert_eq!(kept, Sequence { steps: vec![step(1, &[]), step(3, &[0])] });
    }

    #[test]
    fn appending_moves_references() {
        let mut first = Sequence { steps: vec![step(0, &[])] };
        let shift = first.append(&Sequence { steps: vec![step(1, &[]), step(2, &[0])] });
        assert_eq!(shift, 1);
        assert_eq!(first.steps[2], step(2, &[1]));
    }
}
