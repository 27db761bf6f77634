//! Whether a concrete type implements a trait: by the subject's impls, and by a table for std's
//! types. Where neither knows, the answer is the hopeful one, since rustc has the last word.

use gainsay_model::ty::{Access, FnKind, GenericArg, Ty};
use rustdoc_types::{
    self as rd, GenericBound, Generics, Term, TraitBoundModifier, Type, WherePredicate,
};

use crate::{
    index::{Implementation, Named, variables},
    lower::{Concrete, Env, Unfit, unnamed_default},
};

/// Whether a bound is met.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Answer {
    Yes,
    No,
    /// A parameter that it speaks of is not assigned yet.
    NotYet,
}

/// `subject: bounds`
pub(crate) struct Predicate<'a> {
    pub(crate) subject: Type,
    pub(crate) bounds: &'a [GenericBound],
}

/// All bounds of a list of parameters, wherever they are written.
pub(crate) fn predicates(generics: &Generics) -> Vec<Predicate<'_>> {
    let inline = generics.params.iter().filter_map(|param| match &param.kind {
        rd::GenericParamDefKind::Type { bounds, .. } if !bounds.is_empty() => {
            Some(Predicate { subject: Type::Generic(param.name.clone()), bounds })
        }
        _ => None,
    });
    let clauses = generics.where_predicates.iter().filter_map(|clause| match clause {
        WherePredicate::BoundPredicate { type_, bounds, .. } => {
            Some(Predicate { subject: type_.clone(), bounds })
        }
        _ => None,
    });
    inline.chain(clauses).collect()
}

