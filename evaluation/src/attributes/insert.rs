//! Puts attributes before the functions of a crate's source that they are for.

use std::collections::BTreeMap;

use anyhow::Context as _;
use syn::{
    ImplItem, ItemFn, ItemImpl, Signature, Type, Visibility,
    spanned::Spanned as _,
    visit::{self, Visit},
};

/// A function as the path of an operation names it: its type, its trait, its name.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Key {
    ty: Option<String>,
    of_trait: Option<String>,
    name: String,
}

/// Attributes by function.
#[derive(Debug, Default)]
pub(super) struct Attributes {
    lines: BTreeMap<Key, Vec<String>>,
    /// Contracts that no attribute can say.
    pub(super) unsaid: usize,
}

/// What became of the attributes in one file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Inserted {
    /// Functions that got some.
    pub(super) functions: usize,
    /// Functions that cannot have any.
    pub(super) constant: usize,
}

impl Attributes {
    /// Reads what `cargo gainsay contracts --format attributes` writes. `krate` is put before each
    /// attribute, so that nothing needs importing.
    pub(super) fn read(text: &str, krate: &str) -> Attributes {
        let mut attributes = Attributes::default();
        let mut key = None;
        for line in text.lines() {
            if line.starts_with("// cannot be said") || line.starts_with("// belongs on") {
                attributes.unsaid += 1;
            } else if let Some(path) = line.strip_prefix("// ") {
                key = Some(Key::of(path));
            } else if let Some(key) = key.as_ref().filter(|_| !line.is_empty()) {
                let line = line.replace("#[", &format!("#[{krate}::"));
                attributes.lines.entry(key.clone()).or_default().push(line);
            }
        }
        attributes
    }

    /// The source with the attributes of its functions.
    pub(super) fn insert(&self, source: &str) -> anyhow::Result<(String, Inserted)> {
        let file = syn::parse_file(source).context("no Rust that can be read")?;
        let mut finder = Finder {
            attributes: self,
            found: BTreeMap::new(),
            inserted: Inserted::default(),
            around: None,
        };
        finder.visit_file(&file);
        let mut text = String::new();
        for (number, line) in (1..).zip(source.lines()) {
            for attribute in finder.found.get(&number).into_iter().flat_map(|lines| lines.iter()) {
                text.push_str(attribute);
                text.push('\n');
            }
            text.push_str(line);
            text.push('\n');
        }
        Ok((text, finder.inserted))
    }
}

impl Key {
    /// `Slab::insert`, `Slab<T> as Clone::clone`, `parse`, each perhaps ` for Slab<Probe>`.
    fn of(path: &str) -> Key {
        let path = path.split(" for ").next().unwrap_or(path);
        let (owner, name) = match path.rsplit_once("::") {
            Some((owner, name)) => (Some(owner), name),
            None => (None, path),
        };
        let bare = |text: &str| {
            let text = text.split('<').next().unwrap_or(text);
            text.rsplit("::").next().unwrap_or(text).trim().to_owned()
        };
        let (ty, of_trait) = match owner.map(|owner| owner.split_once(" as ").ok_or(owner)) {
            Some(Ok((ty, of_trait))) => (Some(bare(ty)), Some(bare(of_trait))),
            Some(Err(ty)) => (Some(bare(ty)), None),
            None => (None, None),
        };
        Key { ty, of_trait, name: name.to_owned() }
    }
}

struct Finder<'a> {
    attributes: &'a Attributes,
    found: BTreeMap<usize, &'a Vec<String>>,
    inserted: Inserted,
    around: Option<(String, Option<String>)>,
}

impl Finder<'_> {
    fn see(&mut self, visibility: &Visibility, signature: &Signature) {
        let (ty, of_trait) = match self.around.clone() {
            Some((ty, of_trait)) => (Some(ty), of_trait),
            None => (None, None),
        };
        let key = Key { ty, of_trait, name: signature.ident.to_string() };
        let Some(lines) = self.attributes.lines.get(&key) else { return };
        if signature.constness.is_some() {
            self.inserted.constant += 1;
            return;
        }
        let start = match visibility {
            Visibility::Inherited => signature.span().start(),
            other => other.span().start(),
        };
        self.inserted.functions += 1;
        self.found.insert(start.line, lines);
    }
}

impl<'ast> Visit<'ast> for Finder<'_> {
    fn visit_item_impl(&mut self, item: &'ast ItemImpl) {
        let Type::Path(ty) = &*item.self_ty else { return };
        let last = |path: &syn::Path| path.segments.last().map(|last| last.ident.to_string());
        let of_trait = item.trait_.as_ref().and_then(|(_, path, _)| last(path));
        self.around = last(&ty.path).map(|ty| (ty, of_trait));
        for inner in &item.items {
            if let ImplItem::Fn(function) = inner {
                self.see(&function.vis, &function.sig);
            }
        }
        self.around = None;
    }

    fn visit_item_fn(&mut self, item: &'ast ItemFn) {
        self.see(&item.vis, &item.sig);
        visit::visit_item_fn(self, item);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OFFERED: &str = "// A::get for a::A<Probe>\n#[ensures(ret.is_none())]\n\n\
        // A as Clone::clone\n#[requires(true)]\n// cannot be said here: ensures x\n\n\
        // A::len\n#[ensures(ret == 1)]\n";

    #[test]
    fn attributes_go_before_the_functions_of_their_type_and_trait() {
        let source = "impl<T> A<T> {\n    /// Gets.\n    pub fn get(&self) {}\n    \
            pub const fn len(&self) -> usize { 1 }\n}\nimpl Clone for A<u8> {\n    \
            fn clone(&self) {}\n}\nfn get() {}\n";
        let attributes = Attributes::read(OFFERED, "contracts");
        let (text, inserted) = attributes.insert(source).unwrap();
        assert!(text.contains("#[contracts::ensures(ret.is_none())]\n    pub fn get"), "{text}");
        assert!(text.contains("#[contracts::requires(true)]\n    fn clone"), "{text}");
        assert_eq!(text.matches("contracts::").count(), 2, "{text}");
        assert_eq!(inserted, Inserted { functions: 2, constant: 1 });
        assert_eq!(attributes.unsaid, 1);
    }
}
