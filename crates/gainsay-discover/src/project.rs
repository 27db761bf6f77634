//! Associated types: `<[Probe; 2] as Array>::Item`, by the subject's impls and a table for std.

use gainsay_model::ty::{GenericArg, Ty};
use rustdoc_types::{self as rd, ItemEnum};

use crate::{
    capabilities::{ARITHMETIC, is},
    index::Implementation,
    lower::{Concrete, Env},
};

impl Concrete<'_> {
    /// What `<ty as Trait>::name` is, if it can be known.
    pub(crate) fn project(&self, ty: &Ty, path: &rd::Path, name: &str) -> Option<Ty> {
        let trait_name = self.index.trait_name(path);
        let key = (ty.clone(), trait_name.clone(), name.to_owned());
        if let Some(known) = self.projected.borrow().get(&key) {
            return known.clone();
        }
        // A projection that needs itself has no answer.
        self.projected.borrow_mut().insert(key.clone(), None);
        let answer = self
            .by_impl(ty, path, name)
            .or_else(|| self.through_iterator(ty, &trait_name, name))
            .or_else(|| by_table(ty, trait_name.rsplit("::").next()?, name));
        self.projected.borrow_mut().insert(key, answer.clone());
        answer
    }

    /// `I::Output` of `I: SliceIndex<[T]>` inside an impl for a type that is a slice by `Deref`.
    pub(crate) fn indexed(
        &self,
        index: &Ty,
        path: &rd::Path,
        owner: Option<&GenericArg>,
    ) -> Option<Ty> {
        if self.index.trait_name(path) != "std::slice::SliceIndex" || *index != Ty::prim("usize") {
            return None;
        }
        let Some(GenericArg::Type(owner)) = owner else { return None };
        let deref = self.index.impls.iter().find_map(|imp| {
            let path = imp.inner.trait_.as_ref()?;
            let fits =
                self.index.trait_name(path) == "std::ops::Deref" && self.applies_to(*imp, owner);
            fits.then_some(path)
        })?;
        match self.project(owner, deref, "Target")? {
            Ty::Slice(item) => Some(*item),
            _ => None,
        }
    }

    /// Puts the associated types of an impl into its environment as `Self::Name`: a type may
    /// implement a trait several times, with different arguments.
    pub(crate) fn name_associated(&self, imp: Implementation<'_>, env: &mut Env) {
        let items = self.sibling(imp).into_iter().flat_map(|sibling| &sibling.inner.items);
        let items = items.chain(&imp.inner.items);
        for item in items.filter_map(|id| self.index.item(*id)) {
            if let (ItemEnum::AssocType { type_: Some(found), .. }, Some(name)) =
                (&item.inner, &item.name)
                && let Ok(ty) = self.lower(found, env)
            {
                env.insert(format!("Self::{name}"), GenericArg::Type(ty));
            }
        }
    }

    /// `IndexMut` speaks of the associated type of the `Index` impl with the same argument.
    fn sibling(&self, imp: Implementation<'_>) -> Option<Implementation<'_>> {
        let path = imp.inner.trait_.as_ref()?;
        if self.index.trait_name(path) != "std::ops::IndexMut" {
            return None;
        }
        let is_sibling = |other: &&Implementation<'_>| {
            let Some(found) = &other.inner.trait_ else { return false };
            self.index.trait_name(found) == "std::ops::Index"
                && found.args == path.args
                && other.inner.for_ == imp.inner.for_
        };
        self.index.impls.iter().find(is_sibling).copied()
    }

    fn by_impl(&self, ty: &Ty, path: &rd::Path, name: &str) -> Option<Ty> {
        self.index.impls_of(path.id).find_map(|imp| {
            let env = self.applies(imp, ty, &[])?;
            imp.inner.items.iter().find_map(|id| {
                let item = self.index.item(*id)?;
                match &item.inner {
                    ItemEnum::AssocType { type_: Some(found), .. }
                        if item.name.as_deref() == Some(name) =>
                    {
                        self.lower(found, &env).ok()
                    }
                    _ => None,
                }
            })
        })
    }

    /// `I: Iterator` implies `I: IntoIterator` with the same items.
    fn through_iterator(&self, ty: &Ty, trait_name: &str, name: &str) -> Option<Ty> {
        if trait_name != "std::iter::IntoIterator" {
            return None;
        }
        let iterator = self.index.impls.iter().find_map(|imp| {
            let path = imp.inner.trait_.as_ref()?;
            let fits = self.index.trait_name(path) == "std::iter::Iterator"
                && self.applies(*imp, ty, &[]).is_some();
            fits.then_some(path)
        })?;
        match name {
            "IntoIter" => Some(ty.clone()),
            _ => self.project(ty, iterator, name),
        }
    }
}

