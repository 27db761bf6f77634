//! Dependencies whose types and traits occur in the subject's public signatures: rustdoc describes
//! them too, at the versions that the subject is built with.

use std::collections::{BTreeMap, BTreeSet};

use cargo_metadata::{Metadata, Package, TargetKind};
use gainsay_model::api::{Dependency, DependencySource, Source, Subject};
use rustdoc_types::Id;
use serde_json::Value;

use crate::{cargo, error::DiscoverError, merge::Merge, published, rustdoc};

/// A description of the subject with those of dependencies in it.
pub(crate) struct Described {
    pub(crate) krate: rustdoc_types::Crate,
    /// What was added, with the number of its root module.
    pub(crate) dependencies: Vec<(Id, Dependency)>,
    /// Items of dependencies that the subject's public items speak of.
    pub(crate) mentioned: BTreeSet<Id>,
}

/// More dependencies are not described: it takes about a second each.
const MOST: usize = 8;

/// Describes the subject and what it speaks of. A dependency that cannot be described is left
/// out: what needs it becomes a skip.
pub(crate) fn describe(subject: &Subject) -> Result<Described, DiscoverError> {
    let value = rustdoc::describe(subject)?;
    let mentioned = mentioned(&value);
    let mut wanted: Vec<String> = wanted(&value, &mentioned).into_iter().collect();
    // What is mentioned comes first, if there is too much.
    let implemented = wanted_by_impls(&value);
    wanted
        .extend(implemented.into_iter().filter(|name| !wanted.contains(name)).collect::<Vec<_>>());
    let mut merge = Merge::new(value);
    let mut dependencies = Vec::new();
    if !wanted.is_empty() {
        let metadata = metadata(subject)?;
        let traits = places(merge.described(), &mentioned);
        let mut queue = wanted;
        let mut next = 0;
        while let Some(name) = queue.get(next).filter(|_| next < MOST) {
            next += 1;
            let Some(found) = resolved(&metadata, subject, name) else { continue };
            if let Ok(value) = rustdoc::describe_dependency(subject, &found) {
                for further in implementing(&value, &traits) {
                    if !queue.contains(&further) && further != subject.lib_name {
                        queue.push(further);
                    }
                }
                dependencies.push((number(merge.add(value)), found));
            }
        }
    }
    let mentioned = mentioned.into_iter().map(number).collect();
    Ok(Described { krate: rustdoc::typed(subject, merge.finish())?, dependencies, mentioned })
}

fn number(id: u64) -> Id {
    Id(u32::try_from(id).unwrap_or(u32::MAX))
}

fn metadata(subject: &Subject) -> Result<Metadata, DiscoverError> {
    let dir = match subject.source {
        Source::Path => subject.root.clone(),
        Source::Registry => {
            published::scratch_dir(&subject.out_dir, &subject.name, &subject.version)
        }
    };
    cargo::metadata(&dir.join("Cargo.toml"), &dir)?
        .map_err(|stderr| DiscoverError::Cargo { stderr: cargo::essential(&stderr) })
}

/// The package behind a crate's name: what the subject itself depends on, else the newest.
fn resolved(metadata: &Metadata, subject: &Subject, lib_name: &str) -> Option<Dependency> {
    let has_library = |package: &&Package| {
        package.targets.iter().any(|target| {
            target.name.replace('-', "_") == lib_name
                && target.kind.iter().any(|kind| matches!(kind, TargetKind::Lib | TargetKind::RLib))
        })
    };
    let resolve = metadata.resolve.as_ref()?;
    let own = metadata.packages.iter().find(|package| {
        package.name.as_str() == subject.name && package.version.to_string() == subject.version
    })?;
    let node = resolve.nodes.iter().find(|node| node.id == own.id)?;
    let is_direct = |package: &Package| node.dependencies.contains(&package.id);
    let package = metadata
        .packages
        .iter()
        .filter(has_library)
        .max_by_key(|package| (is_direct(package), package.version.clone()))?;
    let source = match &package.source {
        None => {
            let dir = package.manifest_path.parent()?.as_std_path().to_owned();
            DependencySource::Path(dir)
        }
        Some(source) if source.is_crates_io() => DependencySource::Registry,
        Some(_) => return None,
    };
    Some(Dependency {
        lib_name: lib_name.to_owned(),
        package: package.name.to_string(),
        version: package.version.to_string(),
        source,
    })
}

