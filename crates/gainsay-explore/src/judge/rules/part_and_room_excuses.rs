//! Panics that are the caller's doing, though no number of the call says so: more items than fit,
//! values that name what is not there, and parts that do not go together.

use gainsay_model::{api::Callee, fault::PanicClass};
use gainsay_wire::{
    Arg, Manifest, ManifestParam, ObjRef, PanicPlace, Sequence, Step, TypeId, Value,
};
use gainsay_workers::WorkerError;

use crate::{
    judge::{
        rules::panic_class::{is_about_indices, is_impossible},
        trial::Trial,
    },
    sequences::{Views, task},
    subject_model::SubjectModel,
};

/// The query by which objects tell their room.
const CAPACITY: &str = "capacity";
/// A query that only makes sense where room is limited.
const IS_FULL: &str = "is_full";

/// Why a panic in the last step is no fault, if that can be told from the calls. What its author holds
/// impossible is one whatever the caller did.
pub(crate) fn excuse(
    trial: &mut Trial<'_>,
    sequence: &Sequence,
    place: &PanicPlace,
) -> Result<Option<PanicClass>, WorkerError> {
    if is_impossible(place) {
        return Ok(None);
    }
    let subject = trial.subject;
    let dangles = is_about_indices(place)
        && (names_by_value(subject, sequence) || is_put_together(subject, sequence));
    let is_callers = dangles || overfills(trial, sequence)?;
    Ok(is_callers.then_some(PanicClass::OwnAssertion))
}

/// True if the last step brings a list, and all steps with objects of its type bring more items than
/// that type, whose room is a number in its name, can hold.
fn overfills(trial: &mut Trial<'_>, sequence: &Sequence) -> Result<bool, WorkerError> {
    let manifest = trial.subject.manifest();
    let Some(last) = sequence.steps.last() else { return Ok(false) };
    let Some(ty) = first_type(manifest, last) else { return Ok(false) };
    let name = manifest.types.get(ty.0 as usize).map_or("", |ty| ty.name.as_str());
    let brings_list = values(last).any(|value| longest(value) > 0);
    let same = sequence.steps.iter().filter(|step| first_type(manifest, step) == Some(ty));
    let brought: usize = same.map(items).sum();
    match room(name).filter(|room| brings_list && brought > room.items) {
        Some(room) => is_meant_as_room(trial, sequence, ty, room),
        None => Ok(false),
    }
}

/// True if a number in a type's name is its room: it is the length of an array, the type can be full,
/// or its objects tell it as their capacity. Others are an order of a tree, a number of lanes, a
/// version: a panic over those is no caller's doing.
fn is_meant_as_room(
    trial: &mut Trial<'_>,
    sequence: &Sequence,
    ty: TypeId,
    room: Room,
) -> Result<bool, WorkerError> {
    let queries: Vec<&str> =
        trial.subject.manifest().state_queries(ty).map(|query| query.name.as_str()).collect();
    let can_be_full = queries.contains(&IS_FULL);
    if room.source == RoomSource::Array || can_be_full {
        return Ok(true);
    }
    let Some(capacity) = queries.iter().position(|name| *name == CAPACITY) else {
        return Ok(false);
    };
    let told = Value::Int(i128::try_from(room.items).unwrap_or(i128::MAX));
    // Up to the last step: a call that panics may leave anything behind.
    let before = sequence.keep_steps(|step| step + 1 < sequence.steps.len());
    let answers = trial.runner.run(&[task(&before, Views::On)], trial.cancel)?;
    let mut states = answers.iter().filter_map(|answer| answer.done()).flat_map(|it| &it.states);
    Ok(states.any(|state| state.ty == ty && state.values.get(capacity) == Some(&told)))
}

/// The type that a step is about: of its receiver, else of what it makes.
fn first_type(manifest: &Manifest, step: &Step) -> Option<TypeId> {
    let op = manifest.ops.get(step.op.0 as usize)?;
    let taken = op.params.iter().find_map(|param| match param {
        ManifestParam::Object(ty, _) => Some(*ty),
        ManifestParam::Plain(_) => None,
    });
    taken.or(op.makes.first().copied())
}

/// Counts the items that a step brings: those of its longest list, else one.
fn items(step: &Step) -> usize {
    values(step).map(|value| longest(value).max(1)).max().unwrap_or(0)
}

fn values(step: &Step) -> impl Iterator<Item = &Value> {
    step.args.iter().filter_map(|arg| match arg {
        Arg::Plain(value) => Some(value),
        Arg::Object(_) => None,
    })
}

fn longest(value: &Value) -> usize {
    match value {
        Value::Seq(items) => items.len().max(items.iter().map(longest).max().unwrap_or(0)),
        Value::Tuple(items) => items.iter().map(longest).max().unwrap_or(0),
        Value::Opt(Some(inner)) | Value::Res(_, inner) => longest(inner),
        _ => 0,
    }
}

/// A number in the name of a type that may be the room of its objects.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Room {
    items: usize,
    source: RoomSource,
}

/// The place of such a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum RoomSource {
    /// Among the arguments of a type: `Vec<u8, 4>`.
    Argument,
    /// In the length of an array: `Vec<[u8; 4]>`.
    Array,
}

