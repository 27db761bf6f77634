//! A harness as the generator would write it, for [`subject`].
#![allow(dead_code, unreachable_pub, missing_docs)]

pub mod borrowing;
pub mod subject;

use gainsay_runtime as rt;
use gainsay_wire::OpId;
use std::{cell::Cell, cell::RefCell, rc::Rc};
use subject::{Faulty, Moody, Pile, Shared};

pub const PILE: rt::TypeId = rt::TypeId(0);
pub const FAULTY: rt::TypeId = rt::TypeId(1);
pub const SHARED: rt::TypeId = rt::TypeId(2);
pub const MOODY: rt::TypeId = rt::TypeId(3);

const USIZE: rt::PlainEntry = rt::PlainEntry::Integer(rt::IntegerType::Usize);

fn plain<P: rt::Plain>(key: rt::PlainEntry) -> rt::ParamEntry {
    rt::ParamEntry::Plain { key, generate: P::generate }
}

fn object(ty: rt::TypeId, mode: rt::Mode) -> rt::ParamEntry {
    rt::ParamEntry::Object { ty, mode }
}

struct Op {
    name: &'static str,
    names: &'static [&'static str],
    params: Vec<rt::ParamEntry>,
    makes: Vec<rt::TypeId>,
    call: fn(&rt::Frame<'_>) -> rt::Value,
}

fn pile_ops() -> Vec<Op> {
    use rt::Mode::{Mut, Ref};
    vec![
        Op {
            name: "Pile::new",
            names: &[],
            params: vec![],
            makes: vec![PILE],
            call: |f| {
                f.keep(0, Pile(Vec::new()));
                rt::Value::Object
            },
        },
        Op {
            name: "Pile::push",
            names: &["self", "value"],
            params: vec![object(PILE, Mut), plain::<rt::Probe>(rt::PlainEntry::Probe)],
            makes: vec![],
            call: |f| {
                let mut a0 = f.by_mut::<Pile>(0);
                rt::value!(&a0.push(f.plain(1)))
            },
        },
        Op {
            name: "Pile::pop",
            names: &["self"],
            params: vec![object(PILE, Mut)],
            makes: vec![],
            call: |f| rt::value!(&f.by_mut::<Pile>(0).pop()),
        },
        Op {
            name: "Pile::get",
            names: &["self", "index"],
            params: vec![object(PILE, Ref), plain::<usize>(USIZE)],
            makes: vec![],
            call: |f| rt::value!(&f.by_ref::<Pile>(0).get(f.plain(1))),
        },
        Op {
            name: "Pile::remove",
            names: &["self", "index"],
            params: vec![object(PILE, Mut), plain::<usize>(USIZE)],
            makes: vec![],
            call: |f| rt::value!(&f.by_mut::<Pile>(0).remove(f.plain(1))),
        },
        Op {
            name: "Pile::append",
            names: &["self", "other"],
            params: vec![object(PILE, Mut), object(PILE, Mut)],
            makes: vec![],
            call: |f| rt::value!(&f.by_mut::<Pile>(0).append(&mut f.by_mut::<Pile>(1))),
        },
    ]
}

fn more_pile_ops() -> Vec<Op> {
    use rt::Mode::{Mut, OptRef, Own, Ref};
    vec![
        Op {
            name: "Pile::clone",
            names: &["self"],
            params: vec![object(PILE, Ref)],
            makes: vec![PILE],
            call: |f| {
                let made = f.by_ref::<Pile>(0).clone();
                f.keep(0, made);
                rt::Value::Object
            },
        },
        Op {
            name: "Pile::eq",
            names: &["self", "other"],
            params: vec![object(PILE, Ref), object(PILE, OptRef)],
            makes: vec![],
            call: |f| {
                let a0 = f.by_ref::<Pile>(0);
                rt::value!(&f.by_opt_ref::<Pile>(1).is_some_and(|a1| *a0 == *a1))
            },
        },
        Op {
            name: "Pile::parse",
            names: &["text"],
            params: vec![plain::<String>(rt::PlainEntry::Text)],
            makes: vec![PILE],
            call: |f| match Pile::parse(&f.plain::<String>(0)) {
                Ok(made) => {
                    f.keep(0, made);
                    rt::Value::ok(rt::Value::Object)
                }
                Err(error) => rt::Value::err(rt::value!(&error)),
            },
        },
        Op {
            name: "Pile::retain",
            names: &["self", "keep"],
            params: vec![
                object(PILE, Mut),
                rt::ParamEntry::Plain {
                    key: rt::PlainEntry::Other("closure"),
                    generate: rt::closure_literal,
                },
            ],
            makes: vec![],
            call: |f| {
                let mut keep = f.closure(1);
                let keep = |x: &rt::Probe| -> bool { keep.answer::<bool>(&[rt::value!(x)]) };
                rt::value!(&f.by_mut::<Pile>(0).0.retain(keep))
            },
        },
        Op {
            name: "Pile::into_vec",
            names: &["self"],
            params: vec![object(PILE, Own)],
            makes: vec![],
            call: |f| rt::value!(&f.own::<Pile>(0).0),
        },
    ]
}

