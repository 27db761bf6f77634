//! What a pattern takes out of a value: a field of a struct, or of one variant of an enum.

use gainsay_model::{
    spelling::Unpack,
    ty::{GenericArg, Ty},
};
use proc_macro2::TokenStream;
use quote::{format_ident, quote};

use super::{
    call::Writer,
    composite::{function, member},
    unpack::{Wanted, unpack},
};

impl Writer<'_> {
    /// Statements that take `wanted` out of the field of `value`; the result's type is the
    /// option of it.
    pub(super) fn part(
        &mut self,
        path: &str,
        field: &str,
        value: &TokenStream,
        wanted: &[Wanted],
        result: &Ty,
    ) -> TokenStream {
        let inside: Vec<Wanted> = wanted.iter().filter_map(inner).collect();
        let pattern = self.pattern(path, field);
        let (name, rest) = match &inside[..] {
            [only] if only.path.is_empty() => (only.pattern.clone(), quote!()),
            more => {
                let part = format_ident!("part");
                let rest = unpack(&quote!(#part), &behind_option(result), more);
                (quote!(#part), rest)
            }
        };
        let pattern = pattern(&name);
        let statement = if is_variant(path) {
            quote!(let #pattern = #value else { unreachable!() };)
        } else {
            quote!(let #pattern = #value;)
        };
        quote!(#statement #rest)
    }

    /// The pattern with a hole for the name.
    fn pattern(&mut self, path: &str, field: &str) -> impl Fn(&TokenStream) -> TokenStream + use<> {
        let path = function(&mut self.imports, path);
        let (at, field) = (field.parse::<usize>().ok(), member(field));
        move |name| match at {
            Some(at) => {
                let before = std::iter::repeat_n(quote!(_,), at);
                quote!(#path(#(#before)* #name, ..))
            }
            None if name.to_string() == field.to_string() => quote!(#path { #name, .. }),
            None => quote!(#path { #field: #name, .. }),
        }
    }
}

/// Without the `Some` around it.
fn inner(wanted: &Wanted) -> Option<Wanted> {
    match wanted.path.split_first()? {
        (Unpack::Some, rest) => {
            Some(Wanted { pattern: wanted.pattern.clone(), path: rest.to_vec() })
        }
        _ => None,
    }
}

fn behind_option(ty: &Ty) -> Ty {
    match ty {
        Ty::Path { args, .. } => match args.first() {
            Some(GenericArg::Type(ty)) => ty.clone(),
            _ => Ty::Opaque,
        },
        _ => Ty::Opaque,
    }
}

/// `Entry::Occupied` rather than `Entry`: the parent is a type itself.
fn is_variant(path: &str) -> bool {
    let parent = path.rsplit("::").nth(1);
    parent.is_some_and(|parent| parent.starts_with(char::is_uppercase))
}