/// The largest number in a type's name: that of several at which a call surely brings too much.
fn room(name: &str) -> Option<Room> {
    let mut start = 0;
    let mut found = None;
    for word in name.split(['<', '>', ',', ';', ']', ' ', '{', '}']) {
        let is_length = name[..start].trim_end().ends_with(';');
        let source = if is_length { RoomSource::Array } else { RoomSource::Argument };
        found = found.max(word.parse().ok().map(|items| Room { items, source }));
        // All separators take one byte.
        start += word.len() + 1;
    }
    found
}

/// True if an operand of the last step was written down as a literal with numbers in it: that may name
/// an object by its position, like an edge its ends.
fn names_by_value(subject: &SubjectModel, sequence: &Sequence) -> bool {
    let Some(last) = sequence.steps.last() else { return false };
    let is_literal = |at: ObjRef| {
        let step = &sequence.steps[at.step as usize];
        let has_number = values(step).any(|value| matches!(value, Value::Int(_)));
        has_number && subject.operation(step.op).is_some_and(|op| !op.counted)
    };
    last.objects().any(|(_, at)| is_literal(at))
}

/// True if the caller put an operand of the last step together from parts that are objects, which may not
/// go with each other: by its public fields, or by what std calls so.
fn is_put_together(subject: &SubjectModel, sequence: &Sequence) -> bool {
    let Some(last) = sequence.steps.last() else { return false };
    let of_parts = |at: ObjRef| {
        let maker = &sequence.steps[at.step as usize];
        let op = subject.operation(maker.op).filter(|_| maker.objects().next().is_some());
        op.is_some_and(|op| match &op.callee {
            Callee::Literal { .. } => op.params.len() > 1,
            _ => matches!(op.function_name(), "from_parts" | "from_raw_parts"),
        })
    };
    last.objects().any(|(_, at)| of_parts(at))
}

#[cfg(test)]
mod tests {
    use gainsay_model::{
        api::{Lending, OpKind, Operation, Param},
        ty::Ty,
    };
    use gainsay_wire::{CallableId, OpId};

    use gainsay_wire::{ManifestQuery, RunReport, StateId, StateRecord};
    use gainsay_workers::{Answer, Cancel};

    use super::*;
    use crate::{
        fake::{FROM, Fake, NEW, POP, PUSH, manifest, obj, sequence},
        judge::trial::Target,
    };

    /// Judges a panic in the last of these calls; objects show this in each view.
    fn excused(
        subject: &SubjectModel,
        calls: &[(OpId, &[Arg])],
        message: &str,
        values: &[Value],
    ) -> Option<PanicClass> {
        let state = StateRecord { state: StateId(1), ty: TypeId(0), values: values.to_vec() };
        let report = RunReport { states: vec![state], ..RunReport::default() };
        let mut runner = Fake::running(|_| Answer::Done(report.clone()));
        let cancel = Cancel::new();
        let mut trial = Trial::new(&mut runner, subject, &cancel, Target::Memory);
        let (file, message) = ("/s/src/lib.rs".to_owned(), message.to_owned());
        let place = PanicPlace { file, line: 1, message, changed: true };
        excuse(&mut trial, &sequence(calls), &place).unwrap()
    }

    fn query(name: &str) -> ManifestQuery {
        ManifestQuery { name: name.to_owned(), param: None, active: true }
    }

    fn list(len: usize) -> Arg {
        Arg::Plain(Value::Seq(vec![Value::Int(7); len]))
    }

    /// Why `Stack::push` with a list, after these steps, is excused in a crate that calls its type so.
    fn check(name: &str, steps: &[(OpId, &[Arg])], message: &str, expected: bool) {
        let mut manifest = manifest();
        manifest.types[0].name = name.to_owned();
        manifest.types[0].queries = vec![query("len"), query(CAPACITY)];
        let subject = SubjectModel::new(manifest, vec![None; 6], "/s");
        let told = room(name).map_or(0, |room| i128::try_from(room.items).unwrap());
        let class = excused(&subject, steps, message, &[Value::Int(0), Value::Int(told)]);
        assert_eq!(class.is_some(), expected, "{name} {steps:?} {class:?}");
    }

    #[test]
    fn a_number_in_a_types_name_is_its_room_only_with_evidence() {
        const ABSENT: &str = "called `Option::unwrap()` on a `None` value";
        let three: &[(OpId, &[Arg])] = &[(NEW, &[]), (PUSH, &[obj(0), list(3)])];
        let check = |name: &str, views: &[(&str, Value)], expected: bool| {
            let mut manifest = manifest();
            manifest.types[0].name = name.to_owned();
            manifest.types[0].queries = views.iter().map(|(name, _)| query(name)).collect();
            let subject = SubjectModel::new(manifest, vec![None; 6], "/s");
            let values: Vec<Value> = views.iter().map(|(_, value)| value.clone()).collect();
            let class = excused(&subject, three, ABSENT, &values);
            assert_eq!(class.is_some(), expected, "{name} {views:?}");
        };
        let (len, two, nine) = (("len", Value::Int(0)), Value::Int(2), Value::Int(9));
        // The order of a tree.
        check("Tree<u8, 2>", &[], false);
        check("Tree<u8, 2>", std::slice::from_ref(&len), false);
        check("Ring<u8, 2>", &[len.clone(), (CAPACITY, nine)], false);
        check("Stack<u8, 2>", &[len.clone(), (CAPACITY, two)], true);
        check("Stack<u8, 2>", &[len, (IS_FULL, Value::Bool(false))], true);
        check("Stack<[u8; 2]>", &[], true);
    }

