//! The concrete instantiations of each of the subject's types: one that suits most of its
//! methods, and few more for impl blocks that ask for something else.

use std::{
    cmp::Reverse,
    collections::{BTreeMap, BTreeSet},
};

use gainsay_model::{
    api::{Callee, Operation},
    ty::{FnKind, GenericArg, Ty},
};
use rustdoc_types::{GenericParamDef, GenericParamDefKind, Generics, Id, Impl};

use crate::{
    capabilities::{Answer, mentions_probe, predicates},
    concrete::Level,
    index::Implementation,
    lower::{Concrete, Env, Unfit, declared_order, unnamed_default},
    variants::{self, Variant, is_sound},
};

/// Instantiations of a type that a method is called on.
pub(crate) const MOST_INSTANCES: usize = 3;

/// Instantiations a type may have where impl blocks ask for each of them, such as those that a
/// macro writes for all integers.
const MOST_ASKED_FOR: usize = 14;

/// Variants may add one function for so many.
const MOST_GROWTH: usize = 3;

/// Variants of a type, with those that other variants give.
const MOST_VARIANTS: usize = 2;

/// Instantiations that a type may have which borrows or is borrowed: its makers decide.
const MOST_BORROWED: usize = 4;

/// Instantiations by type.
pub(crate) struct Instances {
    by_type: BTreeMap<Id, Vec<Ty>>,
    /// Types that borrow or have no size, not yet made up.
    pending: BTreeSet<Id>,
    /// Instances beside those that were chosen, on which less is called.
    varied: BTreeSet<Ty>,
}

/// Why there is an instance.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// It suits many functions, or something asks for it.
    Chosen,
    /// It is one more of its kind.
    Variant,
}

impl Instances {
    /// Chooses instantiations for every owned, sized type of the subject. The others must agree
    /// with what operations make: they wait for [`Instances::note`].
    pub(crate) fn choose(concrete: &Concrete<'_>) -> Instances {
        let mut by_type = BTreeMap::new();
        let mut pending = BTreeSet::new();
        for id in concrete.index.types.values() {
            if is_owned(concrete, *id) {
                by_type.insert(*id, choose_for(concrete, *id));
            } else {
                by_type.insert(*id, Vec::new());
                pending.insert(*id);
            }
        }
        let mut instances = Instances { by_type, pending, varied: BTreeSet::new() };
        instances.vary(concrete);
        instances
    }

    /// Gives types one more instance, those with most functions first, as long as the harness grows
    /// by no more than a share.
    fn vary(&mut self, concrete: &Concrete<'_>) {
        let own = self.by_type.iter().filter(|(id, _)| concrete.index.is_own(**id));
        let all = own.clone().flat_map(|(id, known)| {
            known.iter().map(|ty| variants::count(concrete, *id, ty)).take(MOST_INSTANCES)
        });
        let mut room = all.sum::<usize>() / MOST_GROWTH;
        let proposed = own.flat_map(|(id, known)| {
            variants::variants(concrete, *id, known).into_iter().map(|variant| (*id, variant))
        });
        let mut proposed: Vec<(Id, Variant)> = proposed.collect();
        proposed.sort_by_key(|(_, variant)| Reverse(variant.functions));
        for (id, variant) in proposed {
            if let Some(rest) = room.checked_sub(variant.functions) {
                room = rest;
                self.by_type.entry(id).or_default().push(variant.ty.clone());
                self.varied.insert(variant.ty);
            }
        }
    }

    /// Chooses instantiations for the waiting types that nothing made: they may have makers of
    /// their own. So may those that were made of something else than the probe, which shows more.
    /// Tells whether there were any.
    pub(crate) fn make_up(&mut self, concrete: &Concrete<'_>) -> bool {
        let mut any = false;
        for id in std::mem::take(&mut self.pending) {
            let known = self.by_type.entry(id).or_default();
            if known.is_empty() {
                *known = choose_for(concrete, id);
                any |= !known.is_empty();
            } else if !known.iter().any(mentions_probe) {
                let probed = choose_for(concrete, id).into_iter().find(mentions_probe);
                any |= probed.is_some();
                known.extend(probed);
            }
        }
        any
    }

    /// Whether an instance is one more of its kind.
    pub(crate) fn is_variant(&self, ty: &Ty) -> bool {
        self.varied.contains(ty)
    }

    pub(crate) fn of(&self, id: Id) -> &[Ty] {
        self.by_type.get(&id).map_or(&[], Vec::as_slice)
    }

    /// Adds what an operation makes. What a variant gives is a variant, too.
    pub(crate) fn note_result(&mut self, concrete: &Concrete<'_>, operation: &Operation) -> bool {
        let kind = match &operation.callee {
            Callee::Inherent { ty, .. } | Callee::Trait { ty, .. }
                if self.is_variant(ty.referent()) =>
            {
                Kind::Variant
            }
            _ => Kind::Chosen,
        };
        self.note(concrete, &operation.result, kind)
    }

