//! What is left of a plan when units that rustc rejected are taken out, and with them all that
//! can no longer be named or called.

use std::collections::{BTreeMap, BTreeSet};

use gainsay_model::{
    api::Lending,
    skip::{Skip, SkipReason},
};
use serde::{Deserialize, Serialize};

use crate::plan::{Pass, Plan, PlannedOp};

/// A piece of generated code that can be taken out on its own. Numbers are those of the plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) enum Unit {
    /// The name of a pool type.
    Type(usize),
    /// What a pool type can do: clone, compare, hash, print.
    Abilities(usize),
    /// An operation.
    Op(usize),
    /// A view: type, and number among the type's views.
    Query(usize, usize),
    /// No code of its own: an operation that is in, in the form that lends its operands.
    Lent(usize),
}

/// Units that are out, each with rustc's message.
pub(crate) type Pruned = BTreeMap<Unit, String>;

/// The living part of a plan, all numbers those of the plan.
#[derive(Clone, Debug)]
pub(crate) struct Live<'a> {
    pub(crate) plan: &'a Plan,
    /// Types in table order.
    pub(crate) types: Vec<usize>,
    /// Operations in table order.
    pub(crate) ops: Vec<usize>,
    /// Types whose abilities are known.
    pub(crate) able: BTreeSet<usize>,
    /// Operations that lend although their signature does not tell.
    lent: BTreeSet<usize>,
    /// Views of each living type, in table order.
    pub(crate) queries: BTreeMap<usize, Vec<usize>>,
    /// Why operations are not among the living.
    pub(crate) skips: Vec<Skip>,
}

impl<'a> Live<'a> {
    /// Takes `pruned` out of `plan`.
    pub(crate) fn new(plan: &'a Plan, pruned: &Pruned) -> Live<'a> {
        let mut sieve = Sieve::new(plan, pruned);
        sieve.reach();
        let types: Vec<usize> = sieve.types.iter().copied().collect();
        let able = types.iter().filter(|ty| !pruned.contains_key(&Unit::Abilities(**ty)));
        let able = able.copied().collect();
        let queries = types.iter().map(|&ty| (ty, live_queries(plan, pruned, &sieve.types, ty)));
        let queries = queries.collect();
        let lent = pruned.keys().filter_map(|unit| match unit {
            Unit::Lent(op) => Some(*op),
            _ => None,
        });
        let lent = lent.collect();
        Live { plan, types, ops: sieve.ops, able, lent, queries, skips: sieve.skips }
    }

    /// What the objects that an operation makes may borrow from.
    pub(crate) fn lending(&self, op: usize) -> Lending {
        if self.lent.contains(&op) { Lending::Operands } else { self.plan.ops[op].lending }
    }

    /// The type's index in the harness's table.
    pub(crate) fn type_id(&self, ty: usize) -> usize {
        self.types.binary_search(&ty).expect("living units name living types only")
    }

    /// All units that are in the generated code.
    pub(crate) fn units(&self) -> Vec<Unit> {
        let types = self.types.iter().map(|&ty| Unit::Type(ty));
        let able = self.able.iter().map(|&ty| Unit::Abilities(ty));
        let ops = self.ops.iter().map(|&op| Unit::Op(op));
        let queries = self.queries.iter();
        let queries =
            queries.flat_map(|(&ty, all)| all.iter().map(move |&query| Unit::Query(ty, query)));
        types.chain(able).chain(ops).chain(queries).collect()
    }
}

struct Sieve<'a> {
    plan: &'a Plan,
    types: BTreeSet<usize>,
    ops: Vec<usize>,
    skips: Vec<Skip>,
}

impl<'a> Sieve<'a> {
    fn new(plan: &'a Plan, pruned: &Pruned) -> Self {
        let mut ops = Vec::new();
        let mut skips = Vec::new();
        for (number, op) in plan.ops.iter().enumerate() {
            match rejection(op, number, pruned) {
                None => ops.push(number),
                Some(detail) => skips.extend(skip(op, SkipReason::DoesNotCompile, detail)),
            }
        }
        let types = 0..plan.types.len();
        let types = types.filter(|&ty| !pruned.contains_key(&Unit::Type(ty))).collect();
        Sieve { plan, types, ops, skips }
    }

    /// Keeps what can be called at all: an operation needs objects that another can make.
    fn reach(&mut self) {
        let mut made: BTreeSet<usize> = BTreeSet::new();
        loop {
            let callable = self.ops.iter().map(|&op| &self.plan.ops[op]);
            let callable = callable.filter(|op| op.needs().all(|ty| made.contains(&ty)));
            let more: BTreeSet<usize> =
                callable.flat_map(|op| op.makes.iter().map(|(ty, _)| *ty)).collect();
            if more.is_subset(&made) {
                break;
            }
            made.extend(more);
        }
        let (ops, lost): (Vec<usize>, Vec<usize>) = std::mem::take(&mut self.ops)
            .into_iter()
            .partition(|&op| self.plan.ops[op].needs().all(|ty| made.contains(&ty)));
        for op in lost.into_iter().map(|op| &self.plan.ops[op]) {
            let missing = op.needs().find(|ty| !made.contains(ty));
            let detail = missing.map(|ty| self.plan.types[ty].ty.to_string()).unwrap_or_default();
            self.skips.extend(skip(op, SkipReason::NoOrigin, detail));
        }
        let mentioned: BTreeSet<usize> =
            ops.iter().flat_map(|&op| self.plan.ops[op].mentions()).collect();
        self.types.retain(|ty| mentioned.contains(ty));
        self.ops = ops;
    }
}

/// rustc's message on the operation or on a type that it names.
fn rejection(op: &PlannedOp, number: usize, pruned: &Pruned) -> Option<String> {
    let own = pruned.get(&Unit::Op(number)).cloned();
    own.or_else(|| op.mentions().find_map(|ty| pruned.get(&Unit::Type(ty)).cloned()))
}

/// The built-in drop is no callable of the subject: its loss is not counted.
fn skip(op: &PlannedOp, reason: SkipReason, detail: String) -> Option<Skip> {
    op.api.map(|_| Skip { operation: op.path.clone(), reason, detail })
}

fn live_queries(plan: &Plan, pruned: &Pruned, types: &BTreeSet<usize>, ty: usize) -> Vec<usize> {
    let queries = plan.types[ty].queries.iter().enumerate();
    let alive = queries.filter(|(number, query)| {
        let arg = match query.arg() {
            Some(Pass::Object { ty, .. }) => Some(ty),
            _ => None,
        };
        !pruned.contains_key(&Unit::Query(ty, *number)) && arg.is_none_or(|ty| types.contains(ty))
    });
    alive.map(|(number, _)| number).collect()
}
