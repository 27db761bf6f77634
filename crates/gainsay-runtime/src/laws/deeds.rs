//! Laws about a call: what it left and told, by what it was given. No copy is needed for these.

use gainsay_wire::{
    Arg, LawId, ListCall, LookUp, Mode, OpId, PairComparison, Standing, TypeId, TypeWord, Value,
};

use super::{
    Law, Party, Rule, TOLD, Zeal,
    scene::{Looked, POSITION, fits, is_in_range, items, methods},
};
use crate::{
    execute::{Call, Machine},
    frame::{Cell, Frame, Operand},
    panics,
    table::{OpEntry, ParamEntry},
    view::State,
    world::World,
};

/// A call that returned, with its operands.
pub(super) struct Deed<'a> {
    world: &'a World,
    call: &'a Call,
    args: &'a [Arg],
    /// Where operands that are objects are now.
    cells: Vec<Option<&'a Cell>>,
}

/// Whether a law holds for a call.
pub(super) type DeedRule = dyn Fn(&Deed<'_>) -> Option<bool> + Send + Sync;

/// What is left of items after a call with plain values; `None` when it is not meant for them.
type Model = fn(&[Value], &[&Value]) -> Option<Vec<Value>>;

/// What commands do to a list.
const MODELS: [(ListCall, Model); 10] = [
    (ListCall::Push, |items, args| with(items, items.len(), args)),
    (ListCall::PushBack, |items, args| with(items, items.len(), args)),
    (ListCall::PushFront, |items, args| with(items, 0, args)),
    (ListCall::Insert, |items, args| with(items, position(args.first()?)?, args.get(1..)?)),
    (ListCall::Extend, |items, args| joined(items, args)),
    (ListCall::ExtendFromSlice, |items, args| joined(items, args)),
    (ListCall::Pop, |items, _| Some(items.split_last().map_or(&[][..], |(_, rest)| rest).to_vec())),
    (ListCall::PopBack, |items, _| {
        Some(items.split_last().map_or(&[][..], |(_, rest)| rest).to_vec())
    }),
    (ListCall::PopFront, |items, _| {
        Some(items.split_first().map_or(&[][..], |(_, rest)| rest).to_vec())
    }),
    (ListCall::Swap, |items, args| {
        let (a, b) = (position(args.first()?)?, position(args.get(1)?)?);
        let mut items = items.to_vec();
        (a.max(b) < items.len()).then(|| items.swap(a, b)).map(|()| items)
    }),
];

/// Methods that make room for so many more items.
const MAKING_ROOM: [&str; 2] = ["reserve", "reserve_exact"];

/// Methods of heaps and other queues.
const PEEKING: [&str; 3] = ["peek", "peek_mut", "into_sorted_vec"];

fn position(value: &Value) -> Option<usize> {
    usize::try_from(value.as_int()?).ok()
}

fn with(items: &[Value], at: usize, args: &[&Value]) -> Option<Vec<Value>> {
    let ([item], true) = (args, at <= items.len()) else { return None };
    let mut items = items.to_vec();
    items.insert(at, (*item).clone());
    Some(items)
}

fn joined(before: &[Value], args: &[&Value]) -> Option<Vec<Value>> {
    let [Value::Seq(more)] = args else { return None };
    Some(before.iter().chain(more).cloned().collect())
}

pub(super) fn laws(world: &World, ty: TypeId) -> Vec<Law> {
    let mut laws = Vec::new();
    // Who lets one peek has an order of its own: the next item need not be the last.
    let is_queue = methods(world, ty).any(|it| PEEKING.contains(&it.name));
    for method in methods(world, ty) {
        let (name, op) = (method.name, method.op);
        let is_plain = all_plain(&method.entry.params[1..]);
        let model = MODELS.iter().find(|(call, _)| call.word() == name && !is_queue).copied();
        if let (Some((call, model)), Mode::Mut, true) = (model, method.mode, is_plain) {
            let rule = move |deed: &Deed<'_>| deed.leaves(model);
            laws.push(law(LawId::DoesAsOnAList { call }, Standing::Guess, op, rule));
        }
        if let ("insert", Mode::Mut, true) = (name, method.mode, is_plain) {
            laws.extend(finds(world, ty, op, method.entry));
        }
        if MAKING_ROOM.contains(&name) && method.mode == Mode::Mut && is_plain {
            laws.push(law(
                LawId::MakesRoom { method: name.to_owned() },
                Standing::Convention,
                op,
                has_room,
            ));
        }
        if let ("append", Mode::Mut, [ParamEntry::Object { ty: other, mode: Mode::Mut }]) =
            (name, method.mode, &method.entry.params[1..])
            && *other == ty
        {
            laws.push(law(LawId::AppendJoinsBoth, Standing::Guess, op, joins));
            laws.push(law(LawId::AppendEmptiesTheOther, Standing::Guess, op, empties));
        }
        if let ("insert", Mode::Own, [ParamEntry::Plain { .. }]) =
            (name, method.mode, &method.entry.params[1..])
        {
            let id = LawId::InsertGivesWhatWasInserted;
            laws.push(law(id, Standing::Convention, op, gives_back));
        }
    }
    laws.extend(both_ways(world, ty));
    let mut names = std::collections::BTreeSet::new();
    laws.retain(|law| names.insert((law.id.clone(), law.blamed)));
    laws
}

pub(super) fn law(
    id: LawId,
    standing: Standing,
    op: OpId,
    rule: impl Fn(&Deed<'_>) -> Option<bool> + Send + Sync + 'static,
) -> Law {
    let effort = super::Effort::Much;
    Law { id, standing, effort, blamed: Some(op), rule: Rule::Deed(Box::new(rule)) }
}

fn all_plain(params: &[ParamEntry]) -> bool {
    params.iter().all(|param| matches!(param, ParamEntry::Plain { .. }))
}

/// What was put in is found by asking for it.
fn finds(world: &World, ty: TypeId, op: OpId, insert: &OpEntry) -> Vec<Law> {
    let [_, ParamEntry::Plain { key, .. }, ..] = insert.params[..] else { return Vec::new() };
    // A number may be a key or a position.
    if key == POSITION || insert.params.len() > 3 {
        return Vec::new();
    }
    let asked =
        if insert.params.len() == 3 { ["get", "contains_key"] } else { ["contains", "get"] };
    let queries = methods(world, ty).filter(|query| {
        let takes = matches!(query.entry.params[..],
            [_, ParamEntry::Plain { key: asked, .. }] if asked == key);
        asked.contains(&query.name) && query.mode == Mode::Ref && takes
    });
    let laws = queries.filter_map(|query| {
        let (id, query) =
            (LawId::FindsWhatInsertTook { query: LookUp::of_word(query.name)? }, query.op);
        Some(law(id, Standing::Guess, op, move |deed| deed.finds(query)))
    });
    laws.collect()
}

/// `a == b` and `b == a`, where the types differ; likewise order.
fn both_ways(world: &World, ty: TypeId) -> Vec<Law> {
    let mut laws = Vec::new();
    for op in &world.type_plan(ty).users {
        let entry = world.op(*op);
        let (name, [from, to]) = (entry.function(), pair(entry).unwrap_or([ty, ty]));
        // Once for each pair, since either may be to blame.
        let Some(comparison) = PairComparison::of_word(name) else { continue };
        if from != ty || to.0 <= ty.0 {
            continue;
        }
        let back = world.type_plan(to).users.iter().copied().find(|back| {
            let back = world.op(*back);
            back.function() == name && pair(back) == Some([to, ty])
        });
        laws.extend(back.map(|back| {
            let other = TypeWord(world.type_entry(to).base_name().to_owned());
            law(LawId::GoesBothWaysWith { comparison, other }, Standing::Trait, *op, move |deed| {
                deed.agrees(back)
            })
        }));
    }
    laws
}

fn pair(op: &OpEntry) -> Option<[TypeId; 2]> {
    match op.params[..] {
        [
            ParamEntry::Object { ty: a, mode: Mode::Ref },
            ParamEntry::Object { ty: b, mode: Mode::Ref },
        ] => Some([a, b]),
        _ => None,
    }
}

impl Deed<'_> {
    /// The first operand as it was, and what was made of it.
    pub(super) fn turned(&self) -> Option<(Looked<'_>, Looked<'_>)> {
        let [made] = &self.call.made[..] else { return None };
        let (before, after) = (self.call.slots.first()?.before.as_ref()?, made.state.as_ref()?);
        Some((Looked::of_state(self.world, before), Looked::of_state(self.world, after)))
    }

    /// The plain arguments, if each is passed as it is.
    fn plain(&self) -> Option<Vec<&Value>> {
        let params = self.world.op(self.call.op).params.iter();
        let plain = params.zip(self.args).filter_map(|operand| match operand {
            (ParamEntry::Plain { key, .. }, Arg::Plain(value)) => {
                Some(is_in_range(value, *key).then_some(value))
            }
            _ => None,
        });
        plain.collect()
    }

    fn seq<'s>(&self, state: Option<&'s std::rc::Rc<State>>) -> Option<&'s [Value]> {
        let state = state?;
        let queries = self.world.type_plan(state.ty).state.iter();
        let at = queries.clone().position(|query| query.name == "seq")?;
        items(state.values.get(at)?)
    }

    /// Whether the call went as it was meant to.
    fn succeeded(&self) -> bool {
        matches!(self.call.result, Value::Unit | Value::Res(true, _) | Value::Int(_))
    }

    fn leaves(&self, model: Model) -> Option<bool> {
        let slot = self.call.slots.first()?;
        let (before, after) = (self.seq(slot.before.as_ref())?, self.seq(slot.after.as_ref())?);
        let takes = self.world.op(self.call.op).function().starts_with("pop");
        if !takes && !self.succeeded() {
            return None;
        }
        let expected = model(before, &self.plain()?)?;
        let comparable = expected.len() != after.len()
            || expected.iter().zip(after).all(|(a, b)| a.kind() == b.kind());
        // Digests of references and of values differ.
        let is_exact = |item: &Value| !matches!(item, Value::Token(_) | Value::Object);
        (comparable && expected.iter().all(is_exact)).then(|| expected == after)
    }

    fn ask(&self, op: OpId, operands: &[Operand<'_>]) -> Option<Value> {
        let frame = Frame::new(operands);
        panics::catch(|| (self.world.op(op).call)(&frame)).ok()
    }

    fn finds(&self, query: OpId) -> Option<bool> {
        let refused = matches!(self.call.result, Value::Res(false, _));
        let args = self.plain()?;
        let (key, value) = (*args.first()?, args.get(1));
        let cell = (*self.cells.first()?).filter(|_| !refused)?;
        let state = self.call.slots.first()?.after.as_ref()?;
        // What has no room keeps nothing.
        let looked = Looked::of_state(self.world, state);
        if looked.len() == Some(0) {
            return None;
        }
        match (self.ask(query, &[Operand::Object(cell), Operand::Plain(key)])?, value) {
            (Value::Bool(found), _) => Some(found),
            (Value::Opt(None), _) => Some(false),
            (Value::Opt(Some(found)), Some(value)) => {
                (found.kind() == value.kind()).then(|| *found == **value)
            }
            (Value::Opt(Some(_)), None) => Some(true),
            _ => None,
        }
    }

    fn agrees(&self, back: OpId) -> Option<bool> {
        let [Some(a), Some(b)] = self.cells[..] else { return None };
        let there = &self.call.result;
        match (there, self.ask(back, &[Operand::Object(b), Operand::Object(a)])?) {
            (Value::Bool(there), Value::Bool(back)) => Some(*there == back),
            (Value::Opt(there), Value::Opt(back)) => {
                let order = |order: &Option<Box<Value>>| match order.as_deref() {
                    Some(Value::Order(order)) => Some(*order),
                    _ => None,
                };
                Some(order(there) == order(&back).map(std::cmp::Ordering::reverse))
            }
            _ => None,
        }
    }
}

