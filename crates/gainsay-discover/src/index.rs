//! rustdoc's description with the lookups that discovery needs.

use std::collections::{BTreeMap, BTreeSet};

use rustdoc_types::{
    Crate, Function, GenericParamDef, GenericParamDefKind, Generics, Id, Impl, Item, ItemEnum,
    Path, Trait, Type,
};

use crate::{
    aliases::{OnlyName, names_of_foreign_types, only_names},
    dependencies::Described,
    merge::is_described,
    public_paths::public_paths,
    std_paths::public_std_path,
};

/// The subject's description, indexed.
pub(crate) struct Index<'a> {
    pub(crate) krate: &'a Crate,
    /// Public paths by item.
    pub(crate) public: BTreeMap<Id, String>,
    /// The subject's own types by public path.
    pub(crate) types: BTreeMap<String, Id>,
    /// Written impls of the subject in the order of the source.
    pub(crate) impls: Vec<Implementation<'a>>,
    /// Aliases of dependencies by the type behind them, the best first.
    pub(crate) foreign_names: BTreeMap<Id, Vec<Id>>,
    /// Aliases of the subject's hidden types.
    pub(crate) only_names: Vec<OnlyName>,
}

/// An impl block.
#[derive(Clone, Copy)]
pub(crate) struct Implementation<'a> {
    pub(crate) id: Id,
    pub(crate) inner: &'a Impl,
}

/// What a path in a signature leads to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Named {
    /// An item of the subject that is in the description.
    Local(Id),
    /// Something of std, by public path.
    Std(String),
    /// Something of another crate, by place of definition.
    Foreign(String),
}

impl<'a> Index<'a> {
    pub(crate) fn new(described: &'a Described, lib_name: &str) -> Self {
        let krate = &described.krate;
        let mut public = public_paths(krate, krate.root, lib_name);
        for (root, dependency) in &described.dependencies {
            for (id, path) in public_paths(krate, *root, &dependency.lib_name) {
                public.entry(id).or_insert(path);
            }
        }
        let is_wanted = |id: &Id| {
            krate.index.get(id).is_some_and(|item| {
                is_type(item) && (item.crate_id == 0 || described.mentioned.contains(id))
            })
        };
        let types = public
            .iter()
            .filter(|(id, _)| is_wanted(id))
            .map(|(id, path)| (path.clone(), *id))
            .collect();
        let only_names = only_names(krate, &public);
        let foreign_names = names_of_foreign_types(krate, &public);
        Index { krate, public, types, impls: written_impls(krate), foreign_names, only_names }
    }

