//! Laws of std traits and conventions between queries, checked on the objects of a call. One
//! table; the driver decides what a broken law is worth.

use std::{any::Any, cmp::Ordering};

use gainsay_wire::{TypeId, Value};

use crate::{
    panics,
    table::{OpEntry, TypeEntry},
    view::State,
    world::{TypePlan, World},
};

/// A law with its name.
struct Law {
    name: &'static str,
    rule: Rule,
}

/// What a law speaks of. `None` means that it does not apply.
enum Rule {
    /// The state of one object.
    State(fn(&TypePlan, &State) -> Option<bool>),
    /// One object.
    One(fn(&TypeEntry, &dyn Any) -> Option<bool>),
    /// As `One`, but costly: checked now and then.
    Costly(fn(&TypeEntry, &dyn Any) -> Option<bool>),
    /// Two objects of one type.
    Two(fn(&TypeEntry, &dyn Any, &dyn Any) -> Option<bool>),
}

const LAWS: &[Law] = &[
    Law { name: "eq-reflexive", rule: Rule::One(eq_reflexive) },
    Law { name: "eq-symmetric", rule: Rule::Two(eq_symmetric) },
    Law { name: "hash-agrees-with-eq", rule: Rule::Two(hash_agrees_with_eq) },
    Law { name: "cmp-agrees-with-eq", rule: Rule::Two(cmp_agrees_with_eq) },
    Law { name: "clone-equals", rule: Rule::Costly(clone_equals) },
    Law { name: "is_empty-agrees-with-len", rule: Rule::State(is_empty_agrees_with_len) },
    Law { name: "len-agrees-with-seq", rule: Rule::State(len_agrees_with_seq) },
];

/// A law that some objects of a call broke.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Breach {
    pub(crate) law: &'static str,
    /// The object that broke it, and for a law about two objects the other one.
    pub(crate) on: (Party, Option<Party>),
}

/// What an object is to a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Party {
    Operand(usize),
    Made(u32),
}

impl Party {
    /// As code calls it: the parameter's name, `result`, or `result.1` for one of several objects.
    fn name(self, op: &OpEntry) -> String {
        match self {
            Party::Operand(at) => {
                op.names.get(at).map_or_else(|| format!("arg{at}"), |name| (*name).to_owned())
            }
            Party::Made(_) if op.makes.len() < 2 => "result".to_owned(),
            Party::Made(out) => format!("result.{out}"),
        }
    }
}

impl Breach {
    /// In words, with the names of the operation's operands.
    pub(crate) fn message(&self, op: &OpEntry) -> String {
        let Breach { law, on: (first, second) } = self;
        let first = first.name(op);
        match second {
            None => format!("does not hold for `{first}`: {law}"),
            Some(second) => {
                format!("does not hold for `{first}` and `{}`: {law}", second.name(op))
            }
        }
    }
}

/// How often a costly law is checked while exploring, and any law on an object that looks like one
/// that keeps them all.
const COSTLY_EVERY: u64 = 8;
/// A law that is broken this often, and mostly, is no law of that type.
const MUTED_AFTER: u32 = 6;

/// The laws, with how they fared so far.
pub(crate) struct Laws {
    /// Per type and law: times checked, times broken.
    tallies: Vec<[(u32, u32); LAWS.len()]>,
    turn: u64,
    every: u64,
}

/// How often costly laws are checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Zeal {
    Sampling,
    Always,
}

impl Laws {
    pub(crate) fn new(world: &World, zeal: Zeal) -> Laws {
        let every = if zeal == Zeal::Always { 1 } else { COSTLY_EVERY };
        Laws { tallies: vec![[(0, 0); LAWS.len()]; world.types.len()], turn: 0, every }
    }

