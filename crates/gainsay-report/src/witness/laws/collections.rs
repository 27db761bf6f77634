//! Conventions between the operations of collections as assertions.

use gainsay_wire::{Extreme, ItemPart, LawId, ListCommand, Listing, LookUp, SeqEnd, Sought};
use proc_macro2::{Ident, TokenStream};
use quote::quote;

use crate::code::ident;

pub(super) fn convention(law: &LawId, x: &Ident) -> Option<TokenStream> {
    match law {
        LawId::IsEmptyAgreesWithLen => Some(quote!(assert_eq!(#x.is_empty(), #x.len() == 0);)),
        LawId::LenAgreesWithSeq => Some(quote!(assert_eq!(#x.len(), #x.iter().count());)),
        LawId::SeqIsSorted => {
            Some(quote!(assert!(#x.iter().is_sorted(), "items must stay in order");))
        }
        LawId::DrainTakesTheRange => Some(drains(x)),
        LawId::DrainCutsTheText => Some(cuts(x)),
        LawId::DebugIsAsOfASlice => Some(quote! {
            assert_eq!(format!("{:?}", #x), format!("{:?}", &#x[..]), "it is shown as a list is");
        }),
        LawId::DebugIsAsOfAText => Some(quote! {
            let text = std::str::from_utf8(AsRef::<[u8]>::as_ref(&#x)).unwrap();
            assert_eq!(format!("{:?}", #x), format!("{text:?}"), "it is shown as a text is");
        }),
        LawId::PrettyDebugIsAsOfASlice => Some(quote! {
            assert_eq!(format!("{:#?}", #x), format!("{:#?}", &#x[..]), "it is shown as a list is");
        }),
        LawId::FindsEvery { .. } | LawId::ShowsSeqByPosition { .. } => found(law, x),
        LawId::ShowsEnd { query, end } => Some(ends(query, *end, x)),
        LawId::IsAsOnAList { command } => as_on_a_list(*command, x),
        LawId::TakesNothingBeyondTheEnd { command } => Some(beyond(*command, x)),
        _ => listed(law, x).or_else(|| queued(law, x)),
    }
}

/// What iterating shows is found by asking for it.
fn found(law: &LawId, x: &Ident) -> Option<TokenStream> {
    Some(match law {
        LawId::ShowsSeqByPosition { query } => {
            let item = match query {
                LookUp::Index => quote!(Some(&#x[at])),
                query => {
                    let query = ident(query.word());
                    quote!(#x.#query(at))
                }
            };
            quote! {
                for (at, item) in #x.iter().enumerate() {
                    assert_eq!(#item, Some(item));
                }
            }
        }
        LawId::FindsEvery { query, what: Sought::Key } => {
            let check = match query {
                LookUp::Index => quote!(assert_eq!(&#x[key], value);),
                LookUp::Get => quote!(assert_eq!(#x.get(key), Some(value));),
                LookUp::GetKeyValue => {
                    quote!(assert_eq!(#x.get_key_value(key), Some((key, value)));)
                }
                LookUp::Contains | LookUp::ContainsKey => {
                    let query = ident(query.word());
                    return Some(quote!(for (key, _) in #x.iter() { assert!(#x.#query(key)); }));
                }
            };
            quote!(for (key, value) in #x.iter() { #check })
        }
        LawId::FindsEvery { query, what: Sought::Item } => {
            let method = ident(query.word());
            let check = match query {
                LookUp::Contains | LookUp::ContainsKey => quote!(assert!(#x.#method(item));),
                LookUp::Index => quote!(let _ = &#x[item];),
                LookUp::Get | LookUp::GetKeyValue => quote!(assert!(#x.#method(item).is_some());),
            };
            quote!(for item in #x.iter() { #check })
        }
        _ => return None,
    })
}

fn ends(query: &str, end: SeqEnd, x: &Ident) -> TokenStream {
    let query = ident(query);
    match end {
        SeqEnd::First => quote!(assert_eq!(#x.#query(), #x.iter().next());),
        SeqEnd::Last => quote!(assert_eq!(#x.#query(), #x.iter().last());),
    }
}

/// Operations that list the same.
fn listed(law: &LawId, x: &Ident) -> Option<TokenStream> {
    match law {
        LawId::MutAgreesWith { shared } => {
            let (left, right) = (ident(&format!("{shared}_mut")), ident(shared));
            Some(quote!(assert_eq!(shown(#x.clone().#left()), shown(#x.#right()));))
        }
        LawId::CountAgreesWith { count, listing } => {
            let (left, right) = (ident(count), ident(listing));
            Some(quote!(assert_eq!(#x.#left(), #x.#right().count());))
        }
        LawId::KeepsTheOrder { listing } => {
            let (method, items) = (ident(listing.word()), items_shown(*listing, x));
            Some(quote! {
                let listed = shown(#x.clone().#method());
                let items = shown(#items);
                assert_eq!(listed, items);
            })
        }
        LawId::GivesEveryItem { listing } => {
            let (method, items) = (ident(listing.word()), items_shown(*listing, x));
            Some(quote! {
                let mut listed = shown(#x.clone().#method());
                let mut items = shown(#items);
                listed.sort();
                items.sort();
                assert_eq!(listed, items);
            })
        }
        _ => None,
    }
}

/// The part of all items that a listing shows.
fn items_shown(listing: Listing, x: &Ident) -> TokenStream {
    match listing.part() {
        ItemPart::Whole => quote!(#x.iter()),
        ItemPart::First => quote!(#x.iter().map(|(key, _)| key)),
        ItemPart::Second => quote!(#x.iter().map(|(_, value)| value)),
    }
}

/// Queues: what is shown next, what is taken next.
fn queued(law: &LawId, x: &Ident) -> Option<TokenStream> {
    let taken = |pop: &str| {
        let pop = ident(pop);
        quote! {
            let mut copy = #x.clone();
            let taken: Vec<_> = std::iter::from_fn(|| copy.#pop()).collect();
        }
    };
    Some(match law {
        LawId::TakesWhatIsShown { pop, peek } => {
            let (pop, peek) = (ident(pop), ident(peek));
            quote! {
                assert_eq!(format!("{:?}", #x.clone().#pop()), format!("{:?}", #x.#peek()));
            }
        }
        LawId::TakesEveryItem { pop } => {
            let taken = taken(pop);
            quote! {
                #taken
                assert_eq!(taken.len(), #x.iter().count());
            }
        }
        LawId::TakesExtreme { pop, extreme } => {
            let (taken, rank) = (taken(pop), rank(*extreme));
            let order = match extreme {
                Extreme::Greatest | Extreme::GreatestBySecond => quote!(>=),
                Extreme::Least | Extreme::LeastBySecond => quote!(<=),
            };
            quote! {
                #taken
                assert!(taken.iter()#rank.is_sorted_by(|a, b| a #order b), "they come in order");
            }
        }
        LawId::ShowsExtreme { query, extreme } => {
            let (peek, rank) = (ident(query), rank(*extreme));
            let extreme = match extreme {
                Extreme::Greatest | Extreme::GreatestBySecond => quote!(max),
                Extreme::Least | Extreme::LeastBySecond => quote!(min),
            };
            quote!(assert_eq!(#x.#peek()#rank, #x.iter()#rank.#extreme());)
        }
        _ => return None,
    })
}

/// The way from an item to what is compared of it.
fn rank(extreme: Extreme) -> TokenStream {
    match extreme {
        Extreme::Greatest | Extreme::Least => TokenStream::new(),
        Extreme::GreatestBySecond | Extreme::LeastBySecond => quote!(.map(|(_, rank)| rank)),
    }
}

/// Commands that mean the same on every list, at all positions.
fn as_on_a_list(command: ListCommand, x: &Ident) -> Option<TokenStream> {
    let method = ident(command.word());
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
        ListCommand::Clear | ListCommand::Reset => quote! {
            let mut copy = #x.clone();
            copy.#method();
            assert_eq!(copy.iter().count(), 0);
        },
        ListCommand::Reverse => quote! {
            let (mut copy, mut items) = (#x.clone(), shown(#x.iter()));
            copy.reverse();
            items.reverse();
            assert_eq!(shown(copy.iter()), items);
        },
        ListCommand::Truncate => at(
            quote!(copy.truncate(at); assert_eq!(shown(copy.iter()), items[..at]);),
            quote!(0..=items.len()),
        ),
        ListCommand::SplitOff => at(
            quote! {
                let rest = copy.split_off(at);
                assert_eq!(shown(copy.iter()), items[..at]);
                assert_eq!(shown(rest.iter()), items[at..]);
            },
            quote!(0..=items.len()),
        ),
        ListCommand::Remove | ListCommand::SwapRemove => at(
            quote! {
                let mut expected = items.clone();
                expected.#method(at);
                copy.#method(at);
                assert_eq!(shown(copy.iter()), expected);
            },
            quote!(0..items.len()),
        ),
        // No method of `Vec` does the same.
        ListCommand::SwapRemoveBack => return None,
    })
}

/// Nothing can be taken from beyond the end.
fn beyond(command: ListCommand, x: &Ident) -> TokenStream {
    let method = ident(command.word());
    quote! {
        for at in [#x.iter().count(), #x.iter().count() + 1] {
            let mut copy = #x.clone();
            let taken = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| copy.#method(at)));
            assert!(taken.is_err(), "nothing stands at {at}");
        }
    }
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
