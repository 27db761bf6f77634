//! Looking at objects: the values of their queries, and the state that these are.

use std::{
    any::Any,
    cell::Cell,
    collections::HashMap,
    hash::{BuildHasherDefault, Hash as _, Hasher as _},
    rc::Rc,
};

use gainsay_wire::{AsIs, Mix, StateId, TypeId, Value, coarse_value_key};

use crate::{
    calibrate::Calibration,
    guard, journal, panics,
    see::{self, text_token},
    system,
    table::{QueryArg, TypeEntry},
    world::{Query, World},
};

/// The exact vector of an object's view values.
#[derive(Debug)]
pub(crate) struct State {
    pub(crate) id: StateId,
    pub(crate) ty: TypeId,
    /// What it looks like from afar: see [`coarse_value_key`].
    pub(crate) shade: u64,
    pub(crate) values: Vec<Value>,
    /// Whether an object that looked like this kept all laws.
    pub(crate) lawful: Cell<bool>,
    /// Whether laws were checked on an object that looked like this.
    pub(crate) judged: Cell<bool>,
}

/// Whether an object can be looked at again and again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Size {
    Handy,
    /// Too large or too slow to look at: it would eat the whole run.
    Unwieldy,
}

/// A view that takes longer makes its object unwieldy.
const SLOW_VIEW_MILLIS: u64 = 20;
/// As many ticks of the watchdog may be such a view.
const SLOW_VIEW_TICKS: u64 = 1;

thread_local! {
    static OVERSIZE: Cell<bool> = const { Cell::new(false) };
}

thread_local! {
    static EFFORT: Cell<u32> = const { Cell::new(0) };
}

/// Notes an item of a long sequence.
pub(crate) fn note_effort() {
    EFFORT.set(EFFORT.get().saturating_add(1));
}

/// How many items of long sequences were looked at since the last question: what looking costs,
/// told by something that is the same on every machine.
pub(crate) fn take_effort() -> u32 {
    EFFORT.replace(0)
}

/// Notes that a sequence was too long to be counted.
pub(crate) fn note_oversize() {
    OVERSIZE.set(true);
}

/// Looks at objects.
pub(crate) struct Viewer<'w> {
    world: &'w World,
    /// Room for the values of the object that is being looked at.
    values: Vec<Value>,
    /// The states of this epoch: most objects look like one that was seen before.
    states: HashMap<u64, Rc<State>, BuildHasherDefault<AsIs>>,
    pub(crate) calibration: Option<Calibration>,
}

impl<'w> Viewer<'w> {
    pub(crate) fn new(world: &'w World, calibration: Option<Calibration>) -> Viewer<'w> {
        Viewer { world, values: Vec::new(), states: HashMap::default(), calibration }
    }

    /// The state of an object; `known` is shared when nothing changed.
    pub(crate) fn look(
        &mut self,
        ty: TypeId,
        object: &dyn Any,
        known: Option<&Rc<State>>,
    ) -> (Rc<State>, Size) {
        OVERSIZE.set(false);
        let begun = guard::ticks();
        match &mut self.calibration {
            None => {
                see::recycle(&mut self.values);
                fill(self.world, ty, object, &mut self.values);
            }
            Some(calibration) => self.values = calibration.measure(self.world, ty, object),
        }
        let slow = guard::ticks() - begun > SLOW_VIEW_TICKS && self.is_slow(ty, object);
        let size = if slow || OVERSIZE.get() { Size::Unwieldy } else { Size::Handy };
        (self.state(ty, known), size)
    }

    /// The value of a query with an argument.
    pub(crate) fn relation(
        &mut self,
        ty: TypeId,
        query: Query,
        object: &dyn Any,
        with: QueryArg<'_>,
    ) -> Value {
        match &mut self.calibration {
            None => evaluate((ty, self.world.type_entry(ty)), query, object, with),
            Some(calibration) => calibration.measure_relation(self.world, ty, query, object, with),
        }
    }

    /// Wall time is only a hint, since the machine may be busy with others: what counts is
    /// processor time, twice.
    fn is_slow(&self, ty: TypeId, object: &dyn Any) -> bool {
        (0..2).all(|_| {
            let begun = system::thread_millis();
            state_values(self.world, ty, object);
            system::thread_millis() - begun > SLOW_VIEW_MILLIS
        })
    }

    fn state(&mut self, ty: TypeId, known: Option<&Rc<State>>) -> Rc<State> {
        let mut digest = Mix::new();
        digest.mix_word(self.world.type_plan(ty).digest);
        for value in &self.values {
            value.hash(&mut digest);
        }
        let id = StateId(digest.finish());
        if let Some(known) = known.filter(|known| known.id == id) {
            return Rc::clone(known);
        }
        let values = &mut self.values;
        let state = self.states.entry(id.0).or_insert_with(|| {
            let values = std::mem::take(values);
            let mut digest = Mix::new();
            for value in &values {
                digest.mix_word(coarse_value_key(value));
            }
            Rc::new(State {
                id,
                ty,
                shade: digest.finish(),
                values,
                lawful: Cell::new(false),
                judged: Cell::new(false),
            })
        });
        Rc::clone(state)
    }
}

/// The values of the queries that make up a state.
pub(crate) fn state_values(world: &World, ty: TypeId, object: &dyn Any) -> Vec<Value> {
    let mut values = Vec::new();
    fill(world, ty, object, &mut values);
    values
}

/// Evaluates the queries that make up a state, one after the other; one that panics has no value.
fn fill(world: &World, ty: TypeId, object: &dyn Any, values: &mut Vec<Value>) {
    let entry = world.type_entry(ty);
    let queries = &world.type_plan(ty).state;
    values.reserve(queries.len());
    while values.len() < queries.len() {
        let rest = &queries[values.len()..];
        let done = panics::catch(|| {
            for named in rest {
                journal::look_by(ty, named.query.place(entry));
                values.push(ask(entry, named.query, object, QueryArg::None));
            }
        });
        if done.is_err() {
            values.push(Value::Undefined);
        }
    }
}

/// The value of one query; undefined when it panics.
pub(crate) fn evaluate(
    (ty, entry): (TypeId, &TypeEntry),
    query: Query,
    object: &dyn Any,
    with: QueryArg<'_>,
) -> Value {
    journal::look_by(ty, query.place(entry));
    panics::catch(|| ask(entry, query, object, with)).unwrap_or(Value::Undefined)
}

fn ask(entry: &TypeEntry, query: Query, object: &dyn Any, with: QueryArg<'_>) -> Value {
    match query {
        Query::Entry(at) => (entry.queries[at].eval)(object, with),
        Query::Equal => match (entry.eq, with) {
            (Some(eq), QueryArg::Object(other)) => Value::Bool(eq(object, other)),
            _ => Value::Undefined,
        },
        Query::Debug => entry.debug.map_or(Value::Undefined, |debug| text_token(&debug(object))),
    }
}

#[cfg(test)]
impl State {
    pub(crate) fn of_values(values: Vec<Value>) -> State {
        State {
            id: StateId(0),
            ty: TypeId(0),
            shade: 0,
            values,
            lawful: Cell::new(false),
            judged: Cell::new(false),
        }
    }
}
