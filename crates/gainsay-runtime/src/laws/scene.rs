//! An object whose laws are checked, with what is known of it and what can be done to copies.

use std::{any::Any, cell::RefCell, cmp::Ordering};

use gainsay_wire::{IntegerType, Mode, OpId, TypeId, Value};

use crate::table::PlainEntry;
use crate::{
    capability::iterator::Iteration,
    frame::{Cell, Frame, Made, Operand},
    panics,
    table::{OpEntry, ParamEntry, TypeEntry},
    view::{State, state_values},
    world::{TypePlan, World},
};

/// Items that are asked for; a longer sequence is left alone.
pub(super) const MOST_ITEMS: usize = 256;

/// An object under the laws of its type.
pub(super) struct Scene<'a> {
    pub(super) world: &'a World,
    pub(super) ty: TypeId,
    pub(super) cell: &'a Cell,
    pub(super) state: &'a State,
}

/// What a call brought.
pub(super) struct Outcome {
    pub(super) value: Value,
    /// Dropped before what it may refer to.
    pub(super) made: Vec<Made>,
    _lent: Vec<Box<dyn Any>>,
}

impl Scene<'_> {
    pub(super) fn entry(&self) -> &TypeEntry {
        self.world.type_entry(self.ty)
    }

    fn plan(&self) -> &TypePlan {
        self.world.type_plan(self.ty)
    }

    /// Asks the object itself.
    pub(super) fn with<R>(&self, ask: impl FnOnce(&dyn Any) -> Option<R>) -> Option<R> {
        ask(self.cell.borrow().as_deref()?)
    }

    /// The value of a query, as it is known.
    pub(super) fn named(&self, name: &str) -> Option<&Value> {
        named(self.plan(), &self.state.values, name)
    }

    /// The items of the object, if it tells them all in order.
    pub(super) fn seq(&self) -> Option<&[Value]> {
        items(self.named("seq")?)
    }

    /// The items of the object in any order.
    pub(super) fn bag(&self) -> Option<&[Value]> {
        self.seq().or_else(|| items(self.named("bag")?))
    }

    /// All of the object as a text, if it is one.
    pub(super) fn text(&self) -> Option<&str> {
        text(self.plan(), &self.state.values)
    }

    /// All of a copy as a text.
    pub(super) fn text_of(&self, copy: &Cell) -> Option<String> {
        text(self.plan(), &self.look(copy)?).map(str::to_owned)
    }

    /// A copy to experiment with. Where copies share what they hold, an experiment would be none.
    pub(super) fn copy(&self) -> Option<Cell> {
        if self.plan().sharing {
            return None;
        }
        let clone = self.entry().clone?;
        let copy = self.with(|object| Some(clone(object)))?;
        Some(RefCell::new(Some(copy)))
    }

    /// What is seen of a copy.
    pub(super) fn look(&self, copy: &Cell) -> Option<Vec<Value>> {
        Some(state_values(self.world, self.ty, copy.borrow().as_deref()?))
    }

    /// The items of a copy in order.
    pub(super) fn seq_of(&self, copy: &Cell) -> Option<Vec<Value>> {
        let values = self.look(copy)?;
        items(named(self.plan(), &values, "seq")?).map(<[Value]>::to_vec)
    }

    /// Calls an operation; `None` when it panics.
    pub(super) fn call(&self, op: OpId, on: &Cell, args: &[Value]) -> Option<Outcome> {
        let args = args.iter().map(Operand::Plain);
        let operands: Vec<Operand<'_>> = std::iter::once(Operand::Object(on)).chain(args).collect();
        self.made_by(op, &operands)
    }

    /// Calls a function that takes plain values only; `None` when it panics.
    pub(super) fn call_free(&self, op: OpId, args: &[Value]) -> Option<Outcome> {
        let operands: Vec<Operand<'_>> = args.iter().map(Operand::Plain).collect();
        self.made_by(op, &operands)
    }

    fn made_by(&self, op: OpId, operands: &[Operand<'_>]) -> Option<Outcome> {
        let frame = Frame::new(operands);
        let value = panics::catch(|| (self.world.op(op).call)(&frame)).ok()?;
        let (made, lent) = frame.into_made();
        Some(Outcome { value, made, _lent: lent })
    }

    /// All that the iterator or list gives that an operation returned.
    pub(super) fn listed(&self, op: OpId, outcome: &mut Outcome) -> Option<Vec<Value>> {
        if let Some(items) = items(&outcome.value) {
            return Some(items.to_vec());
        }
        let iteration = self.yields(op)?;
        let (_, iterator) = outcome.made.first_mut()?;
        drained(&iteration, &mut **iterator)
    }

    /// What the iterator can do that an operation makes.
    pub(super) fn yields(&self, op: OpId) -> Option<Iteration> {
        yields(self.world, op)
    }
}

