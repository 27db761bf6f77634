//! Plain values as the parameter wants them: lent out of an owned one.

use proc_macro2::{Ident, Literal, TokenStream};
use quote::{format_ident, quote};

use super::args::Argument;
use crate::plan::Lend;

/// An owned plain value in the variable `var` as the parameter wants it.
pub(super) fn lent(var: &Ident, lend: &Lend) -> Argument {
    let nothing = TokenStream::new();
    let (before, expr) = match lend {
        Lend::Value => (nothing, quote!(#var)),
        Lend::Whole => (nothing, quote!(&#var)),
        Lend::Deref => (nothing, quote!(&*#var)),
        Lend::Slice => (nothing, quote!(&#var[..])),
        Lend::MutWhole => (nothing, quote!(&mut #var)),
        Lend::MutDeref => (nothing, quote!(&mut *#var)),
        Lend::MutSlice => (nothing, quote!(&mut #var[..])),
        Lend::MutOption => (nothing, quote!(#var.as_mut())),
        Lend::SliceOf(item) => {
            let items = format_ident!("{var}_items");
            let item = lent_from(&quote!(x), item);
            let collected =
                quote!(let #items: ::std::vec::Vec<_> = #var.iter().map(|x| #item).collect(););
            (collected, quote!(&#items[..]))
        }
        Lend::RefTo(inner) => {
            let Argument { before, expr } = lent(var, inner);
            let inner = format_ident!("{var}_ref");
            (quote!(#before let #inner = #expr;), quote!(&#inner))
        }
        Lend::Option(_) | Lend::Tuple(_) | Lend::Array(_) => {
            (nothing, lent_from(&quote!((&#var)), lend))
        }
    };
    Argument { before, expr }
}

/// What is lent out of the reference `from`.
pub(super) fn lent_from(from: &TokenStream, lend: &Lend) -> TokenStream {
    match lend {
        Lend::Value => quote!(::std::clone::Clone::clone(#from)),
        Lend::Deref => quote!(&**#from),
        Lend::Slice => quote!(&#from[..]),
        Lend::Option(inner) => {
            let inner = lent_from(&quote!(x), inner);
            quote!(#from.as_ref().map(|x| #inner))
        }
        Lend::Array(item) => {
            let item = lent_from(&quote!(x), item);
            quote!(#from.each_ref().map(|x| #item))
        }
        Lend::Tuple(parts) => {
            let parts = parts.iter().enumerate().map(|(i, part)| {
                let field = Literal::usize_unsuffixed(i);
                lent_from(&quote!((&#from.#field)), part)
            });
            quote!((#(#parts,)*))
        }
        Lend::Whole
        | Lend::SliceOf(_)
        | Lend::RefTo(_)
        | Lend::MutWhole
        | Lend::MutDeref
        | Lend::MutSlice
        | Lend::MutOption => quote!(#from),
    }
}

/// A value that outlives the call, in the variable `var` as `&'static mut`.
pub(super) fn lent_for_good(var: &Ident, lend: &Lend) -> Argument {
    let nothing = TokenStream::new();
    let (before, expr) = match lend {
        Lend::MutWhole => (nothing, quote!(#var)),
        Lend::MutDeref => (nothing, quote!(&mut **#var)),
        Lend::MutSlice => (nothing, quote!(&mut #var[..])),
        Lend::MutOption => (nothing, quote!(#var.as_mut())),
        Lend::Whole => (nothing, quote!(&*#var)),
        Lend::SliceOf(item) => {
            let items = format_ident!("{var}_items");
            let item = lent_from(&quote!(x), item);
            let collected = quote!(#var.iter().map(|x| #item).collect::<::std::vec::Vec<_>>());
            (quote!(let #items = f.lend_value(#collected);), quote!(&#items[..]))
        }
        Lend::RefTo(inner) => {
            let Argument { before, expr } = lent_for_good(var, inner);
            let inner = format_ident!("{var}_ref");
            (quote!(#before let #inner = f.lend_value(#expr);), quote!(&*#inner))
        }
        other => {
            let whole = format_ident!("{var}_whole");
            (quote!(let #whole = &*#var;), lent_from(&quote!(#whole), other))
        }
    };
    Argument { before, expr }
}

/// An iterator over a vector in `var`, each item as it is wanted.
pub(super) fn items(var: &Ident, lend: &Lend) -> TokenStream {
    match lend {
        Lend::Value => quote!(rt::Items::new(#var.into_iter())),
        Lend::Whole => quote!(rt::Items::new(#var.iter())),
        Lend::MutWhole => quote!(rt::Items::new(#var.iter_mut())),
        _ => {
            let item = lent_from(&quote!(x), lend);
            quote!(rt::Items::new(#var.iter().map(|x| #item)))
        }
    }
}