/// What was appended stands after what was there.
fn joins(deed: &Deed<'_>) -> Option<bool> {
    let [one, other] = &deed.call.slots[..] else { return None };
    let (before, after) = (deed.seq(one.before.as_ref())?, deed.seq(one.after.as_ref())?);
    let more = deed.seq(other.before.as_ref())?;
    // Where one is empty, a set and a list do the same.
    let says = !before.is_empty() && !more.is_empty();
    says.then(|| before.iter().chain(more).eq(after))
}

fn empties(deed: &Deed<'_>) -> Option<bool> {
    let other = deed.call.slots.get(1)?;
    let is_empty = |state| deed.seq(state).map(<[Value]>::is_empty);
    (!is_empty(other.before.as_ref())?).then_some(())?;
    is_empty(other.after.as_ref())
}

/// There is room for what was asked for, beside what is there as far as the type counts that; what
/// is more than can be counted was to be refused.
fn has_room(deed: &Deed<'_>) -> Option<bool> {
    let slot = deed.call.slots.first()?;
    let [asked] = deed.plain()?[..] else { return None };
    let before = Looked::of_state(deed.world, slot.before.as_ref()?);
    let after = Looked::of_state(deed.world, slot.after.as_ref()?);
    let asked = asked.as_int()?;
    let countable = i128::try_from(usize::MAX).unwrap_or(i128::MAX);
    let holds = before.len()? + asked <= countable && asked <= after.capacity()?;
    deed.succeeded().then_some(holds)
}

