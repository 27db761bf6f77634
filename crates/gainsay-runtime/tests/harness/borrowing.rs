//! Types that borrow from a pile: one that changes it, one that only looks.

use gainsay_runtime as rt;

use super::{PILE, object, plain, subject::Pile};

pub const WALK: rt::TypeId = rt::TypeId(4);
pub const LOOK: rt::TypeId = rt::TypeId(5);

/// Changes the pile through a reference, and once more in the end.
pub struct Walk<'a>(&'a mut Pile);

impl Drop for Walk<'_> {
    fn drop(&mut self) {
        self.0.push(rt::Probe::new(-1));
    }
}

/// Remembers what it saw first.
#[derive(Clone)]
pub struct Look<'a>(&'a Pile, usize);

type AWalk = Walk<'static>;
type ALook = Look<'static>;

struct Borrowing {
    name: &'static str,
    params: Vec<rt::ParamEntry>,
    makes: Vec<rt::TypeId>,
    lending: rt::Lending,
    call: fn(&rt::Frame<'_>) -> rt::Value,
}

pub fn ops() -> Vec<rt::OpEntry> {
    use rt::{
        Lending::{Inherited, Operands},
        Mode::{Mut, Own, Ref},
    };
    let all = vec![
        Borrowing {
            name: "Pile::walk",
            params: vec![object(PILE, Mut)],
            makes: vec![WALK],
            lending: Operands,
            call: |f| {
                f.keep::<AWalk>(0, Walk(f.lend_mut::<Pile>(0)));
                rt::Value::Object
            },
        },
        Borrowing {
            name: "Walk::push",
            params: vec![object(WALK, Mut), plain::<rt::Probe>(rt::PlainEntry::Probe)],
            makes: vec![],
            lending: Inherited,
            call: |f| {
                f.by_mut::<AWalk>(0).0.push(f.plain(1));
                rt::Value::Unit
            },
        },
        Borrowing {
            name: "Walk::turn",
            params: vec![object(WALK, Own)],
            makes: vec![WALK],
            lending: Inherited,
            call: |f| {
                f.keep(0, f.own::<AWalk>(0));
                rt::Value::Object
            },
        },
        Borrowing {
            name: "Pile::look",
            params: vec![object(PILE, Ref)],
            makes: vec![LOOK],
            lending: Operands,
            call: |f| {
                let pile = f.lend::<Pile>(0);
                f.keep::<ALook>(0, Look(pile, pile.0.len()));
                rt::Value::Object
            },
        },
        Borrowing {
            name: "Look::is_true",
            params: vec![object(LOOK, Ref)],
            makes: vec![],
            lending: Inherited,
            call: |f| {
                let look = f.by_ref::<ALook>(0);
                assert_eq!(look.0.0.len(), look.1, "the pile changed while it was lent");
                rt::Value::Bool(true)
            },
        },
    ];
    let entry = |op: Borrowing| rt::OpEntry {
        id: super::identity(op.name),
        name: op.name,
        names: &["self", "value"][..op.params.len()],
        params: op.params,
        makes: op.makes,
        lending: op.lending,
        role: rt::Role::Command,
        call: op.call,
    };
    let drops = [super::drop_op::<AWalk>(WALK), super::drop_op::<ALook>(LOOK)];
    all.into_iter().map(entry).chain(drops).collect()
}

pub fn types() -> [rt::TypeEntry; 2] {
    let entry = |name, queries| rt::TypeEntry {
        name,
        borrows: true,
        clone: None,
        eq: None,
        cmp: None,
        hash: None,
        debug: None,
        lawful: rt::Lawful::default(),
        queries,
    };
    let len = rt::QueryEntry {
        name: "len",
        param: None,
        eval: |x, _| rt::value!(&rt::object::<AWalk>(x).0.0.len()),
    };
    [entry("Walk<'static>", vec![len]), entry("Look<'static>", vec![])]
}