    /// Adds the instantiations of the subject's types that occur in `ty`, room permitting.
    /// Tells whether there was anything new.
    fn note(&mut self, concrete: &Concrete<'_>, ty: &Ty, kind: Kind) -> bool {
        let mut added = false;
        match ty {
            Ty::Path { path, args } => {
                for arg in args {
                    if let GenericArg::Type(ty) = arg {
                        added |= self.note(concrete, ty, kind);
                    }
                }
                let id = concrete.index.types.get(path);
                let most = match id {
                    _ if kind == Kind::Variant => MOST_VARIANTS,
                    Some(id) if is_owned(concrete, *id) && is_flat(concrete, args) => {
                        MOST_ASKED_FOR
                    }
                    Some(id) if is_owned(concrete, *id) => MOST_INSTANCES,
                    _ => MOST_BORROWED,
                };
                if let Some(known) = id.and_then(|id| self.by_type.get_mut(id))
                    && !is_vague(ty)
                    && !known.contains(ty)
                    && known
                        .iter()
                        .filter(|ty| self.varied.contains(*ty) == (kind == Kind::Variant))
                        .count()
                        < most
                {
                    known.push(ty.clone());
                    if kind == Kind::Variant {
                        self.varied.insert(ty.clone());
                    }
                    added = true;
                }
            }
            Ty::Ref { to, .. } => added |= self.note(concrete, to, kind),
            Ty::Tuple(items) => {
                for item in items {
                    added |= self.note(concrete, item, kind);
                }
            }
            Ty::Array(item, _) | Ty::Slice(item) => added |= self.note(concrete, item, kind),
            _ => {}
        }
        added
    }
}

/// Whether no type of a crate is among the arguments: then instantiations do not breed more.
fn is_flat(concrete: &Concrete<'_>, args: &[GenericArg]) -> bool {
    args.iter().all(|arg| match arg {
        GenericArg::Type(Ty::Path { path, args }) => {
            !concrete.index.types.contains_key(path) && is_flat(concrete, args)
        }
        GenericArg::Type(Ty::Prim(_) | Ty::Probe) | GenericArg::Const(_) => true,
        _ => false,
    })
}

/// Whether a type is without lifetime parameters and has a size.
fn is_owned(concrete: &Concrete<'_>, id: Id) -> bool {
    let generics = concrete.index.type_generics(id);
    let borrows = generics.is_some_and(|generics| {
        generics.params.iter().any(|p| matches!(p.kind, GenericParamDefKind::Lifetime { .. }))
    });
    !borrows && concrete.index.is_sized(id)
}

/// Whether parts of a type are unknown or stand for many types.
pub(crate) fn is_vague(ty: &Ty) -> bool {
    match ty {
        Ty::Closure { kind: FnKind::Pointer, args, ret } => {
            args.iter().any(is_vague) || is_vague(ret)
        }
        Ty::Opaque | Ty::Closure { .. } | Ty::Iter { .. } => true,
        Ty::Path { path, .. } if path.is_empty() => true,
        Ty::Ref { to, .. } | Ty::Slice(to) | Ty::Array(to, _) => is_vague(to),
        Ty::Tuple(items) => items.iter().any(is_vague),
        Ty::Path { args, .. } => {
            args.iter().any(|arg| matches!(arg, GenericArg::Type(ty) if is_vague(ty)))
        }
        _ => false,
    }
}

fn choose_for(concrete: &Concrete<'_>, id: Id) -> Vec<Ty> {
    let impls: Vec<Implementation<'_>> = concrete
        .index
        .impls
        .iter()
        .filter(|imp| {
            concrete.index.head(&imp.inner.for_) == Some(id) && !imp.inner.items.is_empty()
        })
        .copied()
        .collect();
    let mut options: Vec<Ty> = by_definition(concrete, id).into_iter().collect();
    options.extend(by_aliases(concrete, id));
    for imp in impls.iter().filter(|imp| imp.inner.trait_.is_none()) {
        options.extend(by_impl(concrete, *imp, id).filter(|ty| !options.contains(ty)));
    }
    let score = |ty: &Ty| -> usize {
        let own = impls.iter().filter(|imp| covers(concrete, **imp, ty));
        own.map(|imp| imp.inner.items.len()).sum()
    };
    let Some(first) = favourite(&options, score) else { return Vec::new() };
    let mut chosen = vec![first.clone()];
    // Of a dependency's types only values are of use.
    let most = if concrete.index.is_own(id) { MOST_ASKED_FOR } else { MOST_INSTANCES };
    for imp in &impls {
        if chosen.len() < most && !chosen.iter().any(|ty| covers(concrete, *imp, ty)) {
            chosen.extend(by_impl(concrete, *imp, id).filter(|ty| !chosen.contains(ty)));
        }
    }
    for imp in &impls {
        for_methods(concrete, *imp, id, &mut chosen);
    }
    chosen
}

