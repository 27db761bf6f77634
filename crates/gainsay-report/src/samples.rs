//! Hand-made results for tests: a small stack crate with one fault of each kind.

mod api;

pub(crate) use api::api;
use gainsay_model::{
    api::{Callee, OpKind},
    build::Build,
    contract::{Attacks, Closest, ContractKind, Evidence, Unsettled, Via},
    event::StopReason,
    fault::{Confirmation, Fault, Moment, PanicClass},
    features::Extra,
    skip::{DemotionReason, SkipReason},
    spelling::{Made, Passing, SpelledParam, Spelling, Unpack},
    ty::{GenericArg, Ty},
};
use gainsay_wire::{
    Arg, Manifest, ManifestOp, ManifestParam, Mode, ObjRef, OpCount, OpId, Oracle, PanicPlace,
    Sequence, Step, TypeId, Value,
};

use crate::{
    CheckedLaw, ContractCounts, ContractRecord, DemotedView, FaultRecord, Illegal, IllegalRecord,
    OperationEntry, OperationRecord, Operations, ReductionFigures, RunRecord, SkipEntry, StageTime,
    SubjectName, Summary, TypeInvariant, TypeViews, VERSION, VerdictRecord, ViewSet, code::Book,
};

pub(crate) const NEW: u32 = 0;
pub(crate) const PUSH: u32 = 1;
pub(crate) const POP: u32 = 2;
pub(crate) const LEN: u32 = 3;
pub(crate) const SPLIT: u32 = 4;
pub(crate) const CLONE: u32 = 5;
pub(crate) const EQ: u32 = 6;
pub(crate) const EXTEND: u32 = 7;
pub(crate) const DROP: u32 = 8;
pub(crate) const RETAIN: u32 = 9;
pub(crate) const FROM_SLICE: u32 = 10;
pub(crate) const POSITION: u32 = 11;
pub(crate) const PARSE: u32 = 12;

pub(crate) fn stack() -> Ty {
    Ty::Path {
        path: "stacks::BoundedStack".into(),
        args: vec![GenericArg::Type(Ty::Probe), GenericArg::Const("4".into())],
    }
}

fn option(ty: Ty) -> Ty {
    Ty::Path { path: "std::option::Option".into(), args: vec![GenericArg::Type(ty)] }
}

fn param(name: &str, passing: Passing, ty: Ty) -> SpelledParam {
    SpelledParam { name: name.into(), passing, ty }
}

fn receiver(passing: Passing) -> SpelledParam {
    let ty = match &passing {
        Passing::Shared => stack().shared(),
        Passing::Exclusive => stack().exclusive(),
        _ => stack(),
    };
    param("self", passing, ty)
}

fn inherent(name: &str) -> Callee {
    Callee::Inherent { ty: stack(), name: name.into(), generics: Vec::new() }
}

fn of_trait(path: &str, args: Vec<Ty>, name: &str) -> Callee {
    Callee::Trait { ty: stack(), path: path.into(), args, name: name.into(), generics: Vec::new() }
}

fn made(path: Vec<Unpack>) -> Made {
    Made { ty: stack(), path }
}

