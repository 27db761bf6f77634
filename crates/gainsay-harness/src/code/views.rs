//! Views: one function per query of a type.

use gainsay_model::api::Elements;
use proc_macro2::TokenStream;
use quote::{format_ident, quote};

use super::{
    args::Argument,
    lend, result,
    types::{TypeWriter, absolute, alias, ident},
    units::{member, plain_entry, type_id},
};
use crate::{
    live::Live,
    plan::{Carrier, Hop, Pass, PlannedQuery, QueryCall, QueryHow, Through},
};

/// The item of a view.
pub(super) fn entry(
    live: &Live<'_>,
    types: &TypeWriter,
    (ty, query): (usize, &PlannedQuery),
    name: &proc_macro2::Ident,
) -> TokenStream {
    let text = &query.name;
    let object = looked_at(ty, query.carrier);
    let (param, eval) = match &query.how {
        QueryHow::Elements(elements) => {
            let items = items(&object, *elements);
            (quote!(None), quote!(rt::sequence(#items)))
        }
        QueryHow::Bag(elements) => {
            let items = items(&object, *elements);
            (quote!(None), quote!(rt::bag(#items)))
        }
        QueryHow::Call(call) => called(live, types, &object, call),
        QueryHow::Field(field) => {
            let field = member(field);
            (quote!(None), quote!(rt::value!(&#object.#field)))
        }
        QueryHow::Variant { path, names } => (quote!(None), variant(&object, path, names)),
        QueryHow::Text => {
            (quote!(None), quote!(rt::value!(&::std::string::ToString::to_string(#object))))
        }
        QueryHow::Debug => (quote!(None), quote!(rt::debug_digest(#object))),
    };
    quote! {
        pub fn #name() -> rt::QueryEntry {
            fn eval(x: &dyn ::std::any::Any, a: rt::QueryArg<'_>) -> rt::Value {
                #eval
            }
            rt::QueryEntry { name: #text, param: #param, eval }
        }
    }
}

fn called(
    live: &Live<'_>,
    types: &TypeWriter,
    object: &TokenStream,
    call: &QueryCall,
) -> (TokenStream, TokenStream) {
    let callee = types.callee(&call.callee);
    let (param, arg) = query_arg(live, types, call.arg.as_ref());
    let seen = result::seen(&format_ident!("r"), &call.seen);
    let Argument { before, expr } = arg;
    let value = match &call.through {
        None => quote!(let mut r = #callee(x, #expr);),
        Some(through) => inner(types, through, &callee),
    };
    let eval = quote! {
        let x = #object;
        #before
        #value
        let seen = #seen;
        seen
    };
    (param, eval)
}

/// The result of a query of an inner object, under an option where there may be none.
fn inner(types: &TypeWriter, through: &Through, callee: &TokenStream) -> TokenStream {
    let outer = match &through.by {
        Hop::Call(hop) => {
            let hop = types.callee(hop);
            quote!(#hop(x))
        }
        Hop::Field(field) => {
            let field = member(field);
            quote!((&x.#field))
        }
    };
    match (through.optional, through.by_ref) {
        (false, _) => quote!(let y = #outer; let mut r = #callee(y);),
        (true, true) => quote!(let y = #outer; let mut r = y.map(|y| #callee(y));),
        (true, false) => quote!(let y = #outer; let mut r = y.as_ref().map(|y| #callee(y));),
    }
}

fn query_arg(live: &Live<'_>, types: &TypeWriter, arg: Option<&Pass>) -> (TokenStream, Argument) {
    let nothing = TokenStream::new;
    match arg {
        Some(Pass::Object { ty, carrier, .. }) => {
            let id = type_id(live, *ty);
            let ty = alias(*ty);
            let before = quote!(let a = rt::object_arg::<#ty>(a););
            let expr = if *carrier == Carrier::Itself { quote!(a) } else { quote!(&**a) };
            (quote!(Some(rt::QueryParam::Object(#id))), Argument { before, expr })
        }
        Some(Pass::Plain(plain)) => {
            let (key, ty) = (plain_entry(&plain.owned.plain_type()), types.ty(&plain.owned));
            let Argument { before, expr } = lend::lent(&ident("a"), &plain.lend);
            let before = quote!(let mut a = rt::plain_arg::<#ty>(a); #before);
            (quote!(Some(rt::QueryParam::Plain(#key))), Argument { before, expr })
        }
        _ => (quote!(None), Argument { before: nothing(), expr: nothing() }),
    }
}

/// A reference to what a view looks at.
fn looked_at(ty: usize, carrier: Carrier) -> TokenStream {
    let ty = alias(ty);
    match carrier {
        Carrier::Itself => quote!(rt::object::<#ty>(x)),
        Carrier::Shared | Carrier::Deref => quote!((&**rt::object::<#ty>(x))),
    }
}

/// The elements of an object, each as a value.
fn items(object: &TokenStream, elements: Elements) -> TokenStream {
    let iter = match elements {
        Elements::Iter => quote!(#object.iter()),
        Elements::IntoIterator => quote!(::std::iter::IntoIterator::into_iter(#object)),
        Elements::AsSlice => quote!(#object.as_slice().iter()),
        Elements::DerefSlice => quote!((&**#object).iter()),
        Elements::CloneIter => quote!(::std::clone::Clone::clone(#object)),
    };
    quote!(#iter.map(|e| rt::value!(&e)))
}

/// The name of the variant; one that is not described is some other.
fn variant(object: &TokenStream, path: &str, names: &[String]) -> TokenStream {
    let path = absolute(path);
    let arms = names.iter().map(|name| {
        let variant = ident(name);
        quote!(#path::#variant { .. } => #name,)
    });
    quote! {
        let name: &str = match #object {
            #(#arms)*
            _ => "other",
        };
        rt::value!(name)
    }
}
