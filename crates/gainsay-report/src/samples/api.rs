//! What a small crate offers.

use gainsay_model::{
    api::{
        Api, ApiType, Callee, Lending, Literals, OpKind, Operation, Param, PublicCallable, Safety,
        Shape, Source, Subject,
    },
    features::Features,
    skip::{Skip, SkipReason},
    ty::{GenericArg, Ty},
};

fn stack() -> Ty {
    Ty::Path { path: "stacks::Stack".into(), args: vec![GenericArg::Type(Ty::Probe)] }
}

fn operation(name: &str, params: Vec<Param>, result: Ty) -> Operation {
    Operation {
        path: format!("Stack::{name}"),
        callable: gainsay_wire::CallableId::method("stacks::Stack", name),
        callee: Callee::Inherent { ty: stack(), name: name.into(), generics: Vec::new() },
        kind: OpKind::of_receiver(params.first().map(|p| &p.ty)),
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

fn skip(operation: &str, reason: SkipReason, detail: &str) -> Skip {
    Skip { operation: operation.into(), reason, detail: detail.into() }
}

fn callable(path: &str, kind: OpKind, safety: Safety) -> PublicCallable {
    let owner = path.rsplit_once("::").map(|(owner, _)| owner.to_owned());
    PublicCallable { path: path.into(), owner, kind, safety }
}

/// Two operations, one skip, two unsafe functions and a constant.
pub(crate) fn api() -> Api {
    let param = |name: &str, ty| Param { name: name.into(), ty };
    let push = vec![param("self", stack().exclusive()), param("value", Ty::Probe)];
    let empty = Operation { counted: false, ..operation("EMPTY", vec![], stack()) };
    let callables = vec![
        callable("Stack::new", OpKind::Origin, Safety::Safe),
        callable("Stack::push", OpKind::Command, Safety::Safe),
        callable("Stack::raw", OpKind::Query, Safety::Unsafe),
        callable("Stack::raw_mut", OpKind::Command, Safety::Unsafe),
        callable("serve", OpKind::Origin, Safety::Safe),
    ];
    Api {
        subject: subject(),
        types: vec![ApiType {
            ty: stack(),
            name: "Stack".into(),
            elements: None,
            shape: Shape::Closed,
        }],
        operations: vec![
            operation("new", vec![], stack()),
            operation("push", push, Ty::Unit),
            empty,
        ],
        skips: vec![
            skip("Stack::raw", SkipReason::Unsafe, "unsafe fn\nsecond line"),
            skip("Stack::raw_mut", SkipReason::Unsafe, "unsafe fn"),
            skip("serve", SkipReason::NoValueForArgument, "net::Socket"),
        ],
        public: 3,
        unsafe_count: 2,
        callables,
        providers: None,
        literals: Literals::default(),
        examples: Vec::new(),
        dependencies: Vec::new(),
    }
}

fn subject() -> Subject {
    Subject {
        name: "stacks".into(),
        version: "1.2.3".into(),
        lib_name: "stacks".into(),
        root: "stacks".into(),
        out_dir: "target/gainsay".into(),
        source: Source::Path,
        features: Features::default(),
    }
}