// long: one flat list
pub(crate) fn spellings() -> Vec<Spelling> {
    let usize = || Ty::prim("usize");
    let bool = || Ty::prim("bool");
    let elements = || Ty::Iter { item: Box::new(Ty::Probe) };
    let predicate = Ty::Closure {
        kind: gainsay_model::ty::FnKind::FnMut,
        args: vec![Ty::Probe.shared()],
        ret: Box::new(bool()),
    };
    let spell = |callee, params: Vec<SpelledParam>, result: Ty, makes: Vec<Made>| Spelling {
        callee,
        params,
        result,
        makes,
        lending: gainsay_model::api::Lending::Inherited,
    };
    vec![
        spell(inherent("new"), vec![], stack(), vec![made(vec![])]),
        spell(
            inherent("push"),
            vec![receiver(Passing::Exclusive), param("value", Passing::Plain, Ty::Probe)],
            Ty::Unit,
            vec![],
        ),
        spell(inherent("pop"), vec![receiver(Passing::Exclusive)], option(Ty::Probe), vec![]),
        spell(inherent("len"), vec![receiver(Passing::Shared)], usize(), vec![]),
        spell(
            inherent("split"),
            vec![receiver(Passing::Owned), param("at", Passing::Plain, usize())],
            option(Ty::Tuple(vec![stack(), stack()])),
            vec![
                made(vec![Unpack::Some, Unpack::Field(0)]),
                made(vec![Unpack::Some, Unpack::Field(1)]),
            ],
        ),
        spell(
            of_trait("std::clone::Clone", vec![], "clone"),
            vec![receiver(Passing::Shared)],
            stack(),
            vec![made(vec![])],
        ),
        spell(
            of_trait("std::cmp::PartialEq", vec![stack()], "eq"),
            vec![receiver(Passing::Shared), param("other", Passing::Shared, stack().shared())],
            bool(),
            vec![],
        ),
        spell(
            of_trait("std::iter::Extend", vec![Ty::Probe], "extend"),
            vec![receiver(Passing::Exclusive), param("iter", Passing::Iterator, elements())],
            Ty::Unit,
            vec![],
        ),
        spell(
            Callee::Function { path: "std::mem::drop".into(), generics: vec![] },
            vec![param("value", Passing::Owned, stack())],
            Ty::Unit,
            vec![],
        ),
        spell(
            inherent("retain"),
            vec![receiver(Passing::Exclusive), param("keep", Passing::Closure, predicate)],
            Ty::Unit,
            vec![],
        ),
        spell(
            of_trait("std::convert::From", vec![Ty::Slice(Box::new(Ty::Probe)).shared()], "from"),
            vec![param("items", Passing::Plain, Ty::Slice(Box::new(Ty::Probe)).shared())],
            stack(),
            vec![made(vec![])],
        ),
        spell(
            inherent("position"),
            vec![receiver(Passing::Shared), param("of", Passing::Plain, Ty::Probe.shared())],
            Ty::prim("i32"),
            vec![],
        ),
        spell(
            Callee::Function { path: "stacks::text::parse".into(), generics: vec![] },
            vec![param("text", Passing::Plain, Ty::Str.shared())],
            Ty::Path {
                path: "std::result::Result".into(),
                args: vec![
                    GenericArg::Type(stack()),
                    GenericArg::Type(Ty::named("stacks::ParseError")),
                ],
            },
            vec![made(vec![Unpack::Ok])],
        ),
    ]
}

pub(crate) fn object(step: u32) -> Arg {
    Arg::Object(ObjRef { step, out: 0 })
}

pub(crate) fn elem(key: i64) -> Arg {
    Arg::Plain(Value::Elem(key))
}

pub(crate) fn sequence(steps: Vec<(u32, Vec<Arg>)>) -> Sequence {
    let steps = steps.into_iter().map(|(op, args)| Step::new(OpId(op), args));
    Sequence { steps: steps.collect() }
}

pub(crate) fn fault(id: &str, oracle: Oracle, message: &str, sequence: Sequence) -> Fault {
    let op = sequence.steps.last().unwrap().op;
    let operation = manifest().ops[op.0 as usize].name.clone();
    Fault {
        id: id.into(),
        oracle,
        op,
        operation,
        message: message.into(),
        moment: Moment::Call,
        parties: Vec::new(),
        sequence,
        confirmation: Confirmation::Confirmed,
        seen: None,
        build: Build::Debug,
    }
}

pub(crate) fn overflow() -> Fault {
    let place = PanicPlace {
        file: "/x/stacks-1.2.3/src/stack.rs".into(),
        line: 41,
        message: "attempt to subtract with overflow".into(),
        changed: false,
    };
    fault(
        "3f9c21d07a51b6e4",
        Oracle::Panic(place),
        "panicked at src/stack.rs:41: attempt to subtract with overflow",
        sequence(vec![(NEW, vec![]), (PUSH, vec![object(0), elem(3)]), (POP, vec![object(0)])]),
    )
}

