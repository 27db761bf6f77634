//! Measuring queries before they are trusted: are they pure, do they panic, are they slow; and
//! which types share state. Only calibrating epochs do this.

use std::{
    any::Any,
    collections::{BTreeMap, BTreeSet},
    time::{Duration, Instant},
};

use gainsay_wire::{QueryStats, TypeId, Value};

use crate::{
    table::QueryArg,
    view::{evaluate, state_values},
    world::{EQUAL, Query, World},
};

/// Measurements of an epoch.
#[derive(Default)]
pub(crate) struct Calibration {
    stats: BTreeMap<(TypeId, &'static str), QueryStats>,
    sharing: BTreeSet<TypeId>,
}

const SLOW: Duration = Duration::from_millis(1);

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
        values
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

    pub(crate) fn into_report(self) -> (Vec<QueryStats>, Vec<TypeId>) {
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
        let begun = Instant::now();
        let first = evaluate((ty, entry), query, object, with);
        let took = begun.elapsed();
        let second = evaluate((ty, entry), query, object, with);
        let stats = self.stats_of(ty, name);
        stats.evaluated += 1;
        stats.panicked += u64::from(first.is_undefined());
        stats.impure += u64::from(first != second);
        stats.slow += u64::from(took > SLOW);
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
            evaluated: 0,
            panicked: 0,
            impure: 0,
            slow: 0,
        })
    }
}