    /// The laws that one object breaks.
    pub(crate) fn of_one(
        &mut self,
        world: &World,
        who: Party,
        (object, state): (&dyn Any, &State),
        broken: &mut Vec<Breach>,
    ) {
        let (entry, plan) = (world.type_entry(state.ty), world.type_plan(state.ty));
        self.turn += 1;
        let is_turn = self.turn.is_multiple_of(self.every);
        let is_known = state.lawful.get();
        if is_known && !is_turn {
            return;
        }
        let before = broken.len();
        for (at, law) in LAWS.iter().enumerate() {
            let holds = match law.rule {
                Rule::State(rule) => rule(plan, state),
                Rule::One(rule) => asked(|| rule(entry, object)),
                Rule::Costly(rule) if is_turn => asked(|| rule(entry, object)),
                Rule::Costly(_) | Rule::Two(_) => None,
            };
            self.note(state.ty, at, holds, (who, None), broken);
        }
        state.lawful.set(broken.len() == before);
    }

    /// The laws that two objects of one type break.
    pub(crate) fn of_two(
        &mut self,
        world: &World,
        ty: TypeId,
        [(first, a), (second, b)]: [(Party, &dyn Any); 2],
        broken: &mut Vec<Breach>,
    ) {
        let entry = world.type_entry(ty);
        for (at, law) in LAWS.iter().enumerate() {
            if let Rule::Two(rule) = law.rule {
                let holds = asked(|| rule(entry, a, b));
                self.note(ty, at, holds, (first, Some(second)), broken);
            }
        }
    }

    fn note(
        &mut self,
        ty: TypeId,
        at: usize,
        holds: Option<bool>,
        on: (Party, Option<Party>),
        broken: &mut Vec<Breach>,
    ) {
        let Some(holds) = holds else { return };
        let (checked, failed) = &mut self.tallies[ty.0 as usize][at];
        *checked += 1;
        if holds {
            return;
        }
        *failed += 1;
        let muted = *failed > MUTED_AFTER && *failed * 2 > *checked;
        let law = LAWS[at].name;
        if !muted && broken.iter().all(|breach| breach.law != law) {
            broken.push(Breach { law, on });
        }
    }
}

/// A panic on the way says nothing about the law.
fn asked(rule: impl FnOnce() -> Option<bool>) -> Option<bool> {
    panics::catch(rule).ok().flatten()
}

/// Types without `Hash` may hold floats, whose `==` is not reflexive by design.
fn eq_reflexive(ty: &TypeEntry, x: &dyn Any) -> Option<bool> {
    ty.hash?;
    Some(ty.eq?(x, x))
}

fn eq_symmetric(ty: &TypeEntry, x: &dyn Any, y: &dyn Any) -> Option<bool> {
    let eq = ty.eq?;
    Some(eq(x, y) == eq(y, x))
}

fn hash_agrees_with_eq(ty: &TypeEntry, x: &dyn Any, y: &dyn Any) -> Option<bool> {
    let (eq, hash) = (ty.eq?, ty.hash?);
    Some(!eq(x, y) || hash(x) == hash(y))
}

fn cmp_agrees_with_eq(ty: &TypeEntry, x: &dyn Any, y: &dyn Any) -> Option<bool> {
    let (eq, cmp) = (ty.eq?, ty.cmp?);
    Some(eq(x, y) == (cmp(x, y) == Some(Ordering::Equal)))
}

fn clone_equals(ty: &TypeEntry, x: &dyn Any) -> Option<bool> {
    let (clone, eq) = (ty.clone?, ty.eq?);
    eq(x, x).then(|| eq(x, &*clone(x)))
}

fn is_empty_agrees_with_len(plan: &TypePlan, state: &State) -> Option<bool> {
    let len = named(plan, state, "len")?.as_int()?;
    let is_empty = named(plan, state, "is_empty")?.as_bool()?;
    Some(is_empty == (len == 0))
}

fn len_agrees_with_seq(plan: &TypePlan, state: &State) -> Option<bool> {
    let len = named(plan, state, "len")?.as_int()?;
    match named(plan, state, "seq")? {
        Value::Seq(items) => Some(i128::try_from(items.len()) == Ok(len)),
        _ => None,
    }
}