impl Concrete<'_> {
    /// Whether all bounds of a predicate hold.
    pub(crate) fn check(&self, predicate: &Predicate<'_>, env: &Env) -> Answer {
        let subject = match self.lower(&predicate.subject, env) {
            Ok(subject) => subject,
            Err(Unfit::Unbound(_)) => return Answer::NotYet,
            Err(_) => return Answer::Yes,
        };
        let mut answer = Answer::Yes;
        for bound in predicate.bounds {
            match self.holds(&subject, bound, env) {
                Answer::No => return Answer::No,
                Answer::NotYet => answer = Answer::NotYet,
                Answer::Yes => {}
            }
        }
        answer
    }

    /// Whether one bound holds.
    pub(crate) fn holds(&self, ty: &Ty, bound: &GenericBound, env: &Env) -> Answer {
        if matches!(bound, GenericBound::Outlives(lifetime) if lifetime == "'static") {
            return if ty.is_borrowed() { Answer::No } else { Answer::Yes };
        }
        let GenericBound::TraitBound { trait_, modifier, .. } = bound else { return Answer::Yes };
        if *modifier != TraitBoundModifier::None {
            return Answer::Yes;
        }
        let args = match self.trait_args(trait_, env) {
            Ok(args) => args,
            Err(Unfit::Unbound(_)) => return Answer::NotYet,
            Err(_) => Vec::new(),
        };
        if !self.implements(ty, trait_, &args) {
            return Answer::No;
        }
        self.constraints_hold(ty, trait_, env)
    }

    /// The type arguments of a trait's path.
    pub(crate) fn trait_args(&self, path: &rd::Path, env: &Env) -> Result<Vec<Ty>, Unfit> {
        let Some(rd::GenericArgs::AngleBracketed { args, .. }) = path.args.as_deref() else {
            return Ok(Vec::new());
        };
        args.iter()
            .filter_map(|arg| match arg {
                rd::GenericArg::Type(ty) => Some(self.lower(ty, env)),
                _ => None,
            })
            .collect()
    }

    /// `Trait<Item = X>`: whether the associated types are as asked.
    fn constraints_hold(&self, ty: &Ty, path: &rd::Path, env: &Env) -> Answer {
        let Some(rd::GenericArgs::AngleBracketed { constraints, .. }) = path.args.as_deref() else {
            return Answer::Yes;
        };
        for constraint in constraints {
            let rd::AssocItemConstraintKind::Equality(Term::Type(wanted)) = &constraint.binding
            else {
                continue;
            };
            let Some(found) = self.project(ty, path, &constraint.name) else { continue };
            match self.lower(wanted, env) {
                Ok(wanted) if wanted != found => return Answer::No,
                Err(Unfit::Unbound(_)) => return Answer::NotYet,
                _ => {}
            }
        }
        Answer::Yes
    }

    /// Whether `ty: Trait<args>`. A question that is being answered already counts as yes.
    pub(crate) fn implements(&self, ty: &Ty, path: &rd::Path, args: &[Ty]) -> bool {
        let name = self.index.trait_name(path);
        let key = (ty.clone(), name.clone(), args.to_vec());
        if let Some(known) = self.proved.borrow().get(&key) {
            return known.unwrap_or(true);
        }
        self.proved.borrow_mut().insert(key.clone(), None);
        let answer = self.decide(ty, path, &name, args);
        self.proved.borrow_mut().insert(key, Some(answer));
        answer
    }

    fn decide(&self, ty: &Ty, path: &rd::Path, name: &str, args: &[Ty]) -> bool {
        if *ty == unnamed_default() || self.index.is_private_trait(path.id) {
            return true;
        }
        if self.index.impls_of(path.id).any(|imp| self.applies(imp, ty, args).is_some()) {
            return true;
        }
        match self.index.named(path.id, &path.path) {
            Named::Local(_) => false,
            Named::Std(_) => {
                let short = name.rsplit("::").next().unwrap_or(name);
                if self.is_subject_type(ty) {
                    own_type(short, ty, args)
                } else {
                    self.std_type(short, name, ty, args)
                }
            }
            // Nothing is known of other crates' impls: the probe has none, plain types may.
            Named::Foreign(_) => {
                args.contains(ty) || !mentions_probe(ty) && !self.is_subject_type(ty)
            }
        }
    }

    /// The assignment under which an impl block covers `ty` and the trait's `args`.
    pub(crate) fn applies(&self, imp: Implementation<'_>, ty: &Ty, args: &[Ty]) -> Option<Env> {
        let names = variables(&imp.inner.generics);
        let mut env = Env::new();
        if !self.matches(&imp.inner.for_, ty, &names, &mut env) {
            return None;
        }
        env.insert("Self".into(), GenericArg::Type(ty.clone()));
        if let Some(rd::GenericArgs::AngleBracketed { args: written, .. }) =
            imp.inner.trait_.as_ref().and_then(|path| path.args.as_deref())
        {
            let types = written.iter().filter_map(|arg| match arg {
                rd::GenericArg::Type(ty) => Some(ty),
                _ => None,
            });
            for (pattern, arg) in types.zip(args) {
                if !self.matches(pattern, arg, &names, &mut env) {
                    return None;
                }
            }
        } else if args.first().is_some_and(|arg| arg != ty) {
            // `impl PartialEq for T` means `PartialEq<T>`.
            return None;
        }
        let met = |predicate: &Predicate<'_>| self.check(predicate, &env) != Answer::No;
        predicates(&imp.inner.generics).iter().all(met).then_some(env)
    }

    /// Whether an impl block covers `ty` for some arguments of its trait.
    pub(crate) fn applies_to(&self, imp: Implementation<'_>, ty: &Ty) -> bool {
        self.applies(imp, ty, &[]).is_some()
    }

    /// Whether a type is one of the subject's own.
    pub(crate) fn is_subject_type(&self, ty: &Ty) -> bool {
        matches!(ty, Ty::Path { path, .. } if self.index.types.contains_key(path))
    }

    fn std_type(&self, short: &str, name: &str, ty: &Ty, args: &[Ty]) -> bool {
        match short {
            "Copy" | "Clone" | "Debug" | "PartialEq" | "Eq" | "PartialOrd" | "Ord" | "Hash"
            | "Default" => {
                let same = args.first().is_none_or(|arg| arg == ty);
                same && self.structural(short, ty)
            }
            "Display" | "ToString" => matches!(ty, Ty::Prim(_) | Ty::Probe | Ty::Str) || is(ty, "std::string::String") || is_error(ty) || in_module(ty, "std::net::") || behind(ty).is_some_and(|to| self.std_type(short, name, to, args)),
            "FromStr" => matches!(ty, Ty::Prim(_)) || is(ty, "std::string::String") || in_module(ty, "std::net::"),
            "Fn" | "FnMut" | "FnOnce" => closure_kind(ty).is_some_and(|kind| fits(kind, short)),
            "Iterator" | "DoubleEndedIterator" | "ExactSizeIterator" | "FusedIterator" => {
                matches!(ty, Ty::Iter { .. }) || is(ty, "std::vec::IntoIter") || is(ty, "std::ops::Range")
            }
            "IntoIterator" => {
                matches!(ty, Ty::Iter { .. } | Ty::Array(..)) || iterable(ty) || behind(ty).is_some_and(iterable)
            }
            "Borrow" | "BorrowMut" => args.first().is_none_or(|to| to == ty || views_as(ty, to)),
            "AsRef" | "AsMut" => args.first().is_none_or(|to| views_as(ty, to) || behind(ty).is_some_and(|inner| inner == to || views_as(inner, to))),
            "Into" | "From" | "TryInto" | "TryFrom" => args.first().is_none_or(|to| to == ty || matches!(ty, Ty::Prim(_))),
            "RangeBounds" => args.first().is_none_or(|index| matches!(ty, Ty::Path { path, args } if path.starts_with("std::ops::Range") && args.first() == Some(&GenericArg::Type(index.clone())))),
            "BuildHasher" => is(ty, "std::hash::RandomState") || is(ty, "std::hash::BuildHasherDefault"),
            "Hasher" => is(ty, "std::hash::DefaultHasher"),
            "Write" if name.starts_with("std::fmt") => is(ty, "std::string::String"),
            "Read" | "BufRead" | "Seek" | "Write" => {
                is(ty, "std::io::Cursor")
                    || (short == "Write" && (is(ty, "std::vec::Vec") || is(ty, "std::io::Sink")))
                    || (short.ends_with("Read") && is(ty, "std::io::Empty"))
                    || matches!(ty, Ty::Ref { access: Access::Exclusive, to } if self.std_type(short, name, to, args))
            }
            "Error" => *ty == Ty::Probe || is_error(ty),
            "FromIterator" | "Extend" => iterable(ty) || (is(ty, "std::string::String") && args.first().is_none_or(|item| *item == Ty::prim("char"))),
            "Index" | "IndexMut" => is(ty, "std::vec::Vec") || matches!(ty, Ty::Slice(_) | Ty::Array(..)),
            "ToOwned" => true,
            "SliceIndex" => *ty == Ty::prim("usize"),
            "Deref" | "DerefMut" => {
                is(ty, "std::vec::Vec") || is(ty, "std::boxed::Box") || is(ty, "std::string::String")
                    || (short == "Deref" && (is(ty, "std::rc::Rc") || is(ty, "std::sync::Arc")))
                    || matches!(ty, Ty::Ref { access, .. } if short == "Deref" || *access == Access::Exclusive)
            }
            "ToSocketAddrs" => is(ty, "std::net::SocketAddr"),
            "Binary" | "LowerHex" | "UpperHex" | "Octal" | "Step" => matches!(ty, Ty::Prim(name) if name != "bool"),
            _ if AUTO.contains(&short) => true,
            _ if ARITHMETIC.contains(&short) => arithmetic(short, ty),
            // A trait that no table knows: rustc does.
            _ => !mentions_probe(ty) && !matches!(ty, Ty::Closure { .. } | Ty::Iter { .. }),
        }
    }

    /// Traits that a compound type has when its parts have them.
    fn structural(&self, name: &str, ty: &Ty) -> bool {
        let part = |ty: &Ty| {
            if self.is_subject_type(ty) {
                self.subject_has(name, ty)
            } else {
                self.structural(name, ty)
            }
        };
        match ty {
            Ty::Prim(prim) if prim.starts_with('f') => !matches!(name, "Eq" | "Ord" | "Hash"),
            Ty::Unit | Ty::Never | Ty::Prim(_) => true,
            Ty::Probe => name != "Copy",
            Ty::Str => !matches!(name, "Copy" | "Clone" | "Default"),
            Ty::Ref { access: Access::Shared, to } => {
                matches!(name, "Copy" | "Clone") || (name != "Default" && part(to))
            }
            Ty::Ref { to, .. } => !matches!(name, "Copy" | "Clone" | "Default") && part(to),
            Ty::Slice(item) => !matches!(name, "Copy" | "Clone" | "Default") && part(item),
            Ty::Array(item, _) => part(item),
            Ty::Tuple(items) => items.iter().all(part),
            Ty::Closure { kind: FnKind::Pointer, .. } => name != "Default",
            Ty::Closure { .. } | Ty::Iter { .. } | Ty::Opaque => matches!(name, "Clone" | "Debug"),
            Ty::Path { path, args } => {
                let short = path.rsplit("::").next().unwrap_or(path);
                let here = match short {
                    "Option" | "Reverse" | "Wrapping" | "Saturating" | "Result" => true,
                    "Duration" | "NonZero" | "Ordering" | "PhantomData" | "Infallible"
                    | "Instant" => name != "Default" || matches!(short, "Duration" | "PhantomData"),
                    "HashMap" | "HashSet" => {
                        !matches!(name, "Copy" | "PartialOrd" | "Ord" | "Hash")
                    }
                    "Range" => !matches!(name, "Copy" | "PartialOrd" | "Ord"),
                    "RandomState" | "DefaultHasher" => {
                        matches!(name, "Clone" | "Debug" | "Default")
                    }
                    _ => name != "Copy",
                };
                here && (name == "Default"
                    || args.iter().all(|arg| !matches!(arg, GenericArg::Type(ty) if !part(ty))))
            }
        }
    }

    /// Whether a type of the subject has one of the structural traits, by its own impls.
    fn subject_has(&self, name: &str, ty: &Ty) -> bool {
        self.index.impls.iter().any(|imp| {
            imp.inner
                .trait_
                .as_ref()
                .is_some_and(|path| path.path.rsplit("::").next() == Some(name))
                && self.applies(*imp, ty, &[]).is_some()
        })
    }
}

