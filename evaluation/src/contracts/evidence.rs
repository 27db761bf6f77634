//! What a run saw and what it showed, read from its store and its record.

use std::{collections::BTreeMap, path::Path};

use anyhow::Context as _;
use gainsay_model::contract::ContractKind;
use gainsay_report::{ContractRecord, RunRecord, TypeViews, VerdictRecord};
use gainsay_store::Store;
use gainsay_wire::{
    Expr, Manifest, Names, Observation, OpId, Point, Term, TypeId, Vocabulary, When, parse_expr,
};

use super::kinds::objects;

/// All of a run that is needed to judge its contracts.
pub(super) struct Evidence {
    pub(super) manifest: Manifest,
    pub(super) samples: BTreeMap<OpId, Vec<Observation>>,
    contracts: Vec<ContractRecord>,
    types: Vec<TypeViews>,
}

/// A contract that was shown and not refuted.
#[derive(Clone, Debug)]
pub(super) struct Shown {
    pub(super) kind: ContractKind,
    pub(super) text: String,
    pub(super) expr: Expr,
    /// Whether a precondition is one whose violation panics.
    pub(super) is_real: bool,
}

/// One operation: what was seen of it and what was said about it.
pub(super) struct Case<'a> {
    pub(super) op: OpId,
    pub(super) names: Names,
    pub(super) vocabulary: Vocabulary,
    pub(super) seen: &'a [Observation],
    pub(super) shown: Vec<Shown>,
    /// The type invariants that were shown, said of each object of the call before and after it.
    pub(super) invariants: Vec<Expr>,
}

impl Evidence {
    /// Reads the results directory of a run.
    pub(super) fn load(dir: &Path) -> anyhow::Result<Evidence> {
        let record = RunRecord::load(dir)?;
        let path = dir.join("store.sqlite");
        let mut store = Store::open(&path)?;
        store.resume_campaign().with_context(|| format!("in `{}`", path.display()))?;
        let (manifest, samples) =
            (store.manifest()?.clone(), store.read_samples()?.into_observations());
        let (contracts, types) = (record.contracts, record.summary.types);
        Ok(Evidence { manifest, samples, contracts, types })
    }

    /// The operation of a path. Of several instantiations the one that contracts speak of, since
    /// one stands for all of them.
    pub(super) fn case(&self, path: &str) -> Option<Case<'_>> {
        let ops = self.manifest.ops.iter().enumerate().filter(|(_, op)| is_path(&op.name, path));
        let said = |name: &str| self.contracts.iter().any(|known| known.operation == name);
        let rank = |(i, name): (usize, &str)| {
            let op = OpId(u32::try_from(i).unwrap_or(u32::MAX));
            (!said(name), !self.samples.contains_key(&op), i)
        };
        let (i, op) = ops.min_by_key(|(i, op)| rank((*i, &op.name)))?;
        let (id, names) = (OpId(u32::try_from(i).ok()?), op.operand_names());
        let standing = self.contracts.iter().filter(|known| known.operation == op.name);
        Some(Case {
            op: id,
            vocabulary: self.manifest.vocabulary(id),
            seen: self.samples.get(&id).map_or(&[], Vec::as_slice),
            shown: standing.filter_map(|known| shown(known, &names)).collect(),
            invariants: self.invariants(id),
            names,
        })
    }

    fn invariants(&self, op: OpId) -> Vec<Expr> {
        let said = objects(&self.manifest, op).into_iter().flat_map(|(ty, root)| {
            let facts = self.facts(ty);
            let moments = [When::Before, When::After].into_iter();
            moments
                .flat_map(move |when| facts.clone().into_iter().map(move |fact| (fact, when)))
                .map(move |(fact, when)| {
                    fact.map_terms(&|term| Term { root, when, ..term.clone() })
                })
        });
        said.collect()
    }

    /// What was shown to be true of all objects of a type.
    fn facts(&self, ty: TypeId) -> Vec<Expr> {
        let known = self.manifest.types.get(ty.0 as usize);
        let views = known.and_then(|ty| self.types.iter().find(|views| views.r#type == ty.name));
        let names = Names::new([("self".to_owned(), true)]);
        let facts = views.into_iter().flat_map(|views| &views.invariants);
        facts.filter_map(|fact| parse_expr(&fact.text, &names, Point::Entry).ok()).collect()
    }
}

fn shown(record: &ContractRecord, names: &Names) -> Option<Shown> {
    if let VerdictRecord::Refuted { .. } = record.verdict {
        return None;
    }
    Some(Shown {
        kind: record.kind,
        text: format!("{} {}", record.kind.keyword(), record.text),
        expr: parse_expr(&record.text, names, record.kind.point()).ok()?,
        is_real: matches!(record.verdict, VerdictRecord::RealPrecondition { .. }),
    })
}

/// Whether an operation's name is the path, or the path with the type it was tested on.
fn is_path(name: &str, path: &str) -> bool {
    name.strip_prefix(path).is_some_and(|rest| rest.is_empty() || rest.starts_with(" for "))
}

#[cfg(test)]
mod tests {
    use super::is_path;

    #[test]
    fn an_operation_is_known_by_its_path_whatever_type_it_was_tested_on() {
        assert!(is_path("A::get", "A::get") && is_path("A::get for a::A<u8>", "A::get"));
        assert!(!is_path("A::get_mut", "A::get") && !is_path("A::get", "A::get_mut"));
    }
}
