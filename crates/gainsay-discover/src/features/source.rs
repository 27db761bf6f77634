//! What the source says of features: which of them ask for another compiler, and which leave out
//! code that is there without them.

use std::{collections::BTreeSet, fs, path::Path};

use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};

use crate::cache;

/// Features by what the source does with them.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Written {
    /// `#![cfg_attr(feature = "x", feature(..))]`
    pub(crate) unstable: BTreeSet<String>,
    /// `#[cfg(not(feature = "x"))]` and the like.
    pub(crate) alternative: BTreeSet<String>,
}

/// Reads all sources of a package. What cannot be read is passed over.
pub(crate) fn written(root: &Path) -> Written {
    let mut files = Vec::new();
    cache::sources(&root.join("src"), &mut files);
    let mut found = Written::default();
    for text in files.iter().filter_map(|path| fs::read_to_string(path).ok()) {
        if let Ok(tokens) = text.parse() {
            found.read(tokens);
        }
    }
    found
}

impl Written {
    fn read(&mut self, tokens: TokenStream) {
        let tokens: Vec<TokenTree> = tokens.into_iter().collect();
        for at in 0..tokens.len() {
            match &tokens[at..] {
                [TokenTree::Ident(word), TokenTree::Group(group), ..] if word == "cfg_attr" => {
                    self.attribute(group);
                }
                [TokenTree::Ident(word), TokenTree::Group(group), ..] if word == "not" => {
                    names(group.stream(), &mut self.alternative);
                }
                // `cfg!(feature = "x")`
                [TokenTree::Ident(word), TokenTree::Punct(sign), TokenTree::Group(group), ..]
                    if word == "cfg" && sign.as_char() == '!' =>
                {
                    names(group.stream(), &mut self.alternative);
                }
                // `if #[cfg(feature = "x")] { .. } else { .. }`
                [TokenTree::Ident(word), TokenTree::Punct(_), TokenTree::Group(group), ..]
                    if word == "if" && is_attribute(group) =>
                {
                    names(group.stream(), &mut self.alternative);
                }
                // `#[cfg(all(feature = "x", feature = "y"))] compile_error!(..)`
                [TokenTree::Group(group), TokenTree::Ident(word), ..]
                    if word == "compile_error" && is_attribute(group) =>
                {
                    names(group.stream(), &mut self.alternative);
                }
                _ => {}
            }
            // What an attribute is given under a condition leaves no code out.
            let is_conditional =
                at > 0 && matches!(&tokens[at - 1], TokenTree::Ident(word) if word == "cfg_attr");
            if let (TokenTree::Group(group), false) = (&tokens[at], is_conditional) {
                self.read(group.stream());
            }
        }
    }

    /// The inside of `cfg_attr(condition, attribute)`.
    fn attribute(&mut self, group: &Group) {
        let is_comma =
            |token: &TokenTree| matches!(token, TokenTree::Punct(p) if p.as_char() == ',');
        let tokens: Vec<TokenTree> = group.stream().into_iter().collect();
        let mut parts = tokens.split(is_comma);
        let condition = parts.next().unwrap_or_default();
        let asks = |part: &[TokenTree]| matches!(part, [TokenTree::Ident(word), TokenTree::Group(_), ..] if word == "feature");
        if parts.any(asks) {
            names(condition.iter().cloned().collect(), &mut self.unstable);
        }
    }
}

fn is_attribute(group: &Group) -> bool {
    group.delimiter() == Delimiter::Bracket
        && matches!(group.stream().into_iter().next(), Some(TokenTree::Ident(word)) if word == "cfg")
}

/// Every `feature = "x"`, however deep.
fn names(tokens: TokenStream, found: &mut BTreeSet<String>) {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    for at in 0..tokens.len() {
        match &tokens[at..] {
            [TokenTree::Ident(word), TokenTree::Punct(_), TokenTree::Literal(text), ..]
                if word == "feature" =>
            {
                found.insert(text.to_string().trim_matches('"').to_owned());
            }
            [TokenTree::Group(group), ..] => names(group.stream(), found),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, unstable: &[&str], alternative: &[&str]) {
        let mut found = Written::default();
        found.read(text.parse().unwrap());
        let set = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        let expected = Written { unstable: set(unstable), alternative: set(alternative) };
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn code_that_is_only_there_with_a_feature_says_nothing() {
        check("#[cfg(feature = \"a\")] pub mod a;", &[], &[]);
        check("#[cfg(all(feature = \"a\", any(test, unix)))] fn f() {}", &[], &[]);
        check("// not(feature = \"a\")\n/// not(feature = \"a\")\nfn f() {}", &[], &[]);
        check("#![cfg_attr(not(feature = \"a\"), no_std)]", &[], &[]);
    }

    #[test]
    fn code_that_is_only_there_without_it_is_told() {
        check("#[cfg(not(feature = \"a\"))] fn f() {}", &[], &["a"]);
        check(
            "mod m { fn f() { #[cfg(not(any(feature = \"a\", feature = \"b\")))] g(); } }",
            &[],
            &["a", "b"],
        );
        check("fn f() { if cfg!(feature = \"a\") { 1 } else { 2 } }", &[], &["a"]);
        check("cfg_if! { if #[cfg(feature = \"a\")] { x } else { y } }", &[], &["a"]);
        check(
            "#[cfg(all(feature = \"a\", feature = \"b\"))] compile_error!(\"x\");",
            &[],
            &["a", "b"],
        );
    }

    #[test]
    fn features_that_ask_for_features_of_the_compiler_are_told() {
        check("#![cfg_attr(feature = \"a\", feature(test, never_type))]", &["a"], &[]);
        check("#![cfg_attr(any(feature = \"a\", docsrs), allow(x), feature(y))]", &["a"], &[]);
        check("#![cfg_attr(feature = \"a\", doc = \"x\")]", &[], &[]);
    }
}
