//! Laws about values as assertions: equality, order, hashes, copies.

use proc_macro2::{Ident, TokenStream};
use quote::quote;

use crate::code::ident;

/// Laws about one object.
pub(super) fn alone(name: &str, x: &Ident) -> Option<TokenStream> {
    Some(match name {
        "eq-reflexive" => quote!(assert!(#x == #x, "a value must equal itself");),
        "cmp-reflexive" => quote!(assert_eq!(#x.cmp(&#x), std::cmp::Ordering::Equal);),
        "clone-equals" => quote!(assert!(#x.clone() == #x, "a clone must equal its original");),
        "clone-holds-the-same" => {
            quote!(assert_eq!(shown(#x.clone().iter()), shown(#x.iter()));)
        }
        _ => {
            if let Some(change) = name.strip_suffix("-of-a-clone-leaves-the-original") {
                let change = ident(change);
                return Some(quote! {
                    let before = shown(#x.iter());
                    let _ = #x.clone().#change();
                    assert_eq!(shown(#x.iter()), before, "a clone has a life of its own");
                });
            }
            return with_text(name, x);
        }
    })
}

/// Comparing with text and bytes.
fn with_text(name: &str, x: &Ident) -> Option<TokenStream> {
    let other = |ty: &str| {
        Some(match ty {
            "str" => quote!(text),
            "String" => quote!(&text.to_owned()),
            "[u8]" => quote!(text.as_bytes()),
            "Vec<u8>" => quote!(&text.as_bytes().to_vec()),
            _ => return None,
        })
    };
    let law = if let Some(ty) = name.strip_prefix("eq-both-ways-with-") {
        let other = other(ty)?;
        quote!(assert_eq!(PartialEq::eq(&#x, #other), PartialEq::eq(#other, &#x));)
    } else if let Some(ty) = name.strip_prefix("partial_cmp-both-ways-with-") {
        let other = other(ty)?;
        quote! {
            let back = PartialOrd::partial_cmp(#other, &#x);
            let back = back.map(std::cmp::Ordering::reverse);
            assert_eq!(PartialOrd::partial_cmp(&#x, #other), back, "order must go both ways");
        }
    } else {
        let other = other(name.strip_prefix("cmp-agrees-with-eq-of-")?)?;
        quote! {
            let order = PartialOrd::partial_cmp(&#x, #other);
            let compares_equal = order == Some(std::cmp::Ordering::Equal);
            assert_eq!(PartialEq::eq(&#x, #other), compares_equal);
        }
    };
    Some(quote!(for text in ["", "\0", "a", "ab", "zzz"] { #law }))
}

/// Laws about two objects.
pub(super) fn together(name: &str, x: &Ident, y: &Ident) -> Option<TokenStream> {
    Some(match name {
        "eq-symmetric" => {
            quote!(assert_eq!(#x == #y, #y == #x, "equality must go both ways");)
        }
        "hash-agrees-with-eq" => quote! {
            let hashes_agree = hash(&#x) == hash(&#y);
            assert!(#x != #y || hashes_agree, "equal values must have equal hashes");
        },
        "cmp-agrees-with-eq" => quote! {
            let compares_equal = #x.partial_cmp(&#y) == Some(std::cmp::Ordering::Equal);
            assert_eq!(#x == #y, compares_equal, "`==` and `cmp` must agree");
        },
        "partial_cmp-both-ways" => quote! {
            let back = #y.partial_cmp(&#x).map(std::cmp::Ordering::reverse);
            assert_eq!(#x.partial_cmp(&#y), back, "order must go both ways");
        },
        "cmp-both-ways" => {
            quote!(assert_eq!(#x.cmp(&#y), #y.cmp(&#x).reverse(), "order must go both ways");)
        }
        "partial_cmp-agrees-with-cmp" => {
            quote!(assert_eq!(#x.partial_cmp(&#y), Some(#x.cmp(&#y)));)
        }
        "clone_from-equals" => quote! {
            let mut copy = #y.clone();
            copy.clone_from(&#x);
            assert!(copy == #x, "`clone_from` must make it equal");
        },
        _ => return None,
    })
}

/// Laws about three objects.
pub(super) fn all_three(name: &str, [x, y, z]: [&Ident; 3]) -> Option<TokenStream> {
    Some(match name {
        "eq-transitive" => quote! {
            let equal = [#x == #y, #y == #z, #x == #z];
            assert_ne!(equal.iter().filter(|it| **it).count(), 2, "equality carries over");
        },
        "partial_cmp-transitive" => quote! {
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