/// A reference to what was put in shows it.
fn gives_back(deed: &Deed<'_>) -> Option<bool> {
    let given = *deed.plain()?.first()?;
    let told = match &deed.call.result {
        Value::Res(true, told) => told,
        told => told,
    };
    let ParamEntry::Plain { key, .. } = deed.world.op(deed.call.op).params.get(1)? else {
        return None;
    };
    (told.kind() == given.kind() && fits(given, *key)).then(|| told == given)
}

impl Machine<'_> {
    /// Laws about the call itself.
    pub(super) fn check_deed(&mut self, call: &mut Call) {
        let Some(slot) = call.slots.first().filter(|slot| slot.object.is_some()) else { return };
        let (ty, world) = (slot.ty, self.world);
        let is_broken = slot.object.is_some_and(|object| {
            self.laws.zeal == Zeal::Sampling && self.pool.get(object).broken.contains(&TOLD)
        });
        if is_broken {
            return;
        }
        let about = |law: &Law| law.blamed == Some(call.op) && matches!(law.rule, Rule::Deed(_));
        if !world.laws(ty).iter().any(about) {
            return;
        }
        let cells = call.slots.iter();
        let cells = cells.map(|slot| slot.object.map(|object| &self.pool.get(object).cell));
        let args = &self.log.step(call.step).args;
        let deed = Deed { world, call, args, cells: cells.collect() };
        let judged: Vec<(usize, bool)> = world
            .laws(ty)
            .iter()
            .enumerate()
            .filter(|(_, law)| about(law))
            .filter_map(|(at, law)| match &law.rule {
                Rule::Deed(rule) => Some((at, panics::catch(|| rule(&deed)).ok()??)),
                _ => None,
            })
            .collect();
        let both =
            (call.slots.len() > 1 && call.slots[1].object.is_some()).then_some(Party::Operand(1));
        for (law, holds) in judged {
            let on = (Party::Operand(0), [both, None]);
            let checked = super::Breach { ty, law, on };
            self.laws.judge(world, checked, holds, &mut call.laws);
        }
    }
}
