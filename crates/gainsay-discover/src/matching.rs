//! Matches the types of impl headers, which have parameters, with concrete types.

use std::collections::BTreeSet;

use gainsay_model::ty::{Access, FnKind, GenericArg, Ty};
use rustdoc_types::{self as rd, GenericParamDefKind, Type};

use crate::{
    index::{Named, variables},
    lower::{Concrete, Env, primitive, unnamed_default},
};

impl Concrete<'_> {
    /// Whether `pattern` becomes `ty` for some values of `variables`; those go into `env`.
    pub(crate) fn matches(
        &self,
        pattern: &Type,
        ty: &Ty,
        variables: &BTreeSet<&str>,
        env: &mut Env,
    ) -> bool {
        match (pattern, ty) {
            (Type::Generic(name), _) => bind(name, GenericArg::Type(ty.clone()), variables, env),
            (Type::Primitive(name), _) => primitive(name) == *ty,
            (Type::Tuple(items), Ty::Unit) => items.is_empty(),
            (Type::Tuple(patterns), Ty::Tuple(items)) => {
                patterns.len() == items.len()
                    && patterns.iter().zip(items).all(|(p, t)| self.matches(p, t, variables, env))
            }
            (Type::Slice(pattern), Ty::Slice(item)) => self.matches(pattern, item, variables, env),
            (Type::Array { type_, len }, Ty::Array(item, count)) => {
                let known = len.parse() == Ok(*count);
                let fits = known || bind(len, GenericArg::Const(count.to_string()), variables, env);
                fits && self.matches(type_, item, variables, env)
            }
            (Type::BorrowedRef { is_mutable, type_, .. }, Ty::Ref { access, to }) => {
                *is_mutable == (*access == Access::Exclusive)
                    && self.matches(type_, to, variables, env)
            }
            (Type::FunctionPointer(pointer), Ty::Closure { kind: FnKind::Pointer, args, ret }) => {
                let inputs = &pointer.sig.inputs;
                inputs.len() == args.len()
                    && inputs.iter().zip(args).all(|((_, p), t)| self.matches(p, t, variables, env))
                    && match &pointer.sig.output {
                        Some(output) => self.matches(output, ret, variables, env),
                        None => **ret == Ty::Unit,
                    }
            }
            (Type::ResolvedPath(path), Ty::Path { path: name, args }) => {
                self.matches_path(path, name, args, variables, env)
            }
            (Type::ResolvedPath(_) | Type::QualifiedPath { .. }, _) => {
                self.lower(pattern, env).is_ok_and(|lowered| lowered == *ty)
            }
            _ => false,
        }
    }

    fn matches_path(
        &self,
        pattern: &rd::Path,
        name: &str,
        args: &[GenericArg],
        open: &BTreeSet<&str>,
        env: &mut Env,
    ) -> bool {
        let (public, defaults) = match self.index.named(pattern.id, &pattern.path) {
            Named::Std(path) => (Some(path), None),
            Named::Foreign(_) => (self.index.public.get(&pattern.id).cloned(), None),
            Named::Local(id) => (self.index.public.get(&id).cloned(), self.index.type_generics(id)),
        };
        if public.as_deref() != Some(name) {
            if let Some((id, args)) = self.behind_only_name(name, args)
                && id == pattern.id
            {
                return self.matches_args(pattern, &args, open, env);
            }
            let ty = Ty::Path { path: name.to_owned(), args: args.to_vec() };
            let expanded = self.expanded(pattern);
            return expanded.is_some_and(|expanded| self.matches(&expanded, &ty, open, env));
        }
        let unnamed = GenericArg::Type(unnamed_default());
        let mut concrete: Vec<GenericArg> = args.to_vec();
        let declared = defaults.map_or(0, |generics| variables(generics).len());
        let given = args.iter().filter(|arg| **arg != GenericArg::Lifetime).count();
        concrete.extend(std::iter::repeat_n(unnamed, declared.saturating_sub(given)));
        self.matches_args(pattern, &concrete, open, env)
            && defaults.is_none_or(|generics| {
                self.matches_defaults(generics, written(pattern).count(), &concrete)
            })
    }

    /// Whether the arguments that a pattern writes become these, as far as it writes any.
    pub(crate) fn matches_args(
        &self,
        pattern: &rd::Path,
        args: &[GenericArg],
        open: &BTreeSet<&str>,
        env: &mut Env,
    ) -> bool {
        let concrete = args.iter().filter(|arg| **arg != GenericArg::Lifetime);
        let concrete: Vec<&GenericArg> = concrete.collect();
        written(pattern).count() <= concrete.len()
            && written(pattern).zip(concrete).all(|(p, t)| self.matches_arg(p, t, open, env))
    }

    fn matches_arg(
        &self,
        pattern: &rd::GenericArg,
        arg: &GenericArg,
        variables: &BTreeSet<&str>,
        env: &mut Env,
    ) -> bool {
        match (pattern, arg) {
            (rd::GenericArg::Type(Type::Generic(name)), GenericArg::Const(_)) => {
                bind(name, arg.clone(), variables, env)
            }
            (rd::GenericArg::Type(pattern), GenericArg::Type(ty)) => {
                self.matches(pattern, ty, variables, env)
            }
            (rd::GenericArg::Const(constant), GenericArg::Const(value)) => {
                constant.expr == *value
                    || constant.value.as_deref() == Some(value)
                    || bind(&constant.expr, arg.clone(), variables, env)
            }
            _ => false,
        }
    }

    /// Arguments that the pattern leaves out must be the declared defaults.
    fn matches_defaults(
        &self,
        generics: &rd::Generics,
        written: usize,
        args: &[GenericArg],
    ) -> bool {
        let args: Vec<&GenericArg> =
            args.iter().filter(|arg| **arg != GenericArg::Lifetime).collect();
        let given = args.iter().take(written).map(|arg| (*arg).clone()).collect();
        let Ok(env) = self.assign(generics, given) else { return false };
        let params = generics
            .params
            .iter()
            .filter(|param| !matches!(param.kind, GenericParamDefKind::Lifetime { .. }));
        params.zip(args).skip(written).all(|(param, arg)| env.get(&param.name) == Some(arg))
    }
}

/// The arguments that are written, lifetimes left out.
fn written(path: &rd::Path) -> impl Iterator<Item = &rd::GenericArg> {
    let args = match path.args.as_deref() {
        Some(rd::GenericArgs::AngleBracketed { args, .. }) => args.as_slice(),
        _ => &[],
    };
    args.iter().filter(|arg| !matches!(arg, rd::GenericArg::Lifetime(_)))
}

fn bind(name: &str, value: GenericArg, variables: &BTreeSet<&str>, env: &mut Env) -> bool {
    match env.get(name) {
        Some(known) => *known == value,
        None if variables.contains(name) => {
            env.insert(name.to_owned(), value);
            true
        }
        None => false,
    }
}
