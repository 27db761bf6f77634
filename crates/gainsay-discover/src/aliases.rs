//! Type aliases in impl headers: `impl<T> Row<T, 4>` may be written for `type Row<T, const N: usize>
//! = RowInner<T, Storage<N>>`.

use std::{cmp::Reverse, collections::BTreeMap};

use gainsay_model::ty::{GenericArg as ConcreteArg, Ty};
use rustdoc_types::{
    self as rd, GenericArg, GenericArgs, GenericParamDefKind, Id, ItemEnum, Type, TypeAlias,
};

use crate::{
    index::{Index, is_lifetime, variables},
    lower::{Concrete, Env, Position, declared_order},
    merge::MERGED,
};

/// What the parameters of an alias stand for.
type Written = BTreeMap<String, GenericArg>;

/// Names of dependencies' types for each head: such as are neither plain nor deeply nested, those
/// that the subject's documentation speaks of first; then the one that it speaks of most.
pub(crate) fn names_of_foreign_types(krate: &rd::Crate, public: &Public) -> BTreeMap<Id, Vec<Id>> {
    let documented = words(krate);
    let mut ranked: BTreeMap<Id, Vec<Ranked<'_>>> = BTreeMap::new();
    for (id, path) in public {
        let Some(item) = krate.index.get(id).filter(|item| item.crate_id >= MERGED) else {
            continue;
        };
        if let ItemEnum::TypeAlias(TypeAlias { type_, generics }) = &item.inner
            && let (Type::ResolvedPath(head), true) = (type_, generics.params.is_empty())
        {
            let name = path.rsplit("::").next().unwrap_or(path);
            let spoken_of = documented.get(name).copied().unwrap_or(0);
            let oddness = depth(type_).abs_diff(USUAL_DEPTH);
            ranked.entry(head.id).or_default().push((Reverse(spoken_of), oddness, name, *id));
        }
    }
    ranked.into_iter().map(|(head, all)| (head, best(all))).collect()
}

/// Small numbers first: a container that is never full shows less.
fn best(mut all: Vec<Ranked<'_>>) -> Vec<Id> {
    all.sort_unstable();
    let is_small = |name: &&Ranked<'_>| name.1 <= 1;
    let mut found: Vec<Id> =
        all.iter().filter(is_small).take(MOST_NAMES).map(|(.., id)| *id).collect();
    let spoken_of = all.iter().filter(|(.., id)| !found.contains(id)).take(1).map(|(.., id)| *id);
    found.extend(spoken_of.collect::<Vec<_>>());
    found
}

/// An alias of a type that has no public name of its own.
pub(crate) struct OnlyName {
    /// The alias.
    alias: Id,
    path: String,
    /// The type behind it.
    head: Id,
}

/// The subject's aliases of types that no public path leads to, in order of their paths.
pub(crate) fn only_names(krate: &rd::Crate, public: &Public) -> Vec<OnlyName> {
    let mut names: Vec<OnlyName> = public
        .iter()
        .filter_map(|(id, path)| {
            let item = krate.index.get(id).filter(|item| item.crate_id == 0)?;
            let ItemEnum::TypeAlias(alias) = &item.inner else { return None };
            let Type::ResolvedPath(head) = &alias.type_ else { return None };
            let is_own = krate.paths.get(&head.id).is_none_or(|summary| summary.crate_id == 0);
            let hidden = is_own && !public.contains_key(&head.id);
            hidden.then(|| OnlyName { alias: *id, path: path.clone(), head: head.id })
        })
        .collect();
    names.sort_by(|a, b| a.path.cmp(&b.path));
    names
}

/// Public paths by item.
type Public = BTreeMap<Id, String>;

/// How often a name is spoken of, how unusual its type is, the name, and whose it is.
type Ranked<'a> = (Reverse<usize>, usize, &'a str, Id);

/// So many small names of a type are tried.
const MOST_NAMES: usize = 2;
/// A number as a type is a list of its digits: three of them are a small number.
const USUAL_DEPTH: usize = 3;

fn depth(ty: &Type) -> usize {
    let Type::ResolvedPath(path) = ty else { return 0 };
    let Some(GenericArgs::AngleBracketed { args, .. }) = path.args.as_deref() else { return 0 };
    let inner = args.iter().filter_map(|arg| match arg {
        GenericArg::Type(ty) => Some(depth(ty)),
        _ => None,
    });
    1 + inner.max().unwrap_or(0)
}

/// How often words occur in the subject's documentation.
fn words(krate: &rd::Crate) -> BTreeMap<&str, usize> {
    let mut words = BTreeMap::new();
    let docs = krate.index.values().filter(|item| item.crate_id == 0);
    for docs in docs.filter_map(|item| item.docs.as_deref()) {
        for word in docs.split(|c: char| !c.is_alphanumeric() && c != '_') {
            *words.entry(word).or_insert(0) += 1;
        }
    }
    words
}

impl<'a> Index<'a> {
    /// The alias that an item is.
    pub(crate) fn alias(&self, id: Id) -> Option<&'a TypeAlias> {
        match &self.item(id)?.inner {
            ItemEnum::TypeAlias(alias) => Some(alias),
            _ => None,
        }
    }
}