/// What is seen of an object of any type.
pub(super) struct Looked<'w> {
    plan: &'w TypePlan,
    values: Vec<Value>,
}

impl<'w> Looked<'w> {
    pub(super) fn at(world: &'w World, ty: TypeId, object: &dyn Any) -> Looked<'w> {
        Looked { plan: world.type_plan(ty), values: state_values(world, ty, object) }
    }

    pub(super) fn of_state(world: &'w World, state: &State) -> Looked<'w> {
        Looked { plan: world.type_plan(state.ty), values: state.values.clone() }
    }

    /// How many items it says to have.
    pub(super) fn len(&self) -> Option<i128> {
        let len = named(self.plan, &self.values, "len").and_then(Value::as_int);
        len.or_else(|| i128::try_from(self.bag()?.len()).ok())
    }

    pub(super) fn capacity(&self) -> Option<i128> {
        named(self.plan, &self.values, "capacity").and_then(Value::as_int)
    }

    pub(super) fn seq(&self) -> Option<&[Value]> {
        items(named(self.plan, &self.values, "seq")?)
    }

    pub(super) fn bag(&self) -> Option<&[Value]> {
        self.seq().or_else(|| items(named(self.plan, &self.values, "bag")?))
    }

    pub(super) fn text(&self) -> Option<&str> {
        text(self.plan, &self.values)
    }
}

/// How an operation takes an object of the type, if it takes nothing else.
pub(super) fn op_of_one(world: &World, op: OpId, ty: TypeId) -> Option<Mode> {
    match world.op(op).params[..] {
        [ParamEntry::Object { ty: of, mode: mode @ (Mode::Ref | Mode::Own) }] if of == ty => {
            Some(mode)
        }
        _ => None,
    }
}

/// What the iterator can do that an operation makes.
pub(super) fn yields(world: &World, op: OpId) -> Option<Iteration> {
    match world.op(op).makes[..] {
        [ty] => world.type_entry(ty).lawful.iteration,
        _ => None,
    }
}

/// All that an iterator still gives, unless it is much.
pub(super) fn drained(iteration: &Iteration, iterator: &mut dyn Any) -> Option<Vec<Value>> {
    let mut items = Vec::new();
    while let Some(item) = (iteration.next)(iterator) {
        items.push(item);
        if items.len() > MOST_ITEMS {
            return None;
        }
    }
    Some(items)
}

fn named<'v>(plan: &TypePlan, values: &'v [Value], name: &str) -> Option<&'v Value> {
    let at = plan.state.iter().position(|query| query.name == name)?;
    values.get(at)
}

fn text<'v>(plan: &TypePlan, values: &'v [Value]) -> Option<&'v str> {
    let mut names = ["as_str", "to_string"].iter();
    names.find_map(|name| match named(plan, values, name)? {
        Value::Str(text) => Some(text.as_str()),
        _ => None,
    })
}

/// The items of a sequence.
pub(super) fn items(value: &Value) -> Option<&[Value]> {
    match value {
        Value::Seq(items) => Some(items),
        _ => None,
    }
}

/// The key of an entry, or the item.
pub(super) fn key_of(item: &Value) -> &Value {
    match item {
        Value::Tuple(parts) => parts.first().unwrap_or(item),
        _ => item,
    }
}

