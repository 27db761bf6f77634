//! Examples read as calls of a small subject: a list of probe elements and of texts.

use gainsay_model::{
    api::{Lending, OpKind, Param},
    script::sequence_text,
    ty::GenericArg,
};
use gainsay_wire::{CallableId, Manifest, ManifestOp, ManifestType};

use super::*;

const LIST: TypeId = TypeId(0);
const TEXTS: TypeId = TypeId(1);

fn list(item: Ty) -> Ty {
    Ty::Path { path: "s::List".into(), args: vec![GenericArg::Type(item)] }
}

/// An operation, its slots being as many as its parameters.
fn offer(
    name: &str,
    callee: Callee,
    params: Vec<(&str, Ty, ManifestParam)>,
    makes: Vec<TypeId>,
) -> (ManifestOp, Option<Operation>) {
    let offered = ManifestOp {
        id: gainsay_wire::InstanceId::default(),
        name: name.to_owned(),
        names: params.iter().map(|(name, ..)| (*name).to_owned()).collect(),
        params: params.iter().map(|(_, _, slot)| slot.clone()).collect(),
        makes,
        lending: gainsay_wire::Lending::Inherited,
        role: gainsay_wire::Role::Command,
    };
    let operation = Operation {
        path: name.to_owned(),
        callable: CallableId::default(),
        callee,
        kind: OpKind::Origin,
        params: params
            .into_iter()
            .map(|(name, ty, _)| Param { name: name.to_owned(), ty })
            .collect(),
        result: Ty::Unit,
        lending: Lending::Inherited,
        counted: true,
        documented_panics: None,
        conditions: Vec::new(),
        ways: Vec::new(),
        written: Vec::new(),
        span: None,
    };
    (offered, Some(operation))
}

fn subject() -> SubjectModel {
    let plain = |ty: &Ty| ManifestParam::Plain(ty.plain_type());
    let text = Ty::named("std::string::String");
    let mut ops = Vec::new();
    for (id, item) in [(LIST, Ty::Probe), (TEXTS, text)] {
        let own = list(item.clone());
        let inherent =
            |name: &str| Callee::Inherent { ty: own.clone(), name: name.into(), generics: vec![] };
        let object = |mode| ("self", own.clone(), ManifestParam::Object(id, mode));
        let of_std = |path: &str, name: &str| Callee::Trait {
            ty: own.clone(),
            path: path.into(),
            args: vec![],
            name: name.into(),
            generics: vec![],
        };
        let value = ("value", item.clone(), plain(&item));
        let str_ = ("text", Ty::Str.shared(), plain(&Ty::Str));
        ops.extend([
            offer("List::new", inherent("new"), vec![], vec![id]),
            offer("List::push", inherent("push"), vec![object(Mode::Mut), value], vec![]),
            offer("List::end", inherent("end"), vec![object(Mode::Own)], vec![]),
            offer("List::pair", inherent("pair"), vec![object(Mode::Ref)], vec![id, id]),
            offer("FromStr", of_std("std::str::FromStr", "from_str"), vec![str_], vec![id]),
            offer("Clone", of_std("std::clone::Clone", "clone"), vec![object(Mode::Ref)], vec![id]),
        ]);
    }
    let function = Callee::Function { path: "s::sum".into(), generics: vec![] };
    let bytes = Ty::Slice(Box::new(Ty::prim("u8"))).shared();
    let bytes = ("bytes", bytes.clone(), plain(&bytes));
    ops.push(offer("sum", function, vec![bytes], vec![]));
    let (offered, operations) = ops.into_iter().unzip();
    let ty = || ManifestType {
        name: "List".into(),
        queries: Vec::new(),
        can_clone: true,
        borrows: false,
        locks: false,
    };
    SubjectModel::new(Manifest { types: vec![ty(), ty()], ops: offered }, operations, "/s")
}

fn name(name: &str) -> Term {
    Term::Name(vec![name.into()])
}

fn call(path: &[&str], args: Vec<Term>) -> Term {
    Term::Call { path: path.iter().map(|word| (*word).to_owned()).collect(), args }
}

fn on(receiver: Term, name: &str, args: Vec<Term>) -> Term {
    Term::Method { receiver: Box::new(receiver), name: name.into(), of: None, args }
}

fn bind(name: &str, value: Term) -> Statement {
    Statement { names: vec![name.into()], ty: None, value }
}

fn run(value: Term) -> Statement {
    Statement { names: vec![], ty: None, value }
}

fn readings(statements: Vec<Statement>) -> Vec<String> {
    let subject = subject();
    let found = furniture(&[Example { statements }], &subject);
    assert_eq!(found.examples, usize::from(!found.sequences.is_empty()));
    found.sequences.iter().map(|found| sequence_text(found, subject.manifest())).collect()
}

/// The first reading.
fn check(statements: Vec<Statement>, expected: Option<&str>) {
    assert_eq!(readings(statements).first().map(String::as_str), expected);
}

