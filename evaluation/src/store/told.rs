//! A call of the pool as each store is told of it: observed, with the recipe that leads there, and
//! as a row of test cases with all that was evaluated.

use gainsay_wire::{
    Arg, KeptCall, Manifest, ObjRef, ObjectState, Observation, OpId, Outcome, Random, Root,
    Sequence, StateRecord, Step, Term, TypeId, Value, Vocabulary, When,
};

use super::{
    paper::{Evaluation, Moment, TestCase},
    pool::Call,
    shape::{Kind, OPS, PAPER_QUERIES, QUERIES, RELATION, State, op, op_name, type_name},
};

/// Knows what is observed of each operation.
pub(super) struct Teller {
    vocabularies: Vec<Vocabulary>,
}

impl Teller {
    pub(super) fn new(manifest: &Manifest) -> Teller {
        let ops = (0..).map(OpId).take(manifest.ops.len());
        Teller { vocabularies: ops.map(|op| manifest.vocabulary(op)).collect() }
    }

    /// The call with its recipe.
    pub(super) fn kept(&self, call: &Call) -> KeptCall {
        let terms = self.vocabularies[call.op.0 as usize].terms();
        let values = terms.iter().map(|term| value(call, term)).collect();
        let object = |(operand, state): (u32, &State)| ObjectState {
            operand,
            ty: TypeId(state.ty),
            before: state.id(),
            after: Some(if operand == 0 { call.after.id() } else { state.id() }),
        };
        let is_origin = call.kind == Kind::Origin;
        let made = is_origin.then(|| (TypeId(call.after.ty), call.after.id()));
        let observation = Observation {
            op: call.op,
            outcome: Outcome::Returned,
            values,
            objects: (0..).zip(&call.states).map(object).collect(),
            made: made.into_iter().collect(),
            freed: Vec::new(),
        };
        KeptCall { observation, recipe: recipe(call) }
    }
}

/// The states that a call speaks of.
pub(super) fn states(call: &Call) -> impl Iterator<Item = StateRecord> + '_ {
    let all = call.states.iter().copied().chain([call.after]);
    all.map(|state| StateRecord { state: state.id(), ty: TypeId(state.ty), values: state.values() })
}

fn value(call: &Call, term: &Term) -> Value {
    let state = |operand: u32| match (term.when, operand) {
        (When::After, 0) => call.after,
        _ => call.states[operand as usize],
    };
    let state = match term.root {
        Root::Result if call.kind == Kind::Look => {
            return Value::Int(i128::from(call.states[0].id().0 >> 8) % 3);
        }
        Root::Result => return Value::Unit,
        Root::Made(_) => call.after,
        Root::Operand(operand) if term.query.is_some() => state(operand),
        Root::Operand(_) => return Value::Int(i128::from(call.value)),
    };
    if let Some(with) = term.with {
        let other = match (term.when, with) {
            (When::After, 0) => call.after,
            _ => call.states[with as usize],
        };
        return Value::Bool(state.shares(other));
    }
    let at = QUERIES.iter().position(|query| Some(*query) == term.query.as_deref());
    at.map_or(Value::Undefined, |at| state.values().swap_remove(at))
}

/// The steps that make the operands, and the call. What makes an object tells its state.
fn recipe(call: &Call) -> Sequence {
    let mut sequence = Sequence::default();
    let mut args = Vec::new();
    for (state, variant) in call.states.iter().zip(&call.variants) {
        let first = sequence.append(&made(*state, *variant));
        args.push(Arg::Object(ObjRef { step: first, out: 0 }));
    }
    if call.kind == Kind::Command {
        args.push(Arg::Plain(Value::Int(i128::from(call.value))));
    }
    sequence.steps.push(Step::new(call.op, args));
    sequence
}

/// Three to twelve steps that make an object in a state.
fn made(state: State, variant: u32) -> Sequence {
    let mut random = Random::new(state.id().0 ^ u64::from(variant));
    let mut steps = vec![Step::new(op(state.ty, 0), Vec::new())];
    let mut command = |number: u32, value: u32| {
        let object = Arg::Object(ObjRef { step: 0, out: 0 });
        let value = Arg::Plain(Value::Int(i128::from(value)));
        steps.push(Step::new(op(state.ty, number), vec![object, value]));
    };
    let commands = Kind::Command.range();
    command(commands.start, state.number);
    command(commands.start + 1, variant);
    for _ in 0..random.below(10) {
        let number = u32::try_from(random.below(commands.len())).unwrap_or(0);
        command(commands.start + number, u32::try_from(random.below(100)).unwrap_or(0));
    }
    Sequence { steps }
}

/// The call as the paper keeps it.
pub(super) fn test_case(call: &Call) -> TestCase {
    let mut after = call.states.clone();
    match after.first_mut() {
        Some(first) => *first = call.after,
        None => after.push(call.after),
    }
    let serialized = [&call.states, &after].map(|states| {
        let one = |(at, state): (usize, &State)| {
            let variant = call.variants.get(at).copied().unwrap_or(0);
            format!("List{}:{:?}:{variant}", state.ty, state.answers())
        };
        states.iter().enumerate().map(one).collect::<Vec<_>>().join(";")
    });
    let mut evaluations = Vec::new();
    for (states, moment) in [(&call.states, Moment::Pre), (&after, Moment::Post)] {
        evaluate(states, moment, &mut evaluations);
    }
    let class = type_name(call.op.0 / OPS);
    TestCase { class, routine: op_name(call.op), serialized, evaluations }
}

fn evaluate(states: &[State], moment: Moment, evaluations: &mut Vec<Evaluation>) {
    for (i, a) in (0u32..).zip(states) {
        let ty = type_name(a.ty);
        for (name, value) in PAPER_QUERIES.into_iter().zip(a.answers()) {
            let objects = vec![i];
            evaluations.push(Evaluation { name, ty: ty.clone(), objects, value, moment });
        }
        for (j, b) in (0u32..).zip(states).filter(|(j, _)| i != *j) {
            let (name, objects, value) = (RELATION.1, vec![i, j], i64::from(a.shares(*b)));
            evaluations.push(Evaluation { name, ty: ty.clone(), objects, value, moment });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::{pool::Pool, shape::manifest};

    #[test]
    fn both_stores_are_told_of_the_same_evaluations() {
        let manifest = manifest();
        let teller = Teller::new(&manifest);
        for call in Pool::new(7_000, 1) {
            let kept = teller.kept(&call);
            let terms = teller.vocabularies[call.op.0 as usize].terms();
            assert_eq!(kept.observation.values.len(), terms.len());
            let asked = terms.iter().filter(|term| term.query.is_some()).count();
            assert_eq!(test_case(&call).evaluations.len(), asked, "{call:?}");
            assert!(!kept.observation.values.contains(&Value::Undefined));
        }
    }

    #[test]
    fn objects_in_different_states_have_different_recipes() {
        let state = |number| State { ty: 0, number };
        assert_ne!(made(state(1), 5), made(state(2), 5));
        assert_ne!(made(state(1), 5), made(state(1), 6));
    }
}
