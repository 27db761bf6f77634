//! A simulated list type, and calls of its operations as observations.

use gainsay_wire::{
    Manifest, ManifestOp, ManifestParam, ManifestQuery, ManifestType, Mode, Observation, OpId,
    Outcome, Root, Term, TypeId, Value, When,
};

use crate::Samples;

const LIST: TypeId = TypeId(0);

/// The lists of a call, by operand.
type Lists<'a> = &'a [&'a [i64]];

/// A manifest with the calls that were simulated so far.
pub(super) struct World {
    pub(super) manifest: Manifest,
    pub(super) samples: Samples,
}

/// A small generator of numbers.
pub(super) struct Random(pub(super) u64);

impl Random {
    pub(super) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    pub(super) fn below(&mut self, limit: u64) -> i64 {
        i64::try_from(self.next() % limit).unwrap()
    }

    pub(super) fn list(&mut self, longest: u64) -> Vec<i64> {
        (0..self.below(longest + 1)).map(|_| self.below(6)).collect()
    }
}

impl World {
    pub(super) fn new() -> World {
        let object = |mode| ManifestParam::Object(LIST, mode);
        let plain = |key: &str| ManifestParam::Plain(key.into());
        let query =
            |name: &str, param| ManifestQuery { name: name.to_owned(), param, active: true };
        let queries = vec![
            query("len", None),
            query("is_empty", None),
            query("seq", None),
            query("contains", Some(plain("Probe"))),
            query("is_disjoint", Some(object(Mode::Ref))),
        ];
        let hidden = ManifestQuery { active: false, ..query("last", None) };
        let queries = [queries, vec![hidden]].concat();
        let list = ManifestType {
            name: "List".to_owned(),
            queries,
            can_clone: true,
            borrows: false,
            locks: false,
        };
        let op = |name: &str, names: &[&str], params, makes| ManifestOp {
            id: gainsay_wire::CallableId::method("List", name).into(),
            name: format!("List::{name}"),
            names: names.iter().map(|name| (*name).to_owned()).collect(),
            params,
            makes,
            lending: gainsay_wire::Lending::Inherited,
            role: gainsay_wire::Role::Command,
        };
        let ops = vec![
            op("new", &[], vec![], vec![LIST]),
            op("push", &["self", "value"], vec![object(Mode::Mut), plain("Probe")], vec![]),
            op("pop", &["self"], vec![object(Mode::Mut)], vec![]),
            op("wipe_out", &["self"], vec![object(Mode::Mut)], vec![]),
            op("append", &["self", "other"], vec![object(Mode::Mut), object(Mode::Ref)], vec![]),
            op("remove", &["self", "index"], vec![object(Mode::Mut), plain("usize")], vec![]),
            op("top", &["self"], vec![object(Mode::Ref)], vec![]),
            op("count", &["self"], vec![object(Mode::Ref)], vec![]),
            op("len", &["self"], vec![object(Mode::Ref)], vec![]),
            op("is_empty", &["self"], vec![object(Mode::Ref)], vec![]),
            op("contains", &["self", "value"], vec![object(Mode::Ref), plain("Probe")], vec![]),
            op("take", &["self", "value"], vec![object(Mode::Mut), plain("Probe")], vec![]),
            op("clone", &["self"], vec![object(Mode::Ref)], vec![LIST]),
            op("compare", &["self", "other"], vec![object(Mode::Ref), object(Mode::Ref)], vec![]),
        ];
        World { manifest: Manifest { types: vec![list], ops }, samples: Samples::new() }
    }

    /// A list type that also tells its last element.
    pub(super) fn with_last() -> World {
        let mut world = World::new();
        for query in &mut world.manifest.types[0].queries {
            query.active = true;
        }
        world
    }

    pub(super) fn op(&self, name: &str) -> OpId {
        let wanted = format!("List::{name}");
        let found = self.manifest.ops.iter().position(|op| op.name == wanted).unwrap();
        OpId(u32::try_from(found).unwrap())
    }

    /// A command on one list, with an element.
    pub(super) fn command(
        &mut self,
        op: &str,
        before: &[i64],
        value: Option<i64>,
        after: &[i64],
        result: Value,
    ) {
        let plain: Vec<Value> = value.into_iter().map(Value::Elem).collect();
        self.add(op, (&[before], &plain), &[after], (result, &[]), Outcome::Returned);
    }

    pub(super) fn query(&mut self, op: &str, list: &[i64], result: Value) {
        self.add(op, (&[list], &[]), &[list], (result, &[]), Outcome::Returned);
    }

    pub(super) fn binary(&mut self, op: &str, before: (&[i64], &[i64]), after: (&[i64], &[i64])) {
        let (was, is) = ([before.0, before.1], [after.0, after.1]);
        self.add(op, (&was, &[]), &is, (Value::Unit, &[]), Outcome::Returned);
    }

    /// Any call: lists come first among the operands.
    pub(super) fn add(
        &mut self,
        op: &str,
        (before, plain): (Lists<'_>, &[Value]),
        after: Lists<'_>,
        (result, made): (Value, Lists<'_>),
        outcome: Outcome,
    ) {
        let op = self.op(op);
        let value = |term: &Term| {
            let lists = if term.when == When::Before { before } else { after };
            match (term.root, &term.query) {
                _ if term.when == When::After && !outcome.returned() => Value::Undefined,
                (Root::Result, _) => result.clone(),
                (Root::Made(index), Some(query)) => view(made[index as usize], query, None),
                (Root::Operand(index), None) => plain[index as usize - before.len()].clone(),
                (Root::Operand(index), Some(query)) => {
                    let with = term.with.map(|with| with as usize);
                    let other = with.map(|with| match lists.get(with) {
                        Some(list) => Other::List(list),
                        None => Other::Plain(&plain[with - before.len()]),
                    });
                    view(lists[index as usize], query, other)
                }
                (Root::Made(_), None) => Value::Undefined,
            }
        };
        let values = self.manifest.vocabulary(op).terms().iter().map(value).collect();
        let seen = Observation {
            op,
            outcome,
            values,
            objects: Vec::new(),
            made: Vec::new(),
            freed: Vec::new(),
        };
        self.samples.entry(op).or_default().push(seen);
    }
}

enum Other<'a> {
    List(&'a [i64]),
    Plain(&'a Value),
}

fn view(list: &[i64], query: &str, other: Option<Other<'_>>) -> Value {
    match (query, other) {
        ("len", _) => Value::Int(list.len() as i128),
        ("is_empty", _) => Value::Bool(list.is_empty()),
        ("seq", _) => Value::Seq(list.iter().copied().map(Value::Elem).collect()),
        ("last", _) => list.last().map_or(Value::none(), |key| Value::some(Value::Elem(*key))),
        ("contains", Some(Other::Plain(Value::Elem(key)))) => Value::Bool(list.contains(key)),
        ("is_disjoint", Some(Other::List(other))) => {
            Value::Bool(list.iter().all(|key| !other.contains(key)))
        }
        _ => Value::Undefined,
    }
}
