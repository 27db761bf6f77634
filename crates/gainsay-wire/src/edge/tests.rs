//! The edge of a call names its subject, both states and the outcome; edges add up to the calls.

use super::*;
use crate::{Lending, Mode, ObjRef, PanicPlace, Role, Value};

const OP: OpId = OpId(3);
const STACK: TypeId = TypeId(1);

fn observation(outcome: Outcome, objects: &[ObjectState], made: &[StateId]) -> Observation {
    let made = made.iter().map(|state| (STACK, *state)).collect();
    Observation {
        op: OP,
        outcome,
        values: Vec::new(),
        objects: objects.to_vec(),
        made,
        freed: Vec::new(),
    }
}

fn object(operand: u32, before: u64, after: Option<u64>) -> ObjectState {
    ObjectState { operand, ty: STACK, before: StateId(before), after: after.map(StateId) }
}

fn check(seen: &Observation, operand: Option<u32>, ends: [EdgeEnd; 2], outcome: OutcomeClass) {
    let [before, after] = ends;
    let ty = Some(STACK);
    assert_eq!(Edge::of(seen), Some(Edge { op: OP, operand, ty, before, outcome, after }));
}

fn state(id: u64) -> EdgeEnd {
    EdgeEnd::State(StateId(id))
}

#[test]
fn the_subject_of_a_call_is_its_first_object_else_what_it_made_first() {
    use OutcomeClass::{Panicked, Returned, ReturnedErr};
    let both = [object(1, 5, Some(6)), object(2, 7, Some(8))];
    let call = observation(Outcome::Returned, &both, &[StateId(9)]);
    check(&call, Some(1), [state(5), state(6)], Returned);
    let made = observation(Outcome::ReturnedErr, &[], &[StateId(9), StateId(10)]);
    check(&made, None, [EdgeEnd::Absent, state(9)], ReturnedErr);
    let (file, message) = (String::new(), String::new());
    let panicked = Outcome::Panicked(PanicPlace { file, line: 1, message, changed: false });
    let call = observation(panicked, &[object(0, 5, None)], &[]);
    check(&call, Some(0), [state(5), EdgeEnd::Absent], Panicked);
}

#[test]
fn a_call_without_objects_has_an_edge_and_one_that_was_not_made_has_none() {
    let call = Edge::of(&observation(Outcome::Returned, &[], &[])).unwrap();
    assert_eq!((call.ty, call.before, call.after), (None, EdgeEnd::Absent, EdgeEnd::Absent));
    assert_eq!(Edge::of(&observation(Outcome::NotReady, &[], &[])), None);
}

#[test]
fn edges_of_calls_add_up_to_the_calls() {
    let calls: Vec<Observation> = [1, 2, 1, 1]
        .map(|before| observation(Outcome::Returned, &[object(0, before, Some(2))], &[]))
        .into();
    let counts = EdgeCount::of_all(calls.iter());
    let counted: Vec<_> = counts.iter().map(|it| (it.edge.before, it.count)).collect();
    assert_eq!(counted, [(state(1), 3), (state(2), 1)]);
}

#[test]
fn the_edge_of_a_death_names_the_subject_and_no_state() {
    let op = ManifestOp {
        id: crate::InstanceId::default(),
        name: "Stack::push".into(),
        names: vec!["value".into(), "self".into()],
        params: vec![ManifestParam::Plain("i64".into()), ManifestParam::Object(STACK, Mode::Mut)],
        makes: Vec::new(),
        lending: Lending::default(),
        role: Role::Command,
    };
    let on = Arg::Object(ObjRef { step: 0, out: 0 });
    let step = Step::new(OP, vec![Arg::Plain(Value::Int(1)), on]);
    let edge = Edge::of_fatal_step(&step, &op, &Outcome::TimedOut).unwrap();
    assert_eq!((edge.operand, edge.ty, edge.before), (Some(1), Some(STACK), EdgeEnd::Unseen));
    assert_eq!((edge.outcome, edge.after), (OutcomeClass::TimedOut, EdgeEnd::Absent));
}

#[test]
fn an_edge_among_the_rest_still_tells_whether_anything_changed() {
    let edge = |before, after| {
        let call = observation(Outcome::Returned, &[object(0, before, after)], &[]);
        Edge::of(&call).unwrap().among_the_rest()
    };
    assert_eq!(edge(1, Some(1)).after, EdgeEnd::RestUnchanged);
    assert_eq!(edge(1, Some(2)).after, EdgeEnd::Rest);
    assert_eq!(edge(1, None).after, EdgeEnd::Absent);
    assert_eq!(edge(1, None).before, EdgeEnd::Rest);
}
