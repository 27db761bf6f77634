//! One item of generated code per unit.

use gainsay_model::api::{Callee, Lending};
use gainsay_wire::{InstanceId, Mode, Owner, PlainType, Role};
use proc_macro2::{Literal, TokenStream};
use quote::{format_ident, quote};

use super::{
    args::{Argument, Operands},
    result,
    types::{TypeWriter, alias, ident},
    views,
};
use crate::{
    live::{Live, Unit},
    plan::{Pass, PlannedOp, PlannedParam, Seen, Slot, can_annotate},
};

/// The name of the unit's item.
pub(super) fn unit_name(unit: Unit) -> proc_macro2::Ident {
    match unit {
        Unit::Type(ty) => alias(ty),
        Unit::Abilities(ty) => format_ident!("able_{ty}"),
        Unit::Op(op) => format_ident!("op_{op}"),
        Unit::Query(ty, query) => format_ident!("query_{ty}_{query}"),
        Unit::Lent(op) => format_ident!("lent_{op}"),
    }
}

/// The unit's item.
pub(super) fn unit(live: &Live<'_>, types: &TypeWriter, unit: Unit) -> TokenStream {
    let name = unit_name(unit);
    match unit {
        Unit::Type(ty) => {
            let ty = TypeWriter::kept(&live.plan.types[ty].ty);
            quote!(pub type #name = #ty;)
        }
        Unit::Abilities(ty) => abilities(live, ty, &name),
        Unit::Op(number) => op(live, types, number, &name),
        Unit::Lent(_) => TokenStream::new(),
        Unit::Query(ty, number) => {
            let query = &live.plan.types[ty].queries[number];
            views::entry(live, types, (ty, query), &name)
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
                lawful: rt::Lawful {
                    ord: rt::ord_of!(#ty),
                    clone_from: rt::clone_from_of!(#ty),
                    iteration: rt::iteration_of!(#ty),
                    foreign: rt::foreign_of!(#ty),
                    display: rt::display_of!(#ty),
                    shown: rt::shown_of!(#ty),
                    text: rt::text_of!(#ty),
                    arithmetic: rt::arithmetic_of!(#ty),
                },
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
            lawful: rt::Lawful::default(),
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
    let lending = live.lending(number);
    let call = call(op, lending, types);
    let path = &op.name;
    let names = op.params.iter().flat_map(PlannedParam::slot_names);
    let params = op.slots().map(|slot| slot_entry(live, types, &slot));
    let makes = op.makes.iter().map(|(ty, _)| type_id(live, *ty));
    let lending = match lending {
        Lending::Inherited => quote!(Inherited),
        Lending::Operands => quote!(Operands),
    };
    let (id, role) = (instance(&op.id), role(op.role));
    quote! {
        pub fn #name() -> rt::OpEntry {
            fn call(f: &rt::Frame<'_>) -> rt::Value {
                #call
            }
            rt::OpEntry {
                id: #id,
                name: #path,
                names: &[#(#names),*],
                params: ::std::vec::Vec::from([#(#params),*]),
                makes: ::std::vec::Vec::from([#(#makes),*]),
                lending: rt::Lending::#lending,
                role: #role,
                call,
            }
        }
    }
}

fn instance(id: &InstanceId) -> TokenStream {
    let InstanceId { callable, arguments } = id;
    let owner = match &callable.owner {
        Owner::Module(path) => quote!(rt::OwnerEntry::Module(#path)),
        Owner::Type(path) => quote!(rt::OwnerEntry::Type(#path)),
    };
    let in_trait = callable.in_trait.as_ref();
    let in_trait = in_trait.map_or_else(|| quote!(None), |path| quote!(Some(#path)));
    let name = &callable.name;
    quote! {
        rt::InstanceEntry {
            owner: #owner,
            in_trait: #in_trait,
            name: #name,
            arguments: &[#(#arguments),*],
        }
    }
}

fn role(role: Role) -> TokenStream {
    match role {
        Role::Origin => quote!(rt::Role::Origin),
        Role::Query => quote!(rt::Role::Query),
        Role::Command => quote!(rt::Role::Command),
        Role::Consumer => quote!(rt::Role::Consumer),
        Role::Constructor => quote!(rt::Role::Constructor),
        Role::Part => quote!(rt::Role::Part),
        Role::Drop => quote!(rt::Role::Drop),
    }
}

fn call(op: &PlannedOp, lending: Lending, types: &TypeWriter) -> TokenStream {
    let mut operands = Operands::new(types, lending);
    let args: Vec<Argument> = op.params.iter().map(|param| operands.argument(param)).collect();
    let before = args.iter().map(|arg| &arg.before);
    let exprs = args.iter().map(|arg| &arg.expr);
    let callee = types.callee(&op.callee);
    let value = match &op.callee {
        Callee::Literal { .. } if args.is_empty() => callee,
        Callee::Literal { .. } => {
            let fields = op.params.iter().map(|param| ident(&param.name));
            quote!(#callee { #(#fields: #exprs),* })
        }
        Callee::Part { field, .. } => {
            let member = member(field);
            quote!(match #(#exprs)* {
                #callee { #member: it, .. } => ::std::option::Option::Some(it),
                _ => ::std::option::Option::None,
            })
        }
        _ => quote!(#callee(#(#exprs),*)),
    };
    if is_shown(op) {
        let fmt = types.callee(&op.callee);
        let exprs = args.iter().map(|arg| &arg.expr);
        let value = if op.params.iter().any(|param| param.pass == Pass::Formatter) {
            value
        } else {
            quote!(#fmt(#(#exprs,)* formatter))
        };
        return quote! {
            #(#before)*
            let seen = rt::formatted(|formatter: &mut ::std::fmt::Formatter<'_>| #value);
            seen
        };
    }
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

/// Whether the call writes to a formatter, one that it is passed or that of a formatting trait.
fn is_shown(op: &PlannedOp) -> bool {
    let by_trait = match &op.callee {
        Callee::Trait { path, name, .. } => path.starts_with("std::fmt::") && name == "fmt",
        _ => false,
    };
    let formatter = op.params.iter().any(|param| param.pass == Pass::Formatter);
    formatter || by_trait && op.params.len() == 1
}

fn slot_entry(live: &Live<'_>, types: &TypeWriter, slot: &Slot) -> TokenStream {
    match slot {
        Slot::Object { ty, mode } => {
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
        Slot::Closure => closure_entry(&quote!(rt::closure_literal)),
        Slot::WritingClosure => closure_entry(&quote!(rt::writing_closure_literal)),
        Slot::Plain(owned) => {
            let (key, ty) = (plain_entry(&owned.plain_type()), types.ty(owned));
            quote!(rt::ParamEntry::Plain { key: #key, generate: <#ty as rt::Plain>::generate })
        }
    }
}

/// A closure is chosen by a plain value, which no query takes.
fn closure_entry(generate: &TokenStream) -> TokenStream {
    let key = plain_entry(&PlainType::Other("closure".to_owned()));
    quote!(rt::ParamEntry::Plain { key: #key, generate: #generate })
}

/// The type of a plain value in the tables.
pub(super) fn plain_entry(ty: &PlainType) -> TokenStream {
    let variant = match ty {
        PlainType::Integer(ty) => {
            let variant = format_ident!("{ty:?}");
            quote!(Integer(rt::IntegerType::#variant))
        }
        PlainType::F32 => quote!(F32),
        PlainType::F64 => quote!(F64),
        PlainType::Bool => quote!(Bool),
        PlainType::Char => quote!(Char),
        PlainType::Text => quote!(Text),
        PlainType::Probe => quote!(Probe),
        PlainType::List(item) => {
            let item = plain_entry(item);
            quote!(List(&#item))
        }
        PlainType::Array(item, len) => {
            let (item, len) = (plain_entry(item), Literal::u64_unsuffixed(*len));
            quote!(Array(&#item, #len))
        }
        PlainType::Range(of) => {
            let of = plain_entry(of);
            quote!(Range(&#of))
        }
        PlainType::Tuple(members) => {
            let members = members.iter().map(plain_entry);
            quote!(Tuple(&[#(#members),*]))
        }
        PlainType::Other(text) => quote!(Other(#text)),
    };
    quote!(rt::PlainEntry::#variant)
}

pub(super) fn type_id(live: &Live<'_>, ty: usize) -> TokenStream {
    let id = Literal::usize_unsuffixed(live.type_id(ty));
    quote!(rt::TypeId(#id))
}

/// The name of a field; its number in a tuple.
pub(super) fn member(field: &str) -> TokenStream {
    if let Ok(number) = field.parse() {
        let number = Literal::usize_unsuffixed(number);
        quote!(#number)
    } else {
        let name = ident(field);
        quote!(#name)
    }
}
