//! Looking at objects: the values of their queries, and the state that these are.

use std::{any::Any, cell::Cell, hash::Hasher as _, rc::Rc, time::Instant};

use gainsay_wire::{Digest, StateId, TypeId, Value, Wire};

use crate::{
    calibrate::Calibration,
    journal, panics,
    see::text_token,
    system,
    table::{QueryArg, TypeEntry},
    world::{Query, World},
};

/// The exact vector of an object's view values.
#[derive(Debug)]
pub(crate) struct State {
    pub(crate) id: StateId,
    pub(crate) ty: TypeId,
    pub(crate) values: Vec<Value>,
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

thread_local! {
    static OVERSIZE: Cell<bool> = const { Cell::new(false) };
}

/// Notes that a sequence was too long to be counted.
pub(crate) fn note_oversize() {
    OVERSIZE.set(true);
}

/// Looks at objects.
pub(crate) struct Viewer<'w> {
    world: &'w World,
    bytes: Vec<u8>,
    pub(crate) calibration: Option<Calibration>,
}

impl<'w> Viewer<'w> {
    pub(crate) fn new(world: &'w World, calibration: Option<Calibration>) -> Viewer<'w> {
        Viewer { world, bytes: Vec::new(), calibration }
    }

    /// The state of an object; `known` is shared when nothing changed.
    pub(crate) fn look(
        &mut self,
        ty: TypeId,
        object: &dyn Any,
        known: Option<&Rc<State>>,
    ) -> (Rc<State>, Size) {
        OVERSIZE.set(false);
        let begun = Instant::now();
        let values = match &mut self.calibration {
            None => state_values(self.world, ty, object),
            Some(calibration) => calibration.measure(self.world, ty, object),
        };
        let slow =
            begun.elapsed().as_millis() > u128::from(SLOW_VIEW_MILLIS) && self.is_slow(ty, object);
        let size = if slow || OVERSIZE.get() { Size::Unwieldy } else { Size::Handy };
        (self.state(ty, values, known), size)
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

    fn state(&mut self, ty: TypeId, values: Vec<Value>, known: Option<&Rc<State>>) -> Rc<State> {
        self.bytes.clear();
        for value in &values {
            value.put(&mut self.bytes);
        }
        let mut digest = Digest::new();
        digest.write(self.world.type_entry(ty).name.as_bytes());
        digest.write(&self.bytes);
        let id = StateId(digest.finish());
        match known {
            Some(known) if known.id == id => Rc::clone(known),
            _ => Rc::new(State { id, ty, values }),
        }
    }
}

/// The values of the queries that make up a state.
pub(crate) fn state_values(world: &World, ty: TypeId, object: &dyn Any) -> Vec<Value> {
    let entry = world.type_entry(ty);
    let queries = &world.type_plan(ty).state;
    queries.iter().map(|named| evaluate((ty, entry), named.query, object, QueryArg::None)).collect()
}

/// The value of one query; undefined when it panics.
pub(crate) fn evaluate(
    (ty, entry): (TypeId, &TypeEntry),
    query: Query,
    object: &dyn Any,
    with: QueryArg<'_>,
) -> Value {
    journal::look_by(ty, query.place(entry));
    let value = panics::catch(|| match query {
        Query::Entry(at) => (entry.queries[at].eval)(object, with),
        Query::Equal => match (entry.eq, with) {
            (Some(eq), QueryArg::Object(other)) => Value::Bool(eq(object, other)),
            _ => Value::Undefined,
        },
        Query::Debug => entry.debug.map_or(Value::Undefined, |debug| text_token(&debug(object))),
    });
    value.unwrap_or(Value::Undefined)
}

#[cfg(test)]
impl State {
    pub(crate) fn of_values(values: Vec<Value>) -> State {
        State { id: StateId(0), ty: TypeId(0), values }
    }
}