/// Items of other crates in the signatures of public items, impls of foreign traits left out.
fn mentioned(krate: &Value) -> BTreeSet<u64> {
    let foreign = foreign(krate);
    let items: Vec<&Value> = krate["index"]
        .as_object()
        .into_iter()
        .flatten()
        .map(|(_, item)| item)
        .filter(|item| item["crate_id"] == 0)
        .collect();
    let is_left_out = |item: &Value| {
        let imp = &item["inner"]["impl"];
        imp.is_object()
            && (imp["is_synthetic"] == true
                || !imp["blanket_impl"].is_null()
                || imp["trait"]["id"].as_u64().is_some_and(|id| foreign.contains_key(&id)))
    };
    let mut hidden = BTreeSet::new();
    for item in items.iter().filter(|item| is_left_out(item)) {
        let inner = item["inner"]["impl"]["items"].as_array().into_iter().flatten();
        hidden.extend(inner.filter_map(Value::as_u64));
    }
    let mut found = BTreeSet::new();
    for item in items.iter().filter(|item| !is_left_out(item)) {
        if item["id"].as_u64().is_none_or(|id| !hidden.contains(&id)) {
            collect_ids(&item["inner"], &mut found);
        }
    }
    found.retain(|id| foreign.contains_key(id));
    found
}

/// Names of the crates that these items belong to.
fn wanted(krate: &Value, mentioned: &BTreeSet<u64>) -> BTreeSet<String> {
    let foreign = foreign(krate);
    mentioned.iter().filter_map(|id| foreign.get(id).cloned()).collect()
}

/// Names of the crates whose traits public items implement with functions that can be called as they
/// are: `checked_div` for numbers of the subject's, say. What is generic hands something on to others.
fn wanted_by_impls(krate: &Value) -> BTreeSet<String> {
    let foreign = foreign(krate);
    let items = krate["index"].as_object().into_iter().flatten().map(|(_, item)| item);
    let imps = items.filter(|item| item["crate_id"] == 0).map(|item| &item["inner"]["impl"]);
    let is_plain = |id: &Value| {
        let function = id.as_u64().map(|id| &krate["index"][&id.to_string()]["inner"]["function"]);
        let params = function.and_then(|function| function["generics"]["params"].as_array());
        params.is_some_and(|params| params.iter().all(|param| param["kind"]["type"].is_null()))
    };
    imps.filter(|imp| imp["is_synthetic"] == false && imp["blanket_impl"].is_null())
        .filter(|imp| imp["items"].as_array().is_some_and(|items| items.iter().any(is_plain)))
        .filter_map(|imp| foreign.get(&imp["trait"]["id"].as_u64()?).cloned())
        .collect()
}

/// Where items are defined.
fn places(krate: &Value, items: &BTreeSet<u64>) -> BTreeSet<String> {
    items.iter().filter_map(|id| place(krate, *id)).collect()
}

fn place(krate: &Value, id: u64) -> Option<String> {
    let path = krate["paths"][&id.to_string()]["path"].as_array()?;
    Some(path.iter().filter_map(Value::as_str).collect::<Vec<_>>().join("::"))
}

/// Other crates whose types implement traits that the subject asks for: the impls are here, the
/// types are not.
fn implementing(krate: &Value, traits: &BTreeSet<String>) -> BTreeSet<String> {
    let foreign = foreign(krate);
    let items = krate["index"].as_object().into_iter().flatten().map(|(_, item)| item);
    let mut types = BTreeSet::new();
    for imp in items.filter(|item| item["crate_id"] == 0).map(|item| &item["inner"]["impl"]) {
        let asked = imp["trait"]["id"].as_u64().and_then(|id| place(krate, id));
        if asked.is_some_and(|asked| traits.contains(&asked)) {
            collect_ids(&imp["for"], &mut types);
        }
    }
    types.iter().filter_map(|id| foreign.get(id).cloned()).collect()
}

/// Items of crates other than the subject and std, with the crates' names.
fn foreign(krate: &Value) -> BTreeMap<u64, String> {
    let crates = &krate["external_crates"];
    let paths = krate["paths"].as_object().into_iter().flatten();
    paths
        .filter_map(|(id, summary)| {
            let of = summary["crate_id"].as_u64().filter(|of| *of != 0)?;
            let name = crates[&of.to_string()]["name"].as_str()?;
            let is_std = ["std", "core", "alloc", "proc_macro", "test"].contains(&name);
            (!is_std).then(|| Some((id.parse().ok()?, name.to_owned())))?
        })
        .collect()
}

fn collect_ids(value: &Value, found: &mut BTreeSet<u64>) {
    match value {
        Value::Object(fields) => {
            found.extend(fields.get("id").and_then(Value::as_u64));
            fields.values().for_each(|field| collect_ids(field, found));
        }
        Value::Array(entries) => entries.iter().for_each(|entry| collect_ids(entry, found)),
        _ => {}
    }
}
