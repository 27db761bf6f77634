//! Measuring queries before they are trusted: are they pure, do they panic, are they slow, do they
//! tell anything that others do not; and which types share state. Only calibrating epochs do this.

use std::{
    any::Any,
    collections::{BTreeMap, BTreeSet},
    time::{Duration, Instant},
};

use gainsay_wire::{Digest, QueryStats, TypeId, Value, to_bytes};

use crate::{
    panics,
    table::{QueryArg, TypeEntry},
    view::{evaluate, state_values},
    world::{EQUAL, NamedQuery, Query, World},
};

/// Measurements of an epoch.
#[derive(Default)]
pub(crate) struct Calibration {
    stats: BTreeMap<(TypeId, &'static str), QueryStats>,
    /// Different values of each query, as digests and up to a few.
    seen: BTreeMap<(TypeId, &'static str), BTreeSet<u64>>,
    /// Of each type, the pairs of queries whose values differed at least once.
    apart: BTreeMap<TypeId, BTreeSet<(usize, usize)>>,
    sharing: BTreeSet<TypeId>,
}

const SLOW: Duration = Duration::from_millis(1);
/// The fastest of so many evaluations counts: a busy machine is no property of a query.
const TIMED: usize = 4;
/// More different values of a query are not counted.
const MOST_DISTINCT: usize = 16;

impl Calibration {
    /// The values of a state, each query measured.
    pub(crate) fn measure(&mut self, world: &World, ty: TypeId, object: &dyn Any) -> Vec<Value> {
        let queries = &world.type_plan(ty).state;
        let values: Vec<Value> = queries
            .iter()
            .map(|named| self.twice(world, ty, (named.name, named.query), object, QueryArg::None))
            .collect();
        if state_values(world, ty, object) != values {
            self.find_culprits(world, ty, object, &values);
        }
        self.compare(ty, queries, &values);
        values
    }

    /// Notes which queries said different things of one object, and how much each has to tell.
    fn compare(&mut self, ty: TypeId, queries: &[NamedQuery], values: &[Value]) {
        let apart = self.apart.entry(ty).or_default();
        for (later, value) in values.iter().enumerate() {
            let others = values[..later].iter().enumerate();
            let differing = others.filter(|(_, other)| *other != value || is_simple(value));
            apart.extend(differing.map(|(earlier, _)| (earlier, later)));
        }
        for (named, value) in queries.iter().zip(values) {
            let seen = self.seen.entry((ty, named.name)).or_default();
            if seen.len() < MOST_DISTINCT {
                seen.insert(Digest::of_bytes(&to_bytes(value)));
            }
        }
    }

    /// The value of a query with an argument, measured.
    pub(crate) fn measure_relation(
        &mut self,
        world: &World,
        ty: TypeId,
        query: Query,
        object: &dyn Any,
        with: QueryArg<'_>,
    ) -> Value {
        let name = match query {
            Query::Entry(at) => world.type_entry(ty).queries[at].name,
            Query::Equal | Query::Debug => EQUAL,
        };
        let before = state_values(world, ty, object);
        let value = self.twice(world, ty, (name, query), object, with);
        if state_values(world, ty, object) != before && !self.has_impure(ty) {
            self.stats_of(ty, name).impure += 1;
        }
        value
    }

    /// Notes that an object's state differs though no call had it as an operand.
    pub(crate) fn note_remote_change(&mut self, ty: TypeId) {
        if !self.has_impure(ty) {
            self.sharing.insert(ty);
        }
    }

    pub(crate) fn into_report(mut self, world: &World) -> (Vec<QueryStats>, Vec<TypeId>) {
        for ((ty, name), seen) in &self.seen {
            if let Some(stats) = self.stats.get_mut(&(*ty, *name)) {
                stats.distinct = seen.len() as u64;
            }
        }
        for (ty, apart) in &self.apart {
            let queries = &world.type_plan(*ty).state;
            for (later, named) in queries.iter().enumerate() {
                let same = (0..later).filter(|earlier| !apart.contains(&(*earlier, later)));
                let names = same.map(|earlier| queries[earlier].name.to_owned()).collect();
                if let Some(stats) = self.stats.get_mut(&(*ty, named.name)) {
                    stats.repeats = names;
                }
            }
        }
        (self.stats.into_values().collect(), self.sharing.into_iter().collect())
    }

    fn twice(
        &mut self,
        world: &World,
        ty: TypeId,
        (name, query): (&'static str, Query),
        object: &dyn Any,
        with: QueryArg<'_>,
    ) -> Value {
        let entry = world.type_entry(ty);
        let ask = || evaluate((ty, entry), query, object, with);
        let (first, took) = timed(ask);
        let (second, again) = timed(ask);
        let slow = took.min(again) > SLOW && (2..TIMED).all(|_| timed(ask).1 > SLOW);
        let panicked = first.is_undefined() && panics(entry, query, object, with);
        let stats = self.stats_of(ty, name);
        stats.evaluated += 1;
        stats.panicked += u64::from(panicked);
        stats.impure += u64::from(first != second);
        stats.slow += u64::from(slow);
        stats.blank += u64::from(!panicked && is_blank(&first));
        first
    }

    /// Something changed though every query gave the same answer twice: blames the queries after
    /// which others differ, or, when there is none, those that differ by themselves.
    fn find_culprits(&mut self, world: &World, ty: TypeId, object: &dyn Any, seen: &[Value]) {
        let entry = world.type_entry(ty);
        let ask = |query| evaluate((ty, entry), query, object, QueryArg::None);
        let queries = &world.type_plan(ty).state;
        let disturbs = |suspect: Query| {
            queries.iter().filter(|other| other.query != suspect).any(|other| {
                let before = ask(other.query);
                ask(suspect);
                let after = ask(other.query);
                before != after && ask(other.query) == after
            })
        };
        let mut culprits: Vec<&'static str> =
            queries.iter().filter(|named| disturbs(named.query)).map(|named| named.name).collect();
        if culprits.is_empty() {
            let differs =
                queries.iter().zip(seen).filter(|(named, seen)| ask(named.query) != **seen);
            culprits = differs.map(|(named, _)| named.name).collect();
        }
        for name in culprits {
            self.stats_of(ty, name).impure += 1;
        }
    }

    fn has_impure(&self, ty: TypeId) -> bool {
        self.stats.iter().any(|((of, _), stats)| *of == ty && stats.impure > 0)
    }

    fn stats_of(&mut self, ty: TypeId, name: &'static str) -> &mut QueryStats {
        self.stats.entry((ty, name)).or_insert_with(|| QueryStats {
            ty,
            name: name.to_owned(),
            ..QueryStats::default()
        })
    }
}

fn timed(ask: impl Fn() -> Value) -> (Value, Duration) {
    let begun = Instant::now();
    let value = ask();
    (value, begun.elapsed())
}

/// Whether the query panics; a view tells this from other ways to have no value.
fn panics(entry: &TypeEntry, query: Query, object: &dyn Any, with: QueryArg<'_>) -> bool {
    let call = || match (query, entry.eq, with) {
        (Query::Entry(at), ..) => drop((entry.queries[at].eval)(object, with)),
        (Query::Equal, Some(eq), QueryArg::Object(other)) => _ = eq(object, other),
        (Query::Debug, ..) => drop(entry.debug.map(|debug| debug(object))),
        (Query::Equal, ..) => {}
    };
    panics::catch(call).is_err()
}

/// Whether nothing can be seen of a value.
fn is_blank(value: &Value) -> bool {
    match value {
        Value::Undefined | Value::Object => true,
        Value::Opt(Some(inside)) => is_blank(inside),
        _ => false,
    }
}

/// What costs nothing to say twice: two numbers that always agree are worth a contract.
fn is_simple(value: &Value) -> bool {
    match value {
        Value::Str(_) | Value::Seq(_) | Value::Tuple(_) | Value::Token(_) => false,
        Value::Opt(Some(inside)) | Value::Res(_, inside) => is_simple(inside),
        _ => true,
    }
}
