//! Ranges of keys, and many items at once beside one after another, as assertions.

use gainsay_wire::LawId;
use proc_macro2::TokenStream;
use quote::quote;

use super::trips::Subject;
use crate::code::ident;

impl Subject<'_> {
    /// The assertion of a law, if it is one of these.
    pub(super) fn gathered(&self, law: &LawId) -> Option<TokenStream> {
        match law {
            LawId::ShowsBetween { query } => Some(self.between(query)),
            LawId::FromIterAgreesWithExtend => Some(self.collected()),
            LawId::ExtendAgreesWith { one } => self.one_by_one(one.word()),
            _ => None,
        }
    }

    /// A range shows the entries of its keys.
    fn between(&self, range: &str) -> TokenStream {
        let (x, method) = (self.x(), ident(range));
        let all = if self.method("keys").is_some() { quote!(keys) } else { quote!(iter) };
        let mutable = range.ends_with("_mut").then(|| quote!(mut));
        quote! {
            let keys: Vec<_> = #x.#all().cloned().collect();
            let items = shown(#x.iter());
            for start in 0..keys.len() {
                for end in start..keys.len() {
                    let #mutable copy = #x.clone();
                    let range = keys[start].clone()..keys[end].clone();
                    assert_eq!(shown(copy.#method(range)), items[start..end], "no more, no less");
                }
            }
        }
    }

    /// What is made of items is what is extended by them.
    fn collected(&self) -> TokenStream {
        let x = self.x();
        quote! {
            let items: Vec<_> = #x.clone().into_iter().collect();
            let (mut made, mut extended) = (#x.clone(), #x.clone());
            made.clone_from(&items.iter().cloned().collect());
            extended.clear();
            extended.extend(items);
            assert_eq!(shown(made.iter()), shown(extended.iter()), "both are given the same");
        }
    }

    /// Many at once are as one after another.
    fn one_by_one(&self, one: &str) -> Option<TokenStream> {
        let (x, method) = (self.x(), ident(one));
        let of_pairs = self.method(one)?.params.len() == 3;
        let call = if of_pairs {
            quote!(let (key, value) = item; let _ = few.#method(key, value);)
        } else {
            quote!(let _ = few.#method(item);)
        };
        Some(quote! {
            let items: Vec<_> = #x.clone().into_iter().collect();
            for is_cleared in [true, false] {
                let (mut many, mut few) = (#x.clone(), #x.clone());
                if is_cleared {
                    many.clear();
                    few.clear();
                }
                many.extend(items.iter().cloned());
                for item in items.iter().cloned() {
                    #call
                }
                assert_eq!(shown(many.iter()), shown(few.iter()), "both are given the same");
            }
        })
    }
}