pub(crate) fn manifest() -> Manifest {
    let names = [
        "BoundedStack::new",
        "BoundedStack::push",
        "BoundedStack::pop",
        "BoundedStack::len",
        "BoundedStack::split",
        "BoundedStack as Clone::clone",
        "BoundedStack as PartialEq::eq",
        "BoundedStack as Extend::extend",
        "drop",
        "BoundedStack::retain",
        "BoundedStack as From::from",
        "BoundedStack::position",
        "text::parse",
    ];
    let ops = names.iter().zip(spellings()).map(|(name, spelling)| ManifestOp {
        id: gainsay_wire::InstanceId::default(),
        name: (*name).to_owned(),
        names: spelling.params.iter().map(|param| param.name.clone()).collect(),
        params: spelling
            .params
            .iter()
            .map(|param| match &param.passing {
                Passing::Plain | Passing::Closure | Passing::Iterator => {
                    ManifestParam::Plain(param.ty.plain_type())
                }
                _ => ManifestParam::Object(TypeId(0), Mode::Ref),
            })
            .collect(),
        makes: vec![TypeId(0); spelling.makes.len()],
        lending: gainsay_wire::Lending::Inherited,
        role: gainsay_wire::Role::Command,
    });
    Manifest { types: vec![], ops: ops.collect() }
}

fn operation(path: &str, kind: OpKind, called: u64, panicked: u64) -> OperationRecord {
    let count = OpCount { called, returned: called - panicked, failed: 0, panicked };
    OperationRecord::new(&entry(path, kind, None), count)
}

fn skipped(path: &str, reason: SkipReason, detail: &str) -> OperationRecord {
    let skip = SkipEntry { reason, detail: detail.into() };
    OperationRecord::new(&entry(path, OpKind::Command, Some(skip)), OpCount::default())
}

fn entry(path: &str, kind: OpKind, skip: Option<SkipEntry>) -> OperationEntry {
    let owner = path.split_once("::").map(|(owner, _)| owner.to_owned());
    let (instances, conditions) = (Vec::new(), Vec::new());
    OperationEntry { path: path.into(), owner, kind, instances, conditions, skip }
}

fn type_views() -> TypeViews {
    TypeViews {
        r#type: "stacks::Stack<Probe>".into(),
        state: vec!["len".into(), "seq".into()],
        relations: vec!["==".into()],
        demoted: vec![DemotedView { query: "age".into(), reason: DemotionReason::Random }],
        shares: false,
        invariants: vec![TypeInvariant {
            text: "self.len() == len(self.seq())".into(),
            states: 84,
        }],
        laws: vec![CheckedLaw {
            law: "is_empty-agrees-with-len".into(),
            rests_on: "convention".into(),
            checked: 120,
            broken: 3,
            followed: true,
        }],
    }
}

fn reduction() -> ReductionFigures {
    ReductionFigures {
        runs: 500,
        seconds: 2.5,
        running_seconds: 2.0,
        searching_seconds: 0.25,
        inferring_seconds: 0.125,
        recording_seconds: 0.0625,
        median_search_millis: 4.5,
    }
}