impl Concrete<'_> {
    /// A type that no public path leads to, by an alias that stands for it.
    pub(crate) fn by_only_name(&self, id: Id, given: &[ConcreteArg]) -> Option<Ty> {
        let mut names = self.index.only_names.iter().filter(|name| name.head == id);
        names.find_map(|name| {
            let alias = self.index.alias(name.alias)?;
            let Type::ResolvedPath(path) = &alias.type_ else { return None };
            let mut env = Env::new();
            let fits = self.matches_args(path, given, &variables(&alias.generics), &mut env);
            let args = declared_order(&alias.generics, &env);
            fits.then(|| Ty::Path { path: name.path.clone(), args })
        })
    }

    /// What is behind such an alias: the hidden type and its arguments.
    pub(crate) fn behind_only_name(
        &self,
        path: &str,
        args: &[ConcreteArg],
    ) -> Option<(Id, Vec<ConcreteArg>)> {
        let name = self.index.only_names.iter().find(|name| name.path == path)?;
        let alias = self.index.alias(name.alias)?;
        let env = self.assign(&alias.generics, args.to_vec()).ok()?;
        let Type::ResolvedPath(hidden) = &alias.type_ else { return None };
        let args = self.arguments(hidden, &env, Position::Argument).ok()?;
        Some((hidden.id, args))
    }

    /// What a path that names an alias stands for; parameters in it stay what they are.
    pub(crate) fn expanded(&self, path: &rd::Path) -> Option<Type> {
        let alias = self.index.alias(path.id)?;
        let given = match path.args.as_deref() {
            Some(GenericArgs::AngleBracketed { args, .. }) => args.as_slice(),
            _ => &[],
        };
        let mut given = given.iter().filter(|arg| !matches!(arg, GenericArg::Lifetime(_)));
        let mut written = Written::new();
        for param in alias.generics.params.iter().filter(|param| !is_lifetime(param)) {
            let default = match &param.kind {
                GenericParamDefKind::Type { default: Some(default), .. } => {
                    Some(GenericArg::Type(substituted(default, &written)))
                }
                _ => None,
            };
            written.insert(param.name.clone(), given.next().cloned().or(default)?);
        }
        Some(substituted(&alias.type_, &written))
    }
}

fn substituted(ty: &Type, written: &Written) -> Type {
    let inner = |ty: &Type| Box::new(substituted(ty, written));
    match ty {
        Type::Generic(name) => match written.get(name) {
            Some(GenericArg::Type(ty)) => ty.clone(),
            _ => ty.clone(),
        },
        Type::ResolvedPath(path) => {
            let args = path.args.as_deref().map(|args| Box::new(of_args(args, written)));
            Type::ResolvedPath(rd::Path { args, ..path.clone() })
        }
        Type::Array { type_, len } => {
            let len = match written.get(len) {
                Some(GenericArg::Const(constant)) => constant.expr.clone(),
                Some(GenericArg::Type(Type::Generic(name))) => name.clone(),
                _ => len.clone(),
            };
            Type::Array { type_: inner(type_), len }
        }
        Type::Slice(item) => Type::Slice(inner(item)),
        Type::Tuple(items) => {
            Type::Tuple(items.iter().map(|item| substituted(item, written)).collect())
        }
        Type::BorrowedRef { lifetime, is_mutable, type_ } => Type::BorrowedRef {
            lifetime: lifetime.clone(),
            is_mutable: *is_mutable,
            type_: inner(type_),
        },
        other => other.clone(),
    }
}

fn of_args(args: &GenericArgs, written: &Written) -> GenericArgs {
    let GenericArgs::AngleBracketed { args, constraints } = args else { return args.clone() };
    let one = |arg: &GenericArg| match arg {
        // A constant looks like a type or like an expression.
        GenericArg::Type(Type::Generic(name)) => written.get(name).unwrap_or(arg).clone(),
        GenericArg::Const(constant) => written.get(&constant.expr).unwrap_or(arg).clone(),
        GenericArg::Type(ty) => GenericArg::Type(substituted(ty, written)),
        other => other.clone(),
    };
    let args = args.iter().map(one).collect();
    GenericArgs::AngleBracketed { args, constraints: constraints.clone() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_names_go_before_those_that_are_spoken_of_more() {
        let check = |all: &[(usize, usize, &'static str)], expected: &[u32]| {
            let ranked = all.iter().zip(0..).map(|((spoken_of, depth, name), id)| {
                (Reverse(*spoken_of), depth.abs_diff(USUAL_DEPTH), *name, Id(id))
            });
            let expected: Vec<Id> = expected.iter().copied().map(Id).collect();
            assert_eq!(best(ranked.collect()), expected, "{all:?}");
        };
        check(&[(9, 7, "U64"), (0, 3, "U4"), (2, 4, "U8"), (0, 3, "U5")], &[2, 1, 0]);
        check(&[(0, 7, "U64"), (1, 9, "U256")], &[1]);
        check(&[(3, 3, "U4")], &[0]);
    }
}
