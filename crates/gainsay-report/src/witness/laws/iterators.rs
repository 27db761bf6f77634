//! Laws about iterators as assertions.

use gainsay_wire::{ItemCount, LawId};
use proc_macro2::{Ident, TokenStream};
use quote::quote;

use crate::code::ident;

/// Of an object that is an iterator.
pub(super) fn of_object(law: &LawId, x: &Ident) -> Option<TokenStream> {
    Some(match law {
        LawId::SizeHintAgreesWithItems => quote! {
            let (lower, upper) = #x.size_hint();
            let count = #x.clone().count();
            assert!(lower <= count && upper.is_none_or(|upper| count <= upper));
        },
        LawId::LenAgreesWithItems => quote!(assert_eq!(#x.len(), #x.clone().count());),
        LawId::CloneGivesTheSameItems => quote! {
            assert_eq!(shown(#x.clone()), shown(#x.clone()), "clones must give the same");
        },
        LawId::RevIsReverse => quote! {
            let mut items = shown(#x.clone());
            items.reverse();
            assert_eq!(shown(#x.clone().rev().take(items.len() + 1)), items);
        },
        LawId::StaysAtItsEnd => quote! {
            let mut rest = #x.clone();
            rest.by_ref().for_each(drop);
            assert!((0..3).all(|_| rest.next().is_none()), "it must stay at its end");
        },
        LawId::BothEndsMeet => both_ends(&quote!(#x.clone())),
        _ => return None,
    })
}

/// Of the iterator that a method makes.
pub(super) fn of_method(law: &LawId, x: &Ident) -> Option<TokenStream> {
    Some(match law {
        LawId::BothEndsOf { listing } => {
            let method = ident(listing);
            both_ends(&quote!(#x.clone().#method()))
        }
        LawId::ComesToAnEnd { listing } => {
            let method = ident(listing);
            quote! {
                const MANY: usize = 100_000;
                assert!(#x.#method().take(MANY).count() < MANY, "it comes to an end");
            }
        }
        LawId::CountOf { count: ItemCount::Len, listing } => {
            let method = ident(listing);
            quote! {
                let mut copy = #x.clone();
                let mut items = copy.#method();
                let mut lens = vec![items.len()];
                while items.next().is_some() {
                    lens.push(items.len());
                }
                let left: Vec<usize> = (0..lens.len()).rev().collect();
                assert_eq!(lens, left, "an iterator knows how many items follow");
            }
        }
        LawId::CountOf { count: ItemCount::SizeHint, listing } => {
            let method = ident(listing);
            quote! {
                let mut copy = #x.clone();
                let mut items = copy.#method();
                let mut hints = vec![items.size_hint()];
                while items.next().is_some() {
                    hints.push(items.size_hint());
                }
                for (left, (lower, upper)) in hints.into_iter().rev().enumerate() {
                    assert!(lower <= left && upper.is_none_or(|upper| left <= upper));
                }
            }
        }
        _ => return None,
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