/// The option that suits most methods. The probe shows more than an integer: options with one go
/// first unless they suit less than half as many.
fn favourite(options: &[Ty], score: impl Fn(&Ty) -> usize) -> Option<&Ty> {
    // The first of the best: `max_by_key` alone would give the last.
    let best = |wanted: &dyn Fn(&Ty) -> bool| {
        options.iter().rev().filter(|ty| wanted(ty)).max_by_key(|ty| score(ty))
    };
    let any = best(&|_| true)?;
    match best(&mentions_probe) {
        Some(probed) if score(probed) * 2 >= score(any) => Some(probed),
        _ => Some(any),
    }
}

/// Methods may ask for more than their impl block does: `fn fill(&mut self) where T: Copy`.
fn for_methods(concrete: &Concrete<'_>, imp: Implementation<'_>, id: Id, chosen: &mut Vec<Ty>) {
    for (_, function) in concrete.index.functions(&imp.inner.items) {
        let asked = &function.generics.where_predicates;
        let fits = |ty: &Ty| {
            let env = concrete.applies(imp, &wrapped(&imp.inner.for_, ty), &[]);
            let own = predicates(&function.generics);
            env.is_some_and(|env| own.iter().all(|p| concrete.check(p, &env) != Answer::No))
        };
        if asked.is_empty() || chosen.len() >= MOST_INSTANCES || chosen.iter().any(fits) {
            continue;
        }
        let mut generics = imp.inner.generics.clone();
        generics.where_predicates.extend(asked.iter().cloned());
        let inner = Impl { generics, ..imp.inner.clone() };
        let stricter = Implementation { id: imp.id, inner: &inner };
        chosen.extend(by_impl(concrete, stricter, id).filter(|ty| !chosen.contains(ty)));
    }
}

fn by_definition(concrete: &Concrete<'_>, id: Id) -> Option<Ty> {
    let generics = concrete.index.type_generics(id)?;
    let env = concrete.solve(generics, &unnamed(concrete, generics), Level::Type, None).ok()?;
    let path = concrete.index.public.get(&id)?.clone();
    Some(Ty::Path { path, args: declared_order(generics, &env) })
}

/// Instantiations that the subject has a name for: `type FastMap<K, V> = Map<K, V, FastHasher>`.
fn by_aliases(concrete: &Concrete<'_>, id: Id) -> Vec<Ty> {
    let Some(generics) = concrete.index.type_generics(id) else { return Vec::new() };
    let own = concrete.index.public.keys().filter(|alias| concrete.index.is_own(**alias));
    let aliases = own.filter_map(|alias| concrete.index.alias(*alias));
    let meant = aliases.filter(
        |alias| matches!(&alias.type_, rustdoc_types::Type::ResolvedPath(path) if path.id == id),
    );
    let instance = |alias: &rustdoc_types::TypeAlias| {
        let env = concrete.solve(&alias.generics, &Env::new(), Level::Type, None).ok()?;
        concrete.lower(&alias.type_, &env).ok().filter(|ty| is_sound(concrete, generics, ty))
    };
    meant.filter_map(instance).collect()
}

/// Parameters whose declared default cannot be written.
fn unnamed(concrete: &Concrete<'_>, generics: &Generics) -> Env {
    let is_unnamed = |param: &&GenericParamDef| match &param.kind {
        GenericParamDefKind::Type { default: Some(default), .. } => {
            matches!(concrete.lower(default, &Env::new()), Err(Unfit::Unnameable(_)))
        }
        _ => false,
    };
    let value = GenericArg::Type(unnamed_default());
    generics.params.iter().filter(is_unnamed).map(|p| (p.name.clone(), value.clone())).collect()
}

/// An instantiation that an impl block covers.
fn by_impl(concrete: &Concrete<'_>, imp: Implementation<'_>, id: Id) -> Option<Ty> {
    let env = concrete.solve(&imp.inner.generics, &Env::new(), Level::Type, None).ok()?;
    let ty = owned(concrete.lower(&imp.inner.for_, &env).ok()?);
    is_sound(concrete, concrete.index.type_generics(id)?, &ty).then_some(ty)
}

fn owned(ty: Ty) -> Ty {
    match ty {
        Ty::Ref { to, .. } => owned(*to),
        other => other,
    }
}

/// Whether an impl block covers a type, or a reference to it if that is what it is for.
fn covers(concrete: &Concrete<'_>, imp: Implementation<'_>, ty: &Ty) -> bool {
    concrete.applies_to(imp, &wrapped(&imp.inner.for_, ty))
}

/// `ty` behind the references that an impl header writes.
pub(crate) fn wrapped(for_: &rustdoc_types::Type, ty: &Ty) -> Ty {
    match for_ {
        rustdoc_types::Type::BorrowedRef { is_mutable: true, type_, .. } => {
            wrapped(type_, ty).exclusive()
        }
        rustdoc_types::Type::BorrowedRef { type_, .. } => wrapped(type_, ty).shared(),
        _ => ty.clone(),
    }
}
