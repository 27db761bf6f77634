//! Which uses of handles are odd.

use gainsay_model::{
    api::{self, OpKind, Operation},
    ty::FnKind,
};
use gainsay_wire::{CallableId, Lending, Manifest, ManifestType, OpId, Role, Value};

use super::*;

const ARENA: TypeId = TypeId(0);
const NODE: TypeId = TypeId(1);
const SET: TypeId = TypeId(2);
const NEW: u32 = 0;
const ADD: u32 = 1;
const REMOVE: u32 = 2;
const COPY: u32 = 3;
const CLONE: u32 = 4;
const MAKE_UP: u32 = 5;
const ASK: u32 = 6;
const NEW_SET: u32 = 7;

fn subject() -> SubjectModel {
    let op = |names: &[&str], params: &[(TypeId, Mode)], makes: &[TypeId]| ManifestOp {
        id: gainsay_wire::InstanceId::default(),
        name: String::new(),
        names: names.iter().map(|&name| name.to_owned()).collect(),
        params: params.iter().map(|(ty, mode)| ManifestParam::Object(*ty, *mode)).collect(),
        makes: makes.to_vec(),
        lending: Lending::Inherited,
        role: Role::Command,
    };
    let ty = ManifestType {
        name: String::new(),
        queries: vec![],
        can_clone: true,
        borrows: false,
        locks: false,
    };
    let ops = vec![
        op(&[], &[], &[ARENA]),
        op(&["self"], &[(ARENA, Mode::Mut)], &[NODE]),
        op(&["self", "arena"], &[(NODE, Mode::Own), (ARENA, Mode::Mut)], &[]),
        op(&["self"], &[(NODE, Mode::Ref)], &[NODE]),
        op(&["self"], &[(ARENA, Mode::Ref)], &[ARENA]),
        ManifestOp {
            params: vec![ManifestParam::Plain("usize".into())],
            ..op(&["at"], &[], &[NODE])
        },
        op(&["self", "set"], &[(NODE, Mode::Own), (SET, Mode::Ref)], &[]),
        op(&[], &[], &[SET]),
    ];
    SubjectModel::new(Manifest { types: vec![ty.clone(), ty.clone(), ty], ops }, Vec::new(), "/s")
}

fn check(steps: &[(u32, &[u32])], expected: Oddity) {
    let step = |&(op, objects): &(u32, &[u32])| {
        let args = objects.iter().map(|&step| Arg::Object(ObjRef { step, out: 0 }));
        let number = (op == MAKE_UP).then_some(Arg::Plain(Value::Int(7)));
        Step::new(OpId(op), number.into_iter().chain(args).collect())
    };
    let sequence = Sequence { steps: steps.iter().map(step).collect() };
    assert_eq!(oddity(&subject(), &sequence), expected, "{steps:?}");
}

#[test]
fn a_handle_of_no_object_is_made_up_only_where_such_objects_give_them_out() {
    check(&[(NEW, &[]), (MAKE_UP, &[]), (REMOVE, &[1, 0])], Oddity::MadeUp);
    check(&[(NEW, &[]), (MAKE_UP, &[]), (COPY, &[1]), (REMOVE, &[2, 0])], Oddity::MadeUp);
    check(&[(NEW, &[]), (MAKE_UP, &[])], Oddity::None);
    check(&[(NEW_SET, &[]), (MAKE_UP, &[]), (ASK, &[1, 0])], Oddity::None);
}

#[test]
fn a_handle_is_at_home_where_it_was_given_out() {
    check(&[(NEW, &[]), (ADD, &[0]), (REMOVE, &[1, 0])], Oddity::None);
    check(&[(NEW, &[]), (ADD, &[0]), (COPY, &[1]), (REMOVE, &[2, 0])], Oddity::None);
    check(&[(NEW, &[]), (ADD, &[0]), (CLONE, &[0]), (REMOVE, &[1, 2])], Oddity::None);
    let twice = [(NEW, &[][..]), (ADD, &[0]), (CLONE, &[0]), (CLONE, &[2]), (REMOVE, &[1, 3])];
    check(&twice, Oddity::None);
}

