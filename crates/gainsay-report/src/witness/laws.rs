//! Laws as assertions, by their names.

use std::collections::BTreeMap;

use gainsay_wire::ObjRef;
use proc_macro2::{Ident, TokenStream};
use quote::quote;

use crate::{code::Variable, record::OracleRecord};

/// Assertions of a law on the objects of the last step; `None` for a law that cannot be written.
pub(super) fn assertions(
    name: &str,
    objects: &[ObjRef],
    variables: &BTreeMap<ObjRef, Variable>,
) -> Option<TokenStream> {
    let living = |object: &ObjRef| variables.get(object).filter(|v| !v.is_moved);
    let (object, subject) =
        objects.iter().find_map(|object| living(object).map(|variable| (object, variable)))?;
    let others = variables.iter().filter(|(other, variable)| {
        *other != object && !variable.is_moved && variable.ty == subject.ty
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
