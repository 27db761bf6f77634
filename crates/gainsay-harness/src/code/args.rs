//! Arguments: how operands come out of the frame and into the call.

use gainsay_model::ty::{Access, Ty};
use gainsay_wire::Mode;
use proc_macro2::{Ident, Literal, TokenStream};
use quote::{format_ident, quote};

use super::types::{TypeWriter, alias};
use crate::plan::{Answer, Lend, Pass};

/// An argument in generated code.
pub(super) struct Argument {
    /// Statements before the call.
    pub(super) before: TokenStream,
    /// The expression in the call.
    pub(super) expr: TokenStream,
}

/// The argument for the parameter at `index` of an operation.
pub(super) fn argument(index: usize, pass: &Pass, types: &TypeWriter) -> Argument {
    let var = format_ident!("a{index}");
    let at = Literal::usize_unsuffixed(index);
    match pass {
        Pass::Object { ty, mode } => {
            let ty = alias(*ty);
            let (before, expr) = match mode {
                Mode::Ref => (quote!(let #var = f.by_ref::<#ty>(#at);), quote!(&*#var)),
                Mode::Mut => (quote!(let mut #var = f.by_mut::<#ty>(#at);), quote!(&mut *#var)),
                Mode::Own => (quote!(let #var = f.own::<#ty>(#at);), quote!(#var)),
                Mode::OptOwn => (quote!(let #var = f.opt_own::<#ty>(#at);), quote!(#var)),
                Mode::OptRef => {
                    (quote!(let #var = f.by_opt_ref::<#ty>(#at);), quote!(#var.as_deref()))
                }
            };
            Argument { before, expr }
        }
        Pass::Plain(plain) => {
            let ty = types.ty(&plain.owned);
            let made = quote!(let mut #var = f.plain::<#ty>(#at););
            let Argument { before, expr } = lent(&var, &plain.lend);
            Argument { before: quote!(#made #before), expr }
        }
        Pass::Closure { args, answer } => Argument {
            before: quote!(let #var = ::std::cell::RefCell::new(f.closure(#at));),
            expr: closure(&var, args, answer, types),
        },
        Pass::Iter { item } => {
            let ty = types.ty(&item.owned);
            let before = quote!(let mut #var = f.plain::<::std::vec::Vec<#ty>>(#at););
            Argument { before, expr: items(&var, &item.lend) }
        }
    }
}

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
fn lent_from(from: &TokenStream, lend: &Lend) -> TokenStream {
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

fn items(var: &Ident, lend: &Lend) -> TokenStream {
    match lend {
        Lend::Value => quote!(#var.into_iter()),
        Lend::Whole => quote!(#var.iter()),
        Lend::MutWhole => quote!(#var.iter_mut()),
        _ => {
            let item = lent_from(&quote!(x), lend);
            quote!(#var.iter().map(|x| #item))
        }
    }
}

/// A closure of the runtime's family; it owns its state, so it fits every closure trait.
fn closure(var: &Ident, args: &[Ty], answer: &Answer, types: &TypeWriter) -> TokenStream {
    let names: Vec<Ident> = (0..args.len()).map(|i| format_ident!("x{i}")).collect();
    let tys = args.iter().map(|ty| types.ty(ty));
    let looks = names.iter().zip(args).map(|(name, ty)| look(name, ty));
    let (ret, answer) = match answer {
        Answer::Plain(ty) => {
            let ty = types.ty(ty);
            (quote!(-> #ty), quote!(#var.borrow_mut().answer::<#ty>(&seen)))
        }
        Answer::Argument(index) => {
            let name = &names[*index];
            let unit = quote!(#var.borrow_mut().answer::<()>(&seen););
            (TokenStream::new(), quote!(#unit #name))
        }
    };
    quote! {
        move |#(mut #names: #tys),*| #ret {
            let seen: ::std::vec::Vec<rt::Value> = ::std::vec::Vec::from([#(#looks),*]);
            #answer
        }
    }
}

/// What a closure sees of an argument.
fn look(name: &Ident, ty: &Ty) -> TokenStream {
    match ty {
        Ty::Ref { access: Access::Shared, .. } => quote!(rt::value!(#name)),
        Ty::Ref { access: Access::Exclusive, .. } => quote!(rt::value!(&*#name)),
        _ => quote!(rt::value!(&#name)),
    }
}