const AUTO: &[&str] = &[
    "Sized",
    "Send",
    "Sync",
    "Unpin",
    "UnwindSafe",
    "RefUnwindSafe",
    "Any",
    "Freeze",
    "MetaSized",
    "Destruct",
];

pub(crate) const ARITHMETIC: &[&str] = &[
    "Add",
    "Sub",
    "Mul",
    "Div",
    "Rem",
    "Neg",
    "Not",
    "BitAnd",
    "BitOr",
    "BitXor",
    "Shl",
    "Shr",
    "AddAssign",
    "SubAssign",
    "MulAssign",
    "DivAssign",
    "RemAssign",
    "BitAndAssign",
    "BitOrAssign",
    "BitXorAssign",
    "ShlAssign",
    "ShrAssign",
    "Sum",
    "Product",
];

/// Traits of the subject's types that come from blanket impls or from the compiler.
fn own_type(short: &str, ty: &Ty, args: &[Ty]) -> bool {
    let reflexive =
        matches!(short, "Borrow" | "BorrowMut" | "Into" | "From" | "TryInto" | "TryFrom");
    AUTO.contains(&short)
        || short == "ToOwned"
        || (reflexive && args.first().is_none_or(|arg| arg == ty))
}

pub(crate) fn is(ty: &Ty, name: &str) -> bool {
    matches!(ty, Ty::Path { path, .. } if path == name)
}