#[test]
fn names_find_operations_and_literals_become_elements() {
    check(
        vec![
            bind("s", on(call(&["s", "List", "new"], vec![]), "unwrap", vec![])),
            run(on(name("s"), "push", vec![Term::Int(7)])),
        ],
        Some("v0 = List::new()\nList::push(v0, Probe(7))\n"),
    );
}

#[test]
fn each_instantiation_that_takes_the_arguments_gets_a_reading() {
    let Some(Value::Elem(key)) = example_values::value_of_term(&Term::Str("a".into()), &Ty::Probe)
    else {
        panic!("a text is an element");
    };
    let found = readings(vec![
        bind("s", call(&["List", "new"], vec![])),
        run(on(name("s"), "push", vec![Term::Str("a".into())])),
    ]);
    let of_elements = format!("v0 = List::new()\nList::push(v0, Probe({key}))\n");
    assert_eq!(found, [&*of_elements, "v0 = List::new()\nList::push(v0, \"a\")\n"]);
}

#[test]
fn what_is_not_known_is_left_out_with_all_that_depends_on_it() {
    check(
        vec![
            bind("x", call(&["Other", "new"], vec![])),
            run(on(name("x"), "push", vec![Term::Int(1)])),
            bind("s", call(&["List", "new"], vec![])),
            bind("n", on(name("s"), "len", vec![])),
            run(on(name("s"), "push", vec![name("n")])),
            run(call(&["sum"], vec![Term::Bytes(vec![1, 2])])),
        ],
        Some("v0 = List::new()\nsum([1, 2])\n"),
    );
    check(vec![run(call(&["sum"], vec![Term::Seq(vec![Term::Int(256)])]))], None);
}

#[test]
fn parsing_goes_by_the_type_that_is_wanted() {
    let parse = on(Term::Str("1.2".into()), "parse", vec![]);
    let wanted = |ty: &str| {
        let value = on(parse.clone(), "unwrap", vec![]);
        let Term::Method { receiver, .. } = value else { panic!("it is a method") };
        vec![Statement { names: vec!["s".into()], ty: Some(ty.into()), value: *receiver }]
    };
    check(wanted("List"), Some("v0 = FromStr(\"1.2\")\n"));
    check(wanted("u8"), None);
}

#[test]
fn what_a_call_uses_up_is_copied_first() {
    check(
        vec![
            bind("s", call(&["List", "new"], vec![])),
            run(on(name("s"), "end", vec![])),
            run(on(name("s"), "push", vec![Term::Int(1)])),
        ],
        Some("v0 = List::new()\nv1 = Clone(v0)\nList::end(v1)\nList::push(v0, Probe(1))\n"),
    );
}

#[test]
fn a_tuple_of_objects_is_taken_apart() {
    let pair = Statement {
        names: vec!["a".into(), "b".into()],
        ty: None,
        value: on(call(&["List", "new"], vec![]), "pair", vec![]),
    };
    check(
        vec![pair, run(on(name("b"), "push", vec![Term::Int(1)]))],
        Some("v0 = List::new()\n(v1, v1_1) = List::pair(v0)\nList::push(v1_1, Probe(1))\n"),
    );
}

#[test]
fn literals_become_values_only_where_they_fit() {
    let check = |term: Term, ty: Ty, expected: Option<Value>| {
        assert_eq!(example_values::value_of_term(&term, &ty), expected, "{term:?} as {ty}");
    };
    let of = |path: &str, ty: Ty| Ty::Path { path: path.into(), args: vec![GenericArg::Type(ty)] };
    let u8_ = || Ty::prim("u8");
    check(Term::Int(255), u8_(), Some(Value::Int(255)));
    check(Term::Int(-1), u8_(), None);
    check(Term::Int(i128::MIN), Ty::prim("i128"), Some(Value::Int(i128::MIN)));
    check(Term::Float("1.5".into()), Ty::prim("f32"), Some(Value::Float(1.5)));
    check(Term::Str("a".into()), Ty::Str.shared(), Some(Value::Str("a".into())));
    let some = call(&["Some"], vec![Term::Int(1)]);
    let option = || of("std::option::Option", u8_());
    check(some, option(), Some(Value::some(Value::Int(1))));
    check(name("None"), option(), Some(Value::none()));
    let ends = |from, to| Term::Range {
        from: Some(Box::new(Term::Int(from))),
        to: Some(Box::new(Term::Int(to))),
    };
    let pair = Value::Tuple(vec![Value::Int(1), Value::Int(3)]);
    check(ends(1, 3), of("std::ops::Range", u8_()), Some(pair));
    let items = Value::Seq(vec![Value::Int(1), Value::Int(2)]);
    check(ends(1, 3), of("std::vec::Vec", u8_()), Some(items.clone()));
    check(Term::Bytes(vec![1, 2]), Ty::Array(Box::new(u8_()), 2), Some(items));
    check(Term::Bytes(vec![1, 2]), Ty::Array(Box::new(u8_()), 3), None);
    check(Term::Str("ab".into()), of("s::Own", u8_()), None);
}