fn by_table(ty: &Ty, trait_name: &str, name: &str) -> Option<Ty> {
    match (trait_name, name) {
        ("Iterator" | "IntoIterator", "Item") => item(ty),
        ("IntoIterator", "IntoIter") => match ty {
            Ty::Path { path, .. } => match path.as_str() {
                "std::vec::Vec" => {
                    let args = vec![GenericArg::Type(first(ty)?)];
                    Some(Ty::Path { path: "std::vec::IntoIter".into(), args })
                }
                "std::vec::IntoIter" | "std::ops::Range" => Some(ty.clone()),
                _ => None,
            },
            _ => None,
        },
        ("Index", "Output") => match ty {
            Ty::Slice(item) | Ty::Array(item, _) => Some((**item).clone()),
            _ => first(ty).filter(|_| is(ty, "std::vec::Vec")),
        },
        ("Deref", "Target") => match ty {
            Ty::Path { path, .. } if path == "std::string::String" => Some(Ty::Str),
            Ty::Path { path, .. } if path == "std::vec::Vec" => {
                Some(Ty::Slice(Box::new(first(ty)?)))
            }
            Ty::Ref { to, .. } => Some((**to).clone()),
            _ => first(ty),
        },
        ("FnOnce" | "FnMut" | "Fn", "Output") => match ty {
            Ty::Closure { ret, .. } => Some((**ret).clone()),
            _ => None,
        },
        ("FromStr", "Err") => match ty {
            Ty::Prim(prim) if prim.starts_with('f') => Some(Ty::named("std::num::ParseFloatError")),
            Ty::Prim(prim) if prim == "bool" => Some(Ty::named("std::str::ParseBoolError")),
            Ty::Prim(prim) if prim == "char" => Some(Ty::named("std::char::ParseCharError")),
            Ty::Prim(_) => Some(Ty::named("std::num::ParseIntError")),
            _ => Some(Ty::named("std::convert::Infallible")),
        },
        ("ToOwned", "Owned") => Some(match ty {
            Ty::Str => Ty::named("std::string::String"),
            Ty::Slice(item) => Ty::Path {
                path: "std::vec::Vec".into(),
                args: vec![GenericArg::Type((**item).clone())],
            },
            other => other.clone(),
        }),
        ("BuildHasher", "Hasher") => Some(Ty::named("std::hash::DefaultHasher")),
        (name, "Output") if ARITHMETIC.contains(&name) => match ty {
            Ty::Ref { to, .. } => Some((**to).clone()).filter(|to| matches!(to, Ty::Prim(_))),
            Ty::Prim(_) => Some(ty.clone()),
            Ty::Path { path, .. } if path.starts_with("std::num::") => Some(ty.clone()),
            _ => None,
        },
        _ => None,
    }
}

fn item(ty: &Ty) -> Option<Ty> {
    match ty {
        Ty::Iter { item } | Ty::Array(item, _) => Some((**item).clone()),
        Ty::Ref { access, to } => {
            let inner = match &**to {
                Ty::Slice(item) | Ty::Array(item, _) => (**item).clone(),
                other => first(other)?,
            };
            Some(Ty::Ref { access: *access, to: Box::new(inner) })
        }
        Ty::Path { path, args } if path.ends_with("Map") => match args.as_slice() {
            [GenericArg::Type(key), GenericArg::Type(value), ..] => {
                Some(Ty::Tuple(vec![key.clone(), value.clone()]))
            }
            _ => None,
        },
        Ty::Path { path, .. } if path.starts_with("std::") => first(ty),
        _ => None,
    }
}

fn first(ty: &Ty) -> Option<Ty> {
    match ty {
        Ty::Path { args, .. } => args.iter().find_map(|arg| match arg {
            GenericArg::Type(ty) => Some(ty.clone()),
            _ => None,
        }),
        _ => None,
    }
}
