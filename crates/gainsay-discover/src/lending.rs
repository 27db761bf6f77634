//! What the result of a function may borrow from: read off the lifetimes of its signature.

use std::collections::BTreeSet;

use gainsay_model::{
    api::Lending,
    ty::{GenericArg, Ty},
};
use rustdoc_types::{self as rd, FunctionSignature, GenericParamDefKind, Generics, Type};

use crate::{index::Index, lower::Env, std_paths};

/// A function in its surroundings.
pub(crate) struct Signature<'a> {
    pub(crate) index: &'a Index<'a>,
    pub(crate) sig: &'a FunctionSignature,
    pub(crate) generics: &'a Generics,
    /// What `Self` is: the type of the impl header.
    pub(crate) owner: Option<&'a Type>,
    /// Lifetimes of `Self` where no header tells them: those of a struct's definition.
    pub(crate) declared: Vec<&'a str>,
}

/// Lifetimes that occur in a type, by name; what is elided has a name of its own.
#[derive(Default)]
struct Lifetimes<'a> {
    /// On references.
    refs: BTreeSet<&'a str>,
    /// As arguments of types.
    args: BTreeSet<&'a str>,
}

const ELIDED: &str = "'_";
/// Elided in an impl header: it is a lifetime of `Self`, not of the function.
const OF_HEADER: &str = "'_ of the impl";

impl<'a> Signature<'a> {
    /// Whether objects made by a call may refer to its operands. Where in doubt they may.
    pub(crate) fn lending(&self, env: &Env, result: &Ty) -> Lending {
        let made = holds_borrowed_object(result);
        if self.feeds_a_borrower() || made && (self.lends() || self.hides_a_reference(env)) {
            Lending::Operands
        } else {
            Lending::Inherited
        }
    }

    /// Whether a lifetime of the output stands on a reference among the inputs.
    fn lends(&self) -> bool {
        let inputs = self.inputs();
        let output = self.sig.output.as_ref().map(|output| self.of(output)).unwrap_or_default();
        let mut wanted: BTreeSet<&str> = output.refs.union(&output.args).copied().collect();
        if wanted.contains(ELIDED)
            && let Some((_, receiver)) = self.receiver()
        {
            wanted.extend(self.of(receiver).refs);
        }
        let is_own = |name: &&&str| self.generics.params.iter().any(|param| param.name == ***name);
        let related = self.relates_lifetimes() && wanted.iter().any(|name| is_own(&name));
        !wanted.is_disjoint(&inputs.refs) || related && !inputs.refs.is_empty()
    }

    /// `&mut Parser<'a>` that is given a `&'a str`.
    fn feeds_a_borrower(&self) -> bool {
        self.sig.inputs.iter().enumerate().any(|(at, (_, ty))| {
            let Type::BorrowedRef { is_mutable: true, type_, .. } = ty else { return false };
            let kept = self.of(type_);
            let kept: BTreeSet<&str> = kept.refs.union(&kept.args).copied().collect();
            let others = self.sig.inputs.iter().enumerate().filter(|(other, _)| *other != at);
            others.into_iter().any(|(_, (_, other))| {
                let given = self.of(other).refs;
                given.iter().any(|name| *name != ELIDED && kept.contains(name))
            })
        })
    }

    /// Whether a type parameter stands for a reference.
    fn hides_a_reference(&self, env: &Env) -> bool {
        let refers =
            |name: &str| matches!(env.get(name), Some(GenericArg::Type(ty)) if has_reference(ty));
        self.sig.inputs.iter().any(|(_, ty)| mentions_parameter(ty, &refers))
    }

    fn relates_lifetimes(&self) -> bool {
        let outlives = |param: &rd::GenericParamDef| matches!(&param.kind, GenericParamDefKind::Lifetime { outlives } if !outlives.is_empty());
        let clause = |clause: &rd::WherePredicate| {
            matches!(clause, rd::WherePredicate::LifetimePredicate { .. })
        };
        self.generics.params.iter().any(outlives)
            || self.generics.where_predicates.iter().any(clause)
    }

