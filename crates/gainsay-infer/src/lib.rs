//! Observations to contracts.
//!
//! Every template family has its file. Families speak about a table of distinct rows
//! and fill their templates as atoms: predicates with the set of rows where they hold. What
//! always holds is a candidate; what holds sometimes feeds implications and panic conditions.

mod atom;
mod bits;
mod boolean;
mod candidate;
mod cases;
mod chance;
mod change;
mod clamped;
mod column;
mod compared;
mod constant;
mod floor;
mod forms;
mod frame;
mod implication;
mod inside;
mod invariants;
mod linear;
mod lookup;
mod membership;
mod model;
pub mod numeric;
mod panics;
mod parallel;
mod readings;
mod relation;
mod result;
mod scene;
mod sentinel;
mod slice;
mod source;
mod states;
mod suppress;
mod table;
mod taken;
mod templates;
mod text;

#[cfg(test)]
mod tests;

use std::{collections::BTreeMap, num::NonZero};

use gainsay_model::contract::{Contract, ContractKind, Evidence};
use gainsay_wire::{ContractId, Expr, Manifest, Observation, OpId};

pub use invariants::{Invariant, invariants};
pub use sentinel::{Sentinel, sentinels};
pub use slice::preconditions_where;
pub use templates::templates;
pub use text::{implied_text, invariant_text, invariants_text, text};

use crate::{candidate::Candidate, scene::Scene, states::States, suppress::Few};

/// Observations by operation.
pub type Samples = BTreeMap<OpId, Vec<Observation>>;

/// How much is asked of a contract.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// The fewest distinct observations; 1 takes a given suite as it is, without a guard against
    /// chance.
    pub min_distinct: u64,
    /// The most contracts of one operation.
    pub max_per_op: usize,
    /// How many threads work at a time; all cores when it is not said.
    pub jobs: Option<NonZero<usize>>,
}

impl Default for Options {
    fn default() -> Options {
        Options { min_distinct: 5, max_per_op: 8, jobs: None }
    }
}

impl Options {
    /// Whether the observations are a given suite, all of which counts.
    pub(crate) fn is_given(&self) -> bool {
        self.min_distinct <= 1
    }

    /// The fewest distinct rows on which an implication must have been at risk.
    pub(crate) fn min_at_risk(&self) -> usize {
        usize::try_from(self.min_distinct.clamp(1, 3)).unwrap_or(3)
    }

    pub(crate) fn min_rows(&self) -> usize {
        usize::try_from(self.min_distinct).unwrap_or(usize::MAX)
    }
}

/// What was learnt.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Inferred {
    /// The contracts, by operation and strength; ids count from 1.
    pub contracts: Vec<Contract>,
    /// What follows from them and is not said.
    pub implied: Vec<Implied>,
    /// What each operation had to offer.
    pub tallies: BTreeMap<OpId, Tally>,
}

/// A clause that follows from a contract.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Implied {
    /// The operation.
    pub op: OpId,
    /// What it would have been.
    pub kind: ContractKind,
    /// The clause.
    pub expr: Expr,
    /// What it follows from.
    pub by: ContractId,
}

/// The numbers behind one operation's contracts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Distinct passing observations.
    pub distinct: u64,
    /// Contracts that were implied by others.
    pub suppressed: usize,
    /// Contracts beyond the most that an operation may have.
    pub capped: usize,
}

/// Learns contracts from observations.
pub fn infer(manifest: &Manifest, samples: &Samples, options: &Options) -> Inferred {
    let states = States::new(manifest, samples, options);
    let points: Vec<(OpId, &[Observation])> =
        samples.iter().map(|(op, observations)| (*op, &observations[..])).collect();
    let learn = |(op, observations): &(OpId, &[Observation])| {
        let scene = Scene::new(manifest, *op, observations, options, &states)?;
        let (few, tally) = of_operation(&scene, observations);
        Some((*op, few, tally))
    };
    let mut inferred = Inferred::default();
    for (op, few, tally) in parallel::map(&points, options.jobs, learn).into_iter().flatten() {
        inferred.tallies.insert(op, tally);
        inferred.add(op, few);
    }
    inferred
}

impl Inferred {
    fn add(&mut self, op: OpId, few: Few) {
        let first = self.contracts.len();
        for candidate in few.kept {
            let next = u32::try_from(self.contracts.len() + 1).unwrap_or(u32::MAX);
            self.contracts.push(candidate.into_contract(ContractId(next), op));
        }
        let said = &self.contracts[first..];
        let implied = few.implied.into_iter().filter_map(|(candidate, by)| {
            let by = said.iter().find(|contract| contract.expr == by)?.id;
            Some(Implied { op, kind: candidate.kind, expr: candidate.expr, by })
        });
        self.implied.extend(implied);
    }
}

fn of_operation(scene: &Scene<'_>, observations: &[Observation]) -> (Few, Tally) {
    let mut found = panics::candidates(scene, observations);
    if scene.table.rows >= scene.min_rows().max(1) {
        found.extend(panics::without_panics(at_entry(scene), &found, scene, observations));
        found.extend(at_exit(scene));
    }
    let all = found.len();
    let mut few = suppress::few_and_strong(scene, found);
    let suppressed = all - few.kept.len();
    let capped = few.kept.len().saturating_sub(scene.options.max_per_op);
    few.kept.truncate(scene.options.max_per_op);
    (few, Tally { distinct: scene.table.rows as u64, suppressed, capped })
}

/// What held before every passing call.
pub(crate) fn at_entry(scene: &Scene<'_>) -> Vec<Candidate> {
    let kind = ContractKind::Precondition;
    let mut found = boolean::candidates(scene, kind);
    found.extend(relation::at_entry(scene));
    found.extend(constant::candidates(scene, kind));
    found
}

/// What held after every passing call. Families that come first explain columns, and what is
/// explained need not be said again.
fn at_exit(scene: &Scene<'_>) -> Vec<Candidate> {
    let mut found = taken::candidates(scene);
    let models = model::candidates(scene);
    found.extend(models.found);
    found.extend(frame::candidates(scene));
    found.extend(change::candidates(scene));
    found.extend(compared::candidates(scene));
    found.extend(compared::variants(scene));
    found.extend(result::candidates(scene));
    found.extend(lookup::candidates(scene));
    found.extend(linear::candidates(scene));
    found.extend(inside::candidates(scene));
    found.extend(floor::candidates(scene));
    found.extend(relation::at_exit(scene));
    found.extend(boolean::candidates(scene, ContractKind::Postcondition));
    found.extend(constant::candidates(scene, ContractKind::Postcondition));
    found.extend(implication::candidates(scene, models.partial));
    found
}

impl Candidate {
    fn into_contract(self, id: ContractId, op: OpId) -> Contract {
        let evidence =
            Evidence { distinct: self.distinct, at_risk: self.at_risk, attacks: 0, again: 0 };
        Contract { id, op, kind: self.kind, expr: self.expr, evidence }
    }
}
