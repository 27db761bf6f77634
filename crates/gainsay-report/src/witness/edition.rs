//! What older editions want said otherwise: a test is compiled in the edition of its package.

use std::collections::BTreeSet;

use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};
use quote::quote;

use crate::code::ident;

/// What the edition of a package lacks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Old {
    /// Nothing: 2021 and later.
    No,
    /// 2018: some traits must be imported, and arrays are iterated by reference.
    Somewhat,
    /// 2015: crates must be declared, too.
    Very,
}

/// Traits that are everywhere only since 2021, with the names whose use gives them away.
const NEWER_TRAITS: [(&str, &[&str]); 3] = [
    ("std::convert::TryFrom", &["TryFrom", "try_from"]),
    ("std::convert::TryInto", &["TryInto", "try_into"]),
    ("std::iter::FromIterator", &["FromIterator", "from_iter"]),
];

impl Old {
    /// Of an edition.
    pub fn of(year: u16) -> Old {
        match year {
            ..2018 => Old::Very,
            2018..2021 => Old::Somewhat,
            _ => Old::No,
        }
    }

    /// The declarations of a crate and of those that `use` items name, where that is needed.
    pub(crate) fn extern_crates(self, name: &str, uses: &[TokenStream]) -> TokenStream {
        if self != Old::Very {
            return TokenStream::new();
        }
        let first = uses.iter().filter_map(|item| item.clone().into_iter().nth(1));
        let mut names: BTreeSet<String> = first.map(|name| name.to_string()).collect();
        names.insert(name.to_owned());
        names.remove("std");
        let names = names.iter().map(|name| ident(name));
        quote!(#(extern crate #names;)*)
    }

    /// Traits to import because of what the code names.
    pub(crate) fn missing(self, code: &TokenStream) -> Vec<&'static str> {
        let is_missing = |names: &[&str]| self != Old::No && mentions(code, names);
        let missing = NEWER_TRAITS.iter().filter(|(_, names)| is_missing(names));
        missing.map(|(path, _)| *path).collect()
    }

    /// Code that iterates arrays by value in every edition: as vectors.
    pub(crate) fn adapted(self, code: TokenStream) -> TokenStream {
        if self == Old::No { code } else { arrays_as_vectors(code) }
    }
}

fn mentions(code: &TokenStream, names: &[&str]) -> bool {
    code.clone().into_iter().any(|tree| match tree {
        TokenTree::Ident(name) => names.iter().any(|known| name == known),
        TokenTree::Group(group) => mentions(&group.stream(), names),
        TokenTree::Punct(_) | TokenTree::Literal(_) => false,
    })
}

/// `[a, b].into_iter()` as `vec![a, b].into_iter()`.
fn arrays_as_vectors(code: TokenStream) -> TokenStream {
    let trees: Vec<TokenTree> = code.into_iter().collect();
    let mut adapted = TokenStream::new();
    for (i, tree) in trees.iter().enumerate() {
        let TokenTree::Group(group) = tree else {
            adapted.extend([tree.clone()]);
            continue;
        };
        if group.delimiter() == Delimiter::Bracket
            && is_into_iter(&trees[i + 1..])
            && (i == 0 || begins_a_value(&trees[i - 1]))
        {
            adapted.extend(quote!(vec!));
        }
        let inside = arrays_as_vectors(group.stream());
        let mut new = Group::new(group.delimiter(), inside);
        new.set_span(group.span());
        adapted.extend([TokenTree::Group(new)]);
    }
    adapted
}

fn is_into_iter(after: &[TokenTree]) -> bool {
    let [TokenTree::Punct(dot), TokenTree::Ident(name), ..] = after else { return false };
    dot.as_char() == '.' && name == "into_iter"
}

/// Whether brackets after this are an array and not an index, an attribute or a macro's.
fn begins_a_value(before: &TokenTree) -> bool {
    matches!(before, TokenTree::Punct(punct) if !"!#".contains(punct.as_char()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(old: Old, code: &str, expected: &str, traits: &[&str]) {
        let code: TokenStream = code.parse().unwrap();
        let expected: TokenStream = expected.parse().unwrap();
        assert_eq!(old.missing(&code), traits);
        assert_eq!(old.adapted(code).to_string(), expected.to_string());
    }

    #[test]
    fn arrays_become_vectors_where_they_are_iterated_by_reference() {
        let code = "f([1, 2].into_iter(), [3], x[0].into_iter(), vec![4].into_iter());";
        check(Old::No, code, code, &[]);
        let old = "f(vec![1, 2].into_iter(), [3], x[0].into_iter(), vec![4].into_iter());";
        // At the beginning of a list of arguments nothing stands before the array.
        check(Old::Somewhat, code, old, &[]);
    }

    #[test]
    fn traits_are_imported_that_were_not_always_there() {
        let code = "let x = Stack::<u8>::from_iter(y); let z = u8::try_from(3);";
        check(Old::No, code, code, &[]);
        let both = ["std::convert::TryFrom", "std::iter::FromIterator"];
        check(Old::Very, code, code, &both);
    }

    #[test]
    fn editions_are_told_apart() {
        assert_eq!(
            [2015, 2018, 2021, 2024].map(Old::of),
            [Old::Very, Old::Somewhat, Old::No, Old::No]
        );
        let uses = [
            quote!(
                use std::vec::Vec;
            ),
            quote!(
                use b::c::D;
            ),
            quote!(
                use a::E;
            ),
        ];
        let declared = Old::Very.extern_crates("a", &uses).to_string();
        assert_eq!(declared, "extern crate a ; extern crate b ;");
        assert!(Old::Somewhat.extern_crates("a", &uses).is_empty());
    }
}