    #[test]
    fn a_list_is_too_long_for_a_type_with_room_for_fewer_items() {
        const ABSENT: &str = "called `Option::unwrap()` on a `None` value";
        let three: &[(OpId, &[Arg])] = &[(NEW, &[]), (PUSH, &[obj(0), list(3)])];
        check("Stack<u8, 2>", three, ABSENT, true);
        check("Stack<u8, 3>", three, ABSENT, false);
        check("Stack<u8>", three, ABSENT, false);
        check("Stack<u8, 2>", three, "internal error: entered unreachable code", false);
        let one = Arg::Plain(Value::Int(1));
        let after_one: &[(OpId, &[Arg])] =
            &[(NEW, &[]), (PUSH, &[obj(0), one.clone()]), (PUSH, &[obj(0), list(2)])];
        check("Stack<u8, 2>", after_one, ABSENT, true);
        let none: &[(OpId, &[Arg])] = &[(FROM, &[list(2)]), (PUSH, &[obj(0), one])];
        check("Stack<u8, 2>", none, ABSENT, false);
    }

    /// True if a panic with this message is excused in an operand that this callee made of so many parts,
    /// one of which is an object.
    fn check_parts(callee: Callee, parts: usize, message: &str, expected: bool) {
        let calls: &[(OpId, &[Arg])] = &[(FROM, &[list(1)]), (NEW, &[obj(0)]), (POP, &[obj(1)])];
        check_calls((callee, parts), calls, message, expected);
    }

    fn check_calls(
        (callee, parts): (Callee, usize),
        calls: &[(OpId, &[Arg])],
        message: &str,
        expected: bool,
    ) {
        let param = || Param { name: "x".to_owned(), ty: Ty::Probe };
        let name = match &callee {
            Callee::Function { path, .. } => path.trim_start_matches("walk::"),
            _ => "Walk",
        };
        let maker = Operation {
            path: "Walk".to_owned(),
            callable: CallableId::function("walk", name),
            counted: matches!(callee, Callee::Function { .. }),
            callee,
            kind: OpKind::Origin,
            params: (0..parts).map(|_| param()).collect(),
            result: Ty::Unit,
            lending: Lending::Inherited,
            documented_panics: None,
            conditions: Vec::new(),
            ways: Vec::new(),
            written: Vec::new(),
            span: None,
        };
        let subject =
            SubjectModel::new(manifest(), vec![Some(maker), None, None, None, None, None], "/s");
        let class = excused(&subject, calls, message, &[]);
        assert_eq!(class.is_some(), expected, "{parts} {message}");
    }

    #[test]
    fn parts_that_the_caller_put_together_may_not_go_together() {
        const NOWHERE: &str = "index out of bounds: the len is 0 but the index is 1";
        let literal = || Callee::Literal { path: "walk::Walk".to_owned() };
        let function = |name: &str| {
            let (path, generics) = (format!("walk::{name}"), Vec::new());
            Callee::Function { path, generics }
        };
        check_parts(literal(), 2, NOWHERE, true);
        check_parts(literal(), 1, NOWHERE, false);
        check_parts(literal(), 2, "called `Option::unwrap()` on a `None` value", false);
        check_parts(function("from_parts"), 2, NOWHERE, true);
        let number = Arg::Plain(Value::Int(7));
        let of_numbers: &[(OpId, &[Arg])] = &[(NEW, &[number.clone(), number]), (POP, &[obj(0)])];
        check_calls((function("from_parts"), 2), of_numbers, NOWHERE, false);
        check_parts(function("new"), 2, NOWHERE, false);
    }

    #[test]
    fn the_room_of_a_type_is_a_number_in_its_name() {
        let of = |name| room(name).map(|room| (room.items, room.source));
        let hasher = "IndexMap<u32, u64, BuildHasherDefault<FnvHasher>, 4>";
        assert_eq!(of(hasher), Some((4, RoomSource::Argument)));
        assert_eq!(of("ArrayVec<[Probe; 16]>"), Some((16, RoomSource::Array)));
        assert_eq!(of("VecInner<u8, u8, OwnedVecStorage<u8, 2>>"), Some((2, RoomSource::Argument)));
        assert_eq!(of("Vec<u32>"), None);
    }

    #[test]
    fn a_step_brings_the_items_of_its_longest_list() {
        let list = |n| Value::Seq(vec![Value::Int(7); n]);
        let pair = Value::Tuple(vec![list(3), list(2)]);
        assert_eq!([longest(&list(4)), longest(&pair), longest(&Value::Int(9))], [4, 3, 0]);
    }
}
