//! What a subject offers, callable by callable: the one place where it is decided which of them is
//! harnessed and which is skipped, so that lists and counts cannot differ.

use std::collections::{BTreeMap, BTreeSet};

use gainsay_model::{
    api::{Api, OpKind, Operation, PublicCallable, Safety},
    features::Extra,
    skip::{Skip, SkipReason},
    ty::Ty,
};
use serde::{Deserialize, Serialize};

use crate::summary::{SkipEntry, SubjectName, beyond_default};

/// The version of the format of `cargo gainsay list --format json`.
const VERSION: u32 = 1;

/// What became of an [`Api`] in the harness.
#[derive(Clone, Debug, Default)]
pub struct Built {
    /// Operations that the harness can call, as indices into [`Api::operations`].
    pub operations: BTreeSet<usize>,
    /// What rustc or the plan refused.
    pub skips: Vec<Skip>,
}

/// All that a subject offers; `docs/list-json.md` tells every field.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Catalogue {
    version: u32,
    /// The crate.
    pub subject: SubjectName,
    /// Features beyond the default ones: what is on, asked for or not, and what is not.
    #[serde(default)]
    pub features: Extra,
    /// Public safe callables before any skip.
    pub public: u64,
    /// Public unsafe callables.
    pub r#unsafe: u64,
    /// Of the safe ones, those that can be called.
    pub harnessed: u64,
    /// The others, by reason.
    pub skipped: BTreeMap<SkipReason, u64>,
    /// Types whose values are kept, each with its instantiations.
    pub types: Vec<TypeEntry>,
    /// Public callables, each once.
    pub operations: Vec<OperationEntry>,
    /// What is called to make values without being a public callable of the crate: literals,
    /// constants, functions of dependencies and of providers.
    pub makers: Vec<String>,
}

/// A type of the subject.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TypeEntry {
    /// Short name.
    pub name: String,
    /// With all parameters filled in.
    pub instances: Vec<String>,
}

/// A public callable.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OperationEntry {
    /// For people, such as `SmallVec::push`.
    pub path: String,
    /// The type it belongs to; absent for a free function.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none", default)]
    pub owner: Option<String>,
    /// What it is to its receiver.
    pub kind: OpKind,
    /// Signatures with all types filled in; none for a callable that is skipped.
    pub instances: Vec<String>,
    /// On what its source decides, in words of contracts.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub conditions: Vec<String>,
    /// Why it cannot be called, if so.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub skip: Option<SkipEntry>,
}

impl Catalogue {
    /// The catalogue of an Api; without a harness everything that was discovered counts.
    pub fn new(api: &Api, built: Option<&Built>) -> Catalogue {
        let is_built = |i: usize| built.is_none_or(|built| built.operations.contains(&i));
        let able: Vec<&Operation> = api
            .operations
            .iter()
            .enumerate()
            .filter(|(i, _)| is_built(*i))
            .map(|(_, operation)| operation)
            .collect();
        let mut conditions: BTreeMap<&str, &Vec<String>> = BTreeMap::new();
        let mut instances: BTreeMap<&str, Vec<String>> = BTreeMap::new();
        for operation in able.iter().filter(|operation| operation.counted) {
            instances.entry(&operation.path).or_default().push(signature(operation));
            conditions.entry(&operation.path).or_insert(&operation.conditions);
        }
        let refused = built.map(|built| &built.skips[..]).unwrap_or_default();
        let mut skips: BTreeMap<&str, &Skip> = BTreeMap::new();
        for skip in api.skips.iter().chain(refused) {
            skips.entry(&skip.operation).or_insert(skip);
        }
        let entry = |callable: &PublicCallable| OperationEntry {
            path: callable.path.clone(),
            owner: callable.owner.clone(),
            kind: callable.kind,
            instances: instances.get(&*callable.path).cloned().unwrap_or_default(),
            conditions: conditions.get(&*callable.path).copied().cloned().unwrap_or_default(),
            skip: (!instances.contains_key(&*callable.path))
                .then(|| reason(callable, skips.get(&*callable.path).copied())),
        };
        let operations: Vec<OperationEntry> = api.callables.iter().map(entry).collect();
        Catalogue::counted(api, &able, operations)
    }