fn summary() -> Summary {
    Summary {
        version: VERSION,
        subject: SubjectName { name: "stacks".into(), version: "1.2.3".into() },
        features: Extra::default(),
        seed: 0,
        strategy: "guided".into(),
        stop_reason: StopReason::Time,
        sandbox: vec!["mount".into(), "landlock".into()],
        operations: Operations::of(
            6,
            1,
            vec![
                operation("BoundedStack::new", OpKind::Origin, 900, 0),
                operation("BoundedStack::push", OpKind::Command, 4000, 12),
                operation("BoundedStack::pop", OpKind::Command, 3100, 7),
                operation("BoundedStack::len", OpKind::Query, 2000, 0),
                skipped("BoundedStack::get_unchecked", SkipReason::Unsafe, "unsafe fn"),
                skipped("BoundedStack::iter_in", SkipReason::NoTypeForParameter, "A: Arena"),
                skipped("serve", SkipReason::Async, "async fn"),
            ],
        ),
        calls: 10_000,
        injected_calls: 2_000,
        cpu_seconds: Some(0.5),
        calls_per_cpu_second: Some(20_000.0),
        states: 61,
        transitions: 204,
        views: ViewSet { types: 2, queries: 9, mean_state_bytes: 40.5 },
        covered: 118,
        coverable: Some(160),
        covered_by_exploration: 110,
        types: vec![type_views()],
        faults: vec![],
        gone: vec![],
        illegal: Illegal::of(vec![IllegalRecord {
            operation: "BoundedStack::push".into(),
            class: PanicClass::OwnAssertion,
            place: "src/stack.rs:23".into(),
            message: "stack is full".into(),
            condition: Some("self.len() == 4".into()),
        }]),
        contracts: ContractCounts {
            inferred: 5,
            upheld: 2,
            refuted: 1,
            unsettled: 1,
            real_preconditions: 1,
            written: 0,
        },
        reduction: reduction(),
        stages: vec![
            StageTime { name: "discover".into(), seconds: 0.4 },
            StageTime { name: "explore".into(), seconds: 30.0 },
        ],
    }
}

pub(crate) fn contract(
    operation: &str,
    kind: ContractKind,
    text: &str,
    verdict: VerdictRecord,
) -> ContractRecord {
    ContractRecord {
        operation: operation.into(),
        op: PUSH,
        written: None,
        implies: vec!["ensures !self.is_empty()".into()],
        operands: vec![("self".into(), true), ("value".into(), false)],
        kind,
        text: text.into(),
        evidence: Evidence { distinct: 40, at_risk: 38, attacks: 1200, again: 300 },
        verdict,
    }
}

/// The contract as one of another operation.
pub(crate) fn of_operation(contract: ContractRecord, op: u32) -> ContractRecord {
    ContractRecord { op, ..contract }
}

/// So many attacks, all of which could have succeeded.
pub(crate) fn attacks(count: u64, closest: Option<Closest>) -> Attacks {
    let ways = [(Via::Objects, count)].into();
    Attacks { made: count + 3, at_risk: count, ways, closest }
}

pub(crate) fn record() -> RunRecord {
    let mut record = RunRecord::new("stacks".into(), summary(), spellings());
    record.faults = vec![FaultRecord::new(&overflow(), &manifest())];
    record.summary.faults =
        record.faults.iter().map(|fault| fault.entry(Book(&record.spellings))).collect();
    let (push, pop) = ("BoundedStack::push", "BoundedStack::pop");
    record.contracts = vec![
        contract(
            push,
            ContractKind::Postcondition,
            "self.len() == old(self.len()) + 1",
            VerdictRecord::Upheld { attacks: attacks(45, Some(Closest::Short(2))) },
        ),
        contract(
            push,
            ContractKind::Precondition,
            "self.len() < 4",
            VerdictRecord::RealPrecondition { attacks: attacks(12, None) },
        ),
        contract(
            push,
            ContractKind::Postcondition,
            "self.len() <= 3",
            VerdictRecord::Refuted {
                via: Via::Transition,
                steps: vec!["let mut stack = BoundedStack::<Probe, 4>::new();".into()],
                script: "BoundedStack::new".into(),
                sequence: String::new(),
            },
        ),
        contract(
            pop,
            ContractKind::Postcondition,
            "old(self.is_empty()) ==> result.is_none()",
            VerdictRecord::Upheld { attacks: attacks(9, None) },
        ),
        contract(
            pop,
            ContractKind::Precondition,
            "self.capacity() == 4",
            VerdictRecord::Unsettled {
                reason: Unsettled::NothingToTry,
                attacks: Attacks {
                    made: 7,
                    closest: Some(Closest::Unmet(1)),
                    ..Attacks::default()
                },
            },
        ),
    ];
    record
}