fn other_ops() -> Vec<Op> {
    use rt::Mode::{Mut, Ref};
    vec![
        Op {
            name: "Faulty::new",
            names: &["items"],
            params: vec![plain::<Vec<rt::Probe>>(rt::PlainEntry::List(&rt::PlainEntry::Probe))],
            makes: vec![FAULTY],
            call: |f| {
                f.keep(0, Faulty { items: f.plain(0) });
                rt::Value::Object
            },
        },
        Op {
            name: "Faulty::take_first",
            names: &["self"],
            params: vec![object(FAULTY, Mut)],
            makes: vec![],
            call: |f| rt::value!(&f.by_mut::<Faulty>(0).take_first()),
        },
        Op {
            name: "Shared::new",
            names: &[],
            params: vec![],
            makes: vec![SHARED],
            call: |f| {
                f.keep(0, Shared(Rc::new(RefCell::new(0))));
                rt::Value::Object
            },
        },
        Op {
            name: "Shared::clone",
            names: &["self"],
            params: vec![object(SHARED, Ref)],
            makes: vec![SHARED],
            call: |f| {
                let made = Shared(Rc::clone(&f.by_ref::<Shared>(0).0));
                f.keep(0, made);
                rt::Value::Object
            },
        },
        Op {
            name: "Shared::raise",
            names: &["self"],
            params: vec![object(SHARED, Ref)],
            makes: vec![],
            call: |f| {
                let a0 = f.by_ref::<Shared>(0);
                *a0.0.borrow_mut() += 1;
                rt::Value::Unit
            },
        },
        Op {
            name: "Moody::new",
            names: &[],
            params: vec![],
            makes: vec![MOODY],
            call: |f| {
                f.keep(0, Moody(Cell::new(0)));
                rt::Value::Object
            },
        },
    ]
}

/// The identity of an operation whose name for people is `Type::method`.
pub fn identity(name: &'static str) -> rt::InstanceEntry {
    let (owner, method) = name.rsplit_once("::").unwrap_or(("", name));
    rt::InstanceEntry::method(owner, method)
}

fn drop_op<T: 'static>(ty: rt::TypeId) -> rt::OpEntry {
    rt::OpEntry {
        id: rt::InstanceEntry::method("", "drop"),
        name: "drop",
        names: &["self"],
        params: vec![object(ty, rt::Mode::Own)],
        makes: vec![],
        lending: rt::Lending::Inherited,
        role: rt::Role::Drop,
        call: |f| {
            drop(f.own::<T>(0));
            rt::Value::Unit
        },
    }
}

fn pile() -> rt::TypeEntry {
    rt::TypeEntry {
        name: "Pile",
        clone: rt::clone_of!(Pile),
        eq: rt::eq_of!(Pile),
        cmp: rt::cmp_of!(Pile),
        hash: rt::hash_of!(Pile),
        borrows: false,
        debug: rt::debug_of!(Pile),
        lawful: rt::Lawful::default(),
        queries: vec![
            rt::QueryEntry {
                name: "len",
                param: None,
                eval: |x, _| rt::value!(&rt::object::<Pile>(x).0.len()),
            },
            rt::QueryEntry {
                name: "is_empty",
                param: None,
                eval: |x, _| rt::value!(&rt::object::<Pile>(x).0.is_empty()),
            },
            rt::QueryEntry {
                name: "seq",
                param: None,
                eval: |x, _| rt::sequence(rt::object::<Pile>(x).0.iter().map(|e| rt::value!(&e))),
            },
            rt::QueryEntry {
                name: "contains",
                param: Some(rt::QueryParam::Plain(rt::PlainEntry::Probe)),
                eval: |x, a| {
                    let a = rt::plain_arg::<rt::Probe>(a);
                    rt::value!(&rt::object::<Pile>(x).0.contains(&a))
                },
            },
            rt::QueryEntry {
                name: "get",
                param: Some(rt::QueryParam::Plain(USIZE)),
                eval: |x, a| rt::value!(&rt::object::<Pile>(x).get(rt::plain_arg::<usize>(a))),
            },
            rt::QueryEntry {
                name: "starts_with",
                param: Some(rt::QueryParam::Object(PILE)),
                eval: |x, a| {
                    rt::value!(&rt::object::<Pile>(x).0.starts_with(&rt::object_arg::<Pile>(a).0))
                },
            },
        ],
    }
}

