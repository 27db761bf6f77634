//! Results: what is kept, and what is seen of the rest.

use proc_macro2::{Ident, Literal, TokenStream};
use quote::{format_ident, quote};

use crate::plan::Seen;

/// More items of a collection are not told.
const SEEN_ITEMS: usize = 32;

/// An expression of type `Value` that consumes the variable `var`.
pub(super) fn seen(var: &Ident, plan: &Seen) -> TokenStream {
    match plan {
        Seen::Never => quote!(#var),
        Seen::Look => quote!(rt::value!(&#var)),
        Seen::LookThrough => quote!(rt::value!(#var)),
        Seen::LookThroughMut => quote!(rt::value!(&*#var)),
        Seen::Drain => quote!(rt::drain!(#var)),
        Seen::Keep(slot) => {
            let slot = Literal::usize_unsuffixed(*slot);
            quote!({ f.keep(#slot, #var); rt::Value::Object })
        }
        Seen::KeepItems { first, most } => keep_items(var, *first, *most),
        Seen::Option(inner) => {
            let inside = format_ident!("{var}s");
            let inner = seen(&inside, inner);
            quote! {
                match #var {
                    ::std::option::Option::None => rt::Value::none(),
                    ::std::option::Option::Some(#inside) => rt::Value::some(#inner),
                }
            }
        }
        Seen::Result(ok, err) => {
            let inside = format_ident!("{var}o");
            let (ok, err) = (seen(&inside, ok), seen(&inside, err));
            quote! {
                match #var {
                    ::std::result::Result::Ok(#inside) => rt::Value::ok(#ok),
                    ::std::result::Result::Err(#inside) => rt::Value::err(#err),
                }
            }
        }
        Seen::Tuple(parts) => {
            let names: Vec<Ident> = (0..parts.len()).map(|i| format_ident!("{var}{i}")).collect();
            let parts = names.iter().zip(parts).map(|(name, part)| seen(name, part));
            quote!({ let (#(#names,)*) = #var; rt::Value::Tuple(::std::vec::Vec::from([#(#parts),*])) })
        }
        Seen::Unboxed(inner) => {
            let inside = format_ident!("{var}b");
            let inner = seen(&inside, inner);
            quote!({ let #inside = *#var; #inner })
        }
    }
}

fn keep_items(var: &Ident, first: usize, most: usize) -> TokenStream {
    let (first, end) = (Literal::usize_unsuffixed(first), Literal::usize_unsuffixed(first + most));
    let told = Literal::usize_unsuffixed(SEEN_ITEMS);
    quote!({
        let mut items = ::std::vec::Vec::new();
        for (out, item) in (#first..).zip(#var).take(#told) {
            if out < #end {
                f.keep(out, item);
            }
            items.push(rt::Value::Object);
        }
        rt::Value::Seq(items)
    })
}
