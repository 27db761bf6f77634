//! The shortest public path of every item, found by walking modules and `use` items from the
//! root: what rustdoc lists as paths are places of definition, often private.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use rustdoc_types::{Crate, Id, ItemEnum, Use, Visibility};

/// Public paths by item, each absolute without leading `::`. Items of other crates that the
/// subject re-exports are included.
pub(crate) fn public_paths(krate: &Crate, root: Id, lib_name: &str) -> BTreeMap<Id, String> {
    let mut walk =
        Walk { krate, found: BTreeMap::new(), queue: VecDeque::new(), seen: BTreeSet::new() };
    walk.queue.push_back((root, lib_name.to_owned()));
    // First in, first out: a shorter path is always met before a longer one.
    while let Some((module, path)) = walk.queue.pop_front() {
        if walk.seen.insert((module, path.clone())) && walk.seen.len() < MOST_MODULE_PATHS {
            walk.module(module, &path);
        }
    }
    walk.found
}

/// Modules that re-export each other would otherwise be walked for ever.
const MOST_MODULE_PATHS: usize = 10_000;

struct Walk<'a> {
    krate: &'a Crate,
    found: BTreeMap<Id, String>,
    queue: VecDeque<(Id, String)>,
    seen: BTreeSet<(Id, String)>,
}

impl Walk<'_> {
    fn module(&mut self, id: Id, path: &str) {
        let Some(item) = self.krate.index.get(&id) else { return };
        let items: &[Id] = match &item.inner {
            ItemEnum::Module(module) => &module.items,
            ItemEnum::Enum(inner) => &inner.variants,
            _ => return,
        };
        for child in items {
            self.child(*child, path);
        }
    }

    fn child(&mut self, id: Id, parent: &str) {
        let Some(item) = self.krate.index.get(&id) else { return };
        if !matches!(item.visibility, Visibility::Public | Visibility::Default) {
            return;
        }
        match (&item.inner, &item.name) {
            (ItemEnum::Use(import), _) => self.import(import, parent),
            (_, Some(name)) => self.named(id, name, parent),
            (_, None) => {}
        }
    }

    fn import(&mut self, import: &Use, parent: &str) {
        let Some(id) = import.id else { return };
        if import.is_glob {
            self.queue.push_back((id, parent.to_owned()));
        } else {
            self.named(id, &import.name, parent);
        }
    }

    fn named(&mut self, id: Id, name: &str, parent: &str) {
        let path = format!("{parent}::{name}");
        if depth(&path) > MOST_SEGMENTS {
            return;
        }
        let is_module =
            self.krate.index.get(&id).is_some_and(|item| matches!(item.inner, ItemEnum::Module(_)));
        if is_module {
            self.queue.push_back((id, path.clone()));
        }
        let own = self.krate.index.get(&id).and_then(|item| item.name.as_deref());
        // At the same depth what is not renamed is what people know it by.
        let rank = |path: &str| (depth(path), path.rsplit("::").next() != own);
        let known = self.found.get(&id);
        if known.is_none_or(|known| (rank(&path), &path) < (rank(known), known)) {
            self.found.insert(id, path);
        }
    }
}

/// Deeper than any real path; ends cycles of re-exported modules.
const MOST_SEGMENTS: usize = 12;

fn depth(path: &str) -> usize {
    path.matches("::").count()
}