    pub(crate) fn item(&self, id: Id) -> Option<&'a Item> {
        self.krate.index.get(&id)
    }

    /// Whether an item is the subject's, not a dependency's.
    pub(crate) fn is_own(&self, id: Id) -> bool {
        self.item(id).is_some_and(|item| item.crate_id == 0)
    }

    /// What a path means.
    pub(crate) fn named(&self, id: Id, text: &str) -> Named {
        if self.krate.index.get(&id).is_some_and(|item| is_described(item.crate_id)) {
            return Named::Local(id);
        }
        match self.krate.paths.get(&id) {
            Some(summary) => match public_std_path(&summary.path) {
                Some(path) => Named::Std(path),
                None => Named::Foreign(summary.path.join("::")),
            },
            None => Named::Foreign(text.to_owned()),
        }
    }

    /// Whether a trait is the subject's own but private: rustdoc leaves its impls out.
    pub(crate) fn is_private_trait(&self, id: Id) -> bool {
        let elsewhere = self.krate.paths.get(&id).is_some_and(|summary| summary.crate_id != 0);
        !elsewhere && !self.public.contains_key(&id) && self.impls_of(id).next().is_none()
    }

    /// A trait's name that can be compared: public path, or place of definition.
    pub(crate) fn trait_name(&self, path: &Path) -> String {
        match self.named(path.id, &path.path) {
            Named::Std(path) | Named::Foreign(path) => path,
            Named::Local(id) => self.public.get(&id).cloned().unwrap_or_else(|| path.path.clone()),
        }
    }

    /// The description of one of the subject's traits.
    pub(crate) fn local_trait(&self, id: Id) -> Option<&'a Trait> {
        match &self.item(id)?.inner {
            ItemEnum::Trait(inner) => Some(inner),
            _ => None,
        }
    }

    /// The generic parameters of a type of the subject.
    pub(crate) fn type_generics(&self, id: Id) -> Option<&'a Generics> {
        match &self.item(id)?.inner {
            ItemEnum::Struct(inner) => Some(&inner.generics),
            ItemEnum::Enum(inner) => Some(&inner.generics),
            ItemEnum::Union(inner) => Some(&inner.generics),
            _ => None,
        }
    }

    /// The named type that a type is, references left out and aliases followed.
    pub(crate) fn head(&self, ty: &Type) -> Option<Id> {
        match ty {
            Type::ResolvedPath(path) => match self.item(path.id).map(|item| &item.inner) {
                Some(ItemEnum::TypeAlias(alias)) => self.head(&alias.type_),
                _ => Some(path.id),
            },
            Type::BorrowedRef { type_, .. } => self.head(type_),
            _ => None,
        }
    }

    /// Whether the type has a size: only then does `impl<T> From<T> for T` apply to it.
    pub(crate) fn is_sized(&self, id: Id) -> bool {
        let impls = match self.item(id).map(|item| &item.inner) {
            Some(ItemEnum::Struct(inner)) => &inner.impls,
            Some(ItemEnum::Enum(inner)) => &inner.impls,
            Some(ItemEnum::Union(inner)) => &inner.impls,
            _ => return false,
        };
        impls.iter().any(|id| match self.item(*id).map(|item| &item.inner) {
            Some(ItemEnum::Impl(inner)) => {
                inner.blanket_impl.is_some()
                    && inner.trait_.as_ref().is_some_and(|path| path.path.ends_with("Into"))
            }
            _ => false,
        })
    }

    /// The functions among items.
    pub(crate) fn functions(
        &self,
        ids: &'a [Id],
    ) -> impl Iterator<Item = (&'a Item, &'a Function)> {
        ids.iter().filter_map(|id| {
            let item = self.item(*id)?;
            match &item.inner {
                ItemEnum::Function(function) => Some((item, function)),
                _ => None,
            }
        })
    }

    /// Impls of one trait.
    pub(crate) fn impls_of(&self, trait_id: Id) -> impl Iterator<Item = Implementation<'a>> {
        self.impls
            .iter()
            .filter(move |imp| imp.inner.trait_.as_ref().is_some_and(|path| path.id == trait_id))
            .copied()
    }
}

/// Whether an item is a struct, enum or union.
pub(crate) fn is_type(item: &Item) -> bool {
    matches!(item.inner, ItemEnum::Struct(_) | ItemEnum::Enum(_) | ItemEnum::Union(_))
}

/// Names of type and constant parameters.
pub(crate) fn variables(generics: &Generics) -> BTreeSet<&str> {
    generics.params.iter().filter(|p| !is_lifetime(p)).map(|p| p.name.as_str()).collect()
}

/// Whether a parameter is a lifetime.
pub(crate) fn is_lifetime(param: &GenericParamDef) -> bool {
    matches!(param.kind, GenericParamDefKind::Lifetime { .. })
}

fn written_impls(krate: &Crate) -> Vec<Implementation<'_>> {
    let mut found: Vec<_> = krate
        .index
        .values()
        .filter(|item| is_described(item.crate_id))
        .filter_map(|item| match &item.inner {
            ItemEnum::Impl(inner)
                if !inner.is_synthetic && !inner.is_negative && inner.blanket_impl.is_none() =>
            {
                let place = item.span.as_ref().map(|span| (&span.filename, span.begin));
                Some((item.crate_id, place, item.id, inner))
            }
            _ => None,
        })
        .collect();
    found.sort_by_key(|(foreign, place, id, _)| (*foreign, *place, *id));
    found.into_iter().map(|(_, _, id, inner)| Implementation { id, inner }).collect()
}
