//! Conventions between the operations of collections as assertions.

use proc_macro2::{Ident, TokenStream};
use quote::quote;

use crate::code::ident;

pub(super) fn convention(name: &str, x: &Ident) -> Option<TokenStream> {
    match name {
        "is_empty-agrees-with-len" => Some(quote!(assert_eq!(#x.is_empty(), #x.len() == 0);)),
        "len-agrees-with-seq" => Some(quote!(assert_eq!(#x.len(), #x.iter().count());)),
        "seq-is-sorted" => {
            Some(quote!(assert!(#x.iter().is_sorted(), "items must stay in order");))
        }
        "drain-takes-the-range" => Some(drains(x)),
        "drain-cuts-the-text" => Some(cuts(x)),
        "debug-is-as-of-a-slice" => Some(quote! {
            assert_eq!(format!("{:?}", #x), format!("{:?}", &#x[..]), "it is shown as a list is");
        }),
        "debug-is-as-of-a-text" => Some(quote! {
            let text = std::str::from_utf8(AsRef::<[u8]>::as_ref(&#x)).unwrap();
            assert_eq!(format!("{:?}", #x), format!("{text:?}"), "it is shown as a text is");
        }),
        "pretty-debug-is-as-of-a-slice" => Some(quote! {
            assert_eq!(format!("{:#?}", #x), format!("{:#?}", &#x[..]), "it is shown as a list is");
        }),
        _ => found(name, x)
            .or_else(|| ends(name, x))
            .or_else(|| listed(name, x))
            .or_else(|| queued(name, x))
            .or_else(|| as_on_a_list(name, x))
            .or_else(|| beyond(name, x)),
    }
}

/// What iterating shows is found by asking for it.
fn found(name: &str, x: &Ident) -> Option<TokenStream> {
    if let Some(query) = name.strip_suffix("-shows-seq-by-position") {
        let item = match query {
            "index" => quote!(Some(&#x[at])),
            query => {
                let query = ident(query);
                quote!(#x.#query(at))
            }
        };
        return Some(quote! {
            for (at, item) in #x.iter().enumerate() {
                assert_eq!(#item, Some(item));
            }
        });
    }
    if let Some(query) = name.strip_suffix("-finds-every-key") {
        let check = match query {
            "index" => quote!(assert_eq!(&#x[key], value);),
            "get" => quote!(assert_eq!(#x.get(key), Some(value));),
            "get_key_value" => quote!(assert_eq!(#x.get_key_value(key), Some((key, value)));),
            query => {
                let query = ident(query);
                return Some(quote!(for (key, _) in #x.iter() { assert!(#x.#query(key)); }));
            }
        };
        return Some(quote!(for (key, value) in #x.iter() { #check }));
    }
    let query = ident(name.strip_suffix("-finds-every-item")?);
    let check = match query.to_string().as_str() {
        "contains" | "contains_key" => quote!(assert!(#x.#query(item));),
        "index" => quote!(let _ = &#x[item];),
        _ => quote!(assert!(#x.#query(item).is_some());),
    };
    Some(quote!(for item in #x.iter() { #check }))
}

fn ends(name: &str, x: &Ident) -> Option<TokenStream> {
    if let Some(query) = name.strip_suffix("-is-the-first-of-seq") {
        let query = ident(query);
        return Some(quote!(assert_eq!(#x.#query(), #x.iter().next());));
    }
    let query = ident(name.strip_suffix("-is-the-last-of-seq")?);
    Some(quote!(assert_eq!(#x.#query(), #x.iter().last());))
}

/// Operations that list the same.
fn listed(name: &str, x: &Ident) -> Option<TokenStream> {
    if let Some((one, other)) = name.split_once("-agrees-with-") {
        let (left, right) = (ident(one), ident(other));
        if one.strip_suffix("_mut") == Some(other) {
            return Some(quote!(assert_eq!(shown(#x.clone().#left()), shown(#x.#right()));));
        }
        return Some(quote!(assert_eq!(#x.#left(), #x.#right().count());));
    }
    let (list, is_ordered) = match name.strip_suffix("-keeps-the-order") {
        Some(list) => (list, true),
        None => (name.strip_suffix("-gives-every-item")?, false),
    };
    let method = ident(list);
    let items = match list {
        "keys" | "into_keys" => quote!(#x.iter().map(|(key, _)| key)),
        "values" | "values_mut" | "into_values" => quote!(#x.iter().map(|(_, value)| value)),
        _ => quote!(#x.iter()),
    };
    let sorted = (!is_ordered).then(|| quote!(listed.sort(); items.sort();));
    let qualifier = (!is_ordered).then(|| quote!(mut));
    Some(quote! {
        let #qualifier listed = shown(#x.clone().#method());
        let #qualifier items = shown(#items);
        #sorted
        assert_eq!(listed, items);
    })
}

/// Queues: what is shown next, what is taken next.
fn queued(name: &str, x: &Ident) -> Option<TokenStream> {
    if let Some((pop, shown)) = name.split_once("-takes-what-") {
        let (pop, peek) = (ident(pop), ident(shown.strip_suffix("-shows")?));
        return Some(quote! {
            assert_eq!(format!("{:?}", #x.clone().#pop()), format!("{:?}", #x.#peek()));
        });
    }
    let taken = |pop: &str| {
        let pop = ident(pop);
        quote! {
            let mut copy = #x.clone();
            let taken: Vec<_> = std::iter::from_fn(|| copy.#pop()).collect();
        }
    };
    if let Some(pop) = name.strip_suffix("-takes-every-item") {
        let taken = taken(pop);
        return Some(quote! {
            #taken
            assert_eq!(taken.len(), #x.iter().count());
        });
    }
    if let Some((pop, extreme)) = name.split_once("-takes-the-") {
        let (extreme, rank) = ranked(extreme)?;
        let order = if extreme == "max" { quote!(>=) } else { quote!(<=) };
        let taken = taken(pop);
        return Some(quote! {
            #taken
            assert!(taken.iter()#rank.is_sorted_by(|a, b| a #order b), "they come in order");
        });
    }
    let (peek, extreme) = name.split_once("-shows-the-")?;
    let (extreme, rank) = ranked(extreme)?;
    let (peek, extreme) = (ident(peek), ident(extreme));
    Some(quote!(assert_eq!(#x.#peek()#rank, #x.iter()#rank.#extreme());))
}

/// The function that finds an extreme, and what is compared.
fn ranked(extreme: &str) -> Option<(&'static str, TokenStream)> {
    let (extreme, rank) = match extreme.strip_suffix("-by-second") {
        Some(extreme) => (extreme, quote!(.map(|(_, rank)| rank))),
        None => (extreme, TokenStream::new()),
    };
    match extreme {
        "greatest" => Some(("max", rank)),
        "least" => Some(("min", rank)),
        _ => None,
    }
}

/// Commands that mean the same on every list, at all positions.
fn as_on_a_list(name: &str, x: &Ident) -> Option<TokenStream> {
    let command = name.strip_suffix("-is-as-on-a-list")?;
    let method = ident(command);
    let at = |check: TokenStream, positions: TokenStream| {
        quote! {
            let items = shown(#x.iter());
            for at in #positions {
                let mut copy = #x.clone();
                #check
            }
        }
    };
    Some(match command {
        "clear" | "reset" => quote! {
            let mut copy = #x.clone();
            copy.#method();
            assert_eq!(copy.iter().count(), 0);
        },
        "reverse" => quote! {
            let (mut copy, mut items) = (#x.clone(), shown(#x.iter()));
            copy.reverse();
            items.reverse();
            assert_eq!(shown(copy.iter()), items);
        },
        "truncate" => at(
            quote!(copy.truncate(at); assert_eq!(shown(copy.iter()), items[..at]);),
            quote!(0..=items.len()),
        ),
        "split_off" => at(
            quote! {
                let rest = copy.split_off(at);
                assert_eq!(shown(copy.iter()), items[..at]);
                assert_eq!(shown(rest.iter()), items[at..]);
            },
            quote!(0..=items.len()),
        ),
        "remove" | "swap_remove" => at(
            quote! {
                let mut expected = items.clone();
                expected.#method(at);
                copy.#method(at);
                assert_eq!(shown(copy.iter()), expected);
            },
            quote!(0..items.len()),
        ),
        _ => return None,
    })
}

/// Nothing can be taken from beyond the end.
fn beyond(name: &str, x: &Ident) -> Option<TokenStream> {
    let method = ident(name.strip_suffix("-takes-nothing-beyond-the-end")?);
    Some(quote! {
        for at in [#x.iter().count(), #x.iter().count() + 1] {
            let mut copy = #x.clone();
            let taken = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| copy.#method(at)));
            assert!(taken.is_err(), "nothing stands at {at}");
        }
    })
}

/// A list takes every such range, so a panic is as wrong as other items are.
fn drains(x: &Ident) -> TokenStream {
    quote! {
        let items = shown(#x.iter());
        for start in 0..=items.len() {
            for end in start..=items.len() {
                let (mut copy, mut expected) = (#x.clone(), items.clone());
                let taken: Vec<String> = expected.drain(start..end).collect();
                let drain = move || (shown(copy.drain(start..end)), shown(copy.iter()));
                let drained = std::panic::catch_unwind(std::panic::AssertUnwindSafe(drain));
                assert_eq!(drained.ok(), Some((taken, expected)), "{start}..{end}");
            }
        }
    }
}

fn cuts(x: &Ident) -> TokenStream {
    quote! {
        let text = #x.to_string();
        for start in (0..=text.len()).filter(|at| text.is_char_boundary(*at)) {
            for end in (start..=text.len()).filter(|at| text.is_char_boundary(*at)) {
                let (mut copy, mut expected) = (#x.clone(), text.clone());
                let taken: String = expected.drain(start..end).collect();
                assert_eq!(copy.drain(start..end).collect::<String>(), taken);
                assert_eq!(copy.to_string(), expected);
            }
        }
    }
}
