//! A harness written by hand for a small subject with known faults, for the tests of this crate.

use gainsay_runtime as rt;

/// The subject.
#[derive(Clone, Debug, PartialEq)]
struct Stack {
    items: Vec<i64>,
    spare: usize,
}

impl Stack {
    fn new() -> Stack {
        Stack { items: Vec::new(), spare: 0 }
    }

    fn push(&mut self, item: i64) {
        self.items.push(item);
        self.spare = self.items.len();
    }

    fn pop(&mut self) -> Option<i64> {
        self.items.pop()
    }

    /// Fault: overflows when nothing was ever pushed.
    fn shrink(&mut self) {
        self.spare -= 1;
    }

    /// Fault: aborts on three elements or more.
    fn crush(&mut self) {
        if self.items.len() >= 3 {
            std::process::abort();
        }
    }

    /// An own assertion: a precondition, not a fault.
    fn at(&self, index: usize) -> i64 {
        assert!(index < self.items.len(), "no item {index}");
        self.items[index]
    }

    /// Fault: never ends on one number that exploration does not come across.
    fn spin(&mut self, item: i64) {
        let turns = if item == 7_654_321 { u64::MAX } else { 0 };
        for _ in 0..turns {
            self.spare = std::hint::black_box(self.spare);
        }
    }

    fn len(&self) -> usize {
        self.items.len()
    }
}

const T0: rt::TypeId = rt::TypeId(0);

fn object(mode: rt::Mode) -> rt::ParamEntry {
    rt::ParamEntry::Object { ty: T0, mode }
}

fn number() -> rt::ParamEntry {
    rt::ParamEntry::Plain {
        key: rt::PlainEntry::Integer(rt::IntegerType::I64),
        generate: <i64 as rt::Plain>::generate,
    }
}

fn index() -> rt::ParamEntry {
    rt::ParamEntry::Plain {
        key: rt::PlainEntry::Integer(rt::IntegerType::Usize),
        generate: <usize as rt::Plain>::generate,
    }
}

fn op(
    name: &'static str,
    params: Vec<rt::ParamEntry>,
    call: fn(&rt::Frame<'_>) -> rt::Value,
) -> rt::OpEntry {
    let names: &[&str] = match params.len() {
        0 => &[],
        1 => &["self"],
        _ => &["self", "x"],
    };
    let (makes, role) = (Vec::new(), rt::Role::Command);
    let lending = rt::Lending::Inherited;
    let id = rt::InstanceEntry::method("Stack", name.rsplit("::").next().unwrap_or(name));
    rt::OpEntry { id, name, names, params, makes, lending, role, call }
}

fn operations() -> Vec<rt::OpEntry> {
    let by_mut = || object(rt::Mode::Mut);
    let new = op("Stack::new", vec![], |f| {
        f.keep(0, Stack::new());
        rt::Value::Object
    });
    let drop = op("drop Stack", vec![object(rt::Mode::Own)], |f| {
        drop(f.own::<Stack>(0));
        rt::Value::Unit
    });
    vec![
        rt::OpEntry { makes: vec![T0], ..new },
        op("Stack::push", vec![by_mut(), number()], |f| {
            f.by_mut::<Stack>(0).push(f.plain::<i64>(1));
            rt::Value::Unit
        }),
        op("Stack::pop", vec![by_mut()], |f| {
            let popped = f.by_mut::<Stack>(0).pop();
            rt::value!(&popped)
        }),
        op("Stack::shrink", vec![by_mut()], |f| {
            f.by_mut::<Stack>(0).shrink();
            rt::Value::Unit
        }),
        op("Stack::crush", vec![by_mut()], |f| {
            f.by_mut::<Stack>(0).crush();
            rt::Value::Unit
        }),
        op("Stack::at", vec![object(rt::Mode::Ref), index()], |f| {
            let item = f.by_ref::<Stack>(0).at(f.plain::<usize>(1));
            rt::value!(&item)
        }),
        op("Stack::spin", vec![by_mut(), number()], |f| {
            f.by_mut::<Stack>(0).spin(f.plain::<i64>(1));
            rt::Value::Unit
        }),
        rt::OpEntry { role: rt::Role::Drop, ..drop },
    ]
}

fn main() {
    let len = rt::QueryEntry {
        name: "len",
        param: None,
        eval: |x, _| rt::value!(&rt::object::<Stack>(x).len()),
    };
    let seq = rt::QueryEntry {
        name: "seq",
        param: None,
        eval: |x, _| rt::sequence(rt::object::<Stack>(x).items.iter().map(|e| rt::value!(&e))),
    };
    let stack = rt::TypeEntry {
        name: "Stack",
        clone: rt::clone_of!(Stack),
        eq: rt::eq_of!(Stack),
        cmp: rt::cmp_of!(Stack),
        hash: rt::hash_of!(Stack),
        borrows: false,
        debug: rt::debug_of!(Stack),
        lawful: rt::Lawful::default(),
        queries: vec![len, seq],
    };
    rt::run(rt::Tables { types: vec![stack], ops: operations() });
}
