//! Sorted sets of numbers for tests, run and observed without processes.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
};

use gainsay_model::{
    api::{Source, Subject},
    features::Features,
};
use gainsay_testkit::ToyMachine;
pub(crate) use gainsay_testkit::{int, make_op as op, make_query as query, obj};
use gainsay_wire::{
    Arg, Digest, EpochReport, Expr, KeptCall, Manifest, ManifestParam, Mode, Observation, OpId,
    Point, Sequence, StateId, StateRecord, Step, TypeId, Value, parse_expr, to_bytes,
};

use crate::Store;

pub(crate) const SET: TypeId = TypeId(0);
pub(crate) const NEW: OpId = OpId(0);
pub(crate) const INSERT: OpId = OpId(1);
pub(crate) const MERGE: OpId = OpId(2);
pub(crate) const AT: OpId = OpId(3);

type Set = BTreeSet<i64>;

pub(crate) fn subject() -> Subject {
    Subject {
        name: "sets".into(),
        version: "1.0.0".into(),
        lib_name: "sets".into(),
        root: PathBuf::new(),
        out_dir: PathBuf::new(),
        source: Source::Path,
        features: Features::default(),
    }
}

pub(crate) fn object(mode: Mode) -> ManifestParam {
    gainsay_testkit::object(SET, mode)
}

fn machine() -> ToyMachine {
    let queries = ["is_empty", "len", "seq", "is_disjoint", "contains"];
    let ops = ["Set::new", "Set::insert", "Set::unite", "Set::at"];
    ToyMachine::new("Set", &queries, &ops)
}

pub(crate) fn sets() -> Manifest {
    machine().manifest
}

/// A store with a campaign on sets.
pub(crate) fn begun() -> Store {
    let mut store = Store::in_memory().unwrap();
    store.begin_campaign(&subject(), &sets(), 1).unwrap();
    store
}

/// A store in a file with a campaign on sets, in which a few were made.
pub(crate) fn filled(path: &Path) -> Store {
    let mut store = Store::open(path).unwrap();
    store.begin_campaign(&subject(), &sets(), 7).unwrap();
    record(&mut store, &set_of(0, &[1, 2, 3]));
    store
}

pub(crate) fn step(op: OpId, args: Vec<Arg>) -> Step {
    Step::new(op, args)
}

pub(crate) fn sequence(steps: Vec<Step>) -> Sequence {
    Sequence { steps }
}

/// Steps that make a set with these elements; its reference is step `first`.
pub(crate) fn set_of(first: u32, items: &[i64]) -> Vec<Step> {
    let mut steps = vec![step(NEW, vec![])];
    steps.extend(items.iter().map(|item| step(INSERT, vec![obj(first), int(i128::from(*item))])));
    steps
}

pub(crate) fn predicate(op: OpId, text: &str) -> Expr {
    let names = sets().ops[op.0 as usize].operand_names();
    parse_expr(text, &names, Point::Entry).unwrap()
}

pub(crate) fn view(set: &Set) -> Vec<Value> {
    let len = i128::try_from(set.len()).unwrap();
    let seq = set.iter().map(|item| Value::Int(i128::from(*item))).collect();
    vec![Value::Bool(set.is_empty()), Value::Int(len), Value::Seq(seq)]
}

pub(crate) fn state_of(values: &[Value]) -> StateId {
    StateId(Digest::of_bytes(&to_bytes(&values.to_vec())))
}

/// Runs a sequence and records every call of it.
pub(crate) fn record(store: &mut Store, steps: &[Step]) {
    for end in 1..=steps.len() {
        let (states, call) = run(&steps[..end]);
        store.record_calls(&states, &[call]).unwrap();
    }
}

/// The report of an epoch that puts one element, then the next, into a set.
pub(crate) fn epoch(item: i64) -> EpochReport {
    let runs = [run(&set_of(0, &[item])), run(&set_of(0, &[item, item + 1]))];
    let states = runs.iter().flat_map(|(states, _)| states.clone()).collect();
    let kept = runs.into_iter().map(|(_, call)| call).collect();
    EpochReport { states, kept, ..EpochReport::default() }
}

/// Runs a sequence; what is seen of its last call.
pub(crate) fn run(steps: &[Step]) -> (Vec<StateRecord>, KeptCall) {
    let (mut states, mut calls) = machine().calls(&sequence(steps.to_vec()));
    let last = calls.pop().unwrap();
    let Observation { objects, made, .. } = &last.observation;
    let operands = objects.iter().flat_map(|object| [Some(object.before), object.after]);
    let of_last: Vec<StateId> =
        operands.flatten().chain(made.iter().map(|(_, state)| *state)).collect();
    states.retain(|state| of_last.contains(&state.state));
    (states, last)
}