fn in_module(ty: &Ty, module: &str) -> bool {
    matches!(ty, Ty::Path { path, .. } if path.starts_with(module))
}

/// std's errors are named so.
fn is_error(ty: &Ty) -> bool {
    matches!(ty, Ty::Path { path, .. } if path.starts_with("std::") && path.ends_with("Error"))
}

/// Operators on numbers, on references to them, and on what wraps around.
fn arithmetic(short: &str, ty: &Ty) -> bool {
    match ty {
        Ty::Prim(name) if matches!(short, "Not" | "BitAnd" | "BitOr" | "BitXor") => {
            name != "char" && !name.starts_with('f')
        }
        Ty::Prim(name) if matches!(short, "Shl" | "Shr" | "ShlAssign" | "ShrAssign") => {
            !matches!(name.as_str(), "bool" | "char" | "f32" | "f64")
        }
        Ty::Prim(name) if short == "Neg" => name.starts_with(['i', 'f']),
        Ty::Prim(name) => name != "bool" && name != "char",
        Ty::Ref { access: Access::Shared, to } if !short.ends_with("Assign") => {
            arithmetic(short, to)
        }
        Ty::Path { path, .. } => {
            matches!(path.as_str(), "std::num::Wrapping" | "std::num::Saturating")
        }
        _ => false,
    }
}