#[test]
fn a_handle_of_another_object_is_a_stranger() {
    check(&[(NEW, &[]), (NEW, &[]), (ADD, &[0]), (REMOVE, &[2, 1])], Oddity::Stranger);
    check(
        &[(NEW, &[]), (NEW, &[]), (ADD, &[0]), (COPY, &[2]), (REMOVE, &[3, 1])],
        Oddity::Stranger,
    );
    check(&[(NEW, &[]), (CLONE, &[0]), (ADD, &[0]), (REMOVE, &[2, 1])], Oddity::Stranger);
    check(&[(NEW, &[]), (CLONE, &[0]), (ADD, &[1]), (REMOVE, &[2, 0])], Oddity::Stranger);
}

#[test]
fn what_is_taken_at_the_callers_word_is_odd() {
    let key = || Ty::Probe.shared();
    let makes = || Ty::Closure { kind: FnKind::FnOnce, args: vec![key()], ret: Ty::Probe.into() };
    let number = || Ty::prim("u64");
    check_word("insert_with", &[("hash", number())], true);
    check_word("insert_with", &[("count", number())], false);
    check_word("get_nocheck", &[], true);
    check_word("map::RawEntry::replace_key", &[("key", number())], true);
    check_word("map::Entry::replace_key", &[("key", number())], false);
    check_word("get_or_insert_with", &[("key", key()), ("f", makes())], true);
    check_word("get_or_insert_with", &[("f", makes())], false);
    check_word("update_with", &[("key", key()), ("f", makes())], false);
}

fn check_word(name: &str, params: &[(&str, Ty)], expected: bool) {
    let subject =
        SubjectModel::new(subject().manifest().clone(), vec![Some(operation(name, params))], "/s");
    let sequence = Sequence { steps: vec![Step::new(OpId(0), vec![])] };
    assert_eq!(oddity(&subject, &sequence) == Oddity::Stranger, expected, "{name} {params:?}");
}

fn operation(name: &str, params: &[(&str, Ty)]) -> Operation {
    let param = |(name, ty): &(&str, Ty)| Param { name: (*name).to_owned(), ty: ty.clone() };
    let callable = match name.rsplit_once("::") {
        Some((ty, method)) => CallableId::method(ty, method),
        None => CallableId::function("", name),
    };
    Operation {
        path: name.to_owned(),
        callable,
        callee: match name.rsplit_once("::") {
            Some((ty, method)) => Callee::Inherent {
                ty: Ty::named(ty),
                name: method.to_owned(),
                generics: Vec::new(),
            },
            None => Callee::Function { path: name.to_owned(), generics: Vec::new() },
        },
        kind: OpKind::Query,
        params: params.iter().map(param).collect(),
        result: Ty::Unit,
        lending: api::Lending::Inherited,
        counted: true,
        documented_panics: None,
        conditions: Vec::new(),
        ways: Vec::new(),
        written: Vec::new(),
        span: None,
    }
}

#[test]
fn a_handle_may_be_stale_once_something_was_removed() {
    let on = |op: u32, objects: &[u32]| {
        let args = objects.iter().map(|&step| Arg::Object(ObjRef { step, out: 0 }));
        Step::new(OpId(op), args.collect())
    };
    let steps =
        vec![on(NEW, &[]), on(ADD, &[0]), on(ADD, &[0]), on(REMOVE, &[1, 0]), on(REMOVE, &[2, 0])];
    for (name, expected) in [("remove_subtree", Oddity::Stale), ("append", Oddity::None)] {
        let ops = (0..=NEW_SET).map(|op| (op == REMOVE).then(|| operation(name, &[])));
        let subject = SubjectModel::new(subject().manifest().clone(), ops.collect(), "/s");
        assert_eq!(oddity(&subject, &Sequence { steps: steps.clone() }), expected, "{name}");
        let before = Sequence { steps: steps[..4].to_vec() };
        assert_eq!(oddity(&subject, &before), Oddity::None, "{name}");
    }
}

