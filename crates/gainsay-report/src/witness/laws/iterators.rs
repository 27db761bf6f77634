//! Laws about iterators as assertions.

use proc_macro2::{Ident, TokenStream};
use quote::quote;

use crate::code::ident;

/// Of an object that is an iterator.
pub(super) fn of_object(name: &str, x: &Ident) -> Option<TokenStream> {
    Some(match name {
        "size_hint-agrees-with-items" => quote! {
            let (lower, upper) = #x.size_hint();
            let count = #x.clone().count();
            assert!(lower <= count && upper.is_none_or(|upper| count <= upper));
        },
        "len-agrees-with-items" => quote!(assert_eq!(#x.len(), #x.clone().count());),
        "clone-gives-the-same-items" => quote! {
            assert_eq!(shown(#x.clone()), shown(#x.clone()), "clones must give the same");
        },
        "rev-is-reverse" => quote! {
            let mut items = shown(#x.clone());
            items.reverse();
            assert_eq!(shown(#x.clone().rev().take(items.len() + 1)), items);
        },
        "stays-at-its-end" => quote! {
            let mut rest = #x.clone();
            rest.by_ref().for_each(drop);
            assert!((0..3).all(|_| rest.next().is_none()), "it must stay at its end");
        },
        "both-ends-meet" => both_ends(&quote!(#x.clone())),
        _ => return None,
    })
}

/// Of the iterator that a method makes.
pub(super) fn of_method(name: &str, x: &Ident) -> Option<TokenStream> {
    if let Some(method) = name.strip_prefix("both-ends-of-") {
        let method = ident(method);
        return Some(both_ends(&quote!(#x.clone().#method())));
    }
    if let Some(method) = name.strip_suffix("-comes-to-an-end") {
        let method = ident(method);
        return Some(quote! {
            const MANY: usize = 100_000;
            assert!(#x.#method().take(MANY).count() < MANY, "it comes to an end");
        });
    }
    if let Some(method) = name.strip_prefix("len-of-") {
        let method = ident(method);
        return Some(quote! {
            let mut copy = #x.clone();
            let mut items = copy.#method();
            let mut lens = vec![items.len()];
            while items.next().is_some() {
                lens.push(items.len());
            }
            let left: Vec<usize> = (0..lens.len()).rev().collect();
            assert_eq!(lens, left, "an iterator knows how many items follow");
        });
    }
    let method = ident(name.strip_prefix("size_hint-of-")?);
    Some(quote! {
        let mut copy = #x.clone();
        let mut items = copy.#method();
        let mut hints = vec![items.size_hint()];
        while items.next().is_some() {
            hints.push(items.size_hint());
        }
        for (left, (lower, upper)) in hints.into_iter().rev().enumerate() {
            assert!(lower <= left && upper.is_none_or(|upper| left <= upper));
        }
    })
}

/// Items are taken from the front and the back in turn, in several ways.
fn both_ends(items: &TokenStream) -> TokenStream {
    quote! {
        let mut all = shown(#items);
        all.sort();
        for (period, back) in [(1, 0), (2, 0), (2, 1), (3, 2)] {
            let mut items = #items;
            let mut taken = Vec::new();
            while let Some(item) = if taken.len() % period == back {
                items.next_back()
            } else {
                items.next()
            } {
                taken.push(format!("{item:?}"));
                let is_new = taken.len() <= all.len();
                assert!(is_new, "every item comes once, whichever end it is taken from");
            }
            taken.sort();
            assert_eq!(taken, all, "every item comes once, whichever end it is taken from");
        }
    }
}