fn named<'a>(plan: &TypePlan, state: &'a State, name: &str) -> Option<&'a Value> {
    let at = plan.state.iter().position(|query| query.name == name)?;
    state.values.get(at)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        Tables,
        table::{QueryEntry, TypeEntry},
    };
    use gainsay_wire::Settings;

    /// A type that keeps the laws it is told to keep: `(eq, hash, cmp, clone, len, is_empty)`.
    #[derive(Clone, Copy)]
    struct Subject {
        key: u8,
        hash: u64,
        order: Option<Ordering>,
        clone_key: u8,
        len: i128,
        is_empty: bool,
    }

    const HONEST: Subject = Subject {
        key: 1,
        hash: 1,
        order: Some(Ordering::Equal),
        clone_key: 1,
        len: 1,
        is_empty: false,
    };

    fn of(object: &dyn Any) -> &Subject {
        object.downcast_ref().unwrap()
    }

    fn world() -> World {
        let query = |name, eval| QueryEntry { name, param: None, eval };
        let ty = TypeEntry {
            name: "Subject",
            clone: Some(|x| Box::new(Subject { key: of(x).clone_key, ..*of(x) })),
            eq: Some(|x, y| of(x).key == of(y).key && of(x).key < 9),
            cmp: Some(|x, _| of(x).order),
            hash: Some(|x| of(x).hash),
            borrows: false,
            debug: None,
            queries: vec![
                query("len", |x, _| Value::Int(of(x).len)),
                query("is_empty", |x, _| Value::Bool(of(x).is_empty)),
                query("seq", |_, _| Value::Seq(vec![Value::Unit])),
            ],
        };
        World::new(Tables { types: vec![ty], ops: vec![] }, Settings::default())
    }

    fn broken(subject: Subject) -> Vec<&'static str> {
        let world = world();
        let mut laws = Laws::new(&world, Zeal::Always);
        let values = crate::view::state_values(&world, TypeId(0), &subject);
        let state = State::of_values(values);
        let mut broken = Vec::new();
        let parties = [Party::Operand(0), Party::Operand(1)];
        laws.of_one(&world, parties[0], (&subject, &state), &mut broken);
        let pair: [(Party, &dyn Any); 2] = [(parties[0], &subject), (parties[1], &HONEST)];
        laws.of_two(&world, TypeId(0), pair, &mut broken);
        broken.iter().map(|breach| breach.law).collect()
    }

    #[test]
    fn every_law_is_silent_on_an_honest_type_and_objects_to_its_breach() {
        let check = |subject: Subject, expected: &[&str]| assert_eq!(broken(subject), expected);
        check(HONEST, &[]);
        check(Subject { key: 9, clone_key: 9, order: None, ..HONEST }, &["eq-reflexive"]);
        check(Subject { hash: 2, ..HONEST }, &["hash-agrees-with-eq"]);
        check(Subject { order: None, ..HONEST }, &["cmp-agrees-with-eq"]);
        check(Subject { clone_key: 2, ..HONEST }, &["clone-equals"]);
        check(Subject { is_empty: true, ..HONEST }, &["is_empty-agrees-with-len"]);
        check(Subject { len: 2, ..HONEST }, &["len-agrees-with-seq"]);
    }

    #[test]
    fn a_breach_names_the_objects_as_code_calls_them() {
        let op = |makes: &[TypeId]| OpEntry {
            name: "merge",
            names: &["self", "other"],
            params: vec![],
            makes: makes.to_vec(),
            lending: crate::Lending::Inherited,
            role: crate::Role::Ordinary,
            call: |_| Value::Unit,
        };
        let one = op(&[TypeId(0)]);
        let breach = |on| Breach { law: "gravity", on };
        let pair = breach((Party::Operand(0), Some(Party::Operand(1))));
        assert_eq!(pair.message(&one), "does not hold for `self` and `other`: gravity");
        let made = breach((Party::Made(0), None));
        assert_eq!(made.message(&one), "does not hold for `result`: gravity");
        let second = breach((Party::Made(1), None));
        let two = op(&[TypeId(0), TypeId(0)]);
        assert_eq!(second.message(&two), "does not hold for `result.1`: gravity");
    }

    #[test]
    fn what_nearly_all_objects_break_is_no_law_of_their_type() {
        let world = world();
        let mut laws = Laws::new(&world, Zeal::Always);
        let counts: Vec<usize> = (0..20)
            .map(|_| {
                let mut broken = Vec::new();
                laws.note(TypeId(0), 0, Some(false), (Party::Made(0), None), &mut broken);
                broken.len()
            })
            .collect();
        assert_eq!((counts[0], counts[19]), (1, 0));
    }
}
