//! A small machine for tests: sorted sets of numbers, run and observed without processes.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
};

use gainsay_model::{
    api::{Source, Subject},
    features::Features,
};
use gainsay_wire::{
    Arg, Digest, EpochReport, Expr, KeptCall, Manifest, ManifestOp, ManifestParam, ManifestQuery,
    ManifestType, Mode, ObjRef, ObjectState, Observation, OpId, Outcome, PanicPlace, Point, Root,
    Sequence, StateId, StateRecord, Step, Term, TypeId, Value, When, parse_expr, to_bytes,
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

pub(crate) fn query(name: &str, param: Option<ManifestParam>) -> ManifestQuery {
    ManifestQuery { name: name.into(), param, active: true }
}

pub(crate) fn op(name: &str, params: Vec<(&str, ManifestParam)>, makes: Vec<TypeId>) -> ManifestOp {
    let (names, params) = params.into_iter().map(|(n, p)| (n.to_owned(), p)).unzip();
    ManifestOp {
        id: gainsay_wire::InstanceId::default(),
        name: name.into(),
        names,
        params,
        makes,
        lending: gainsay_wire::Lending::Inherited,
        role: gainsay_wire::Role::Command,
    }
}

pub(crate) fn object(mode: Mode) -> ManifestParam {
    ManifestParam::Object(SET, mode)
}

pub(crate) fn sets() -> Manifest {
    let plain = |key: &str| ManifestParam::Plain(key.into());
    Manifest {
        types: vec![ManifestType {
            name: "Set".into(),
            queries: vec![
                query("is_empty", None),
                query("len", None),
                query("seq", None),
                query("is_disjoint", Some(object(Mode::Ref))),
                query("contains", Some(plain("i64"))),
            ],
            can_clone: false,
            borrows: false,
            locks: false,
        }],
        ops: vec![
            op("Set::new", vec![], vec![SET]),
            op("Set::insert", vec![("self", object(Mode::Mut)), ("value", plain("i64"))], vec![]),
            op(
                "Set::merge",
                vec![("self", object(Mode::Mut)), ("other", object(Mode::Ref))],
                vec![],
            ),
            op("Set::at", vec![("self", object(Mode::Ref)), ("index", plain("usize"))], vec![]),
        ],
    }
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

pub(crate) fn obj(step: u32) -> Arg {
    Arg::Object(ObjRef { step, out: 0 })
}

pub(crate) fn int(value: i128) -> Arg {
    Arg::Plain(Value::Int(value))
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
    let mut objects: Vec<Option<Set>> = Vec::new();
    let (last, rest) = steps.split_last().unwrap();
    for step in rest {
        let (_, _, made) = execute(step, &mut objects);
        objects.push(made);
    }
    let before = objects.clone();
    let (outcome, result, made) = execute(last, &mut objects);
    let vocabulary = sets().vocabulary(last.op);
    let values = vocabulary.terms().iter().map(|term| {
        let (of, gone) = match term.when {
            When::Before => (&before, false),
            When::After => (&objects, !outcome.returned()),
        };
        if gone { Value::Undefined } else { term_value(term, last, of, &result, made.as_ref()) }
    });
    let values = values.collect();
    let mut states = Vec::new();
    let mut see = |set: &Set| {
        let values = view(set);
        let state = state_of(&values);
        states.push(StateRecord { state, ty: SET, values });
        state
    };
    let operands = last.objects().map(|(operand, at)| ObjectState {
        operand: u32::try_from(operand).unwrap(),
        ty: SET,
        before: see(before[at.step as usize].as_ref().unwrap()),
        after: outcome.returned().then(|| see(objects[at.step as usize].as_ref().unwrap())),
    });
    let operands = operands.collect();
    let made = made.iter().map(|set| (SET, see(set))).collect();
    let observation =
        Observation { op: last.op, outcome, values, objects: operands, made, freed: Vec::new() };
    (states, KeptCall { observation, recipe: sequence(steps.to_vec()) })
}

fn execute(step: &Step, objects: &mut [Option<Set>]) -> (Outcome, Value, Option<Set>) {
    let index = |arg: &Arg| match arg {
        Arg::Object(at) => at.step as usize,
        Arg::Plain(_) => usize::MAX,
    };
    let number = |arg: &Arg| match arg {
        Arg::Plain(Value::Int(value)) => i64::try_from(*value).unwrap(),
        _ => 0,
    };
    let unit = (Outcome::Returned, Value::Unit, None);
    match step.op {
        NEW => (Outcome::Returned, Value::Object, Some(Set::new())),
        INSERT => {
            let value = number(&step.args[1]);
            objects[index(&step.args[0])].as_mut().unwrap().insert(value);
            unit
        }
        MERGE => {
            let other = objects[index(&step.args[1])].clone().unwrap();
            objects[index(&step.args[0])].as_mut().unwrap().extend(other);
            unit
        }
        _ => {
            let set = objects[index(&step.args[0])].as_ref().unwrap();
            let at = usize::try_from(number(&step.args[1])).unwrap();
            match set.iter().nth(at) {
                Some(item) => (Outcome::Returned, Value::Int(i128::from(*item)), None),
                None => (Outcome::Panicked(place()), Value::Undefined, None),
            }
        }
    }
}

fn place() -> PanicPlace {
    let (file, message) = ("src/lib.rs".into(), "out of bounds".into());
    PanicPlace { file, line: 7, message, changed: false }
}

fn term_value(
    term: &Term,
    step: &Step,
    objects: &[Option<Set>],
    result: &Value,
    made: Option<&Set>,
) -> Value {
    let operand = |i: u32| match &step.args[i as usize] {
        Arg::Object(at) => Ok(objects[at.step as usize].as_ref().unwrap()),
        Arg::Plain(value) => Err(value.clone()),
    };
    let set = match term.root {
        Root::Result => return result.clone(),
        Root::Made(_) => made.unwrap(),
        Root::Operand(i) => match operand(i) {
            Ok(set) => set,
            Err(value) => return value,
        },
    };
    let unary = view(set);
    match (term.query.as_deref().unwrap(), term.with) {
        ("is_empty", _) => unary[0].clone(),
        ("len", _) => unary[1].clone(),
        ("seq", _) => unary[2].clone(),
        ("is_disjoint", Some(with)) => Value::Bool(set.is_disjoint(operand(with).unwrap())),
        (_, Some(with)) => {
            let value = operand(with).unwrap_err().as_int().unwrap();
            Value::Bool(set.contains(&i64::try_from(value).unwrap()))
        }
        (_, None) => Value::Undefined,
    }
}