#[test]
fn a_handle_that_an_object_makes_of_a_number_is_made_up() {
    let arena = || Arg::Object(ObjRef { step: 0, out: 0 });
    let node = Arg::Object(ObjRef { step: 1, out: 0 });
    let steps = vec![
        Step::new(OpId(NEW), vec![]),
        Step::new(OpId(ADD), vec![arena(), Arg::Plain(Value::Int(7))]),
        Step::new(OpId(REMOVE), vec![node, arena()]),
    ];
    for (name, expected) in [("from_index", Oddity::MadeUp), ("add_node", Oddity::None)] {
        let ops = (0..=NEW_SET).map(|op| (op == ADD).then(|| operation(name, &[])));
        let subject = SubjectModel::new(subject().manifest().clone(), ops.collect(), "/s");
        assert_eq!(oddity(&subject, &Sequence { steps: steps.clone() }), expected, "{name}");
    }
}

#[test]
fn two_objects_of_one_type_may_meet() {
    check(&[(NEW, &[]), (CLONE, &[0]), (NEW, &[]), (REMOVE, &[1, 2])], Oddity::None);
}

#[test]
fn a_handle_that_is_made_of_a_number_has_no_home_whatever_else_went_into_it() {
    let object = |step| Arg::Object(ObjRef { step, out: 0 });
    // The set was made by the arena, which so seems to have given out the node.
    let mut manifest = subject().manifest().clone();
    manifest.ops[NEW_SET as usize] = ManifestOp {
        params: vec![ManifestParam::Object(ARENA, Mode::Ref)],
        names: vec!["self".to_owned()],
        ..manifest.ops[NEW_SET as usize].clone()
    };
    let steps = vec![
        Step::new(OpId(NEW), vec![]),
        Step::new(OpId(NEW_SET), vec![object(0)]),
        Step::new(OpId(COPY), vec![object(1), Arg::Plain(Value::Int(7))]),
        Step::new(OpId(REMOVE), vec![object(2), object(0)]),
    ];
    for (name, expected) in [("from_index", Oddity::MadeUp), ("node_at", Oddity::None)] {
        let ops = (0..=NEW_SET).map(|op| (op == COPY).then(|| operation(name, &[])));
        let subject = SubjectModel::new(manifest.clone(), ops.collect(), "/s");
        assert_eq!(oddity(&subject, &Sequence { steps: steps.clone() }), expected, "{name}");
    }
}

/// `NODE`s are made of a number by `MAKE_UP` if its parameter is one, sets give them out, and a set can be
/// made of an arena.
fn subject_with_sets(parameter: &str, result: Ty) -> SubjectModel {
    let mut manifest = subject().manifest().clone();
    let of = |ty, makes| ManifestOp {
        params: vec![ManifestParam::Object(ty, Mode::Mut)],
        makes: vec![makes],
        ..manifest.ops[ADD as usize].clone()
    };
    let more = [of(SET, NODE), of(ARENA, SET)];
    manifest.ops.extend(more);
    let maker = Operation { result, ..operation("node", &[(parameter, Ty::prim("usize"))]) };
    let ops = (0..).take(manifest.ops.len()).map(|op| (op == MAKE_UP).then(|| maker.clone()));
    let ops = ops.collect();
    SubjectModel::new(manifest, ops, "/s")
}

#[test]
fn a_handle_that_another_kind_of_object_gave_out_is_foreign() {
    const ADD_TO_SET: u32 = NEW_SET + 1;
    const SET_OF: u32 = NEW_SET + 2;
    let check = |subject: &SubjectModel, steps: &[(u32, &[u32])], expected| {
        let step = |&(op, objects): &(u32, &[u32])| {
            let args = objects.iter().map(|&step| Arg::Object(ObjRef { step, out: 0 }));
            Step::new(OpId(op), args.collect())
        };
        let sequence = Sequence { steps: steps.iter().map(step).collect() };
        assert_eq!(oddity(subject, &sequence), expected, "{steps:?}");
    };
    let apart: &[(u32, &[u32])] =
        &[(NEW, &[]), (NEW_SET, &[]), (ADD_TO_SET, &[1]), (REMOVE, &[2, 0])];
    check(&subject_with_sets("at", Ty::Unit), apart, Oddity::Foreign);
    check(&subject_with_sets("capacity", Ty::Unit), apart, Oddity::None);
    let made_of_it: &[(u32, &[u32])] =
        &[(NEW, &[]), (SET_OF, &[0]), (ADD_TO_SET, &[1]), (REMOVE, &[2, 0])];
    check(&subject_with_sets("at", Ty::Unit), made_of_it, Oddity::None);
}