fn behind(ty: &Ty) -> Option<&Ty> {
    match ty {
        Ty::Ref { to, .. } => Some(to),
        _ => None,
    }
}

pub(crate) fn mentions_probe(ty: &Ty) -> bool {
    match ty {
        Ty::Probe => true,
        Ty::Ref { to, .. } | Ty::Slice(to) | Ty::Array(to, _) => mentions_probe(to),
        Ty::Tuple(items) => items.iter().any(mentions_probe),
        Ty::Path { args, .. } => {
            args.iter().any(|arg| matches!(arg, GenericArg::Type(ty) if mentions_probe(ty)))
        }
        _ => false,
    }
}

/// std types that can be iterated by value, by their first argument.
fn iterable(ty: &Ty) -> bool {
    const ITERABLE: &[&str] = &[
        "std::vec::Vec",
        "std::vec::IntoIter",
        "std::option::Option",
        "std::collections::VecDeque",
        "std::collections::BTreeSet",
        "std::collections::HashSet",
        "std::collections::BinaryHeap",
        "std::collections::LinkedList",
        "std::ops::Range",
        "std::collections::BTreeMap",
        "std::collections::HashMap",
    ];
    ITERABLE.iter().any(|name| is(ty, name)) || matches!(ty, Ty::Slice(_) | Ty::Array(..))
}

/// `AsRef` and `Borrow` of std's types.
fn views_as(ty: &Ty, to: &Ty) -> bool {
    match (ty, to) {
        (Ty::Path { path, .. }, Ty::Str) => path == "std::string::String",
        (Ty::Str, Ty::Str) => true,
        (Ty::Path { path, args }, Ty::Slice(item)) => {
            (path == "std::vec::Vec" && args.first() == Some(&GenericArg::Type((**item).clone())))
                || (path == "std::string::String" && **item == Ty::prim("u8"))
        }
        (Ty::Array(item, _) | Ty::Slice(item), Ty::Slice(to)) => item == to,
        (Ty::Str, Ty::Slice(item)) => **item == Ty::prim("u8"),
        (Ty::Path { path, .. }, Ty::Path { path: to, .. }) => {
            matches!(
                path.as_str(),
                "std::string::String" | "std::path::PathBuf" | "std::ffi::OsString"
            ) && matches!(to.as_str(), "std::path::Path" | "std::ffi::OsStr")
        }
        (Ty::Str, Ty::Path { path: to, .. }) => {
            matches!(to.as_str(), "std::path::Path" | "std::ffi::OsStr")
        }
        _ => false,
    }
}

fn closure_kind(ty: &Ty) -> Option<FnKind> {
    match ty {
        Ty::Closure { kind, .. } => Some(*kind),
        _ => None,
    }
}

fn fits(kind: FnKind, name: &str) -> bool {
    match name {
        _ if kind == FnKind::Pointer => true,
        "Fn" => kind == FnKind::Fn,
        "FnMut" => kind != FnKind::FnOnce,
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operators_are_those_that_numbers_have() {
        let check = |name: &str, ty: Ty, expected: bool| {
            assert_eq!(arithmetic(name, &ty), expected, "{ty}: {name}");
        };
        check("Add", Ty::prim("f64"), true);
        check("Add", Ty::prim("char"), false);
        check("Shl", Ty::prim("f64"), false);
        check("Not", Ty::prim("bool"), true);
        check("Neg", Ty::prim("u8"), false);
        check("Add", Ty::prim("u8").shared(), true);
        check("AddAssign", Ty::prim("u8").shared(), false);
        check("Add", Ty::Probe, false);
    }
}