    fn counted(api: &Api, able: &[&Operation], operations: Vec<OperationEntry>) -> Catalogue {
        let mut skipped = BTreeMap::new();
        for skip in operations.iter().filter_map(|entry| entry.skip.as_ref()) {
            *skipped.entry(skip.reason).or_insert(0) += 1;
        }
        let makers: BTreeSet<String> =
            able.iter().filter(|operation| !operation.counted).map(|op| signature(op)).collect();
        Catalogue {
            version: VERSION,
            subject: SubjectName::of(&api.subject),
            features: beyond_default(&api.subject.features),
            public: api.public as u64,
            r#unsafe: api.unsafe_count as u64,
            harnessed: operations.iter().filter(|entry| entry.skip.is_none()).count() as u64,
            skipped,
            types: types(api),
            operations,
            makers: makers.into_iter().collect(),
        }
    }

    /// Whether some skip could be helped by a provider.
    pub fn wants_providers(&self) -> bool {
        self.skipped.keys().any(|reason| reason.can_be_provided())
    }
}

/// Why a callable has no operation. Every path that has none is to have a skip; if one has not,
/// that is shown too.
fn reason(callable: &PublicCallable, skip: Option<&Skip>) -> SkipEntry {
    match skip {
        Some(skip) => SkipEntry { reason: skip.reason, detail: skip.detail.clone() },
        None if callable.safety == Safety::Unsafe => {
            SkipEntry { reason: SkipReason::Unsafe, detail: String::new() }
        }
        None => {
            SkipEntry { reason: SkipReason::UnsupportedSignature, detail: UNEXPLAINED.to_owned() }
        }
    }
}

/// The detail of a skip that no stage gave a reason for.
const UNEXPLAINED: &str = "no reason was given";

fn types(api: &Api) -> Vec<TypeEntry> {
    let mut types: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for ty in &api.types {
        types.entry(&ty.name).or_default().push(ty.ty.to_string());
    }
    let entry =
        |(name, instances): (&str, Vec<String>)| TypeEntry { name: name.to_owned(), instances };
    types.into_iter().map(entry).collect()
}

/// `Stack::push(value: Probe) -> usize`
fn signature(operation: &Operation) -> String {
    let params = operation.params.iter().filter(|param| param.name != "self");
    let params: Vec<String> = params.map(|p| format!("{}: {}", p.name, p.ty)).collect();
    let result = match operation.result {
        Ty::Unit => String::new(),
        ref ty => format!(" -> {ty}"),
    };
    format!("{}({}){result}", operation.path, params.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples;

    #[test]
    fn every_callable_is_harnessed_or_skipped_once() {
        let api = samples::api();
        let catalogue = Catalogue::new(&api, None);
        let skipped: u64 = catalogue.skipped.values().sum();
        let of_unsafe = catalogue.skipped[&SkipReason::Unsafe];
        assert_eq!(catalogue.harnessed + skipped - of_unsafe, catalogue.public);
        assert_eq!(of_unsafe, catalogue.r#unsafe);
        assert_eq!(catalogue.operations.len(), api.callables.len());
    }

    #[test]
    fn what_rustc_rejects_is_skipped_unless_another_instance_is_left() {
        let mut api = samples::api();
        let again = api.operations[1].clone();
        api.operations.push(again);
        let refusal = |operation: &str| Skip {
            operation: operation.into(),
            reason: SkipReason::DoesNotCompile,
            detail: "E0277".into(),
        };
        let skips = vec![refusal("Stack::new"), refusal("Stack::push")];
        let last = api.operations.len() - 1;
        let built = Built { operations: BTreeSet::from([last]), skips };
        let catalogue = Catalogue::new(&api, Some(&built));
        let of = |path: &str| catalogue.operations.iter().find(|entry| entry.path == path).unwrap();
        assert_eq!(of("Stack::new").skip.as_ref().unwrap().reason, SkipReason::DoesNotCompile);
        assert_eq!(of("Stack::push").skip, None);
        assert_eq!(of("Stack::push").instances.len(), 1);
    }

    #[test]
    fn a_callable_that_no_stage_explains_is_shown_all_the_same() {
        let mut api = samples::api();
        api.skips.clear();
        let catalogue = Catalogue::new(&api, None);
        let lost = catalogue.operations.iter().filter_map(|entry| entry.skip.as_ref());
        assert_eq!(lost.filter(|skip| skip.detail == UNEXPLAINED).count(), 1);
        assert_eq!(catalogue.skipped[&SkipReason::Unsafe], 2);
    }

    #[test]
    fn the_json_is_what_its_page_describes() {
        let catalogue = Catalogue::new(&samples::api(), None);
        insta::assert_snapshot!(serde_json::to_string_pretty(&catalogue).unwrap());
    }
}