/// The order of two values, if they mean themselves: digests have no order.
pub(super) fn order(a: &Value, b: &Value) -> Option<Ordering> {
    match (a, b) {
        (Value::Int(_), Value::Int(_))
        | (Value::Elem(_), Value::Elem(_))
        | (Value::Char(_), Value::Char(_))
        | (Value::Str(_), Value::Str(_)) => Some(a.cmp(b)),
        _ => None,
    }
}

/// What an operation takes after its receiver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Takes {
    Nothing,
    /// A plain value of this type.
    Plain(PlainEntry),
    Other,
}

/// A method of a type.
pub(super) struct Method<'w> {
    pub(super) op: OpId,
    /// The last part of its path.
    pub(super) name: &'w str,
    pub(super) mode: Mode,
    pub(super) takes: Takes,
    pub(super) entry: &'w OpEntry,
}

/// The methods of a type.
pub(super) fn methods(world: &World, ty: TypeId) -> impl Iterator<Item = Method<'_>> {
    let users = world.type_plan(ty).users.iter();
    users.filter_map(move |op| {
        let entry = world.op(*op);
        let mode = match entry.params.first()? {
            ParamEntry::Object { ty: of, mode } if *of == ty => *mode,
            _ => return None,
        };
        let takes = match &entry.params[1..] {
            [] => Takes::Nothing,
            [ParamEntry::Plain { key, .. }] => Takes::Plain(*key),
            _ => Takes::Other,
        };
        let name = entry.function();
        (entry.names.first() == Some(&"self")).then_some(Method {
            op: *op,
            name,
            mode,
            takes,
            entry,
        })
    })
}

/// The method of that name that is called like this on an object and takes nothing else.
pub(super) fn plain_method(world: &World, ty: TypeId, name: &str, mode: Mode) -> Option<OpId> {
    let is = |method: &Method<'_>| {
        method.name == name && method.mode == mode && method.takes == Takes::Nothing
    };
    methods(world, ty).find(is).map(|method| method.op)
}

/// The type of a position in a list.
pub(super) const POSITION: PlainEntry = PlainEntry::Integer(IntegerType::Usize);

/// Whether a value is passed as it is: a number that the type does not have becomes another one.
pub(super) fn is_in_range(value: &Value, key: PlainEntry) -> bool {
    match (value, key) {
        (Value::Int(number), PlainEntry::Integer(ty)) => ty.range().contains(number),
        (Value::Elem(_) | Value::Str(_) | Value::Char(_) | Value::Bool(_), _) => true,
        (Value::Seq(items), PlainEntry::List(item)) => {
            items.iter().all(|value| is_in_range(value, *item))
        }
        // An array of another length is not passed as it is, and numbers may be cut: of its items
        // only those count that nothing can change.
        (Value::Seq(items), PlainEntry::Array(..)) => {
            items.iter().all(|value| is_in_range(value, PlainEntry::Other("item")))
        }
        _ => false,
    }
}

/// Whether a value can be passed as what an operation takes.
pub(super) fn fits(value: &Value, key: PlainEntry) -> bool {
    match (value, key) {
        (Value::Elem(_), PlainEntry::Probe)
        | (Value::Int(_), PlainEntry::Integer(_))
        | (Value::Str(_), PlainEntry::Text)
        | (Value::Char(_), PlainEntry::Char)
        | (Value::Bool(_), PlainEntry::Bool) => true,
        (Value::Seq(items), PlainEntry::List(item)) => items.iter().all(|value| fits(value, *item)),
        (Value::Tuple(parts), PlainEntry::Tuple([x, y])) => {
            matches!(&parts[..], [a, b] if is_simple(*x) && fits(a, *x) && fits(b, *y))
        }
        _ => false,
    }
}

/// Whether a type has no pairs in it: laws are about keys, and keys of pairs are compared in ways
/// that differ from type to type.
fn is_simple(key: PlainEntry) -> bool {
    match key {
        PlainEntry::Tuple(_) => false,
        PlainEntry::List(item) => is_simple(*item),
        _ => true,
    }
}
