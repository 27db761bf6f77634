//! Several crates' descriptions as one: items of dependencies stand beside the subject's, and a
//! path means the same item wherever it is written. rustdoc numbers items per crate, so they are
//! numbered anew.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

/// Items of dependencies have crate numbers from here on; rustdoc's own are small.
pub(crate) const MERGED: u32 = 1_000_000;

/// Whether an item is described in full: the subject's, or one of a merged dependency.
pub(crate) fn is_described(crate_id: u32) -> bool {
    crate_id == 0 || crate_id >= MERGED
}

/// A subject's description that dependencies are added to.
pub(crate) struct Merge {
    subject: Value,
    /// Items by place of definition and kind.
    known: BTreeMap<(String, String), u64>,
    /// The first free number.
    next: u64,
    added: u32,
}

impl Merge {
    pub(crate) fn new(subject: Value) -> Merge {
        let mut known = BTreeMap::new();
        for (id, summary) in numbered(&subject["paths"]) {
            // Several versions of a crate have the same places. What the subject's own items speak
            // of is numbered first.
            known.entry(place(summary)).or_insert(id);
        }
        let next = 1 + ["index", "paths"]
            .iter()
            .flat_map(|part| numbered(&subject[*part]))
            .map(|(id, _)| id)
            .max()
            .unwrap_or(0);
        Merge { subject, known, next, added: 0 }
    }

    /// The description so far.
    pub(crate) fn described(&self) -> &Value {
        &self.subject
    }

    /// Adds a dependency; gives the number of its root module.
    pub(crate) fn add(&mut self, mut krate: Value) -> u64 {
        let (offset, crate_id) = (self.next, MERGED + self.added);
        let mut renamed: BTreeMap<u64, u64> = BTreeMap::new();
        for (id, summary) in numbered(&krate["paths"]) {
            let known = self.known.entry(place(summary)).or_insert(id + offset);
            // Two items of one crate may share a place; only one of them is meant by it.
            let is_taken = renamed.values().any(|taken| taken == known);
            renamed.insert(id, if is_taken { id + offset } else { *known });
        }
        let rename = |id: u64| renamed.get(&id).copied().unwrap_or(id + offset);
        for part in ["index", "paths"] {
            let Value::Object(items) = krate[part].take() else { continue };
            for (id, mut item) in items {
                let Ok(id) = id.parse::<u64>() else { continue };
                self.next = self.next.max(id + offset + 1);
                let is_own = item["crate_id"] == 0;
                item["crate_id"] = if is_own { crate_id.into() } else { FOREIGN.into() };
                if part == "index" {
                    item["links"] = Value::Object(Map::new());
                    rename_ids(&mut item, &rename);
                }
                let id = rename(id).to_string();
                if is_own || (part == "paths" && self.subject[part].get(&id).is_none()) {
                    self.subject[part][&id] = item;
                }
            }
        }
        self.added += 1;
        krate["root"].as_u64().map_or(offset, rename)
    }

    pub(crate) fn finish(self) -> Value {
        self.subject
    }
}

/// The crate number of what a dependency mentions of crates that are not described.
const FOREIGN: u32 = MERGED - 1;

/// The entries of a map by item number, in order.
fn numbered(items: &Value) -> BTreeMap<u64, &Value> {
    let entries = items.as_object().into_iter().flatten();
    entries.filter_map(|(id, item)| Some((id.parse().ok()?, item))).collect()
}

fn place(summary: &Value) -> (String, String) {
    let segments = summary["path"].as_array().into_iter().flatten();
    let path: Vec<&str> = segments.filter_map(Value::as_str).collect();
    (path.join("::"), summary["kind"].as_str().unwrap_or_default().to_owned())
}

/// Calls `rename` on every item number in an item.
fn rename_ids(value: &mut Value, rename: &impl Fn(u64) -> u64) {
    match value {
        Value::Object(fields) => {
            for (name, field) in fields {
                match name.as_str() {
                    "id" => rename_id(field, rename),
                    "items" | "impls" | "variants" | "fields" | "implementations" | "tuple" => {
                        field.as_array_mut().into_iter().flatten().for_each(|entry| {
                            rename_id(entry, rename);
                        });
                    }
                    _ => {}
                }
                rename_ids(field, rename);
            }
        }
        Value::Array(entries) => entries.iter_mut().for_each(|entry| rename_ids(entry, rename)),
        _ => {}
    }
}

fn rename_id(value: &mut Value, rename: &impl Fn(u64) -> u64) {
    if let Some(id) = value.as_u64() {
        *value = rename(id).into();
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn of_several_versions_the_one_that_the_subject_speaks_of_is_meant() {
        let summary = |of: u64| json!({ "crate_id": of, "path": ["dep", "Len"], "kind": "trait" });
        let subject = json!({ "index": {}, "paths": { "3": summary(2), "9": summary(4) } });
        let dependency = json!({
            "root": 0,
            "index": { "5": { "id": 5, "crate_id": 0, "inner": { "trait": {} } } },
            "paths": { "5": { "crate_id": 0, "path": ["dep", "Len"], "kind": "trait" } },
        });
        let mut merge = Merge::new(subject);
        merge.add(dependency);
        let merged = merge.finish();
        assert_eq!(merged["index"]["3"]["crate_id"], MERGED);
        assert!(merged["index"].get("9").is_none());
    }

    #[test]
    fn a_type_of_a_dependency_keeps_the_number_that_the_subject_knows() {
        let subject = json!({
            "index": { "1": { "id": 1, "crate_id": 0 } },
            "paths": { "7": { "crate_id": 5, "path": ["dep", "Set"], "kind": "struct" } },
        });
        let dependency = json!({
            "root": 0,
            "index": {
                "3": { "id": 3, "crate_id": 0, "inner": { "struct": { "impls": [4] } } },
                "4": { "id": 4, "crate_id": 0, "inner": { "impl": { "for": { "id": 3 } } } },
            },
            "paths": { "3": { "crate_id": 0, "path": ["dep", "Set"], "kind": "struct" } },
        });
        let mut merge = Merge::new(subject);
        assert_eq!(merge.add(dependency), 8);
        let merged = merge.finish();
        assert_eq!(merged["index"]["7"]["inner"]["struct"]["impls"], json!([12]));
        assert_eq!(merged["index"]["12"]["inner"]["impl"]["for"]["id"], 7);
        assert_eq!(merged["paths"]["7"]["crate_id"], MERGED);
        assert_eq!(merged["index"]["1"]["crate_id"], 0);
    }
}
