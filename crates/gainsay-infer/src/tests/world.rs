//! A simulated list type, and calls of its operations as observations.

use gainsay_testkit::{make_op, make_query, make_type, object, plain};
use gainsay_wire::{
    Manifest, ManifestParam, ManifestQuery, ManifestType, Mode, Observation, OpId, Outcome, Root,
    Term, TypeId, Value, When,
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
        let queries = vec![
            make_query("len", None),
            make_query("is_empty", None),
            make_query("seq", None),
            make_query("contains", Some(plain("Probe"))),
            make_query("is_disjoint", Some(object(LIST, Mode::Ref))),
            ManifestQuery { active: false, ..make_query("last", None) },
        ];
        let list = ManifestType { can_clone: true, ..make_type("List", queries) };
        let this = |mode| ("self", object(LIST, mode));
        let value = || ("value", plain("Probe"));
        let other = || ("other", object(LIST, Mode::Ref));
        let op = |name: &str, params: &[(&str, ManifestParam)], makes: &[TypeId]| {
            make_op(&format!("List::{name}"), params, makes)
        };
        let ops = vec![
            op("new", &[], &[LIST]),
            op("push", &[this(Mode::Mut), value()], &[]),
            op("pop", &[this(Mode::Mut)], &[]),
            op("wipe_out", &[this(Mode::Mut)], &[]),
            op("append", &[this(Mode::Mut), other()], &[]),
            op("remove", &[this(Mode::Mut), ("index", plain("usize"))], &[]),
            op("top", &[this(Mode::Ref)], &[]),
            op("count", &[this(Mode::Ref)], &[]),
            op("len", &[this(Mode::Ref)], &[]),
            op("is_empty", &[this(Mode::Ref)], &[]),
            op("contains", &[this(Mode::Ref), value()], &[]),
            op("take", &[this(Mode::Mut), value()], &[]),
            op("clone", &[this(Mode::Ref)], &[LIST]),
            op("compare", &[this(Mode::Ref), other()], &[]),
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
