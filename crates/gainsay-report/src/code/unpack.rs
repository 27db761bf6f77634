//! From a result to the objects inside it: patterns and `unwrap`s.

use gainsay_model::{
    spelling::Unpack,
    ty::{GenericArg, Ty},
};
use proc_macro2::TokenStream;
use quote::{format_ident, quote};

/// An object inside a result: the pattern that binds it, and the way to it.
#[derive(Clone, Debug)]
pub(crate) struct Wanted {
    /// `stack` or `mut stack`
    pub(crate) pattern: TokenStream,
    /// From here to the object.
    pub(crate) path: Vec<Unpack>,
}

/// Statements that take `wanted` out of `expr`, which has type `ty`.
pub(crate) fn unpack(expr: &TokenStream, ty: &Ty, wanted: &[Wanted]) -> TokenStream {
    let Some(first) = wanted.first() else { return quote!(let _ = #expr;) };
    let Some(step) = first.path.first().copied() else {
        let pattern = &first.pattern;
        return quote!(let #pattern = #expr;);
    };
    match step {
        Unpack::Field(_) => fields(expr, ty, wanted),
        Unpack::Item(_) => items(expr, ty, wanted),
        Unpack::Some | Unpack::Ok | Unpack::Err | Unpack::Deref => {
            let same: Vec<Wanted> =
                wanted.iter().filter(|w| w.path.first() == Some(&step)).map(inner).collect();
            unpack(&into(expr, ty, step), &inner_type(ty, step), &same)
        }
    }
}

fn inner(wanted: &Wanted) -> Wanted {
    Wanted { pattern: wanted.pattern.clone(), path: wanted.path[1..].to_vec() }
}

fn into(expr: &TokenStream, ty: &Ty, step: Unpack) -> TokenStream {
    match step {
        Unpack::Ok if !can_debug(&inner_type(ty, Unpack::Err)) => quote!(#expr.ok().unwrap()),
        Unpack::Err => quote!(#expr.err().unwrap()),
        Unpack::Deref => quote!(*#expr),
        _ => quote!(#expr.unwrap()),
    }
}

/// Whether a type is sure to have Debug; for the subject's own types nobody knows here.
fn can_debug(ty: &Ty) -> bool {
    match ty {
        Ty::Path { path, args } => {
            path.starts_with("std::")
                && args.iter().all(|arg| match arg {
                    GenericArg::Type(ty) => can_debug(ty),
                    GenericArg::Lifetime | GenericArg::Const(_) => true,
                })
        }
        Ty::Ref { to, .. } | Ty::Slice(to) | Ty::Array(to, _) => can_debug(to),
        Ty::Tuple(items) => items.iter().all(can_debug),
        Ty::Unit | Ty::Never | Ty::Prim(_) | Ty::Str | Ty::Probe => true,
        Ty::Closure { .. } | Ty::Iter { .. } | Ty::Opaque => false,
    }
}

fn inner_type(ty: &Ty, step: Unpack) -> Ty {
    let argument = |n: usize| match ty {
        Ty::Path { args, .. } => {
            let mut types = args.iter().filter_map(|arg| match arg {
                GenericArg::Type(ty) => Some(ty.clone()),
                GenericArg::Lifetime | GenericArg::Const(_) => None,
            });
            types.nth(n).unwrap_or(Ty::Opaque)
        }
        _ => Ty::Opaque,
    };
    match (step, ty) {
        (Unpack::Field(n), Ty::Tuple(items)) => items.get(n).cloned().unwrap_or(Ty::Opaque),
        (Unpack::Item(_), Ty::Array(item, _)) => (**item).clone(),
        (Unpack::Err, _) => argument(1),
        _ => argument(0),
    }
}

/// A tuple pattern; members that need more steps get a name first.
fn fields(expr: &TokenStream, ty: &Ty, wanted: &[Wanted]) -> TokenStream {
    let Ty::Tuple(members) = ty else { return quote!(let _ = #expr;) };
    let mut patterns = Vec::new();
    let mut rest = TokenStream::new();
    for (n, member) in members.iter().enumerate() {
        let step = Unpack::Field(n);
        let inside: Vec<Wanted> =
            wanted.iter().filter(|w| w.path.first() == Some(&step)).map(inner).collect();
        match &inside[..] {
            [] => patterns.push(quote!(_)),
            [only] if only.path.is_empty() => patterns.push(only.pattern.clone()),
            more => {
                let part = format_ident!("part{n}");
                patterns.push(quote!(#part));
                rest.extend(unpack(&quote!(#part), member, more));
            }
        }
    }
    quote!(let (#(#patterns,)*) = #expr; #rest)
}

fn items(expr: &TokenStream, ty: &Ty, wanted: &[Wanted]) -> TokenStream {
    let mut numbered: Vec<(usize, Wanted)> = wanted
        .iter()
        .filter_map(|wanted| match wanted.path.first() {
            Some(Unpack::Item(n)) => Some((*n, inner(wanted))),
            _ => None,
        })
        .collect();
    numbered.sort_by_key(|(n, _)| *n);
    let mut statements = quote!(let mut items = #expr.into_iter(););
    let mut passed = 0;
    for (n, wanted) in numbered {
        let skip = n.saturating_sub(passed);
        passed = n + 1;
        let next = if skip == 0 {
            quote!(items.next().unwrap())
        } else {
            let skip = proc_macro2::Literal::usize_unsuffixed(skip);
            quote!(items.nth(#skip).unwrap())
        };
        let item = inner_type(ty, Unpack::Item(n));
        statements.extend(unpack(&next, &item, &[wanted]));
    }
    statements
}
