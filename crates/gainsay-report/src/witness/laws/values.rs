//! Laws about values as assertions: equality, order, hashes, copies.

use gainsay_wire::{ForeignText, LawId};
use proc_macro2::{Ident, TokenStream};
use quote::quote;

use crate::code::ident;

/// Laws about one object.
pub(super) fn alone(law: &LawId, x: &Ident) -> Option<TokenStream> {
    Some(match law {
        LawId::EqReflexive => quote!(assert!(#x == #x, "a value must equal itself");),
        LawId::CmpReflexive => quote!(assert_eq!(#x.cmp(&#x), std::cmp::Ordering::Equal);),
        LawId::CloneEquals => quote!(assert!(#x.clone() == #x, "a clone must equal its original");),
        LawId::CloneHoldsTheSame => {
            quote!(assert_eq!(shown(#x.clone().iter()), shown(#x.iter()));)
        }
        LawId::LeavesTheOriginal { change } => {
            let change = ident(change);
            quote! {
                let before = shown(#x.iter());
                let _ = #x.clone().#change();
                assert_eq!(shown(#x.iter()), before, "a clone has a life of its own");
            }
        }
        _ => return with_text(law, x),
    })
}

/// Comparing with text and bytes.
fn with_text(law: &LawId, x: &Ident) -> Option<TokenStream> {
    let other = |text: &ForeignText| match text {
        ForeignText::Str => quote!(text),
        ForeignText::String => quote!(&text.to_owned()),
        ForeignText::Bytes => quote!(text.as_bytes()),
        ForeignText::ByteVec => quote!(&text.as_bytes().to_vec()),
    };
    let law = match law {
        LawId::EqBothWaysWith { text } => {
            let other = other(text);
            quote!(assert_eq!(PartialEq::eq(&#x, #other), PartialEq::eq(#other, &#x));)
        }
        LawId::PartialCmpBothWaysWith { text } => {
            let other = other(text);
            quote! {
                let back = PartialOrd::partial_cmp(#other, &#x);
                let back = back.map(std::cmp::Ordering::reverse);
                assert_eq!(PartialOrd::partial_cmp(&#x, #other), back, "order must go both ways");
            }
        }
        LawId::CmpAgreesWithEqOf { text } => {
            let other = other(text);
            quote! {
                let order = PartialOrd::partial_cmp(&#x, #other);
                let compares_equal = order == Some(std::cmp::Ordering::Equal);
                assert_eq!(PartialEq::eq(&#x, #other), compares_equal);
            }
        }
        _ => return None,
    };
    Some(quote!(for text in ["", "\0", "a", "ab", "zzz"] { #law }))
}

/// Laws about two objects.
pub(super) fn together(law: &LawId, x: &Ident, y: &Ident) -> Option<TokenStream> {
    Some(match law {
        LawId::EqSymmetric => {
            quote!(assert_eq!(#x == #y, #y == #x, "equality must go both ways");)
        }
        LawId::HashAgreesWithEq => quote! {
            let hashes_agree = hash(&#x) == hash(&#y);
            assert!(#x != #y || hashes_agree, "equal values must have equal hashes");
        },
        LawId::CmpAgreesWithEq => quote! {
            let compares_equal = #x.partial_cmp(&#y) == Some(std::cmp::Ordering::Equal);
            assert_eq!(#x == #y, compares_equal, "`==` and `cmp` must agree");
        },
        LawId::PartialCmpBothWays => quote! {
            let back = #y.partial_cmp(&#x).map(std::cmp::Ordering::reverse);
            assert_eq!(#x.partial_cmp(&#y), back, "order must go both ways");
        },
        LawId::CmpBothWays => {
            quote!(assert_eq!(#x.cmp(&#y), #y.cmp(&#x).reverse(), "order must go both ways");)
        }
        LawId::PartialCmpAgreesWithCmp => {
            quote!(assert_eq!(#x.partial_cmp(&#y), Some(#x.cmp(&#y)));)
        }
        LawId::CloneFromEquals => quote! {
            let mut copy = #y.clone();
            copy.clone_from(&#x);
            assert!(copy == #x, "`clone_from` must make it equal");
        },
        _ => return None,
    })
}

/// Laws about three objects.
pub(super) fn all_three(law: &LawId, [x, y, z]: [&Ident; 3]) -> Option<TokenStream> {
    Some(match law {
        LawId::EqTransitive => quote! {
            let equal = [#x == #y, #y == #z, #x == #z];
            assert_ne!(equal.iter().filter(|it| **it).count(), 2, "equality carries over");
        },
        LawId::PartialCmpTransitive => quote! {
            for (a, b, c) in [
                (&#x, &#y, &#z), (&#x, &#z, &#y), (&#y, &#x, &#z),
                (&#y, &#z, &#x), (&#z, &#x, &#y), (&#z, &#y, &#x),
            ] {
                assert!(!(a <= b && b <= c) || a <= c, "order carries over");
            }
        },
        _ => return None,
    })
}
