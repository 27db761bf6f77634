//! Laws as assertions, by their names.

use std::collections::BTreeMap;

use gainsay_model::spelling::Spelling;
use gainsay_wire::{Arg, ObjRef, Sequence, Step};
use proc_macro2::{Ident, TokenStream};
use quote::quote;

use crate::{
    code::{Book, Variable},
    record::OracleRecord,
};

/// The objects that a finding names: ``does not hold for `self` and `other`: law``.
pub(super) fn named(message: &str, sequence: &Sequence, book: Book<'_>) -> Option<Vec<ObjRef>> {
    let (_, about) = message.split_once("does not hold for ")?;
    let at = sequence.steps.len().checked_sub(1)?;
    let step = &sequence.steps[at];
    let spelling = book.spelling(step.op)?;
    // Every other piece is between backquotes; the law's name follows the last.
    let (about, _) = about.rsplit_once(':')?;
    let names = about.split('`').skip(1).step_by(2);
    names.map(|name| object(name, (at, step), spelling)).collect()
}

/// The object that a step calls `name`.
fn object(name: &str, (at, step): (usize, &Step), spelling: &Spelling) -> Option<ObjRef> {
    if let Some(made) = name.strip_prefix("result") {
        let out = if made.is_empty() { 0 } else { made.strip_prefix('.')?.parse().ok()? };
        return Some(ObjRef { step: u32::try_from(at).ok()?, out });
    }
    let names = spelling.params.iter().flat_map(|param| {
        (0..param.operands().len()).map(|n| match n {
            0 => param.name.clone(),
            n => format!("{}_{n}", param.name),
        })
    });
    let mut found = names.zip(&step.args).filter(|(known, _)| known == name);
    match found.next()?.1 {
        Arg::Object(object) => Some(*object),
        Arg::Plain(_) => None,
    }
}

/// Assertions of a law on the objects of the last step; `None` for a law that cannot be written.
pub(super) fn assertions(
    name: &str,
    objects: &[ObjRef],
    variables: &BTreeMap<ObjRef, Variable>,
) -> Option<TokenStream> {
    let living = |object: &ObjRef| variables.get(object).filter(|v| !v.is_moved);
    let (object, subject) =
        objects.iter().find_map(|object| living(object).map(|variable| (object, variable)))?;
    // The other one that the finding names, or any that it could be about.
    let is_named = |other: &ObjRef| {
        let same = |object: &&ObjRef| living(object).is_some_and(|v| v.ty == subject.ty);
        let mut named = objects.iter().filter(|known| *known != object).filter(same);
        named.clone().next().is_none() || named.any(|known| known == other)
    };
    let others = variables.iter().filter(|(other, variable)| {
        *other != object && !variable.is_moved && variable.ty == subject.ty && is_named(other)
    });
    let others: Vec<&Ident> = others.map(|(_, variable)| &variable.name).collect();
    let x = &subject.name;
    if let Some(assertion) = alone(name, x) {
        return Some(assertion);
    }
    if others.is_empty() {
        // A law about two objects that one object breaks, it breaks together with its equal.
        let law = together(name, x, &Ident::new("twin", x.span()))?;
        return Some(quote!(let twin = #x.clone(); #law));
    }
    others.into_iter().map(|other| together(name, x, other)).collect()
}

/// Laws about one object.
fn alone(name: &str, x: &Ident) -> Option<TokenStream> {
    match name {
        "eq-reflexive" => Some(quote!(assert!(#x == #x, "a value must equal itself");)),
        "clone-equals" => {
            Some(quote!(assert!(#x.clone() == #x, "a clone must equal its original");))
        }
        "is_empty-agrees-with-len" => Some(quote!(assert_eq!(#x.is_empty(), #x.len() == 0);)),
        "len-agrees-with-seq" => Some(quote!(assert_eq!(#x.len(), #x.iter().count());)),
        _ => None,
    }
}

/// Laws about two objects.
fn together(name: &str, x: &Ident, y: &Ident) -> Option<TokenStream> {
    match name {
        "eq-symmetric" => {
            Some(quote!(assert_eq!(#x == #y, #y == #x, "equality must go both ways");))
        }
        "hash-agrees-with-eq" => Some(quote! {
            let hashes_agree = hash(&#x) == hash(&#y);
            assert!(#x != #y || hashes_agree, "equal values must have equal hashes");
        }),
        "cmp-agrees-with-eq" => Some(quote! {
            let compares_equal = #x.partial_cmp(&#y) == Some(std::cmp::Ordering::Equal);
            assert_eq!(#x == #y, compares_equal, "`==` and `cmp` must agree");
        }),
        _ => None,
    }
}

/// The function that an assertion needs beside the test.
pub(super) fn helper(oracle: &OracleRecord) -> Option<TokenStream> {
    let OracleRecord::Law { name } = oracle else { return None };
    (name == "hash-agrees-with-eq").then(|| {
        quote! {
            fn hash(value: &impl std::hash::Hash) -> u64 {
                let mut hasher = std::hash::DefaultHasher::new();
                value.hash(&mut hasher);
                std::hash::Hasher::finish(&hasher)
            }
        }
    })
}