    fn receiver(&self) -> Option<&'a (String, Type)> {
        let first = self.sig.inputs.first().filter(|(name, _)| name == "self")?;
        (!self.of(&first.1).refs.is_empty()).then_some(first)
    }

    fn inputs(&self) -> Lifetimes<'a> {
        let mut all = Lifetimes::default();
        for (_, ty) in &self.sig.inputs {
            self.visit(ty, ELIDED, &mut all);
        }
        all
    }

    fn of(&self, ty: &'a Type) -> Lifetimes<'a> {
        let mut found = Lifetimes::default();
        self.visit(ty, ELIDED, &mut found);
        found
    }

    fn visit(&self, ty: &'a Type, elided: &'a str, found: &mut Lifetimes<'a>) {
        match ty {
            Type::BorrowedRef { lifetime, type_, .. } => {
                found.refs.insert(named(lifetime.as_deref(), elided));
                self.visit(type_, elided, found);
            }
            Type::Tuple(items) => items.iter().for_each(|item| self.visit(item, elided, found)),
            Type::Slice(item) | Type::Array { type_: item, .. } => self.visit(item, elided, found),
            Type::Generic(name) if name == "Self" => self.visit_owner(found),
            // `Self::Item` may hold whatever `Self` holds.
            Type::QualifiedPath { self_type, .. } => self.visit(self_type, elided, found),
            Type::ResolvedPath(path) => self.visit_path(path, elided, found),
            _ => {}
        }
    }

    fn visit_owner(&self, found: &mut Lifetimes<'a>) {
        found.args.extend(self.declared.iter().copied());
        if let Some(owner) = self.owner
            && !matches!(owner, Type::Generic(_))
        {
            self.visit(owner, OF_HEADER, found);
        }
    }

    fn visit_path(&self, path: &'a rd::Path, elided: &'a str, found: &mut Lifetimes<'a>) {
        let args = match path.args.as_deref() {
            Some(rd::GenericArgs::AngleBracketed { args, .. }) => args.as_slice(),
            _ => &[],
        };
        let mut is_written = false;
        for arg in args {
            match arg {
                rd::GenericArg::Lifetime(name) => {
                    is_written = true;
                    found.args.insert(named(Some(name), elided));
                }
                rd::GenericArg::Type(ty) => self.visit(ty, elided, found),
                _ => {}
            }
        }
        if !is_written && self.borrows(path) {
            found.args.insert(elided);
        }
    }

    /// Whether a type has lifetimes, written or not.
    fn borrows(&self, path: &rd::Path) -> bool {
        match self.index.type_generics(path.id) {
            Some(generics) => generics.params.iter().any(crate::index::is_lifetime),
            None => match self.index.named(path.id, &path.path) {
                crate::index::Named::Std(name) => std_paths::borrows(&name),
                _ => false,
            },
        }
    }
}

fn named<'a>(lifetime: Option<&'a str>, elided: &'a str) -> &'a str {
    match lifetime {
        None | Some("'_" | "_") => elided,
        Some(name) => name,
    }
}

fn mentions_parameter(ty: &Type, wanted: &impl Fn(&str) -> bool) -> bool {
    match ty {
        Type::Generic(name) => wanted(name),
        Type::BorrowedRef { type_, .. } | Type::Slice(type_) | Type::Array { type_, .. } => {
            mentions_parameter(type_, wanted)
        }
        Type::Tuple(items) => items.iter().any(|item| mentions_parameter(item, wanted)),
        Type::QualifiedPath { self_type, .. } => mentions_parameter(self_type, wanted),
        Type::ResolvedPath(path) => match path.args.as_deref() {
            Some(rd::GenericArgs::AngleBracketed { args, .. }) => args.iter().any(
                |arg| matches!(arg, rd::GenericArg::Type(ty) if mentions_parameter(ty, wanted)),
            ),
            _ => false,
        },
        _ => false,
    }
}

/// Whether a reference occurs in a type that can be written.
fn has_reference(ty: &Ty) -> bool {
    match ty {
        Ty::Ref { .. } => true,
        Ty::Array(item, _) | Ty::Slice(item) | Ty::Iter { item } => has_reference(item),
        Ty::Tuple(items) => items.iter().any(has_reference),
        Ty::Path { args, .. } => {
            args.iter().any(|arg| matches!(arg, GenericArg::Type(ty) if has_reference(ty)))
        }
        _ => false,
    }
}

/// Whether a result holds something that borrows and that may be kept: a value of a crate's type
/// with a lifetime, or a reference to one.
fn holds_borrowed_object(ty: &Ty) -> bool {
    let in_args = |args: &[GenericArg]| {
        args.iter().any(|arg| matches!(arg, GenericArg::Type(ty) if holds_borrowed_object(ty)))
    };
    match ty {
        Ty::Path { path, args } if path.starts_with("std::") => in_args(args),
        Ty::Path { .. } => ty.is_borrowed(),
        Ty::Ref { to, .. } => {
            matches!(&**to, Ty::Path { path, .. } if !path.starts_with("std::"))
                || holds_borrowed_object(to)
        }
        Ty::Tuple(items) => items.iter().any(holds_borrowed_object),
        Ty::Array(item, _) | Ty::Slice(item) => holds_borrowed_object(item),
        _ => false,
    }
}
