//! A hand-made Api of the fixture `tiny_stack`, for tests.

use std::path::{Path, PathBuf};

use gainsay_model::{
    api::{
        Api, ApiType, Callee, Elements, Lending, Literals, OpKind, Operation, Param, Shape, Source,
        Subject,
    },
    features::Features,
    ty::{FnKind, GenericArg, Ty},
};
use gainsay_wire::{CallableId, Owner};

pub(crate) fn stack() -> Ty {
    generic("tiny_stack::Stack", GenericArg::Type(Ty::Probe))
}

pub(crate) fn ring(size: u32) -> Ty {
    generic("tiny_stack::Ring", GenericArg::Const(size.to_string()))
}

/// The Api with results below `out_dir`.
pub(crate) fn api(out_dir: &Path) -> Api {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/tiny_stack");
    let subject = Subject {
        name: "tiny_stack".into(),
        version: "0.1.0".into(),
        lib_name: "tiny_stack".into(),
        root: root.canonicalize().unwrap_or(PathBuf::from("fixtures/tiny_stack")),
        out_dir: out_dir.to_owned(),
        source: Source::Path,
        features: Features::default(),
    };
    let kept = |ty: Ty, name: &str, elements| {
        let (name, shape) = (name.into(), Shape::Closed);
        ApiType { ty, name, elements, shape }
    };
    Api {
        subject,
        types: vec![
            kept(stack(), "Stack", Some(Elements::Iter)),
            kept(ring(2), "Ring", None),
            kept(ring(0), "Ring", None),
        ],
        operations: operations(),
        skips: Vec::new(),
        public: 17,
        unsafe_count: 0,
        callables: Vec::new(),
        providers: None,
        literals: Literals::default(),
        examples: Vec::new(),
        dependencies: Vec::new(),
    }
}

fn operations() -> Vec<Operation> {
    let (shared, exclusive) = (stack().shared(), stack().exclusive());
    let usize = Ty::prim("usize");
    let bool = Ty::prim("bool");
    let option = |ty: Ty| generic("std::option::Option", GenericArg::Type(ty));
    let slice = Ty::Slice(Box::new(Ty::Probe)).shared();
    let keep = Ty::Closure {
        kind: FnKind::FnMut,
        args: vec![Ty::Probe.shared()],
        ret: Box::new(bool.clone()),
    };
    let iter = Ty::Path {
        path: "std::slice::Iter".into(),
        args: vec![GenericArg::Lifetime, GenericArg::Type(Ty::Probe)],
    };
    let two = Ty::Tuple(vec![stack(), option(stack())]);
    let mut ops = vec![
        method(&stack(), "new", &[], stack()),
        method(&stack(), "push", &[("self", &exclusive), ("value", &Ty::Probe)], Ty::Unit),
        method(&stack(), "pop", &[("self", &exclusive)], option(Ty::Probe)),
        method(&stack(), "len", &[("self", &shared)], usize.clone()),
        method(&stack(), "is_empty", &[("self", &shared)], bool.clone()),
        method(
            &stack(),
            "peek",
            &[("self", &shared), ("depth", &usize)],
            option(Ty::Probe.shared()),
        ),
        method(&stack(), "iter", &[("self", &shared)], iter),
        method(&stack(), "append", &[("self", &exclusive), ("other", &exclusive)], Ty::Unit),
        method(&stack(), "push_all", &[("self", &exclusive), ("values", &slice)], Ty::Unit),
        method(&stack(), "retain", &[("self", &exclusive), ("keep", &keep)], Ty::Unit),
        method(&stack(), "split", &[("self", &stack()), ("at", &usize)], two),
        method(
            &stack(),
            "same",
            &[("self", &shared), ("other", &option(shared.clone()))],
            bool.clone(),
        ),
        method(&stack(), "contains", &[("self", &shared), ("value", &Ty::Probe.shared())], bool),
        method(&stack(), "missing", &[("self", &shared)], usize.clone()),
        method(&stack(), "link", &[("self", &shared), ("to", &Ty::named("other::Node"))], Ty::Unit),
    ];
    for size in [2, 0] {
        ops.push(method(&ring(size), "new", &[], ring(size)));
        ops.push(method(&ring(size), "size", &[("self", &ring(size).shared())], usize.clone()));
    }
    ops.push(extend(&exclusive));
    ops
}

fn extend(receiver: &Ty) -> Operation {
    let values = Ty::Iter { item: Box::new(Ty::Probe) };
    Operation {
        path: "Stack as Extend::extend".into(),
        callable: CallableId {
            owner: Owner::Type("tiny_stack::Stack".into()),
            in_trait: Some("std::iter::Extend".into()),
            name: "extend".into(),
        },
        callee: Callee::Trait {
            ty: stack(),
            path: "std::iter::Extend".into(),
            args: vec![Ty::Probe],
            name: "extend".into(),
            generics: Vec::new(),
        },
        ..method(&stack(), "extend", &[("self", receiver), ("values", &values)], Ty::Unit)
    }
}

fn method(ty: &Ty, name: &str, params: &[(&str, &Ty)], result: Ty) -> Operation {
    let params: Vec<Param> =
        params.iter().map(|(name, ty)| Param { name: (*name).into(), ty: (*ty).clone() }).collect();
    let receiver = params.first().filter(|param| param.name == "self");
    let owner = if *ty == stack() { "Stack" } else { "Ring" };
    Operation {
        path: format!("{owner}::{name}"),
        callable: CallableId::method(format!("tiny_stack::{owner}"), name),
        callee: Callee::Inherent { ty: ty.clone(), name: name.into(), generics: Vec::new() },
        kind: OpKind::of_receiver(receiver.map(|param| &param.ty)),
        params,
        result,
        lending: Lending::Inherited,
        counted: true,
        documented_panics: None,
        conditions: Vec::new(),
        ways: Vec::new(),
        written: Vec::new(),
        span: None,
    }
}

fn generic(path: &str, arg: GenericArg) -> Ty {
    Ty::Path { path: path.into(), args: vec![arg] }
}