macro_rules! type_entry {
    ($ty:ty, $queries:expr) => {
        rt::TypeEntry {
            name: stringify!($ty),
            clone: rt::clone_of!($ty),
            eq: rt::eq_of!($ty),
            cmp: rt::cmp_of!($ty),
            hash: rt::hash_of!($ty),
            borrows: false,
            debug: rt::debug_of!($ty),
            lawful: rt::Lawful::default(),
            queries: $queries,
        }
    };
}

pub fn tables() -> rt::Tables {
    let faulty = type_entry!(
        Faulty,
        vec![rt::QueryEntry {
            name: "len",
            param: None,
            eval: |x, _| rt::value!(&rt::object::<Faulty>(x).items.len())
        }]
    );
    let shared = type_entry!(
        Shared,
        vec![rt::QueryEntry {
            name: "value",
            param: None,
            eval: |x, _| rt::value!(&*rt::object::<Shared>(x).0.borrow())
        }]
    );
    let moody = type_entry!(
        Moody,
        vec![
            rt::QueryEntry {
                name: "look",
                param: None,
                eval: |x, _| rt::value!(&rt::object::<Moody>(x).look())
            },
            rt::QueryEntry { name: "fixed", param: None, eval: |_, _| rt::Value::Int(1) },
        ]
    );
    let ordinary =
        pile_ops().into_iter().chain(more_pile_ops()).chain(other_ops()).map(|op| rt::OpEntry {
            id: identity(op.name),
            name: op.name,
            names: op.names,
            params: op.params,
            makes: op.makes,
            lending: rt::Lending::Inherited,
            role: rt::Role::Command,
            call: op.call,
        });
    let drops = [
        drop_op::<Pile>(PILE),
        drop_op::<Faulty>(FAULTY),
        drop_op::<Shared>(SHARED),
        drop_op::<Moody>(MOODY),
    ];
    rt::Tables { types: vec![pile(), faulty, shared, moody], ops: ordinary.chain(drops).collect() }
}

/// With types that borrow from a pile.
pub fn borrowing_tables() -> rt::Tables {
    let mut tables = tables();
    tables.types.extend(borrowing::types());
    tables.ops.extend(borrowing::ops());
    tables
}

/// With operations that end the process, for workers that are processes.
pub fn deadly_tables() -> rt::Tables {
    let mut tables = tables();
    let deadly = |name, params, call| rt::OpEntry {
        id: identity(name),
        name,
        names: &["size"],
        params,
        makes: vec![],
        lending: rt::Lending::Inherited,
        role: rt::Role::Command,
        call,
    };
    tables.ops.push(deadly("Deadly::hang", vec![], |_| {
        loop {
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
    }));
    tables.ops.push(deadly("Deadly::eat", vec![plain::<usize>(USIZE)], |f| {
        rt::value!(&vec![1_u8; f.plain(0)].len())
    }));
    tables.ops.push(deadly("Deadly::abort", vec![], |_| std::process::abort()));
    tables.ops.push(deadly("Deadly::panic_twice", vec![], |_| {
        let _clumsy = subject::Clumsy;
        panic!("the first panic")
    }));
    tables.ops.push(deadly("Deadly::cannot_unwind", vec![], |_| {
        subject::cannot_unwind();
        rt::Value::Unit
    }));
    tables.ops.push(deadly("Deadly::precondition", vec![plain::<usize>(USIZE)], |f| {
        rt::value!(&subject::unchecked(f.plain(0)))
    }));
    tables
}

/// Only the honest type, for measuring.
pub fn honest_tables() -> rt::Tables {
    let mut tables = tables();
    tables.types.truncate(1);
    tables.ops.retain(|op| {
        op.name.starts_with("Pile::")
            || matches!(op.params[..], [rt::ParamEntry::Object { ty: PILE, mode: rt::Mode::Own }])
    });
    tables
}

pub fn op(name: &str) -> OpId {
    let at = deadly_tables().ops.iter().position(|op| op.name == name).expect("a known operation");
    OpId(u32::try_from(at).expect("few operations"))
}
