//! What the crate is known to promise, from a record of another run: in a measurement it stands for
//! the contracts that a programmer would have written. A passing call that breaks one is a fault.

use std::{collections::BTreeSet, path::Path};

use gainsay_engine::checks_of;
use gainsay_explore::{Broken, Identity, SubjectModel};
use gainsay_model::contract::{Contract, ContractKind};
use gainsay_wire::{
    Check, ContractId, KeptCall, Manifest, ManifestOp, Oracle, Point, Truth, Violation, expr_text,
    truth,
};

use super::recorded_contracts::{load_record, standing_contracts};

/// Of the contracts that a look finds broken, so many are judged.
const MOST: usize = 24;

/// Sets the numbers of promises apart from those of contracts that the run itself infers.
const OWN: u32 = 1 << 31;

/// Contracts that every passing call has to keep.
#[derive(Debug, Default)]
pub(super) struct Expected {
    checks: Vec<Check>,
}

impl Expected {
    /// Those of a `run.json`, as far as there are words for them. What was asked of callers is no
    /// promise.
    pub(super) fn load(path: &Path, manifest: &Manifest) -> anyhow::Result<Expected> {
        let contracts = standing_contracts(&load_record(path)?, manifest).into_iter();
        let promises = contracts.filter(|it| it.kind != ContractKind::Precondition);
        let own = promises.map(|it| Contract { id: ContractId(OWN | it.id.0), ..it });
        Ok(Expected { checks: checks_of(&own.collect::<Vec<_>>()) })
    }

    /// For workers.
    pub(super) fn checks(&self) -> Vec<Check> {
        self.checks.clone()
    }

    /// Which calls break what; for those that no worker held to anything.
    pub(super) fn broken_by(&self, manifest: &Manifest, calls: &[KeptCall]) -> Vec<Violation> {
        let mut found = Vec::new();
        for call in calls.iter().filter(|call| call.observation.outcome.returned()) {
            let seen = &call.observation;
            let vocabulary = manifest.vocabulary(seen.op);
            let own = self.checks.iter().filter(|check| check.op == seen.op);
            let broken =
                own.filter(|check| truth(&check.expr, &(&vocabulary, seen)) == Truth::False);
            found.extend(
                broken.map(|check| Violation { contract: check.contract, call: call.clone() }),
            );
        }
        found
    }

    /// What to judge: the shortest calls for each contract, those that are not known.
    pub(super) fn to_judge(
        &self,
        ground: &SubjectModel,
        mut violations: Vec<Violation>,
        is_known: impl Fn(&str) -> bool,
    ) -> Vec<Broken> {
        let manifest = ground.manifest();
        violations.sort_by_key(|violation| violation.call.recipe.steps.len());
        let mut told: BTreeSet<ContractId> = BTreeSet::new();
        violations.retain(|violation| told.insert(violation.contract));
        let all = violations.into_iter().filter_map(|it| self.broken(manifest, it));
        let id = |broken: &Broken| Identity::of(ground, &broken.oracle, broken.op).id();
        all.filter(|broken| !is_known(&id(broken))).take(MOST).collect()
    }

    fn broken(&self, manifest: &Manifest, violation: Violation) -> Option<Broken> {
        let check = self.checks.iter().find(|check| check.contract == violation.contract)?;
        let op = manifest.ops.get(check.op.0 as usize);
        let names = op.map(ManifestOp::operand_names).unwrap_or_default();
        let oracle = Oracle::Sentinel(expr_text(&check.expr, &names, Point::Exit));
        let (op, contract) = (check.op, check.expr.clone());
        Some(Broken { op, contract, oracle, recipe: violation.call.recipe })
    }
}
