//! One item of generated code per unit.

use gainsay_model::api::{Callee, Elements, Lending};
use gainsay_wire::Mode;
use proc_macro2::{Literal, TokenStream};
use quote::{format_ident, quote};

use super::{
    args::{self, Argument},
    result,
    types::{TypeWriter, alias, ident},
};
use crate::{
    live::{Live, Unit},
    plan::{Pass, PlannedOp, PlannedParam, PlannedQuery, QueryHow, Seen, can_annotate, key},
};

/// The name of the unit's item.
pub(super) fn unit_name(unit: Unit) -> proc_macro2::Ident {
    match unit {
        Unit::Type(ty) => alias(ty),
        Unit::Abilities(ty) => format_ident!("able_{ty}"),
        Unit::Op(op) => format_ident!("op_{op}"),
        Unit::Query(ty, query) => format_ident!("query_{ty}_{query}"),
    }
}

/// The unit's item.
pub(super) fn unit(live: &Live<'_>, types: &TypeWriter, unit: Unit) -> TokenStream {
    let name = unit_name(unit);
    match unit {
        Unit::Type(ty) => {
            let ty = types.spelled_out(&live.plan.types[ty].ty);
            quote!(pub type #name = #ty;)
        }
        Unit::Abilities(ty) => abilities(live, ty, &name),
        Unit::Op(number) => op(live, types, number, &name),
        Unit::Query(ty, number) => {
            let query = &live.plan.types[ty].queries[number];
            query_entry(live, types, (ty, query), &name)
        }
    }
}

/// The entry of a type without views.
fn abilities(live: &Live<'_>, ty: usize, name: &proc_macro2::Ident) -> TokenStream {
    let text = live.plan.types[ty].ty.to_string();
    let borrows = live.plan.types[ty].ty.is_borrowed();
    let ty = alias(ty);
    quote! {
        pub fn #name() -> rt::TypeEntry {
            rt::TypeEntry {
                name: #text,
                borrows: #borrows,
                clone: rt::clone_of!(#ty),
                eq: rt::eq_of!(#ty),
                cmp: rt::cmp_of!(#ty),
                hash: rt::hash_of!(#ty),
                debug: rt::debug_of!(#ty),
                queries: ::std::vec::Vec::new(),
            }
        }
    }
}

/// The entry of a type of which nothing is known.
pub(super) fn no_abilities(live: &Live<'_>, ty: usize) -> TokenStream {
    let text = live.plan.types[ty].ty.to_string();
    let borrows = live.plan.types[ty].ty.is_borrowed();
    quote! {
        rt::TypeEntry {
            name: #text,
            borrows: #borrows,
            clone: None,
            eq: None,
            cmp: None,
            hash: None,
            debug: None,
            queries: ::std::vec::Vec::new(),
        }
    }
}

fn op(
    live: &Live<'_>,
    types: &TypeWriter,
    number: usize,
    name: &proc_macro2::Ident,
) -> TokenStream {
    let op = &live.plan.ops[number];
    let call = call(op, types);
    let path = &op.name;
    let names = op.params.iter().map(|param| &param.name);
    let params = op.params.iter().map(|param| param_entry(live, types, param));
    let makes = op.makes.iter().map(|(ty, _)| type_id(live, *ty));
    let lending = match op.lending {
        Lending::Inherited => quote!(Inherited),
        Lending::Operands => quote!(Operands),
    };
    let role = if op.api.is_some() { quote!(Ordinary) } else { quote!(Drop) };
    quote! {
        pub fn #name() -> rt::OpEntry {
            fn call(f: &rt::Frame<'_>) -> rt::Value {
                #call
            }
            rt::OpEntry {
                name: #path,
                names: &[#(#names),*],
                params: ::std::vec::Vec::from([#(#params),*]),
                makes: ::std::vec::Vec::from([#(#makes),*]),
                lending: rt::Lending::#lending,
                role: rt::Role::#role,
                call,
            }
        }
    }
}

fn call(op: &PlannedOp, types: &TypeWriter) -> TokenStream {
    let args: Vec<Argument> = op
        .params
        .iter()
        .enumerate()
        .map(|(index, param)| args::argument(index, &param.pass, types))
        .collect();
    let before = args.iter().map(|arg| &arg.before);
    let exprs = args.iter().map(|arg| &arg.expr);
    let callee = types.callee(&op.callee);
    let value = match &op.callee {
        Callee::Literal { .. } if args.is_empty() => callee,
        Callee::Literal { .. } => {
            let fields = op.params.iter().map(|param| ident(&param.name));
            quote!(#callee { #(#fields: #exprs),* })
        }
        _ => quote!(#callee(#(#exprs),*)),
    };
    if op.seen == Seen::Never {
        return quote!(#(#before)* #value);
    }
    let annotation = can_annotate(&op.result, types.pool()).then(|| {
        let ty = types.ty(&op.result);
        quote!(: #ty)
    });
    let seen = result::seen(&format_ident!("r"), &op.seen);
    quote! {
        #(#before)*
        let mut r #annotation = #value;
        let seen = #seen;
        seen
    }
}

fn param_entry(live: &Live<'_>, types: &TypeWriter, param: &PlannedParam) -> TokenStream {
    match &param.pass {
        Pass::Object { ty, mode } => {
            let ty = type_id(live, *ty);
            let mode = match mode {
                Mode::Ref => quote!(Ref),
                Mode::Mut => quote!(Mut),
                Mode::Own => quote!(Own),
                Mode::OptRef => quote!(OptRef),
                Mode::OptOwn => quote!(OptOwn),
            };
            quote!(rt::ParamEntry::Object { ty: #ty, mode: rt::Mode::#mode })
        }
        pass => match pass.owned() {
            None => quote!(rt::ParamEntry::Plain { key: "closure", generate: rt::closure_literal }),
            Some(owned) => {
                let (key, ty) = (key(&owned), types.ty(&owned));
                quote!(rt::ParamEntry::Plain { key: #key, generate: <#ty as rt::Plain>::generate })
            }
        },
    }
}

fn type_id(live: &Live<'_>, ty: usize) -> TokenStream {
    let id = Literal::usize_unsuffixed(live.type_id(ty));
    quote!(rt::TypeId(#id))
}

fn query_entry(
    live: &Live<'_>,
    types: &TypeWriter,
    (ty, query): (usize, &PlannedQuery),
    name: &proc_macro2::Ident,
) -> TokenStream {
    let text = &query.name;
    let (param, eval) = match &query.how {
        QueryHow::Elements(elements) => (quote!(None), sequence(ty, *elements)),
        QueryHow::Call(call) => {
            let callee = types.callee(&call.callee);
            let (param, arg) = query_arg(live, types, call.arg.as_ref());
            let ty = alias(ty);
            let seen = result::seen(&format_ident!("r"), &call.seen);
            let Argument { before, expr } = arg;
            let eval = quote! {
                let x = rt::object::<#ty>(x);
                #before
                let mut r = #callee(x, #expr);
                let seen = #seen;
                seen
            };
            (param, eval)
        }
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

fn query_arg(live: &Live<'_>, types: &TypeWriter, arg: Option<&Pass>) -> (TokenStream, Argument) {
    let nothing = TokenStream::new;
    match arg {
        Some(Pass::Object { ty, .. }) => {
            let id = type_id(live, *ty);
            let ty = alias(*ty);
            let before = quote!(let a = rt::object_arg::<#ty>(a););
            (quote!(Some(rt::QueryParam::Object(#id))), Argument { before, expr: quote!(a) })
        }
        Some(Pass::Plain(plain)) => {
            let (key, ty) = (key(&plain.owned), types.ty(&plain.owned));
            let Argument { before, expr } = args::lent(&ident("a"), &plain.lend);
            let before = quote!(let mut a = rt::plain_arg::<#ty>(a); #before);
            (quote!(Some(rt::QueryParam::Plain(#key))), Argument { before, expr })
        }
        _ => (quote!(None), Argument { before: nothing(), expr: nothing() }),
    }
}

fn sequence(ty: usize, elements: Elements) -> TokenStream {
    let ty = alias(ty);
    let object = quote!(rt::object::<#ty>(x));
    let iter = match elements {
        Elements::Iter => quote!(#object.iter()),
        Elements::IntoIterator => quote!(::std::iter::IntoIterator::into_iter(#object)),
        Elements::AsSlice => quote!(#object.as_slice().iter()),
        Elements::DerefSlice => quote!((&**#object).iter()),
        Elements::CloneIter => quote!(::std::clone::Clone::clone(#object)),
    };
    quote!(rt::sequence(#iter.map(|e| rt::value!(&e))))
}
